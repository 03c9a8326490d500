"""Forces that act in one joint alone: drive, friction, end stops.

Each is a law ``f(v_next) = f0 - gain (v_next - v)`` with ``gain >= 0``: its value now, and how it
falls as the joint speeds up during the step. :mod:`.step` adds the gains to the diagonal of the
mass matrix, so that the force of the *next* velocity acts (linearly implicit Euler, Hairer and
Wanner, *Solving ODEs II*, section IV.7). Stiff stops, dry friction and strong servos are then
stable at any step, and can only take energy.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentError
from ..model import Limits, Model
from ..spatial import Scalar, tanh
from .selection import clamp, indicator, maximum

#: Speed below which smooth Coulomb friction fades to zero, rad/s or m/s.
FRICTION_SPEED = 0.01
#: The drive's torque fades over this share of the velocity limit below it.
SPEED_MARGIN = 0.05
#: An end stop that bounces is a rigid blow: N s per m/s in the joint, far above any inertia.
RIGID = 1e6


@dataclass(frozen=True)
class EndStops:
    """What a joint meets at its position limits.

    A joint that would pass its limit within a step, faster than ``rest_speed``, is struck: it stays
    where it is for that step and leaves with ``-restitution`` times its speed (Newton's law of
    impact). The other joints take the blow through the mass matrix. So a blow takes energy, and
    gives none. A slower joint rests on a spring and damper that only push: it stands
    ``torque / stiffness`` behind the limit.

    Attributes:
        stiffness: N m/rad or N/m.
        relaxation: Damping over stiffness, s; the damper acts on the way out only.
        restitution: Share of the speed that comes back, 0 to 0.9.
        rest_speed: rad/s or m/s.
    """

    stiffness: float = 1e5
    relaxation: float = 0.005
    restitution: float = 0.0
    rest_speed: float = 0.05

    def __post_init__(self) -> None:
        if not (self.stiffness > 0.0 and self.relaxation >= 0.0 and self.rest_speed >= 0.0):
            raise ArgumentError(
                f"EndStops: stiffness {self.stiffness}, relaxation {self.relaxation} and "
                f"rest_speed {self.rest_speed} must be positive"
            )
        if not 0.0 <= self.restitution <= 0.9:
            raise ArgumentError(f"EndStops: restitution is {self.restitution}; expected 0 to 0.9")


@dataclass(frozen=True)
class Law:
    """``value - gain (v_next - v)``: a joint force as a function of the next velocity."""

    value: Scalar = 0.0
    gain: Scalar = 0.0

    def at(self, change: Scalar) -> Scalar:
        """The force once the velocity has changed."""
        return self.value - self.gain * change

    def __add__(self, other: Law) -> Law:
        return Law(self.value + other.value, self.gain + other.gain)


@dataclass(frozen=True)
class Coordinate:
    """An entry of v: its joint's limits, and where its position is (none in a floating joint)."""

    limits: Limits
    position: int | None


def coordinates(model: Model) -> list[Coordinate]:
    """Every entry of v. Coordinates of planar and floating joints have no limits."""
    return [
        Coordinate(j.limits, j.q_index) if j.type.nv == 1 else Coordinate(Limits(), None)
        for j in model.joints
        for _ in j.type.axes
    ]


def drive_law(
    limits: Limits, v: Scalar, tau: Scalar, gain: Scalar, *, effort: bool, velocity: bool
) -> Law:
    """What the drive delivers of a commanded torque.

    The torque is clipped to the effort limit. Near the velocity limit the drive runs out of
    voltage: what would speed the joint up fades to zero over the last :data:`SPEED_MARGIN` of it,
    and braking stays possible.

    Args:
        limits: The joint's.
        v: Speed.
        tau: Commanded torque.
        gain: How the commanded torque falls with speed (that of a servo); none when saturated.
        effort: Whether the effort limit holds.
        velocity: Whether the velocity limit holds.
    """
    if effort and 0.0 < limits.effort < float("inf"):
        gain = gain * indicator(limits.effort - abs(tau))
        tau = clamp(tau, -limits.effort, limits.effort)
    if velocity and 0.0 < limits.velocity < float("inf"):
        width = SPEED_MARGIN * limits.velocity
        ahead, back = (limits.velocity - v) * (1.0 / width), (limits.velocity + v) * (1.0 / width)
        forward, backward = maximum(tau, 0.0), maximum(-tau, 0.0)
        slope = forward * _inside(ahead) + backward * _inside(back)
        tau = forward * clamp(ahead, 0.0, 1.0) - backward * clamp(back, 0.0, 1.0)
        gain = gain + slope * (1.0 / width)
    return Law(tau, gain)


def friction_law(v: Scalar, damping: Scalar, friction: Scalar) -> Law:
    """Viscous and smooth Coulomb friction, ``-(damping v + friction tanh(v / v0))``.

    The gain is the secant ``force / v``, so that the law passes through zero: friction stops a
    joint and never turns it round.
    """
    x = abs(v) * (1.0 / FRICTION_SPEED) + 1e-9
    gain = damping + friction * (tanh(x) / x) * (1.0 / FRICTION_SPEED)
    return Law(-(gain * v), gain)


def friction_torque(v: Scalar, damping: Scalar, friction: Scalar) -> Scalar:
    """Friction at a velocity, N m or N."""
    return -(damping * v + friction * tanh(v * (1.0 / FRICTION_SPEED)))


@dataclass(frozen=True)
class Contact:
    """The end stops of a joint during a step.

    Attributes:
        law: Their force.
        struck: 1 where the joint takes a blow and keeps its position, else 0.
    """

    law: Law = Law()
    struck: Scalar = 0.0


def stop_contact(
    limits: Limits,
    reached: Scalar,
    v: Scalar,
    arriving: Scalar,
    dt: Scalar,
    reach: float,
    stops: EndStops,
) -> Contact:
    """End stops of a joint that a step without them would bring to ``reached``.

    Args:
        limits: The joint's.
        reached: Position after such a step.
        v: Velocity that the law counts from.
        arriving: Velocity at the beginning of the step.
        dt: Length of the step.
        reach: Share of ``dt`` for which a change of velocity moves the joint within the step.
        stops: What the stops are like.
    """
    law, struck = Law(), 0.0
    for sign, limit in ((1.0, limits.upper), (-1.0, limits.lower)):
        if abs(limit) < float("inf"):
            depth = (reached - limit) * sign
            one = _one_stop(depth, v * sign, arriving * sign, dt, reach, stops)
            law = law + Law(one.law.value * sign, one.law.gain)
            struck = struck + one.struck
    return Contact(law, struck)


def _one_stop(
    depth: Scalar, speed: Scalar, arriving: Scalar, dt: Scalar, reach: float, stops: EndStops
) -> Contact:
    """A stop that pushes towards negative depth."""
    touching = indicator(depth)
    blow = touching * indicator(arriving - stops.rest_speed)
    rest = touching - blow
    damper = stops.stiffness * stops.relaxation * indicator(speed)
    push = -(stops.stiffness * depth + damper * speed)
    rigid = RIGID / dt
    stopped = -(rigid * (speed + stops.restitution * arriving))
    gain = rest * (damper + stops.stiffness * reach * dt) + blow * rigid
    return Contact(Law(rest * push + blow * stopped, gain), blow)


def _inside(x: Scalar) -> Scalar:
    """1 where 0 < x < 1."""
    return indicator(x) * indicator(1.0 - x)
