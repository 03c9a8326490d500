"""Joint trajectories: points checked against a robot, and the motion between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import DynamicsError, UnknownNameError
from ..model import JointType
from ..robot import Robot
from .joint_selection import JointSelection

__all__ = ["JointTrajectory", "TrajectoryError", "TrajectoryPoint"]

Array = npt.NDArray[np.float64]

#: How far beyond a position limit a point may be, rad or m: rounding of planners.
LIMIT_TOLERANCE = 1e-4


class TrajectoryError(DynamicsError, ValueError):
    """A trajectory that cannot be followed; the message names the point, the field, the joint."""


@dataclass(frozen=True)
class TrajectoryPoint:
    """Where the joints are to be at a time.

    Attributes:
        time: Time from the start, s.
        positions: One a joint, rad or m.
        velocities: One a joint, rad/s or m/s, or empty.
        accelerations: One a joint, rad/s2 or m/s2, or empty.
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


class JointTrajectory:
    """A motion through points.

    Between two points the motion is linear where one of them has positions only, cubic where both
    have velocities, quintic where both have accelerations too; the same rule as that of
    ros2_control's joint_trajectory_controller. After the last point the joints rest there.

    Args:
        joints: The joints that move along, in the order of the arrays returned.
        names: The joints of the points, in any order; joints not among them keep their place.
        points: The points, in the order of time.
        start: Position, velocity and acceleration of ``joints`` at time 0, (n,) each: where the
            motion sets out from if the first point comes later than time 0.
        allow_end_velocity: Whether the last point may have a velocity other than zero.

    Attributes:
        times: Times of the points, s, the start included.
        end: Time of the last point, s.
        goal: Position at the end, (n,).

    Raises:
        TrajectoryError: The points cannot be followed.
    """

    def __init__(
        self,
        robot: Robot,
        joints: JointSelection,
        names: Sequence[str],
        points: Sequence[TrajectoryPoint],
        start: tuple[Array, Array, Array],
        *,
        allow_end_velocity: bool = False,
    ) -> None:
        columns = _columns(joints, names)
        _check_points(names, points)
        _check_limits(robot, names, points)
        if not allow_end_velocity:
            _check_end(names, points[-1])
        n = len(joints)
        knots = []
        for point in points:
            knot = np.array([start[0], np.zeros(n), np.zeros(n)])
            for row, values in enumerate((point.positions, point.velocities, point.accelerations)):
                knot[row, columns] = values if len(values) else np.nan
            knots.append(knot)
        times = [p.time for p in points]
        if times[0] > 0.0:
            times.insert(0, 0.0)
            knots.insert(0, np.array(start))
            resting = [k for k in range(n) if k not in columns]
            knots[0][1:, resting] = 0.0
        self.times = np.array(times)
        self.end = float(times[-1])
        self.goal = knots[-1][0].copy()
        self._first = knots[0][0].copy()
        self._rest = np.zeros(n)
        segments = [
            _segment(a, b, t1 - t0, columns)
            for a, b, t0, t1 in zip(knots, knots[1:], times, times[1:], strict=False)
        ]
        self._polynomials = np.array(segments).reshape(len(segments), 6, n)

    def sample(self, time: float) -> tuple[Array, Array, Array]:
        """Desired position, velocity and acceleration at a time, (n,) each.

        Args:
            time: Time since the start, s. Before it: the start's position, at rest. After the
                end: the goal, at rest.
        """
        if time >= self.end:
            return self.goal, self._rest, self._rest
        if time < self.times[0]:
            return self._first, self._rest, self._rest
        k = int(self.times.searchsorted(time, side="right")) - 1
        return _evaluate(self._polynomials[k], time - self.times[k])

    def samples(self, times: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """:meth:`sample` at many times, (N,): positions, velocities, accelerations, (N, n) each."""
        t = np.asarray(times, dtype=np.float64)
        early, late = t < self.times[0], t >= self.end
        if not len(self._polynomials):
            k = np.zeros((len(t), 1))
            return k + self.goal, k + self._rest, k + self._rest
        k = np.clip(self.times.searchsorted(t, side="right") - 1, 0, len(self._polynomials) - 1)
        s = (t - self.times[k])[:, None]
        q, v, a = _evaluate(self._polynomials[k].transpose(1, 0, 2), s)
        q[early], q[late] = self._first, self.goal
        v[early | late] = a[early | late] = 0.0
        return q, v, a

    def dense_times(self, period: float) -> Array:
        """The points' times and, between them, times not more than the period apart, s."""
        if not period > 0.0:
            raise TrajectoryError(f"period is {period}; expected more than 0 s")
        parts = [np.array([self.times[0]])]
        for t0, t1 in zip(self.times, self.times[1:], strict=False):
            count = max(1, math.ceil((t1 - t0) / period - 1e-9))
            parts.append(np.linspace(t0, t1, count + 1)[1:])
        return np.concatenate(parts)

    def too_fast(self, robot: Robot, joints: JointSelection, period: float = 0.01) -> list[str]:
        """What exceeds the velocity limits of the description, in words; empty if nothing."""
        limits = joints.pick(robot.velocity_limits)
        peak = np.abs(self.samples(self.dense_times(period))[1]).max(axis=0)
        return [
            f"joint {name!r} reaches {p:.3g} of at most {limit:.3g}"
            for name, p, limit in zip(joints.names, peak, limits, strict=True)
            if 0.0 < limit < p * (1.0 - 1e-6)
        ]


def _columns(joints: JointSelection, names: Sequence[str]) -> list[int]:
    if not names:
        raise TrajectoryError("the trajectory names no joints")
    for name in names:
        if name not in joints.names:
            error = UnknownNameError("joint", name, joints.names, "trajectory")
            hint = str(error).partition("; ")[2]
            known = hint or f"known are {', '.join(joints.names)}"
            raise TrajectoryError(f"the trajectory names joint {name!r}, unknown here; {known}")
    if len(set(names)) != len(names):
        twice = next(n for n in names if list(names).count(n) > 1)
        raise TrajectoryError(f"the trajectory names joint {twice!r} twice")
    return [joints.names.index(name) for name in names]


def _check_points(names: Sequence[str], points: Sequence[TrajectoryPoint]) -> None:
    if not points:
        raise TrajectoryError("the trajectory has no points")
    last = -math.inf
    for k, point in enumerate(points):
        if not math.isfinite(point.time) or point.time < 0.0:
            raise TrajectoryError(
                f"point {k} has time_from_start {point.time} s; expected 0 or more"
            )
        if point.time <= last:
            raise TrajectoryError(
                f"point {k} has time_from_start {point.time:g} s, not after the {last:g} s of the "
                "point before"
            )
        last = point.time
        for field in ("positions", "velocities", "accelerations"):
            values = getattr(point, field)
            if len(values) == 0 and field != "positions":
                continue
            if len(values) != len(names):
                raise TrajectoryError(
                    f"point {k} has {len(values)} {field} for {len(names)} joints"
                )
            for name, value in zip(names, values, strict=True):
                if not math.isfinite(value):
                    raise TrajectoryError(
                        f"point {k} has {value} in {field} of joint {name!r}; expected a finite "
                        "number"
                    )
        if len(point.accelerations) and not len(point.velocities):
            raise TrajectoryError(f"point {k} has accelerations but no velocities")


def _check_limits(robot: Robot, names: Sequence[str], points: Sequence[TrajectoryPoint]) -> None:
    for column, name in enumerate(names):
        joint = robot.model.joint(name)
        if joint.type is JointType.CONTINUOUS:
            continue
        low, high = joint.limits.lower, joint.limits.upper
        for k, point in enumerate(points):
            q = point.positions[column]
            if not low - LIMIT_TOLERANCE <= q <= high + LIMIT_TOLERANCE:
                raise TrajectoryError(
                    f"point {k} has {q:g} in positions of joint {name!r}, outside its limits "
                    f"{low:g} to {high:g}"
                )


def _check_end(names: Sequence[str], point: TrajectoryPoint) -> None:
    for name, velocity in zip(names, point.velocities, strict=False):
        if abs(velocity) > 1e-6:
            raise TrajectoryError(
                f"the last point has velocity {velocity:g} of joint {name!r}; expected 0, since "
                "the robot stops there (allow it with the parameter allow_end_velocity)"
            )


def _evaluate(c: Array, s: float | Array) -> tuple[Array, Array, Array]:
    """A quintic with coefficients c[0] ... c[5] at s, and its first two derivatives."""
    q = ((((c[5] * s + c[4]) * s + c[3]) * s + c[2]) * s + c[1]) * s + c[0]
    v = (((5.0 * c[5] * s + 4.0 * c[4]) * s + 3.0 * c[3]) * s + 2.0 * c[2]) * s + c[1]
    a = ((20.0 * c[5] * s + 12.0 * c[4]) * s + 6.0 * c[3]) * s + 2.0 * c[2]
    return q, v, a


def _segment(a: Array, b: Array, duration: float, moving: Sequence[int]) -> Array:
    """Coefficients, (6, n), of the lowest polynomial that joins what both knots give."""
    given = [not np.isnan(k[row, moving]).any() for k in (a, b) for row in (1, 2)]
    q0, q1 = a[0], b[0]
    c = np.zeros((6, len(q0)))
    c[0] = q0
    h = duration
    if not (given[0] and given[2]):
        c[1] = (q1 - q0) / h
    elif not (given[1] and given[3]):
        v0, v1 = a[1], b[1]
        c[1] = v0
        c[2] = (3.0 * (q1 - q0) / h - 2.0 * v0 - v1) / h
        c[3] = (-2.0 * (q1 - q0) / h + v0 + v1) / h**2
    else:
        v0, v1, a0, a1 = a[1], b[1], a[2], b[2]
        d = (q1 - q0 - h * v0 - 0.5 * h**2 * a0) / h**3
        e = (v1 - v0 - h * a0) / h**2
        f = (a1 - a0) / h
        c[1], c[2] = v0, 0.5 * a0
        c[3] = 10.0 * d - 4.0 * e + 0.5 * f
        c[4] = (-15.0 * d + 7.0 * e - f) / h
        c[5] = (6.0 * d - 3.0 * e + 0.5 * f) / h**2
    return c
