"""Sums of products as chains of fused multiply-adds: fewer operations, the same values."""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np
import pytest
import robots
from both_paths import options
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import Mutation, broken
from test_expression import symbols, value

from dynamics_core.functions import FUNCTIONS, Parametrisation
from dynamics_core.symbolic.contraction import contracted
from dynamics_core.symbolic.expression import Expr, Term, as_constant
from dynamics_core.symbolic.trace import Program, trace


def program(*results: Term) -> Program:
    return Program("formula", (("x", 9),), (("y", (len(results),)),), tuple(results))


def operations(*results: Term) -> Counter[str]:
    free = ("input", "neg")  # a sign costs nothing: multiply-adds come with all four
    return Counter(n.op for n in contracted(program(*results)).nodes if n.op not in free)


def test_products_join_the_sum_they_are_added_to():
    a, b, c, d, x = symbols(5)
    assert operations(x + a * b) == {"fma": 1}
    assert operations(x + (a * b + c * d)) == {"fma": 2}
    assert operations(x - (a * b - c * d)) == {"fma": 2}
    assert operations(a * b + c * d) == {"mul": 1, "fma": 1}
    assert operations((a + b) - (c - d) + x) == {"add": 3, "sub": 1}


def test_a_product_in_several_sums_is_multiplied_in_each():
    a, b, x, y = symbols(4)
    assert operations(x + a * b, y - a * b) == {"fma": 2}
    assert operations(x + a * b, a * b) == {"mul": 1, "add": 1}
    assert operations(x + a * b, (a * b) * y) == {"mul": 2, "add": 1}


def test_sums_of_squares_begin_with_the_same_square():
    x, y, z = symbols(3)
    sums = (y * y + z * z, x * x + z * z)
    assert operations(*sums) == {"mul": 1, "fma": 2}
    assert sum(operations(*sums, x * x + y * y).values()) == 5


def test_a_sum_used_twice_is_one_sum():
    a, b, x, y = symbols(4)
    both = a * b + x * y
    assert operations(x + both, y - both) == {"mul": 1, "fma": 1, "add": 1, "sub": 1}


def test_a_chain_ends_with_what_takes_longest():
    a, b, c, x = symbols(4)
    late = (1.0 / (a + b)).sqrt()
    (result,) = contracted(program(late * c + a * b + x)).results
    assert result.op == "fma"
    assert "sqrt" in {n.op for n in result.args[:2] if isinstance(n, Expr)}
    assert result.args[2].op == "fma"


@st.composite
def formulas(draw: st.DrawFn) -> list[Term]:
    """A few sums over products and sums, with shared parts, all signs, and constants."""
    terms: list[Term] = [*symbols(5), 2.5, -0.75]
    for _ in range(draw(st.integers(1, 25))):
        a, b = (terms[draw(st.integers(0, len(terms) - 1))] for _ in range(2))
        made = draw(st.sampled_from([operator.add, operator.sub, operator.mul, lambda x, _: -x]))
        terms.append(as_constant(made(a, b)))
    return terms[draw(st.integers(7, len(terms) - 1)) :]


STATES = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 5))


@settings(max_examples=300, deadline=None)
@given(formulas())
def test_values_are_kept(results: list[Term]):
    same_values(results)


def same_values(results: list[Term]) -> None:
    before, after = (p.results for p in (program(*results), contracted(program(*results))))
    for x in STATES:
        for old, new in zip(before, after, strict=True):
            scale = magnitude(old, x)
            assert value(new, x) == pytest.approx(value(old, x), abs=1e-13 * scale)


def magnitude(term: Term, x: np.ndarray) -> float:
    """The same formula on magnitudes, nothing cancelling: what rounding is relative to."""
    if not isinstance(term, Expr):
        return abs(term)
    if term.op == "input":
        return abs(x[term.args[1]])
    sizes = [magnitude(a, x) for a in term.args]
    return float(np.prod(sizes) if term.op == "mul" else np.sum(sizes))


def signs() -> list[Term]:
    """Sums within sums, added and taken away."""
    a, b, c, d, x = symbols(5)
    shared = a * b + c * d
    return [
        b * d - x,
        x - (a * b - c * d),
        (a - b * c) - (x - d),
        c - (d + x) - a * b,
        2.0 - (a + b) - (c * d + x),
        a * b - (c - (d - x * x)),
        a * (b - c) - (x - (d - a)),
        shared + x,
        shared - d,
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("minus != negative", "minus"),
        ("self._negative(a) if minus else a", "a"),
        ("total = self._negative(total) if negated else total", "pass"),
        ("(self._of(term), total) if negated else", "(total, self._of(term)) if negated else"),
        ("if negated == minus", "if not minus"),
    ],
)
def test_signs_taken_wrongly_are_noticed(old: str, new: str):
    with broken(Mutation("symbolic.contraction", old, new)), pytest.raises(AssertionError):
        same_values(signs())


def arithmetic(formulas: Program) -> int:
    """Operations that take an instruction, before products join sums."""
    return sum(n.op not in ("input", "neg") for n in formulas.nodes)


@pytest.mark.parametrize("kind", robots.KINDS)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_gets_shorter(name: str, kind: str):
    model = robots.model(kind)
    formulas = trace(
        model, Parametrisation(), FUNCTIONS[name], options(name, model.frames[-1].name)
    )
    sums = [n for n in formulas.nodes if n.op in ("add", "sub")]
    products = [n for n in formulas.nodes if n.op == "mul"]
    before, after = arithmetic(formulas), arithmetic(contracted(formulas))
    if len(products) > 20 and len(sums) > 20:
        assert after < 0.75 * before
    else:
        assert after <= before
