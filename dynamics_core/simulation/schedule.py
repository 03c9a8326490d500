"""Inputs of a simulation over time: held, or one row for each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .physics import Array

__all__ = ["Schedule"]


@dataclass(frozen=True)
class Schedule:
    """Values of one input.

    Attributes:
        values: (size,) or (N, size), held; with an axis of time (T, size) or (N, T, size).
        varying: Whether there is an axis of time.
    """

    values: Array
    varying: bool = False

    @staticmethod
    def of(
        name: str, values: npt.ArrayLike, rows: tuple[int, ...], times: int, size: int
    ) -> Schedule:
        """Tell from its shape what an array means; a single number is held in every entry.

        Args:
            name: What to call it in an error.
            values: The array. With N rows and N times, (N, size) has a row for each robot.
            rows: Shape of the batch, () or (N,).
            times: Number of steps.
            size: Length of the last axis.

        Raises:
            ArgumentError: The shape fits neither way.
        """
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0:
            return Schedule(np.full(size, array))
        lead, last = array.shape[:-1], array.shape[-1]
        if last == size and lead in ((), rows):
            return Schedule(array)
        if last == size and lead in ((times,), (*rows, times)):
            return Schedule(array, varying=True)
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected {(*rows, size)} for all the time, or "
            f"{(*rows, times, size)} for each step"
        )

    def at(self, step: int) -> Array:
        """Values for one step, (size,) or (N, size)."""
        return self.values[..., step, :] if self.varying else self.values


def rows_of(values: npt.ArrayLike, rows: list[int], n: int) -> npt.ArrayLike:
    """The rows of some of n robots; what all robots share stays."""
    array = np.asarray(values, dtype=np.float64)
    return array[rows] if array.ndim > 1 and len(array) == n else array
