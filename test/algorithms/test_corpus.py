"""Every robot of example-robot-data, on a fixed and on a floating base, against Pinocchio.

All quantities at random states: 1e-9 relative, state by state. Forward dynamics and what follows
from it may deviate by the rounding that the condition number of the mass matrix explains.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends import COMPILED
from corpus import (
    FLYERS,
    NOT_A_ROBOT,
    every_robot,
    load,
    robots,
    skip_large,
)
from peers import REFERENCES, PinocchioPeer, corpus, corpus_file, random_state, relative_error

from dynamics_core import DescriptionError, Robot, SingularMassError
from dynamics_core.model import JointType

TOLERANCE = 1e-9
#: Rounding that a solution of ``M a = b`` may show, per unit of M's condition number.
PER_CONDITION = 1e-15
STATES = 2
MANY_STATES = 100


@dataclass
class Pair:
    """A robot, its referee and random states."""

    robot: Robot
    peer: PinocchioPeer
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    @functools.cached_property
    def mass_matrices(self) -> np.ndarray:
        """The referee's, one for each state."""
        return np.array([self.peer.mass_matrix(q) for q in self.q])

    @functools.cached_property
    def singular(self) -> bool:
        """Whether some joint moves no inertia."""
        values = np.linalg.eigvalsh(self.mass_matrices)
        return bool(np.any(values[:, 0] <= 1e-13 * values[:, -1]))

    def check(self, name: str, *inputs: Any, floor: float = 1e-6, **options: Any) -> None:
        """Compare a method's answers for all states with the referee's for each."""
        answers = functools.partial(self._one_by_one, inputs=inputs, options=options)
        # A batch has compiled code of its own, which test_both_paths holds against single states.
        if COMPILED and len(self.q) < MANY_STATES:
            actual = answers(getattr(self.robot, name))
        else:
            actual = getattr(self.robot, name)(*inputs, **options)
        expected = answers(getattr(self.peer, name))
        error = relative_error(actual, expected, ndim=expected.ndim - 1, floor=floor)
        assert error < TOLERANCE, f"{name} {options}: relative error {error:.2g}"

    def _one_by_one(self, ask: Any, inputs: Any, options: Any) -> np.ndarray:
        states = (
            [x[k] if isinstance(x, np.ndarray) else x for x in inputs] for k in range(len(self.q))
        )
        return np.array([ask(*state, **options) for state in states])


@functools.cache
def pair(path: Path, floating: bool, states: int) -> Pair:
    """Robot and referee of the same text."""
    robot = load(path, floating)
    if floating:
        skip_large(robot)
    peer = PinocchioPeer(robot, path.read_text(encoding="utf-8"))
    return Pair(robot, peer, *random_state(robot, states, np.random.default_rng(states)))


def test_the_corpus_is_complete() -> None:
    """68 robots and one file that is none."""
    assert (len(corpus()), len(robots())) == (69, 68)


def test_the_unexpanded_xacro_is_refused() -> None:
    """With words that say what it is."""
    path = corpus_file(NOT_A_ROBOT)
    with pytest.raises(DescriptionError, match="xacro"):
        Robot.from_urdf(path)


@pytest.mark.parametrize("name", FLYERS)
def test_a_robot_without_joints_answers_with_empty_arrays(name: str) -> None:
    """Nothing moves, and nothing breaks."""
    robot = load(corpus_file(name), False)
    for q in (np.zeros(0), np.zeros((3, 0))):
        rows = q.shape[:-1]
        assert robot.inverse_dynamics(q, q, q).shape == (*rows, 0)
        assert robot.forward_dynamics(q, q, q).shape == (*rows, 0)
        assert robot.mass_matrix(q).shape == (*rows, 0, 0)
        assert robot.jacobian(q, robot.frame_names[0]).shape == (*rows, 6, 0)
        assert np.array_equal(robot.kinetic_energy(q, q), np.zeros(rows))
        pose = robot.frame_pose(q, robot.frame_names[0])
        assert np.array_equal(pose, np.broadcast_to(np.eye(4), (*rows, 4, 4)))


@every_robot
def test_dynamics(path: Path, floating: bool) -> None:
    """Torques, mass matrix, their terms, and the Coriolis matrix as far as C v goes."""
    p = pair(path, floating, STATES)
    p.check("inverse_dynamics", p.q, p.v, p.a)
    p.check("mass_matrix", p.q)
    p.check("gravity_torque", p.q)
    p.check("bias_torque", p.q, p.v)
    p.check("coriolis_torque", p.q, p.v)


@every_robot
def test_forward_dynamics(path: Path, floating: bool) -> None:
    """ABA; where a joint moves no inertia there is no answer, and the robot says so."""
    p = pair(path, floating, STATES)
    if p.singular:
        with pytest.raises(SingularMassError):
            p.robot.forward_dynamics(p.q, p.v, p.a)
        return
    check_acceleration(p)


def check_acceleration(p: Pair) -> None:
    """The acceleration, to the rounding that the mass matrix allows."""
    actual = p.robot.forward_dynamics(p.q, p.v, p.a)
    for k, m in enumerate(p.mass_matrices):
        expected = p.peer.forward_dynamics(p.q[k], p.v[k], p.a[k])
        tolerance = max(TOLERANCE, PER_CONDITION * np.linalg.cond(m))
        error = relative_error(actual[k], expected)
        assert error < tolerance, f"relative error {error:.2g}, allowed {tolerance:.2g}"


def some_frames(robot: Robot) -> list[str]:
    """The last link, one in the middle, and the first: the base or what it stands on."""
    names = robot.frame_names
    return sorted({names[-1], names[len(names) // 2], names[0]})


@every_robot
def test_kinematics(path: Path, floating: bool) -> None:
    """Poses, Jacobians and their derivatives, velocities, accelerations; in every reference."""
    p = pair(path, floating, STATES)
    for frame in some_frames(p.robot):
        p.check("frame_pose", p.q, frame)
        for reference in REFERENCES:
            p.check("jacobian", p.q, frame, reference, floor=1e-3)
            p.check("jacobian_derivative", p.q, p.v, frame, reference, floor=1e-3)
            p.check("frame_velocity", p.q, p.v, frame, reference, floor=1e-3)
            for classical in (True, False):
                state = (p.q, p.v, p.a, frame, reference)
                p.check("frame_acceleration", *state, floor=1e-3, classical=classical)


@every_robot
def test_centroidal_quantities_and_energies(path: Path, floating: bool) -> None:
    """Centre of mass, momentum about it, energies."""
    p = pair(path, floating, STATES)
    p.check("center_of_mass", p.q)
    p.check("com_velocity", p.q, p.v)
    p.check("com_jacobian", p.q)
    p.check("centroidal_momentum", p.q, p.v)
    p.check("centroidal_momentum_matrix", p.q)
    p.check("centroidal_momentum_bias", p.q, p.v)
    p.check("centroidal_inertia", p.q)
    p.check("kinetic_energy", p.q, p.v)
    p.check("potential_energy", p.q)


@every_robot
def test_coriolis_matrix(path: Path, floating: bool) -> None:
    """Christoffel's is unique where every joint has one coordinate, and C v always is."""
    p = pair(path, floating, STATES)
    if all(j.type.nv == 1 for j in p.robot.model.joints):
        p.check("coriolis_matrix", p.q, p.v)
    else:
        matrix = p.robot.coriolis_matrix(p.q, p.v)
        product = np.einsum("nij,nj->ni", matrix, p.v)
        expected = np.array([p.peer.coriolis_torque(*s) for s in zip(p.q, p.v, strict=True)])
        assert relative_error(product, expected, floor=1e-6) < TOLERANCE


@every_robot
def test_regressor(path: Path, floating: bool) -> None:
    """Times the referee's own parameters it is the torque: ours are turned to the joint's axis."""
    p = pair(path, floating, STATES)
    ours = p.robot.regressor(p.q, p.v, p.a) @ p.robot.inertial_parameters()
    theirs = [p.peer.regressor(*s) @ p.peer.parameters() for s in zip(p.q, p.v, p.a, strict=True)]
    assert relative_error(ours, np.array(theirs), floor=1e-6) < TOLERANCE


@every_robot
def test_derivatives(path: Path, floating: bool) -> None:
    """Of inverse dynamics everywhere; of forward dynamics where no joint mimics another."""
    p = pair(path, floating, 1)
    skip_large(p.robot)
    ours = p.robot.inverse_dynamics_derivatives(p.q[0], p.v[0], p.a[0])
    theirs = p.peer.inverse_dynamics_derivatives(p.q[0], p.v[0], p.a[0])
    for mine, other in zip(ours, theirs, strict=False):
        assert relative_error(mine, other, ndim=2, floor=1e-6) < TOLERANCE
    if p.singular or p.robot.model.has_mimic:
        return
    tolerance = max(TOLERANCE, 100.0 * PER_CONDITION * np.linalg.cond(p.mass_matrices[0]))
    mine = p.robot.forward_dynamics_derivatives(p.q[0], p.v[0], p.a[0])
    other = p.peer.forward_dynamics_derivatives(p.q[0], p.v[0], p.a[0])
    for x, y in zip(mine, other, strict=False):
        error = relative_error(x, y, ndim=2, floor=1e-6)
        assert error < tolerance, f"relative error {error:.2g}, allowed {tolerance:.2g}"


WELL_KNOWN = ("ur5_robot", "panda", "kinova", "baxter", "talos_full_v2")


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_a_hundred_states(name: str) -> None:
    """Of the robots that people have."""
    p = pair(corpus_file(f"{name}.urdf"), False, MANY_STATES)
    frame = p.robot.frame_names[-1]
    p.check("inverse_dynamics", p.q, p.v, p.a)
    p.check("mass_matrix", p.q)
    p.check("gravity_torque", p.q)
    p.check("frame_pose", p.q, frame)
    for reference in REFERENCES:
        p.check("jacobian", p.q, frame, reference)
    check_acceleration(p)


def test_kinds_of_joint_in_the_corpus() -> None:
    """What agreement on the corpus covers; the rest is up to the random trees."""
    kinds: set[JointType] = set()
    mimics = 0
    for path in robots():
        model = load(path, False).model
        kinds |= {b.joint.type for b in model.bodies}
        mimics += model.has_mimic
    assert {JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC} <= kinds
    assert mimics >= 5
