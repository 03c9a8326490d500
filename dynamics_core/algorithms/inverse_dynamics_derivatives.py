"""Analytical derivatives of inverse dynamics with respect to q, v and a.

Source:

* S. Singh, R. P. Russell, P. M. Wensing, *Efficient analytical derivatives of rigid-body dynamics
  using spatial vector algebra*, IEEE Robotics and Automation Letters 7(2), 2022.
* J. Carpentier, N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*, RSS 2018.

A small motion of joint j turns and shifts everything that it carries. Seen from there nothing has
changed but the motion of what comes before: body j and all beyond it receive, in body j's axes,

    along q:  angular velocity    phi = w0 x e
              acceleration        psi = (a0 x e - 2 phi x v0, dw0 x e + w0 x phi)
    along v:  angular velocity    e
              acceleration        psi = v0 x S + v x S

where e is the angular part of the column S of the joint, (v0, w0) and (a0, dw0) are the motion of
the parent at the joint (a0 the classical acceleration of that point, less gravity), and v is the
body's own twist. A column without rotation has ``phi = 0`` and, along q, the linear part
``dw0 x s + w0 x (w0 x s)``. The force of what joint j carries then changes by ``I psi + 2 B phi``,
with the composite inertia I and the composite Coriolis matrix B. For the joints before j, that
force also turns with the joint, by ``S x* f``. For the joints behind j, I and B are those of what
they carry themselves. All of it is linear in S, so that mimic joints add up in their master.

The derivative along q is that of ``tau(q (+) dq, v, a)``, with dq in the tangent space: a twist of
the joint in its own body axes for floating and planar joints, as for v (Pinocchio does the same).
Wrenches on frames keep their six numbers in the frames' axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..functions import function
from ..model import Joint, Model
from ..spatial import Force, Motion, Scalar, Transform, Vector
from .coriolis_inertia import CoriolisInertia
from .coriolis_matrix import composite_coriolis, twists
from .friction import joint_friction_slope
from .inverse_dynamics import BodyMotion, child_motion, external_forces, inertial_force
from .joints import joint_rate, joint_transform, subspace
from .mass_matrix import composite_inertias

Rows = list[list[Scalar]]


@dataclass
class _Column:
    """A column of a joint's subspace, and what moving along it does to the body."""

    coordinate: int
    axis: int
    scale: float
    unit: Motion
    phi: Vector  # angular velocity along q; along v it is the unit motion's
    psi_q: Motion
    psi_v: Motion


def _columns(joint: Joint, above: Motion, own: Motion, dw0: Vector, a0: Vector) -> list[_Column]:
    v0, w0 = above.linear, above.angular
    columns = []
    for axis, k, scale in subspace(joint):
        unit = Motion.unit(axis, scale)
        e = unit.angular
        if axis < 3:
            s = unit.linear
            phi = Vector()
            psi_q = Motion(dw0.cross(s) + w0.cross(w0.cross(s)), Vector())
        else:
            phi = w0.cross(e)
            psi_q = Motion(a0.cross(e) - phi.cross(v0) * 2.0, dw0.cross(e) + w0.cross(phi))
        # A joint with a single column does not change its direction by its own motion.
        psi_v = above.cross(unit) * 2.0 if joint.type.nv == 1 else (above + own).cross(unit)
        columns.append(_Column(k, axis, scale, unit, phi, psi_q, psi_v))
    return columns


def _outward(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: dict[int, Force],
) -> tuple[list[Transform], list[Motion], list[list[_Column]], list[Force]]:
    """Transforms, twists, columns, and the forces that the joints transmit."""
    x = [joint_transform(b, q) for b in model.bodies]
    above, own = twists(model, x, v)
    motion: list[BodyMotion] = []
    columns: list[list[_Column]] = []
    force: list[Force] = []
    base = BodyMotion.of_base(model.gravity)
    for i, body in enumerate(model.bodies):
        parent = motion[body.parent] if body.parent >= 0 else base
        tensor = parent.tensor()
        r = x[i].rotation
        dw0 = r.unrotate(parent.angular_acceleration)
        a0 = r.unrotate(parent.acceleration + tensor @ x[i].position)
        rate, change = joint_rate(body.joint, v), joint_rate(body.joint, a)
        motion.append(child_motion(parent, tensor, x[i], rate, change))
        columns.append(_columns(body.joint, above[i], own[i], dw0, a0))
        f = inertial_force(body.inertia, motion[i], motion[i].tensor())
        force.append(f - external[i] if i in external else f)
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent
        if p >= 0:
            force[p] = force[p] + x[i].force_to_parent(force[i])
    return x, own, columns, force


def _twice(c: CoriolisInertia) -> CoriolisInertia:
    return CoriolisInertia(c.momentum * 2.0, c.moments * 2.0)


@function(
    "q",
    "v",
    "a",
    "wrenches",
    joint_space=True,
    dtau_dq=("nv", "nv"),
    dtau_dv=("nv", "nv"),
    dtau_da=("nv", "nv"),
)
def inverse_dynamics_derivatives(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    friction: float | None = None,
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of the joint torques; the last of them is the mass matrix.

    ``frames`` and ``friction`` are as for :func:`~.inverse_dynamics.inverse_dynamics`.
    """
    external = external_forces(model, frames, wrenches)
    x, twist, columns, force = _outward(model, q, v, a, external)
    inertia = composite_inertias(model, x)
    coriolis = [_twice(c) for c in composite_coriolis(model, x, twist)]
    n = model.nv
    dq, dv, m = ([[0.0] * n for _ in range(n)] for _ in range(3))

    def add(rows: Rows, row: int, column: int, value: Scalar) -> None:
        rows[row][column] = rows[row][column] + value

    for i in range(len(model.bodies)):
        for number, c in enumerate(columns[i]):
            k = c.coordinate
            along_q = inertia[i].times(c.psi_q) + coriolis[i].times(c.phi)
            along_v = inertia[i].times(c.psi_v) + coriolis[i].times(c.unit.angular)
            row = inertia[i].times(c.unit)
            turn = coriolis[i].row(c.axis, c.scale)
            for o in columns[i]:
                add(dq, o.coordinate, k, along_q[o.axis] * o.scale)
                add(dv, o.coordinate, k, along_v[o.axis] * o.scale)
            for o in columns[i][number:]:
                add(m, k, o.coordinate, row[o.axis] * o.scale)
                if o is not c:
                    m[o.coordinate][k] = m[k][o.coordinate]
            along_q = along_q + c.unit.cross_force(force[i])
            j = i
            while model.bodies[j].parent >= 0:
                up, j = x[j], model.bodies[j].parent
                along_q, along_v = up.force_to_parent(along_q), up.force_to_parent(along_v)
                row, turn = up.force_to_parent(row), up.rotation.rotate(turn)
                for o in columns[j]:
                    add(dq, o.coordinate, k, along_q[o.axis] * o.scale)
                    add(dv, o.coordinate, k, along_v[o.axis] * o.scale)
                    add(dq, k, o.coordinate, row.dot(o.psi_q) + turn.dot(o.phi))
                    add(dv, k, o.coordinate, row.dot(o.psi_v) + turn.dot(o.unit.angular))
                    value = row[o.axis] * o.scale
                    same = o.coordinate == k  # two joints that share a coordinate meet twice
                    add(m, k, o.coordinate, value + value if same else value)
                    m[o.coordinate][k] = m[k][o.coordinate]
    for body in model.bodies:
        joint = body.joint
        for k in range(joint.v_index, joint.v_index + joint.type.nv):
            m[k][k] = m[k][k] + joint.armature * joint.multiplier**2
    if friction is not None:
        for k, slope in enumerate(joint_friction_slope(model, v, friction)):
            dv[k][k] = dv[k][k] + slope
    return dq, dv, m
