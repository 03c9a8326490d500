"""Gravity compensation and inverse dynamics control against the robot's own dynamics."""

import numpy as np
import pytest
from arms import arm, simulate

from dynamics_core import ArgumentError, UnknownNameError
from dynamics_core.control import (
    GravityCompensation,
    InverseDynamicsControl,
    JointFriction,
    JointSelection,
)
from dynamics_core.model import JointType

Q = np.array([0.3, -0.8, 1.1, 0.4, -0.6, 0.9])
V = np.array([0.5, -0.2, 0.8, -1.0, 0.3, 0.6])
A = np.array([1.0, 2.0, -1.5, 0.7, -3.0, 4.0])


def test_an_arm_at_rest_floats():
    robot = arm()
    control = GravityCompensation(robot, JointSelection(robot))
    rest = np.zeros(robot.nv)
    assert np.abs(robot.gravity_torque(Q)).max() > 1.0
    assert robot.forward_dynamics(Q, rest, control.step(Q, rest)) == pytest.approx(rest, abs=1e-9)


def test_scale_and_damping_act_by_joint_in_the_order_asked_for():
    robot = arm()
    joints = JointSelection(robot, ["joint_3", "joint_1"])
    control = GravityCompensation(robot, joints)
    control.set_gains([0.5, 1.0], [2.0, 0.0])
    g = robot.gravity_torque(Q)
    assert control.step(Q, V) == pytest.approx([0.5 * g[2] - 2.0 * V[2], g[0]])
    with pytest.raises(ArgumentError, match="damping has 3 entries; expected 1, or 2"):
        control.set_gains(1.0, [1.0, 2.0, 3.0])


def test_a_payload_makes_the_arm_float_with_it():
    robot = arm()
    joints = JointSelection(robot)
    control = GravityCompensation(robot, joints)
    held = robot.with_payload("tool", 2.0, (0.0, 0.02, 0.05))
    rest = np.zeros(robot.nv)
    assert np.abs(held.forward_dynamics(Q, rest, control.step(Q, rest))).max() > 0.1
    control.robot = held
    assert held.forward_dynamics(Q, rest, control.step(Q, rest)) == pytest.approx(rest, abs=1e-9)


def test_friction_compensation_helps_the_motion_and_vanishes_at_rest():
    robot = arm(2)
    control = GravityCompensation(robot, JointSelection(robot))
    control.friction, control.friction_scale = JointFriction([0.4, 0.0], [1.0, 2.0]), 0.5
    g = control.step(Q[:2], np.zeros(2)).copy()
    assert control.step(Q[:2], np.array([1.0, -1.0])) - g == pytest.approx([0.7, -1.0])
    assert g == pytest.approx(robot.gravity_torque(Q[:2]))


def test_computed_torque_gives_every_joint_its_linear_error_dynamics():
    robot = arm()
    control = InverseDynamicsControl(robot, JointSelection(robot))
    control.law = "computed_torque"
    control.set_gains(100.0, 20.0)
    q_d, v_d = Q + 0.1, V - 0.2
    tau = control.step(Q, V, q_d, v_d, A)
    wanted = A + 100.0 * (q_d - Q) + 20.0 * (v_d - V)
    assert robot.forward_dynamics(Q, V, tau) == pytest.approx(wanted, rel=1e-9)


def test_feedforward_on_the_desired_motion_gives_the_desired_acceleration():
    robot = arm()
    control = InverseDynamicsControl(robot, JointSelection(robot))
    control.set_gains(100.0, 20.0)
    assert robot.forward_dynamics(Q, V, control.step(Q, V, Q, V, A)) == pytest.approx(A, rel=1e-9)


def test_the_terms_add_up_and_each_can_be_switched_off():
    robot = arm()
    control = InverseDynamicsControl(robot, JointSelection(robot))
    control.friction = JointFriction(np.full(6, 0.3), np.full(6, 0.1))
    control.feedback = False
    parts = {}
    for term in ("inertia", "coriolis", "gravity", "friction"):
        control.terms = frozenset({term})
        parts[term] = control.step(Q, V, Q, V, A)
    assert parts["gravity"] == pytest.approx(robot.gravity_torque(Q))
    assert parts["coriolis"] == pytest.approx(robot.coriolis_torque(Q, V))
    assert parts["inertia"] == pytest.approx(robot.mass_matrix(Q) @ A)
    control.terms = frozenset(parts)
    assert control.step(Q, V, Q, V, A) == pytest.approx(sum(parts.values()))
    control.terms = frozenset()
    assert control.step(Q, V, Q, V, A).tolist() == [0.0] * 6
    control.feedback = True
    control.set_gains(10.0, 1.0)
    assert control.step(Q, V, Q + 0.1, V, A) == pytest.approx(np.full(6, 1.0))


def test_the_error_of_a_continuous_joint_goes_the_short_way_round():
    robot = arm(2, kind=JointType.CONTINUOUS)
    control = InverseDynamicsControl(robot, JointSelection(robot))
    control.set_gains(10.0, 0.0)
    control.terms = frozenset()
    rest = np.zeros(2)
    tau = control.step(np.array([3.1, 0.0]), rest, np.array([-3.1, 4.0 * np.pi + 0.1]), rest, rest)
    assert tau == pytest.approx([10.0 * (2.0 * np.pi - 6.2), 1.0])


def test_feedforward_tracks_far_better_than_feedback_alone():
    robot = arm()
    control = InverseDynamicsControl(robot, JointSelection(robot))
    inertia = 1.0 / np.diag(np.linalg.inv(robot.mass_matrix(Q)))
    control.set_gains(400.0 * inertia, 40.0 * inertia)

    def desired(t: float):
        s, w = np.sin(3.0 * t), 3.0
        return (
            Q + 0.3 * (1.0 - np.cos(w * t)),
            0.3 * w * s * np.ones(6),
            0.3 * w * w * np.cos(w * t) * np.ones(6),
        )

    def rms(terms: frozenset) -> float:
        control.terms = terms
        q, _, _ = simulate(
            robot,
            Q,
            np.zeros(6),
            lambda t, q, v: control.step(q, v, *desired(t)),
            0.5,
            period=0.002,
        )
        wanted = np.array([desired(0.002 * k)[0] for k in range(len(q))])
        return float(np.sqrt(np.mean((q - wanted) ** 2)))

    alone = rms(frozenset())
    assert rms(frozenset({"inertia", "coriolis", "gravity"})) < alone / 50.0


def test_negative_gains_are_refused():
    robot = arm(2)
    control = InverseDynamicsControl(robot, JointSelection(robot))
    with pytest.raises(ArgumentError, match="0 or more"):
        control.set_gains(-1.0, 1.0)


def test_joints_are_selected_by_name_and_locked_ones_stand_still():
    robot = arm(3)
    joints = JointSelection(robot, ["joint_3", "joint_1"], ["joint_2"], [0.7])
    assert joints.heard == ("joint_1", "joint_3")
    assert joints.q.tolist() == [0.0, 0.7, 0.0]
    assert joints.pick(np.array([1.0, 2.0, 3.0])).tolist() == [3.0, 1.0]
    with pytest.raises(UnknownNameError, match="did you mean 'joint_1'"):
        JointSelection(robot, ["joint1"])
    with pytest.raises(ArgumentError, match="both locked"):
        JointSelection(robot, ["joint_1"], ["joint_1"])
    with pytest.raises(ArgumentError, match="every joint is locked"):
        JointSelection(robot, [], ["joint_1", "joint_2", "joint_3"])
