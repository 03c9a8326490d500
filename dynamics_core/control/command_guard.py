"""The last stage of every command: finite, within limits, without a jump."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["CommandGuard"]

Array = npt.NDArray[np.float64]


class CommandGuard:
    """Keeps commands finite, within limits, and free of jumps where the law changes.

    When the law behind the command changes (enabled, input lost, gains set), :meth:`switch`
    keeps the difference between the last command and what the new law wants, and takes it back
    linearly over the ramp's time. The command is continuous and, after the ramp, exactly the law's.

    Args:
        limits: Largest magnitude of each effort, (n,), N m or N; infinite where unknown.
        rate_limits: Largest change of each effort, (n,), N m/s or N/s; infinite for none.

    Attributes:
        command: The last command, (n,).
        saturated: Which efforts were cut at their limit in the last command, (n,), bool.
        rejected: Which efforts of the last law were not finite, (n,), bool; the last command
            was kept for them.
    """

    def __init__(self, limits: npt.ArrayLike, rate_limits: npt.ArrayLike | None = None) -> None:
        self._limits = _bounds("effort limits", limits)
        n = len(self._limits)
        self._rates = np.full(n, np.inf)
        self.command = np.zeros(n)
        self.saturated = np.zeros(n, dtype=bool)
        self.rejected = np.zeros(n, dtype=bool)
        self._offset = np.zeros(n)
        self._ramp_left = self._ramp_time = 0.0
        self._switching = self._held_back = False
        self.set_limits(self._limits, rate_limits)

    @property
    def ramping(self) -> bool:
        """Whether the command is still on its way to the law's."""
        return self._switching or self._ramp_left > 0.0 or self._held_back

    def set_limits(self, limits: npt.ArrayLike, rate_limits: npt.ArrayLike | None = None) -> None:
        """Change the limits; arguments as for the class."""
        checked = _bounds("effort limits", limits)
        rates = np.full(len(checked), np.inf)
        if rate_limits is not None:
            rates = _bounds("effort rate limits", rate_limits)
        if not len(checked) == len(rates) == len(self.command):
            raise ArgumentError(
                f"{len(checked)} effort limits and {len(rates)} rate limits for "
                f"{len(self.command)} joints"
            )
        self._limits, self._rates = checked, rates
        self._rates_bind = bool(np.isfinite(rates).any())

    def start(self, effort: npt.ArrayLike) -> None:
        """Begin from a known effort, such as the measured one; entries not finite count as 0."""
        given = np.asarray(effort, dtype=np.float64)
        self.command = np.clip(
            np.where(np.isfinite(given), given, 0.0), -self._limits, self._limits
        )

    def switch(self, ramp_time: float) -> None:
        """The law has changed: go over to it from the last command within the ramp's time, s."""
        self._ramp_time = max(float(ramp_time), 0.0)
        self._switching = True

    def apply(self, wanted: npt.ArrayLike, dt: float) -> Array:
        """The command for an effort that a law wants.

        Args:
            wanted: The law's effort, (n,), N m or N.
            dt: Time since the last call, s.

        Returns:
            The command, (n,), N m or N: finite and within the limits. Valid until the next call.
        """
        law = np.array(wanted, dtype=np.float64)
        if law.shape != self.command.shape:
            raise ArgumentError(f"{law.shape} efforts for {len(self.command)} joints")
        self.rejected = ~np.isfinite(law)
        if self.rejected.any():
            law[self.rejected] = self.command[self.rejected]
        if self._switching:
            self._switching = False
            self._offset = self.command - law
            self._ramp_left = self._ramp_time
        self._ramp_left = max(0.0, self._ramp_left - max(dt, 0.0))
        if self._ramp_left > 0.0:
            law += self._offset * (self._ramp_left / self._ramp_time)
        self._held_back = self._rates_bind and self._hold_back(law, dt)
        self.saturated = np.abs(law) > self._limits
        if self.saturated.any():
            np.clip(law, -self._limits, self._limits, out=law)
        self.command = law
        return law

    def _hold_back(self, law: Array, dt: float) -> bool:
        """Keep what the law wants near the last command, in place; say whether that was needed."""
        step = np.full(len(law), np.inf)
        bound = np.isfinite(self._rates)
        step[bound] = self._rates[bound] * max(dt, 0.0)
        near = np.clip(law, self.command - step, self.command + step)
        held_back = bool((near != law).any())
        law[:] = near
        return held_back

    def saturated_names(self, names: Sequence[str]) -> list[str]:
        """Names of the joints whose effort was cut in the last command."""
        return [n for n, cut in zip(names, self.saturated, strict=True) if cut]


def _bounds(what: str, values: npt.ArrayLike) -> Array:
    bounds = np.array(values, dtype=np.float64)
    if bounds.ndim != 1 or np.isnan(bounds).any() or (bounds < 0.0).any():
        raise ArgumentError(f"{what} are {values!r}; expected numbers of 0 or more, one a joint")
    return bounds
