"""Geometric Jacobian of a frame.

Source: RBDA section 4.5 and example 4.5. Column k is the twist of the frame per unit of velocity
coordinate k, as (linear, angular).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Motion, Scalar, Transform, Vector
from .joints import subspace
from .kinematics import ancestors, body_poses

#: What the rows of a Jacobian are measured in; see :func:`jacobian`.
REFERENCES = ("local", "world", "local_world_aligned")


@function("q", J=(6, "nv"))
def jacobian(
    model: Model,
    q: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
) -> list[list[Scalar]]:
    """Jacobian of a frame: ``J v`` is its twist.

    Args:
        model: The robot.
        q: Position.
        frame: Name of the frame.
        reference: ``local``: twist of the frame's origin in the frame's own axes.
            ``local_world_aligned``: twist of the frame's origin in base axes.
            ``world``: twist, in base axes, of the point that is at the base's origin.
    """
    f = model.frame(frame)
    path = ancestors(model, f.body)
    poses = body_poses(model, q, path)
    at = poses[f.body] @ f.placement if path else f.placement
    rows: list[list[Scalar]] = [[0.0] * model.nv for _ in range(6)]
    for i in path:
        for axis, k, scale in subspace(model.bodies[i].joint):
            m = _seen_from(poses[i], axis, scale, at, reference)
            for row, value in zip(rows, m, strict=True):
                row[k] = row[k] + value
    return rows


def _seen_from(body: Transform, axis: int, scale: float, at: Transform, reference: str) -> Motion:
    direction = body.rotation.matrix().column(axis % 3) * scale
    if axis < 3:
        m = Motion(direction, Vector())
    else:
        point = Vector() if reference == "world" else at.position
        m = Motion(direction.cross(point - body.position), direction)
    if reference == "local":
        r = at.rotation
        return Motion(r.unrotate(m.linear), r.unrotate(m.angular))
    return m
