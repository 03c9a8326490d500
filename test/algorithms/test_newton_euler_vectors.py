"""The three-vector recursion, and inverse dynamics as the toolboxes call it."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import agree
from known_robots import REAL_ROBOTS, numeric_cases, planar_2r, robot_of, states, with_referee
from random_trees import Case, fixed_cases

from dynamics_core import ArgumentError


@pytest.mark.parametrize("case", fixed_cases(6))
def test_both_recursions_agree(case: Case) -> None:
    expected = case.robot.inverse_dynamics(case.q, case.v, case.a)
    agree(case.robot.newton_euler_vectors(case.q, case.v, case.a), expected)


@pytest.mark.parametrize(("file", "floating"), REAL_ROBOTS)
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    robot, referee = with_referee(file, floating)
    q, v, a = states(robot)
    expected = [referee.inverse_dynamics(*s) for s in zip(q, v, a, strict=True)]
    agree(robot.newton_euler_vectors(q, v, a), np.array(expected))


def test_puma_and_iiwa() -> None:
    puma, iiwa = (numeric_cases()[k] for k in ("puma560_qn", "drake_iiwa_MG vel+acc g=9.8"))
    for case, tau in ((puma, puma["tau_rigid"]), (iiwa, iiwa["tau"])):
        state = (case["q"], case["qd"], case["qdd"])
        agree(robot_of(case).newton_euler_vectors(*state), tau, 1e-11)


def test_rne_of_the_puma() -> None:
    """The Robotics Toolbox's values: in motion, at rest, and without gravity."""
    case = numeric_cases()["puma560_qn"]
    robot, q, still = robot_of(case), case["q"], np.zeros(6)
    agree(robot.rne(q, case["qd"], case["qdd"]), case["tau_rigid"], 1e-11)
    agree(robot.rne(q, still, still), case["grav"], 1e-11)
    agree(robot.rne(q, still, still, gravity=(0.0, 0.0, 0.0)), still)
    agree(robot.rne(q, still, still, gravity=(0.0, 0.0, 9.81)), -np.array(case["grav"]), 1e-11)


def test_rne_pressing_on_something_costs_torque() -> None:
    """The tip presses with (1, 0) N in base axes, the arm bent by 90 degrees: tau = J' f."""
    robot, q, still = planar_2r(), np.array([0.0, np.pi / 2]), np.zeros(2)
    in_tip_axes = np.array([0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    weightless = (0.0, 0.0, 0.0)
    agree(robot.rne(q, still, still, weightless, in_tip_axes), np.array([-1.0, -1.0]))
    batch = robot.rne(q, still, still, weightless, np.stack((in_tip_axes, -in_tip_axes)))
    agree(batch, np.array([[-1.0, -1.0], [1.0, 1.0]]))


def test_rne_asks_which_end_is_the_tip() -> None:
    robot, _ = with_referee("baxter.urdf", False)
    q = np.zeros(robot.nq)
    with pytest.raises(ArgumentError, match=r"several ends .* name one with frame="):
        robot.rne(q, np.zeros(robot.nv), np.zeros(robot.nv), fext=np.ones(6))
    found = robot.rne(
        q, np.zeros(robot.nv), np.zeros(robot.nv), fext=np.ones(6), frame="left_hand_link"
    )
    external = robot.jacobian(q, "left_hand_link", "local").T @ np.ones(6)
    agree(found, robot.gravity_torque(q) + external)
