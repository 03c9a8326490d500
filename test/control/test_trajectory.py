"""Trajectories: what is refused, and the motion between points."""

import numpy as np
import pytest
from arms import arm

from dynamics_core.control import (
    InverseDynamicsControl,
    JointSelection,
    JointTrajectory,
    TrajectoryError,
    TrajectoryPoint,
    annotate,
)

ROBOT = arm(2)
JOINTS = JointSelection(ROBOT)
NAMES = ("joint_1", "joint_2")
REST = (np.zeros(2), np.zeros(2), np.zeros(2))


def trajectory(points, names=NAMES, start=REST, **options) -> JointTrajectory:
    return JointTrajectory(ROBOT, JOINTS, names, points, start, **options)


def test_points_with_positions_only_are_joined_by_lines():
    t = trajectory([TrajectoryPoint(1.0, (0.5, -1.0)), TrajectoryPoint(3.0, (1.5, 1.0))])
    q, v, a = t.sample(0.5)
    assert q == pytest.approx([0.25, -0.5])
    assert v == pytest.approx([0.5, -1.0])
    assert a.tolist() == [0.0, 0.0]
    assert t.sample(2.0)[0] == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("degree", [3, 5])
def test_a_polynomial_of_the_right_degree_is_reproduced(degree):
    rng = np.random.default_rng(degree)
    c = 0.1 * rng.normal(size=(degree + 1, 2))

    def motion(t: float):
        rows = [np.polynomial.polynomial.polyder(c, k) for k in range(3)]
        return [np.polynomial.polynomial.polyval(t, r) for r in rows]

    times = (0.0, 0.4, 1.5)
    points = []
    for time in times:
        q, v, a = motion(time)
        points.append(TrajectoryPoint(time, q, v, a if degree == 5 else ()))
    t = trajectory(points, allow_end_velocity=True)
    for time in np.linspace(0.0, 1.49, 30):
        for got, wanted in zip(t.sample(float(time)), motion(float(time)), strict=True):
            assert got == pytest.approx(wanted, abs=1e-12)


def test_many_samples_are_the_same_as_one_by_one():
    points = [
        TrajectoryPoint(0.5, (0.5, -1.0), (0.1, 0.2), (0.3, 0.0)),
        TrajectoryPoint(1.5, (1.0, 0.0), (0.0, 0.0), (1.0, -1.0)),
        TrajectoryPoint(2.0, (1.0, 0.5)),
    ]
    t = trajectory(points)
    times = np.linspace(-0.2, 2.3, 101)
    many = t.samples(times)
    for k, time in enumerate(times):
        for got, one in zip(many, t.sample(float(time)), strict=True):
            assert got[k] == pytest.approx(one, abs=1e-13)


def test_it_sets_out_from_the_start_and_rests_at_the_goal():
    start = (np.array([0.2, -0.1]), np.array([0.3, 0.0]), np.zeros(2))
    t = trajectory([TrajectoryPoint(1.0, (1.0, 1.0), (0.0, 0.0), (0.0, 0.0))], start=start)
    assert t.sample(0.0)[0] == pytest.approx(start[0])
    assert t.sample(0.0)[1] == pytest.approx(start[1])
    q, v, a = t.sample(7.0)
    assert q.tolist() == [1.0, 1.0]
    assert v.tolist() == a.tolist() == [0.0, 0.0]


def test_joints_come_in_any_order_and_others_keep_their_place():
    points = [TrajectoryPoint(1.0, (1.0, -1.0), (0.0, 0.0))]
    assert trajectory(points, ("joint_2", "joint_1")).goal.tolist() == [-1.0, 1.0]
    start = (np.array([0.4, 0.6]), np.array([0.5, 0.5]), np.zeros(2))
    part = trajectory([TrajectoryPoint(1.0, (1.0,), (0.0,))], ("joint_2",), start)
    assert part.goal.tolist() == [0.4, 1.0]
    assert part.samples(np.linspace(0.0, 1.0, 11))[0][:, 0] == pytest.approx(np.full(11, 0.4))


P = TrajectoryPoint
NAN = float("nan")


@pytest.mark.parametrize(
    ("points", "names", "message"),
    [
        ([P(1.0, (0.0, 0.0))], ("joint_1", "elbow"), "joint 'elbow', unknown here"),
        ([P(1.0, (0.0, 0.0))], ("joint_1", "joint1"), "did you mean 'joint_1'"),
        ([P(1.0, (0.0, 0.0))], ("joint_1", "joint_1"), "'joint_1' twice"),
        ([P(1.0, (0.0, 0.0))], (), "names no joints"),
        ([], NAMES, "no points"),
        ([P(1.0, (0.0,))], NAMES, "point 0 has 1 positions for 2 joints"),
        ([P(1.0, (0.0, 0.0), (0.0,))], NAMES, "point 0 has 1 velocities for 2 joints"),
        ([P(1.0, ())], NAMES, "point 0 has 0 positions"),
        ([P(1.0, (0.0, 0.0)), P(1.0, (0.1, 0.0))], NAMES, "point 1 .* not after the 1 s"),
        ([P(1.0, (0.0, 0.0)), P(0.5, (0.1, 0.0))], NAMES, "point 1 .* not after the 1 s"),
        ([P(-1.0, (0.0, 0.0))], NAMES, "point 0 has time_from_start -1"),
        ([P(1.0, (0.0, NAN))], NAMES, "nan in positions of joint 'joint_2'"),
        ([P(1.0, (0.0, 0.0), (NAN, 0.0))], NAMES, "nan in velocities of joint 'joint_1'"),
        ([P(1.0, (0.0, 5.0))], NAMES, "5 in positions of joint 'joint_2', outside its limits"),
        ([P(1.0, (0.0, 0.0), (0.0, 0.2))], NAMES, "velocity 0.2 of joint 'joint_2'"),
        ([P(1.0, (0.0, 0.0), (), (0.0, 0.0))], NAMES, "accelerations but no velocities"),
    ],
)
def test_a_trajectory_that_cannot_be_followed_is_refused_in_words(points, names, message):
    with pytest.raises(TrajectoryError, match=message):
        trajectory(points, names)


def test_a_velocity_beyond_the_limit_is_told():
    fast = trajectory([TrajectoryPoint(1.0, (2.5, 0.1))])
    assert fast.too_fast(ROBOT, JOINTS) == ["joint 'joint_1' reaches 2.5 of at most 2"]
    assert trajectory([TrajectoryPoint(2.0, (2.5, 0.1))]).too_fast(ROBOT, JOINTS) == []


def test_dense_times_hold_the_points_and_no_longer_gap():
    t = trajectory([TrajectoryPoint(0.33, (0.1, 0.1)), TrajectoryPoint(1.0, (0.2, 0.0))])
    times = t.dense_times(0.1)
    assert np.diff(times).max() <= 0.1 + 1e-12
    assert {0.0, 0.33, 1.0} <= set(times.tolist())
    assert (np.diff(times) > 0.0).all()


def test_annotation_holds_the_torque_of_every_point_and_rest_at_the_end():
    points = [
        TrajectoryPoint(0.5, (0.5, -1.0), (0.4, 0.2), (0.3, 0.0)),
        TrajectoryPoint(1.0, (1.0, 0.5), (0.0, 0.0), (2.0, 2.0)),
    ]
    t = trajectory(points)
    control = InverseDynamicsControl(ROBOT, JOINTS)
    dense = annotate(t, control, np.zeros(2), np.full(2, 1e3), 0.01)
    rows = (dense.positions, dense.velocities, dense.accelerations)
    assert dense.efforts == pytest.approx(ROBOT.inverse_dynamics(*rows))
    assert dense.efforts[-1] == pytest.approx(ROBOT.gravity_torque(t.goal))
    assert not dense.clipped.any()
    cut = annotate(t, control, np.zeros(2), np.array([1e3, 0.5]), 0.01)
    assert cut.clipped.tolist() == [False, True]
    assert np.abs(cut.efforts[:, 1]).max() == 0.5
    with pytest.raises(TrajectoryError, match="longer period"):
        annotate(t, control, np.zeros(2), np.full(2, 1e3), 1e-6)
