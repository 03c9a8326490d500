"""Models that are simpler, and that the true one's joints cannot tell from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from backends import NumpyRobot
from identities.tools import agree
from mutations import Mutation, broken
from random_trees import Case, fixed_cases, random_case, random_model

from dynamics_core.base_parameters import regrouped
from dynamics_core.frame_origins import with_simple_positions
from dynamics_core.functions import Parametrisation
from dynamics_core.model import JointType, Model

TREES = fixed_cases(12)


def _same_joint_space(case: Case, simpler: Model) -> None:
    """Equal torques under wrenches on all frames, equal mass matrix, equal accelerations."""
    mine, other = NumpyRobot(case.robot.model), NumpyRobot(simpler)
    pushes = dict.fromkeys(mine.frame_names[1:], np.arange(1.0, 7.0))
    state = case.q, case.v, case.a
    agree(other.inverse_dynamics(*state, f_ext=pushes), mine.inverse_dynamics(*state, f_ext=pushes))
    agree(other.mass_matrix(case.q), mine.mass_matrix(case.q))
    agree(other.forward_dynamics(*state), mine.forward_dynamics(*state))


def _same_poses(case: Case, simpler: Model) -> None:
    other = NumpyRobot(simpler)
    for name in other.frame_names:
        agree(other.frame_pose(case.q, name), case.robot.frame_pose(case.q, name))


def _all(cases: list[Case], models: list[Model], check: Callable[[Case, Model], None]) -> None:
    for case, model in zip(cases, models, strict=True):
        check(case, model)


@pytest.mark.parametrize("case", TREES)
def test_joints_cannot_tell_regrouped_inertias_apart(case: Case) -> None:
    _same_joint_space(case, regrouped(case.robot.model))


@pytest.mark.parametrize("case", TREES)
def test_neither_joints_nor_links_can_tell_where_origins_are(case: Case) -> None:
    simpler = with_simple_positions(case.robot.model)
    _same_joint_space(case, simpler)
    _same_poses(case, simpler)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Matrix.diagonal(second, second, 0.0)", "Matrix.diagonal(second, 0.0, second)"),
        ("Vector(0.0, 0.0, first)", "Vector(first, 0.0, 0.0)"),
        ("unfelt.to_parent(body.placement)", "unfelt"),
        ("Inertia(0.0, Vector(), inertia.second)", "inertia"),
        ("_turned_about_z(0.0, 0.0, yy)", "_turned_about_z(inertia.mass, 0.0, yy)"),
    ],
)
def test_inertias_regrouped_wrongly_are_noticed(old: str, new: str) -> None:
    with broken(Mutation("base_parameters", old, new)):
        simpler = [regrouped(case.robot.model) for case in TREES]
    with pytest.raises(AssertionError):
        _all(TREES, simpler, _same_joint_space)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("inertia=body.inertia.to_parent(_seen(Transform.identity(), shift)),", ""),
        ("x.position - Vector(0.0, 0.0, shift)", "x.position"),
        ("c + shift * share", "c - shift * share"),
    ],
)
def test_origins_slid_wrongly_are_noticed(old: str, new: str) -> None:
    with broken(Mutation("frame_origins", old, new)):
        simpler = [with_simple_positions(case.robot.model) for case in TREES]
    with pytest.raises(AssertionError):
        _all(TREES, simpler, _same_joint_space)


def test_as_many_parameters_are_left_as_torques_can_tell_apart() -> None:
    """The rank of the regressor over many states: 7 n - 4 for an arm of n turning joints."""
    n, rng = 4, np.random.default_rng(3)
    model = random_model([JointType.REVOLUTE] * n, range(-1, n - 1), rng)
    robot = random_case(model, rng).robot
    q, v, a = rng.normal(size=(3, 60, n))
    rank = np.linalg.matrix_rank(robot.regressor(q, v, a).reshape(-1, 10 * n))
    left = [b.inertia.parameters() for b in regrouped(model).bodies]
    # Only its moment about the axis and its first moment across it matter of the first body.
    others = sum(p != 0.0 for body in left[1:] for p in body)
    assert rank == others + 3 == 7 * n - 4


def test_origins_go_where_denavit_and_hartenberg_put_them() -> None:
    """Each body of a chain but the first then needs two lengths, not three."""
    n, rng = 5, np.random.default_rng(4)
    model = random_model([JointType.REVOLUTE] * n, range(-1, n - 1), rng)
    simpler = with_simple_positions(model)
    slid = [
        b for b, c in zip(simpler.bodies[1:], model.bodies[1:], strict=True)
        if b.placement.position.z != c.placement.position.z
    ]  # fmt: skip
    zeros = [sum(p == 0.0 for p in b.placement.position) for b in slid]
    assert len(zeros) >= 3
    assert all(count == 1 for count in zeros), zeros


def test_a_parameter_reaches_no_other_body() -> None:
    """A payload that comes in with each call costs the arithmetic of one body only."""
    n, rng = 4, np.random.default_rng(5)
    model = random_model([JointType.REVOLUTE] * n, range(-1, n - 1), rng)
    symbols = [f"p{k}" for k in range(10)]
    varied = Parametrisation(bodies=(n - 1,)).apply(model, symbols)
    simpler = regrouped(with_simple_positions(varied))
    assert simpler.bodies[n - 1].inertia.parameters() == tuple(symbols)
    assert all(b.inertia.is_constant() for b in simpler.bodies[: n - 1])
