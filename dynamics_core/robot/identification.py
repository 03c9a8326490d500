"""The torque as a linear function of the inertial parameters, and those parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..spatial import Inertia
from .arguments import Array
from .evaluation import Evaluation

if TYPE_CHECKING:
    from . import Robot

#: Names of the ten inertial parameters of a body, in their order.
PARAMETER_NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


class Identification(Evaluation):
    """``tau = Y(q, v, a) pi``, for identification and adaptive control."""

    def regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Inertial-parameter regressor of inverse dynamics.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            out: Array to write to, (nv, 10 nb) or (N, nv, 10 nb), float64.

        Returns:
            Y, (nv, 10 nb) or (N, nv, 10 nb), nb the number of moving bodies: ``Y pi`` with
            ``pi = robot.inertial_parameters()`` is :meth:`inverse_dynamics` without external
            wrenches, friction, and rotors' inertia (``armature * a``).

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: C. Atkeson, C. An, J. Hollerbach, Int. J. Robotics Research 5(3), 1986.
        """
        return self._evaluate("regressor", {"q": q, "v": v, "a": a}, out=out)

    def inertial_parameters(self) -> Array:
        """The inertial parameters of all moving bodies, one after the other.

        Returns:
            pi, (10 nb,): for each body of ``robot.model.bodies`` the mass in kg, the first moment
            ``m c`` (x, y, z) in kg m, and Ixx, Ixy, Iyy, Ixz, Iyz, Izz in kg m2 about the origin
            of the body frame. That origin lies in the joint and its z axis along the joint's axis;
            links that are fixed to one another are one body.

        Source: Atkeson et al. 1986, section 2; the order is that of
        :data:`dynamics_core.robot.identification.PARAMETER_NAMES`.
        """
        return self._array([p for b in self._model.bodies for p in b.inertia.parameters()])

    def with_inertial_parameters(
        self, parameters: npt.ArrayLike, *, positive: bool = True
    ) -> Robot:
        """The same robot with other inertial parameters, sharing one compiled code.

        Args:
            parameters: pi, (10 nb,), in the order of :meth:`inertial_parameters`.
            positive: Refuse a body whose kinetic energy could be negative. Identified parameters
                can be such and still give the right torques; forward dynamics would diverge.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, or negative energy. The
                triangle inequality of the moments is not demanded: many descriptions break it.

        Source: Atkeson et al. 1986, section 2; RBDA equation 2.63 for the energy.
        """
        n = len(self._model.bodies)
        pi = np.asarray(parameters, dtype=np.float64)
        if pi.shape != (10 * n,):
            raise ArgumentError(
                f"with_inertial_parameters: parameters have shape {pi.shape}; robot "
                f"{self._model.name!r} has {n} moving bodies and needs ({10 * n},)"
            )
        table = pi.reshape(n, 10)
        if not np.isfinite(table).all():
            i, k = (int(x) for x in np.argwhere(~np.isfinite(table))[0])
            raise ArgumentError(
                f"with_inertial_parameters: {PARAMETER_NAMES[k]} of body "
                f"{self._model.bodies[i].name!r} (entry {10 * i + k}) is {table[i, k]}"
            )
        if positive:
            self._check_positive(table)
        inertias = {i: Inertia.of(map(float, row)) for i, row in enumerate(table)}
        everything = replace(self._parametrisation, bodies=tuple(range(n)))
        return self._variant(self._model.with_inertias(inertias), everything)  # type: ignore[attr-defined]

    def _check_positive(self, table: Array) -> None:
        for body, row in zip(self._model.bodies, table, strict=True):
            values = np.linalg.eigvalsh(spatial_inertia(row))
            if values[0] < -1e-9 * max(values[-1], 1e-9):
                raise ArgumentError(
                    f"with_inertial_parameters: body {body.name!r} could have negative kinetic "
                    f"energy: the least eigenvalue of its inertia is {values[0]:.3g}; "
                    "positive=False takes the parameters as they are"
                )


def spatial_inertia(parameters: Array) -> Array:
    """The 6 x 6 inertia of ten parameters, in the order (linear, angular) (RBDA 2.63)."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
    h = np.array([[0.0, -hz, hy], [hz, 0.0, -hx], [-hy, hx, 0.0]])
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[m * np.eye(3), -h], [h, second]])
