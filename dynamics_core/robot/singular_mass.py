"""Whether forward dynamics has an answer for a robot: does every joint move some inertia?"""

from __future__ import annotations

import numpy as np

from ..errors import SingularMassError
from ..functions import FUNCTIONS, evaluate
from ..model import JointType, Model
from .arguments import Array, velocity_names

#: A pivot of the mass matrix this far below its diagonal entry is zero.
_TOLERANCE = 1e-10


def check_mass(model: Model) -> None:
    """Refuse a robot whose mass matrix is singular in every position.

    Raises:
        SingularMassError: Naming the joint whose motion takes no force.

    The determinant of M is an analytic function of q, and so zero everywhere or almost nowhere: a
    few positions without any symmetry decide.
    """
    if _all_bodies_solid(model):
        return
    names = velocity_names(model)
    best = np.zeros(model.nv)
    for m in evaluate(FUNCTIONS["mass_matrix"], model, [_generic_positions(model)], {})[0]:
        diagonal = np.diag(m)
        safe = np.where(diagonal > 0.0, diagonal, 1.0)
        pivots = np.where(diagonal > 0.0, _pivots(m) / safe, 0.0)
        best = np.maximum(best, pivots)
    loose = np.flatnonzero(best <= _TOLERANCE)
    if loose.size:
        name = names[int(loose[-1])]
        raise SingularMassError(
            f"robot {model.name!r}: joint {name!r} moves no inertia of its own, so that the mass "
            "matrix is singular and forward dynamics has no answer; give the links behind it mass "
            "and inertia, give the joint an armature, or lock it"
        )


def _all_bodies_solid(model: Model) -> bool:
    """Whether each body resists every motion by itself, which is enough and quickly seen."""
    if not model.bodies:
        return True
    p = np.array([b.inertia.parameters() for b in model.bodies], dtype=float)
    m, h = p[:, 0], p[:, 1:4]
    if not (m > 0.0).all():
        return False
    second = p[:, [4, 5, 7, 5, 6, 8, 7, 8, 9]].reshape(-1, 3, 3)
    steiner = np.sum(h * h, axis=1)[:, None, None] * np.eye(3) - h[:, :, None] * h[:, None, :]
    moments = np.linalg.eigvalsh(second - steiner / m[:, None, None])
    return bool((moments[:, 0] > 1e-9 * np.maximum(moments[:, 2], 1e-300)).all())


def _generic_positions(model: Model) -> Array:
    q = np.random.default_rng(7).uniform(0.3, 1.2, (3, model.nq))
    for joint in model.joints:
        if joint.type is JointType.FLOATING:
            k = joint.q_index + 3
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    return q


def _pivots(m: Array) -> Array:
    """Diagonal of D in ``M = L' D L``, last coordinate first; what follows a zero is left out."""
    a = m.copy()
    pivots = np.diag(a).copy()
    for k in reversed(range(len(a))):
        pivots[k] = a[k, k]
        if a[k, k] > _TOLERANCE * m[k, k]:
            a[:k, :k] -= np.outer(a[:k, k], a[k, :k]) / a[k, k]
    return pivots
