"""External torques and wrenches against simulated pushes."""

import numpy as np
import pytest
from arms import arm, rotation, simulate

from dynamics_core import ArgumentError
from dynamics_core.control import GravityCompensation, JointFriction, JointSelection
from dynamics_core.estimation import (
    ExternalTorqueObserver,
    LowPass,
    Tare,
    TareError,
    WrenchSolver,
    expressed_in,
    moved_to,
    soft_deadband,
)

Q = np.array([0.3, -0.8, 1.1, 0.4, -0.6, 0.9])
PUSH = np.array([10.0, -5.0, 8.0, 0.5, -1.0, 0.3])


def observe(robot, rows, period, **options):
    """The observed torque at every row of a recorded motion."""
    observer = ExternalTorqueObserver(robot, **options)
    return np.array([observer.step(q, v, tau, period) for q, v, tau in zip(*rows, strict=True)])


def wave(t, q, v):
    return 8.0 * np.array([1.0, -1.0, 1.0, 0.5, 0.5, 0.2]) * np.sin(7.0 * t)


def test_a_free_motion_shows_no_external_torque():
    robot = arm()
    free = GravityCompensation(robot, JointSelection(robot))
    rows = simulate(robot, Q, np.zeros(6), lambda t, q, v: free.step(q, v) + wave(t, q, v), 0.4)
    assert np.abs(rows[1]).max() > 0.5
    observed = observe(robot, rows, 0.001)
    # The torque of a sample acts until the next one; the observer takes the mean of both.
    assert np.abs(observed).max() < 0.1
    static = observe(robot, rows, 0.001, method="static")
    assert np.abs(static).max() > 3.0


def test_the_residual_is_the_external_torque_behind_a_low_pass():
    robot = arm()
    free = GravityCompensation(robot, JointSelection(robot))
    rows = simulate(
        robot,
        Q,
        np.zeros(6),
        lambda t, q, v: free.step(q, v) - 20.0 * v,
        0.3,
        push=lambda t: {"tool": PUSH} if t >= 0.1 else {},
    )
    observed = observe(robot, rows, 0.001, bandwidth=20.0)
    true = np.array([robot.jacobian(q, "tool", "local").T @ PUSH for q in rows[0]])
    true[:101] = 0.0  # the push of sample 100 has moved nothing before sample 101
    wanted, y = [], np.zeros(6)
    for value in true:
        y = y + (1.0 - np.exp(-2.0 * np.pi * 20.0 * 0.001)) * (value - y)
        wanted.append(y)
    assert observed == pytest.approx(np.array(wanted), abs=0.15)
    assert observed[-1] == pytest.approx(true[-1], abs=0.1)


def test_friction_is_taken_out_where_it_is_known():
    robot = arm(2)
    friction = JointFriction([2.0, 1.0], [1.0, 0.5], 0.01)
    free = GravityCompensation(robot, JointSelection(robot))
    rows = simulate(
        robot,
        Q[:2],
        np.zeros(2),
        lambda t, q, v: free.step(q, v) + wave(t, q, v)[:2],
        0.3,
        resistance=friction.torque,
        period=0.0005,
    )
    observer = ExternalTorqueObserver(robot)
    without = observe(robot, rows, 0.0005)
    observer.friction = friction
    with_it = np.array([observer.step(*row, 0.0005) for row in zip(*rows, strict=True)])
    assert np.abs(without).max() > 1.0
    assert np.abs(with_it).max() < 0.1 * np.abs(without).max()


def test_an_effort_without_gravity_is_understood():
    robot = arm()
    observer = ExternalTorqueObserver(robot)
    observer.effort_includes_gravity = False
    rest = np.zeros(6)
    torque = robot.jacobian(Q, "tool", "local").T @ PUSH
    # At rest the motors resist the push.
    assert observer.step(Q, rest, -torque, 0.001) == pytest.approx(torque)


def test_a_reset_starts_from_what_is_seen():
    robot = arm()
    observer = ExternalTorqueObserver(robot)
    rest, g = np.zeros(6), robot.gravity_torque(Q)
    for _ in range(10):
        observer.step(Q, rest, g - 5.0, 0.001)
    assert observer.torque == pytest.approx(np.full(6, 5.0))
    observer.reset()
    assert observer.step(Q, rest, g, 1e9) == pytest.approx(rest)


def test_the_wrench_is_exact_away_from_singularities():
    robot = arm(7)
    q = np.append(Q, 0.2)
    jacobian = robot.jacobian(q, "tool", "local")
    estimate = WrenchSolver(threshold=0.01).solve(jacobian, jacobian.T @ PUSH)
    assert estimate.complete
    assert estimate.wrench == pytest.approx(PUSH, rel=1e-9)


def test_near_a_singularity_the_rest_stays_right_and_the_lack_is_told():
    rng = np.random.default_rng(3)
    u, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    v, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    scale = np.array([1, 1, 1, 0.3, 0.3, 0.3])
    for smallest in (0.04, 1e-3, 1e-9, 0.0):
        values = np.array([1.0, 0.8, 0.6, 0.5, 0.4, smallest])
        jacobian = ((u * values) @ v.T / scale).T
        estimate = WrenchSolver(threshold=0.05, damping=0.05).solve(jacobian, jacobian.T @ PUSH)
        assert estimate.observable == 5
        assert not estimate.complete
        assert estimate.singular_values == pytest.approx(values)
        hidden = scale * v[:, 5]
        assert abs(estimate.unobservable[0] @ hidden) == pytest.approx(np.linalg.norm(hidden))
        # In scaled coordinates, what is observable comes out exactly, and the rest only fades.
        error = v.T @ ((estimate.wrench - PUSH) / scale)
        assert error[:5] == pytest.approx(np.zeros(5), abs=1e-9)
        assert abs(error[5]) <= abs(v[:, 5] @ (PUSH / scale)) + 1e-9
        noise = 0.1 * u[:, 5]
        noisy = WrenchSolver(threshold=0.05, damping=0.05).solve(
            jacobian, jacobian.T @ PUSH + noise
        )
        assert np.linalg.norm((noisy.wrench - estimate.wrench) / scale) < 0.1 / 0.05 + 1e-9


def test_an_arm_with_two_joints_estimates_the_components_asked_for():
    robot = arm(2)
    jacobian = robot.jacobian(Q[:2], "tool", "local")
    push = np.array([3.0, 0.0, -2.0, 0.0, 0.0, 0.0])
    known = WrenchSolver(("fx", "fz"), threshold=1e-3, damping=1e-3)
    estimate = known.solve(jacobian, jacobian.T @ push)
    assert estimate.wrench == pytest.approx(push)
    six = WrenchSolver().solve(jacobian, jacobian.T @ push)
    assert (six.observable, six.wanted) == (2, 6)
    assert six.unobservable.shape == (4, 6)
    with pytest.raises(ArgumentError, match="fx, fy, fz, tx, ty, tz"):
        WrenchSolver(("fx", "force"))


def test_moving_and_turning_a_wrench_keeps_its_power():
    rng = np.random.default_rng(5)
    wrench, offset, turn = rng.normal(size=6), rng.normal(size=3), rotation(rng.normal(size=3))
    linear, angular = rng.normal(size=3), rng.normal(size=3)
    power = wrench @ np.concatenate([linear, angular])
    there = np.concatenate([linear + np.cross(angular, offset), angular])
    assert moved_to(wrench, offset) @ there == pytest.approx(power)
    turned = np.concatenate([turn.T @ linear, turn.T @ angular])
    assert expressed_in(wrench, turn) @ turned == pytest.approx(power)
    # A force of 1 N along y acts 1 m ahead along x: about the origin it turns about +z.
    lever = moved_to(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]))
    assert lever == pytest.approx([0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


def test_taring_takes_the_mean_at_rest_and_refuses_in_motion():
    tare = Tare(2, window=0.5, max_speed=0.02)
    with pytest.raises(TareError, match=r"0\.5 s are needed"):
        tare.take()
    for k in range(101):
        tare.add(np.array([1.0, -2.0]) + 0.1 * (-1) ** k, 0.0, 0.01 * k)
    count = tare.take()
    assert count in (50, 51)
    assert tare.offset == pytest.approx([1.0, -2.0], abs=0.01)
    assert tare.add(np.array([4.0, -2.0]), 0.5, 1.01) == pytest.approx([3.0, 0.0], abs=0.01)
    with pytest.raises(TareError, match=r"moved at up to 0\.5"):
        tare.take()
    tare.forget()
    with pytest.raises(TareError):
        tare.take()


def test_the_low_pass_has_its_cut_off_and_does_not_depend_on_the_rate():
    for dt in (0.01, 0.001):
        low = LowPass(2.0)
        low.step(np.zeros(1), dt)
        for _ in range(round(0.1 / dt)):
            value = low.step(np.ones(1), dt)
        assert value == pytest.approx(1.0 - np.exp(-2.0 * np.pi * 2.0 * 0.1))
    off = LowPass(0.0)
    off.step(np.zeros(1), 0.01)
    assert off.step(np.ones(1), 0.01).tolist() == [1.0]


def test_the_deadband_has_no_step_at_its_edge():
    width = np.array([2.0, 2.0, 0.5, 0.0])
    value = soft_deadband(np.array([1.9, -2.1, 1.5, 0.3]), width)
    assert value == pytest.approx([0.0, -0.1, 1.0, 0.3])
