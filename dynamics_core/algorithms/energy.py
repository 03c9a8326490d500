"""Kinetic and potential energy.

Source: RBDA equations 2.67 and 8.18. Armature stores energy like the mass matrix that it is part
of, so that ``T = v' M v / 2``; potential energy is zero at the base's origin.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Motion, Scalar, Vector
from .center_of_mass import mass_moments
from .cholesky import is_zero
from .joints import joint_rate, joint_transform
from .kinematics import body_poses


@function("q", "v", joint_space=True, energy=())
def kinetic_energy(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """``v' M v / 2``, body by body."""
    twice: Scalar = 0.0
    twist: list[Motion] = []
    for body in model.bodies:
        above = twist[body.parent] if body.parent >= 0 else Motion()
        rate = joint_rate(body.joint, v)
        twist.append(joint_transform(body, q).motion_to_child(above) + rate)
        twice = twice + twist[-1].dot(body.inertia.times(twist[-1]))
        if not is_zero(body.joint.armature):
            twice = twice + rate.dot(rate) * body.joint.armature
    return 0.5 * twice


@function("q", energy=())
def potential_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """``-g . (m c)`` of the moving bodies."""
    _, moments = mass_moments(model, body_poses(model, q))
    gravity: Vector = model.gravity
    return -gravity.dot(moments[-1])
