"""What ``forward_dynamics_sim`` publishes: states, clock, ground truth."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from rclpy.publisher import Publisher
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from dynamics_core.simulation import GroundTruth, Measurement, Simulator

from .audience import Audience
from .base import DynamicsNode
from .qos import LATEST, QUEUE
from .sim_recorder import Recorder
from .wire import MessageWriter, marks

__all__ = ["SimOutput", "doubles", "to_time"]


def doubles(values: npt.NDArray[np.float64]) -> array[float]:
    """A float64 array as the type that message fields take without looking at every entry."""
    return array("d", np.ascontiguousarray(values).tobytes())


def to_time(nanoseconds: int) -> Time:
    """A time message."""
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


class SimOutput:
    """The publishers of the simulator, with their messages made beforehand.

    Args:
        node: The node that publishes.
        simulator: What it simulates.
        hidden: Joints that are not reported.
        clock: Whether to publish /clock.
        recorder: Records what is published; None for nothing.
    """

    def __init__(
        self,
        node: DynamicsNode,
        simulator: Simulator,
        hidden: Sequence[str],
        clock: bool,
        recorder: Recorder | None = None,
    ) -> None:
        self._node, self._simulator, self._recorder = node, simulator, recorder
        names = simulator.state_names
        shown = [k for k, n in enumerate(names) if n not in hidden]
        #: Which joints are reported; a slice if all are, which takes no time.
        self._shown = slice(None) if len(shown) == len(names) else np.array(shown, dtype=np.intp)
        self._states = node.advertise(JointState, "joint_states", LATEST)
        places = [marks(len(shown)) for _ in range(3)]
        self._state = MessageWriter(
            JointState(
                name=[names[k] for k in shown],
                position=places[0],
                velocity=places[1],
                effort=places[2],
            )
        )
        self._position, self._velocity, self._effort = map(self._state.numbers, places)
        self._clock = node.advertise(Clock, "/clock", LATEST) if clock else None
        self._clock_message = MessageWriter(Clock())
        truth = "~/ground_truth/"
        self._true_states = node.advertise(JointState, truth + "joint_states", LATEST)
        self._external = node.advertise(JointState, truth + "external_torque", LATEST)
        self._wrench = node.advertise(WrenchStamped, truth + "wrench", QUEUE)
        self._audience = Audience(self._true_states, self._external, self._wrench)
        self._publishers = [
            p
            for p in (self._states, self._clock, self._true_states, self._external, self._wrench)
            if p is not None
        ]

    def sample(self, sample: Measurement, stamp: int) -> None:
        """Publish a sample of the sensors; ``stamp`` in ns."""
        shown = self._shown
        self._position[:] = sample.position[shown]
        self._velocity[:] = sample.velocity[shown]
        self._effort[:] = sample.effort[shown]
        self._state.stamp(*divmod(stamp, 1_000_000_000))
        self._send(self._states, self._state.data(), stamp)

    def clock(self, stamp: int) -> None:
        """Publish /clock, if that is wanted; ``stamp`` in ns."""
        if self._clock is not None:
            self._clock_message.stamp(*divmod(stamp, 1_000_000_000))
            self._send(self._clock, self._clock_message.data(), stamp)

    @property
    def truth_wanted(self) -> bool:
        """Whether somebody listens to the ground truth, or it is recorded."""
        return self._recorder is not None or self._audience.present

    def ground_truth(self, truth: GroundTruth, stamp: int) -> None:
        """Publish what no sensor tells; ``stamp`` in ns."""
        time = to_time(stamp)
        q, v = self._simulator.joint_values(truth.q, truth.v)
        names = list(self._simulator.state_names)
        n = len(self._simulator.joint_names)
        state = JointState(name=names, position=doubles(q), velocity=doubles(v))
        state.header.stamp = time
        index = self._simulator.v_index
        effort = np.zeros(len(names))
        effort[:n] = truth.drive[index]
        state.effort = doubles(effort)
        self._send(self._true_states, state, stamp)
        external = JointState(name=names[:n], effort=doubles(truth.external[index]))
        external.header.stamp = time
        self._send(self._external, external, stamp)
        for frame, wrench in truth.wrenches.items():
            message = WrenchStamped()
            message.header.stamp, message.header.frame_id = time, frame
            force, torque = message.wrench.force, message.wrench.torque
            force.x, force.y, force.z, torque.x, torque.y, torque.z = map(float, wrench)
            self._send(self._wrench, message, stamp)

    def _send(self, publisher: Publisher, message: Any, stamp: int) -> None:
        publisher.publish(message)
        if self._recorder is not None:
            self._recorder.write(publisher.topic_name, publisher.msg_type, message, stamp)

    def destroy(self) -> None:
        """End all publishers."""
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)
