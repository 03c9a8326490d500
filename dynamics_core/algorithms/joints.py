"""Joint models: where a joint puts its body, and along which unit vectors it moves it.

Source: RBDA section 4.4 (``jcalc``) and table 4.1. Body frames are chosen so that every motion
subspace consists of unit vectors, constant in body axes; its velocity-product term is then zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Body, Joint, JointType
from ..spatial import AxisRotation, Force, Matrix, Motion, Scalar, Transform, Vector, cos, sin


def joint_transform(body: Body, q: Sequence[Scalar]) -> Transform:
    """Pose of the body frame in its parent's body frame at position q."""
    joint, at = body.joint, body.placement
    fixed = at.rotation.matrix()
    k = joint.q_index
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
        angle = scalar_position(joint, q)
        return Transform(AxisRotation(fixed, cos(angle), sin(angle)), at.position)
    if joint.type is JointType.PRISMATIC:
        return Transform(fixed, at.position + fixed.column(2) * scalar_position(joint, q))
    if joint.type is JointType.PLANAR:
        position = at.position + fixed @ Vector(q[k], q[k + 1], 0.0)
        return Transform(AxisRotation(fixed, cos(q[k + 2]), sin(q[k + 2])), position)
    position = at.position + fixed @ Vector(q[k], q[k + 1], q[k + 2])
    return Transform(fixed @ quaternion_matrix(q[k + 3 : k + 7]), position)


def scalar_position(joint: Joint, q: Sequence[Scalar]) -> Scalar:
    """Angle or length of a joint with one coordinate; a mimic joint follows its master."""
    master = q[joint.q_index]
    if joint.mimics is None:
        return master
    return joint.multiplier * master + joint.offset


def quaternion_matrix(quaternion: Sequence[Scalar]) -> Matrix:
    """Rotation matrix of a unit quaternion (x, y, z, w), child to parent axes (RBDA 4.12)."""
    x, y, z, w = quaternion
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return Matrix(
        (
            (1.0 - (yy + zz), xy - wz, xz + wy),
            (xy + wz, 1.0 - (xx + zz), yz - wx),
            (xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def subspace(joint: Joint) -> list[tuple[int, int, float]]:
    """The columns of the motion subspace as (axis, coordinate, multiplier).

    ``axis`` indexes (linear, angular) body coordinates, ``coordinate`` indexes v, and the
    multiplier is 1 but for mimic joints.
    """
    return [(axis, joint.v_index + k, joint.multiplier) for k, axis in enumerate(joint.type.axes)]


def joint_rate(joint: Joint, v: Sequence[Scalar]) -> Motion:
    """``S v``: the twist (or ``S a``) that the joint adds, in body axes."""
    six: list[Scalar] = [0.0] * 6
    for axis, k, multiplier in subspace(joint):
        six[axis] = v[k] if multiplier == 1.0 else multiplier * v[k]
    return Motion.of(six)


def add_joint_torque(joint: Joint, force: Force, tau: list[Scalar]) -> None:
    """Add ``S' f`` to the generalised forces; a mimic joint's part goes to its master."""
    for axis, k, multiplier in subspace(joint):
        f = force[axis]
        tau[k] = tau[k] + (f if multiplier == 1.0 else multiplier * f)
