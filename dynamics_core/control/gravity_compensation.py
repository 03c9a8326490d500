"""Gravity compensation: the torque that lets an arm float."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..robot import Robot
from .friction import JointFriction
from .joint_selection import JointSelection

__all__ = ["GravityCompensation"]

Array = npt.NDArray[np.float64]


class GravityCompensation:
    """``tau = s g(q) - D v + k tau_f(v)``: gravity, and what makes guiding by hand pleasant.

    Args:
        robot: The robot.
        joints: The joints it works on.

    Attributes:
        robot: May be exchanged at run time for one with another payload or gravity.
        scale: s, (n,): 1 compensates gravity fully, 0 not at all.
        damping: D, (n,), N m s/rad or N s/m: makes the arm come to rest when let go.
        friction: Friction to compensate, or None.
        friction_scale: k: below 1, so that friction is never turned into drive.
        gravity: g(q) of the last step for ``joints``, (n,), N m or N.
    """

    def __init__(self, robot: Robot, joints: JointSelection) -> None:
        n = len(joints)
        self.robot, self.joints = robot, joints
        self.scale = np.ones(n)
        self.damping = np.zeros(n)
        self.friction: JointFriction | None = None
        self.friction_scale = 0.0
        self.gravity = np.zeros(n)
        self._all = np.zeros(robot.nv)

    def step(self, q: Array, v: Array) -> Array:
        """The torque for a state.

        Args:
            q: Position of the robot, (nq,), rad or m.
            v: Velocity of the robot, (nv,), rad/s or m/s.

        Returns:
            tau of ``joints``, (n,), N m or N.
        """
        self.robot.gravity_torque(q, out=self._all)
        self.gravity = self.joints.pick(self._all)
        velocity = self.joints.pick(v)
        tau = self.scale * self.gravity - self.damping * velocity
        if self.friction is not None and self.friction_scale:
            tau = tau + self.friction_scale * self.friction.torque(velocity)
        return np.asarray(tau)

    def set_gains(self, scale: npt.ArrayLike, damping: npt.ArrayLike) -> None:
        """Set scale and damping; one number counts for all joints."""
        n = len(self.joints)
        self.scale = per_joint("gravity scale", scale, n)
        self.damping = per_joint("damping", damping, n)


def per_joint(what: str, values: npt.ArrayLike, n: int) -> Array:
    """One number for all joints or one a joint, as (n,); :class:`ArgumentError` otherwise."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.shape not in ((1,), (n,)) or not np.isfinite(array).all():
        raise ArgumentError(
            f"{what} has {array.size} entries; expected 1, or {n}: one a joint, all finite"
        )
    return np.broadcast_to(array, (n,)).copy()
