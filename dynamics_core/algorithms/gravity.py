"""Gravity torque by its own recursion: nothing moves, so that only weights are left.

Source: RBDA section 5.3 with v = a = 0: each body's force is its weight, and no angular quantity
is needed on the way out.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Force, Scalar, Transform, Vector
from .joints import add_joint_torque, joint_transform


@function("q", joint_space=True, tau=("nv",))
def gravity_torque(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """Generalised force g(q) that holds the robot still against gravity, alone."""
    x: list[Transform] = []
    lift: list[Vector] = []  # the fictitious acceleration -g in body axes
    force: list[Force] = []
    for i, body in enumerate(model.bodies):
        x.append(joint_transform(body, q))
        up = lift[body.parent] if body.parent >= 0 else -model.gravity
        lift.append(x[i].rotation.unrotate(up))
        force.append(Force(lift[i] * body.inertia.mass, body.inertia.first.cross(lift[i])))
    tau: list[Scalar] = [0.0] * model.nv
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        add_joint_torque(body.joint, force[i], tau)
        if body.parent >= 0:
            force[body.parent] = force[body.parent] + x[i].force_to_parent(force[i])
    return tau
