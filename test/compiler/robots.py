"""Robots for the tests of the compiler: every joint type, branches, a mimic joint."""

from __future__ import annotations

import numpy as np
import random_trees

from dynamics_core import Robot
from dynamics_core.model import JointType, Model

KINDS: dict[str, list[JointType | str]] = {
    "arm": [JointType.REVOLUTE] * 3 + [JointType.PRISMATIC, *[JointType.REVOLUTE] * 3],
    "flying": [JointType.FLOATING, JointType.REVOLUTE, JointType.CONTINUOUS],
    "driving": [JointType.PLANAR, JointType.REVOLUTE, JointType.PRISMATIC],
    "following": [JointType.REVOLUTE, JointType.PRISMATIC, "mimic", JointType.REVOLUTE],
}


def model(name: str) -> Model:
    """A robot's model; the last body is on a branch of its own."""
    kinds = KINDS[name]
    parents = [*range(-1, len(kinds) - 2), len(kinds) - 3]
    return random_trees.random_model(kinds, parents, np.random.default_rng(len(name)))


def states(robot: Robot, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n positions, velocities and accelerations."""
    rng = np.random.default_rng(seed)
    q = np.stack([robot.random_state(rng)[0] for _ in range(n)])
    v, a = rng.normal(size=(2, n, robot.nv))
    return q, v, a
