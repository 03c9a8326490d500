"""Positions of a robot: a neutral one, random ones, steps between them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import manifold
from ..errors import ArgumentError
from ..model import Joint, JointType
from .arguments import Array, as_input
from .evaluation import Evaluation

#: Where a description sets no limit, random positions and velocities stay within this.
_RANGES = {JointType.REVOLUTE: np.pi, JointType.CONTINUOUS: np.pi, JointType.PRISMATIC: 1.0}


class Configuration(Evaluation):
    """The space of positions, in which quaternions and planar poses do not simply add."""

    def neutral(self) -> Array:
        """The position zero, each joint moved to its nearest limit where zero is out of reach.

        Returns:
            q, (nq,), rad or m; quaternions are (0, 0, 0, 1).
        """
        q = np.zeros(self._model.nq)
        for joint in self._model.joints:
            k = joint.q_index
            if joint.type is JointType.FLOATING:
                q[k + 6] = 1.0
            elif joint.type is not JointType.PLANAR:
                q[k] = np.clip(0.0, joint.limits.lower, joint.limits.upper)
        return q

    def random_state(
        self, rng: np.random.Generator, rows: int | None = None
    ) -> tuple[Array, Array]:
        """A random position and velocity within the limits.

        Args:
            rng: Source of randomness.
            rows: Number of states; None for a single one.

        Returns:
            q, (nq,) or (rows, nq), and v, (nv,) or (rows, nv), uniform between the limits. Where
            there is none, angles are within pi, lengths within 1 m and speeds within 1 rad/s or
            1 m/s; orientations are uniform over all rotations.
        """
        n = 1 if rows is None else rows
        q, v = np.empty((n, self._model.nq)), np.empty((n, self._model.nv))
        for joint in self._model.joints:
            k, size = joint.q_index, joint.type.nq
            q[:, k : k + size] = _random_position(joint, n, rng)
            fastest = joint.limits.velocity if np.isfinite(joint.limits.velocity) else 1.0
            j, size = joint.v_index, joint.type.nv
            v[:, j : j + size] = rng.uniform(-fastest, fastest, (n, size))
        return (q[0], v[0]) if rows is None else (q, v)

    def integrate(self, q: npt.ArrayLike, v: npt.ArrayLike, dt: npt.ArrayLike = 1.0) -> Array:
        """The position after moving with a constant velocity.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s; floating and planar joints in body axes.
            dt: Duration, a number or (N,), s.

        Returns:
            q, (nq,) or (N, nq), quaternions of norm 1. Joints with one coordinate: ``q + v dt``,
            angles not wrapped, limits not regarded.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: the exponential of SE(3) and SE(2), Murray, Li, Sastry, section 2.3.3.
        """
        model = self._model
        start = as_input(model, "integrate", "q", q, model.nq)
        step = as_input(model, "integrate", "v", v, model.nv)
        duration = np.asarray(dt, dtype=np.float64)
        if duration.ndim > 1 or not np.isfinite(duration).all():
            raise ArgumentError(f"integrate: dt is {dt!r}; expected a finite number or (N,)")
        step = step * duration[..., None]
        rows = self._rows("integrate", start, step)
        result = np.empty((*rows, model.nq))
        for joint in model.joints:
            at, move = _position(joint, start), _velocity(joint, step)
            if joint.type is JointType.FLOATING:
                value = manifold.floating_step(at, move)
            elif joint.type is JointType.PLANAR:
                value = manifold.planar_step(at, move)
            else:
                value = at + move
            _position(joint, result)[...] = value
        return result

    def difference(self, q0: npt.ArrayLike, q1: npt.ArrayLike) -> Array:
        """The velocity that leads from one position to another in one unit of time.

        Args:
            q0: Start, (nq,) or (N, nq), rad or m.
            q1: Goal, (nq,) or (N, nq), rad or m.

        Returns:
            v, (nv,) or (N, nv), so that ``integrate(q0, v)`` is q1. Floating and planar joints
            turn by at most pi, and so reach q1's angle or quaternion up to a full turn or the
            sign. Angles of other joints are subtracted, not wrapped.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: the logarithm of SE(3) and SE(2), Murray, Li, Sastry, section 2.3.3.
        """
        model = self._model
        start = as_input(model, "difference", "q", q0, model.nq)
        goal = as_input(model, "difference", "q", q1, model.nq)
        rows = self._rows("difference", start, goal)
        result = np.empty((*rows, model.nv))
        for joint in model.joints:
            a, b = _position(joint, start), _position(joint, goal)
            if joint.type is JointType.FLOATING:
                value = manifold.floating_difference(a, b)
            elif joint.type is JointType.PLANAR:
                value = manifold.planar_difference(a, b)
            else:
                value = b - a
            _velocity(joint, result)[...] = value
        return result

    @staticmethod
    def _rows(function: str, *arrays: Array) -> tuple[int, ...]:
        rows = {a.shape[0] for a in arrays if a.ndim == 2}
        if len(rows) > 1:
            raise ArgumentError(f"{function}: different numbers of rows: {sorted(rows)}")
        return tuple(rows)


def _position(joint: Joint, q: Array) -> Array:
    return q[..., joint.q_index : joint.q_index + joint.type.nq]


def _velocity(joint: Joint, v: Array) -> Array:
    return v[..., joint.v_index : joint.v_index + joint.type.nv]


def _random_position(joint: Joint, n: int, rng: np.random.Generator) -> Array:
    if joint.type is JointType.FLOATING:
        quaternion = rng.normal(size=(n, 4))
        quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
        return np.concatenate((rng.uniform(-1.0, 1.0, (n, 3)), quaternion), axis=1)
    if joint.type is JointType.PLANAR:
        return rng.uniform(-1.0, 1.0, (n, 3)) * np.array([1.0, 1.0, np.pi])
    reach, low, high = _RANGES[joint.type], joint.limits.lower, joint.limits.upper
    if not np.isfinite(low):
        low = min(-reach, high - 2.0 * reach) if np.isfinite(high) else -reach
    if not np.isfinite(high):
        high = max(reach, low + 2.0 * reach)
    return rng.uniform(low, high, (n, 1))
