"""A motion from pose to pose along minimum-jerk profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

__all__ = ["Motion"]


@dataclass(frozen=True)
class Motion:
    """Poses, each reached at rest at its time.

    Between two poses ``s(x) = 10 x^3 - 15 x^4 + 6 x^5`` (Flash and Hogan, J. Neuroscience 5(7),
    1985): the only quintic with zero velocity and acceleration at both ends. A controller that
    interpolates points with position, velocity and acceleration by quintics makes the same curve.

    Attributes:
        times: Time of each pose after the start, (k,), s; the first is 0.
        poses: (k, n), rad or m.
    """

    times: tuple[float, ...]
    poses: tuple[tuple[float, ...], ...]

    @property
    def duration(self) -> float:
        """Time of the last pose, s."""
        return self.times[-1]

    def position(self, t: float | Sequence[float] | Array) -> Array:
        """Positions at times after the start, (n,) or (len(t), n)."""
        at = np.clip(np.asarray(t, dtype=np.float64), 0.0, self.duration)
        times, poses = np.asarray(self.times), np.asarray(self.poses)
        k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
        x = (at - times[k]) / (times[k + 1] - times[k])
        s = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        return np.asarray(poses[k] + s[..., None] * (poses[k + 1] - poses[k]))

    def fastest(self) -> Array:
        """Largest speed of each joint, (n,): 15/8 of the mean speed of its fastest leg."""
        legs = np.abs(np.diff(np.asarray(self.poses), axis=0))
        durations = np.diff(np.asarray(self.times))
        return np.asarray(1.875 * (legs / durations[:, None]).max(axis=0))
