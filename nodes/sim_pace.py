"""How simulated time follows wall time."""

from __future__ import annotations

__all__ = ["Pace"]

#: Simulated time that may be owed before it is given up, in wall seconds.
BACKLOG = 0.1

#: The part of a period that may be spent on advancing, so that services are served too.
SHARE = 0.8


class Pace:
    """Says when to advance.

    Wall time and simulated time are given by the caller, in seconds.

    Args:
        factor: Simulated seconds in a wall second; 0 for as fast as possible.
    """

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self._given_up = 0.0
        self._report_from: tuple[float, float] | None = None
        self.restart(0.0, 0.0)

    def restart(self, wall: float, simulated: float) -> None:
        """Count from here."""
        self._wall, self._simulated = wall, simulated
        self._until = wall
        self._report_from = None

    def begin(self, wall: float, simulated: float, period: float) -> None:
        """A cycle starts that may take ``period``."""
        self._until = wall + SHARE * period
        if self._report_from is None:
            self._report_from = (wall, simulated)
        owed = self._wall + (simulated - self._simulated) / self.factor if self.factor else wall
        if wall - owed > BACKLOG:
            self._given_up += (wall - owed) * self.factor
            self._wall, self._simulated = wall, simulated

    def goes_on(self, wall: float, simulated: float) -> bool:
        """Whether to advance to ``simulated`` now."""
        if not self.factor:
            return wall < self._until
        due = self._wall + (simulated - self._simulated) / self.factor
        return due <= wall < self._until

    def report(self, wall: float, simulated: float) -> tuple[float, float]:
        """Factor achieved since the last report, and simulated time given up ever, s."""
        factor = 0.0
        if self._report_from is not None:
            since, then = self._report_from
            factor = (simulated - then) / max(wall - since, 1e-9)
            self._report_from = (wall, simulated)
        return factor, self._given_up
