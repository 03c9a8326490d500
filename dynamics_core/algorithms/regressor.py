"""Inertial-parameter regressor: the torque is linear in the inertial parameters, tau = Y pi.

Source: C. G. Atkeson, C. H. An, J. M. Hollerbach, *Estimation of inertial parameters of
manipulator loads and links*, Int. J. Robotics Research 5(3), 1986. Body b with the acceleration a
of its frame's origin, the angular velocity w and acceleration dw takes the force
``A(a, w, dw) pi_b`` about that origin, and a joint column S on the way to it feels ``S' A``, S seen
from the body.

The parameters of a body are those of :meth:`dynamics_core.spatial.Inertia.parameters`, (m, hx, hy,
hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz): mass, first moment, and second moment about the origin of the
body frame, in body axes. Pinocchio's ``toDynamicParameters`` has the same order and meaning, but in
the axes of the URDF's joint frame, whereas z of a body frame is the joint's axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Matrix, Motion, Scalar, Transform, Vector
from .inverse_dynamics import BodyMotion, child_motion
from .joints import joint_rate, joint_transform, subspace


def _second_moment_columns(m: BodyMotion, u: Matrix) -> list[Vector]:
    """Moments per unit of Ixx, Ixy, Iyy, Ixz, Iyz, Izz: ``I dw + w x I w``."""
    w, dw = m.angular_velocity, m.angular_acceleration
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    # The entries of u = skew(dw) + skew(w)^2 hold all the other combinations.
    return [
        Vector(dw.x, xz, -xy),
        Vector(-u[2, 0], u[2, 1], u[0, 0] - u[1, 1]),
        Vector(-yz, dw.y, xy),
        Vector(u[1, 0], u[2, 2] - u[0, 0], -u[1, 2]),
        Vector(u[1, 1] - u[2, 2], -u[0, 1], u[0, 2]),
        Vector(yz, -xz, dw.z),
    ]


def _row(s: Motion, m: BodyMotion, u: Matrix, moments: Sequence[Vector]) -> list[Scalar]:
    """``S' A``: what the parameters of one body add to the torque along S."""
    a = m.acceleration
    h = u.T @ s.linear + a.cross(s.angular)
    return [s.linear.dot(a), *h, *(s.angular.dot(c) for c in moments)]


def _body_motions(
    model: Model, x: Sequence[Transform], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[BodyMotion]:
    motion: list[BodyMotion] = []
    base = BodyMotion.of_base(model.gravity)
    for i, body in enumerate(model.bodies):
        parent = motion[body.parent] if body.parent >= 0 else base
        rate, change = joint_rate(body.joint, v), joint_rate(body.joint, a)
        motion.append(child_motion(parent, parent.tensor(), x[i], rate, change))
    return motion


@function("q", "v", "a", Y=("nv", "parameter_count"))
def regressor(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Matrix with ``Y pi`` the torque of inverse dynamics, rotor inertias (armature) left out."""
    x = [joint_transform(b, q) for b in model.bodies]
    motion = _body_motions(model, x, v, a)
    y: list[list[Scalar]] = [[0.0] * model.parameter_count for _ in range(model.nv)]
    path: list[list[tuple[int, Motion]]] = []  # (coordinate, S) of all joints before each body
    for b, body in enumerate(model.bodies):
        inner = path[body.parent] if body.parent >= 0 else []
        seen = [(k, x[b].motion_to_child(s)) for k, s in inner]
        path.append(seen + [(k, Motion.unit(axis, s)) for axis, k, s in subspace(body.joint)])
        u = motion[b].tensor()
        moments = _second_moment_columns(motion[b], u)
        for k, s in path[b]:
            for column, value in enumerate(_row(s, motion[b], u, moments), start=10 * b):
                y[k][column] = y[k][column] + value
    return y
