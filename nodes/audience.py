"""Whether anybody listens: what is of use to people only is not made while nobody does."""

from __future__ import annotations

from rclpy.publisher import Publisher

from .loop import COUNT_PERIOD, monotonic

__all__ = ["Audience"]


class Audience:
    """The listeners of some publishers.

    Args:
        publishers: The publishers; one listener of any of them counts.
    """

    def __init__(self, *publishers: Publisher) -> None:
        self._publishers = publishers
        self._counted, self._present = float("-inf"), False

    @property
    def present(self) -> bool:
        """Whether there is a listener, or was one the last time that was looked up."""
        now = monotonic()
        if now - self._counted > COUNT_PERIOD:
            self._counted = now
            self._present = any(p.get_subscription_count() for p in self._publishers)
        return self._present
