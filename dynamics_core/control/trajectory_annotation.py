"""A trajectory with the torque that it takes in every point, for a controller that adds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .inverse_dynamics_control import InverseDynamicsControl
from .trajectory import JointTrajectory, TrajectoryError

__all__ = ["AnnotatedTrajectory", "annotate"]

Array = npt.NDArray[np.float64]

#: More points than this are refused: nobody would wait for them.
MAX_POINTS = 100_000


@dataclass(frozen=True)
class AnnotatedTrajectory:
    """A motion sampled densely.

    Attributes:
        times: (N,), s from the start.
        positions, velocities, accelerations: (N, n).
        efforts: (N, n), N m or N; the last row holds the robot still at the goal.
        clipped: Which joints' efforts were cut at their limit anywhere, (n,), bool.
    """

    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array
    clipped: npt.NDArray[np.bool_]


def annotate(
    trajectory: JointTrajectory,
    control: InverseDynamicsControl,
    q: Array,
    limits: Array,
    period: float,
) -> AnnotatedTrajectory:
    """Sample a trajectory and compute the model's torque in every sample.

    A controller interpolates efforts linearly between points, while torque is anything but linear
    in them; hence the dense sampling. It keeps the last point's effort for ever, so that one is
    the torque at rest.

    Args:
        trajectory: The motion.
        control: Computes the torque, with its terms; its feedback plays no part.
        q: Position of the whole robot, (nq,), for joints that do not move along.
        limits: Largest efforts, (n,), N m or N; infinite where unknown.
        period: Longest time between samples, s.
    """
    times = trajectory.dense_times(period)
    if len(times) > MAX_POINTS:
        raise TrajectoryError(
            f"the trajectory takes {len(times)} points of {period:g} s; at most {MAX_POINTS} are "
            "made, so use a longer period"
        )
    positions, velocities, accelerations = trajectory.samples(times)
    efforts = control.planned_torques(q, positions, velocities, accelerations)
    clipped = np.asarray((np.abs(efforts) > limits).any(axis=0))
    return AnnotatedTrajectory(
        times, positions, velocities, accelerations, np.clip(efforts, -limits, limits), clipped
    )
