"""Compiled functions against the same formulas on NumPy: single states, batches, parameters."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import robots

from dynamics_core import ArgumentError, Robot
from dynamics_core.calls import CompiledFunction, get_threads, set_threads, threads
from dynamics_core.functions import FUNCTIONS, INPUT_SIZES, Parametrisation, evaluate

STATIC = {"frame": None, "reference": "local", "frames": ()}


def options(name: str, frame: str) -> dict:
    """Some options for a function, in the order of its signature."""
    parameters = inspect.signature(FUNCTIONS[name].algorithm).parameters.values()
    given = {}
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY:
            given[p.name] = frame if p.name == "frame" else STATIC.get(p.name, p.default)
    return given


def inputs(fn, model, chosen, n, rng):
    """Rows of inputs that mean something."""
    robot = Robot(model)
    arrays = []
    for name in fn.inputs:
        size = fn.input_size(name, model, chosen)
        x = np.abs(rng.normal(size=(n, size))) * 0.1 if size else np.zeros((n, 0))
        arrays.append(robots.states(robot, n)[0] if INPUT_SIZES.get(name) == "nq" else x)
    return arrays


def relative(actual, expected):
    unit = np.maximum(np.abs(expected).max(initial=0.0), 1e-9)
    return np.abs(actual - expected).max(initial=0.0) / unit


def cases():
    """(function, robot); an operational space takes six joints on the way to the frame."""
    for name in sorted(FUNCTIONS):
        for kind in robots.KINDS:
            if name != "operational_space" or kind == "arm":
                yield name, kind


@pytest.mark.parametrize(("name", "kind"), list(cases()))
def test_every_function_agrees_with_numpy(name, kind):
    model, fn = robots.model(kind), FUNCTIONS[name]
    chosen = options(name, model.frames[-1].name)
    arrays = inputs(fn, model, chosen, 11, np.random.default_rng(3))
    expected = evaluate(fn, model, arrays, chosen)
    function = CompiledFunction(model, Parametrisation(), fn, chosen)
    given = [x for x in arrays if x.shape[1]]
    many = [np.full(e.shape, np.nan) for e in expected]
    assert function.batch(given, many, np.zeros(0)) == -1
    one = [np.full(e.shape, np.nan) for e in expected]
    for row in range(11):
        x = [np.ascontiguousarray(g[row]) for g in given]
        assert function.single(x, [o[row : row + 1] for o in one], np.zeros(0))
    for e, m, o in zip(expected, many, one, strict=True):
        # An operational space is the inverse of a matrix that may be close to singular.
        tolerance = 1e-9 if name == "operational_space" else 1e-12
        assert relative(m, e) < tolerance
        assert relative(o, e) < tolerance


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 1000])
def test_batches_of_any_length_and_layout(rows):
    robot = Robot(robots.model("arm"))
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, rows, robot.nv))
    expected = [robot.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)]
    expected = np.array(expected).reshape(rows, robot.nv)
    wide = np.zeros((rows, robot.nv + 3))
    wide[:, 2:-1] = v
    layouts = [
        (q, v, a), (np.asfortranarray(q), v, a), (q, wide[:, 2:-1], a), (q[::-1][::-1], v, a),
        (q, v.astype(">f8"), a), (list(map(list, q)) if rows else q, v, a),
    ]  # fmt: skip
    for x in layouts:
        np.testing.assert_allclose(robot.inverse_dynamics(*x), expected, rtol=1e-12, atol=1e-12)
    out = np.empty((rows, 2 * robot.nv))[:, ::2]
    assert robot.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
    assert robot.inverse_dynamics(q, v, a, out=q) is q
    np.testing.assert_allclose(q, expected, rtol=1e-12, atol=1e-12)


def test_one_row_for_all():
    robot = Robot(robots.model("arm"))
    q, v, a = robots.states(robot, 20)
    expected = robot.inverse_dynamics(np.tile(q[0], (20, 1)), v, a)
    np.testing.assert_allclose(robot.inverse_dynamics(q[0], v, a), expected, rtol=1e-13)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_threads_share_the_rows(count, monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 1)
    robot = Robot(robots.model("arm"))
    q, v, a = robots.states(robot, 203)
    set_threads(1)
    expected = robot.inverse_dynamics(q, v, a)
    try:
        set_threads(count)
        assert get_threads() == count
        np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a), expected)
        v[77, 2] = np.nan
        with pytest.raises(ArgumentError, match=r"v is nan at entry 2 .* in row 77"):
            robot.inverse_dynamics(q, v, a)
    finally:
        set_threads(None)
    with pytest.raises(ValueError, match="expected 1 or more"):
        set_threads(0)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    ("name", "entry", "value", "message"),
    [
        ("q", 9, np.nan, "q is nan at entry 9"),
        ("q", 2, -np.inf, "q is -inf at entry 2"),
        ("v", 7, np.inf, "v is inf at entry 7"),
        ("q", 4, 2.0, r"quaternion .* has norm"),
    ],
)
def test_refused_inputs_are_named(name, entry, value, message, batch):
    robot = Robot(robots.model("flying"))
    q, v, _ = robots.states(robot, 30)
    robot.bias_torque(q[0], v[0])  # from here on the builtin is in front
    values = {"q": q, "v": v}
    values[name][17 if batch else 0, min(entry, values[name].shape[1] - 1)] = value
    if values[name].shape[1] <= entry:
        message = message.rsplit(" ", 1)[0]
    with pytest.raises(ArgumentError, match=message):
        robot.bias_torque(*(values if batch else {k: x[0] for k, x in values.items()}).values())


def test_huge_angles_are_left_to_numpy():
    robot = Robot(robots.model("arm"))
    q = np.full(robot.nv, 3e7)
    expected = evaluate(FUNCTIONS["gravity_torque"], robot.model, [q], {})[0]
    np.testing.assert_array_equal(robot.gravity_torque(q), expected)
    np.testing.assert_array_equal(robot.gravity_torque(np.stack([q, q]))[1], expected)


def test_payload_and_gravity_compile_nothing_after_the_first(monkeypatch):
    base = Robot(robots.model("arm"))
    frame = base.frame_names[-1]
    q, v, a = robots.states(base, 9)
    first = base.with_payload(frame, 0.0).with_gravity((0.0, 0.0, 0.0))
    first.inverse_dynamics(q[0], v[0], a[0])
    first.inverse_dynamics(q, v, a)
    from dynamics_core.calls import compiled

    def never(*_):
        raise AssertionError("compiled again")

    monkeypatch.setattr(compiled, "load", never)
    for mass, g in ((1.0, (0.0, 0.0, -9.81)), (2.5, (1.0, -2.0, 3.0))):
        variant = first.with_payload(frame, mass, com=(0.1, 0.2, 0.3)).with_gravity(g)
        expected = evaluate(
            FUNCTIONS["inverse_dynamics"], variant.model, [q, v, a, np.zeros((9, 0))], {}
        )[0]
        assert relative(variant.inverse_dynamics(q, v, a), expected) < 1e-12
        for k in range(3):
            assert relative(variant.inverse_dynamics(q[k], v[k], a[k]), expected[k]) < 1e-12


def test_parameters_for_each_row():
    model = robots.model("arm")
    choice = Parametrisation(gravity=True, bodies=(1, 3))
    rng = np.random.default_rng(5)
    own = np.array(choice.values(model))
    rows = own * rng.uniform(0.8, 1.2, size=(19, own.size))
    q = rng.normal(size=(19, model.nq))
    fn = FUNCTIONS["gravity_torque"]
    function = CompiledFunction(model, choice, fn, {})
    out = np.empty((19, model.nv))
    assert function.batch([q], [out], rows) == -1
    for k in range(19):
        varied = choice.apply(model, list(rows[k]))
        assert relative(out[k], evaluate(fn, varied, [q[k]], {})[0]) < 1e-12
