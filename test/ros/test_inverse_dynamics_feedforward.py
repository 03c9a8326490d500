"""The feed-forward node as a process: following, annotating, refusing."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.ros

NODE = "inverse_dynamics_feedforward"
PARAMETERS = {"ramp_time": 0.1, "kp": [200.0, 20.0], "kd": [27.0, 2.7]}


def trajectory(points, names=("joint_1", "joint_2")) -> JointTrajectory:
    message = JointTrajectory(joint_names=list(names))
    for time, *fields in points:
        point = JointTrajectoryPoint(time_from_start=Duration(seconds=time).to_msg())
        for field, values in zip(
            ("positions", "velocities", "accelerations"), fields, strict=False
        ):
            setattr(point, field, [float(x) for x in values])
        message.points.append(point)
    return message


@pytest.fixture
def arm(launch):
    """A node that holds its robot, what it annotated, and how to send it a trajectory."""

    def begin(parameters=()):
        process, robot = launch(NODE, {**PARAMETERS, **dict(parameters)})
        robot.annotated = []
        robot.hear(JointTrajectory, "annotated_trajectory", robot.annotated.append)
        publisher = robot.publisher(JointTrajectory, "joint_trajectory")
        robot.send = functools.partial(robot.deliver, publisher)
        return process, robot

    return begin


def test_it_follows_a_trajectory_and_holds_the_goal(arm):
    # Soft enough for the delays of a busy machine, stiffer than gravity's own slope, without
    # which g(q_d) and PD have other places of rest.
    process, robot = arm({"kp": [60.0, 10.0], "kd": [16.0, 3.0]})
    robot.until_commanded(robot.gravity())
    robot.move()
    goal = np.array([0.1, 1.4])
    robot.send(trajectory([(2.0, goal[::-1], (0, 0), (0, 0))], ("joint_2", "joint_1")))
    robot.until(lambda: "following a trajectory of 2.000 s" in process.text, "the motion's start")
    robot.until(
        lambda: np.allclose(robot.q, goal, atol=1e-3) and np.abs(robot.v).max() < 1e-3, "the goal"
    )
    robot.until_commanded(robot.robot.gravity_torque(goal), tolerance=0.3)
    robot.until(lambda: robot.annotated, "annotated_trajectory")
    message = robot.annotated[0]
    assert list(message.joint_names) == ["joint_1", "joint_2"]
    assert len(message.points) > 100
    rows = [
        np.array([getattr(p, f) for p in message.points])
        for f in ("positions", "velocities", "accelerations", "effort")
    ]
    assert rows[3] == pytest.approx(robot.robot.inverse_dynamics(*rows[:3]))
    assert rows[3][-1] == pytest.approx(robot.robot.gravity_torque(goal))
    robot.until(lambda: "tracking" in robot.diagnostics, "diagnostics of the tracking")
    assert robot.all_finite()


def test_trajectories_that_cannot_be_followed_are_refused_and_the_robot_held(arm):
    process, robot = arm()
    robot.until_commanded(robot.gravity())
    q, nan = (0.6, 0.9), float("nan")
    cases = [
        (trajectory([(1.0, q)], ("joint_1", "elbow")), "joint 'elbow'"),
        (trajectory([(1.0, q[:1])]), "1 positions for 2 joints"),
        (trajectory([(1.0, q), (0.5, q)]), "not after"),
        (trajectory([(1.0, (0.6, nan))]), "nan in positions of joint 'joint_2'"),
        (trajectory([(1.0, q, (nan, 0.0))]), "nan in velocities of joint 'joint_1'"),
        (trajectory([]), "no points"),
        (trajectory([(0.0, (2.0, 0.9))]), "start_tolerance"),
        (trajectory([(1.0, (99.0, 0.0))]), "outside its limits"),
    ]
    for count, (message, words) in enumerate(cases, start=1):
        robot.send(message)
        robot.until(lambda n=count: process.text.count(" refused: ") == n, f"a word on {words}")
        assert words in process.text
    assert process.text.count("[ERROR]") == len(cases)
    robot.until_commanded(robot.gravity())
    assert robot.all_finite()


def test_each_part_of_the_law_can_be_switched_while_it_runs(arm):
    _, robot = arm()
    robot.until_commanded(robot.gravity())
    assert robot.set({"feedforward": False}) == ""
    robot.until_commanded([0.0, 0.0])
    robot.q = robot.q + np.array([0.1, -0.1])
    robot.until_commanded([-20.0, 2.0])
    assert robot.set({"feedback": False}) == ""
    robot.until_commanded([0.0, 0.0])
    assert robot.set({"feedforward": True, "feedforward_terms": ["gravity"]}) == ""
    robot.until_commanded(robot.robot.gravity_torque(robot.q - np.array([0.1, -0.1])))
    assert "inertia, coriolis, gravity, friction" in robot.set({"feedforward_terms": ["magic"]})


def test_a_silence_interrupts_the_motion_and_afterwards_it_holds_where_it_is(arm):
    process, robot = arm()
    robot.until_commanded(robot.gravity())
    robot.send(trajectory([(600.0, (1.2, 0.9))]))
    robot.until(lambda: "following" in process.text, "the motion's start")
    robot.streaming = False
    assert robot.set({"stale_timeout": 0.3}) == ""
    robot.until(lambda: "joint states are stale" in process.text, "a word about stale states")
    robot.until_commanded(robot.gravity())
    robot.q = np.array([0.2, 0.3])
    robot.streaming = True
    robot.until(lambda: "interrupted; holding" in process.text, "a word about the interruption")
    robot.until_commanded(robot.gravity())


def test_disabled_it_only_annotates_and_can_leave_effort_out(arm):
    process, robot = arm({"enable_on_start": False, "annotation.strip_effort": True})
    robot.until(lambda: "waiting -> disabled" in process.text, "the disabled mode")
    robot.send(trajectory([(0.5, (0.7, 1.0), (0, 0))]))
    robot.until(lambda: robot.annotated, "annotated_trajectory")
    assert all(len(p.effort) == 0 and len(p.positions) == 2 for p in robot.annotated[0].points)
    assert robot.commands == []
