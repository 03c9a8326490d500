"""What the demonstration does with its arm: poses, motion, push."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .motion import Motion

__all__ = ["PANDA", "Scene"]


@dataclass(frozen=True)
class Scene:
    """An arm and what it is put through.

    Attributes:
        robot: Name of the shipped robot.
        joints: Its joints, in the order of every array here.
        ready: The pose of the trials, (n,), rad.
        motion: The fast motion; starts and ends in ``ready``.
        tool: The link that is pushed.
        push: Force, N, and moment about the tool's origin, N m, in the tool's axes, (6,), that
            the environment exerts.
        float_time: How long the arm floats, s.
        push_time: How long the push lasts, s.
        settle_time: The part of that left for transients, s.
    """

    robot: str
    joints: tuple[str, ...]
    ready: tuple[float, ...]
    motion: Motion
    tool: str
    push: tuple[float, ...]
    float_time: float = 10.0
    push_time: float = 4.0
    settle_time: float = 2.0


_READY = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)

#: Out to the left, across to the right and back, at up to 92 % of a joint's speed limit.
PANDA = Scene(
    robot="panda",
    joints=tuple(f"panda_joint{k}" for k in range(1, 8)),
    ready=_READY,
    motion=Motion(
        (0.0, 1.1, 2.5, 3.5),
        (
            _READY,
            (0.9, -0.2, 0.5, -1.4, 0.6, 1.9, 0.2),
            (-0.6, -0.9, -0.5, -2.3, -0.7, 1.2, 1.4),
            _READY,
        ),
    ),
    tool="tool0",
    push=(6.0, -4.0, 10.0, 0.5, 0.8, -0.3),
)
