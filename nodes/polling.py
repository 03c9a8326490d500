"""Topics that a loop reads by itself.

Waking an executor for each message of a fast topic costs more than the control law. What is rare
comes through :class:`~dynamics_nodes.requests.Requests`.
"""

from __future__ import annotations

import copy
from contextlib import ExitStack
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

from .loop import monotonic

__all__ = ["COUNT_PERIOD", "POLLED", "NowAndThen", "PolledSubscription", "wait_for_message"]


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


class NowAndThen:
    """When to look something up that takes too long to look up in every cycle.

    Args:
        period: Time between two looks, s.
    """

    def __init__(self, period: float) -> None:
        self._period, self._last = period, float("-inf")

    def due(self) -> bool:
        """Whether it is time, which counts as having looked."""
        now = monotonic()
        if now - self._last <= self._period:
            return False
        self._last = now
        return True


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
        self._count, self._published = NowAndThen(COUNT_PERIOD), False

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
        if self._count.due():
            self._published = self.subscription.get_publisher_count() > 0
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
