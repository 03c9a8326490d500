"""The robot's side of a control node: joint states out, commands in."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lifecycle_msgs.srv import ChangeState
from rclpy.time import Time
from ros.node_process import ARM
from ros.peer import Peer
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool

from dynamics_core import Robot

__all__ = ["EVERY_COMMAND", "RATE", "RobotSide"]

#: Rate of the nodes under test, Hz.
RATE = 200.0

#: Parameters of a node with which none of its commands is lost on a slow listener.
EVERY_COMMAND = {"qos_overrides./effort_commands.publisher.depth": 10_000}


class RobotSide(Peer):
    """What a robot does on topics: it says its state and hears its commands."""

    def __init__(self, domain: int, node: str, namespace: str = "") -> None:
        super().__init__(domain, node, namespace)
        self.robot = Robot.from_urdf(ARM)
        self.q, self.v = np.array([0.6, 0.9]), np.zeros(2)
        self.effort: Sequence[float] = ()
        #: Whether it says its state.
        self.streaming = False
        self.make: Callable[[], JointState] = self.state
        #: Simulated time, s, said with every state; None where the node follows wall time.
        self.time: float | None = None
        self.commands: list[list[float]] = []
        self._last = time.monotonic()
        self._states = self.node.create_publisher(JointState, "joint_states", 1)
        self._clock = self.node.create_publisher(Clock, "/clock", 1)
        self.hear(Float64MultiArray, "effort_commands", lambda m: self.commands.append([*m.data]))

    def move(self) -> None:
        """Obey from now on: a period for each command, but for those passed over by newer ones.

        So it never runs ahead of a slow node, nor does a slow robot obey what is long out of date.
        """
        self.hear(Float64MultiArray, "effort_commands", self._move, depth=1)

    def _move(self, message: Float64MultiArray, steps: int = 10) -> None:
        tau, dt = np.array(message.data), 1.0 / RATE / steps
        for _ in range(steps):
            self.v = self.v + dt * self.robot.forward_dynamics(self.q, self.v, tau)
            self.q = self.q + dt * self.v

    def state(self) -> JointState:
        """The state in an order that is not the robot's, with a joint that is not its own."""
        message = JointState(name=["finger", "joint_2", "joint_1"])
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.position = [9.0, *self.q[::-1].tolist()]
        message.velocity = [9.0, *self.v[::-1].tolist()]
        if len(self.effort):
            message.effort = [9.0, *np.asarray(self.effort)[::-1].tolist()]
        return message

    def serve(self) -> None:
        """Say the state if it is due, hear one message."""
        now = time.monotonic()
        if self.streaming and now - self._last >= 0.004:
            self._last = now
            self._states.publish(self.make())
            if self.time is not None:
                self._clock.publish(Clock(clock=Time(seconds=self.time).to_msg()))
        super().serve()

    def until_commanded(self, effort: Sequence[float], tolerance: float = 1e-6) -> None:
        """Serve until a command that is heard from now on equals an effort."""
        self.commands.clear()
        self.until(
            lambda: self.commands and np.allclose(self.commands[-1], effort, atol=tolerance),
            f"the command {np.asarray(effort)}",
        )

    def until_silent(self, seconds: float = 0.5) -> None:
        """Serve until no command has come for a while."""
        self.until_quiet(self.commands, seconds)

    def gravity(self) -> np.ndarray:
        """g(q) at the present position."""
        return self.robot.gravity_torque(self.q)

    def ask(self, transition: int) -> None:
        """Ask for a lifecycle transition without waiting for the answer."""
        request = ChangeState.Request()
        request.transition.id = transition
        self.client(ChangeState, "change_state").call_async(request)

    def change_state(self, transition: int) -> bool:
        """Ask for a lifecycle transition."""
        request = ChangeState.Request()
        request.transition.id = transition
        return bool(self.call(ChangeState, "change_state", request).success)

    def enable(self, on: bool) -> Any:
        """Call ~/enable."""
        return self.call(SetBool, "enable", SetBool.Request(data=on))

    def all_finite(self) -> bool:
        """Whether every command heard was complete and finite."""
        return all(len(c) == 2 and all(map(math.isfinite, c)) for c in self.commands)
