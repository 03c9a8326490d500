"""Spatial algebra in three-vector form, written for numbers and symbols alike.

Conventions
-----------
* Six-vectors are ordered (linear, angular), as geometry_msgs has them.
* A :class:`Transform` is the pose of a child frame in its parent: ``x_parent = R x_child + p``.
* A :class:`Motion` is a twist or an acceleration of the frame's origin, a :class:`Force` a wrench
  about the frame's origin.

Source: R. Featherstone, *Rigid Body Dynamics Algorithms* (RBDA), Springer 2008, chapter 2 and
appendix A, whose six-vectors are ordered (angular, linear).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .three_vectors import AxisRotation, Matrix, Scalar, Vector, cos, sin, tanh

__all__ = [
    "AxisRotation",
    "Force",
    "Inertia",
    "Matrix",
    "Motion",
    "Scalar",
    "Transform",
    "Vector",
    "cos",
    "sin",
    "tanh",
]


class _SpatialVector:
    """What motions and forces share: six scalars in the order (linear, angular)."""

    __slots__ = ("angular", "linear")

    def __init__(self, linear: Vector | None = None, angular: Vector | None = None) -> None:
        self.linear = linear if linear is not None else Vector()
        self.angular = angular if angular is not None else Vector()

    @classmethod
    def of(cls, six: Iterable[Scalar]) -> Any:
        """From six scalars."""
        a = tuple(six)
        return cls(Vector(*a[:3]), Vector(*a[3:]))

    @classmethod
    def unit(cls, k: int, scale: Scalar = 1.0) -> Any:
        """The unit vector along coordinate k, times ``scale``."""
        return cls.of(scale if j == k else 0.0 for j in range(6))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((*self.linear, *self.angular))

    def __getitem__(self, k: int) -> Scalar:
        return self.linear[k] if k < 3 else self.angular[k - 3]

    def __add__(self, o: Any) -> Any:
        return type(self)(self.linear + o.linear, self.angular + o.angular)

    def __sub__(self, o: Any) -> Any:
        return type(self)(self.linear - o.linear, self.angular - o.angular)

    def __neg__(self) -> Any:
        return type(self)(-self.linear, -self.angular)

    def __mul__(self, s: Scalar) -> Any:
        return type(self)(self.linear * s, self.angular * s)

    __rmul__ = __mul__

    def dot(self, o: _SpatialVector) -> Scalar:
        """Power of a force along a motion (or the other way round)."""
        return self.linear.dot(o.linear) + self.angular.dot(o.angular)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.linear}, {self.angular})"


class Motion(_SpatialVector):
    """A twist or an acceleration: (linear, angular)."""

    __slots__ = ()

    def cross(self, m: Motion) -> Motion:
        """``v x m``, the motion cross product (RBDA 2.31)."""
        return Motion(
            self.linear.cross(m.angular) + self.angular.cross(m.linear),
            self.angular.cross(m.angular),
        )

    def cross_force(self, f: Force) -> Force:
        """``v x* f``, the force cross product (RBDA 2.32)."""
        return Force(
            self.angular.cross(f.linear),
            self.linear.cross(f.linear) + self.angular.cross(f.angular),
        )


class Force(_SpatialVector):
    """A wrench: (force, moment about the frame's origin)."""

    __slots__ = ()


class Transform:
    """The pose of a child frame in its parent: rotation (child to parent axes) and position."""

    __slots__ = ("position", "rotation")

    def __init__(self, rotation: Matrix | AxisRotation, position: Vector) -> None:
        self.rotation, self.position = rotation, position

    @staticmethod
    def identity() -> Transform:
        """No motion."""
        return Transform(Matrix.identity(), Vector())

    def __matmul__(self, child: Transform) -> Transform:
        """The pose of a grandchild: ``X_parent_child @ X_child_grandchild``."""
        mine, other = self.rotation, child.rotation
        position = self.position + mine.rotate(child.position)
        if isinstance(other, AxisRotation):
            fixed = mine.matrix() @ other.fixed
            return Transform(AxisRotation(fixed, other.c, other.s).matrix(), position)
        if isinstance(mine, AxisRotation):
            return Transform(mine.matrix() @ other, position)
        return Transform(mine @ other, position)

    def inverse(self) -> Transform:
        """The pose of the parent in the child."""
        r = self.rotation.matrix().T
        return Transform(r, -(r @ self.position))

    def point(self, p: Vector) -> Vector:
        """A point given in the child frame, in the parent frame."""
        return self.rotation.rotate(p) + self.position

    def motion_to_child(self, m: Motion) -> Motion:
        """A twist of the parent frame as seen at the child's origin, in child axes."""
        r = self.rotation
        return Motion(r.unrotate(m.linear + m.angular.cross(self.position)), r.unrotate(m.angular))

    def motion_to_parent(self, m: Motion) -> Motion:
        """A twist of the child frame as seen at the parent's origin, in parent axes."""
        w = self.rotation.rotate(m.angular)
        return Motion(self.rotation.rotate(m.linear) + self.position.cross(w), w)

    def force_to_parent(self, f: Force) -> Force:
        """A wrench about the child's origin, about the parent's origin in parent axes."""
        linear = self.rotation.rotate(f.linear)
        return Force(linear, self.rotation.rotate(f.angular) + self.position.cross(linear))

    def force_to_child(self, f: Force) -> Force:
        """A wrench about the parent's origin, about the child's origin in child axes."""
        return Force(
            self.rotation.unrotate(f.linear),
            self.rotation.unrotate(f.angular - self.position.cross(f.linear)),
        )


class Inertia:
    """Rigid-body inertia about a frame's origin: mass, first moment ``m c``, second moment.

    ``second`` is the rotational inertia about the origin, not about the centre of mass.
    """

    __slots__ = ("first", "mass", "second")

    def __init__(self, mass: Scalar, first: Vector, second: Matrix) -> None:
        self.mass, self.first, self.second = mass, first, second

    @staticmethod
    def zero() -> Inertia:
        """A massless body."""
        return Inertia(0.0, Vector(), Matrix.zero())

    @staticmethod
    def from_com(mass: Scalar, com: Vector, about_com: Matrix) -> Inertia:
        """From mass, centre of mass and rotational inertia about it (RBDA 2.63)."""
        c = Matrix.skew(com)
        return Inertia(mass, com * mass, (about_com - c @ c * mass).symmetric())

    def __add__(self, o: Inertia) -> Inertia:
        return Inertia(self.mass + o.mass, self.first + o.first, self.second + o.second)

    def __sub__(self, o: Inertia) -> Inertia:
        return Inertia(self.mass - o.mass, self.first - o.first, self.second - o.second)

    def times(self, m: Motion) -> Force:
        """``I m``: momentum of a twist, or the force of an acceleration."""
        h = self.first
        return Force(
            m.linear * self.mass + m.angular.cross(h),
            self.second @ m.angular + h.cross(m.linear),
        )

    def to_parent(self, x: Transform) -> Inertia:
        """The same inertia about the parent's origin, in parent axes (RBDA 2.66)."""
        h = x.rotation.rotate(self.first)
        p = x.position
        shifted = p * self.mass
        first = h + shifted
        along = p.dot(h) + p.dot(first)

        def moved(i: int, j: int, rotated: Scalar) -> Scalar:
            e = rotated - (h[i] * p[j] + p[i] * first[j])
            return e + along if i == j else e

        r = x.rotation.congruence_symmetric(self.second)
        u = {(i, j): moved(i, j, r[i, j]) for i in range(3) for j in range(i, 3)}
        second = Matrix([[u[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        return Inertia(self.mass, first, second)

    def parameters(self) -> tuple[Scalar, ...]:
        """The ten parameters (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the origin."""
        s = self.second
        return (
            self.mass, *self.first,
            s[0, 0], s[0, 1], s[1, 1], s[0, 2], s[1, 2], s[2, 2],
        )  # fmt: skip

    def is_constant(self) -> bool:
        """Whether all parameters are numbers, none a symbol."""
        return all(isinstance(s, float) for s in self.parameters())

    @staticmethod
    def of(parameters: Iterable[Scalar]) -> Inertia:
        """From the ten parameters, in the order of :meth:`parameters`."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
        return Inertia(m, Vector(hx, hy, hz), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
