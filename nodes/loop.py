"""A loop at a fixed rate, and how well it keeps it.

The loop owns the thread: it sleeps until the next deadline, runs one cycle, and now and then lets
the executor serve services and parameters. Fast inputs are polled by the cycle itself
(:class:`PolledSubscription`), because waking an executor for each message costs more than the
control law.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

__all__ = ["LoopReport", "LoopTimer", "PolledSubscription", "monotonic"]


class _Polled(CallbackGroup):
    """A callback group that no executor serves."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        return None


class PolledSubscription:
    """A subscription that is read when its owner wants to, without an executor.

    Args:
        node: Node that subscribes.
        kind: Message type.
        topic: Topic name.
        qos: Quality of service; overridable by parameters ``qos_overrides.<topic>...``.
    """

    def __init__(self, node: Node, kind: Any, topic: str, qos: QoSProfile) -> None:
        self._node, self._kind = node, kind
        self._subscription = node.create_subscription(
            kind,
            topic,
            self._unused,
            qos,
            callback_group=_Polled(),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    @property
    def topic(self) -> str:
        """The resolved topic name."""
        return str(self._subscription.topic_name)

    @property
    def publishers(self) -> int:
        """How many publishers the topic has now."""
        return int(self._node.count_publishers(self.topic))

    def take(self) -> Any | None:
        """The next message, or None."""
        try:
            with self._subscription.handle:
                taken = self._subscription.handle.take_message(self._kind, False)
        except InvalidHandle:
            return None
        return None if taken is None else taken[0]

    def take_all(self, limit: int = 16) -> list[Any]:
        """The messages waiting, oldest first."""
        messages: list[Any] = []
        while len(messages) < limit and (message := self.take()) is not None:
            messages.append(message)
        return messages

    def destroy(self) -> None:
        """End the subscription."""
        self._node.destroy_subscription(self._subscription)

    @staticmethod
    def _unused(message: Any) -> None:
        """Never called: nothing executes this subscription."""


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
