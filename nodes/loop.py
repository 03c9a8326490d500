"""Deadlines at a fixed rate, and how well they are kept."""

from __future__ import annotations

import time
from dataclasses import dataclass

__all__ = ["LoopReport", "LoopTimer", "monotonic"]


@dataclass
class LoopReport:
    """How a loop did since the last report.

    Attributes:
        rate: Cycles a second.
        worst_cycle: Longest time between the starts of two cycles, s.
        worst_work: Longest time one cycle took, s.
        missed: Deadlines passed by more than a whole period.
    """

    rate: float
    worst_cycle: float
    worst_work: float
    missed: int


class LoopTimer:
    """Deadlines at a fixed rate and statistics of how they are kept.

    Time is given by the caller, in seconds, so that it can be wall or simulated time.
    """

    def __init__(self, rate: float, now: float) -> None:
        self.period = 1.0 / rate
        self.deadline = now
        self._last_start: float | None = None
        self.total_missed = 0
        self._reset(now)

    def _reset(self, now: float) -> None:
        self._since, self._cycles, self._missed = now, 0, 0
        self._worst_cycle = self._worst_work = 0.0

    def restart(self, now: float) -> None:
        """Start anew: the next cycle is due now."""
        self.deadline, self._last_start = now, None

    def begin(self, now: float) -> float:
        """A cycle starts; return the time since the last one began, the period at first, s."""
        elapsed = self.period if self._last_start is None else now - self._last_start
        if self._last_start is not None:
            self._worst_cycle = max(self._worst_cycle, elapsed)
        self._last_start = now
        self._cycles += 1
        late = int((now - self.deadline) / self.period)
        if late > 0:
            self._missed += late
            self.total_missed += late
        # Deadlines that have passed are dropped: a burst of cycles would serve nobody.
        self.deadline += self.period * (max(late, 0) + 1)
        return elapsed

    def end(self, work: float) -> None:
        """A cycle ends that took ``work`` seconds."""
        self._worst_work = max(self._worst_work, work)

    def report(self, now: float) -> LoopReport:
        """Statistics since the last report."""
        rate = self._cycles / max(now - self._since, 1e-9)
        report = LoopReport(rate, self._worst_cycle, self._worst_work, self._missed)
        self._reset(now)
        return report


def monotonic() -> float:
    """Wall time that never jumps, s."""
    return time.monotonic()
