"""The wrench that each joint transmits: what its bearing has to carry.

Source: RBDA section 5.3: the force f_i that the recursive Newton-Euler algorithm carries inwards
is the one that the parent exerts on body i through joint i. Its component along the joint's axis
is the joint's torque (less what accelerates a rotor); the others are the load of the bearing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Body, Model
from ..spatial import Matrix, Scalar
from .inverse_dynamics import external_forces, newton_euler
from .kinematics import body_poses

#: Axes that the wrenches can be given in; see :func:`joint_wrenches`.
WRENCH_AXES = ("joint", "local", "local_world_aligned")


def moving_joints(model: Model) -> list[int]:
    """Bodies in the order of the rows: joints in coordinate order, then the mimic joints."""
    own = {j.name: k for k, j in enumerate(model.joints)}
    last = len(own)
    return sorted(
        range(len(model.bodies)), key=lambda i: (own.get(model.bodies[i].joint.name, last), i)
    )


def _link_axes(model: Model, body: Body) -> Matrix:
    """Axes of the link that the joint carries, in body axes; those of the body without a link."""
    for frame in model.frames:
        if frame.name == body.name:
            return frame.placement.rotation.matrix()
    return Matrix.identity()


@function("q", "v", "a", "wrenches", w=("body_count", 6))
def joint_wrenches(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    reference: str = "joint",
) -> list[list[Scalar]]:
    """Wrench (force, moment about the joint's origin) that acts on each joint's body.

    Args:
        model: The robot.
        q: Position.
        v: Velocity.
        a: Acceleration.
        wrenches: Six scalars for each frame, exerted by the environment.
        frames: Frames that the wrenches act on.
        reference: ``joint``: z is the joint's axis. ``local``: the axes of the link that the joint
            carries. ``local_world_aligned``: base axes. The moment is always about the origin of
            the joint.
    """
    _, force = newton_euler(model, q, v, a, external_forces(model, frames, wrenches))
    poses = body_poses(model, q) if reference == "local_world_aligned" else {}
    rows = []
    for i in moving_joints(model):
        f = force[i]
        if reference == "local_world_aligned":
            r = poses[i].rotation
            rows.append([*r.rotate(f.linear), *r.rotate(f.angular)])
        elif reference == "local":
            axes = _link_axes(model, model.bodies[i])
            rows.append([*axes.unrotate(f.linear), *axes.unrotate(f.angular)])
        else:
            rows.append(list(f))
    return rows
