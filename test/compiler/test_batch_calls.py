"""Builtins on batches: which calls stay in compiled code, and that their numbers are right."""

from __future__ import annotations

import numpy as np
import pytest
import robots

from dynamics_core.calls import CompiledFunction, set_threads
from dynamics_core.calls import builtin as call_layer
from dynamics_core.functions import FUNCTIONS, Parametrisation, evaluate

pytestmark = pytest.mark.skipif(
    not call_layer.available(), reason="no builtins on this Python: calls go through ctypes"
)
ROWS = 13  # not a whole number of vectors


@pytest.fixture
def model():
    return robots.model("arm")


@pytest.fixture(params=["inverse_dynamics", "mass_matrix", "kinetic_energy", "christoffel_symbols"])
def function(request, model):
    """A function with one output of one, two, no or three dimensions, its sweep made."""
    made = CompiledFunction(model, Parametrisation(), FUNCTIONS[request.param], {})
    made.prepare(batch=True)
    return made


@pytest.fixture
def batch(function, model):
    rng = np.random.default_rng(1)
    return [rng.normal(size=(ROWS, size)) for _, size in function.inputs]


class Slow:
    """What takes over; it only notes that it did."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *arguments, **keywords):
        self.calls += 1
        return "slow"


def _expected(function, model, batch):
    fn = FUNCTIONS[function.name]
    inputs = [*batch, *[np.zeros((len(batch[0]), 0))] * (len(fn.inputs) - len(batch))]
    return evaluate(fn, model, inputs, {})[0]


def test_plain_batches_are_computed_at_once(function, model, batch):
    slow = Slow()
    call = function.builtin(slow, np.zeros(0))
    expected = _expected(function, model, batch)
    new = call(*batch)
    out = np.full(expected.shape, np.nan)
    assert call(*batch, out=out) is out
    assert not slow.calls
    assert new.shape == expected.shape
    assert new.flags.owndata
    np.testing.assert_allclose(new, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(out, new)
    again = call(*[x[:5] for x in batch])  # a part of the rows is contiguous as well
    np.testing.assert_array_equal(again, new[:5])


def test_one_state_may_be_for_all_rows(function, model, batch):
    slow = Slow()
    call = function.builtin(slow, np.zeros(0))
    held = [batch[0], *[x[0] for x in batch[1:]]]
    expected = _expected(function, model, [batch[0], *[np.tile(x, (ROWS, 1)) for x in held[1:]]])
    np.testing.assert_allclose(call(*held), expected, rtol=1e-12, atol=1e-12)
    assert not slow.calls


def test_all_else_goes_to_python(function, model, batch):
    slow = Slow()
    call = function.builtin(slow, np.zeros(0))
    shape = _expected(function, model, batch).shape
    first, rest = batch[0], batch[1:]
    lost = first.copy()
    lost[ROWS - 1, 0] = np.nan
    read_only = np.empty(shape)
    read_only.flags.writeable = False
    unusual = [
        ((first[None], *rest), {}),
        ((first[:, :-1], *rest), {}),
        ((first[::2], *[x[::2] for x in rest]), {}),
        ((np.asfortranarray(first), *rest), {}),
        ((first.astype("f4"), *rest), {}),
        ((first[:0], *[x[:0] for x in rest]), {}),
        ((lost, *rest), {}),
        ((lost, *rest), {"out": np.empty(shape)}),
        (batch, {"out": np.empty((shape[0] - 1, *shape[1:]))}),
        (batch, {"out": np.empty(shape[1:])}),
        (batch, {"out": np.empty(shape, "f4")}),
        (batch, {"out": read_only}),
        (batch, {"out": None}),
    ]
    if rest:  # rows that do not match, or only in what is not first
        unusual += [((first[:-1], *rest), {}), ((first[0], *rest), {})]
        unusual += [
            ((first, *[x[0, :-1] for x in rest]), {}),
            ((first, *[x[:1] for x in rest]), {}),
        ]
    if shape == first.shape:
        unusual += [
            (batch, {"out": first}),
            ((first[:-1], *[x[1:] for x in rest]), {"out": first[1:]}),
        ]
    for number, (arguments, keywords) in enumerate(unusual, start=1):
        assert call(*arguments, **keywords) == "slow", (number, arguments)
        assert slow.calls == number


def test_batches_for_several_threads_are_shared_in_python(function, batch):
    slow = Slow()
    call = function.builtin(slow, np.zeros(0))
    many = [np.tile(x, (20_000, 1)) for x in batch]
    try:
        set_threads(2)
        assert call(*many) == "slow"
    finally:
        set_threads(None)


def test_until_the_sweep_is_there_python_makes_it(model):
    function = CompiledFunction(model, Parametrisation(), FUNCTIONS["gravity_torque"], {})
    slow = Slow()
    call = function.builtin(slow, np.zeros(0))
    q = np.zeros((ROWS, model.nq))
    assert call(q) == "slow"
    function.batch([q], [np.empty((ROWS, model.nv))], np.zeros(0))
    assert call(q).shape == (ROWS, model.nv)


def test_parameters_come_in_after_the_inputs(model):
    """All rows share them."""
    parametrisation = Parametrisation(gravity=True)
    function = CompiledFunction(model, parametrisation, FUNCTIONS["gravity_torque"], {})
    function.prepare(batch=True)
    call = function.builtin(Slow(), np.array([0.0, 2.0, -5.0]))
    q = np.random.default_rng(2).normal(size=(ROWS, model.nq))
    varied = parametrisation.apply(model, [0.0, 2.0, -5.0])
    (expected,) = evaluate(FUNCTIONS["gravity_torque"], varied, [q], {})
    np.testing.assert_allclose(call(q), expected, rtol=1e-12, atol=1e-12)
