"""Coriolis matrix C(q, v), of Christoffel symbols, and those symbols themselves.

Source: S. Echeandia, P. M. Wensing, *Numerical methods to compute the Coriolis matrix and
Christoffel symbols for rigid-body systems*, J. Comput. Nonlinear Dynam. 16(9), 2021. The matrix
follows their algorithm 1, body by body from the leaves, as the mass matrix does in RBDA table 6.2:

    C[i, j] = S_i' (I dS_j/dt + B S_j)

with I and B of all that the outer one of the joints i and j carries. Then ``C v`` is the Coriolis
torque and ``dM/dt - 2 C`` is skew-symmetric.

The symbols of the closed form, ``C[i, j] = sum_k Gamma[i, j, k] v_k``, use that a point at r which
joint a moves with ``S_a(r)`` and a joint b further out with ``S_b(r)`` has the second derivative
``w_a x S_b(r)``. Hence ``Gamma[i, j, k] = w_a . sum m S_b(r) x S_i(r)``, a and b being the inner
and the outer one of j and k, and the sum going over all that the outermost of the three carries.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Inertia, Matrix, Motion, Scalar, Transform, Vector
from .coriolis_inertia import CoriolisInertia, second_moments
from .joints import joint_rate, joint_transform, subspace
from .mass_matrix import composite_inertias


def twists(
    model: Model, x: Sequence[Transform], v: Sequence[Scalar]
) -> tuple[list[Motion], list[Motion]]:
    """Twist of each body, and before its joint's own part is added, in body axes."""
    above: list[Motion] = []
    own: list[Motion] = []
    for i, body in enumerate(model.bodies):
        parent = own[body.parent] if body.parent >= 0 else Motion()
        above.append(x[i].motion_to_child(parent))
        own.append(above[i] + joint_rate(body.joint, v))
    return above, own


def composite_coriolis(
    model: Model, x: Sequence[Transform], twist: Sequence[Motion]
) -> list[CoriolisInertia]:
    """Matrix B of each body with all that it carries, about its own frame's origin."""
    composite = [CoriolisInertia.of(b.inertia, t) for b, t in zip(model.bodies, twist, strict=True)]
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent
        if p >= 0:
            composite[p] = composite[p] + composite[i].to_parent(x[i])
    return composite


@function("q", "v", joint_space=True, C=("nv", "nv"))
def coriolis_matrix(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[list[Scalar]]:
    """Matrix with ``C v`` the Coriolis torque and ``dM/dt - 2 C`` skew-symmetric."""
    x = [joint_transform(b, q) for b in model.bodies]
    above, twist = twists(model, x, v)
    inertia = composite_inertias(model, x)
    coriolis = composite_coriolis(model, x, twist)
    n = model.nv
    c: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    # dS/dt in body axes is v x S; a lone column does not turn itself.
    turning = [
        [(axis, k, s, (above[i] if single else twist[i]).cross(Motion.unit(axis, s)))
         for axis, k, s in subspace(body.joint)]
        for i, body in enumerate(model.bodies)
        for single in (body.joint.type.nv == 1,)
    ]  # fmt: skip
    for i in range(len(model.bodies)):
        for axis, k, scale, rate in turning[i]:
            s = Motion.unit(axis, scale)
            force = inertia[i].times(rate) + coriolis[i].times(s.angular)
            for other_axis, other, other_scale, _ in turning[i]:
                c[other][k] = c[other][k] + force[other_axis] * other_scale
            row, turn = inertia[i].times(s), coriolis[i].row(axis, scale)
            j = i
            while model.bodies[j].parent >= 0:
                up, j = x[j], model.bodies[j].parent
                force, row = up.force_to_parent(force), up.force_to_parent(row)
                turn = up.rotation.rotate(turn)
                for other_axis, other, other_scale, other_rate in turning[j]:
                    c[other][k] = c[other][k] + force[other_axis] * other_scale
                    w = Motion.unit(other_axis, other_scale).angular
                    c[k][other] = c[k][other] + (row.dot(other_rate) + turn.dot(w))
    return c


@function("q", joint_space=True, Gamma=("nv", "nv", "nv"))
def christoffel_symbols(model: Model, q: Sequence[Scalar]) -> list[list[list[Scalar]]]:
    """Symbols of the first kind: ``C[i, j] = sum_k Gamma[i, j, k] v_k``."""
    x = [joint_transform(b, q) for b in model.bodies]
    inertia = composite_inertias(model, x)
    n = model.nv
    gamma: list[list[list[Scalar]]] = [[[0.0] * n for _ in range(n)] for _ in range(n)]

    def add(i: int, j: int, k: int, value: Scalar) -> None:
        gamma[i][j][k] = gamma[i][j][k] + value

    path: list[list[tuple[int, int, Motion]]] = []  # (body, coordinate, S) seen from each body
    for b, body in enumerate(model.bodies):
        inner = path[body.parent] if body.parent >= 0 else []
        seen = [(i, k, x[b].motion_to_child(s)) for i, k, s in inner]
        own = [(b, k, Motion.unit(axis, s)) for axis, k, s in subspace(body.joint)]
        path.append(seen + own)
        for _, outer, s in own:
            crossed = _crossed(inertia[b], s)
            for a, inner_k, s_a in path[b]:
                if a == b and inner_k == outer:
                    continue  # S x S = 0
                t = s_a.linear.cross(crossed[0]) + crossed[1] @ s_a.angular
                for c, turning, s_c in path[b]:
                    # t = sum m S_a x S_outer. The row is a and the pair (turning, outer), ...
                    value = s_c.angular.dot(t)
                    add(inner_k, outer, turning, -value)
                    if c != b:
                        add(inner_k, turning, outer, -value)
                    # ... or the row is outer and the pair (turning, a), both further in.
                    if a != b and c <= a:
                        add(outer, inner_k, turning, value)
                        if c != a:
                            add(outer, turning, inner_k, value)
    return gamma


def _crossed(inertia: Inertia, s: Motion) -> tuple[Vector, Matrix]:
    """P and K with ``sum m (v + w x r) x S(r) = v x P + K w``."""
    h, w, v = inertia.first, s.angular, s.linear
    along = h.dot(v)
    # K = P_2 skew(w)' + h v' - (h . v) 1; second moments are symmetric, so a row times skew(w)'
    # is w x row.
    turned = Matrix([w.cross(row) for row in second_moments(inertia).rows])
    k = turned + Matrix.outer(h, v) - Matrix.diagonal(along, along, along)
    return v * inertia.mass + w.cross(h), k
