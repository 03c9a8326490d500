"""Several simulated robots on one clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy.typing as npt

from ..errors import ArgumentError, UnknownNameError
from .sensors import Measurement
from .simulator import Simulator

__all__ = ["Scene"]


class Scene:
    """Robots that move side by side, step by step at the same times. They do not touch.

    A robot's place in the world matters through gravity alone: turn it with
    :meth:`~dynamics_core.Robot.with_gravity` for a base that does not stand upright.

    Args:
        robots: Simulated robots by name, all with the same period.

    Raises:
        ArgumentError: No robot, or periods that differ.
    """

    def __init__(self, robots: Mapping[str, Simulator]) -> None:
        self._robots = dict(robots)
        periods = {name: one.period for name, one in self._robots.items()}
        if not periods:
            raise ArgumentError("Scene: there is no robot")
        if max(periods.values()) - min(periods.values()) > 1e-12:
            raise ArgumentError(f"Scene: the robots have different periods: {periods} s")
        self.period = next(iter(periods.values()))
        self._steps = 0

    def __getitem__(self, name: str) -> Simulator:
        try:
            return self._robots[name]
        except KeyError:
            raise UnknownNameError("robot", name, self._robots, "scene") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._robots)

    def __len__(self) -> int:
        return len(self._robots)

    @property
    def time(self) -> float:
        """Simulated time since the start or the latest reset, s."""
        return self._steps * self.period

    def step(self) -> dict[str, Measurement | None]:
        """Advance every robot by one period; give each one's newest sample, if one is due."""
        self._steps += 1
        return {name: robot.step() for name, robot in self._robots.items()}

    def reset(self, states: Mapping[str, npt.ArrayLike] | None = None) -> None:
        """Put every robot into a state and the clock to zero.

        Args:
            states: Position of each robot, (nq,); its neutral one where none is given.

        Raises:
            UnknownNameError: No such robot; nothing is changed.
            ArgumentError: A position that its robot cannot take.
        """
        given = dict(states or {})
        for name in given:
            _ = self[name]
        for name, robot in self._robots.items():
            robot.reset(given.get(name))
        self._steps = 0
