"""What the trials record, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .motion import Motion

Array = npt.NDArray[np.float64]

__all__ = ["JointTrack", "LoopRecord", "PushTrial", "Recording", "TrackingTrial", "WrenchTrack"]


@dataclass(frozen=True)
class JointTrack:
    """Joint states over time, by the stamps of the simulated robot.

    Attributes:
        time: (m,), s.
        position: (m, n), rad or m.
        effort: (m, n), N m or N.
    """

    time: Array
    position: Array
    effort: Array

    def between(self, start: float, end: float) -> JointTrack:
        """The states from ``start`` to ``end``, s."""
        inside = (self.time >= start) & (self.time <= end)
        return JointTrack(self.time[inside], self.position[inside], self.effort[inside])


@dataclass(frozen=True)
class WrenchTrack:
    """Estimated wrenches over time.

    Attributes:
        time: (m,), s.
        wrench: (m, 6), N and N m.
    """

    time: Array
    wrench: Array

    def between(self, start: float, end: float) -> WrenchTrack:
        """The estimates from ``start`` to ``end``, s."""
        inside = (self.time >= start) & (self.time <= end)
        return WrenchTrack(self.time[inside], self.wrench[inside])


@dataclass(frozen=True)
class TrackingTrial:
    """One run of the fast motion.

    Attributes:
        name: What was in front of the robot.
        start: When the motion started, s.
        motion: The motion wanted.
        track: What the robot did.
    """

    name: str
    start: float
    motion: Motion
    track: JointTrack

    def error(self) -> Array:
        """Wanted less actual position at every state during the motion, (m, n), rad or m."""
        track = self.during()
        return self.motion.position(track.time - self.start) - track.position

    def during(self) -> JointTrack:
        """The states during the motion."""
        return self.track.between(self.start, self.start + self.motion.duration)


@dataclass(frozen=True)
class PushTrial:
    """A push on the tool.

    Attributes:
        frame: The link pushed.
        wrench: What the environment exerted, (6,), N and N m, in the link's axes.
        start: When the push began, s.
        settled: When transients should have died out, s.
        end: When the push ended, s.
        estimate: What the estimator said.
    """

    frame: str
    wrench: Array
    start: float
    settled: float
    end: float
    estimate: WrenchTrack


@dataclass(frozen=True)
class LoopRecord:
    """How a node's loop did, from its diagnostics.

    Attributes:
        node: The node.
        wanted: Rate wanted, Hz.
        rate: Rate over the whole demonstration, Hz.
        worst_cycle: Longest time between the starts of two cycles, s.
        worst_work: Longest time that one cycle took, s.
        missed: Deadlines missed.
    """

    node: str
    wanted: float
    rate: float
    worst_cycle: float
    worst_work: float
    missed: int


@dataclass(frozen=True)
class Recording:
    """Everything that the trials recorded.

    Attributes:
        robot: Name of the robot.
        joints: Its joints.
        effort_limits: (n,), N m or N.
        floating: States while the arm floated.
        runs: The runs of the fast motion by name.
        push: The push.
        loops: How each node's loop did.
        nodes: The nodes that should have reported.
        troubles: What was wrong with how they ended.
        timing: How clocks ran, in words.
    """

    robot: str
    joints: tuple[str, ...]
    effort_limits: Array
    floating: JointTrack
    runs: Mapping[str, TrackingTrial]
    push: PushTrial
    loops: tuple[LoopRecord, ...] = ()
    nodes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    timing: str = ""

    def ended(self, troubles: Sequence[str]) -> Recording:
        """The same recording, once the nodes have ended."""
        return replace(self, troubles=tuple(troubles))

    def largest_drift(self) -> Array:
        """Largest joint displacement since the arm began to float, (m,), rad or m."""
        moved = self.floating.position - self.floating.position[:1]
        return np.asarray(np.abs(moved).max(axis=1))
