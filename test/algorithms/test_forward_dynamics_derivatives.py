"""Analytical derivatives of forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import skip_large
from identities.tools import NUMERIC, agree, derivative, over_coordinates
from known_robots import REAL_ROBOTS, states, with_referee
from peers import PinocchioPeer, relative_error
from random_trees import Case, fixed_cases

TREES = fixed_cases(3)


@pytest.mark.parametrize(("file", "floating"), REAL_ROBOTS)
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    robot, referee = with_referee(file, floating)
    skip_large(robot)
    q, v, _ = states(robot)
    tau = 10.0 * np.random.default_rng(5).normal(size=v.shape)
    found = robot.forward_dynamics_derivatives(q, v, tau)
    for k in range(len(q)):
        dq, dv = _expected(referee, q[k], v[k], tau[k])
        tolerance = 1e-13 * np.linalg.cond(robot.mass_matrix(q[k]))
        assert relative_error(found.da_dq[k], dq, ndim=2) < max(1e-9, tolerance)
        assert relative_error(found.da_dv[k], dv, ndim=2) < max(1e-9, tolerance)


def _expected(
    referee: PinocchioPeer, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pinocchio's derivatives; it has none for mimic joints, but all that they are made of."""
    if not referee.robot.model.has_mimic:
        return referee.forward_dynamics_derivatives(q, v, tau)
    a, m = referee.forward_dynamics(q, v, tau), referee.mass_matrix(q)
    dq, dv = referee.inverse_dynamics_derivatives(q, v, a)
    return -np.linalg.solve(m, dq), -np.linalg.solve(m, dv)


def _acceleration(case: Case, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    return case.robot.forward_dynamics(q, v, tau, f_ext=case.f_ext)


@pytest.mark.parametrize("case", TREES)
def test_along_q_is_the_difference_quotient(case: Case) -> None:
    def acceleration(q: np.ndarray) -> np.ndarray:
        return _acceleration(case, q, np.tile(case.v, (len(q), 1)), np.tile(case.a, (len(q), 1)))

    found = case.robot.forward_dynamics_derivatives(case.q, case.v, case.a, f_ext=case.f_ext)
    agree(found.da_dq, over_coordinates(case, acceleration), NUMERIC)


@pytest.mark.parametrize("case", TREES)
def test_along_v_is_the_difference_quotient(case: Case) -> None:
    def acceleration(s: np.ndarray) -> np.ndarray:
        n = len(s)
        return _acceleration(case, np.tile(case.q, (n, 1)), case.v + s, np.tile(case.a, (n, 1)))

    found = case.robot.forward_dynamics_derivatives(case.q, case.v, case.a, f_ext=case.f_ext)
    agree(found.da_dv, derivative(acceleration, case.robot.nv).T, NUMERIC)


@pytest.mark.parametrize("case", TREES)
def test_along_tau_is_the_inverse_mass_matrix(case: Case) -> None:
    found = case.robot.forward_dynamics_derivatives(case.q, case.v, case.a)
    agree(found.da_dtau @ case.robot.mass_matrix(case.q), np.eye(case.robot.nv))
