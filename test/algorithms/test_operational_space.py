"""Operational-space inertia and the dynamically consistent inverse."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import agree
from known_robots import planar_2r, states, with_referee

from dynamics_core import ArgumentError, Robot, SingularityError, UnknownNameError

REFERENCES = ("local", "world", "local_world_aligned")


@pytest.fixture
def arm() -> Robot:
    """Seven joints: one more than a frame has directions."""
    return with_referee("panda.urdf", False)[0]


@pytest.mark.parametrize("reference", REFERENCES)
def test_is_what_pinocchios_matrices_give(reference: str) -> None:
    robot, referee = with_referee("talos_reduced.urdf", True)
    q, _, _ = states(robot)
    found = robot.operational_space(q, "gripper_left_base_link", reference)
    for k in range(len(q)):
        j = referee.jacobian(q[k], "gripper_left_base_link", reference)
        m_inverse_jt = np.linalg.solve(referee.mass_matrix(q[k]), j.T)
        expected = np.linalg.inv(j @ m_inverse_jt)
        agree(found.inertia[k], expected, 1e-8)
        agree(found.inverse[k], m_inverse_jt @ expected, 1e-8)


def test_null_space_torque_leaves_the_frame_at_rest(arm: Robot) -> None:
    q, v, _ = (x[0] for x in states(arm))
    _, inverse = arm.operational_space(q, "panda_hand")
    j = arm.jacobian(q, "panda_hand")
    agree(j @ inverse, np.eye(6), 1e-8)
    tau = (np.eye(arm.nv) - j.T @ inverse.T) @ (10.0 * v)
    a = np.linalg.solve(arm.mass_matrix(q), tau)
    assert np.abs(a).max() > 1.0
    assert np.abs(j @ a).max() < 1e-8


def test_chosen_directions_are_rows_of_the_jacobian(arm: Robot) -> None:
    q, _, _ = (x[0] for x in states(arm))
    j = arm.jacobian(q, "panda_hand")[[2, 0]]
    expected = np.linalg.inv(j @ np.linalg.solve(arm.mass_matrix(q), j.T))
    agree(arm.operational_space_inertia(q, "panda_hand", directions=(2, 0)), expected)


def test_planar_arm_by_hand() -> None:
    """Straight up at the elbow: M = [[3, 1], [1, 1]], J = [[-1, -1], [1, 0]]."""
    j, m = np.array([[-1.0, -1.0], [1.0, 0.0]]), np.array([[3.0, 1.0], [1.0, 1.0]])
    expected = np.linalg.inv(j).T @ m @ np.linalg.inv(j)
    q = np.array([0.0, np.pi / 2])
    agree(planar_2r().operational_space_inertia(q, "tip", directions=(0, 1)), expected)


def test_directions_that_never_move_are_refused() -> None:
    with pytest.raises(SingularityError, match="'tip' cannot move along z, rotation x, rotation y"):
        planar_2r().operational_space(np.array([0.3, 0.4]), "tip")


def test_singular_position_is_refused_and_its_row_named() -> None:
    q = np.array([[0.3, 0.4], [0.3, 0.0]])
    with pytest.raises(SingularityError, match="in row 1: singular position"):
        planar_2r().operational_space(q, "tip", directions=(0, 1))


def test_misuse(arm: Robot) -> None:
    q = np.zeros(arm.nq)
    with pytest.raises(UnknownNameError, match="panda_hand"):
        arm.operational_space(q, "panda_hnd")
    with pytest.raises(ArgumentError, match="different numbers from 0 to 5"):
        arm.operational_space(q, "panda_hand", directions=(0, 6))
    with pytest.raises(ArgumentError, match="unknown reference"):
        arm.operational_space(q, "panda_hand", "base")
