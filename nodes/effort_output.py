"""Efforts as messages, made once and filled again every cycle."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from builtin_interfaces.msg import Time
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from .base import DynamicsNode
from .qos import LATEST

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
        self._message = Float64MultiArray(data=array("d", [0.0] * len(joints)))
        self._data = np.frombuffer(self._message.data)
        self._publisher = node.advertise(Float64MultiArray, topic, LATEST)

    def publish(self, efforts: Array) -> None:
        """Send efforts, (n,), N m or N; refuses what is not finite."""
        if not np.isfinite(efforts).all():
            raise ValueError(f"an effort is not finite: {efforts}")
        self._data[:] = efforts
        self._publisher.publish(self._message)

    def flush(self, timeout: float = 0.3) -> None:
        """Wait until every subscriber has the last efforts, s."""
        self._publisher.wait_for_all_acked(Duration(seconds=timeout))

    def destroy(self) -> None:
        """End the publisher."""
        self._node.destroy_publisher(self._publisher)


class JointEfforts:
    """Efforts as JointState: by name, for topic-based hardware and for people.

    Args:
        node: The node that says them.
        joints: The joints, in the order of the arrays given.
        topic: Topic name.
    """

    def __init__(self, node: DynamicsNode, joints: Sequence[str], topic: str) -> None:
        self._node = node
        self._message = JointState(name=list(joints), effort=array("d", [0.0] * len(joints)))
        self._effort = np.frombuffer(self._message.effort)
        self._publisher = node.advertise(JointState, topic, LATEST)

    def publish(self, efforts: Array, stamp: Time) -> None:
        """Send efforts, (n,), N m or N; refuses what is not finite."""
        if not np.isfinite(efforts).all():
            raise ValueError(f"an effort is not finite: {efforts}")
        self._effort[:] = efforts
        self._message.header.stamp = stamp
        self._publisher.publish(self._message)

    def destroy(self) -> None:
        """End the publisher."""
        self._node.destroy_publisher(self._publisher)
