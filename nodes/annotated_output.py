"""Annotated trajectories as messages, made a piece at a time."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence

from rclpy.duration import Duration
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynamics_core.control import AnnotatedTrajectory

from .base import DynamicsNode
from .qos import QUEUE

__all__ = ["AnnotatedTrajectories"]

#: How many points are made at once: some tenths of a millisecond, which a loop at 1 kHz can spare.
POINTS_AT_ONCE = 5


class AnnotatedTrajectories:
    """A topic of trajectories with hundreds of points, which no cycle can wait for.

    Args:
        node: The node that says them.
        joints: Names, in the order of the arrays.
        topic: Topic name.
    """

    def __init__(self, node: DynamicsNode, joints: Sequence[str], topic: str) -> None:
        self._node, self._joints = node, list(joints)
        self._publisher = node.advertise(JointTrajectory, topic, QUEUE)
        self._waiting: deque[Iterator[None]] = deque()

    def publish(self, header: Header, dense: AnnotatedTrajectory, strip_effort: bool) -> None:
        """Take a trajectory in; it is published some calls of :meth:`go_on` later."""
        self._waiting.append(self._make(header, dense, strip_effort))

    def go_on(self) -> None:
        """Make a few points of the first trajectory that waits."""
        if self._waiting and next(self._waiting[0], "done"):
            self._waiting.popleft()

    def _make(
        self, header: Header, dense: AnnotatedTrajectory, strip_effort: bool
    ) -> Iterator[None]:
        message = JointTrajectory(header=header, joint_names=self._joints)
        for k, t in enumerate(dense.times):
            point = JointTrajectoryPoint(
                positions=array("d", dense.positions[k]),
                velocities=array("d", dense.velocities[k]),
                accelerations=array("d", dense.accelerations[k]),
                time_from_start=Duration(nanoseconds=round(t * 1e9)).to_msg(),
            )
            if not strip_effort:
                point.effort = array("d", dense.efforts[k])
            message.points.append(point)
            if k % POINTS_AT_ONCE == 0:
                yield
        self._publisher.publish(message)

    def destroy(self) -> None:
        """End the publisher; what waits is dropped."""
        self._waiting.clear()
        self._node.destroy_publisher(self._publisher)
