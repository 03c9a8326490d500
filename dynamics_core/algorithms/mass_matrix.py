"""Joint-space mass matrix by the composite-rigid-body algorithm (CRBA).

Source: RBDA section 6.2, table 6.2. For a robot with mimic joints the matrix is ``G' M0 G``,
with M0 that of the tree and G the constant matrix that maps its own coordinates to the tree's.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Force, Inertia, Motion, Scalar, Transform
from .joints import joint_transform, subspace


def composite_inertias(model: Model, x: Sequence[Transform]) -> list[Inertia]:
    """Inertia of each body with all that it carries, about its own frame's origin."""
    composite = [b.inertia for b in model.bodies]
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent
        if p >= 0:
            composite[p] = composite[p] + composite[i].to_parent(x[i])
    return composite


@function("q", joint_space=True, M=("nv", "nv"))
def mass_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Symmetric positive definite mass matrix M(q), armature included."""
    x = [joint_transform(b, q) for b in model.bodies]
    composite = composite_inertias(model, x)
    n = model.nv
    m: list[list[Scalar]] = [[0.0] * n for _ in range(n)]

    def add(row: int, column: int, value: Scalar) -> None:
        m[row][column] = m[row][column] + value
        if row != column:
            m[column][row] = m[row][column]

    for i, body in enumerate(model.bodies):
        columns = subspace(body.joint)
        for number, (axis, k, scale) in enumerate(columns):
            f: Force = composite[i].times(Motion.unit(axis, scale))
            for other_axis, other, other_scale in columns[number:]:
                value = f[other_axis] * other_scale
                add(k, other, value)
            j = i
            while model.bodies[j].parent >= 0:
                f = x[j].force_to_parent(f)
                j = model.bodies[j].parent
                for other_axis, other, other_scale in subspace(model.bodies[j].joint):
                    value = f[other_axis] * other_scale
                    # Two joints that share a coordinate meet on the diagonal, twice.
                    add(k, other, value + value if other == k else value)
    for body in model.bodies:
        joint = body.joint
        for k in range(joint.v_index, joint.v_index + joint.type.nv):
            m[k][k] = m[k][k] + joint.armature * joint.multiplier**2
    return m
