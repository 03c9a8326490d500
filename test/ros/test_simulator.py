"""The simulated robot as a process: what it says, what it takes, what it refuses."""

from __future__ import annotations

import math
import subprocess
import sys
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from ros.node_process import ARM, NodeProcess
from ros.simulator_rig import EVERY_STATE, SIMULATOR, Client, is_finite, nanoseconds
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from dynamics_core import Robot

pytestmark = pytest.mark.ros

#: Hanging to the side: held by an effort of its weight, the arm comes back by itself, however long
#: nobody looks. Above the horizontal it would fall from the least error.
HANGING = [-1.2, 0.3]


@pytest.fixture
def start(tmp_path, domain):
    """Starts simulators and clients; ends them, and looks for tracebacks."""
    processes, clients = [], []

    def begin(parameters=(), namespace=""):
        own = {"robot_description": ARM, "rate": 250.0, **dict(parameters)}
        processes.append(NodeProcess(SIMULATOR, domain, tmp_path, own, namespace))
        clients.append(Client(domain, namespace))
        clients[-1].process = processes[-1]
        clients[-1].ready(paused=own.get("start_paused", False))
        return clients[-1]

    yield begin
    statuses = [p.end() for p in processes]
    for client in clients:
        client.end()
    assert not any("Traceback" in p.text for p in processes), processes[0].text
    assert statuses == [0] * len(statuses)


@pytest.fixture(scope="module")
def arm():
    return Robot.from_urdf(ARM)


def test_robot_is_held_until_a_command_can_be_used(start, arm):
    client = start({"initial_positions": [0.4, -0.3]})
    first = client.next_state()
    assert is_finite(first)
    assert list(first.name) == list(arm.joint_names)
    # What holds it is the brake, whose torque is reported.
    assert list(first.effort) == pytest.approx(arm.gravity_torque([0.4, -0.3]), abs=1e-3)
    client.effort([math.nan, math.nan])
    client.effort([1.0, 2.0, 3.0])
    client.until(lambda: "3 values for 2 joints" in client.process.text, "the wrong length")
    client.target([*arm.joint_names], effort=[1.0])
    client.until(lambda: "1 values of effort for 2 names" in client.process.text, "a warning")
    client.target(["elbow_of_another_robot"], effort=[1.0])
    client.until(lambda: "elbow_of_another_robot" in client.process.text, "the unknown joint")
    state = client.next_state()
    assert list(state.position) == [0.4, -0.3]
    assert list(state.velocity) == [0.0, 0.0]
    ignored = client.until(
        lambda: _value(client, "commands", "messages ignored") not in (None, "0"), "diagnostics"
    )
    assert ignored
    client.effort([0.0, 0.0])
    client.until(lambda: abs(client.states[-1].position[0] - 0.4) > 0.01, "the arm to fall")
    assert all(map(is_finite, client.states))


def test_commands_by_name_reach_their_joints(start, arm):
    client = start({"command_timeout": 0.0, "start_paused": True, "step_count": 5, **EVERY_STATE})
    names = list(arm.joint_names)

    def stepped():
        """The state five samples later: simulated time goes on when it is told to."""
        count = len(client.states)
        assert client.trigger("step").success
        client.until(lambda: len(client.states) == count + 5, "five states")
        return client.states[-1]

    client.target(names[::-1], position=[0.5, -0.2])
    client.until(lambda: np.allclose(stepped().position, [-0.2, 0.5], atol=1e-3), "the pose")
    client.target(names[:1], velocity=[0.3])
    client.until(lambda: abs(stepped().velocity[0] - 0.3) < 1e-3, "the speed")
    # The joint that was not told keeps its target.
    assert client.states[-1].position[1] == pytest.approx(0.5, abs=5e-3)
    # NaN is no command: only the second joint gets a new one.
    client.effort([math.nan, 0.7])
    state = stepped()
    assert state.effort[1] == 0.7
    assert state.velocity[0] == pytest.approx(0.3, abs=0.1)


def test_stream_of_a_hardware_plugin(start, arm):
    """What joint_state_topic_hardware_interface sends, in its order of events."""
    client = start({"command_timeout": 0.1, "initial_positions": HANGING})
    names = list(arm.joint_names)
    for _ in range(20):  # before any controller is active: NaN, the other arrays empty
        client.target(names, effort=[math.nan, math.nan])
        client.next_state()
    assert list(client.next_state().position) == HANGING
    assert client.next_state().velocity[0] == 0.0
    weight = arm.gravity_torque(HANGING)
    for _ in range(20):  # the controller's command, repeated
        client.target(names[::-1], effort=weight[::-1])
        client.next_state()
    client.until(lambda: client.states[-1].effort[0] == weight[0], "the effort")
    # The stream stops: the last command is kept, as real drives keep it, and that is said.
    client.until(lambda: "silence" in _status(client, "commands"), "silence in the diagnostics")
    assert list(client.next_state().effort) == list(weight)
    client.target(names, effort=[math.nan, math.nan])
    for _ in range(20):
        assert list(client.next_state().effort) == list(weight)


@pytest.mark.parametrize("policy", ["hold_last", "zero", "gravity", "brake"])
def test_silence(start, arm, policy):
    # At a velocity limit the drives would give less than their command.
    unlimited = {"velocity_limits": False, "initial_positions": HANGING}
    client = start({"silence": policy, "command_timeout": 0.1, **unlimited})
    weight = arm.gravity_torque(HANGING)
    client.effort(weight)
    if policy == "hold_last":
        client.until(lambda: "silence" in _status(client, "commands"), "silence in the diagnostics")
        assert list(client.next_state().effort) == list(weight)
        return
    client.until(lambda: f"in force: {policy}" in client.process.text, "a warning of silence")

    def follows(state):
        if policy == "zero":
            return list(state.effort) == [0.0, 0.0]
        if policy == "brake":
            return list(state.velocity) == [0.0, 0.0]
        weight = arm.gravity_torque(np.array(state.position))
        return np.allclose(state.effort, weight, atol=0.5)

    client.until(lambda: follows(client.states[-1]), f"the policy {policy}")
    assert all(follows(client.next_state()) for _ in range(3))

    def obeys():
        client.effort([0.1, -0.1])  # again and again: each is forgotten after a tenth of a second
        return list(client.next_state().effort) == [0.1, -0.1]

    client.until(obeys, "the new command")


def test_pause_step_and_reset(start):
    client = start({"publish_clock": True, "named_states": ["ready: 0.7, -0.4"], **EVERY_STATE})
    assert not client.trigger("step").success
    client.effort([0.5, 0.1])
    client.until(lambda: client.states[-1].effort[0] == 0.5, "the command")
    halted = client.pause(True)
    assert halted.success
    # It goes on hearing and answering, while its time stands still.
    client.until_quiet(client.states, 0.5)
    assert client.pause(True).message == halted.message
    for steps in (1, 25):
        assert client.set({"step_count": steps}) == ""
        count = len(client.states)
        assert client.trigger("step").success
        client.until(lambda wanted=count + steps: len(client.states) >= wanted, "the states")
        client.until_quiet(client.states)
        stamps = [_stamp(state) for state in client.states[count - 1 :]]
        assert list(np.diff(stamps)) == [4_000_000] * steps
    assert client.set({"reset_state": "ready"}) == ""
    assert "ready" in client.trigger("reset").message
    client.until(lambda: list(client.states[-1].position) == [0.7, -0.4], "the reset state")
    assert _stamp(client.states[-1]) >= stamps[-1]
    assert client.pause(False).success
    state = client.next_state()
    assert list(state.position) == [0.7, -0.4]  # held again until a command comes
    assert "nowhere" in client.set({"reset_state": "nowhere"})


def test_reset_under_a_running_controller(start, arm):
    # A controller that is slow for once does not let the arm fall: its brakes close.
    safe = {"silence": "brake", "command_timeout": 0.1}
    client = start({"initial_positions": [0.3, 0.3], **safe})

    def control():
        state = client.next_state()
        client.effort(np.add(arm.gravity_torque(np.array(state.position)), (0.5, 0.0)))
        return state

    for _ in range(3):
        client.until(lambda: control().position[0] > 0.31, "the arm to move")
        count = len(client.states)
        assert client.trigger("reset").success
        client.until(
            lambda since=count: [0.3, 0.3] in [list(s.position) for s in client.states[since:]],
            "the start",
        )
    assert all(map(is_finite, client.states))
    assert max(abs(v) for s in client.states for v in s.velocity) < 5.0


def test_clock_is_monotonic_and_keeps_its_rate(start):
    client = start(
        {"rate": 1000.0, "publish_clock": True, "clock_rate": 100.0, "realtime_factor": 0.0}
    )
    ticks = []
    client.hear(Clock, "/clock", ticks.append)
    client.until(lambda: len(ticks) > 60, "ticks of the clock")
    assert client.trigger("reset").success
    count = len(ticks)
    client.until(lambda: len(ticks) > count + 60, "more ticks")
    assert client.pause(True).success
    client.until_quiet(ticks)
    steps = np.diff([nanoseconds(t.clock) for t in ticks])
    assert (steps >= 0).all()
    # A tick may be lost on the way, and the reset gives one of its own.
    assert np.count_nonzero(steps % 10_000_000) <= 2
    # Step by step none is lost.
    assert client.set({"step_count": 10}) == ""
    for _ in range(5):
        count = len(ticks)
        assert client.trigger("step").success
        client.until(lambda since=count: len(ticks) > since, "a tick")
        assert nanoseconds(ticks[-1].clock) - nanoseconds(ticks[-2].clock) == 10_000_000


def test_pushes_on_several_links_add_up_and_end(start, arm):
    client = start({"wrench_timeout": 0.2, "ground_truth_rate": 1000.0,
                    "initial_positions": [0.4, 0.9]})  # fmt: skip
    torques, wrenches = [], []
    client.hear(JointState, f"{SIMULATOR}/ground_truth/external_torque", torques.append)
    client.hear(WrenchStamped, f"{SIMULATOR}/ground_truth/wrench", wrenches.append)
    forces = {"link_2": [3.0, -1.0, 0.5], "tool0": [0.5, 0.3, 2.0]}
    q = np.array([0.4, 0.9])
    expected = sum(
        arm.jacobian(q, frame, "local").T @ [*force, 0, 0, 0] for frame, force in forces.items()
    )
    assert np.abs(expected).min() > 0.5

    def pushed():
        for frame, force in forces.items():
            client.push(frame, force)
        return torques and np.allclose(torques[-1].effort, expected, atol=1e-9)

    client.until(pushed, "the torque of both pushes")
    client.until(
        lambda: pushed() and {w.header.frame_id for w in wrenches} == set(forces), "the wrenches"
    )
    client.until(lambda: np.allclose(torques[-1].effort, 0.0, atol=1e-12), "the end of the push")
    client.push("no_such_link", [1.0, 0.0, 0.0])
    client.until(lambda: "no_such_link" in client.process.text, "the unknown link")


def test_two_robots_in_two_namespaces(start):
    left, right = start(namespace="/left"), start(namespace="/right")
    left.effort([2.0, 0.0])
    left.until(lambda: abs(left.states[-1].velocity[0]) > 0.1, "the left arm to move")
    assert list(right.next_state().velocity) == [0.0, 0.0]


def test_lockstep_repeats_to_the_bit_whatever_the_load(start, tmp_path):
    parameters = {
        "lockstep": True, "lockstep_timeout": 60.0, "start_paused": True, "seed": 7,
        "sensor.position_noise": 1e-3, "sensor.velocity_noise": 1e-2, "sensor.dropout": 0.0,
        "initial_positions": [0.5, 0.2], "publish_clock": True,
    }  # fmt: skip
    client = start(parameters)
    burden = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        runs = [_controlled_run(client) for _ in range(3)]
    finally:
        for process in burden:
            process.kill()
            process.wait()
    assert runs[0].shape == (151, 6)
    assert np.abs(runs[0][-1] - runs[0][0]).max() > 0.01
    assert runs[0].tobytes() == runs[1].tobytes() == runs[2].tobytes()


def test_the_first_wait_in_lockstep_is_as_long_as_any(start):
    """However long the node has been there before."""
    patience = 1.0
    client = start({"lockstep": True, "lockstep_timeout": patience, "start_paused": True})
    reports = []
    client.hear(DiagnosticArray, "/diagnostics", reports.append)
    client.until(lambda: len(reports) > 2, "the node to be older than its patience")
    begin = time.monotonic()
    answer = client.trigger("step")
    assert time.monotonic() - begin >= patience
    assert "1 without a command in time" in answer.message


def _controlled_run(client):
    """150 samples, each answered by a command that depends on it."""
    client.pause(True)
    count = len(client.states)
    assert client.trigger("reset").success
    client.until(lambda: len(client.states) > count, "the reset state")
    client.pause(False)
    rows = []
    for _ in range(150):
        state = client.states[-1]
        rows.append([*state.position, *state.velocity, *state.effort])
        q, v = np.array(state.position), np.array(state.velocity)
        seen = len(client.states)
        client.effort(-3.0 * q - 0.4 * v)
        client.until(lambda seen=seen: len(client.states) > seen, "the answer to a command")
    client.pause(True)
    state = client.states[-1]
    rows.append([*state.position, *state.velocity, *state.effort])
    return np.array(rows)


def _stamp(message):
    return nanoseconds(message.header.stamp)


def _status(client, name):
    entry = client.diagnostics.get(name)
    return entry.message if entry else ""


def _value(client, name, key):
    entry = client.diagnostics.get(name)
    return next((v.value for v in entry.values if v.key == key), None) if entry else None


def test_recording_holds_what_was_simulated(start, tmp_path):
    """Read back with mcap and with rosbags, joint by joint equal to what came over the topic."""
    file = tmp_path / "run.mcap"
    client = start({
        "record": str(file), "start_paused": True, "publish_clock": True, "command_timeout": 0.0,
        "initial_positions": [0.3, 0.2],
    })  # fmt: skip
    client.until(lambda: client.trigger("reset").success and client.states, "the first state")
    heard = {_stamp(client.states[-1]): client.states[-1]}
    for k in range(20):
        client.effort([0.1 * k, -0.2])
        seen = len(client.states)
        assert client.trigger("step").success
        client.until(lambda seen=seen: len(client.states) > seen, "a state")
        heard[_stamp(client.states[-1])] = client.states[-1]
    client.push("tool0", [1.0, 0.0, 0.0])
    assert client.trigger("step").success
    assert client.process.end() == 0
    _compare_by_mcap(file, heard)
    _compare_by_rosbags(file, heard)


def _compare_by_mcap(file, heard):
    reader = pytest.importorskip("mcap.reader")
    decoder = pytest.importorskip("mcap_ros2.decoder")
    found, topics = {}, set()
    with file.open("rb") as stream:
        content = reader.make_reader(stream, decoder_factories=[decoder.DecoderFactory()])
        assert content.get_header().profile == "ros2"
        for schema, channel, _, message in content.iter_decoded_messages():
            topics.add((channel.topic, schema.name))
            if channel.topic == "/joint_states":
                found[_stamp(message)] = message
    assert ("/effort_commands", "std_msgs/msg/Float64MultiArray") in topics
    assert ("/external_wrench", "geometry_msgs/msg/WrenchStamped") in topics
    assert ("/clock", "rosgraph_msgs/msg/Clock") in topics
    _same(found, heard)


def _compare_by_rosbags(file, heard):
    highlevel = pytest.importorskip("rosbags.highlevel")
    found = {}
    with highlevel.AnyReader([file]) as bag:
        chosen = [c for c in bag.connections if c.topic == "/joint_states"]
        for connection, _, raw in bag.messages(connections=chosen):
            message = bag.deserialize(raw, connection.msgtype)
            found[_stamp(message)] = message
    _same(found, heard)


def _same(found, heard):
    assert set(heard) <= set(found)
    assert len(heard) > 15
    for stamp, message in heard.items():
        assert list(found[stamp].name) == list(message.name)
        for field in ("position", "velocity", "effort"):
            assert list(getattr(found[stamp], field)) == list(getattr(message, field))
