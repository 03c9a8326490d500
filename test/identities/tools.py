"""Registry of the identities, and what they share: comparison and numerical derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from peers import relative_error
from random_trees import Case

from dynamics_core import Robot

Array = np.ndarray
EXACT = 1e-9
NUMERIC = 1e-6
REFERENCES = ("local", "world", "local_world_aligned")

#: Every identity by name.
IDENTITIES: dict[str, Callable[[Case], None]] = {}
#: Those that need a floating joint at the root.
OF_FREE_ROBOTS: dict[str, Callable[[Case], None]] = {}


def identity(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """Register an identity for all robots."""
    IDENTITIES[check.__name__] = check
    return check


def of_free_robots(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """Register an identity for robots on a floating base."""
    OF_FREE_ROBOTS[check.__name__] = check
    return check


def agree(actual: Array, expected: Array, tolerance: float = EXACT, floor: float = 1e-2) -> None:
    """Equal but for rounding; ``floor`` is the magnitude below which the error is absolute."""
    error = relative_error(np.ravel(actual), np.ravel(expected), floor=floor)
    assert error < tolerance, f"relative error {error:.2g}\n{actual}\n{expected}"


def derivative(f: Callable[[Array], Array], n: int = 1, h: float = 1e-3) -> Array:
    """df/ds at s = 0 by central differences, extrapolated to fourth order.

    Args:
        f: Takes steps of shape (4 n, n): multiples of the n unit vectors. Returns (4 n, ...).
        n: Number of directions.
        h: Step.

    Returns:
        (n, ...): the derivative in each direction.
    """
    steps = np.array([h, -h, 2.0 * h, -2.0 * h])
    values = f(np.concatenate([s * np.eye(n) for s in steps]))
    near = (values[:n] - values[n : 2 * n]) / (2.0 * h)
    far = (values[2 * n : 3 * n] - values[3 * n :]) / (4.0 * h)
    return (4.0 * near - far) / 3.0


def along_motion(case: Case, f: Callable[[Array, Array], Array], a: Array | None = None) -> Array:
    """Rate of ``f(q, v)`` while the robot moves with velocity v and acceleration ``a`` (or 0)."""
    a = np.zeros(case.robot.nv) if a is None else a

    def g(steps: Array) -> Array:
        q = case.robot.integrate(case.q, np.broadcast_to(case.v, (4, len(case.v))), steps[:, 0])
        return f(q, case.v + steps * a)

    return derivative(g)[0]


def over_coordinates(case: Case, f: Callable[[Array], Array]) -> Array:
    """Derivative of ``f(q)`` along each velocity coordinate, on the last axis."""
    rates = derivative(lambda s: f(case.robot.integrate(case.q, s)), case.robot.nv)
    return np.moveaxis(rates, 0, -1)


def rate_of_pose(pose: Array, dpose: Array) -> Array:
    """Twist (linear, angular) of the frame's origin in base axes from d(pose)/dt."""
    skew = dpose[:3, :3] @ pose[:3, :3].T
    assert np.abs(skew + skew.T).max() < 1e-6
    return np.array([*dpose[:3, 3], skew[2, 1], skew[0, 2], skew[1, 0]])


def spatial_block(pose: Array, reference: str) -> Array:
    """The matrix that takes a twist in base axes at the frame's origin to a reference."""
    r = pose[:3, :3].T if reference == "local" else np.eye(3)
    block = np.kron(np.eye(2), r)
    if reference == "world":
        x, y, z = pose[:3, 3]
        block[:3, 3:] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return block


def weightless(robot: Robot) -> Robot:
    """Without gravity."""
    return robot.with_gravity((0.0, 0.0, 0.0))


def armature(robot: Robot) -> Array:
    """Armature of each coordinate, that of mimic joints carried to their masters."""
    total = np.zeros(robot.nv)
    for joint in (b.joint for b in robot.model.bodies):
        k = joint.v_index
        total[k : k + joint.type.nv] += joint.armature * joint.multiplier**2
    return total
