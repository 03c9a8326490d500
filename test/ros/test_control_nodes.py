"""The control nodes where it hurts: robots that die, two arms, bad starts, late trajectories."""

from __future__ import annotations

import functools
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from rclpy.duration import Duration
from rclpy.time import Time
from ros.node_process import ARM, PATIENCE, NodeProcess, environment
from ros.node_rig import EVERY_COMMAND, RATE, RobotSide
from ros.simulator_rig import SIMULATOR, nanoseconds
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.ros

GRAVITY = "gravity_compensation"
FEEDFORWARD = "inverse_dynamics_feedforward"
ESTIMATOR = "external_wrench_estimator"

#: Hanging to the side: the weight holds itself there, even while a controller is slow.
POSE = (-1.2, 0.3)


@pytest.fixture
def arms(tmp_path, domain):
    """Start a simulated arm and its controller: ``simulator, controller, side = arms(...)``."""
    started, sides = [], []
    robot = {"robot_description": ARM, "rate": RATE}

    def simulate(namespace="", initial=POSE):
        values = {**robot, "initial_positions": initial}
        started.append(NodeProcess(SIMULATOR, domain, tmp_path, values, namespace))
        return started[-1]

    def begin(namespace="", initial=POSE):
        simulator = simulate(namespace, initial)
        own = {**robot, "stale_timeout": 1.0, "ramp_time": 0.1}
        controller = NodeProcess(GRAVITY, domain, tmp_path, own, namespace)
        started.append(controller)
        side = RobotSide(domain, GRAVITY, namespace)
        sides.append(side)
        side.heard = []
        side.hear(JointState, "joint_states", side.heard.append)
        return simulator, controller, side

    begin.simulate = simulate
    yield begin
    killed = [p for p in started if not p.alive]
    statuses = {p.end() for p in started if p not in killed}
    for side in sides:
        side.end()
    texts = [p.text for p in started]
    assert not any("Traceback" in text for text in texts), texts
    assert statuses == {0}, texts
    assert {p.end() for p in killed} <= {128 + signal.SIGKILL, -signal.SIGKILL}, texts


def floats(side, pose) -> None:
    """The arm is commanded its weight there, and stays for a second of its time."""
    side.until_commanded(side.robot.gravity_torque(pose), tolerance=0.2)
    side.heard.clear()
    side.until(lambda: side.heard and _time(side.heard[-1]) > _time(side.heard[0]) + 1.0, "states")
    for message in side.heard:
        place = dict(zip(message.name, message.position, strict=True))
        assert [place["joint_1"], place["joint_2"]] == pytest.approx(pose, abs=0.02)
    assert side.all_finite()


def _time(message) -> float:
    return 1e-9 * nanoseconds(message.header.stamp)


def test_two_arms_in_two_namespaces_float_each_by_itself(arms):
    poses = {"/left": POSE, "/right": (-1.9, -0.4)}
    sides = [arms(namespace, pose)[2] for namespace, pose in poses.items()]
    for side, pose in zip(sides, poses.values(), strict=True):
        floats(side, pose)


def test_when_the_robot_dies_it_says_so_and_serves_the_next_one(arms):
    simulator, controller, side = arms()
    floats(side, POSE)
    simulator.kill()
    side.until(lambda: "joint states are stale" in controller.text, "a word about the silence")
    side.until_commanded(side.robot.gravity_torque(POSE), tolerance=0.2)
    side.until(
        lambda: "command" in side.diagnostics and "stale" in side.diagnostics["command"].message,
        "a diagnostic",
    )
    arms.simulate()
    side.until(lambda: "are fresh" in controller.text, "a word about fresh states")
    floats(side, POSE)


@pytest.mark.parametrize(
    ("node", "bad", "words", "good"),
    [
        (
            ESTIMATOR,
            {"robot_description": "/no/such/arm.urdf"},
            "/no/such/arm.urdf",
            {"robot_description": ARM},
        ),
        (FEEDFORWARD, {"joints": ["joint_1", "elbow"]}, "'elbow'", {"joints": ["joint_1"]}),
        (GRAVITY, {"damping": [1.0, 2.0, 3.0]}, "damping", {"damping": [1.0]}),
    ],
)
def test_a_bad_start_is_one_error_that_names_it_and_can_be_mended(launch, node, bad, words, good):
    process, robot = launch(node, bad)
    robot.until(lambda: "cannot configure" in process.text, "an error")
    robot.until_silent()
    assert process.text.count("[ERROR]") == 1
    assert words in re.search(r"cannot configure: .*", process.text)[0]
    assert process.alive
    assert robot.commands == []
    assert robot.set(good) == ""
    robot.until(lambda: "robot 'planar_2r'" in process.text, "the node's start")


def test_an_effort_limit_of_zero_is_unknown_and_warned_of(launch, tmp_path):
    text = re.sub(r'effort="\d+\.0"', 'effort="0.0"', Path(ARM).read_text())
    text = text.replace('filename="macros', f'filename="{Path(ARM).parent}/macros')
    description = tmp_path / "arm.urdf.xacro"
    description.write_text(text)
    process, robot = launch(GRAVITY, {"ramp_time": 0.1, "robot_description": str(description)})
    robot.until_commanded(robot.gravity())
    assert "no effort limit known for joint_1, joint_2; set the parameter" in process.text
    assert robot.set({"effort_limits": [1.0, 0.0]}) == ""
    wanted = robot.gravity()
    robot.until_commanded([np.sign(wanted[0]), wanted[1]])
    assert robot.set({"effort_limit_scale": 0.0}) == ""
    robot.until_commanded([0.0, 0.0])


def test_an_end_during_the_ramp_to_the_safe_command_still_gets_there(launch):
    process, robot = launch(GRAVITY, {"ramp_time": 1.5, "safe_command": "zero"})
    robot.until_commanded(robot.gravity())
    robot.enable(False)
    robot.until(lambda: "enabled -> disabled" in process.text, "the ramp's start")
    process.signal(signal.SIGINT)
    robot.until(lambda: not process.alive, "the end of the process")
    robot.until_silent(0.2)
    assert robot.commands[-1] == [0.0, 0.0]


def test_an_end_with_rate_limits_still_gets_to_the_safe_command(launch):
    rate = {"effort_rate_limits": [40.0], "safe_command": "zero", "ramp_time": 0.0}
    process, robot = launch(GRAVITY, rate)
    robot.until_commanded(robot.gravity())
    process.signal(signal.SIGTERM)
    robot.until(lambda: not process.alive, "the end of the process")
    robot.until_silent(0.2)
    assert robot.commands[-1] == [0.0, 0.0]


def to(goal, seconds, start=None) -> JointTrajectory:
    """A motion to a goal, at rest there; ``start`` on the clock of its sender, s."""
    point = JointTrajectoryPoint(positions=list(map(float, goal)), velocities=[0.0, 0.0])
    point.time_from_start = Duration(seconds=seconds).to_msg()
    message = JointTrajectory(joint_names=["joint_1", "joint_2"], points=[point])
    if start is not None:
        message.header.stamp = Time(nanoseconds=int(start * 1e9)).to_msg()
    return message


def sender(robot):
    return functools.partial(robot.deliver, robot.publisher(JointTrajectory, "joint_trajectory"))


def test_a_trajectory_from_before_the_joints_were_heard_is_not_carried_out_later(launch):
    process, robot = launch(FEEDFORWARD, {"ramp_time": 0.1, "autostart": False, "kp": [10.0]})
    robot.streaming = False
    assert robot.change_state(Transition.TRANSITION_CONFIGURE)
    send = sender(robot)
    send(to([0.2, 0.3], 5.0))
    assert robot.change_state(Transition.TRANSITION_ACTIVATE)
    robot.until(lambda: "refused: the node was not active" in process.text, "a first refusal")
    send(to([0.2, 0.3], 5.0))
    robot.until(lambda: "refused: not every joint has been heard" in process.text, "a second one")
    robot.streaming = True
    robot.until_commanded(robot.gravity())
    assert "following" not in process.text


def test_a_later_trajectory_waits_for_its_time_while_the_first_goes_on(launch):
    # Without gravity, inertia and feedback on rates, the command is kp times the way to go.
    law = {"feedforward": False, "kp": [10.0], "ramp_time": 0.0, "start_tolerance": 0.0}
    process, robot = launch(FEEDFORWARD, {**law, "use_sim_time": True})
    send, robot.time = sender(robot), 100.0
    robot.until_commanded([0.0, 0.0])
    send(to(robot.q + np.array([0.3, 0.0]), 4.0, start=100.0))
    robot.until(lambda: "following a trajectory" in process.text, "the first motion")
    robot.time = 102.0
    robot.until_commanded([1.5, 0.0])
    send(to(robot.q + np.array([0.3, 0.5]), 2.0, start=106.0))
    robot.until(lambda: process.text.count("following a trajectory") == 2, "the second motion")
    for robot.time, command in (
        (102.0, [1.5, 0.0]),
        (104.0, [3.0, 0.0]),
        (106.0, [3.0, 0.0]),
        (107.0, [3.0, 2.5]),
        (109.0, [3.0, 5.0]),
    ):
        robot.until_commanded(command)


def test_a_trajectory_that_begins_elsewhere_is_taken_up_by_a_ramp(launch):
    law = {"feedforward": False, "kp": [10.0], "ramp_time": 1.0}
    _, robot = launch(FEEDFORWARD, {**law, **EVERY_COMMAND})
    robot.until_commanded([0.0, 0.0])
    send = sender(robot)
    robot.commands.clear()
    send(to(robot.q + np.array([0.15, 0.0]), 0.0))
    robot.until(lambda: robot.commands and robot.commands[-1][0] > 1.49, "the way's end")
    assert np.abs(np.diff([0.0] + [c[0] for c in robot.commands])).max() < 0.5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_executable_can_be_ended_while_it_is_still_importing(tmp_path, domain, number):
    code = "import sys; from dynamics_nodes.start import gravity_compensation as g; sys.exit(g())"
    log = tmp_path / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            # What is imported is said, so that the signal comes in the midst of it.
            [sys.executable, "-X", "importtime", "-c", code],
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(domain, tmp_path),
        )
    end = time.monotonic() + PATIENCE
    while "numpy" not in log.read_text() and time.monotonic() < end:
        time.sleep(0.001)
    process.send_signal(number)
    try:
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
    assert "Traceback" not in log.read_text()
    assert "numpy" in log.read_text()
