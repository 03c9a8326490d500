"""The wrench estimator as a process: feeling, falling silent, taring."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

pytestmark = pytest.mark.ros

NODE = "external_wrench_estimator"
PARAMETERS = {"frame": "tool0", "components": ["fx", "fz"], "tare.window": 0.3}


@pytest.fixture
def feeling(launch):
    """A node with a robot that resists a push at rest: ``process, robot = feeling(...)``."""

    def begin(parameters=()):
        process, robot = launch(NODE, {**PARAMETERS, **dict(parameters)})
        robot.wrenches = []
        robot.hear(WrenchStamped, f"{NODE}/wrench", robot.wrenches.append)
        robot.push = lambda f: setattr(
            robot,
            "effort",
            robot.gravity() - robot.robot.jacobian(robot.q, "tool0", "local").T @ np.asarray(f),
        )
        robot.feels = lambda f, atol: (
            robot.wrenches and np.allclose(array(robot.wrenches[-1]), f, atol=atol)
        )
        robot.until_felt = lambda f, atol: robot.until(
            lambda: robot.feels(f, atol), f"the wrench {f}"
        )
        return process, robot

    return begin


def array(message: WrenchStamped) -> np.ndarray:
    f, t = message.wrench.force, message.wrench.torque
    return np.array([f.x, f.y, f.z, t.x, t.y, t.z])


def test_it_feels_what_the_environment_does_to_the_robot(feeling):
    process, robot = feeling()
    push = [4.0, 0.0, -7.0, 0.0, 0.0, 0.0]
    robot.push(push)
    robot.until_felt(push, atol=1e-3)
    assert robot.wrenches[-1].header.frame_id == "tool0"
    assert robot.wrenches[-1].header.stamp.sec > 0
    assert robot.set({"sign": "robot_on_environment", "deadband.force": 1.0}) == ""
    robot.until_felt([-3.0, 0.0, 6.0, 0.0, 0.0, 0.0], atol=1e-3)
    assert "the wrench is uncertain" not in process.text


def test_frame_and_reference_point_are_those_asked_for(feeling):
    _, robot = feeling({"frame_id": "base_link", "reference_point": "base_link"})
    push = np.array([4.0, 0.0, -7.0, 0.0, 0.0, 0.0])
    robot.push(push)
    tool, base = (robot.robot.frame_pose(robot.q, f) for f in ("tool0", "base_link"))
    force = base[:3, :3].T @ tool[:3, :3] @ push[:3]
    arm = base[:3, :3].T @ (tool[:3, 3] - base[:3, 3])
    robot.until_felt(np.concatenate([force, np.cross(arm, force)]), atol=1e-3)
    assert robot.wrenches[-1].header.frame_id == "base_link"


def test_without_effort_it_says_nothing_but_why(feeling):
    process, robot = feeling({"stale_timeout": 0.3})
    robot.until(lambda: "no finite effort of joints joint_1, joint_2" in process.text, "why")
    assert robot.wrenches == []
    robot.push(np.zeros(6))
    robot.until_felt(np.zeros(6), atol=1e-6)

    def half() -> JointState:
        message = robot.state()
        message.effort[1] = float("nan")
        return message

    robot.make = half
    robot.until(lambda: "about joint joint_2; no wrench" in process.text, "the joint's name")
    robot.until_quiet(robot.wrenches)
    count = len(robot.wrenches)
    robot.diagnostics.clear()
    robot.until(
        lambda: (
            "joint states" in robot.diagnostics
            and "joint_2" in robot.diagnostics["joint states"].message
        ),
        "diagnostics",
    )
    assert len(robot.wrenches) == count
    robot.make = robot.state
    robot.until(lambda: len(robot.wrenches) > count, "wrenches again")


def test_taring_takes_the_offset_away_and_is_refused_in_motion(feeling):
    _, robot = feeling()
    offset = [2.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    robot.push(offset)
    robot.until_felt(offset, atol=1e-3)
    tare = functools.partial(robot.call, Trigger, "tare", Trigger.Request())
    answer = robot.until(lambda: (a := tare()).success and a, "a tare")
    assert "joint_1" in answer.message
    # Its window may have begun before the offset was felt in full.
    robot.until(lambda: tare().success and robot.feels(np.zeros(6), 1e-4), "nothing felt")
    robot.push([5.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    robot.until_felt([3.0, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-3)
    robot.v = np.array([0.3, 0.0])
    robot.until(lambda: "moved" in tare().message, "a refusal")


def test_a_stretched_arm_cannot_feel_along_itself_and_says_so(feeling):
    process, robot = feeling({"components": ["fx", "fz"]})
    robot.q = np.array([0.5, 0.0])
    push = [0.0, 0.0, -5.0, 0.0, 0.0, 0.0]
    robot.push(push)
    robot.until_felt(push, atol=1e-3)
    robot.until(lambda: "only 1 of 2 directions" in process.text, "a word about the direction")
    robot.until(lambda: "observability" in robot.diagnostics, "diagnostics")
    assert "+1.00 fx" in robot.diagnostics["observability"].message.replace("-1.00", "+1.00")
    robot.q = np.array([0.5, 1.0])
    robot.push(push)
    robot.until(lambda: "every component of the wrench is observable" in process.text, "recovery")
