"""Momentum about the centre of mass, its matrix, its inertia and its bias.

Source: D. E. Orin, A. Goswami and S.-H. Lee, *Centroidal dynamics of a humanoid robot*,
Autonomous Robots 35 (2013), equations 9 to 26. Momentum is (linear, angular), about the centre of
mass, in base axes. What is fixed to the ground and the rotors' armature have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Force, Inertia, Matrix, Motion, Scalar, Vector
from .joints import joint_rate, joint_transform, subspace
from .kinematics import body_poses


def base_composites(model: Model, poses: dict) -> list[Inertia]:
    """Inertia of each body with all that it carries, about the base's origin in base axes.

    That of the whole robot comes last.
    """
    composite = [b.inertia.to_parent(poses[i]) for i, b in enumerate(model.bodies)]
    composite.append(Inertia.zero())
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent  # -1 is the whole robot
        composite[p] = composite[p] + composite[i]
    return composite


def about_com(f: Force, whole: Inertia) -> Force:
    """Momentum (or force) about the base's origin, moved to the centre of mass."""
    com = whole.first * (1.0 / whole.mass)
    return Force(f.linear, f.angular - com.cross(f.linear))


@function("q", A=(6, "nv"))
def centroidal_momentum_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Matrix A(q) whose product with v is the centroidal momentum."""
    poses = body_poses(model, q)
    composite = base_composites(model, poses)
    rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(6)]
    for i, body in enumerate(model.bodies):
        for axis, k, scale in subspace(body.joint):
            s = poses[i].motion_to_parent(Motion.unit(axis, scale))
            column = about_com(composite[i].times(s), composite[-1])
            for row, value in zip(rows, column, strict=True):
                row[k] = row[k] + value
    return rows


@function("q", "v", h=(6,))
def centroidal_momentum(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Force:
    """Momentum of the moving bodies about their centre of mass."""
    poses = body_poses(model, q)
    composite = base_composites(model, poses)
    total = Force()
    for i, body in enumerate(model.bodies):
        s = poses[i].motion_to_parent(joint_rate(body.joint, v))
        total = total + composite[i].times(s)
    return about_com(total, composite[-1])


@function("q", "v", bias=(6,))
def centroidal_momentum_bias(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Force:
    """``dA/dt v``: the rate of centroidal momentum when the joints do not accelerate."""
    poses = body_poses(model, q)
    twist: list[Motion] = []
    acceleration: list[Motion] = []  # spatial
    total = Force()
    for i, body in enumerate(model.bodies):
        x, rate = joint_transform(body, q), joint_rate(body.joint, v)
        p = body.parent
        above = (twist[p], acceleration[p]) if p >= 0 else (Motion(), Motion())
        twist.append(x.motion_to_child(above[0]) + rate)
        acceleration.append(x.motion_to_child(above[1]) + twist[i].cross(rate))
        inertia = body.inertia
        force = inertia.times(acceleration[i]) + twist[i].cross_force(inertia.times(twist[i]))
        total = total + poses[i].force_to_parent(force)
    return about_com(total, base_composites(model, poses)[-1])


@function("q", I=(6, 6))
def centroidal_inertia(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Inertia of all moving bodies locked together, about their centre of mass in base axes."""
    whole = base_composites(model, body_poses(model, q))[-1]
    m, com = whole.mass, whole.first * (1.0 / whole.mass)
    skew = Matrix.skew(com)
    second = (whole.second + skew @ skew * m).symmetric()
    blocks = (Matrix.diagonal(m, m, m), second)
    empty = Vector()
    return [[*blocks[0].rows[k], *empty] for k in range(3)] + [
        [*empty, *blocks[1].rows[k]] for k in range(3)
    ]
