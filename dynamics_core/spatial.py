"""Spatial algebra in three-vector form, written for numbers and symbols alike.

Every scalar in this file may be a Python float, a NumPy array (one entry per row of a batch) or a
symbol of :mod:`dynamics_core.compiler`; nothing here may branch on the value of a scalar. Constants
are plain floats, so that a symbol can fold ``0.0 * x`` away and structural zeros cost nothing.

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

import numpy as np

#: A float, a NumPy array over a batch, or a symbol.
Scalar = Any


def sin(x: Scalar) -> Scalar:
    """Sine of a number, an array or a symbol."""
    return x.sin() if hasattr(x, "sin") else np.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of a number, an array or a symbol."""
    return x.cos() if hasattr(x, "cos") else np.cos(x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent of a number, an array or a symbol."""
    return x.tanh() if hasattr(x, "tanh") else np.tanh(x)


class Vector:
    """A three-vector of scalars."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: Scalar = 0.0, y: Scalar = 0.0, z: Scalar = 0.0) -> None:
        self.x, self.y, self.z = x, y, z

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __getitem__(self, k: int) -> Scalar:
        return (self.x, self.y, self.z)[k]

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, s: Scalar) -> Vector:
        return Vector(self.x * s, self.y * s, self.z * s)

    __rmul__ = __mul__

    def dot(self, other: Vector) -> Scalar:
        """Scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, o: Vector) -> Vector:
        """Vector product ``self x o``."""
        return Vector(
            self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x
        )

    def __repr__(self) -> str:
        return f"Vector({self.x}, {self.y}, {self.z})"


class Matrix:
    """A 3 x 3 matrix of scalars, kept by rows."""

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Iterable[Scalar]]) -> None:
        self.rows: tuple[Vector, ...] = tuple(
            r if isinstance(r, Vector) else Vector(*r) for r in rows
        )

    @staticmethod
    def diagonal(x: Scalar, y: Scalar, z: Scalar) -> Matrix:
        """Diagonal matrix."""
        return Matrix(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)))

    @staticmethod
    def identity() -> Matrix:
        """Identity."""
        return Matrix.diagonal(1.0, 1.0, 1.0)

    @staticmethod
    def zero() -> Matrix:
        """All zeros."""
        return Matrix.diagonal(0.0, 0.0, 0.0)

    @staticmethod
    def skew(v: Vector) -> Matrix:
        """The matrix of the cross product: ``skew(v) @ u == v x u``."""
        return Matrix(((0.0, -v.z, v.y), (v.z, 0.0, -v.x), (-v.y, v.x, 0.0)))

    @staticmethod
    def outer(a: Vector, b: Vector) -> Matrix:
        """``a b'``."""
        return Matrix((b * a.x, b * a.y, b * a.z))

    @property
    def T(self) -> Matrix:  # noqa: N802 - the name NumPy has
        """Transpose."""
        a, b, c = self.rows
        return Matrix(((a.x, b.x, c.x), (a.y, b.y, c.y), (a.z, b.z, c.z)))

    def column(self, k: int) -> Vector:
        """Column k."""
        return Vector(self.rows[0][k], self.rows[1][k], self.rows[2][k])

    def __getitem__(self, ij: tuple[int, int]) -> Scalar:
        return self.rows[ij[0]][ij[1]]

    def __add__(self, o: Matrix) -> Matrix:
        return Matrix(a + b for a, b in zip(self.rows, o.rows, strict=True))

    def __sub__(self, o: Matrix) -> Matrix:
        return Matrix(a - b for a, b in zip(self.rows, o.rows, strict=True))

    def __neg__(self) -> Matrix:
        return Matrix(-a for a in self.rows)

    def __mul__(self, s: Scalar) -> Matrix:
        return Matrix(a * s for a in self.rows)

    __rmul__ = __mul__

    def __matmul__(self, o: Any) -> Any:
        """Product with a matrix or a vector."""
        if isinstance(o, Vector):
            return Vector(*(r.dot(o) for r in self.rows))
        columns = o.T.rows
        return Matrix([[r.dot(c) for c in columns] for r in self.rows])

    def trace(self) -> Scalar:
        """Sum of the diagonal."""
        return self.rows[0].x + self.rows[1].y + self.rows[2].z

    def symmetric(self) -> Matrix:
        """The same matrix with its upper triangle mirrored below: half of the work is shared."""
        a, b, c = self.rows
        return Matrix(((a.x, a.y, a.z), (a.y, b.y, b.z), (a.z, b.z, c.z)))

    # The three uses of a rotation matrix; AxisRotation answers to the same names.

    def rotate(self, v: Vector) -> Vector:
        """``R v``: child axes to parent axes."""
        return self @ v

    def unrotate(self, v: Vector) -> Vector:
        """``R' v``: parent axes to child axes."""
        return self.T @ v

    def congruence(self, a: Matrix) -> Matrix:
        """``R A R'``: a general matrix from child axes to parent axes."""
        return self @ a @ self.T

    def congruence_symmetric(self, a: Matrix) -> Matrix:
        """``R A R'`` for symmetric A."""
        return _upper_product(self @ a, self)

    def matrix(self) -> Matrix:
        """The plain 3 x 3 matrix."""
        return self

    def __repr__(self) -> str:
        return f"Matrix({[list(r) for r in self.rows]})"


def _upper_product(a: Matrix, b: Matrix) -> Matrix:
    """``a b'`` where the result is known to be symmetric."""
    u = {(i, j): a.rows[i].dot(b.rows[j]) for i in range(3) for j in range(i, 3)}
    return Matrix([[u[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


class AxisRotation:
    """A constant rotation followed by a rotation about z: ``R = fixed Rz(angle)``.

    Kept as two factors because turning about z costs four products where a full rotation costs
    nine, and the constant factor of most robots is a permutation that costs nothing.
    """

    __slots__ = ("c", "fixed", "s")

    def __init__(self, fixed: Matrix, c: Scalar, s: Scalar) -> None:
        self.fixed, self.c, self.s = fixed, c, s

    def rotate(self, v: Vector) -> Vector:
        """``R v``."""
        c, s = self.c, self.s
        return self.fixed @ Vector(c * v.x - s * v.y, s * v.x + c * v.y, v.z)

    def unrotate(self, v: Vector) -> Vector:
        """``R' v``."""
        c, s = self.c, self.s
        v = self.fixed.T @ v
        return Vector(c * v.x + s * v.y, c * v.y - s * v.x, v.z)

    def congruence(self, a: Matrix) -> Matrix:
        """``R A R'``."""
        c, s = self.c, self.s
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = a.rows
        p = ((c * xx - s * yx, c * xy - s * yy), (s * xx + c * yx, s * xy + c * yy))
        a = Matrix(
            (
                (c * p[0][0] - s * p[0][1], s * p[0][0] + c * p[0][1], c * xz - s * yz),
                (c * p[1][0] - s * p[1][1], s * p[1][0] + c * p[1][1], s * xz + c * yz),
                (c * zx - s * zy, s * zx + c * zy, zz),
            )
        )
        return self.fixed.congruence(a)

    def congruence_symmetric(self, a: Matrix) -> Matrix:
        """``R A R'`` for symmetric A (RBDA appendix A, table A.6 counts its operations)."""
        c, s = self.c, self.s
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = a.rows
        ss, cs = s * s, c * s
        difference = xx - yy
        cross = cs * xy
        turn = ss * difference + (cross + cross)
        xy = cs * difference + (c * c - ss) * xy
        xz, yz = c * xz - s * yz, s * xz + c * yz
        a = Matrix(((xx - turn, xy, xz), (xy, yy + turn, yz), (xz, yz, zz)))
        return self.fixed.congruence_symmetric(a)

    def matrix(self) -> Matrix:
        """The plain 3 x 3 matrix."""
        x, y, z = self.fixed.T.rows
        c, s = self.c, self.s
        return Matrix((x * c + y * s, y * c - x * s, z)).T


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
        return Motion(
            r.unrotate(m.linear + m.angular.cross(self.position)), r.unrotate(m.angular)
        )

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

    @staticmethod
    def of(parameters: Iterable[Scalar]) -> Inertia:
        """From the ten parameters, in the order of :meth:`parameters`."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
        return Inertia(
            m, Vector(hx, hy, hz), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        )
