"""Builtins: what they take, what they leave to Python, and how they look to people."""

from __future__ import annotations

import copy
import gc
import inspect
import multiprocessing
import pickle
import pydoc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
import robots

from dynamics_core import ArgumentError, Robot
from dynamics_core.calls import builtin as call_layer
from dynamics_core.calls import compiled

needs_builtins = pytest.mark.skipif(
    not call_layer.available(), reason="no builtins on this Python: calls go through ctypes"
)


@pytest.fixture
def robot() -> Robot:
    robot = Robot(robots.model("arm"))
    robot.compile("inverse_dynamics", "mass_matrix")
    return robot


@pytest.fixture
def state(robot):
    return [np.ascontiguousarray(x[0]) for x in robots.states(robot, 1)]


@needs_builtins
def test_this_python_has_builtins(robot):
    assert isinstance(robot.inverse_dynamics, type(len))


def test_documentation_and_signature_are_those_of_the_method(robot):
    method = Robot.inverse_dynamics
    expected = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    shown = list(inspect.signature(robot.inverse_dynamics).parameters.values())
    assert [(p.name, p.kind, p.default) for p in shown] == [
        (p.name, p.kind, p.default) for p in expected
    ]
    assert inspect.getdoc(robot.inverse_dynamics) == inspect.getdoc(method)
    assert robot.inverse_dynamics.__name__ == "inverse_dynamics"
    text = pydoc.plain(pydoc.render_doc(robot.inverse_dynamics))
    assert "inverse_dynamics(q, v, a, *, f_ext=None" in text
    assert "recursive Newton-Euler" in text
    assert "inverse_dynamics" in dir(robot)


@needs_builtins
def test_only_the_usual_call_stays_in_compiled_code(state):
    """Whatever else comes goes to the Python function, with the very same arguments."""
    model = robots.model("arm")
    function = compiled.CompiledFunction(
        model, compiled.Parametrisation(), compiled_function("inverse_dynamics"), {}
    )
    calls = []

    def slow(*args, **keywords):
        calls.append((args, keywords))
        return "slow"

    fast = function.builtin(slow, np.zeros(0))
    q, v, a = state
    out = np.empty(model.nv)
    for arguments, keywords in [((q, v, a), {}), ((q, v, a), {"out": out})]:
        assert isinstance(fast(*arguments, **keywords), np.ndarray)
    assert not calls
    matrix = np.zeros((model.nv, model.nv))
    read_only = q.copy()
    read_only.flags.writeable = False
    assert isinstance(fast(read_only, v, a), np.ndarray)
    unusual = [
        ((), {}), ((q, v), {}), ((q, v, a, a), {}), ((q, v, a), {"f_ext": None}),
        ((q, v, a), {"out": None}), ((q, v), {"a": a}), ((q, v, a), {"out": out, "f_ext": {}}),
        ((list(q), v, a), {}), ((q.astype("f4"), v, a), {}), ((q.astype(">f8"), v, a), {}),
        ((q[None], v, a), {}), ((q[:-1], v, a), {}), ((q[::-1], v, a), {}), ((None, v, a), {}),
        ((q, v, a), {"out": read_only}), ((q, v, a), {"out": matrix[:, 0]}),
        ((q, v, a), {"out": matrix}), ((q, v, a), {"out": out[:-1]}), ((q, v, a), {"out": q}),
        ((q, v, a), {"ou" + "t": out.astype("f4")}), ((q, v, a * np.nan), {}),
        ((q, v, a * np.inf), {"out": out}), ((q.view(type("Sub", (np.ndarray,), {})), v, a), {}),
    ]  # fmt: skip
    for arguments, keywords in unusual:
        assert fast(*arguments, **keywords) == "slow"
        seen, named = calls.pop()
        assert all(x is y for x, y in zip(seen, arguments, strict=True))
        assert named.keys() == keywords.keys()
        assert all(named[k] is keywords[k] for k in keywords)
    both = np.zeros(2 * model.nv)
    for shift in range(1, 2 * model.nv):  # an output that overlaps an input, byte by byte
        part = both[: model.nv]
        target = np.frombuffer(both.data, np.float64, model.nv, 8 * min(shift, model.nv))
        disjoint = shift >= model.nv
        assert (fast(part, v, a, out=target) is target) == disjoint


@needs_builtins
@pytest.mark.parametrize("rows", [(), (5,)])
def test_a_tuple_of_outputs_stays_in_compiled_code(rows):
    model = robots.model("arm")
    function = compiled.CompiledFunction(
        model, compiled.Parametrisation(), compiled_function("inverse_dynamics_derivatives"), {}
    )
    function.prepare(batch=True)
    fast = function.builtin(lambda *_, **__: "slow", np.zeros(0))
    x = np.random.default_rng(0).normal(size=(3, *rows, model.nv))
    shape = (*rows, model.nv, model.nv)
    out = tuple(np.full((3, *shape), np.nan))
    assert fast(*x, out=out) is out
    for got, want in zip(out, fast(*x), strict=True):
        np.testing.assert_array_equal(got, want)
    read_only = np.empty(shape)
    read_only.flags.writeable = False
    both = np.zeros(x[0].size + out[0].size)  # an output that begins where an input does
    part, overlapping = both[: x[0].size].reshape(x[0].shape), both[: out[0].size].reshape(shape)
    kind = type("Sub", (tuple,), {})
    for inputs, given in [
        (x, list(out)), (x, out[:2]), (x, (*out, out[0])), (x, (*out[:2], None)), (x, kind(out)),
        (x, (*out[:2], read_only)), (x, (*out[:2], np.empty(shape[1:]))), (x, np.stack(out)),
        ([part, *x[1:]], (*out[:2], overlapping)), (x * np.nan, out),
    ]:  # fmt: skip
        assert fast(*inputs, out=given) == "slow"


def compiled_function(name):
    from dynamics_core.functions import FUNCTIONS

    return FUNCTIONS[name]


def test_an_error_of_the_slow_way_comes_through(robot, state):
    q, v, a = state
    with pytest.raises(ArgumentError, match=r"q has shape \(6,\); robot .* needs \(7,\)"):
        robot.inverse_dynamics(q[:-1], v, a)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        robot.inverse_dynamics(q, v, a, foo=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        robot.inverse_dynamics(q, v)


def test_results_that_are_kept_do_not_change(robot, state):
    q, v, a = state
    kept, views, values = [], [], []
    for k in range(50):
        result = robot.inverse_dynamics(q + 0.1 * k, v, a)
        values.append(result.copy())
        (kept if k % 3 == 0 else views).append(result if k % 3 == 0 else result[1:])
    for array, value in zip(kept, values[::3], strict=True):
        np.testing.assert_array_equal(array, value)
    others = [value for k, value in enumerate(values) if k % 3]
    for view, value in zip(views, others, strict=True):
        np.testing.assert_array_equal(view, value[1:])
    assert len({x.ctypes.data for x in kept}) == len(kept)


@pytest.mark.filterwarnings("ignore:Setting the")
def test_a_spare_array_that_was_tampered_with_is_not_used(robot, state):
    q, v, a = state
    expected = robot.inverse_dynamics(q, v, a).copy()
    for spoil in (
        lambda x: setattr(x, "shape", (1, x.size)),
        lambda x: x.setflags(write=False),
        lambda x: setattr(x, "dtype", np.int64),
        lambda x: setattr(x, "strides", (0,)),
    ):
        for _ in range(4):
            result = robot.inverse_dynamics(q, v, a)
            spoil(result)
            del result
        result = robot.inverse_dynamics(q, v, a)
        assert result.shape == expected.shape
        assert result.flags.writeable
        np.testing.assert_array_equal(result, expected)


def test_copies_and_pickles_compute_the_same(robot, state):
    q, v, a = state
    expected = robot.inverse_dynamics(q, v, a).copy()
    loaded = robot.with_payload(robot.frame_names[-1], 1.0)
    heavier = loaded.inverse_dynamics(q, v, a).copy()
    for clone in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        np.testing.assert_array_equal(clone.inverse_dynamics(q, v, a), expected)
        np.testing.assert_array_equal(clone.inverse_dynamics(q, v, a), expected)
    clone = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(clone.inverse_dynamics(q, v, a), heavier)
    arrays = pickle.loads(pickle.dumps(state))
    np.testing.assert_array_equal(robot.inverse_dynamics(*arrays), expected)


@pytest.mark.parametrize("start", multiprocessing.get_all_start_methods())
def test_other_processes_compute_the_same(robot, state, start):
    expected = robot.inverse_dynamics(*state)
    with multiprocessing.get_context(start).Pool(2) as pool:
        results = [pool.apply_async(_run, (robot, state)) for _ in range(4)]
        for result in results:
            np.testing.assert_array_equal(result.get(60), expected)


def _run(robot, state):
    return robot.inverse_dynamics(*state)


def test_a_robot_goes_when_nobody_needs_it(state):
    robot = Robot(robots.model("arm"))
    function = robot.inverse_dynamics
    robot.inverse_dynamics(*state)
    function = robot.inverse_dynamics
    gone = weakref.ref(robot)
    expected = robot.inverse_dynamics(*state)
    del robot
    gc.collect()
    np.testing.assert_array_equal(function(*state), expected)  # the builtin keeps what it needs
    del function
    gc.collect()
    assert gone() is None


def test_references_are_balanced(robot, state):
    q, v, a = state
    out = np.empty(robot.nv)
    tracked = [q, v, a, out, np.ndarray]
    before = [sys.getrefcount(x) for x in tracked]
    for _ in range(1000):
        robot.inverse_dynamics(q, v, a, out=out)
        robot.inverse_dynamics(q, v, a)
        keep = [robot.inverse_dynamics(q, v, a) for _ in range(4)]
        with pytest.raises(ArgumentError):
            robot.inverse_dynamics(q, v, a * np.nan)
        del keep
    gc.collect()  # the errors' tracebacks
    after = [sys.getrefcount(x) for x in tracked]
    assert max(abs(x - y) for x, y in zip(before, after, strict=True)) < 20


def test_many_threads_call_at_once(robot, state):
    q, v, a = state
    want = [robot.inverse_dynamics(q + k, v, a).copy() for k in range(8)]
    wrong = []

    def work(k):
        x = q + k
        for _ in range(3000):
            if not np.array_equal(robot.inverse_dynamics(x, v, a), want[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_without_builtins_calls_go_through_ctypes(monkeypatch, state):
    expected = Robot(robots.model("arm")).inverse_dynamics(*state)
    monkeypatch.setattr(compiled, "available", lambda: False)
    robot = Robot(robots.model("arm"))
    out = np.empty(robot.nv)
    for _ in range(2):
        np.testing.assert_array_equal(robot.inverse_dynamics(*state), expected)
        assert robot.inverse_dynamics(*state, out=out) is out
        np.testing.assert_array_equal(out, expected)
    assert not isinstance(robot.inverse_dynamics, type(len))
    with pytest.raises(ArgumentError, match="q is nan"):
        robot.inverse_dynamics(state[0] * np.nan, *state[1:])


def test_the_probe_says_no_where_an_assumption_fails(monkeypatch):
    call_layer.available.cache_clear()
    try:
        for name, value in (("DATA", 24), ("FLAGS", 56), ("DESCR_KIND", 16), ("NDIM", 32)):
            with monkeypatch.context() as patch:
                patch.setattr(call_layer, name, value)
                assert not call_layer.available()
                call_layer.available.cache_clear()
    finally:
        call_layer.available.cache_clear()


def test_fuzz():
    """Twenty thousand calls with odd arguments, in a process of its own."""
    script = Path(__file__).with_name("fuzz_calls.py")
    run = subprocess.run(
        [sys.executable, str(script), "20000"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "'right': 1" in run.stdout


def test_memory_does_not_grow():
    """Two hundred thousand calls of every kind, measured after the first tenth."""
    script = Path(__file__).with_name("memory_of_calls.py")
    run = subprocess.run(
        [sys.executable, str(script), "200000"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert int(run.stdout.splitlines()[-1]) < 600, f"kB: {run.stdout}"
