"""Joint torques that the environment exerts, from what the motors do and how the robot moves."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..control.friction import JointFriction
from ..errors import ArgumentError
from ..robot import Robot

__all__ = ["METHODS", "ExternalTorqueObserver"]

Array = npt.NDArray[np.float64]

Method = Literal["momentum", "static"]

#: The methods known.
METHODS = ("momentum", "static")


class ExternalTorqueObserver:
    """Observes ``tau_ext = M(q) a + C(q, v) v + g(q) + tau_f(v) - tau``.

    ``momentum``: the generalised-momentum observer. Its residual is ``tau_ext`` behind a
    first-order low-pass filter and needs no acceleration: with ``p = M v``,

        r = K (p - p_0 - integral of (tau + C' v - g - tau_f + r))

    Since ``p' = M a + M' v`` and ``M' = C + C'``, that is ``r' = K (M a + C v + g + tau_f - tau
    - r)``; over one step the integral of M a is the mean of M times the change of v, which needs
    no Coriolis matrix.

    ``static``: ``g(q) + C v + tau_f - tau``, right while the robot does not accelerate.

    Args:
        robot: The robot.
        method: One of :data:`METHODS`.
        bandwidth: K / (2 pi), Hz.

    Attributes:
        robot: May be exchanged at run time for one with another payload or gravity.
        friction: Friction of all joints, or None.
        effort_includes_gravity: Whether the measured effort holds the gravity torque; some
            robots report their effort without it.
        torque: tau_ext, (nv,), N m or N.

    Source: De Luca, Mattone, ICRA 2003, equations 6 to 8; Haddadin, De Luca, Albu-Schaeffer, IEEE
    T-RO 33 (2017) 1292, section IV.
    """

    def __init__(self, robot: Robot, method: Method = "momentum", bandwidth: float = 20.0) -> None:
        if method not in METHODS:
            raise ArgumentError(f"unknown method {method!r}; known are {', '.join(METHODS)}")
        self.robot, self.method = robot, method
        self.friction: JointFriction | None = None
        self.effort_includes_gravity = True
        self.torque = np.zeros(robot.nv)
        self.set_bandwidth(bandwidth)
        self._last: tuple[Array, Array, Array] | None = None

    def set_bandwidth(self, bandwidth: float) -> None:
        """Set K / (2 pi), Hz: higher is faster and noisier."""
        if not (math.isfinite(bandwidth) and bandwidth > 0.0):
            raise ArgumentError(f"bandwidth is {bandwidth} Hz; expected more than 0")
        self._gain = 2.0 * math.pi * bandwidth

    def reset(self) -> None:
        """Start anew, as after a gap in the measurements."""
        self._last = None
        self.torque = np.zeros(self.robot.nv)

    def step(self, q: Array, v: Array, effort: Array, dt: float) -> Array:
        """Take in a measurement.

        Args:
            q: Position, (nq,), rad or m.
            v: Velocity, (nv,), rad/s or m/s.
            effort: Torque of the motors, (nv,), N m or N.
            dt: Time since the last measurement, s.

        Returns:
            tau_ext, (nv,), N m or N; positive where the environment pushes the joint forward.
        """
        surplus = self._static_surplus(q, v, effort)
        if self.method == "static":
            self.torque = surplus
            return self.torque
        mass = self.robot.mass_matrix(q)
        if self._last is None or not dt > 0.0:
            # Starting from the static estimate, the observer has nothing to forget at rest.
            if self._last is None:
                self.torque = surplus
            self._last = (mass, v.copy(), surplus)
            return self.torque
        last_mass, last_v, last_surplus = self._last
        inertial = 0.5 * (mass + last_mass) @ (v - last_v) / dt
        observed = inertial + 0.5 * (surplus + last_surplus)
        # The filter's exact step for an input that is constant over dt.
        blend = -math.expm1(-self._gain * dt)
        self.torque = self.torque + blend * (observed - self.torque)
        self._last = (mass, v.copy(), surplus)
        return self.torque

    def _static_surplus(self, q: Array, v: Array, effort: Array) -> Array:
        """C v + g + tau_f - tau."""
        needed = (
            self.robot.bias_torque(q, v)
            if self.effort_includes_gravity
            else self.robot.coriolis_torque(q, v)
        )
        if self.friction is not None:
            needed = needed + self.friction.torque(v)
        return np.asarray(needed - effort)
