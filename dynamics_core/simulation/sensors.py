"""What the robot's sensors make of its state: noise, quantisation, delay, lost samples."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from .physics import Array

__all__ = ["Measurement", "SensorSettings", "Sensors"]


class Measurement(NamedTuple):
    """A sample of all joints.

    Attributes:
        time: When it was taken, s.
        position: (n,), rad or m.
        velocity: (n,), rad/s or m/s.
        effort: (n,), N m or N.
    """

    time: float
    position: Array
    velocity: Array
    effort: Array


@dataclass(frozen=True)
class SensorSettings:
    """Imperfections of the sensors; none by default.

    Attributes:
        position_noise: Standard deviation, rad or m.
        velocity_noise: Standard deviation, rad/s or m/s.
        effort_noise: Standard deviation, N m or N.
        position_resolution: Size of a count, rad or m; 0 for none.
        velocity_resolution: Size of a count, rad/s or m/s; 0 for none.
        effort_resolution: Size of a count, N m or N; 0 for none.
        delay: Age of a sample when it comes out, s.
        dropout: Share of samples that are lost, 0 to 1.
        seed: Of the random numbers; the same seed gives the same samples.
    """

    position_noise: float = 0.0
    velocity_noise: float = 0.0
    effort_noise: float = 0.0
    position_resolution: float = 0.0
    velocity_resolution: float = 0.0
    effort_resolution: float = 0.0
    delay: float = 0.0
    dropout: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise ArgumentError(f"SensorSettings: {name} is {value}; expected 0 or more")
        if self.dropout > 1.0:
            raise ArgumentError(f"SensorSettings: dropout is {self.dropout}; expected 0 to 1")


class Sensors:
    """Turns true states into samples.

    Args:
        settings: The imperfections.
    """

    def __init__(self, settings: SensorSettings = SensorSettings()) -> None:
        self.settings = settings
        self._perfect = settings == SensorSettings(seed=settings.seed)
        self.reset()

    def reset(self) -> None:
        """Forget samples on their way and start the random numbers anew."""
        self._random = np.random.Generator(np.random.PCG64(self.settings.seed))
        self._on_the_way: deque[Measurement] = deque()

    def measure(
        self, time: float, position: Array, velocity: Array, effort: Array
    ) -> Measurement | None:
        """Take a sample now, and give the newest one that is due.

        Args:
            time: Now, s; never decreasing.
            position: True positions, (n,).
            velocity: True velocities, (n,).
            effort: True efforts, (n,).

        Returns:
            A new sample, or None if none is due or it was lost.
        """
        if self._perfect:
            return Measurement(time, position.copy(), velocity.copy(), effort.copy())
        s = self.settings
        sample = Measurement(
            time,
            self._seen(position, s.position_noise, s.position_resolution),
            self._seen(velocity, s.velocity_noise, s.velocity_resolution),
            self._seen(effort, s.effort_noise, s.effort_resolution),
        )
        if s.dropout > 0.0 and self._random.random() < s.dropout:
            return self._due(time)
        self._on_the_way.append(sample)
        return self._due(time)

    def _due(self, time: float) -> Measurement | None:
        due = None
        # Half a nanosecond of slack: a delay of whole steps must not depend on rounding.
        while self._on_the_way and self._on_the_way[0].time + self.settings.delay <= time + 5e-10:
            due = self._on_the_way.popleft()
        return due

    def _seen(self, true: Array, noise: float, resolution: float) -> Array:
        seen = np.array(true, dtype=np.float64)
        if noise > 0.0:
            seen += noise * self._random.standard_normal(seen.shape)
        if resolution > 0.0:
            seen = np.round(seen / resolution) * resolution
        return seen
