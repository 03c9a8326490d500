"""What commands a simulated robot and hears its states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import WrenchStamped
from ros.peer import Peer
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

__all__ = ["EVERY_STATE", "SIMULATOR", "Client", "is_finite", "nanoseconds"]

SIMULATOR = "forward_dynamics_sim"

#: Parameters of a simulator with which none of its states is lost on a slow listener.
EVERY_STATE = {"qos_overrides./joint_states.publisher.depth": 10_000}


class Client(Peer):
    """Commands a simulator, which holds each command when the call returns."""

    def __init__(self, domain: int, namespace: str = "") -> None:
        super().__init__(domain, SIMULATOR, namespace)
        self.states: list[JointState] = []
        self.hear(JointState, "joint_states", self.states.append)
        self._efforts = self.node.create_publisher(Float64MultiArray, "effort_commands", 1)
        self._targets = self.node.create_publisher(JointState, "joint_commands", 1)
        self._wrenches = self.node.create_publisher(WrenchStamped, "external_wrench", 1)

    def ready(self, paused: bool = False) -> None:
        """Wait until the simulator hears and is heard."""
        topics = (self._efforts, self._targets, self._wrenches)
        self.until(
            lambda: all(p.get_subscription_count() for p in topics), "the simulator's subscriptions"
        )
        self.be_known()
        if not paused:
            self.next_state()

    def next_state(self) -> JointState:
        """A state that is heard from now on."""
        count = len(self.states)
        self.until(lambda: len(self.states) > count, "a joint state")
        return self.states[-1]

    def effort(self, values: Sequence[float]) -> None:
        """Command efforts in order."""
        self.deliver(self._efforts, Float64MultiArray(data=[float(x) for x in values]))

    def target(self, names: Sequence[str], **fields: Sequence[float]) -> None:
        """Command by name: position, velocity, effort."""
        message = JointState(name=list(names))
        for field, values in fields.items():
            setattr(message, field, [float(x) for x in values])
        self.deliver(self._targets, message)

    def push(self, frame: str, force: Sequence[float], torque: Sequence[float] = (0, 0, 0)) -> None:
        """Push a link."""
        message = WrenchStamped()
        message.header.frame_id = frame
        f, t = message.wrench.force, message.wrench.torque
        f.x, f.y, f.z = map(float, force)
        t.x, t.y, t.z = map(float, torque)
        self.deliver(self._wrenches, message)

    def trigger(self, service: str) -> Trigger.Response:
        """Call ~/reset or ~/step."""
        return self.call(Trigger, service, Trigger.Request())

    def pause(self, on: bool) -> SetBool.Response:
        """Call ~/pause."""
        return self.call(SetBool, "pause", SetBool.Request(data=on))


def is_finite(message: JointState) -> bool:
    """Whether all arrays of a state are complete and finite."""
    n = len(message.name)
    arrays = (message.position, message.velocity, message.effort)
    return all(len(a) == n and all(map(math.isfinite, a)) for a in arrays)


def nanoseconds(stamp: Any) -> int:
    """A stamp as one number."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec
