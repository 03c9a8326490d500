"""Sine and cosine against 80-bit arithmetic, in scalar code and on eight lanes."""

from __future__ import annotations

import numpy as np
import programs
import pytest

from dynamics_core.compiler import emitter, engine
from dynamics_core.compiler.sincos import LARGEST_ANGLE
from dynamics_core.spatial import cos, sin, tanh

RNG = np.random.default_rng(1)


def pair(x):
    return [f(s) for s in x for f in (sin, cos)]


def worst_error(y: np.ndarray, x: np.ndarray) -> float:
    exact = np.longdouble(x)
    return float(
        max(np.abs(y[:, 0::2] - np.sin(exact)).max(), np.abs(y[:, 1::2] - np.cos(exact)).max())
    )


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="needs long doubles of more than 64 bits"
)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 17])
def test_sincos_is_exact_to_rounding(size):
    function = programs.compiled(size, 2 * size, pair)
    for scale in (1e-9, 1.0, 10.0, 1e3, 1e5, LARGEST_ANGLE / 10.0):
        x = RNG.normal(size=(200, size)) * scale
        assert worst_error(programs.evaluate(function, x), x) < 2.3e-16


def test_multiples_of_a_quarter_turn():
    k = np.arange(-40000, 40000)
    x = np.concatenate([np.nextafter(k * (np.pi / 4), way) for way in (-np.inf, np.inf)])
    x = np.concatenate([x, k * (np.pi / 4), [0.0, -0.0]]).reshape(-1, 1)
    y = np.empty((len(x), 2))
    assert programs.compiled(1, 2, pair).batch([x], [y], np.zeros(0)) == -1
    assert worst_error(y, x) < 2.3e-16


def test_angles_that_are_computed():
    function = programs.compiled(2, 3, lambda x: [sin(2.0 * x[0] - 0.3), cos(x[0]), sin(sin(x[1]))])
    x = RNG.normal(size=(50, 2))
    expected = np.stack([np.sin(2 * x[:, 0] - 0.3), np.cos(x[:, 0]), np.sin(np.sin(x[:, 1]))], 1)
    np.testing.assert_allclose(programs.evaluate(function, x), expected, rtol=0, atol=4e-16)


def test_deeply_nested_angles_take_no_longer_than_they_must():
    def formula(x):
        value = x[0]
        for _ in range(40):
            value = sin(value + cos(value))
        return [value]

    x = RNG.normal(size=(9, 1))
    expected = x[:, 0]
    for _ in range(40):
        expected = np.sin(expected + np.cos(expected))
    function = programs.compiled(1, 1, formula)
    np.testing.assert_allclose(programs.evaluate(function, x)[:, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 2 * LARGEST_ANGLE])
@pytest.mark.parametrize("at", [0, 6, 8])
def test_angles_without_meaning_are_refused(x, at):
    function = programs.compiled(9, 18, pair)
    bad = np.zeros((20, 9))
    bad[13, at] = x
    y = np.zeros((20, 18))
    assert not function.single([bad[13]], [y[0]], np.zeros(0))
    assert not y[0].any()
    assert function.batch([bad], [y], np.zeros(0)) == 8


def test_without_fused_multiply_add(monkeypatch):
    """The way of CPUs that lack it: libm, one number at a time."""
    monkeypatch.setattr(emitter, "has_fma", lambda: False)
    assert "@sin(double)" in _ir()
    x = RNG.normal(size=(30, 5)) * 10
    y = programs.evaluate(programs.compiled(5, 10, pair), x)
    assert worst_error(y, x) < 2.3e-16
    monkeypatch.undo()
    assert ("@sin(double)" in _ir()) is not engine.has_fma()


def _ir() -> str:
    from dynamics_core.compiler.kernel import kernel_ir

    return kernel_ir(programs.compiled(5, 10, pair).program)


def test_other_functions():
    def formula(x):
        a, b = x
        return [tanh(a), abs(a), (a * a).sqrt(), a.minimum(b), a.maximum(0.25), 1.0 / a, -a, 2.5]

    x = np.concatenate([RNG.normal(size=(40, 2)), 20 * RNG.normal(size=(40, 2))])
    a, b = x.T
    expected = [np.tanh(a), abs(a), abs(a), np.minimum(a, b), np.maximum(a, 0.25), 1 / a, -a]
    y = programs.evaluate(programs.compiled(2, 8, formula), x)
    np.testing.assert_allclose(y.T, [*expected, np.full(80, 2.5)], rtol=1e-15, atol=0)


@pytest.mark.parametrize("size", [1, 7, 11])
def test_tanh_is_exact_to_a_few_units(size):
    function = programs.compiled(size, size, lambda x: [tanh(s) for s in x])
    for scale in (1e-300, 1e-8, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e150):
        x = RNG.normal(size=(100, size)) * scale
        exact = np.tanh(np.longdouble(x)).astype(float)
        np.testing.assert_allclose(programs.evaluate(function, x), exact, rtol=1e-15, atol=0)
