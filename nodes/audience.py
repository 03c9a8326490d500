"""Whether anybody listens: what is of use to people only is not made while nobody does."""

from __future__ import annotations

from rclpy.publisher import Publisher

from .polling import COUNT_PERIOD, NowAndThen

__all__ = ["Audience"]


class Audience:
    """The listeners of some publishers.

    Args:
        publishers: The publishers; one listener of any of them counts.
    """

    def __init__(self, *publishers: Publisher) -> None:
        self._publishers = publishers
        self._count, self._present = NowAndThen(COUNT_PERIOD), False

    @property
    def present(self) -> bool:
        """Whether there is a listener, or was one the last time that was looked up."""
        if self._count.due():
            self._present = any(p.get_subscription_count() for p in self._publishers)
        return self._present
