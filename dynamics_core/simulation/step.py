"""One step of a simulated robot, on numbers and symbols alike.

``semi_implicit_euler`` takes the acceleration from articulated bodies whose pivots carry the gains
of all joint forces (:mod:`.joint_forces`), advances the velocity, then the position with the new
velocity. The other integrators advance the free motion with friction taken as it is at each stage,
and then settle drive gains and end stops in one linearly implicit correction of the velocity
(operator splitting), which is exactly zero while no stop is touched and no servo is on.

Integrators: Hairer, Norsett and Wanner, *Solving ODEs I*, section II.1; semi-implicit Euler:
Hairer, Lubich and Wanner, *Geometric Numerical Integration*, section I.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..algorithms.forward_dynamics import forward_dynamics
from ..functions import INPUT_SIZES, function
from ..model import Model
from ..spatial import Scalar, Vector
from .configuration import moved, position_rate
from .joint_forces import (
    Contact,
    Coordinate,
    EndStops,
    Law,
    coordinates,
    drive_law,
    friction_law,
    friction_torque,
    stop_contact,
)
from .selection import maximum, minimum

INPUT_SIZES.update(impedance="nv", damping="nv", friction="nv", rotor="nv", dt=1)

Scalars = Sequence[Scalar]

#: Integrators by name.
INTEGRATORS = ("semi_implicit_euler", "explicit_euler", "heun", "rk4")

#: Share of a step for which a correction of the velocity at its end moves the joints: as much as
#: the integrator would move them under a constant force.
_REACH = {"explicit_euler": 0.0, "heun": 0.5, "rk4": 0.5}


@dataclass(frozen=True)
class Bounds:
    """Which limits of the joints hold in a simulation, and whether anything rubs in them."""

    effort: bool = True
    velocity: bool = True
    stops: EndStops | None = EndStops()  # noqa: RUF009 - immutable
    friction: bool = True


@function(
    "q", "v", "tau", "impedance", "damping", "friction", "rotor", "dt", "wrenches",
    joint_space=True,
    q=("nq",), v=("nv",), drive=("nv",), friction_torque=("nv",), stop_torque=("nv",),
)  # fmt: skip
def simulation_step(
    model: Model,
    q: Scalars,
    v: Scalars,
    tau: Scalars,
    impedance: Scalars,
    damping: Scalars,
    friction: Scalars,
    rotor: Scalars,
    dt: Scalars,
    wrenches: Scalars = (),
    *,
    frames: tuple[str, ...] = (),
    integrator: str = "semi_implicit_euler",
    bounds: Bounds = Bounds(),
) -> tuple[list[Scalar], ...]:
    """Advance a robot by one step.

    Args:
        model: The robot.
        q: Position.
        v: Velocity.
        tau: Torque commanded to the drives, held over the step.
        impedance: How the commanded torque falls with speed, N m s/rad: that of a servo,
            ``kd + dt kp``, or a large number for a brake.
        damping: Viscous friction, N m s/rad.
        friction: Coulomb friction, N m.
        rotor: Rotor inertia on top of the model's armature, kg m2.
        dt: Length of the step, one scalar, s.
        wrenches: What the environment exerts on ``frames``, held over the step.
        frames: Frames that are pushed.
        integrator: One of :data:`INTEGRATORS`.
        bounds: Limits that hold.

    Returns:
        Position and velocity after the step, and the torques of drive, friction and end stops
        during it.
    """
    (h,) = dt
    step = _Step(model, h, rotor, wrenches, frames)
    axes = coordinates(model)
    drive = [
        drive_law(c.limits, s, t, g, effort=bounds.effort, velocity=bounds.velocity)
        for c, s, t, g in zip(axes, v, tau, impedance, strict=True)
    ]
    if integrator == "semi_implicit_euler":
        rub = [
            friction_law(*x) if bounds.friction else Law()
            for x in zip(v, damping, friction, strict=True)
        ]
        ahead = _along(_positions(axes, q), v, h)
        touch = _contacts(axes, ahead, v, v, h, 1.0, bounds.stops)
        laws = [a + b + c.law for a, b, c in zip(drive, rub, touch, strict=True)]
        change = step.settled(q, v, laws)
        faster = _add(v, change)
        further = moved(model, q, position_rate(model, q, faster), h)
        further = _held(axes, touch, q, further, h, bounds.stops)
        return further, faster, _at(drive, change), _at(rub, change), _stop_torque(touch, change)

    def rubbing(v: Scalars) -> list[Scalar]:
        if not bounds.friction:
            return [0.0] * len(v)
        return [friction_torque(*x) for x in zip(v, damping, friction, strict=True)]

    def rates(q: Scalars, v: Scalars) -> tuple[list[Scalar], list[Scalar]]:
        rub = rubbing(v)
        load = [law.value + f for law, f in zip(drive, rub, strict=True)]
        return position_rate(model, q, v), step.acceleration(q, v, load)

    free_q, free_v = _advance(model, integrator, rates, q, v, h)
    reach = _REACH[integrator]
    touch = _contacts(axes, _positions(axes, free_q), free_v, v, h, reach, bounds.stops)
    late = [Law(-(d.gain * (b - a)), d.gain) for d, a, b in zip(drive, v, free_v, strict=True)]
    change = step.correction(free_q, [a + b.law for a, b in zip(late, touch, strict=True)])
    faster = _add(free_v, change)
    further = moved(model, free_q, position_rate(model, free_q, change), reach * h)
    further = _held(axes, touch, q, further, h, bounds.stops)
    total = [b - a for a, b in zip(v, faster, strict=True)]
    return further, faster, _at(drive, total), rubbing(faster), _stop_torque(touch, change)


@dataclass(frozen=True)
class _Step:
    """What does not change during a step."""

    model: Model
    h: Scalar
    rotor: Scalars
    wrenches: Scalars
    frames: tuple[str, ...]

    def acceleration(self, q: Scalars, v: Scalars, load: Scalars) -> list[Scalar]:
        """Acceleration under joint torques and wrenches."""
        model = _with_rotors(self.model, self.rotor)
        return forward_dynamics(model, q, v, load, self.wrenches, frames=self.frames)

    def settled(self, q: Scalars, v: Scalars, laws: Sequence[Law]) -> list[Scalar]:
        """Change of velocity under laws that see the next velocity, and under wrenches."""
        model = _with_rotors(self.model, self._pivots(laws))
        load = [law.value for law in laws]
        a = forward_dynamics(model, q, v, load, self.wrenches, frames=self.frames)
        return [self.h * x for x in a]

    def correction(self, q: Scalars, laws: Sequence[Law]) -> list[Scalar]:
        """Change of velocity that laws alone cause: ``(M + h gains) dv = h values``."""
        model = _with_rotors(self.model.with_gravity(Vector()), self._pivots(laws))
        still: list[Scalar] = [0.0] * self.model.nv
        a = forward_dynamics(model, q, still, [law.value for law in laws])
        return [self.h * x for x in a]

    def _pivots(self, laws: Sequence[Law]) -> list[Scalar]:
        return [r + self.h * law.gain for r, law in zip(self.rotor, laws, strict=True)]


def _advance(
    model: Model,
    integrator: str,
    rates: Callable[[Scalars, Scalars], tuple[list[Scalar], list[Scalar]]],
    q: Scalars,
    v: Scalars,
    h: Scalar,
) -> tuple[list[Scalar], list[Scalar]]:
    """Free motion over a step."""
    qd1, a1 = rates(q, v)
    if integrator == "explicit_euler":
        return moved(model, q, qd1, h), _along(v, a1, h)
    if integrator == "heun":
        qd2, a2 = rates(_along(q, qd1, h), _along(v, a1, h))
        mean_q, mean_a = _add(qd1, qd2), _add(a1, a2)
        return moved(model, q, mean_q, 0.5 * h), _along(v, mean_a, 0.5 * h)
    half = 0.5 * h
    qd2, a2 = rates(_along(q, qd1, half), _along(v, a1, half))
    qd3, a3 = rates(_along(q, qd2, half), _along(v, a2, half))
    qd4, a4 = rates(_along(q, qd3, h), _along(v, a3, h))
    sixth = h * (1.0 / 6.0)
    slope = [w + 2.0 * (x + y) + z for w, x, y, z in zip(qd1, qd2, qd3, qd4, strict=True)]
    kick = [w + 2.0 * (x + y) + z for w, x, y, z in zip(a1, a2, a3, a4, strict=True)]
    return moved(model, q, slope, sixth), _along(v, kick, sixth)


def _with_rotors(model: Model, rotor: Scalars) -> Model:
    """The model with more on the diagonal of its mass matrix; joints of one coordinate only."""
    bodies = []
    for body in model.bodies:
        joint = body.joint
        if joint.mimics is None and joint.type.nv == 1:
            total = joint.armature + rotor[joint.v_index]
            body = replace(body, joint=replace(joint, armature=total))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies))


def _positions(axes: Sequence[Coordinate], q: Scalars) -> list[Scalar]:
    """Position by entry of v; 0 where there is none."""
    return [0.0 if c.position is None else q[c.position] for c in axes]


def _contacts(
    axes: Sequence[Coordinate],
    reached: Scalars,
    v: Scalars,
    arriving: Scalars,
    h: Scalar,
    reach: float,
    stops: EndStops | None,
) -> list[Contact]:
    if stops is None:
        return [Contact() for _ in axes]
    return [
        stop_contact(c.limits, x, s, a, h, reach, stops)
        for c, x, s, a in zip(axes, reached, v, arriving, strict=True)
    ]


def _held(
    axes: Sequence[Coordinate],
    touch: Sequence[Contact],
    before: Scalars,
    after: Scalars,
    h: Scalar,
    stops: EndStops | None,
) -> list[Scalar]:
    """Positions after a step, as end stops leave them.

    A joint that takes a blow stays where it was. No joint moves on behind its limit faster than
    the rest speed, even if the blow on another joint has thrown it there.
    """
    held = list(after)
    for c, contact in zip(axes, touch, strict=True):
        if stops is None or c.position is None:
            continue
        k = c.position
        creep = stops.rest_speed * h
        x = after[k] + contact.struck * (before[k] - after[k])
        if c.limits.upper < float("inf"):
            x = minimum(x, maximum(before[k], c.limits.upper) + creep)
        if c.limits.lower > -float("inf"):
            x = maximum(x, minimum(before[k], c.limits.lower) - creep)
        held[k] = x
    return held


def _stop_torque(touch: Sequence[Contact], change: Scalars) -> list[Scalar]:
    return [contact.law.at(c) for contact, c in zip(touch, change, strict=True)]


def _at(laws: Sequence[Law], change: Scalars) -> list[Scalar]:
    return [law.at(c) for law, c in zip(laws, change, strict=True)]


def _add(a: Scalars, b: Scalars) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _along(x: Scalars, rate: Scalars, h: Scalar) -> list[Scalar]:
    return [a + h * b for a, b in zip(x, rate, strict=True)]
