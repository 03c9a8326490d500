"""Step functions run many times in compiled code, against steps made one by one on NumPy."""

from __future__ import annotations

import numpy as np
import programs
import pytest
import robots

from dynamics_core import ArgumentError, Robot
from dynamics_core.functions import FUNCTIONS, evaluate
from dynamics_core.robot.repetition import repeat
from dynamics_core.simulation import Physics, Stepper
from dynamics_core.simulation.step import INTEGRATORS


class NumpyRobot(Robot):
    """A robot that is never compiled."""

    def _compiled_function(self, name, options):
        return None


def setting(kind, integrator, robot_type=Robot):
    robot = robot_type(robots.model(kind))
    stepper = Stepper(robot, 1e-3, Physics.ideal(integrator))
    rest = {"impedance": np.zeros(robot.nv), **stepper._constants}
    return robot, rest, stepper._options


def one_by_one(kind, integrator, q, v, tau):
    """States after each row of tau."""
    robot, rest, options = setting(kind, integrator)
    fn = FUNCTIONS["simulation_step"]
    states = []
    for row in tau:
        given = {"q": q, "v": v, "tau": row, **rest, "wrenches": np.zeros(0)}
        q, v = evaluate(fn, robot.model, [given[k] for k in fn.inputs], options)[:2]
        states.append((q, v))
    return [np.stack(x) for x in zip(*states, strict=True)]


@pytest.mark.parametrize("robot_type", [Robot, NumpyRobot])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("kind", robots.KINDS)
def test_a_trajectory(kind, integrator, robot_type):
    robot, rest, options = setting(kind, integrator, robot_type)
    q, v, _ = (x[0] for x in robots.states(robot, 1))
    tau = np.random.default_rng(2).normal(size=(12, robot.nv))
    want_q, want_v = one_by_one(kind, integrator, q, v, tau)
    inputs = {"q": q, "v": v, "tau": tau, **rest}
    got = repeat(robot, "simulation_step", inputs, options, varying={"tau"}, times=12)
    np.testing.assert_allclose(got[0], want_q, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(got[1], want_v, rtol=1e-9, atol=1e-10)
    assert np.abs(got[0][-1] - q).max() > 1e-6


@pytest.mark.parametrize("n", [1, 9])
def test_next_states_are_all_made_of_present_ones(n):
    """A register that shifts round: an entry written too early would be read as the next one."""
    shift = programs.compiled(5, 5, lambda x: [*x[1:], x[0]], output="x")
    x = np.arange(5.0) + 10.0 * np.arange(n)[:, None]
    states = np.empty((n, 3, 5))
    assert shift.repeat(("x",), [x], [states], np.zeros(0), repeats=2) == -1
    for k in range(3):
        np.testing.assert_array_equal(states[:, k], np.roll(x, -2 * (k + 1), axis=1))


@pytest.mark.parametrize("robot_type", [Robot, NumpyRobot])
@pytest.mark.parametrize("n", [1, 3, 8, 21])
def test_many_robots_with_held_torques(n, robot_type):
    robot, rest, options = setting("flying", "semi_implicit_euler", robot_type)
    q, v, tau = robots.states(robot, n)
    rest["damping"] = np.random.default_rng(0).uniform(size=(n, robot.nv))
    inputs = {"q": q, "v": v, "tau": tau, **rest}
    got = repeat(robot, "simulation_step", inputs, options, times=3, repeats=5)
    assert got[0].shape == (n, 3, robot.nq)
    for k in range(n):
        alone = {"q": q[k], "v": v[k], "tau": tau[k], **rest, "damping": rest["damping"][k]}
        every = repeat(robot, "simulation_step", alone, options, times=15)
        for many, one in zip(got, every, strict=True):
            np.testing.assert_allclose(many[k], one[4::5], rtol=1e-9, atol=1e-10)


def test_many_robots_with_their_own_torques_over_time():
    robot, rest, options = setting("arm", "semi_implicit_euler")
    q, v, _ = robots.states(robot, 10)
    tau = np.random.default_rng(1).normal(size=(10, 6, robot.nv))
    inputs = {"q": q, "v": v, "tau": tau, **rest}
    got = repeat(robot, "simulation_step", inputs, options, varying={"tau"}, times=6)
    for k in (0, 7, 9):
        want_q, want_v = one_by_one("arm", "semi_implicit_euler", q[k], v[k], tau[k])
        np.testing.assert_allclose(got[0][k], want_q, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(got[1][k], want_v, rtol=1e-9, atol=1e-10)


def test_payload_is_an_input_of_the_loop():
    robot, rest, options = setting("arm", "semi_implicit_euler")
    q, v, tau = (x[0] for x in robots.states(robot, 1))
    inputs = {"q": q, "v": v, "tau": tau, **rest}
    heavy = robot.with_payload(robot.frame_names[-1], 3.0, com=(0.1, 0.0, 0.2))
    fixed = Robot(heavy.model)
    for many in (False, True):
        if many:
            inputs = {k: np.tile(x, (9, 1)) for k, x in inputs.items()}
        got = repeat(heavy, "simulation_step", inputs, options, repeats=20)
        same = repeat(fixed, "simulation_step", inputs, options, repeats=20)
        np.testing.assert_allclose(got[0], same[0], rtol=1e-10, atol=1e-12)
        light = repeat(robot, "simulation_step", inputs, options, repeats=20)
        assert np.abs(got[0] - light[0]).max() > 1e-6


@pytest.mark.parametrize("robot_type", [Robot, NumpyRobot])
@pytest.mark.parametrize("n", [None, 9])
def test_a_state_that_explodes_is_an_error(robot_type, n):
    robot, rest, options = setting("flying", "explicit_euler", robot_type)
    q, v, tau = (x[0] for x in robots.states(robot, 1))
    rest["dt"] = np.array([10.0])
    inputs = {"q": q, "v": 1e3 * v, "tau": tau, **rest}
    if n:
        inputs["q"] = np.tile(q, (n, 1))
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="shorter steps"):
        repeat(robot, "simulation_step", inputs, options, times=60)


def test_wrong_shapes_are_named():
    robot, rest, options = setting("arm", "semi_implicit_euler")
    q, v, tau = (x[0] for x in robots.states(robot, 1))
    inputs = {"q": q, "v": v, "tau": tau, **rest}

    def run(change, **keywords):
        repeat(robot, "simulation_step", {**inputs, **change}, options, **keywords)

    with pytest.raises(ArgumentError, match=r"tau has shape \(7,\).*needs \(4, 7\), or \(N, 4, 7"):
        run({}, varying={"tau"}, times=4)
    with pytest.raises(ArgumentError, match=r"q has shape \(8,\)"):
        run({"q": np.zeros(8)})
    with pytest.raises(ArgumentError, match="different numbers of robots"):
        run({"q": np.zeros((3, 7)), "v": np.zeros((4, 7))})
    with pytest.raises(ArgumentError, match="v is nan at entry 0"):
        run({"v": v * np.nan})
    with pytest.raises(ArgumentError, match="repeats 0"):
        run({}, repeats=0)
