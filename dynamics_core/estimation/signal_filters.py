"""Small filters of signals with several channels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["LowPass", "soft_deadband"]

Array = npt.NDArray[np.float64]


class LowPass:
    """First-order low-pass filter, exact for inputs that hold between samples.

    Args:
        cutoff: Frequency at which the gain is 1 / sqrt(2), Hz; 0 lets everything through.
    """

    def __init__(self, cutoff: float) -> None:
        if not (math.isfinite(cutoff) and cutoff >= 0.0):
            raise ArgumentError(f"cutoff is {cutoff} Hz; expected 0 or more")
        self.cutoff = cutoff
        self._value: Array | None = None

    def reset(self) -> None:
        """Forget the past: the next value passes unchanged."""
        self._value = None

    def step(self, value: Array, dt: float) -> Array:
        """Filter a value that came dt seconds after the last one."""
        if self._value is None or self.cutoff == 0.0:
            self._value = np.array(value, dtype=np.float64)
        else:
            blend = -math.expm1(-2.0 * math.pi * self.cutoff * max(dt, 0.0))
            self._value = self._value + blend * (value - self._value)
        return self._value


def soft_deadband(value: Array, width: Array) -> Array:
    """Zero within the width of zero, moved towards zero by it outside: no step at the edge."""
    return np.sign(value) * np.maximum(np.abs(value) - width, 0.0)
