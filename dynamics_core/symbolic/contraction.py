"""Sums of products, rewritten as chains of fused multiply-adds.

Where ``a b + c`` is one instruction, what costs is neither additions nor multiplications but the
links of such chains. A sum that is used once, in another sum, becomes part of that sum, so that
``x + (a b + c d)`` takes two instructions instead of three; a product that occurs in sums only is
multiplied anew in each of them, at no cost, and never computed by itself. A sum of nothing but
products has to begin with one of them: those that several sums can begin with are chosen first.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from .expression import Expr, Graph, Term
from .trace import Program

_SUMS = ("add", "sub")
#: All of these are computed before all else, as far as can be.
_FIRST = ("input", "sin", "cos", "tanh")

#: What is added, and whether it is subtracted instead.
Summand = tuple[Term, bool]


def contracted(program: Program) -> Program:
    """The same program with operations ``fma``, ``a b + c`` of its three arguments."""
    return dataclasses.replace(program, results=_Contraction(program).results())


class _Contraction:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = Graph()
        self.new: dict[Expr, Term] = {}
        self.sums = self._whole_sums()
        self.computed = self._computed_products()
        self.depth = _depths(program)

    def _whole_sums(self) -> dict[Expr, list[Summand]]:
        """The summands of each sum that is not a part of another."""
        uses = Counter(a for n in self.program.nodes for a in n.operands())
        uses.update(r for r in self.program.results if isinstance(r, Expr))
        sums: dict[Expr, list[Summand]] = {}

        def flat(term: Term, minus: bool) -> Iterator[Summand]:
            if isinstance(term, Expr) and term.op in _SUMS and uses[term] == 1:
                yield from ((part, minus != negative) for part, negative in sums.pop(term))
            else:
                yield term, minus

        for node in self.program.nodes:
            if node.op in _SUMS:
                a, b = node.args
                sums[node] = [*flat(a, False), *flat(b, node.op == "sub")]
        return sums

    def _computed_products(self) -> set[Expr]:
        """The products that are computed by themselves."""
        needed = {a for n in self.program.nodes if n.op not in _SUMS for a in n.operands()}
        needed.update(r for r in self.program.results if isinstance(r, Expr))
        computed = {n for n in needed if n.op == "mul"}
        pure = [
            products
            for summands in self.sums.values()
            if len(products := _products(summands)) == len(summands)
        ]
        could_begin = Counter(p for products in pure for p in products)
        for products in pure:
            if computed.isdisjoint(products):
                computed.add(max(products, key=could_begin.__getitem__))
        return computed

    def results(self) -> tuple[Term, ...]:
        """The program's results in terms of new nodes."""
        for node in self.program.nodes:
            if node in self.sums:
                self.new[node] = self._chain(self.sums[node])
            elif node.op not in _SUMS and (node.op != "mul" or node in self.computed):
                self.new[node] = self.graph.node(node.op, *map(self._of, node.args))
        return tuple(self._of(r) for r in self.program.results)

    def _chain(self, summands: list[Summand]) -> Term:
        """Add up."""
        summands = sorted(summands, key=lambda s: self.depth.get(s[0], 0))
        begin = next(k for k, (term, _) in enumerate(summands) if not self._is_factors(term))
        first, negated = summands.pop(begin)
        total = self._of(first)
        for term, minus in summands:
            total, negated = self._sum(total, negated, term, minus)
        return self._negative(total) if negated else total

    def _sum(self, total: Term, negated: bool, term: Term, minus: bool) -> Summand:
        """Two summands added, or both with their signs turned."""
        if isinstance(term, Expr) and self._is_factors(term):
            a, b = map(self._of, term.args)
            a = self._negative(a) if minus else a
            total = self._negative(total) if negated else total
            return self.graph.node("fma", a, b, total), False
        if negated == minus:
            return self.graph.node("add", total, self._of(term)), negated
        a, b = (self._of(term), total) if negated else (total, self._of(term))
        return self.graph.node("sub", a, b), False

    def _is_factors(self, term: Term) -> bool:
        return isinstance(term, Expr) and term.op == "mul" and term not in self.computed

    def _of(self, term: Term) -> Term:
        return self.new[term] if isinstance(term, Expr) else term

    def _negative(self, term: Term) -> Term:
        return self.graph.node("neg", term) if isinstance(term, Expr) else -term


def _products(summands: list[Summand]) -> list[Expr]:
    return [t for t, _ in summands if isinstance(t, Expr) and t.op == "mul"]


def _depths(program: Program) -> dict[Term, int]:
    """The number of operations on the longest way to each node."""
    depth: dict[Term, int] = {}
    for node in program.nodes:
        below = (depth[a] + 1 for a in node.operands())
        depth[node] = 0 if node.op in _FIRST else max(below, default=0)
    return depth
