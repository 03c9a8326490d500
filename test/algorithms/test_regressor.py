"""The regressor, and inertial parameters both ways."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import agree
from known_robots import REAL_ROBOTS, planar_2r, states, with_referee
from peers import relative_error
from random_trees import Case, fixed_cases

from dynamics_core import ArgumentError, Robot
from dynamics_core.spatial import Inertia

TREES = fixed_cases(4)


def _rotor_torque(robot: Robot, a: np.ndarray) -> np.ndarray:
    """What accelerates the rotors, which no link's parameters hold."""
    tau = np.zeros_like(a)
    for body in robot.model.bodies:
        j = body.joint
        at = slice(j.v_index, j.v_index + j.type.nv)
        tau[..., at] += j.multiplier**2 * j.armature * a[..., at]
    return tau


@pytest.mark.parametrize("case", TREES)
def test_times_parameters_is_the_torque(case: Case) -> None:
    y = case.robot.regressor(case.q, case.v, case.a)
    tau = case.robot.inverse_dynamics(case.q, case.v, case.a) - _rotor_torque(case.robot, case.a)
    agree(y @ case.robot.inertial_parameters(), tau)


@pytest.mark.parametrize("case", TREES)
def test_every_column_is_the_torque_of_one_parameter(case: Case) -> None:
    """Set one parameter to one and all the others to zero."""
    y = case.robot.regressor(case.q, case.v, case.a)
    rotors = _rotor_torque(case.robot, case.a)
    for k, unit in enumerate(np.eye(y.shape[1])):
        alone = case.robot.with_inertial_parameters(unit, positive=False)
        agree(y[:, k], alone.inverse_dynamics(case.q, case.v, case.a) - rotors)


@pytest.mark.parametrize(("file", "floating"), REAL_ROBOTS)
def test_agrees_with_pinocchio(file: str, floating: bool) -> None:
    """Column by column, each body's parameters turned from the URDF's joint axes to ours."""
    robot, referee = with_referee(file, floating)
    q, v, a = states(robot)
    found = robot.regressor(q, v, a)
    for k in range(len(q)):
        theirs = referee.regressor(q[k], v[k], a[k])
        for b, body in enumerate(robot.model.bodies):
            turn = robot.model.frame(body.name).placement
            at = 10 * (referee.ids[body.joint.name] - 1)
            columns = theirs[:, at : at + 10]
            ours = found[k][:, 10 * b : 10 * b + 10]
            to_ours = [Inertia.of(e).to_parent(turn).parameters() for e in np.eye(10)]
            ours = ours @ np.array(to_ours, dtype=float).T
            assert relative_error(ours, columns, ndim=2, floor=1e-6) < 1e-9


def test_parameters_go_both_ways() -> None:
    robot, _ = with_referee("panda.urdf", False)
    pi = robot.inertial_parameters()
    q, v, a = states(robot)
    heavier = robot.with_inertial_parameters(1.5 * pi)
    agree(heavier.inertial_parameters(), 1.5 * pi)
    agree(heavier.inverse_dynamics(q, v, a), 1.5 * robot.inverse_dynamics(q, v, a))
    agree(robot.inertial_parameters(), pi)


def test_least_squares_finds_the_torques_of_an_unknown_robot() -> None:
    """Identification as it is done: stack regressors over a motion, solve, predict."""
    robot, _ = with_referee("ur5_robot.urdf", False)
    q, v, a = states(robot, 60, seed=1)
    y = robot.regressor(q, v, a).reshape(-1, robot.inertial_parameters().size)
    tau = robot.inverse_dynamics(q, v, a).ravel()
    pi = np.linalg.lstsq(y, tau, rcond=1e-10)[0]
    found = robot.with_inertial_parameters(pi, positive=False)
    fresh = states(robot, 5, seed=2)
    agree(found.inverse_dynamics(*fresh), robot.inverse_dynamics(*fresh), 1e-7)


def test_bad_parameters_are_refused() -> None:
    robot = planar_2r()
    pi = robot.inertial_parameters()
    with pytest.raises(ArgumentError, match=r"2 moving bodies and needs \(20,\)"):
        robot.with_inertial_parameters(pi[:-1])
    pi[10] = np.nan
    with pytest.raises(ArgumentError, match="m of body 'fore'"):
        robot.with_inertial_parameters(pi)
    pi[10] = -1.0
    with pytest.raises(ArgumentError, match="'fore' could have negative kinetic energy"):
        robot.with_inertial_parameters(pi)
