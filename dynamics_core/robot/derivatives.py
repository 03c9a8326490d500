"""Analytical derivatives of inverse and forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from ..algorithms.friction import SMOOTHING
from .arguments import Array, gather_wrenches
from .evaluation import Evaluation
from .friction import friction_option


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of the joint torques, each (nv, nv) or (N, nv, nv)."""

    dtau_dq: Array
    dtau_dv: Array
    dtau_da: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of the joint accelerations, each (nv, nv) or (N, nv, nv)."""

    da_dq: Array
    da_dv: Array
    da_dtau: Array


class Derivatives(Evaluation):
    """Linearisation of the dynamics, for optimisation and for the design of controllers."""

    def inverse_dynamics_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        friction: bool = False,
        smoothing: float = SMOOTHING,
        out: tuple[Array, Array, Array] | None = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives of :meth:`inverse_dynamics` with respect to q, v and a.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            f_ext: Wrenches of the environment, as for :meth:`inverse_dynamics`; they are constant
                in their frames' axes.
            friction: Count joint friction, as :meth:`inverse_dynamics` does.
            smoothing: Speed over which Coulomb friction turns round, rad/s or m/s.
            out: Three arrays to write to, (nv, nv) or (N, nv, nv), float64.

        Returns:
            ``dtau_dq``, ``dtau_dv`` and ``dtau_da`` (the mass matrix). Column k of ``dtau_dq``
            is the change of tau per unit of ``robot.integrate(q, e_k)``: along the coordinate for
            joints that have one, along a twist in body axes for floating and planar joints.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            UnknownNameError: A frame that the robot does not have.

        Source: S. Singh, R. Russell, P. Wensing, IEEE Robotics and Automation Letters 7(2), 2022.
        """
        name = "inverse_dynamics_derivatives"
        run = self._fast.get((name,))
        if run is not None and f_ext is None and out is None and not friction:
            return InverseDynamicsDerivatives._make(run(q, v, a))  # the usual call
        frames, wrenches = gather_wrenches(name, f_ext)
        inputs: dict[str, Any] = {"q": q, "v": v, "a": a, "wrenches": wrenches}
        options = {"frames": frames, **friction_option(name, friction, smoothing)}
        return InverseDynamicsDerivatives._make(self._evaluate(name, inputs, options, out))

    def forward_dynamics_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        friction: bool = False,
        smoothing: float = SMOOTHING,
        out: tuple[Array, Array, Array] | None = None,
    ) -> ForwardDynamicsDerivatives:
        """Derivatives of :meth:`forward_dynamics` with respect to q, v and tau.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            tau: Joint torques, (nv,) or (N, nv), N m or N.
            f_ext: Wrenches of the environment, as for :meth:`inverse_dynamics`; they are constant
                in their frames' axes.
            friction: Count joint friction, as :meth:`forward_dynamics` does.
            smoothing: Speed over which Coulomb friction turns round, rad/s or m/s.
            out: Three arrays to write to, (nv, nv) or (N, nv, nv), float64.

        Returns:
            ``da_dq``, ``da_dv`` and ``da_dtau`` (the inverse mass matrix); directions in q as for
            :meth:`inverse_dynamics_derivatives`.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            UnknownNameError: A frame that the robot does not have.
            SingularMassError: Some joint moves no inertia; the message names it.

        Source: J. Carpentier, N. Mansard, RSS 2018, section IV.
        """
        name = "forward_dynamics_derivatives"
        run = self._fast.get((name,))
        if run is not None and f_ext is None and out is None and not friction:
            return ForwardDynamicsDerivatives._make(run(q, v, tau))  # the usual call
        frames, wrenches = gather_wrenches(name, f_ext)
        inputs: dict[str, Any] = {"q": q, "v": v, "tau": tau, "wrenches": wrenches}
        options = {"frames": frames, **friction_option(name, friction, smoothing)}
        return ForwardDynamicsDerivatives._make(self._evaluate(name, inputs, options, out))
