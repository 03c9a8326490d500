"""What a simulation leaves behind: states, torques and energies over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..robot import Robot
from .physics import Array

__all__ = ["Trajectory", "energies"]


@dataclass(frozen=True)
class Trajectory:
    """States at T + 1 times and what acted on the way from each to the next.

    Arrays of several robots or rows have one more axis in front, (N, ...).

    Attributes:
        time: (T + 1,), s.
        q: (T + 1, nq), rad or m.
        v: (T + 1, nv), rad/s or m/s.
        tau: Torque of the drives up to the next state, saturated, (T, nv), N m or N.
        friction: Torque of friction, (T, nv), N m or N.
        stops: Torque of the end stops, (T, nv), N m or N.
        kinetic: Kinetic energy, (T + 1,), J.
        potential: Potential energy in the field of gravity, (T + 1,), J.
    """

    time: Array
    q: Array
    v: Array
    tau: Array
    friction: Array
    stops: Array
    kinetic: Array
    potential: Array

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy, (T + 1,), J."""
        return self.kinetic + self.potential


def energies(robot: Robot, q: Array, v: Array, rotor: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy of states, (..., nq) and (..., nv).

    Args:
        robot: The robot.
        q: Positions.
        v: Velocities.
        rotor: Rotor inertia on top of the model's armature, (nv,), or (N, nv) for (N, T, nv).
    """
    rows_q, rows_v = q.reshape(-1, robot.nq), v.reshape(-1, robot.nv)
    kinetic = np.asarray(robot.kinetic_energy(rows_q, rows_v)).reshape(q.shape[:-1])
    potential = np.asarray(robot.potential_energy(rows_q)).reshape(q.shape[:-1])
    rotor = rotor if rotor.ndim == 1 else rotor[:, None, :]
    return kinetic + 0.5 * np.sum(rotor * v * v, axis=-1), potential
