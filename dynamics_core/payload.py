"""How much a robot can hold in a posture before a joint reaches its effort limit.

Source: the static case of the recursive Newton-Euler algorithm (RBDA section 5.3 with v = a = 0):
the torque of a posture is ``g(q) - J' f``, f being what the load exerts on the frame, so that it is
linear in the size of the load and each joint sets one bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError

if TYPE_CHECKING:
    from .robot import Robot

Array = npt.NDArray[np.float64]


class PayloadCapacity(NamedTuple):
    """The largest load of a posture.

    Attributes:
        mass: kg; infinite if no limit is ever reached, zero if the robot cannot hold itself.
        force: The load's pull in N.
        joint: The joint that limits, or None.
        torque: Joint torques with that load, (nv,), N m or N; without load if it is infinite.
        overloaded: Joints that are beyond their limit without any load.
    """

    mass: float
    force: float
    joint: str | None
    torque: Array
    overloaded: tuple[str, ...]


def payload_capacity(
    robot: Robot,
    q: npt.ArrayLike,
    frame: str,
    *,
    com: npt.ArrayLike = (0.0, 0.0, 0.0),
    direction: npt.ArrayLike | None = None,
    limits: npt.ArrayLike | None = None,
    scale: float = 1.0,
) -> PayloadCapacity:
    """The largest mass that a frame can hold still within the effort limits.

    Args:
        robot: The robot; its own weight counts.
        q: Position, (nq,), rad or m.
        frame: The link that carries the load.
        com: The load's centre of mass in the frame, (3,), m.
        direction: Where the load pulls, (3,), base axes; the direction of gravity by default.
            With another one ``force`` is what counts: how hard the posture can be pulled.
        limits: Effort limits, (nv,), N m or N, in place of the robot's. Infinite ones never bound,
            and those of floating joints are infinite: nothing drives them.
        scale: Share of the limits that may be used.

    Returns:
        The capacity, with the joint that sets it.

    Raises:
        ArgumentError: A wrong shape, a number that is not finite, no direction of the pull.
        UnknownNameError: The robot has no such frame.
    """
    bound = _limits(robot, limits, scale)
    strength = float(np.linalg.norm(robot.gravity))
    pull = _direction(robot, direction)
    at = np.asarray(com, dtype=np.float64)
    if at.shape != (3,) or not np.isfinite(at).all():
        raise ArgumentError(f"payload_capacity: com is {com!r}; expected 3 finite numbers")
    own = robot.gravity_torque(q)
    if own.ndim != 1:
        raise ArgumentError("payload_capacity: q is a batch; expected one position, (nq,)")
    per_newton = -_pull_torque(robot, q, frame, at, pull)
    # Each coordinate: own + force * per_newton within -bound and bound.
    rest = np.where(per_newton > 0.0, bound - own, bound + own)
    slope = np.abs(per_newton)
    significant = slope > 1e-12 * max(1.0, float(slope.max(initial=0.0)))
    room = np.full(len(slope), np.inf)
    np.divide(rest, slope, out=room, where=significant)
    names = [j.name for j in robot.model.joints for _ in j.type.axes]
    overloaded = tuple(n for n, t, b in zip(names, own, bound, strict=True) if abs(t) > b)
    if overloaded:
        return PayloadCapacity(0.0, 0.0, overloaded[0], own, overloaded)
    k = int(np.argmin(room)) if len(room) else -1
    if k < 0 or not np.isfinite(room[k]):
        return PayloadCapacity(np.inf, np.inf, None, own, ())
    force = float(room[k])
    mass = force / strength if strength > 0.0 else np.inf
    return PayloadCapacity(mass, force, names[k], own + force * per_newton, ())


def _pull_torque(robot: Robot, q: npt.ArrayLike, frame: str, com: Array, pull: Array) -> Array:
    """``J' f`` of a unit pull at the centre of mass."""
    j = robot.jacobian(q, frame)
    lever = robot.frame_pose(q, frame)[:3, :3] @ com
    return j[:3].T @ pull + j[3:].T @ np.cross(lever, pull)


def _limits(robot: Robot, limits: npt.ArrayLike | None, scale: float) -> Array:
    bound = robot.effort_limits if limits is None else np.asarray(limits, dtype=np.float64)
    if bound.shape != (robot.nv,) or not np.all(bound >= 0.0):
        raise ArgumentError(
            f"payload_capacity: limits are {limits!r}; expected {robot.nv} numbers, none negative"
        )
    if not 0.0 < scale < np.inf:
        raise ArgumentError(f"payload_capacity: scale is {scale!r}; expected more than zero")
    return np.asarray(bound * scale, dtype=np.float64)


def _direction(robot: Robot, direction: npt.ArrayLike | None) -> Array:
    d = robot.gravity if direction is None else np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(d)) if d.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        what = "there is no gravity" if direction is None else f"direction is {direction!r}"
        raise ArgumentError(f"payload_capacity: {what}; expected 3 numbers, not all zero")
    return np.asarray(d / length, dtype=np.float64)
