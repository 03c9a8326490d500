"""Forward dynamics by the articulated-body algorithm (ABA).

Source: RBDA section 7.3, table 7.1. Accelerations are the classical ones of the body frames'
origins, as in :mod:`.inverse_dynamics`. A joint with several degrees of freedom moves along unit
vectors, which are eliminated one after the other; that is Gaussian elimination of its block
``D = S' IA S``, so that no small matrix has to be inverted.

Mimic joints close kinematic loops as far as the recursion is concerned; a robot that has them
solves ``M a = tau - bias`` instead (:mod:`.cholesky`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..functions import function
from ..model import Model
from ..spatial import Force, Motion, Scalar, Transform, Vector
from .articulated_inertia import ArticulatedInertia
from .cholesky import forward_dynamics_cholesky, is_zero
from .friction import joint_friction
from .inverse_dynamics import external_forces
from .joints import joint_rate, joint_transform

_Six = TypeVar("_Six", Force, Motion)


@dataclass
class _Pivot:
    """One eliminated degree of freedom: ``acceleration = (u - U . a') / d``."""

    axis: int
    coordinate: int
    column: Force
    reciprocal: Scalar
    u: Scalar


@function("q", "v", "tau", "wrenches", joint_space=True, a=("nv",))
def forward_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    friction: float | None = None,
) -> list[Scalar]:
    """Acceleration that the joint torques and the wrenches on ``frames`` cause.

    ``friction`` is as for :func:`~.inverse_dynamics.inverse_dynamics`.
    """
    if friction is not None:
        lost = joint_friction(model, v, smoothing=friction)
        tau = [t - f for t, f in zip(tau, lost, strict=True)]
    if model.has_mimic:
        return forward_dynamics_cholesky(model, q, v, tau, wrenches, frames=frames)
    external = external_forces(model, frames, wrenches)
    x, bias_motion, inertia, force = _outward(model, q, v, external)
    pivots: list[list[_Pivot]] = [[] for _ in model.bodies]
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        pivots[i], inertia[i], force[i] = _eliminate_joint(model, i, inertia[i], force[i], tau)
        if body.parent >= 0:
            p = body.parent
            rest = force[i] + inertia[i].times(bias_motion[i])
            inertia[p] = inertia[p] + inertia[i].to_parent(x[i])
            force[p] = force[p] + x[i].force_to_parent(rest)
    return _accelerations(model, x, bias_motion, pivots)


def _outward(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], external: dict[int, Force]
) -> tuple[list[Transform], list[Motion], list[ArticulatedInertia], list[Force]]:
    """Transforms, velocity-product accelerations, rigid inertias and velocity-product forces."""
    x: list[Transform] = []
    omega: list[Vector] = []
    bias_motion: list[Motion] = []
    inertia: list[ArticulatedInertia] = []
    force: list[Force] = []
    for i, body in enumerate(model.bodies):
        x.append(joint_transform(body, q))
        w_p = omega[body.parent] if body.parent >= 0 else Vector()
        r, rate = x[i].rotation, joint_rate(body.joint, v)
        w0 = r.unrotate(w_p)
        centripetal = r.unrotate(w_p.cross(w_p.cross(x[i].position)))
        w = w0 + rate.angular
        omega.append(w)
        bias_motion.append(
            Motion(centripetal + (w0 + w).cross(rate.linear), w0.cross(rate.angular))
        )
        h, second = body.inertia.first, body.inertia.second
        inertia.append(ArticulatedInertia.of(body.inertia))
        f = Force(w.cross(w.cross(h)), w.cross(second @ w))
        force.append(f - external[i] if i in external else f)
    return x, bias_motion, inertia, force


def _eliminate_joint(
    model: Model, i: int, inertia: ArticulatedInertia, force: Force, tau: Sequence[Scalar]
) -> tuple[list[_Pivot], ArticulatedInertia, Force]:
    joint = model.bodies[i].joint
    pivots = []
    for k, axis in enumerate(joint.type.axes):
        coordinate = joint.v_index + k
        column = inertia.column(axis)
        reciprocal = 1.0 / (column[axis] + joint.armature)
        u = tau[coordinate] - force[axis]
        over_d = column * reciprocal
        pivots.append(_Pivot(axis, coordinate, column, reciprocal, u))
        inertia = inertia.minus_outer(column, over_d)
        force = force + over_d * u
        if is_zero(joint.armature):
            # What is left along the axis is then known beforehand: no inertia, and a force that
            # is the torque itself. A rotor's inertia stays behind in the joint.
            inertia = inertia.without(axis)
            force = _with_component(force, axis, tau[coordinate])
    return pivots, inertia, force


def _accelerations(
    model: Model,
    x: Sequence[Transform],
    bias_motion: Sequence[Motion],
    pivots: Sequence[Sequence[_Pivot]],
) -> list[Scalar]:
    result: list[Scalar] = [0.0] * model.nv
    acceleration: list[Motion] = []
    base = Motion(-model.gravity, Vector())
    for i, body in enumerate(model.bodies):
        above = acceleration[body.parent] if body.parent >= 0 else base
        a = x[i].motion_to_child(above) + bias_motion[i]
        for pivot in reversed(pivots[i]):
            own = (pivot.u - pivot.column.dot(a)) * pivot.reciprocal
            result[pivot.coordinate] = own
            a = _with_component(a, pivot.axis, a[pivot.axis] + own)
        acceleration.append(a)
    return result


def _with_component(six: _Six, k: int, value: Scalar) -> _Six:
    """The same six-vector with component k replaced."""
    replaced: _Six = type(six).of(value if j == k else s for j, s in enumerate(six))
    return replaced
