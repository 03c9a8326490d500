"""Three-vectors and 3 x 3 matrices of scalars, for numbers and symbols alike.

Every scalar may be a Python float, a NumPy array (one entry per row of a batch) or a symbol of
:mod:`dynamics_core.symbolic`; nothing here may branch on the value of a scalar. Constants are plain
floats, so that a symbol can fold ``0.0 * x`` away and structural zeros cost nothing.
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
