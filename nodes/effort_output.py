"""Efforts as messages, made once and filled again every cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from .audience import Audience
from .base import DynamicsNode
from .qos import LATEST
from .wire import MessageWriter, marks

__all__ = ["EffortCommands", "JointEfforts"]

Array = npt.NDArray[np.float64]


class EffortCommands:
    """Efforts as Float64MultiArray, as ros2_control's effort controllers take them.

    Args:
        node: The node that commands.
        joints: The joints, in the order of the message.
        topic: Topic name.
    """

    def __init__(self, node: DynamicsNode, joints: Sequence[str], topic: str) -> None:
        self._node = node
        places = marks(len(joints))
        self._message = MessageWriter(Float64MultiArray(data=places))
        self._data = self._message.numbers(places)
        self._publisher = node.advertise(Float64MultiArray, topic, LATEST)

    def publish(self, efforts: Array) -> None:
        """Send efforts, (n,), N m or N; refuses what is not finite."""
        _fill(self._data, efforts)
        self._publisher.publish(self._message.data())

    def flush(self, timeout: float = 0.3) -> None:
        """Wait until every subscriber has the last efforts, s."""
        self._publisher.wait_for_all_acked(Duration(seconds=timeout))

    def destroy(self) -> None:
        """End the publisher."""
        self._node.destroy_publisher(self._publisher)


class JointEfforts:
    """Efforts as JointState: by name, for people; sent while somebody listens.

    Args:
        node: The node that says them.
        joints: The joints, in the order of the arrays given.
        topic: Topic name.
    """

    def __init__(self, node: DynamicsNode, joints: Sequence[str], topic: str) -> None:
        self._node = node
        places = marks(len(joints))
        self._message = MessageWriter(JointState(name=list(joints), effort=places))
        self._effort = self._message.numbers(places)
        self._publisher = node.advertise(JointState, topic, LATEST)
        self._audience = Audience(self._publisher)

    @property
    def wanted(self) -> bool:
        """Whether somebody listens."""
        return self._audience.present

    def publish(self, efforts: Array, stamp: tuple[int, int]) -> None:
        """Send efforts, (n,), N m or N, with a stamp in s and ns; refuses what is not finite."""
        if not self.wanted:
            return
        _fill(self._effort, efforts)
        self._message.stamp(*stamp)
        self._publisher.publish(self._message.data())

    def destroy(self) -> None:
        """End the publisher."""
        self._node.destroy_publisher(self._publisher)


def _fill(place: Array, efforts: Array) -> None:
    # A sum is finite only if every part of it is, and takes half the time.
    if not math.isfinite(efforts.sum()):
        raise ValueError(f"an effort is not finite: {efforts}")
    place[:] = efforts
