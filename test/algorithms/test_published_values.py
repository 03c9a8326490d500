"""Numbers that were computed elsewhere: textbooks, other libraries' tests, closed forms.

The sources are in ``data/numeric_cases.json`` and beside each value here.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends import RobotUnderTest
from known_robots import numeric_cases, planar_2r, robot_of

from dynamics_core import Robot
from dynamics_core.dh import DHLink

DOWN = (0.0, -9.81, 0.0)


def planar_chain(
    lengths: list[float], masses: list[float], inertias: list[float], gravity: tuple = DOWN
) -> Robot:
    """Links in the xy plane that turn about z, centres of mass half-way; the last frame is a tip.

    Args:
        lengths: m.
        masses: kg.
        inertias: About the centre of mass and z, kg m2.
        gravity: m/s2.
    """
    links, joints = ['<link name="base"/>'], []
    parent, at = "base", 0.0
    for k, (length, mass, i) in enumerate(zip(lengths, masses, inertias, strict=True)):
        links.append(
            f'<link name="l{k}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>'
            f'<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        joints.append(
            f'<joint name="j{k}" type="continuous"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{at} 0 0"/><axis xyz="0 0 1"/></joint>'
        )
        parent, at = f"l{k}", length
    links.append('<link name="tip"/>')
    joints.append(
        f'<joint name="end" type="fixed"><parent link="{parent}"/><child link="tip"/>'
        f'<origin xyz="{at} 0 0"/></joint>'
    )
    text = f'<robot name="chain">{"".join(links + joints)}</robot>'
    return RobotUnderTest.from_urdf(text, gravity=gravity)


def test_planar_arm_with_point_masses() -> None:
    """Worked by hand from Lagrange's equations."""
    robot, q, v = planar_2r(), [0.0, math.pi / 2], [1.0, 2.0]
    tip = robot.frame_names[-1]
    np.testing.assert_allclose(robot.mass_matrix(q), [[3, 1], [1, 1]], atol=1e-14)
    np.testing.assert_allclose(robot.coriolis_matrix(q, v), [[-2, -3], [1, 0]], atol=1e-14)
    c = robot.coriolis_matrix(q, v)
    np.testing.assert_allclose(c + c.T, [[-4, -2], [-2, 0]], atol=1e-14)
    np.testing.assert_allclose(robot.coriolis_torque(q, v), [-8, 1], atol=1e-14)
    np.testing.assert_allclose(robot.gravity_torque(q), [19.62, 0], atol=1e-14)
    jacobian = robot.jacobian(q, tip)[:2]
    np.testing.assert_allclose(jacobian, [[-1, -1], [1, 0]], atol=1e-14)
    np.testing.assert_allclose(robot.frame_velocity(q, v, tip)[:2], [-3, 1], atol=1e-14)
    np.testing.assert_allclose(robot.jacobian_bias(q, v, tip)[:2], [-1, -9], atol=1e-14)


def test_external_torque_and_holding_torque_have_opposite_signs() -> None:
    """A push of 1 N along x on the tip of the planar arm."""
    robot, q, still = planar_2r(), np.array([0.0, math.pi / 2]), np.zeros(2)
    tip = robot.frame_names[-1]
    turn = robot.frame_pose(q, tip)[:3, :3]
    for push in (1.0, -1.0):
        wrench = np.concatenate((turn.T @ [push, 0.0, 0.0], np.zeros(3)))
        external = robot.jacobian(q, tip, "local").T @ wrench
        np.testing.assert_allclose(external, [-push, -push], atol=1e-14)
        weightless = robot.with_gravity((0.0, 0.0, 0.0))
        holding = weightless.inverse_dynamics(q, still, still, f_ext={tip: wrench})
        np.testing.assert_allclose(holding, [push, push], atol=1e-14)


def test_power_is_the_same_at_the_joints_and_at_the_tip() -> None:
    """-0.1 W, with the tip moving at (-0.1, 0.2) m/s."""
    robot, q, v = planar_2r(), [0.0, math.pi / 2], np.array([0.2, -0.1])
    tip = robot.frame_names[-1]
    velocity = robot.frame_velocity(q, v, tip)
    np.testing.assert_allclose(velocity[:2], [-0.1, 0.2], atol=1e-15)
    force = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert force @ velocity == pytest.approx(-0.1, abs=1e-15)
    assert robot.jacobian(q, tip).T @ force @ v == pytest.approx(-0.1, abs=1e-15)


def test_uniform_rods() -> None:
    """Two rods of 4 and 2.5 kg, 0.6 and 0.5 m, lying; the closed form of any textbook."""
    masses, lengths = [4.0, 2.5], [0.6, 0.5]
    rods = [m * length**2 / 12.0 for m, length in zip(masses, lengths, strict=True)]
    robot = planar_chain(lengths, masses, rods)
    q, v, a = [0.3, 0.5], [0.2, -0.1], [1.0, 0.5]
    expected = [[2.24652025, 0.53742679], [0.53742679, 0.20833333]]
    np.testing.assert_allclose(robot.mass_matrix(q), expected, atol=5e-9)
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a), [32.09630779, 4.92046786], atol=5e-9
    )


def test_three_links_and_a_force_on_the_tip() -> None:
    """Rates add up along the chain; the force is in base axes."""
    zero = (0.0, 0.0, 0.0)
    robot = planar_chain([0.5, 0.4, 0.3], [4.0, 3.0, 1.5], [0.08, 0.05, 0.02], zero)
    q, v, a = np.array([0.2, 0.5, -0.3]), [0.8, 0.6, -0.4], [0.5, 0.3, -0.2]
    free = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(free, [1.60063595, 0.97189656, 0.1183374], atol=5e-9)
    force = robot.frame_pose(q, "tip")[:3, :3].T @ [2.0, 1.0, 0.0]
    loaded = robot.inverse_dynamics(q, v, a, f_ext={"tip": np.concatenate((force, np.zeros(3)))})
    np.testing.assert_allclose(loaded, [1.47604198, 1.13866655, 0.07567011], atol=5e-9)


def test_pendulum_under_computed_torque() -> None:
    """1 kg at 0.5 m, target 0.1 rad higher, Kp = 25: 3.0775 N m, 2.4525 of them weight."""
    pendulum = planar_chain([1.0], [1.0], [0.0], gravity=(9.81, 0.0, 0.0))  # zero hangs along x
    q, still = np.array([math.radians(30.0)]), np.zeros(1)
    hold = pendulum.gravity_torque(q)
    np.testing.assert_allclose(hold, [2.4525], atol=1e-13)
    np.testing.assert_allclose(pendulum.gravity_torque(-q), [-2.4525], atol=1e-13)
    np.testing.assert_allclose(pendulum.gravity_torque(still), [0.0], atol=1e-13)
    np.testing.assert_allclose(pendulum.mass_matrix(q), [[0.25]], atol=1e-15)
    np.testing.assert_allclose(pendulum.forward_dynamics(q, still, still), [-9.81], atol=1e-13)
    np.testing.assert_allclose(pendulum.inverse_dynamics(q, still, [2.0]), [2.9525], atol=1e-13)
    torque = pendulum.inverse_dynamics(q, still, [25.0 * 0.1])
    np.testing.assert_allclose(torque, [3.0775], atol=1e-13)


@pytest.mark.parametrize("name", [k for k in numeric_cases() if k.startswith("rbdl")])
def test_chains_of_rbdl(name: str) -> None:
    """Accelerations at rest, from RBDL's own tests, with its six digits or more."""
    case = numeric_cases()[name]
    a = robot_of(case).forward_dynamics(case["q"], case["qd"], case["tau"])
    np.testing.assert_allclose(a, case["qdd"], atol=1e-12)


def test_puma_560() -> None:
    """Torques of the Robotics Toolbox, without and with the rotors' inertia."""
    case = numeric_cases()["puma560_qn"]
    state = (case["q"], case["qd"], case["qdd"])
    robot = robot_of(case)
    np.testing.assert_allclose(robot.inverse_dynamics(*state), case["tau_rigid"], atol=1e-12)
    np.testing.assert_allclose(robot.gravity_torque(case["q"]), case["grav"], atol=1e-12)
    rotors = dict(zip(robot.joint_names, case["armature_Jm_G2"], strict=True))
    geared = RobotUnderTest.from_urdf(case["urdf"], armature=rotors)
    expected = case["tau_with_armature_no_friction"]
    np.testing.assert_allclose(geared.inverse_dynamics(*state), expected, atol=1e-12)


def test_kuka_iiwa() -> None:
    """Torques and the motion of the last link, from Drake's symbolic benchmark."""
    case = numeric_cases()["drake_iiwa_MG vel+acc g=9.8"]
    robot, state = robot_of(case), (case["q"], case["qd"], case["qdd"])
    np.testing.assert_allclose(robot.inverse_dynamics(*state), case["tau"], atol=1e-12)
    last = robot.frame_names[-1]
    pose = robot.frame_pose(case["q"], last)
    np.testing.assert_allclose(pose[:3, 3], case["link7_p"], atol=1e-13)
    velocity = robot.frame_velocity(case["q"], case["qd"], last)
    np.testing.assert_allclose(velocity[:3], case["link7_v_world"], atol=1e-13)
    np.testing.assert_allclose(velocity[3:], case["link7_w_world"], atol=1e-13)
    acceleration = robot.frame_acceleration(*state, last, classical=True)
    np.testing.assert_allclose(acceleration[:3], case["link7_a_world_classical"], atol=1e-13)
    np.testing.assert_allclose(acceleration[3:], case["link7_alpha_world"], atol=1e-13)


def test_inertia_given_in_turned_axes() -> None:
    """A closed form: ``<inertial><origin rpy>`` turns the inertia."""
    case = numeric_cases()["inertia_rpy_full"]
    robot = robot_of(case)
    np.testing.assert_allclose(robot.mass_matrix(case["q"]), case["M"], atol=1e-13)
    np.testing.assert_allclose(robot.gravity_torque(case["q"]), case["grav"], atol=1e-13)


def test_armature_adds_to_the_mass_matrix() -> None:
    """0.5 on an inertia of 1 makes 1.5."""
    text = (
        '<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="l"/>'
        '<axis xyz="0 0 1"/><dynamics damping="0.7" friction="0.3"/></joint></robot>'
    )
    robot = RobotUnderTest.from_urdf(text, armature=0.5)
    assert robot.mass_matrix([0.3]) == pytest.approx(1.5, abs=1e-15)
    tau = robot.inverse_dynamics([0.3], [0.2], [0.7])
    assert robot.forward_dynamics([0.3], [0.2], tau) == pytest.approx([0.7], abs=1e-15)
    smooth = robot.inverse_dynamics([0.3], [1.0], [0.0], friction=True)
    assert smooth == pytest.approx([1.0], abs=1e-9)


def test_every_case_is_used() -> None:
    """No case of the file without its test."""
    used = {"puma560_qn", "drake_iiwa_MG vel+acc g=9.8", "inertia_rpy_full"}
    assert set(numeric_cases()) == used | {k for k in numeric_cases() if k.startswith("rbdl")}


def test_franka_research_3_gravity() -> None:
    """Masses of the FR3 as its maker publishes them; torques as libfranka's own test prints them.

    A second way to a real arm as well: modified Denavit-Hartenberg rows instead of a URDF.
    """
    a = (0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088)
    alpha = (0.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0)  # quarter turns
    d = (0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0)
    masses = (
        2.9274653454, 2.9355370338, 2.2449013699, 2.6155955791, 2.3271207594, 1.8170376524,
        0.6271432862,
    )  # fmt: skip
    centres = (
        (0.0000004128, -0.0181251324, -0.0386035970),
        (0.0031828864, -0.0743221644, 0.0088146084),
        (0.0407015686, -0.0048200565, -0.0289730823),
        (-0.0459100965, 0.0630492960, -0.0085187868),
        (-0.0016039605, 0.0292536262, -0.0972965990),
        (0.0597131221, -0.0410294666, -0.0101692726),
        (0.0045225817, 0.0086261921, -0.0161633251),
    )
    rows = [
        DHLink(a=a[k], alpha=alpha[k] * math.pi / 2, d=d[k], mass=masses[k], com=centres[k])
        for k in range(7)
    ]
    robot = RobotUnderTest.from_dh(rows, convention="modified")
    expected = [0.0, -3.52387, 0.0, -3.44254, 0.0, 1.63362, 0.0]
    np.testing.assert_allclose(robot.gravity_torque([0.0] * 7), expected, atol=5e-6)
