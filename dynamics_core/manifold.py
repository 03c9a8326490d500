"""Steps on the configuration manifold: what addition is for joints that turn in space.

For a joint with one coordinate a step is an addition. A floating joint steps along the twist in
body axes by the exponential of SE(3), a planar one by that of SE(2): moving with a constant body
twist for one unit of time.

Source: R. M. Murray, Z. Li, S. S. Sastry, *A Mathematical Introduction to Robotic Manipulation*,
CRC Press 1994, section 2.3.3 and appendix A; J. Sola, J. Deray, D. Atchuthan, *A micro Lie theory
for state estimation in robotics*, 2018, appendices A, B and D.

Arrays carry the coordinates on their last axis; any axes in front of it are rows of a batch.
Quaternions are (x, y, z, w).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: Squared angle below which series replace quotients; their error is then below 1e-17.
_SMALL = 1e-4


def quaternion_product(a: Array, b: Array) -> Array:
    """Hamilton product: the rotation b, then a, both from child to parent axes."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate((vector, scalar), axis=-1)


def quaternion_conjugate(a: Array) -> Array:
    """The opposite rotation."""
    return a * np.array([-1.0, -1.0, -1.0, 1.0])


def rotate(quaternion: Array, v: Array) -> Array:
    """A vector from child to parent axes."""
    u, w = quaternion[..., :3], quaternion[..., 3:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def quaternion_exponential(w: Array) -> Array:
    """Unit quaternion of a rotation vector (axis times angle), (..., 3) to (..., 4)."""
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate((0.5 * np.sinc(half / np.pi) * w, np.cos(half)), axis=-1)


def quaternion_logarithm(quaternion: Array) -> Array:
    """Rotation vector of a unit quaternion, its angle in [0, pi]."""
    quaternion = np.where(quaternion[..., 3:] < 0.0, -quaternion, quaternion)
    u, w = quaternion[..., :3], quaternion[..., 3:]
    sine = np.linalg.norm(u, axis=-1, keepdims=True)
    small = sine < 1e-8
    factor = 2.0 * np.arctan2(sine, w) / np.where(small, 1.0, sine)
    return np.where(small, 2.0 / w, factor) * u


def left_jacobian(w: Array, v: Array) -> Array:
    """``V(w) v``: how far a body moves that translates with v while it turns by w."""
    b, c = _left_coefficients(np.sum(w * w, axis=-1, keepdims=True))
    turned = np.cross(w, v)
    return v + b * turned + c * np.cross(w, turned)


def left_jacobian_inverse(w: Array, v: Array) -> Array:
    """``V(w)^-1 v``, for angles below 2 pi."""
    t2 = np.sum(w * w, axis=-1, keepdims=True)
    small = t2 < _SMALL
    half = 0.5 * np.sqrt(np.where(small, 1.0, t2))
    exact = (1.0 - half * np.cos(half) / np.sin(half)) / (4.0 * half * half)
    series = 1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    turned = np.cross(w, v)
    return v - 0.5 * turned + np.where(small, series, exact) * np.cross(w, turned)


def _left_coefficients(t2: Array) -> tuple[Array, Array]:
    """``(1 - cos t) / t^2`` and ``(t - sin t) / t^3`` of the squared angle."""
    small = t2 < _SMALL
    safe = np.where(small, 1.0, t2)
    t = np.sqrt(safe)
    b = 0.5 * np.sinc(0.5 * np.sqrt(t2) / np.pi) ** 2
    series = 1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0
    return b, np.where(small, series, (t - np.sin(t)) / (safe * t))


def floating_step(q: Array, xi: Array) -> Array:
    """Pose (position, quaternion) after the body twist ``xi`` of unit duration."""
    position, quaternion = q[..., :3], q[..., 3:]
    moved = position + rotate(quaternion, left_jacobian(xi[..., 3:], xi[..., :3]))
    turned = quaternion_product(quaternion, quaternion_exponential(xi[..., 3:]))
    turned = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return np.concatenate((moved, turned), axis=-1)


def floating_difference(q0: Array, q1: Array) -> Array:
    """The body twist of unit duration that leads from q0 to q1, turning by at most pi."""
    back = quaternion_conjugate(q0[..., 3:])
    w = quaternion_logarithm(quaternion_product(back, q1[..., 3:]))
    v = left_jacobian_inverse(w, rotate(back, q1[..., :3] - q0[..., :3]))
    return np.concatenate((v, w), axis=-1)


def planar_step(q: Array, xi: Array) -> Array:
    """(x, y, angle) after the body twist (vx, vy, wz) of unit duration."""
    out = _turned(q[..., 2], left_jacobian(*_as_space(xi)))
    return np.concatenate((q[..., :2] + out, q[..., 2:] + xi[..., 2:]), axis=-1)


def planar_difference(q0: Array, q1: Array) -> Array:
    """The body twist of unit duration that leads from q0 to q1, turning by at most pi."""
    angle = np.remainder(q1[..., 2:] - q0[..., 2:] + np.pi, 2.0 * np.pi) - np.pi
    move = np.concatenate((q1[..., :2] - q0[..., :2], np.zeros_like(angle)), axis=-1)
    local = np.concatenate((_turned(-q0[..., 2], move), angle), axis=-1)
    return np.concatenate((left_jacobian_inverse(*_as_space(local))[..., :2], angle), axis=-1)


def _as_space(xi: Array) -> tuple[Array, Array]:
    zero = np.zeros_like(xi[..., 2:])
    return (
        np.concatenate((zero, zero, xi[..., 2:]), axis=-1),
        np.concatenate((xi[..., :2], zero), axis=-1),
    )


def _turned(angle: Array, v: Array) -> Array:
    """The first two coordinates of v turned by an angle about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack((c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1]), axis=-1)
