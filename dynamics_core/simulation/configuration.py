"""Positions that change with velocities: ``dq/dt = N(q) v``, and quaternions kept at norm 1.

For revolute, continuous and prismatic joints N is the identity. A planar or floating joint has its
velocity in body axes, so N turns it (RBDA section 4.4); a quaternion changes by
``dQ/dt = Q (w, 0) / 2`` (RBDA 4.13).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algorithms.joints import quaternion_matrix
from ..model import JointType, Model
from ..spatial import Scalar, Vector, cos, sin


def position_rate(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Rate of change of every entry of q at velocity v."""
    rate: list[Scalar] = [0.0] * model.nq
    for joint in model.joints:
        k, j = joint.q_index, joint.v_index
        if joint.type is JointType.FLOATING:
            linear = quaternion_matrix(q[k + 3 : k + 7]).rotate(Vector(*v[j : j + 3]))
            rate[k : k + 3] = list(linear)
            rate[k + 3 : k + 7] = _quaternion_rate(q[k + 3 : k + 7], v[j + 3 : j + 6])
        elif joint.type is JointType.PLANAR:
            c, s = cos(q[k + 2]), sin(q[k + 2])
            rate[k] = c * v[j] - s * v[j + 1]
            rate[k + 1] = s * v[j] + c * v[j + 1]
            rate[k + 2] = v[j + 2]
        else:
            rate[k] = v[j]
    return rate


def moved(model: Model, q: Sequence[Scalar], rate: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
    """``q + dt rate`` with its quaternions normalised."""
    result = [a + b * dt for a, b in zip(q, rate, strict=True)]
    for joint in model.joints:
        if joint.type is JointType.FLOATING:
            k = joint.q_index + 3
            x, y, z, w = result[k : k + 4]
            scale = 1.0 / _sqrt(x * x + y * y + z * z + w * w)
            result[k : k + 4] = [x * scale, y * scale, z * scale, w * scale]
    return result


def _quaternion_rate(quaternion: Sequence[Scalar], omega: Sequence[Scalar]) -> list[Scalar]:
    x, y, z, w = quaternion
    a, b, c = (0.5 * s for s in omega)
    return [
        w * a + y * c - z * b,
        w * b + z * a - x * c,
        w * c + x * b - y * a,
        -(x * a + y * b + z * c),
    ]


def _sqrt(x: Scalar) -> Scalar:
    return x.sqrt() if hasattr(x, "sqrt") else np.sqrt(x)
