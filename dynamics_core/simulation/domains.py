"""Robots that differ at random: inertias, friction, payloads (domain randomisation).

Peng, Andrychowicz, Zaremba, Abbeel, *Sim-to-real transfer of robotic control with dynamics
randomization*, ICRA 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..robot import Robot
from ..spatial import Inertia
from .physics import Array, Physics

__all__ = ["Domain", "Randomisation", "draw", "drive_scale"]

#: Robots without a stated effort limit are driven with this multiple of their largest weight.
_WEIGHT_MARGIN = 2.0


@dataclass(frozen=True)
class Randomisation:
    """How much robots differ; nothing by default.

    Attributes:
        inertia: Each body's mass and inertia are multiplied by a factor within 1 +- this.
        friction: Largest Coulomb friction, as a share of the joint's effort limit.
        damping: Largest viscous friction at the velocity limit, as a share of the effort limit.
        payload: Largest mass of a payload, kg.
        payload_frame: Link that carries it; its centre of mass is within 0.1 m of the origin.
    """

    inertia: float = 0.0
    friction: float = 0.0
    damping: float = 0.0
    payload: float = 0.0
    payload_frame: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.inertia < 1.0:
            raise ArgumentError(
                f"Randomisation: inertia is {self.inertia}; expected 0 to less than 1"
            )
        for name in ("friction", "damping", "payload"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"Randomisation: {name} is {value}; expected 0 or more")
        if self.payload > 0.0 and not self.payload_frame:
            raise ArgumentError("Randomisation: payload_frame must name the link of the payload")

    @property
    def any(self) -> bool:
        """Whether robots differ at all."""
        return bool(self.inertia or self.friction or self.damping or self.payload)


class Domain(NamedTuple):
    """One robot of many.

    Attributes:
        robot: The robot.
        damping: Viscous friction, (nv,), N m s/rad or N s/m.
        friction: Coulomb friction, (nv,), N m or N.
        factors: Of the bodies' inertias, (bodies,).
        payload: Mass of the payload, kg.
        payload_com: Its centre of mass in the frame that carries it, (3,), m.
    """

    robot: Robot
    damping: Array
    friction: Array
    factors: Array
    payload: float
    payload_com: Array


def draw(
    robot: Robot, physics: Physics, randomisation: Randomisation, rng: np.random.Generator
) -> Domain:
    """Draw a robot.

    Args:
        robot: The robot in the middle.
        physics: Its friction.
        randomisation: How much it may differ.
        rng: Source of randomness.
    """
    model, r = robot.model, randomisation
    count = len(model.bodies)
    factors = 1.0 + r.inertia * rng.uniform(-1.0, 1.0, count)
    share_friction, share_damping = rng.uniform(0.0, 1.0, (2, robot.nv))
    mass, com = r.payload * rng.uniform(), rng.uniform(-0.1, 0.1, 3)
    own = physics.joint_arrays(model)
    effort = drive_scale(robot)
    speed = np.where(np.isfinite(robot.velocity_limits), robot.velocity_limits, 1.0)
    friction = own["friction"] + r.friction * effort * share_friction
    damping = own["damping"] + r.damping * effort / speed * share_damping
    if r.inertia > 0.0:
        # All bodies are inputs of the code, which all robots then share.
        inertias = {
            i: Inertia.of(s * p for p in b.inertia.parameters())
            for i, (b, s) in enumerate(zip(model.bodies, map(float, factors), strict=True))
        }
        parametrisation = replace(robot._parametrisation, bodies=tuple(range(count)))
        robot = robot._variant(model.with_inertias(inertias), parametrisation)
    if r.payload > 0.0:
        robot = robot.with_payload(r.payload_frame, float(mass), com)
    return Domain(robot, damping, friction, factors, float(mass), com)


def drive_scale(robot: Robot) -> Array:
    """Torque of each drive's full action, (nv,): its limit, or enough to lift the robot."""
    limits = robot.effort_limits
    known = np.isfinite(limits) & (limits > 0.0)
    if known.all():
        return limits
    q, _ = robot.random_state(np.random.default_rng(0), 256)
    weight = np.abs(robot.gravity_torque(q)).max(axis=0)
    return np.where(known, limits, np.maximum(_WEIGHT_MARGIN * weight, 1.0))
