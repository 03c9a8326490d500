"""PD with feed-forward in the compiled loop, against the same loop written in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from backends import NumpyRobot
from simulation.textbook_robots import GRIPPER, LIMITED, double_chain

from dynamics_core import ArgumentError, Robot
from dynamics_core.simulation import INTEGRATORS, Feedback, Physics, Stepper, rollout, simulate

BASE = """<link name="base"><inertial><mass value="3"/>
    <inertia ixx="0.3" iyy="0.2" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
FLYER = GRIPPER.replace('<link name="base"/>', BASE)
ROBOTS = {
    "chain": lambda: double_chain(LIMITED),
    "follower": lambda: Robot.from_urdf(GRIPPER),
    "flying": lambda: Robot.from_urdf(FLYER, floating_base=True),
}
DT, STEPS = 2e-3, 30


def setting(robot, n=None, implicit=False):
    """Starts, and targets with feed-forward for every step: of one robot, or of n."""
    rng = np.random.default_rng(3)
    rows = () if n is None else (n,)
    q, v = robot.random_state(rng, *rows)
    driven = np.array([j.type.nv == 1 for j in robot.model.joints for _ in j.type.axes])
    feedback = Feedback(
        q=q[..., None, :] + 0.1 * rng.normal(size=(*rows, STEPS, robot.nq)),
        v=rng.normal(size=(*rows, STEPS, robot.nv)),
        tau=rng.normal(size=(*rows, STEPS, robot.nv)),
        kp=driven * rng.uniform(20.0, 60.0, (*rows, robot.nv)),
        kd=driven * rng.uniform(0.1, 0.3, (*rows, robot.nv)),
        implicit=implicit,
    )
    return q, v, feedback


def in_python(robot, q, v, f, physics, substeps=1, f_ext=None):
    """States and torques of the drives after every step; the law stands here once more."""
    dt = DT / substeps
    stepper = Stepper(robot, dt, physics)
    position = [
        j.q_index if j.type.nv == 1 else None for j in robot.model.joints for _ in j.type.axes
    ]
    history = []
    for k in range(STEPS):
        for _ in range(substeps):
            error = np.array([0.0 if i is None else f.q[k, i] - q[i] for i in position])
            tau = f.kp * error + f.kd * (f.v[k] - v) + f.tau[k]
            impedance = f.kd + dt * f.kp if f.implicit else None
            step = stepper.step(q, v, tau, impedance=impedance, f_ext=f_ext)
            q, v = step.q, step.v
        history.append((q, v, step.drive))
    return [np.array(x) for x in zip(*history, strict=True)]


def assert_same(run, expected):
    for got, want in zip((run.q[1:], run.v[1:], run.tau), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_the_loop_is_that_written_in_python(name, implicit, integrator):
    robot, physics = ROBOTS[name](), Physics(integrator)
    q, v, feedback = setting(robot, implicit=implicit)
    expected = in_python(robot, q, v, feedback, physics)
    run = simulate(robot, q, v, seconds=STEPS * DT, dt=DT, tau=feedback, physics=physics)
    assert_same(run, expected)
    if name == "chain":
        effort = np.array([limit.effort for limit in LIMITED])
        assert (np.abs(run.tau) == effort).any()  # some drive is saturated


def test_feedback_is_computed_anew_for_every_substep():
    robot = double_chain()
    q, v, feedback = setting(robot)
    expected = in_python(robot, q, v, feedback, Physics(), substeps=3)
    run = simulate(robot, q, v, seconds=STEPS * DT, dt=DT, tau=feedback, substeps=3)
    assert_same(run, expected)


def test_pushes_that_are_a_function_of_time_go_together_with_feedback():
    robot = double_chain()
    q, v, feedback = setting(robot)
    push = {"l1": [3.0, -2.0, 0.0, 0.0, 0.0, 0.5]}
    expected = in_python(robot, q, v, feedback, Physics(), substeps=2, f_ext=push)
    for f_ext in (push, lambda t, q, v: push):
        run = simulate(
            robot, q, v, seconds=STEPS * DT, dt=DT, tau=feedback, substeps=2, f_ext=f_ext
        )
        assert_same(run, expected)


def test_without_a_compiler_it_is_the_same():
    robot = double_chain(LIMITED)
    q, v, feedback = setting(robot)
    expected = in_python(robot, q, v, feedback, Physics())
    plain = NumpyRobot(robot.model)
    assert_same(simulate(plain, q, v, seconds=STEPS * DT, dt=DT, tau=feedback), expected)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_row_moves_like_a_single_robot(name):
    robot, n = ROBOTS[name](), 11
    q, v, feedback = setting(robot, n)
    runs = rollout(robot, q, v, seconds=STEPS * DT, dt=DT, tau=feedback)
    for k in range(n):
        own = replace(
            feedback, **{x: getattr(feedback, x)[k] for x in ("q", "v", "tau", "kp", "kd")}
        )
        one = simulate(robot, q[k], v[k], seconds=STEPS * DT, dt=DT, tau=own)
        assert_same(one, (runs.q[k, 1:], runs.v[k, 1:], runs.tau[k]))


def test_different_robots_keep_their_own_targets():
    robot, n = double_chain(), 4
    loaded = robot.with_payload("l1", 2.0)
    robots = [robot, loaded, robot, loaded]
    q, v, feedback = setting(robot, n)
    shared = replace(feedback, q=feedback.q[0], v=feedback.v[:, 0], kd=0.2)
    runs = rollout(robots, q, v, seconds=STEPS * DT, dt=DT, tau=shared)
    for k, one in enumerate(robots):
        own = replace(shared, **{x: getattr(shared, x)[k] for x in ("v", "tau", "kp")})
        alone = simulate(one, q[k], v[k], seconds=STEPS * DT, dt=DT, tau=own)
        assert_same(alone, (runs.q[k, 1:], runs.v[k, 1:], runs.tau[k]))


def test_as_many_rows_as_robots_are_one_for_each_robot():
    robot = double_chain()
    targets = np.array([[0.3, -0.2], [0.1, 0.4]])
    follow = Feedback(q=targets, kp=40.0, kd=8.0)
    runs = rollout(robot, np.zeros((2, 2)), seconds=2 * DT, dt=DT, tau=follow)
    for k in range(2):
        one = simulate(robot, seconds=2 * DT, dt=DT, tau=replace(follow, q=targets[k]))
        assert_same(one, (runs.q[k, 1:], runs.v[k, 1:], runs.tau[k]))


def test_held_targets_and_numbers_for_all_joints():
    robot = double_chain()
    held = Feedback(q=[0.3, -0.2], kp=40.0, kd=8.0)
    spelt_out = Feedback(
        q=np.tile([0.3, -0.2], (STEPS, 1)), v=np.zeros((STEPS, 2)), tau=np.zeros(2),
        kp=np.full(2, 40.0), kd=np.full(2, 8.0),
    )  # fmt: skip
    runs = [simulate(robot, seconds=STEPS * DT, dt=DT, tau=f) for f in (held, spelt_out)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    assert np.abs(runs[0].q[-1]).max() > 1e-3


def test_exact_feed_forward_leaves_the_error_of_the_integrator():
    """Inverse dynamics along a motion and weak gains: the error is that of a step, squared."""
    robot, dt = double_chain(), 1e-3
    time = dt * np.arange(2000)[:, None]
    shape = np.array([0.8, -0.5])
    q, v, a = (shape * x for x in (np.sin(2 * time), 2 * np.cos(2 * time), -4 * np.sin(2 * time)))
    errors = {}
    for name, tau in (("with", robot.inverse_dynamics(q, v, a)), ("without", 0.0)):
        follow = Feedback(q=q, v=v, tau=tau, kp=20.0, kd=5.0)
        run = simulate(
            robot, q[0], v[0], seconds=2.0, dt=dt, tau=follow, physics=Physics.ideal("rk4")
        )
        errors[name] = np.abs(run.q[:-1] - q).max()
    assert errors["with"] < 5.0 * dt
    assert errors["without"] > 0.1


def test_implicit_feedback_is_stable_with_any_gains():
    robot = double_chain()
    stiff = Feedback(q=[0.2, 0.1], kp=1e7, kd=1e5, implicit=True)
    run = simulate(robot, seconds=0.5, tau=stiff, physics=Physics.ideal())
    assert run.q[-1] == pytest.approx([0.2, 0.1], abs=1e-3)
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="shorter steps"):
        simulate(robot, seconds=0.5, tau=replace(stiff, implicit=False), physics=Physics.ideal())


def test_a_free_base_has_no_drive():
    robot = ROBOTS["flying"]()
    start = robot.neutral()
    hold = Feedback(q=start, kp=500.0, kd=20.0)  # numbers are for the driven joints
    run = simulate(robot, start, seconds=0.1, tau=hold)
    assert run.q[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=0.02)
    with pytest.raises(ArgumentError, match="kp is not 0 for a planar or floating joint"):
        simulate(robot, start, seconds=0.1, tau=Feedback(q=start, kp=np.ones(robot.nv)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(3)}, r"Feedback: q has shape \(3,\); expected \(2,\) for all the time, or"),
        ({"tau": np.zeros((4, 2))}, r"Feedback: tau has shape \(4, 2\).*\(10, 2\) for each step"),
        ({"kp": np.ones(3)}, r"Feedback: kp has shape \(3,\); expected a number, \(2,\), or"),
        ({"kd": -1.0}, "Feedback: kd must be finite and not negative"),
        ({"kp": np.nan}, "Feedback: kp must be finite"),
        ({"v": [0.0, np.inf]}, "v_target is inf at entry 1"),
    ],
)
def test_what_cannot_be_followed_is_named(change, message):
    with pytest.raises(ArgumentError, match=message):
        simulate(double_chain(), seconds=0.01, tau=replace(Feedback(q=0.0, kp=1.0), **change))
