"""Time derivative of a frame's Jacobian, and the acceleration ``dJ/dt v`` of a steady motion.

Source: RBDA section 2.5, example 2.3 and section 4.5. In base axes about the base's origin,
column k is the unit twist ``s`` of a joint, and it moves with the body that carries the joint:
``ds/dt = v_body x s``. The other references differ by a transform that moves with the frame.

``J a + dJ/dt v`` is the derivative of the frame's twist in the reference: with ``local`` and
``world`` that is the spatial acceleration, with ``local_world_aligned`` the classical one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Motion, Scalar
from .frame_motion import express, frame_motion
from .joints import subspace
from .kinematics import ancestors, body_poses


@function("q", "v", dJ=(6, "nv"))
def jacobian_derivative(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
) -> list[list[Scalar]]:
    """``dJ/dt`` along the velocity v; references as for :func:`.jacobian.jacobian`."""
    f = model.frame(frame)
    rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(6)]
    if f.body < 0:
        return rows
    path = ancestors(model, f.body)
    poses = body_poses(model, q, path)
    columns: list[tuple[int, Motion, Motion]] = []  # coordinate, unit twist, its body's twist
    twist = Motion()
    for i in path:
        units = [
            (k, poses[i].motion_to_parent(Motion.unit(axis, scale)))
            for axis, k, scale in subspace(model.bodies[i].joint)
        ]
        for k, s in units:
            twist = twist + s * v[k]
        columns += [(k, s, twist) for k, s in units]
    at = poses[f.body] @ f.placement
    p, dp = at.position, twist.linear + twist.angular.cross(at.position)
    for k, s, carrier in columns:
        if reference == "local":
            m = at.motion_to_child((carrier - twist).cross(s))
        elif reference == "world":
            m = carrier.cross(s)
        else:
            ds = carrier.cross(s)
            linear = ds.linear + ds.angular.cross(p) + s.angular.cross(dp)
            m = Motion(linear, ds.angular)
        for row, value in zip(rows, m, strict=True):
            row[k] = row[k] + value
    return rows


@function("q", "v", bias=(6,))
def jacobian_bias(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
) -> Motion:
    """``dJ/dt v``, without the matrix: the frame's acceleration when joints do not accelerate."""
    m = frame_motion(model, q, v, [0.0] * model.nv, frame)
    bias = express(m.acceleration, m.pose, reference)
    if reference != "local_world_aligned":
        return bias
    twist = express(m.twist, m.pose, reference)
    return Motion(bias.linear + twist.angular.cross(twist.linear), bias.angular)
