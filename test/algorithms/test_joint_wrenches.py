"""The wrench that each joint transmits."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import agree
from known_robots import numeric_cases, robot_of, states, with_referee

from dynamics_core import ArgumentError
from dynamics_core.model import JointType


def test_reactions_of_drakes_iiwa() -> None:
    """Printed to 15 digits, as (torque, force) in base axes."""
    case = numeric_cases()["drake_iiwa_MG vel+acc g=9.8"]
    robot = robot_of(case)
    found = robot.joint_wrenches(case["q"], case["qd"], case["qdd"], "local_world_aligned")
    expected = np.array(case["joint_reaction_on_link_i_at_link_i_origin_world_torque_force"])
    agree(found, expected[:, [3, 4, 5, 0, 1, 2]], 1e-11)
    agree(robot.inverse_dynamics(case["q"], case["qd"], case["qdd"]), case["tau"], 1e-11)


@pytest.mark.parametrize(("file", "floating"), [("panda.urdf", False), ("baxter.urdf", True)])
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    """Pinocchio's ``data.f`` is in the axes of the URDF's joint frame."""
    robot, referee = with_referee(file, floating)
    q, v, a = (x[0] for x in states(robot))
    referee.inverse_dynamics(q, v, a)
    found = robot.joint_wrenches(q, v, a, "local")
    for name, wrench in zip(robot.wrench_joint_names, found, strict=True):
        agree(wrench, referee.data.f[referee.ids[name]].vector)


def test_along_the_axis_it_is_the_torque() -> None:
    robot, _ = with_referee("talos_reduced.urdf", False)
    q, v, a = states(robot)
    found = robot.joint_wrenches(q, v, a)
    tau = robot.inverse_dynamics(q, v, a)
    for k, joint in enumerate(robot.model.joints):
        axis = 2 if joint.type is JointType.PRISMATIC else 5
        agree(found[:, k, axis], tau[:, joint.v_index])


def test_axes_turn_one_wrench() -> None:
    robot, _ = with_referee("ur5_robot.urdf", False)
    q, v, a = (x[0] for x in states(robot))
    local, world = (robot.joint_wrenches(q, v, a, r) for r in ("local", "local_world_aligned"))
    for body, own, base in zip(robot.model.bodies, local, world, strict=True):
        turn = robot.frame_pose(q, body.name)[:3, :3]
        agree(base, np.concatenate((turn @ own[:3], turn @ own[3:])))


def test_hanging_mass_and_a_push() -> None:
    """At rest, each joint carries the weight beyond it; a push on the tip is taken by all."""
    robot, _ = with_referee("ur5_robot.urdf", False)
    q, _, _ = (x[0] for x in states(robot))
    still = np.zeros(robot.nv)
    beyond = np.cumsum([b.inertia.mass for b in robot.model.bodies][::-1])[::-1]
    carried = robot.joint_wrenches(q, still, still, "local_world_aligned")
    agree(carried[:, :3], np.outer(beyond, [0.0, 0.0, 9.81]))
    push = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    turn = robot.frame_pose(q, "tool0")[:3, :3]
    pushed = robot.joint_wrenches(q, still, still, "local_world_aligned", f_ext={"tool0": push})
    agree(carried[:, :3] - pushed[:, :3], np.tile(turn @ push[:3], (6, 1)))


def test_unknown_axes_are_refused() -> None:
    robot, _ = with_referee("ur5_robot.urdf", False)
    with pytest.raises(ArgumentError, match="known are 'joint', 'local'"):
        robot.joint_wrenches(np.zeros(6), np.zeros(6), np.zeros(6), "world")
