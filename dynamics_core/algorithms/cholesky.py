"""Forward dynamics by factorising the mass matrix: ``M a = tau - bias``.

Source: RBDA section 6.3 and 6.5 (the ``L' D L`` factorisation that keeps the branch-induced
sparsity of M: no fill-in where two joints lie on different branches). No inverse is formed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Scalar
from .inverse_dynamics import inverse_dynamics
from .mass_matrix import mass_matrix

Rows = list[list[Scalar]]


def is_zero(x: Scalar) -> bool:
    """Whether a scalar is structurally zero: a plain constant 0, whatever the state."""
    return isinstance(x, float) and x == 0.0


def ltdl(m: Sequence[Sequence[Scalar]]) -> tuple[Rows, list[Scalar]]:
    """Factors of a symmetric positive definite matrix, ``M = L' D L`` (RBDA table 6.3).

    Returns:
        L (unit lower triangular) and the reciprocals of D's diagonal.
    """
    n = len(m)
    a = [list(row) for row in m]
    reciprocal: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        reciprocal[k] = 1.0 / a[k][k]
        for i in reversed(range(k)):
            if is_zero(a[k][i]):
                continue
            factor = a[k][i] * reciprocal[k]
            for j in range(i + 1):
                if not is_zero(a[k][j]):
                    a[i][j] = a[i][j] - factor * a[k][j]
            a[k][i] = factor
    for i in range(n):
        a[i][i] = 1.0
        for j in range(i + 1, n):
            a[i][j] = 0.0
    return a, reciprocal


def ltdl_solve(lower: Rows, reciprocal: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """Solve ``L' D L x = b``."""
    n = len(b)
    x = list(b)
    for i in reversed(range(n)):
        for j in range(i):
            if not is_zero(lower[i][j]):
                x[j] = x[j] - lower[i][j] * x[i]
    x = [x[i] * reciprocal[i] for i in range(n)]
    for i in range(n):
        for j in range(i):
            if not is_zero(lower[i][j]):
                x[i] = x[i] - lower[i][j] * x[j]
    return x


@function("q", "v", "tau", "wrenches", joint_space=True, a=("nv",))
def forward_dynamics_cholesky(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    friction: float | None = None,
) -> list[Scalar]:
    """Acceleration from ``M a = tau - (C v + g - J' f)``, M factorised."""
    still: list[Scalar] = [0.0] * model.nv
    bias = inverse_dynamics(model, q, v, still, wrenches, frames=frames, friction=friction)
    lower, reciprocal = ltdl(mass_matrix(model, q))
    return ltdl_solve(lower, reciprocal, [t - b for t, b in zip(tau, bias, strict=True)])
