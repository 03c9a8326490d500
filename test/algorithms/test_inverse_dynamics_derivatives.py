"""Analytical derivatives of inverse dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import NUMERIC, agree, derivative, over_coordinates
from known_robots import REAL_ROBOTS, states, with_referee
from peers import relative_error
from random_trees import Case, fixed_cases

TREES = fixed_cases(2)


@pytest.mark.parametrize(("file", "floating"), REAL_ROBOTS)
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    robot, referee = with_referee(file, floating)
    q, v, a = states(robot)
    found = robot.inverse_dynamics_derivatives(q, v, a)
    for k in range(len(q)):
        dq, dv = referee.inverse_dynamics_derivatives(q[k], v[k], a[k])
        assert relative_error(found.dtau_dq[k], dq, ndim=2) < 1e-9
        assert relative_error(found.dtau_dv[k], dv, ndim=2) < 1e-9


def _torque(case: Case, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return case.robot.inverse_dynamics(q, v, np.broadcast_to(case.a, v.shape), f_ext=case.f_ext)


@pytest.mark.parametrize("case", TREES)
def test_along_q_is_the_difference_quotient(case: Case) -> None:
    """Wrenches included; along twists for floating and planar joints."""
    expected = over_coordinates(case, lambda q: _torque(case, q, np.tile(case.v, (len(q), 1))))
    found = case.robot.inverse_dynamics_derivatives(case.q, case.v, case.a, f_ext=case.f_ext)
    agree(found.dtau_dq, expected, NUMERIC)


@pytest.mark.parametrize("case", TREES)
def test_along_v_is_the_difference_quotient(case: Case) -> None:
    def torque(steps: np.ndarray) -> np.ndarray:
        return _torque(case, np.tile(case.q, (len(steps), 1)), case.v + steps)

    expected = derivative(torque, case.robot.nv).T
    found = case.robot.inverse_dynamics_derivatives(case.q, case.v, case.a, f_ext=case.f_ext)
    agree(found.dtau_dv, expected, NUMERIC)


@pytest.mark.parametrize("case", TREES)
def test_along_a_is_the_mass_matrix(case: Case) -> None:
    found = case.robot.inverse_dynamics_derivatives(case.q, case.v, case.a)
    agree(found.dtau_da, case.robot.mass_matrix(case.q))
