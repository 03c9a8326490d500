"""Iterative learning control: a motion that is repeated gets better every time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["IterativeLearning"]

Array = npt.NDArray[np.float64]


class IterativeLearning:
    """Learns the torque that repeats of one motion lack: ``u <- Q (u + Lp e + Ld de)``.

    Q is a low-pass filter without delay (a symmetric moving average), which keeps noise and
    frequencies beyond the model's reach from being learnt.

    Args:
        samples: Number of samples of the motion.
        joints: Number of joints.
        position_gain: Lp, N m/rad or N/m; a number or one a joint.
        velocity_gain: Ld, N m s/rad or N s/m; a number or one a joint.
        lead: By how many samples the error is taken ahead of the torque that caused it.
        smoothing: Half width of the filter, samples; 0 for none.
        limit: Largest torque learnt, N m or N; a number or one a joint.

    Attributes:
        torque: What has been learnt, (samples, joints), N m or N: to be added to the command.
        errors: RMS error of every repeat so far.

    Source: Bristow, Tharayil, Alleyne, A survey of iterative learning control, IEEE Control
    Systems Magazine 26 (2006) 96, equation 9.
    """

    def __init__(
        self,
        samples: int,
        joints: int,
        *,
        position_gain: npt.ArrayLike,
        velocity_gain: npt.ArrayLike = 0.0,
        lead: int = 1,
        smoothing: int = 0,
        limit: npt.ArrayLike = np.inf,
    ) -> None:
        if samples < 1 or joints < 1:
            raise ArgumentError(f"{samples} samples of {joints} joints; expected 1 or more of each")
        if not 0 <= lead < samples or smoothing < 0:
            raise ArgumentError(
                f"lead is {lead} and smoothing {smoothing}; expected 0 or more, and less than the "
                f"{samples} samples"
            )
        self._lp, self._ld, self._limit = (
            np.broadcast_to(np.asarray(x, dtype=np.float64), (joints,))
            for x in (position_gain, velocity_gain, limit)
        )
        self._lead, self._smoothing = lead, smoothing
        self.torque = np.zeros((samples, joints))
        self.errors: list[float] = []

    def learn(self, error: npt.ArrayLike, velocity_error: npt.ArrayLike | None = None) -> Array:
        """Take in the error of one repeat; return the torque for the next one.

        Args:
            error: q_d - q of every sample, (samples, joints), rad or m.
            velocity_error: Its rate, (samples, joints); needed where ``velocity_gain`` is set.

        Raises:
            ArgumentError: A wrong shape or a number that is not finite; nothing is learnt.
        """
        e = self._checked("error", error)
        de = np.zeros_like(e)
        if velocity_error is not None:
            de = self._checked("velocity_error", velocity_error)
        elif self._ld.any():
            raise ArgumentError("velocity_gain is set, so velocity_error is needed")
        self.errors.append(float(np.sqrt(np.mean(e**2))))
        # The last samples have nothing ahead of them; they take the last error.
        ahead = np.minimum(np.arange(len(e)) + self._lead, len(e) - 1)
        update = self.torque + self._lp * e[ahead] + self._ld * de[ahead]
        self.torque = np.clip(self._filtered(update), -self._limit, self._limit)
        return self.torque

    def _checked(self, name: str, values: npt.ArrayLike) -> Array:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != self.torque.shape or not np.isfinite(array).all():
            raise ArgumentError(
                f"{name} has shape {array.shape}; expected {self.torque.shape}, all finite"
            )
        return array

    def _filtered(self, values: Array) -> Array:
        if not self._smoothing:
            return values
        width = 2 * self._smoothing + 1
        padded = np.pad(values, ((self._smoothing, self._smoothing), (0, 0)), mode="edge")
        sums = np.cumsum(np.vstack([np.zeros((1, values.shape[1])), padded]), axis=0)
        return np.asarray((sums[width:] - sums[:-width]) / width)
