"""The robot as a whole: centre of mass, momentum about it, and energy.

Everything here is of the moving bodies. With a fixed base the base link is part of the ground, and
so without momentum; with a floating base it is a body like any other.
"""

from __future__ import annotations

import numpy.typing as npt

from ..errors import SingularMassError
from .arguments import Array
from .evaluation import Evaluation


class Centroidal(Evaluation):
    """Centre of mass, centroidal momentum, and energies."""

    def center_of_mass(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Centre of mass of the moving bodies, in the base frame.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (3,) or (N, 3), float64.

        Returns:
            c, (3,) or (N, 3), m.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Featherstone, RBDA, section 2.12.
        """
        self._need_mass("center_of_mass")
        return self._evaluate("center_of_mass", {"q": q}, out=out)

    def com_velocity(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Velocity of the centre of mass, in base axes.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (3,) or (N, 3), float64.

        Returns:
            dc/dt, (3,) or (N, 3), m/s.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: linear momentum over mass.
        """
        self._need_mass("com_velocity")
        return self._evaluate("com_velocity", {"q": q, "v": v}, out=out)

    def com_jacobian(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Jacobian of the centre of mass, in base axes: ``J v`` is its velocity.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (3, nv) or (N, 3, nv), float64.

        Returns:
            J, (3, nv) or (N, 3, nv).

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Orin, Goswami, Lee, Autonomous Robots 35 (2013): the linear rows of the centroidal
        momentum matrix over the mass.
        """
        self._need_mass("com_jacobian")
        return self._evaluate("com_jacobian", {"q": q}, out=out)

    def centroidal_momentum(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Momentum (linear, angular) about the centre of mass, in base axes.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (6,) or (N, 6), float64.

        Returns:
            h, (6,) or (N, 6), kg m/s and kg m2/s.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Orin, Goswami, Lee, Autonomous Robots 35 (2013), equation 9.
        """
        self._need_mass("centroidal_momentum")
        return self._evaluate("centroidal_momentum", {"q": q, "v": v}, out=out)

    def centroidal_momentum_matrix(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Centroidal momentum matrix A(q): ``A v`` is the momentum about the centre of mass.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (6, nv) or (N, 6, nv), float64.

        Returns:
            A, (6, nv) or (N, 6, nv), rows (linear, angular) in base axes.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Orin, Goswami, Lee, Autonomous Robots 35 (2013), equation 20.
        """
        self._need_mass("centroidal_momentum_matrix")
        return self._evaluate("centroidal_momentum_matrix", {"q": q}, out=out)

    def centroidal_momentum_bias(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """``dA/dt v``: the momentum's rate is ``A a + dA/dt v``, the sum of all outside forces.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (6,) or (N, 6), float64.

        Returns:
            (linear, angular) about the centre of mass in base axes, (6,) or (N, 6), N and N m.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Orin, Goswami, Lee, Autonomous Robots 35 (2013), equation 24.
        """
        self._need_mass("centroidal_momentum_bias")
        return self._evaluate("centroidal_momentum_bias", {"q": q, "v": v}, out=out)

    def centroidal_inertia(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Inertia of all moving bodies as if locked together, about their centre of mass.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (6, 6) or (N, 6, 6), float64.

        Returns:
            Blocks diag(m, m, m) and the rotational inertia in base axes, kg and kg m2.

        Raises:
            SingularMassError: Nothing that moves has mass.

        Source: Orin, Goswami, Lee, Autonomous Robots 35 (2013), equation 18.
        """
        self._need_mass("centroidal_inertia")
        return self._evaluate("centroidal_inertia", {"q": q}, out=out)

    def kinetic_energy(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array | float:
        """Kinetic energy ``v' M v / 2``, armature included.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, () or (N,), float64.

        Returns:
            J: a float for one state, (N,) for a batch.

        Source: Featherstone, RBDA, equation 2.67.
        """
        energy = self._evaluate("kinetic_energy", {"q": q, "v": v}, out=out)
        return float(energy) if energy.ndim == 0 and out is None else energy

    def potential_energy(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array | float:
        """Potential energy in the field of gravity, zero for masses at the base's origin.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, () or (N,), float64.

        Returns:
            J: a float for one state, (N,) for a batch.

        Source: ``-g . (m c)``, summed over the moving bodies.
        """
        energy = self._evaluate("potential_energy", {"q": q}, out=out)
        return float(energy) if energy.ndim == 0 and out is None else energy

    def _need_mass(self, function: str) -> None:
        if not any(b.inertia.mass > 0.0 for b in self._model.bodies):
            raise SingularMassError(
                f"{function}: nothing that moves in robot {self._model.name!r} has mass, so that "
                "it has no centre of mass; give its links an <inertial>"
            )
