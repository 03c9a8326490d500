"""The robots in urdf/: numbers of textbooks and publications, prefix, mounting, limits."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from dynamics_nodes.resources import ROBOTS, describe

from dynamics_core import Robot

READY = [0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4]


def robot(name, arguments=""):
    return Robot.from_urdf(describe(name, arguments))


def test_pendulum_holds_and_falls_as_in_the_textbook():
    pendulum = robot("pendulum")
    q = [math.radians(30.0)]
    assert pendulum.gravity_torque(q) == pytest.approx([2.4525], rel=1e-12)
    assert pendulum.gravity_torque([-q[0]]) == pytest.approx([-2.4525], rel=1e-12)
    assert pendulum.gravity_torque([0.0]) == pytest.approx([0.0], abs=1e-15)
    assert pendulum.forward_dynamics(q, [0.0], [0.0]) == pytest.approx([-9.81], rel=1e-12)
    assert pendulum.inverse_dynamics(q, [0.0], [2.0]) == pytest.approx([2.9525], rel=1e-12)


def test_planar_arm_of_uniform_rods():
    arm = robot("planar_2r")
    q, v, a = [0.3, 0.5], [0.2, -0.1], [1.0, 0.5]
    expected = [[2.24652025, 0.53742679], [0.53742679, 0.20833333]]
    np.testing.assert_allclose(arm.mass_matrix(q), expected, atol=5e-9)
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, a), [32.09630779, 4.92046786], atol=5e-9)


def test_planar_arm_with_links_of_one_metre_has_the_textbook_jacobian():
    arm = robot("planar_2r", "length_1:=1 length_2:=1")
    q = [0.0, math.pi / 2]
    # The textbook's x-y plane is the arm's x-z plane.
    np.testing.assert_allclose(arm.jacobian(q, "tool0")[[0, 2]], [[-1, -1], [1, 0]], atol=1e-12)


def test_panda_reaches_where_its_maker_says():
    # Craig's table of the arm: a3 = 0.0825, a4 = -0.0825, a6 = 0.088, d1 = 0.333, d3 = 0.316,
    # d5 = 0.384, flange 0.107. Stretched out, lengths along z add up.
    pose = robot("panda").frame_pose(np.zeros(7), "panda_link8")
    np.testing.assert_allclose(pose[:3, 3], [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107], atol=1e-12)
    np.testing.assert_allclose(pose[:3, 2], [0.0, 0.0, -1.0], atol=1e-12)


def test_panda_has_the_identified_masses():
    masses = [0.629769, 4.970684, 0.646926, 3.228604, 3.587895, 1.225946, 1.666555, 0.735522]
    assert robot("panda").total_mass == pytest.approx(sum(masses), rel=1e-12)
    assert robot("panda", "hand:=true").total_mass == pytest.approx(sum(masses) + 0.73, rel=1e-12)


def test_panda_has_its_makers_limits():
    panda = robot("panda")
    np.testing.assert_array_equal(panda.effort_limits, [87] * 4 + [12] * 3)
    np.testing.assert_array_equal(panda.velocity_limits, [2.175] * 4 + [2.61] * 3)
    limits = [panda.model.joint(j).limits for j in panda.joint_names]
    assert all(x.lower < q < x.upper for x, q in zip(limits, READY, strict=True))


@pytest.mark.parametrize("name", ROBOTS)
def test_prefix_reaches_every_joint_and_link(name):
    root = ElementTree.fromstring(describe(name, "prefix:=left_ ros2_control:=true"))
    for element in (*root.findall("joint"), *root.findall("link"), *root.findall("ros2_control")):
        assert element.get("name").startswith("left_") or element.get("name") == "world"
    prefixed, plain = robot(name, "prefix:=left_"), robot(name)
    assert prefixed.joint_names == tuple(f"left_{j}" for j in plain.joint_names)
    controlled = [j.get("name") for j in root.findall("ros2_control/joint")]
    assert controlled == list(prefixed.joint_names)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_tilted_mounting_turns_gravity(name):
    q = np.linspace(0.3, 0.9, robot(name).nv)
    upright, hanging = robot(name), robot(name, 'rpy:="3.141592653589793 0 0"')
    turned = upright.with_gravity((0.0, 0.0, 9.81))
    np.testing.assert_allclose(hanging.gravity_torque(q), turned.gravity_torque(q), atol=1e-9)
    assert np.abs(upright.gravity_torque(q) - hanging.gravity_torque(q)).max() > 1.0


@pytest.mark.parametrize("name", ROBOTS)
def test_ros2_control_tag_follows_the_hardware_plugin(name):
    root = ElementTree.fromstring(describe(name, "ros2_control:=true"))
    system = root.find("ros2_control")
    parameters = {p.get("name"): p.text for p in system.find("hardware").findall("param")}
    assert parameters["joint_commands_topic"] == "sim/joint_commands"
    assert parameters["joint_states_topic"] == "sim/joint_states"
    # With another threshold the plugin falls silent while the command equals the effort state.
    assert parameters["trigger_joint_command_threshold"] == "-1"
    assert [j.get("name") for j in system.findall("joint")] == list(robot(name).joint_names)
    for joint in system.findall("joint"):
        commands = {c.get("name") for c in joint.findall("command_interface")}
        states = {s.get("name") for s in joint.findall("state_interface")}
        assert commands == {"effort"}
        assert states == {"position", "velocity", "effort"}
        # No initial command: the simulated robot must not take a zero for an order.
        assert joint.find("command_interface/param") is None


@pytest.mark.parametrize("name", ROBOTS)
def test_no_ros2_control_tag_unless_asked_for(name):
    assert ElementTree.fromstring(describe(name)).find("ros2_control") is None
