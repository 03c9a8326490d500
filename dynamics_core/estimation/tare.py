"""Taring: the offset of a sensor at rest, taken from its last second."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, DynamicsError

__all__ = ["Tare", "TareError"]

Array = npt.NDArray[np.float64]


class TareError(DynamicsError, RuntimeError):
    """Taring is not possible now; the message says why."""


class Tare:
    """Keeps the last values of a signal and, when asked, takes their mean as its zero.

    A joint torque's offset stems from what the model gets wrong, which depends on the posture:
    tare near the posture of the measurement, and again after a change of payload.

    Args:
        size: Number of channels.
        window: Time over which the mean is taken, s.
        max_speed: Joint speed above which taring is refused, rad/s or m/s.

    Attributes:
        offset: What is subtracted, (size,).
    """

    def __init__(self, size: int, window: float = 0.5, max_speed: float = 0.02) -> None:
        if size < 1 or not window > 0.0 or not max_speed > 0.0:
            raise ArgumentError("size, window and max_speed of a tare must be more than 0")
        self.offset = np.zeros(size)
        self._window, self._max_speed = window, max_speed
        self._samples: deque[tuple[float, Array, float]] = deque()

    def add(self, value: Array, speed: float, now: float) -> Array:
        """Take in a value; return it without the offset.

        Args:
            value: The signal, (size,).
            speed: Largest joint speed, rad/s or m/s.
            now: Time, s.
        """
        self._samples.append((now, np.array(value), speed))
        while self._samples[0][0] < now - self._window:
            self._samples.popleft()
        return np.asarray(value - self.offset)

    def take(self) -> int:
        """Make the mean of the last window the zero; return the number of samples in it.

        Raises:
            TareError: The window is not full yet, or the robot has moved during it.
        """
        if not self._samples or self._span < 0.9 * self._window:
            raise TareError(
                f"only {self._span:.2f} s of measurements; {self._window:g} s are needed"
            )
        fastest = max(speed for _, _, speed in self._samples)
        if fastest > self._max_speed:
            raise TareError(
                f"the robot moved at up to {fastest:.3g} during the last {self._window:g} s; it "
                f"must be slower than {self._max_speed:g}"
            )
        self.offset = np.mean([value for _, value, _ in self._samples], axis=0)
        return len(self._samples)

    def forget(self) -> None:
        """Drop the values kept, as after a gap; the offset stays."""
        self._samples.clear()

    @property
    def _span(self) -> float:
        return self._samples[-1][0] - self._samples[0][0] if self._samples else 0.0
