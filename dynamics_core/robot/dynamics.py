"""Equation of motion: torques from motions, motions from torques, and the terms between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from ..algorithms.friction import SMOOTHING
from .arguments import Array, gather_wrenches
from .evaluation import Evaluation
from .friction import friction_option
from .singular_mass import check_mass

#: Functions that have no answer if the mass matrix is singular.
_DIVIDES_BY_MASS = frozenset(
    (
        "forward_dynamics",
        "forward_dynamics_cholesky",
        "forward_dynamics_derivatives",
        "operational_space",
    )
)


class Dynamics(Evaluation):
    """``M(q) a + C(q, v) v + g(q) = tau + J' f_ext``."""

    def _require(self, name: str) -> None:
        if name in _DIVIDES_BY_MASS:
            check_mass(self._model)

    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        friction: bool = False,
        smoothing: float = SMOOTHING,
        out: Array | None = None,
    ) -> Array:
        """Joint torques of a motion, by the recursive Newton-Euler algorithm.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            f_ext: Wrenches that the environment exerts on the robot: frame name to (6,) or
                (N, 6), force in N then moment in N m about the frame's origin, in the frame's axes.
            friction: Add the torque that overcomes joint friction, see :meth:`joint_friction`.
            smoothing: Speed over which Coulomb friction turns round, rad/s or m/s.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            tau, (nv,) or (N, nv), N m or N.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            UnknownNameError: A frame that the robot does not have.

        Source: Featherstone, RBDA, table 5.1.
        """
        frames, wrenches = gather_wrenches("inverse_dynamics", f_ext)
        inputs: dict[str, Any] = {"q": q, "v": v, "a": a, "wrenches": wrenches}
        options = {"frames": frames, **friction_option("inverse_dynamics", friction, smoothing)}
        return self._evaluate("inverse_dynamics", inputs, options, out)

    def forward_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        friction: bool = False,
        smoothing: float = SMOOTHING,
        out: Array | None = None,
    ) -> Array:
        """Joint accelerations that torques cause, by the articulated-body algorithm.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            tau: Joint torques, (nv,) or (N, nv), N m or N.
            f_ext: Wrenches that the environment exerts on the robot, as for
                :meth:`inverse_dynamics`.
            friction: Let joint friction resist the motion, see :meth:`joint_friction`.
            smoothing: Speed over which Coulomb friction turns round, rad/s or m/s.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            a, (nv,) or (N, nv), rad/s2 or m/s2.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            SingularMassError: Some joint moves no inertia; the message names it.

        Source: Featherstone, RBDA, table 7.1.
        """
        frames, wrenches = gather_wrenches("forward_dynamics", f_ext)
        inputs: dict[str, Any] = {"q": q, "v": v, "tau": tau, "wrenches": wrenches}
        options = {"frames": frames, **friction_option("forward_dynamics", friction, smoothing)}
        return self._evaluate("forward_dynamics", inputs, options, out)

    def mass_matrix(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Mass matrix M(q), by the composite-rigid-body algorithm; armature included.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (nv, nv) or (N, nv, nv), float64.

        Returns:
            M, (nv, nv) or (N, nv, nv), symmetric positive definite.

        Source: Featherstone, RBDA, table 6.2.
        """
        return self._evaluate("mass_matrix", {"q": q}, out=out)

    def gravity_torque(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Torque g(q) that holds the robot still against gravity, and nothing else.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            g, (nv,) or (N, nv), N m or N.

        Source: Featherstone, RBDA, section 5.3, with v = a = 0.
        """
        return self._evaluate("gravity_torque", {"q": q}, out=out)

    def coriolis_torque(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Coriolis and centrifugal torque C(q, v) v, without gravity.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            C v, (nv,) or (N, nv), N m or N.

        Source: Featherstone, RBDA, section 5.3, with a = 0 and no gravity.
        """
        return self._evaluate("coriolis_torque", {"q": q, "v": v}, out=out)

    def bias_torque(self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Torque that a motion without acceleration takes: C(q, v) v + g(q).

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            C v + g, (nv,) or (N, nv), N m or N.

        Source: Featherstone, RBDA, section 5.3, with a = 0.
        """
        return self._evaluate("bias_torque", {"q": q, "v": v}, out=out)
