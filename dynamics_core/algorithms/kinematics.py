"""Forward kinematics: poses of bodies and frames.

Source: RBDA section 4.4 and example 4.4: ``X_0i = X_0p X_pi`` along the tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Scalar, Transform
from .joints import joint_transform


def ancestors(model: Model, body: int) -> list[int]:
    """The bodies from the base down to ``body``, which comes last; empty for the base itself."""
    path = []
    while body >= 0:
        path.append(body)
        body = model.bodies[body].parent
    return path[::-1]


def body_poses(
    model: Model, q: Sequence[Scalar], bodies: Sequence[int] | None = None
) -> dict[int, Transform]:
    """Pose in the base frame of all bodies, or of some (given parents first)."""
    poses: dict[int, Transform] = {}
    for i in range(len(model.bodies)) if bodies is None else bodies:
        local = joint_transform(model.bodies[i], q)
        parent = model.bodies[i].parent
        poses[i] = poses[parent] @ local if parent >= 0 else local
    return poses


def frame_transform(model: Model, q: Sequence[Scalar], frame: str) -> Transform:
    """Pose of a frame in the base frame."""
    f = model.frame(frame)
    if f.body < 0:
        return f.placement
    return body_poses(model, q, ancestors(model, f.body))[f.body] @ f.placement


@function("q", pose=(4, 4))
def frame_pose(model: Model, q: Sequence[Scalar], *, frame: str) -> list[list[Scalar]]:
    """Pose of a frame in the base frame as a homogeneous 4 x 4 matrix."""
    x = frame_transform(model, q, frame)
    rows = x.rotation.matrix().rows
    top = [[*row, p] for row, p in zip(rows, x.position, strict=True)]
    return [*top, [0.0, 0.0, 0.0, 1.0]]
