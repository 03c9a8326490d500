"""What velocity does to a body: the matrix B of ``C = sum J' (I dJ/dt + B J)``.

For a point of mass m at r that moves with u, turning the motion by ``w`` calls up the Coriolis
force ``m w x u``. Summed over a body that gives a 6 x 6 matrix which acts on the angular part of a
twist alone, and which twelve numbers describe: the momentum ``sum m u`` and the moments
``sum m u r'``. It equals ``(v x* I - I v x + (I v) x~*) / 2``, the body-level Coriolis matrix of

* S. Echeandia, P. M. Wensing, *Numerical methods to compute the Coriolis matrix and Christoffel
  symbols for rigid-body systems*, J. Comput. Nonlinear Dynam. 16(9), 2021, eq. 21.
"""

from __future__ import annotations

from ..spatial import Force, Inertia, Matrix, Motion, Scalar, Transform, Vector


def second_moments(inertia: Inertia) -> Matrix:
    """``sum m r r'`` about the frame's origin: half the trace of the inertia, minus the inertia."""
    i = inertia.second
    half = i.trace() * 0.5
    return (Matrix.diagonal(half, half, half) - i).symmetric()


class CoriolisInertia:
    """The matrix B of a body or of several bodies that move together, in one frame's axes.

    ``momentum`` is ``sum m u`` and ``moments`` is ``sum m u r'``: r from the frame's origin, u the
    velocity of the point as the base sees it.
    """

    __slots__ = ("moments", "momentum")

    def __init__(self, momentum: Vector, moments: Matrix) -> None:
        self.momentum, self.moments = momentum, moments

    @staticmethod
    def of(inertia: Inertia, twist: Motion) -> CoriolisInertia:
        """That of a rigid body with a twist."""
        h, w = inertia.first, twist.angular
        columns = [w.cross(c) for c in second_moments(inertia).rows]  # symmetric: rows are columns
        moments = Matrix.outer(twist.linear, h) + Matrix(columns).T
        return CoriolisInertia(twist.linear * inertia.mass + w.cross(h), moments)

    def __add__(self, o: CoriolisInertia) -> CoriolisInertia:
        return CoriolisInertia(self.momentum + o.momentum, self.moments + o.moments)

    def to_parent(self, x: Transform) -> CoriolisInertia:
        """The same matrix about the parent's origin, in parent axes."""
        momentum = x.rotation.rotate(self.momentum)
        turned = x.rotation.congruence(self.moments)
        return CoriolisInertia(momentum, turned + Matrix.outer(momentum, x.position))

    def times(self, w: Vector) -> Force:
        """``B (., w)``; the linear part of the twist does not matter."""
        return Force(w.cross(self.momentum), w * self.moments.trace() - self.moments @ w)

    def row(self, axis: int, scale: Scalar = 1.0) -> Vector:
        """Row ``axis`` of B, times ``scale``: its angular columns, the linear ones being zero."""
        if axis < 3:
            return self.momentum.cross(_unit(axis, scale))
        e = _unit(axis - 3, scale)
        return e * self.moments.trace() - self.moments.rows[axis - 3] * scale


def _unit(k: int, scale: Scalar) -> Vector:
    return Vector(*(scale if j == k else 0.0 for j in range(3)))
