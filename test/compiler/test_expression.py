"""The expression graph: what is folded, what is shared, and that values are kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics_core.spatial import cos, sin, tanh
from dynamics_core.symbolic.expression import Expr, Graph, live


def symbols(count: int) -> list[Expr]:
    graph = Graph()
    return [graph.input("x", k) for k in range(count)]


def value(term: Expr | float, x: np.ndarray) -> float:
    """Evaluate a term node by node."""
    if not isinstance(term, Expr):
        return term
    known: dict[Expr, float] = {}
    operations = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "neg": lambda a: -a, "recip": lambda a: 1.0 / a, "abs": abs, "sqrt": np.sqrt,
        "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "min": min, "max": max,
        "fma": lambda a, b, c: a * b + c,
    }  # fmt: skip
    for node in live([term]):
        if node.op == "input":
            known[node] = x[node.args[1]]
        else:
            known[node] = operations[node.op](
                *(known[a] if isinstance(a, Expr) else a for a in node.args)
            )
    return known[term]


def test_structural_zeros_and_ones_vanish():
    x, y = symbols(2)
    for folded in (x * 0.0, 0.0 * x, x - x, x * np.float64(0.0)):
        assert type(folded) is float
        assert folded == 0.0
    for same in (x * 1.0, 1.0 * x, x + 0.0, 0.0 + x, x - 0.0, x / 1.0, (-x).__neg__()):
        assert same is x
    assert (x * -1.0).op == "neg"
    assert x + -y is x - y
    assert -(x - y) is y - x


def test_equal_terms_are_one_node():
    x, y = symbols(2)
    assert x * y is y * x
    assert x + y is y + x
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert sin(-x) is -sin(x)
    assert cos(-x) is cos(x)
    assert tanh(-x) is -tanh(x)
    assert 1.0 / x is x.reciprocal()
    assert np.float64(2.0) * x is x * 2.0
    count = len(x.graph.nodes)
    _ = (x * y + sin(x)) * 2.0
    more = len(x.graph.nodes)
    assert more > count
    _ = (y * x + sin(x)) * 2.0
    assert len(x.graph.nodes) == more


def test_a_constant_and_a_node_number_are_not_confused():
    x, y = symbols(2)
    assert x * 3.0 is not x * y
    assert (x + 1.0) is not (x + y)


def test_branching_on_a_value_is_refused():
    x, y = symbols(2)
    for attempt in (lambda: bool(x), lambda: x < y, lambda: x >= 0.0, lambda: max(x, y)):
        with pytest.raises(TypeError, match="branches on a symbol"):
            attempt()
    with pytest.raises(TypeError):
        _ = x + object()
    with pytest.raises(TypeError):
        _ = x**3


def test_live_leaves_out_what_is_not_needed():
    x, y = symbols(2)
    needed, _ = x * x, y * y
    assert live([needed + 1.0]) == [x, needed, needed + 1.0]


CONSTANTS = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 3.25])


@st.composite
def formulas(draw: st.DrawFn):
    """The same formula as a function of two kinds of scalar."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["+", "-", "*", "/", "neg", "c+", "c-", "c*", "sin", "cos"]),
                st.integers(0, 100), st.integers(0, 100), CONSTANTS,
            ), min_size=1, max_size=25,
        )
    )  # fmt: skip

    def run(scalars: list) -> list:
        pool = list(scalars)
        for op, i, j, c in steps:
            a, b = pool[i % len(pool)], pool[j % len(pool)]
            pool.append(
                {
                    "+": lambda a=a, b=b: a + b, "-": lambda a=a, b=b: a - b,
                    "*": lambda a=a, b=b: a * b, "/": lambda a=a, b=b: a / (b * b + 2.0),
                    "neg": lambda a=a: -a, "c+": lambda a=a, c=c: c + a,
                    "c-": lambda a=a, c=c: c - a, "c*": lambda a=a, c=c: c * a,
                    "sin": lambda a=a: sin(a), "cos": lambda a=a: cos(a),
                }[op]()
            )  # fmt: skip
        return pool

    return run


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(formulas(), st.integers(0, 2**32 - 1))
def test_folding_keeps_values(formula, seed):
    x = np.random.default_rng(seed).normal(size=3)
    expected = formula([float(s) for s in x])
    for term, want in zip(formula(symbols(3)), expected, strict=True):
        if abs(want) < 1e100:
            assert value(term, x) == pytest.approx(want, rel=1e-9, abs=1e-9)
