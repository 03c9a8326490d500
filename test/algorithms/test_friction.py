"""Joint friction, where it is asked for and only there."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import NUMERIC, agree, derivative
from known_robots import planar_2r

from dynamics_core import ArgumentError, Robot

Q, A = np.array([0.3, -0.4]), np.array([0.5, -0.2])
V = np.array([1.0, -1.0])


@pytest.fixture
def arm() -> Robot:
    """Damping 0.7 N m s/rad and friction 0.3 N m in both joints."""
    return planar_2r('<dynamics damping="0.7" friction="0.3"/>')


def test_adds_damping_and_friction(arm: Robot) -> None:
    agree(arm.joint_friction(V), np.array([1.0, -1.0]))
    plain = arm.inverse_dynamics(Q, V, A)
    agree(arm.inverse_dynamics(Q, V, A, friction=True) - plain, np.array([1.0, -1.0]))


def test_only_where_it_is_asked_for(arm: Robot) -> None:
    agree(arm.inverse_dynamics(Q, V, A), planar_2r().inverse_dynamics(Q, V, A))
    agree(arm.forward_dynamics(Q, V, A), planar_2r().forward_dynamics(Q, V, A))


def test_turns_round_smoothly(arm: Robot) -> None:
    """``0.7 v + 0.3 tanh(v / v0)``, with v0 of 0.01 rad/s or as given."""
    v = np.array([[0.0, 0.01], [-0.005, 0.2]])
    agree(arm.joint_friction(v), 0.7 * v + 0.3 * np.tanh(v / 0.01))
    agree(arm.joint_friction(v, smoothing=0.1), 0.7 * v + 0.3 * np.tanh(v / 0.1))
    tau = arm.inverse_dynamics(
        np.tile(Q, (2, 1)), v, np.zeros((2, 2)), friction=True, smoothing=0.1
    )
    plain = arm.inverse_dynamics(np.tile(Q, (2, 1)), v, np.zeros((2, 2)))
    agree(tau - plain, arm.joint_friction(v, smoothing=0.1))


def test_forward_dynamics_undoes_inverse_dynamics(arm: Robot) -> None:
    tau = arm.inverse_dynamics(Q, V, A, friction=True)
    agree(arm.forward_dynamics(Q, V, tau, friction=True), A)
    assert np.abs(arm.forward_dynamics(Q, V, tau) - A).max() > 0.1


def test_derivatives_count_it(arm: Robot) -> None:
    slow = np.array([0.02, -0.01])

    def torque(s: np.ndarray) -> np.ndarray:
        n = (len(s), 1)
        return arm.inverse_dynamics(
            np.tile(Q, n), slow + s, np.tile(A, n), friction=True, smoothing=0.1
        )

    found = arm.inverse_dynamics_derivatives(Q, slow, A, friction=True, smoothing=0.1)
    agree(found.dtau_dv, derivative(torque, 2).T, NUMERIC)
    tau = torque(np.zeros((1, 2)))[0]
    forward = arm.forward_dynamics_derivatives(Q, slow, tau, friction=True, smoothing=0.1)
    agree(forward.da_dv, -np.linalg.solve(arm.mass_matrix(Q), found.dtau_dv))


def test_a_mimic_joint_rubs_on_its_master() -> None:
    """A follower at -2 times the speed: power 4 d v^2 + 2 f |v| more than the master's own."""
    text = """<robot name="r"><link name="b"/>
      <link name="x"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="y"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="master" type="continuous"><parent link="b"/><child link="x"/>
        <axis xyz="0 0 1"/><dynamics damping="0.7" friction="0.3"/></joint>
      <joint name="follower" type="continuous"><parent link="b"/><child link="y"/>
        <axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.2"/>
        <mimic joint="master" multiplier="-2"/></joint></robot>"""
    robot = Robot.from_urdf(text)
    v = np.array([1.5])
    expected = (0.7 + 4 * 0.5) * v + 0.3 + 2 * 0.2
    agree(robot.joint_friction(v), expected)


@pytest.mark.parametrize("smoothing", [0.0, -1.0, np.nan, np.inf, "slow"])
def test_smoothing_must_be_a_speed(arm: Robot, smoothing: object) -> None:
    with pytest.raises(ArgumentError, match="expected a speed above zero"):
        arm.inverse_dynamics(Q, V, A, friction=True, smoothing=smoothing)  # type: ignore[arg-type]
