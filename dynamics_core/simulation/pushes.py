"""Wrenches on any link, carried over to one link of each body.

Code is compiled for a fixed list of pushed frames. With one frame of every body on that list, a
push on any link, whenever it comes, is only numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..robot import Robot
from ..spatial import Force
from .physics import Array

__all__ = ["PushedBodies"]


class PushedBodies:
    """The bodies of a robot as places where it can be pushed.

    Args:
        robot: The robot.

    Attributes:
        frames: One link of every body that has one.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        first: dict[int, str] = {}
        for frame in robot.model.frames:
            if frame.body >= 0:
                first.setdefault(frame.body, frame.name)
        self._place = {body: k for k, body in enumerate(first)}
        self.frames = tuple(first.values())
        self._still = np.zeros(robot.nv)

    def gather(self, pushes: Mapping[str, Array]) -> Array:
        """Wrenches on :attr:`frames`, (6 k,), that do what wrenches on any links do.

        Args:
            pushes: Link to wrench (6,): force and moment about its origin, in its axes. What pushes
                the base moves nothing.
        """
        model = self._robot.model
        total = np.zeros((len(self.frames), 6))
        for name, wrench in pushes.items():
            frame = model.frame(name)
            if frame.body >= 0:
                k = self._place[frame.body]
                shift = model.frame(self.frames[k]).placement.inverse() @ frame.placement
                total[k] += list(shift.force_to_parent(Force.of(map(float, wrench))))
        return total.ravel()

    def joint_torque(self, q: Array, wrenches: Array) -> Array:
        """Joint torques ``J' f`` of wrenches on :attr:`frames`, (nv,), N m or N."""
        if not wrenches.any():
            return self._still.copy()
        inputs = {"q": q, "v": self._still, "a": self._still, "wrenches": wrenches}
        holding = self._robot._evaluate("inverse_dynamics", inputs, {"frames": self.frames})
        return np.asarray(self._robot.gravity_torque(q) - holding)
