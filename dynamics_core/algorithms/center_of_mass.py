"""Centre of mass of everything that moves, its velocity and its Jacobian.

Source: RBDA section 2.12 (``m c`` of a composite body is the sum of its parts'); the Jacobian's
columns are the velocities that each joint gives to what it carries, weighted by mass. What is
fixed to the ground has no part in it: the linear momentum of the robot is then the moving mass
times the centre's velocity.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Motion, Scalar, Transform, Vector
from .joints import subspace
from .kinematics import body_poses


def mass_moments(model: Model, poses: dict[int, Transform]) -> tuple[list[Scalar], list[Vector]]:
    """Mass and first moment ``m c`` of each body with all that it carries; the total comes last.

    Moments are about the base's origin, in base axes.
    """
    masses: list[Scalar] = [b.inertia.mass for b in model.bodies] + [0.0]
    moments = [
        poses[i].position * b.inertia.mass + poses[i].rotation.rotate(b.inertia.first)
        for i, b in enumerate(model.bodies)
    ] + [Vector()]
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent  # -1 is the total
        masses[p] = masses[p] + masses[i]
        moments[p] = moments[p] + moments[i]
    return masses, moments


@function("q", com=(3,))
def center_of_mass(model: Model, q: Sequence[Scalar]) -> Vector:
    """Centre of mass of the moving bodies in the base frame."""
    masses, moments = mass_moments(model, body_poses(model, q))
    return moments[-1] * (1.0 / masses[-1])


@function("q", J=(3, "nv"))
def com_jacobian(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Jacobian of the centre of mass in base axes."""
    poses = body_poses(model, q)
    masses, moments = mass_moments(model, poses)
    reciprocal = 1.0 / masses[-1]
    rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(3)]
    for i, body in enumerate(model.bodies):
        for axis, k, scale in subspace(body.joint):
            s = poses[i].motion_to_parent(Motion.unit(axis, scale))
            column = (s.linear * masses[i] + s.angular.cross(moments[i])) * reciprocal
            for row, value in zip(rows, column, strict=True):
                row[k] = row[k] + value
    return rows


@function("q", "v", velocity=(3,))
def com_velocity(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Vector:
    """Velocity of the centre of mass in base axes."""
    poses = body_poses(model, q)
    masses, moments = mass_moments(model, poses)
    total = Vector()
    for i, body in enumerate(model.bodies):
        for axis, k, scale in subspace(body.joint):
            s = poses[i].motion_to_parent(Motion.unit(axis, scale)) * v[k]
            total = total + s.linear * masses[i] + s.angular.cross(moments[i])
    return total * (1.0 / masses[-1])
