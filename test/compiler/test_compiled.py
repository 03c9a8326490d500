"""Compiled functions against the same formulas on NumPy: single states, batches, parameters."""

from __future__ import annotations

import numpy as np
import pytest
import robots
from both_paths import compare

from dynamics_core import ArgumentError, Robot
from dynamics_core.calls import CompiledFunction, compiled, get_threads, set_threads, threads
from dynamics_core.compiler import emit_llvm
from dynamics_core.compiler.batch import batch_ir
from dynamics_core.compiler.engine import Library, compile_ir
from dynamics_core.compiler.kernel import kernel_ir
from dynamics_core.functions import FUNCTIONS, Parametrisation, evaluate


def relative(actual, expected):
    unit = np.maximum(np.abs(expected).max(initial=0.0), 1e-9)
    return np.abs(actual - expected).max(initial=0.0) / unit


@pytest.mark.parametrize("kind", robots.KINDS)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_agrees_with_numpy(name, kind):
    missing = compare(name, robots.model(kind), rows=11, batch=True)
    five_ways_to_move = kind in ("driving", "following")
    assert bool(missing) == (name == "operational_space" and five_ways_to_move), missing


@pytest.mark.parametrize("stretch", [1, 16])
def test_a_program_in_stretches_computes_the_same(stretch, monkeypatch):
    monkeypatch.setattr(emit_llvm, "_LONG_PROGRAM", 0)
    monkeypatch.setattr(emit_llvm, "_STRETCH", stretch)
    function = CompiledFunction(
        robots.model("flying"), Parametrisation(), FUNCTIONS["forward_dynamics"], {}
    )
    for text in (kernel_ir(function.program), batch_ir(function.program)):
        assert text.count("call void @llvm.codeview.annotation") > len(function.program.nodes) / 17
    # Not by way of the cache, which does not know that the emitter has been changed.
    monkeypatch.setattr(compiled, "load", lambda key, make_ir: Library(compile_ir(make_ir())))
    q, v, a = robots.states(Robot(function._source[0]), 9)
    out = np.empty((9, v.shape[1]))
    assert function.batch([q, v, a], [out], np.zeros(0)) == -1
    one = np.empty(v.shape[1])
    for row, *state in zip(out, q, v, a, strict=True):
        assert function.single(state, [one], np.zeros(0))
        (expected,) = evaluate(FUNCTIONS["forward_dynamics"], function._source[0], state, {})
        assert relative(one, expected) < 1e-12
        assert relative(row, expected) < 1e-12


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


@pytest.fixture
def every_row_worth_a_thread():
    """However little there is to do; set back, and with it what compiled code goes by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "_WORTH_A_THREAD", 1)
        yield
    set_threads(None)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_threads_share_the_rows(count, every_row_worth_a_thread):
    robot = Robot(robots.model("arm"))
    q, v, a = robots.states(robot, 203)
    set_threads(1)
    expected = robot.inverse_dynamics(q, v, a)
    set_threads(count)
    assert get_threads() == count
    np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a), expected)
    v[77, 2] = np.nan
    with pytest.raises(ArgumentError, match=r"v is nan at entry 2 .* in row 77"):
        robot.inverse_dynamics(q, v, a)


def test_no_thread_is_no_number_of_threads():
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

    # Not by way of the cache, which does not know that the emitter has been changed.
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
