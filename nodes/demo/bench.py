"""The operator of the demonstration: a ROS node that commands the others and records them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import rclpy
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ..polling import PolledSubscription
from .motion import Motion
from .processes import DemoError
from .recording import JointTrack, LoopRecord, WrenchTrack

__all__ = ["Bench"]

#: Enough for a process that the scheduler left alone for a moment.
_DEEP = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)

#: How often recorded topics are read, s: long before their queues are full.
_POLL_PERIOD = 0.01

#: How often a push is repeated, s: the simulated robot drops one that is not.
_PUSH_PERIOD = 0.02


class Bench:
    """Commands the nodes and records what they say.

    Args:
        namespace: That of the nodes.
        joints: The joints recorded, in the order of the recordings.
        check: Called while waiting; raises when there is nothing left to wait for.
        simulated_time: Whether to follow /clock.
    """

    def __init__(
        self,
        namespace: str,
        joints: Sequence[str],
        check: Callable[[], None],
        simulated_time: bool = False,
    ) -> None:
        self._joints, self._check = tuple(joints), check
        self._states: list[JointState] = []
        self._wrenches: list[WrenchStamped] = []
        self._loops: dict[str, list[Mapping[str, str]]] = {}
        # Signals end the demonstration, which ends this; rclpy would end it in the midst of a call.
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        clock = [Parameter("use_sim_time", value=simulated_time)]
        self._node = Node("demo_operator", namespace=namespace, parameter_overrides=clock)
        node = self._node
        # Polled, because an executor takes longer to wake than it takes to store a message.
        self._fast = (
            (PolledSubscription(node, JointState, "joint_states", _DEEP), self._states),
            (
                PolledSubscription(node, WrenchStamped, "external_wrench_estimator/wrench", _DEEP),
                self._wrenches,
            ),
        )
        node.create_subscription(DiagnosticArray, "/diagnostics", self._hear_diagnostics, _DEEP)
        self._trajectory = node.create_publisher(JointTrajectory, "joint_trajectory", _DEEP)
        self._push = node.create_publisher(WrenchStamped, "external_wrench", _DEEP)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave ROS."""
        self._closing.set()
        self._thread.join(timeout=2.0)
        for subscription, _ in self._fast:
            subscription.destroy()
        self._executor.shutdown(timeout_sec=1.0)
        self._node.destroy_node()
        rclpy.try_shutdown()

    def _spin(self) -> None:
        # Not spin(), which another thread cannot end without pulling handles from under it.
        with suppress(ExternalShutdownException):
            while not self._closing.is_set():
                self._executor.spin_once(timeout_sec=_POLL_PERIOD)
                for subscription, heard in self._fast:
                    heard.extend(subscription.take_all(_DEEP.depth))

    # Time ----------------------------------------------------------------------------------

    def now(self) -> float:
        """The time of stamps, s."""
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def wait(self, duration: float, tick: Callable[[float], None] = lambda share: None) -> None:
        """Wait on the clock of stamps, s; ``tick`` is told the share that has passed.

        Raises:
            DemoError: Simulated time does not go on.
        """
        end, latest, since = self.now() + duration, self.now(), time.monotonic()
        while (left := end - self.now()) > 0.0:
            self._check()
            tick(1.0 - left / duration)
            time.sleep(min(0.05, left))
            if self.now() != latest:
                latest, since = self.now(), time.monotonic()
            elif time.monotonic() - since > 10.0:
                raise DemoError("simulated time has stood still for 10 s")
        tick(1.0)

    def wait_for(self, what: str, condition: Callable[[], bool], timeout: float) -> None:
        """Wait until a condition holds; :class:`DemoError` naming it after the timeout, s."""
        end = time.monotonic() + timeout
        while not condition():
            self._check()
            if time.monotonic() > end:
                raise DemoError(f"waited {timeout:g} s in vain for {what}")
            time.sleep(0.02)

    # Commands ------------------------------------------------------------------------------

    def enable(self, node: str, enabled: bool) -> None:
        """Give a controller the robot, or take it away."""
        reply = self._call(SetBool, f"{node}/enable", SetBool.Request(data=enabled))
        if not reply.success:
            raise DemoError(f"{node} refuses ~/enable {enabled}: {reply.message}")

    def set_parameters(self, node: str, values: Mapping[str, Any]) -> None:
        """Set parameters of a node, all or none."""
        request = SetParametersAtomically.Request()
        request.parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
        reply = self._call(SetParametersAtomically, f"{node}/set_parameters_atomically", request)
        if not reply.result.successful:
            raise DemoError(f"{node} refuses parameters {dict(values)}: {reply.result.reason}")

    def follow(self, motion: Motion, start: float) -> None:
        """Send a motion that starts at a time of stamps, s."""
        message = JointTrajectory(joint_names=list(self._joints))
        message.header.stamp = _stamp(start)
        zeros = [0.0] * len(self._joints)
        for at, pose in zip(motion.times, motion.poses, strict=True):
            seconds = int(at)
            message.points.append(
                JointTrajectoryPoint(
                    positions=list(pose),
                    velocities=zeros,
                    accelerations=zeros,
                    time_from_start=Duration(sec=seconds, nanosec=round((at - seconds) * 1e9)),
                )
            )
        self._trajectory.publish(message)

    @contextmanager
    def pushing(self, frame: str, wrench: npt.ArrayLike) -> Iterator[None]:
        """Push a link with a force, N, and a moment, N m, in its axes, for a while."""
        message = WrenchStamped()
        message.header.frame_id = frame
        force, torque = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, torque.x, torque.y, torque.z = map(float, np.asarray(wrench))

        def repeat() -> None:
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._push.publish(message)

        timer = self._node.create_timer(_PUSH_PERIOD, repeat)
        try:
            yield
        finally:
            self._node.destroy_timer(timer)
            force.x = force.y = force.z = torque.x = torque.y = torque.z = 0.0
            repeat()

    def _call(self, kind: Any, name: str, request: Any) -> Any:
        client = self._node.create_client(kind, name)
        try:
            self.wait_for(f"service {name}", client.service_is_ready, 10.0)
            future = client.call_async(request)
            self.wait_for(f"an answer of {name}", future.done, 10.0)
            return future.result()
        finally:
            self._node.destroy_client(client)

    # Recordings ----------------------------------------------------------------------------

    @property
    def heard_states(self) -> int:
        """How many joint states have come."""
        return len(self._states)

    @property
    def heard_wrenches(self) -> int:
        """How many estimates have come."""
        return len(self._wrenches)

    @property
    def heard_loops(self) -> set[str]:
        """The nodes whose loops have reported."""
        return set(self._loops)

    def publishers(self, topic: str) -> int:
        """How many publishers a topic has."""
        return int(self._node.count_publishers(topic))

    def states(self, start: float, end: float) -> JointTrack:
        """The joint states from ``start`` to ``end``, s, by their stamps."""
        messages = [m for m in tuple(self._states) if start <= _seconds(m.header.stamp) <= end]
        n, rows = len(self._joints), len(messages)
        position, effort = np.full((rows, n), math.nan), np.full((rows, n), math.nan)
        for row, message in enumerate(messages):
            place = {name: k for k, name in enumerate(message.name)}
            order = [place[name] for name in self._joints]
            position[row] = np.asarray(message.position)[order]
            effort[row] = np.asarray(message.effort)[order]
        return JointTrack(_times(messages), position, effort)

    def wrenches(self, start: float, end: float) -> WrenchTrack:
        """The estimates from ``start`` to ``end``, s, by their stamps."""
        messages = [m for m in tuple(self._wrenches) if start <= _seconds(m.header.stamp) <= end]
        rows = [
            (w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z)
            for w in (m.wrench for m in messages)
        ]
        return WrenchTrack(_times(messages), np.array(rows).reshape(-1, 6))

    def forget_loops(self) -> None:
        """Forget what the nodes have said of their loops, such as while starting."""
        self._loops.clear()

    def loops(self) -> tuple[LoopRecord, ...]:
        """What each node has said of its loop."""
        return tuple(_loop(node, said) for node, said in sorted(self._loops.items()))

    def _hear_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            path, _, part = status.name.partition(": ")
            namespace, _, node = path.rpartition("/")
            values = {pair.key: pair.value for pair in status.values}
            ours = f"/{namespace}" == self._node.get_namespace()
            if ours and part == "loop" and "rate [Hz]" in values:
                self._loops.setdefault(node, []).append(values)


def _loop(node: str, said: Sequence[Mapping[str, str]]) -> LoopRecord:
    def column(key: str) -> list[float]:
        return [float(values[key]) for values in said]

    return LoopRecord(
        node,
        column("rate wanted [Hz]")[-1],
        float(np.mean(column("rate [Hz]"))),
        1e-3 * max(column("worst cycle [ms]")),
        1e-3 * max(column("worst work [ms]")),
        int(sum(column("missed deadlines"))),
    )


def _times(messages: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([_seconds(m.header.stamp) for m in messages], dtype=np.float64)


def _seconds(stamp: Time) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)


def _stamp(time_: float) -> Time:
    seconds = int(time_)
    return Time(sec=seconds, nanosec=min(999_999_999, round((time_ - seconds) * 1e9)))
