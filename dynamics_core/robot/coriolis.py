"""The Coriolis matrix and the Christoffel symbols that it is made of."""

from __future__ import annotations

import numpy.typing as npt

from .arguments import Array
from .evaluation import Evaluation


class Coriolis(Evaluation):
    """``C(q, v)``, for adaptive and passivity-based control."""

    def coriolis_matrix(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Coriolis matrix of Christoffel symbols: ``dM/dt - 2 C`` is skew-symmetric.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            out: Array to write to, (nv, nv) or (N, nv, nv), float64.

        Returns:
            C, (nv, nv) or (N, nv, nv), with ``C v`` the Coriolis torque and ``C + C'`` the rate
            of the mass matrix.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: S. Echeandia, P. Wensing, J. Comput. Nonlinear Dynam. 16(9), 2021, algorithm 1.
        """
        return self._evaluate("coriolis_matrix", {"q": q, "v": v}, out=out)

    def christoffel_symbols(self, q: npt.ArrayLike, *, out: Array | None = None) -> Array:
        """Christoffel symbols of the first kind: ``C[i, j] = sum_k Gamma[i, j, k] v[k]``.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            out: Array to write to, (nv, nv, nv) or (N, nv, nv, nv), float64.

        Returns:
            Gamma, (nv, nv, nv) or (N, nv, nv, nv). Between coordinates of joints with one degree
            of freedom it is ``(dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2`` and symmetric in j and
            k. Velocities of floating and planar joints are no derivatives of coordinates; their
            symbols reproduce :meth:`coriolis_matrix` all the same.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: S. Echeandia, P. Wensing, J. Comput. Nonlinear Dynam. 16(9), 2021, section 4.
        """
        return self._evaluate("christoffel_symbols", {"q": q}, out=out)
