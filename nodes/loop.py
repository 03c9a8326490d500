"""A loop at a fixed rate, and how well it keeps it.

The loop owns the thread: it waits until the next deadline or request, whichever comes first, and
runs one cycle. Fast inputs are polled by the cycle itself (:class:`PolledSubscription`), because
waking an executor for each message costs more than the control law; what is rare comes through
:class:`~dynamics_nodes.requests.Requests`.
"""

from __future__ import annotations

import copy
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

__all__ = [
    "COUNT_PERIOD",
    "POLLED",
    "LoopReport",
    "LoopTimer",
    "PolledSubscription",
    "monotonic",
    "wait_for_message",
]


class _Polled(CallbackGroup):
    """A callback group that no executor serves."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        return None


#: How often publishers and subscribers are counted, s: who comes waits no longer than this.
COUNT_PERIOD = 0.1

#: For subscriptions that their owner reads.
POLLED = _Polled()


class PolledSubscription:
    """A subscription that is read when its owner wants to, without an executor.

    Args:
        node: Node that subscribes.
        kind: Message type.
        topic: Topic name.
        qos: Quality of service; overridable by parameters ``qos_overrides.<topic>...``.
        raw: Whether messages are given as bytes, as :mod:`.wire` takes them.
    """

    def __init__(
        self, node: Node, kind: Any, topic: str, qos: QoSProfile, raw: bool = False
    ) -> None:
        self._node, self._kind, self._raw = node, kind, raw
        # A copy, since rclpy writes what parameters override into the profile given.
        self.subscription: Subscription = node.create_subscription(
            kind,
            topic,
            self._unused,
            copy.copy(qos),
            callback_group=POLLED,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._handle = self.subscription.handle
        self._depth = max(1, self.subscription.qos_profile.depth)
        #: The resolved topic name.
        self.topic = str(self.subscription.topic_name)
        self._counted, self._published = -float("inf"), False

    @property
    def publishers(self) -> int:
        """How many publishers the topic has now."""
        return int(self._node.count_publishers(self.topic))

    @property
    def quiet(self) -> bool:
        """Whether the topic need not be read now, because nobody publishes on it.

        Publishers are counted now and then. The topic has to be read then whatever their number,
        lest the message of one who came and went turns up much later.
        """
        now = monotonic()
        if now - self._counted > COUNT_PERIOD:
            self._counted, self._published = now, self.subscription.get_publisher_count() > 0
            return False
        return not self._published

    def take(self) -> Any | None:
        """The next message, or None."""
        try:
            with self._handle:
                taken = self._handle.take_message(self._kind, self._raw)
        except InvalidHandle:
            return None
        return None if taken is None else taken[0]

    def take_all(self, limit: int | None = None) -> list[Any]:
        """The messages waiting, oldest first, by default as many as the queue can hold."""
        messages: list[Any] = []
        while len(messages) < (limit or self._depth) and (message := self.take()) is not None:
            messages.append(message)
        return messages

    def destroy(self) -> None:
        """End the subscription."""
        self._node.destroy_subscription(self.subscription)

    @staticmethod
    def _unused(message: Any) -> None:
        """Never called: nothing executes this subscription."""


def wait_for_message(node: Node, timeout: float, *subscriptions: Subscription) -> bool:
    """Sleep until one of some polled subscriptions has a message.

    Args:
        node: Their node.
        timeout: Longest time to wait, s.
        subscriptions: The subscriptions.

    Returns:
        Whether there is a message.
    """
    with ExitStack() as held, node.context.handle:
        wait_set = rclpy_implementation.WaitSet(
            len(subscriptions), 0, 0, 0, 0, 0, node.context.handle
        )
        held.enter_context(wait_set)
        wait_set.clear_entities()
        for subscription in subscriptions:
            held.enter_context(subscription.handle)
            wait_set.add_subscription(subscription.handle)
        wait_set.wait(max(0, round(timeout * 1e9)))
        return bool(wait_set.get_ready_entities("subscription"))


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
