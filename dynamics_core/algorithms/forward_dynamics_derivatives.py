"""Analytical derivatives of forward dynamics with respect to q, v and tau.

Source: J. Carpentier, N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*, RSS
2018, section IV: ``tau = ID(q, v, a(q, v, tau))`` differentiated gives

    da/dtau = M^-1    da/dq = -M^-1 dID/dq    da/dv = -M^-1 dID/dv

with the derivatives of inverse dynamics taken at the acceleration that tau causes. Each column is
solved for with the branch-sparse factors of M (RBDA section 6.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Scalar
from .cholesky import ltdl, ltdl_solve
from .inverse_dynamics import inverse_dynamics
from .inverse_dynamics_derivatives import inverse_dynamics_derivatives
from .mass_matrix import mass_matrix

Rows = list[list[Scalar]]


@function(
    "q",
    "v",
    "tau",
    "wrenches",
    joint_space=True,
    da_dq=("nv", "nv"),
    da_dv=("nv", "nv"),
    da_dtau=("nv", "nv"),
)
def forward_dynamics_derivatives(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    friction: float | None = None,
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of the joint accelerations; the last of them is the inverse mass matrix.

    Directions in q and what wrenches keep are those of
    :func:`~.inverse_dynamics_derivatives.inverse_dynamics_derivatives`.
    """
    n = model.nv
    lower, reciprocal = ltdl(mass_matrix(model, q))
    static = {"frames": frames, "friction": friction}
    bias = inverse_dynamics(model, q, v, [0.0] * n, wrenches, **static)
    a = ltdl_solve(lower, reciprocal, [t - b for t, b in zip(tau, bias, strict=True)])
    dq, dv, _ = inverse_dynamics_derivatives(model, q, v, a, wrenches, **static)

    def solved(columns: Sequence[Sequence[Scalar]]) -> Rows:
        return [ltdl_solve(lower, reciprocal, c) for c in columns]

    def minus(rows: Rows) -> Rows:
        by_column = solved([[rows[i][k] for i in range(n)] for k in range(n)])
        return [[-by_column[k][i] for k in range(n)] for i in range(n)]

    inverse = solved([[1.0 if i == k else 0.0 for i in range(n)] for k in range(n)])
    # Column k needs only its entries above the diagonal; the others are the mirror image.
    mirrored = [[inverse[max(i, k)][min(i, k)] for k in range(n)] for i in range(n)]
    return minus(dq), minus(dv), mirrored
