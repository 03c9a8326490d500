"""Joints that move no inertia: known for kinematics, refused by forward dynamics by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from identities.tools import agree
from known_robots import JOINT, LIMIT, LINK, planar_2r
from random_trees import fixed_cases

from dynamics_core import Robot, SingularMassError


def _chain(*masses: float, axis: str = "0 1 0", at: str = "0 0 0") -> Robot:
    """A chain of revolute joints j0, j1, ... whose links have these masses; 0 is massless."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for k, mass in enumerate(masses):
        solid = LINK.format(name=f"l{k + 1}", com="0.3 0 0.1", mass=mass, i=0.1)
        parts.append(solid if mass else f'<link name="l{k + 1}"/>')
        parts.append(
            JOINT.format(
                name=f"j{k}", kind="revolute", parent=f"l{k}", child=f"l{k + 1}",
                at=at, axis=axis, more=LIMIT,
            )
        )  # fmt: skip
    return Robot.from_urdf("".join((*parts, "</robot>")))


FUNCTIONS = (
    lambda r, n: r.forward_dynamics(np.zeros(n), np.zeros(n), np.zeros(n)),
    lambda r, n: r.forward_dynamics(np.zeros((4, n)), np.zeros((4, n)), np.zeros((4, n))),
    lambda r, n: r.forward_dynamics_derivatives(np.zeros(n), np.zeros(n), np.zeros(n)),
    lambda r, n: r.operational_space(np.zeros(n), "l1", directions=(0,)),
)


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_massless_leaf_is_named(function: object) -> None:
    robot = _chain(1.0, 0.0)
    assert robot.jacobian(np.zeros(2), "l2").shape == (6, 2)
    agree(robot.inverse_dynamics([0.1, 0.2], [0, 0], [0, 1.0])[1], 0.0)
    for _ in range(2):  # not only the first time
        with pytest.raises(SingularMassError, match=r"joint 'j1' moves no inertia"):
            function(robot, 2)  # type: ignore[operator]


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
def test_two_joints_on_one_axis_with_nothing_between() -> None:
    with pytest.raises(SingularMassError, match=r"joint 'j1'"):
        _chain(1.0, 0.0, 1.0).forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
def test_a_massless_link_between_others_is_no_fault() -> None:
    robot = _chain(1.0, 0.0, 1.0, at="0.5 0 0")
    q, v = np.array([0.1, 0.9, -0.4]), np.ones(3)
    a = np.array([0.3, -0.2, 0.1])
    agree(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a)


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
def test_armature_is_inertia_enough() -> None:
    model = _chain(1.0, 0.0).model
    geared = tuple(replace(b, joint=replace(b.joint, armature=0.5)) for b in model.bodies)
    robot = Robot(replace(model, bodies=geared))
    q = [0.1, 0.2]
    torque = robot.gravity_torque(q) + np.array([0.0, 1.0])
    agree(robot.forward_dynamics(q, [0, 0], torque)[1], 2)


def test_point_masses_are_inertia_enough() -> None:
    robot = planar_2r()
    a = robot.forward_dynamics([0.0, np.pi / 2], [0.0, 0.0], [19.62, 0.0])
    agree(a, np.zeros(2))


@pytest.mark.parametrize("case", fixed_cases(8))
def test_solid_robots_pass(case: object) -> None:
    case.robot.forward_dynamics(case.q, case.v, case.a)  # type: ignore[attr-defined]
