"""The Coriolis matrix and the Christoffel symbols."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import NUMERIC, agree, along_motion, over_coordinates
from known_robots import REAL_ROBOTS, planar_2r, states, with_referee
from peers import relative_error
from random_trees import Case, fixed_cases

TREES = fixed_cases(1)


def _has_coordinates_only(case: Case) -> bool:
    """Whether each velocity is the derivative of a coordinate."""
    return all(j.type.nv == 1 for j in case.robot.model.joints)


@pytest.mark.parametrize(("file", "floating"), REAL_ROBOTS)
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    robot, referee = with_referee(file, floating)
    q, v, _ = states(robot)
    expected = [referee.coriolis_matrix(*s) for s in zip(q, v, strict=True)]
    assert relative_error(robot.coriolis_matrix(q, v), expected, ndim=2) < 1e-9


@pytest.mark.parametrize("case", TREES)
def test_times_velocity_is_the_coriolis_torque(case: Case) -> None:
    c = case.robot.coriolis_matrix(case.q, case.v)
    agree(c @ case.v, case.robot.coriolis_torque(case.q, case.v))


@pytest.mark.parametrize("case", TREES)
def test_rate_of_mass_matrix_minus_twice_c_is_skew(case: Case) -> None:
    c = case.robot.coriolis_matrix(case.q, case.v)
    rate = along_motion(case, lambda q, v: case.robot.mass_matrix(q))
    agree(c + c.T, rate, NUMERIC)


@pytest.mark.parametrize("case", TREES)
def test_is_the_sum_of_symbols_times_velocity(case: Case) -> None:
    gamma = case.robot.christoffel_symbols(case.q)
    agree(gamma @ case.v, case.robot.coriolis_matrix(case.q, case.v))


@pytest.mark.parametrize("case", [c for c in TREES if _has_coordinates_only(c)])
def test_symbols_are_christoffels(case: Case) -> None:
    """By their definition, from numerical derivatives of M."""
    slope = over_coordinates(case, case.robot.mass_matrix)  # dM_ij / dq_k
    expected = 0.5 * (slope + slope.transpose(0, 2, 1) - slope.transpose(2, 1, 0))
    gamma = case.robot.christoffel_symbols(case.q)
    agree(gamma, expected, NUMERIC)
    agree(gamma, gamma.transpose(0, 2, 1))


def test_planar_arm() -> None:
    """Values by hand: M = [[3 + 2 c, 1 + c], [1 + c, 1]] with c = cos q2."""
    robot = planar_2r()
    q, v = np.array([0.0, np.pi / 2]), np.array([1.0, 2.0])
    agree(robot.mass_matrix(q), np.array([[3.0, 1.0], [1.0, 1.0]]))
    agree(robot.coriolis_matrix(q, v), np.array([[-2.0, -3.0], [1.0, 0.0]]))
    agree(robot.coriolis_torque(q, v), np.array([-8.0, 1.0]))
    agree(robot.gravity_torque(q), np.array([19.62, 0.0]))
    first, second = [[0.0, -1.0], [-1.0, -1.0]], [[1.0, 0.0], [0.0, 0.0]]
    agree(robot.christoffel_symbols(q), np.array([first, second]))
