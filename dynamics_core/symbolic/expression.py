"""Scalar expressions as a graph in which equal terms are one node.

A symbol answers to the arithmetic that the algorithms use, so that running an algorithm on symbols
writes down its formula for one robot. Constants are plain Python floats and are folded at once:
what is structurally zero never becomes a node. Nodes are numbered in the order of their creation,
which is a valid order of evaluation.

Folding assumes finite values (``0 * x`` is 0); compiled code refuses other inputs beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Union

#: What an algorithm sees: a symbol, or a constant.
Term = Union["Expr", float]


class Graph:
    """The nodes of one function, each distinct (operation, arguments) once."""

    __slots__ = ("nodes",)

    def __init__(self) -> None:
        self.nodes: dict[tuple[Any, ...], Expr] = {}

    def input(self, name: str, index: int) -> Expr:
        """Element ``index`` of the input called ``name``."""
        return self.node("input", name, index)

    def inputs(self, name: str, size: int) -> list[Term]:
        """All elements of an input."""
        return [self.input(name, k) for k in range(size)]

    def node(self, *key: Any) -> Expr:
        """The node of an operation and its arguments."""
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = Expr(self, len(self.nodes), key[0], key[1:])
        return found


class Expr:
    """A node: ``op`` applied to ``args`` (other nodes, or constants).

    Operations: input, add, sub, mul, neg, recip, sqrt, sin, cos, tanh, abs, min, max. A constant
    comes second in a sum or a product and is positive in a product; signs move outwards, where
    they merge into sums. What :mod:`.contraction` rewrites has one more operation, fma.
    """

    __slots__ = ("args", "graph", "number", "op")
    __array_ufunc__ = None  # NumPy scalars leave mixed arithmetic to this class

    def __init__(self, graph: Graph, number: int, op: str, args: tuple[Any, ...]) -> None:
        self.graph, self.number, self.op, self.args = graph, number, op, args

    def __neg__(self) -> Expr:
        if self.op == "neg":
            return self.args[0]
        if self.op == "sub":
            a, b = self.args
            return b - a
        return self.graph.node("neg", self)

    def __add__(self, other: Any) -> Term:
        if not isinstance(other, Expr):
            c = float(other)
            if c == 0.0:
                return self
            if self.op == "neg":
                return self.graph.node("sub", c, self.args[0])
            return self.graph.node("add", self, c)
        if other.op == "neg":
            return self - other.args[0]
        if self.op == "neg":
            return other - self.args[0]
        a, b = (self, other) if self.number <= other.number else (other, self)
        return self.graph.node("add", a, b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Term:
        if not isinstance(other, Expr):
            return self + -float(other)
        if self is other:
            return 0.0
        if other.op == "neg":
            return self + other.args[0]
        if self.op == "neg":
            return -(self.args[0] + other)
        return self.graph.node("sub", self, other)

    def __rsub__(self, other: Any) -> Term:
        c = float(other)
        if c == 0.0:
            return -self
        if self.op == "neg":
            return self.args[0] + c
        return self.graph.node("sub", c, self)

    def __mul__(self, other: Any) -> Term:
        if not isinstance(other, Expr):
            return self._scaled(float(other))
        if self.op == "neg":
            return -(self.args[0] * other)
        if other.op == "neg":
            return -(self * other.args[0])
        a, b = (self, other) if self.number <= other.number else (other, self)
        return self.graph.node("mul", a, b)

    __rmul__ = __mul__

    def _scaled(self, c: float) -> Term:
        if c == 0.0:
            return 0.0
        if c == 1.0:
            return self
        if c < 0.0:
            return -self._scaled(-c)
        if self.op == "neg":
            return -(self.args[0] * c)
        if self.op == "mul" and isinstance(self.args[1], float):
            return self.args[0] * (self.args[1] * c)
        return self.graph.node("mul", self, c)

    def __truediv__(self, other: Any) -> Term:
        if isinstance(other, Expr):
            return self * other.reciprocal()
        return self * (1.0 / float(other))

    def __rtruediv__(self, other: Any) -> Term:
        return float(other) * self.reciprocal()

    def __pow__(self, exponent: int) -> Term:
        if exponent != 2:
            raise TypeError(f"symbols know squares only, not the power {exponent!r}")
        return self * self

    def reciprocal(self) -> Expr:
        """``1 / self``."""
        return -self.args[0].reciprocal() if self.op == "neg" else self.graph.node("recip", self)

    def sqrt(self) -> Expr:
        """Square root."""
        return self.graph.node("sqrt", self)

    def sin(self) -> Expr:
        """Sine."""
        return -self.args[0].sin() if self.op == "neg" else self.graph.node("sin", self)

    def cos(self) -> Expr:
        """Cosine."""
        return self.graph.node("cos", self.args[0] if self.op == "neg" else self)

    def tanh(self) -> Expr:
        """Hyperbolic tangent."""
        return -self.args[0].tanh() if self.op == "neg" else self.graph.node("tanh", self)

    def __abs__(self) -> Expr:
        return self.graph.node("abs", self.args[0] if self.op == "neg" else self)

    def minimum(self, other: Any) -> Expr:
        """The smaller of two values."""
        return self.graph.node("min", self, other if isinstance(other, Expr) else float(other))

    def maximum(self, other: Any) -> Expr:
        """The larger of two values."""
        return self.graph.node("max", self, other if isinstance(other, Expr) else float(other))

    def __bool__(self) -> bool:
        raise TypeError("an algorithm branches on a symbol's value, not on structure")

    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: bool(self)

    def operands(self) -> Iterator[Expr]:
        """The arguments that are nodes."""
        return (a for a in self.args if isinstance(a, Expr))

    def __repr__(self) -> str:
        if self.op == "input":
            return f"{self.args[0]}[{self.args[1]}]"
        return f"{self.op}({', '.join(map(repr, self.args))})"


def as_constant(value: Any) -> Term:
    """An output scalar as a node or a finite Python float."""
    if isinstance(value, Expr):
        return value
    c = float(value)
    if not math.isfinite(c):
        raise ArithmeticError(f"a constant of the function is {c}")
    return c


def live(outputs: Iterable[Term]) -> list[Expr]:
    """The nodes that outputs depend on, arguments first."""
    seen: set[Expr] = set()
    stack = [o for o in outputs if isinstance(o, Expr)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.operands())
    return sorted(seen, key=lambda n: n.number)
