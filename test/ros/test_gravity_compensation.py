"""Gravity compensation as a process: commands, silence, limits, parameters, ends."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros.node_process import ARM
from ros.node_rig import EVERY_COMMAND
from sensor_msgs.msg import JointState
from std_msgs.msg import String

pytestmark = pytest.mark.ros

NODE = "gravity_compensation"
QUICK = {"ramp_time": 0.1}


def test_it_waits_for_every_joint_then_commands_the_gravity_torque_by_name(launch):
    process, robot = launch(NODE, QUICK)
    said = []
    robot.hear(JointState, f"{NODE}/gravity_torque", said.append)
    robot.make = lambda: JointState(name=["joint_1"], position=[0.6])
    robot.until(lambda: "about joint joint_2" in process.text, "a word about the missing joint")
    assert robot.commands == []
    robot.make = robot.state
    robot.until_commanded(robot.gravity())
    robot.until(lambda: said, "~/gravity_torque")
    assert list(said[-1].name) == ["joint_1", "joint_2"]
    assert list(said[-1].effort) == pytest.approx(robot.gravity().tolist())
    robot.q = np.array([-0.4, 0.3])
    robot.until_commanded(robot.gravity())
    robot.until(
        lambda: (
            "command" in robot.diagnostics and robot.diagnostics["command"].message == "enabled"
        ),
        "diagnostics of the enabled mode",
    )
    assert robot.all_finite()


@pytest.mark.parametrize("safe", ["gravity", "hold", "zero"])
def test_when_states_stop_it_says_so_commands_what_is_safe_and_recovers(launch, safe):
    process, robot = launch(
        NODE, {**QUICK, "safe_command": safe, "gravity_scale": [0.5], "stale_timeout": 0.5}
    )
    robot.until_commanded(0.5 * robot.gravity())
    robot.streaming = False
    robot.until(lambda: "joint states are stale" in process.text, "a word about stale states")
    assert "joints joint_1, joint_2; commanding" in process.text
    wanted = {"gravity": 1.0, "hold": 0.5, "zero": 0.0}[safe] * robot.gravity()
    robot.until_commanded(wanted)
    robot.streaming = True
    robot.until(lambda: "are fresh" in process.text, "a word about fresh states")
    robot.until_commanded(0.5 * robot.gravity())
    assert robot.all_finite()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_the_safe_command_by_a_ramp(launch, number):
    process, robot = launch(NODE, {**QUICK, **EVERY_COMMAND, "safe_command": "zero"})
    # A ramp so long that some of it is seen even if the process is left alone for a second.
    assert robot.set({"ramp_time": 1.5}) == ""
    robot.until_commanded(robot.gravity())
    robot.streaming = False
    robot.commands.clear()
    process.signal(number)
    robot.until(lambda: not process.alive, "the end of the process")
    robot.until_silent(0.2)
    assert robot.commands[-1] == [0.0, 0.0]
    shares = np.array([c[0] for c in robot.commands]) / robot.gravity()[0]
    assert (np.diff(shares) <= 1e-9).all()
    assert np.count_nonzero((shares > 0.02) & (shares < 0.98)) >= 3


def test_it_can_be_switched_off_and_on(launch):
    process, robot = launch(NODE, {**QUICK, "safe_command": "zero", "enable_on_start": False})
    robot.until(lambda: "waiting -> disabled" in process.text, "the disabled mode")
    robot.until_silent()
    assert robot.commands == []
    assert robot.enable(True).success
    robot.until_commanded(robot.gravity())
    answer = robot.enable(False)
    assert "zero effort" in answer.message
    robot.until_commanded([0.0, 0.0])
    robot.until_silent()
    robot.q = np.array([0.1, 0.2])
    robot.until_silent()
    assert robot.commands[-1] == [0.0, 0.0]
    robot.enable(True)
    robot.until_commanded(robot.gravity())


def test_parameters_change_while_it_runs_and_bad_ones_are_refused(launch):
    process, robot = launch(NODE, {**QUICK, "payload.frame": "tool0"})
    robot.until_commanded(robot.gravity())
    assert robot.set({"payload.mass": 1.5, "payload.com": [0.1, 0.0, 0.0]}) == ""
    held = robot.robot.with_payload("tool0", 1.5, (0.1, 0.0, 0.0))
    robot.until_commanded(held.gravity_torque(robot.q))
    assert robot.set({"payload.mass": 0.0, "gravity": [0.0, 0.0, 1.62]}) == ""
    robot.until_commanded(robot.gravity() * (-1.62 / 9.81))
    for values, reason in (
        ({"payload.mass": -1.0}, "payload.mass"),
        ({"gravity": [0.0, 9.81]}, "2 entries"),
        ({"payload.inertia": [-1.0, 0.0, 0.0, 1.0, 0.0, 1.0]}, "inertia"),
        ({"damping": [1.0, 2.0, 3.0]}, "3 entries; expected 1, or 2"),
        ({"safe_command": "pray"}, "gravity, hold, zero"),
        ({"rate": 100.0}, "unconfigured"),
    ):
        assert reason in robot.set(values)
    robot.until_commanded(robot.gravity() * (-1.62 / 9.81))
    assert robot.set({"gravity": [0.0, 0.0, -9.81], "effort_limit_scale": 0.05}) == ""
    limits = 0.05 * robot.robot.effort_limits
    robot.until_commanded(np.clip(robot.gravity(), -limits, limits))
    robot.until(lambda: "effort at its limit: joint_1" in process.text, "a word about the limit")


def test_a_robot_that_compensates_gravity_gets_none(launch):
    process, robot = launch(NODE, {**QUICK, "robot_compensates_gravity": True, "damping": [2.0]})
    robot.v = np.array([0.5, -1.0])
    robot.until_commanded([-1.0, 2.0])
    assert "the robot does compensate gravity" in process.text


def test_messages_that_contradict_themselves_are_refused_and_named(launch):
    process, robot = launch(NODE, {**QUICK, "stale_timeout": 0.3})
    robot.until_commanded(robot.gravity())
    robot.make = lambda: JointState(name=["joint_1", "joint_2"], position=[0.0])
    robot.until(lambda: "1 values of position" in process.text, "a word about the message")
    robot.until(lambda: "joint states are stale" in process.text, "a word about stale states")
    robot.make = lambda: JointState(name=["joint_1", "joint_2"], position=[float("nan")] * 2)
    robot.until_commanded(robot.gravity())
    robot.make = robot.state
    robot.until(lambda: "are fresh" in process.text, "a word about fresh states")
    assert robot.all_finite()


def test_the_description_comes_by_topic_in_a_namespace(launch):
    process, robot = launch(NODE, {**QUICK, "robot_description": ""}, namespace="/left/arm")
    robot.until(
        lambda: "waiting for a robot description on /left/arm/robot_description" in process.text,
        "a word about what is waited for",
    )
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    latched = robot.node.create_publisher(String, "robot_description", qos)
    latched.publish(String(data=ARM))
    robot.until_commanded(robot.gravity())


def test_a_bad_start_gives_one_error_and_can_be_mended(launch):
    bad = {**QUICK, "robot_description": "<robot name='x'><link name='a'>", "stale_timeout": -1.0}
    process, robot = launch(NODE, bad)
    robot.until(lambda: "cannot configure" in process.text, "an error")
    assert "parameter stale_timeout is -1 s; expected 0.002 to 10 s" in process.text
    assert robot.set({"stale_timeout": 10.0}) == ""
    robot.until(lambda: process.text.count("cannot configure") == 2, "a second error")
    assert process.alive
    assert robot.commands == []
    assert robot.set({"robot_description": ARM}) == ""
    robot.until_commanded(robot.gravity())
    assert process.text.count("[ERROR]") == 2


def test_its_lifecycle_can_be_driven_from_outside(launch):
    process, robot = launch(NODE, {**QUICK, "autostart": False, "safe_command": "zero"})
    assert robot.change_state(Transition.TRANSITION_CONFIGURE)
    robot.until_silent()
    assert robot.commands == []
    assert not robot.enable(True).success
    assert robot.change_state(Transition.TRANSITION_ACTIVATE)
    robot.until_commanded(robot.gravity())
    # A transition that is impossible now is refused, and the robot keeps being commanded.
    robot.ask(Transition.TRANSITION_ACTIVATE)
    robot.until(lambda: "No transition matching" in process.text, "a word about the transition")
    robot.until_commanded(robot.gravity())
    assert robot.change_state(Transition.TRANSITION_DEACTIVATE)
    robot.until_silent()
    assert robot.commands[-1] == [0.0, 0.0]
    # A state from before says nothing about where the robot is when it becomes active again.
    robot.streaming = False
    robot.until_silent()
    said, count = process.text.count("nothing on /joint_states"), len(robot.commands)
    assert robot.change_state(Transition.TRANSITION_ACTIVATE)
    robot.until(lambda: process.text.count("nothing on /joint_states") > said, "what it waits for")
    assert len(robot.commands) == count
    robot.streaming = True
    robot.until_commanded(robot.gravity())
    assert robot.change_state(Transition.TRANSITION_DEACTIVATE)
    assert robot.change_state(Transition.TRANSITION_CLEANUP)
    assert robot.set({"rate": 100.0, "joints": ["joint_2"]}) == ""
    assert robot.change_state(Transition.TRANSITION_CONFIGURE)
    assert robot.change_state(Transition.TRANSITION_ACTIVATE)
    robot.until_commanded(robot.gravity()[1:])
