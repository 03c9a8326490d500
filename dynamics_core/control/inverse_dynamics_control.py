"""Following a motion with the inverse dynamics: feed-forward with PD, or computed torque."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..robot import Robot
from .friction import JointFriction
from .gravity_compensation import per_joint
from .joint_selection import JointSelection

__all__ = ["LAWS", "TERMS", "InverseDynamicsControl"]

Array = npt.NDArray[np.float64]

Law = Literal["feedforward", "computed_torque"]

#: The laws known.
LAWS = ("feedforward", "computed_torque")

#: The terms of the feed-forward torque that can be switched.
TERMS = ("inertia", "coriolis", "gravity", "friction")


class InverseDynamicsControl:
    """Torque that makes a robot follow positions, velocities and accelerations.

    ``feedforward``: ``tau = tau_ID(q_d, v_d, a_d) + Kp e + Kd de``, gains in N m/rad and
    N m s/rad. The terms come from the desired motion, so that noise of the sensors stays out.

    ``computed_torque``: ``tau = M(q) (a_d + Kp e + Kd de) + C(q, v) v + g(q)``, gains in 1/s2 and
    1/s: with a right model, every joint's error obeys ``e'' + Kd e' + Kp e = 0``.

    ``e = q_d - q``, for a continuous joint the short way round.

    Args:
        robot: The robot.
        joints: The joints it works on.

    Attributes:
        robot: May be exchanged at run time for one with another payload or gravity.
        law: One of :data:`LAWS`.
        terms: Which of :data:`TERMS` are fed forward; without all of the first three, computed
            torque leaves out the same.
        feedback: Whether Kp e + Kd de is added.
        friction: Friction model for the term ``friction``, or None.
        error: q_d - q of the last step, (n,).
        feedforward: The part of the last torque that the model made, (n,), N m or N.

    Source: Siciliano et al., Robotics, sections 8.5.1 and 8.5.2; Craig, Introduction to Robotics,
    section 10.4.
    """

    def __init__(self, robot: Robot, joints: JointSelection) -> None:
        n = len(joints)
        self.robot, self.joints = robot, joints
        self.law: Law = "feedforward"
        self.terms: frozenset[str] = frozenset(("inertia", "coriolis", "gravity"))
        self.feedback = True
        self.friction: JointFriction | None = None
        self.kp, self.kd = np.zeros(n), np.zeros(n)
        self.error = np.zeros(n)
        self.feedforward = np.zeros(n)
        self._q, self._v, self._a = np.zeros(robot.nq), np.zeros(robot.nv), np.zeros(robot.nv)

    def set_gains(self, kp: npt.ArrayLike, kd: npt.ArrayLike) -> None:
        """Set Kp and Kd; one number counts for all joints."""
        n = len(self.joints)
        gains = per_joint("kp", kp, n), per_joint("kd", kd, n)
        if any((g < 0.0).any() for g in gains):
            raise ArgumentError("kp and kd must be 0 or more; a negative gain drives errors up")
        self.kp, self.kd = gains

    def step(self, q: Array, v: Array, q_d: Array, v_d: Array, a_d: Array) -> Array:
        """The torque for a state and a desired motion.

        Args:
            q: Position of the robot, (nq,), rad or m.
            v: Velocity of the robot, (nv,), rad/s or m/s.
            q_d: Desired position of ``joints``, (n,).
            v_d: Desired velocity of ``joints``, (n,).
            a_d: Desired acceleration of ``joints``, (n,).

        Returns:
            tau of ``joints``, (n,), N m or N.
        """
        pick = self.joints.pick
        self.error = self.joints.difference(q_d, pick(q))
        velocity_error = v_d - pick(v)
        correction = self.kp * self.error + self.kd * velocity_error if self.feedback else None
        if self.law == "computed_torque":
            a = a_d if correction is None else a_d + correction
            self.feedforward = self._planned(q, v, pick(q), pick(v), a)
            correction = None
        else:
            self.feedforward = self._planned(q, v, q_d, v_d, a_d)
        self.feedforward = self.feedforward + self._friction_torque(v_d)
        return self.feedforward if correction is None else self.feedforward + correction

    def planned_torques(self, q: Array, q_d: Array, v_d: Array, a_d: Array) -> Array:
        """The torque that motions take according to the model, friction included.

        Args:
            q: Position of the robot, (nq,): where joints other than ``joints`` rest.
            q_d: Positions of ``joints``, (N, n).
            v_d: Velocities of ``joints``, (N, n).
            a_d: Accelerations of ``joints``, (N, n).

        Returns:
            tau of ``joints``, (N, n), N m or N.
        """
        rows, at = len(q_d), self.joints.index
        position = np.repeat(q[None, :], rows, axis=0)
        velocity, acceleration = np.zeros((rows, self.robot.nv)), np.zeros((rows, self.robot.nv))
        position[:, at], velocity[:, at], acceleration[:, at] = q_d, v_d, a_d
        tau = np.asarray(self._model_torque(position, velocity, acceleration)[:, at])
        return tau + self._friction_torque(v_d)

    def _planned(self, q: Array, v: Array, q_d: Array, v_d: Array, a_d: Array) -> Array:
        """Model torque of ``joints``, (n,); the joints only heard count as measured."""
        at = self.joints.index
        self._q[:], self._v[:] = q, v
        self._q[at], self._v[at], self._a[at] = q_d, v_d, a_d
        return self.joints.pick(self._model_torque(self._q, self._v, self._a))

    def _model_torque(self, q: Array, v: Array, a: Array) -> Array:
        """Inertia, Coriolis and gravity torque as far as switched on; shapes as given."""
        if self.terms >= {"inertia", "coriolis", "gravity"}:
            return self.robot.inverse_dynamics(q, v, a)
        tau = np.zeros_like(v)
        if "inertia" in self.terms:
            tau += np.einsum("...ij,...j->...i", self.robot.mass_matrix(q), a)
        if "coriolis" in self.terms:
            tau += self.robot.coriolis_torque(q, v)
        if "gravity" in self.terms:
            tau += self.robot.gravity_torque(q)
        return tau

    def _friction_torque(self, velocity: Array) -> Array:
        if "friction" not in self.terms or self.friction is None:
            return np.zeros_like(velocity)
        return self.friction.torque(velocity)
