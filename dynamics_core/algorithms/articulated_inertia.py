"""Articulated-body inertia: a symmetric 6 x 6 matrix kept as three blocks.

Source: RBDA section 7.1 and appendix A.3. With accelerations (a, alpha) and forces (f, n) the
blocks are ``f = linear a + coupling' alpha`` and ``n = coupling a + angular alpha``.
"""

from __future__ import annotations

from ..spatial import Force, Inertia, Matrix, Motion, Scalar, Transform, Vector


class ArticulatedInertia:
    """Symmetric 6 x 6 inertia; unlike a rigid body's it has no single mass."""

    __slots__ = ("angular", "coupling", "linear")

    def __init__(self, linear: Matrix, coupling: Matrix, angular: Matrix) -> None:
        self.linear, self.coupling, self.angular = linear, coupling, angular

    @staticmethod
    def of(inertia: Inertia) -> ArticulatedInertia:
        """That of a rigid body."""
        m = inertia.mass
        return ArticulatedInertia(
            Matrix.diagonal(m, m, m), Matrix.skew(inertia.first), inertia.second
        )

    def __add__(self, o: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            self.linear + o.linear, self.coupling + o.coupling, self.angular + o.angular
        )

    def times(self, m: Motion) -> Force:
        """``I m``."""
        a, alpha, b = m.linear, m.angular, self.coupling
        return Force(self.linear @ a + b.T @ alpha, b @ a + self.angular @ alpha)

    def column(self, k: int) -> Force:
        """Column k: the force that unit acceleration along coordinate k takes."""
        if k < 3:
            return Force(self.linear.rows[k], self.coupling.column(k))
        return Force(self.coupling.rows[k - 3], self.angular.rows[k - 3])

    def minus_outer(self, u: Force, w: Force) -> ArticulatedInertia:
        """``I - u w'``, where the result is known to be symmetric."""
        return ArticulatedInertia(
            _minus_outer(self.linear, u.linear, w.linear).symmetric(),
            _minus_outer(self.coupling, u.angular, w.linear),
            _minus_outer(self.angular, u.angular, w.angular).symmetric(),
        )

    def without(self, k: int) -> ArticulatedInertia:
        """The same inertia with row and column k set to zero."""
        i = k % 3
        if k < 3:
            return ArticulatedInertia(
                _without(self.linear, i, i), _without(self.coupling, None, i), self.angular
            )
        return ArticulatedInertia(
            self.linear, _without(self.coupling, i, None), _without(self.angular, i, i)
        )

    def to_parent(self, x: Transform) -> ArticulatedInertia:
        """The same inertia about the parent's origin, in parent axes (RBDA 2.66)."""
        r, p = x.rotation, Matrix.skew(x.position)
        linear = r.congruence_symmetric(self.linear)
        turned = r.congruence(self.coupling)
        coupling = turned + p @ linear
        angular = r.congruence_symmetric(self.angular) - turned @ p + p @ coupling.T
        return ArticulatedInertia(linear, coupling, angular.symmetric())


def _minus_outer(a: Matrix, u: Vector, w: Vector) -> Matrix:
    return Matrix([[a[i, j] - u[i] * w[j] for j in range(3)] for i in range(3)])


def _without(a: Matrix, row: int | None, column: int | None) -> Matrix:
    def entry(i: int, j: int) -> Scalar:
        return 0.0 if i == row or j == column else a[i, j]

    return Matrix([[entry(i, j) for j in range(3)] for i in range(3)])
