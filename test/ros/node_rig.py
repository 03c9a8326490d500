"""The robot's side of a control node: joint states out, commands in, services called."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from ros.simulator_rig import CHECKOUT, PATIENCE, environment
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool

from dynamics_core import Robot

ARM = str(CHECKOUT / "urdf" / "planar_2r.urdf.xacro")
NAMES = ("joint_1", "joint_2")


class NodeProcess:
    """A node as a process of its own, its output in a file."""

    def __init__(
        self,
        executable: str,
        domain: int,
        folder: Path,
        parameters: Mapping[str, Any],
        namespace: str = "",
    ) -> None:
        self.log = folder / f"{executable}.log"
        file = folder / f"{executable}.yaml"
        file.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}}))
        command = [sys.executable, "-m", f"dynamics_nodes.{executable}", "--ros-args"]
        command += ["--params-file", str(file)]
        if namespace:
            command += ["-r", f"__ns:={namespace}"]
        with self.log.open("w") as output:
            self._process = subprocess.Popen(
                ["timeout", "-k", "5", "120", *command],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(domain, folder),
            )

    @property
    def text(self) -> str:
        """What it has written so far."""
        return self.log.read_text(errors="replace")

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def end(self, number: int = signal.SIGINT) -> int:
        """End it by a signal; return its status."""
        if self.alive:
            self._process.send_signal(number)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        return int(self._process.returncode)


class RobotSide:
    """What a robot does on topics: it says its state and hears its commands.

    Everything runs while the test waits, in :meth:`until`: no threads, no sleeping.
    """

    def __init__(self, domain: int, node: str, namespace: str = "") -> None:
        os.environ["ROS_LOCALHOST_ONLY"] = "1"
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("robot_side", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._target = node
        self.robot = Robot.from_urdf(ARM)
        self.q, self.v = np.array([0.6, 0.9]), np.zeros(2)
        self.effort: Sequence[float] = ()
        self.streaming = True
        self.moving = False
        self.make: Callable[[], JointState] = self.state
        self.commands: list[list[float]] = []
        self._clients: dict[str, Any] = {}
        self.diagnostics: dict[str, Any] = {}
        self._last = time.monotonic()
        self._states = self.node.create_publisher(JointState, "joint_states", 1)
        self.hear(Float64MultiArray, "effort_commands", self._command)
        self.hear(DiagnosticArray, "/diagnostics", self._diagnose)

    def hear(self, kind: Any, topic: str, callback: Callable[[Any], Any]) -> None:
        """Subscribe."""
        self.node.create_subscription(kind, topic, callback, 100)

    def _command(self, message: Float64MultiArray) -> None:
        self.commands.append(list(message.data))

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name.rpartition(": ")[2]] = status

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
        """Say the state if it is due, move if it is asked for, hear one message."""
        now = time.monotonic()
        elapsed = now - self._last
        if elapsed >= 0.004:
            self._last = now
            if self.moving and self.commands:
                self._move(min(elapsed, 0.02))
            if self.streaming:
                self._states.publish(self.make())
        self.executor.spin_once(timeout_sec=0.001)

    def _move(self, elapsed: float) -> None:
        tau, steps = np.array(self.commands[-1]), 10
        for _ in range(steps):
            self.v = self.v + elapsed / steps * self.robot.forward_dynamics(self.q, self.v, tau)
            self.q = self.q + elapsed / steps * self.v

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Serve until something is true; fail naming it if it never is."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if result := condition():
                return result
            self.serve()
        raise AssertionError(f"waited {PATIENCE} s in vain for: {what}")

    def until_commanded(self, effort: Sequence[float], tolerance: float = 1e-6) -> None:
        """Serve until a command that is sent from now on equals an effort."""
        self.commands.clear()
        self.until(
            lambda: self.commands and np.allclose(self.commands[-1], effort, atol=tolerance),
            f"the command {np.asarray(effort)}",
        )

    def until_silent(self, seconds: float = 0.5) -> None:
        """Serve until no command has come for a while."""
        seen, since = -1, time.monotonic()

        def silent() -> bool:
            nonlocal seen, since
            if len(self.commands) != seen:
                seen, since = len(self.commands), time.monotonic()
            return time.monotonic() - since > seconds

        self.until(silent, "silence on effort_commands")

    def gravity(self) -> np.ndarray:
        """g(q) at the present position."""
        return self.robot.gravity_torque(self.q)

    def call(self, kind: Any, service: str, request: Any) -> Any:
        """Call a service of the node, which may take its time."""
        client = self._client(kind, service)
        future = client.call_async(request)
        self.until(future.done, f"an answer of {service}")
        return future.result()

    def _client(self, kind: Any, service: str) -> Any:
        """A client that the service has discovered as well: an answer to a stranger is lost."""
        if service not in self._clients:
            name = f"{self._target}/{service}"
            client = self._clients[service] = self.node.create_client(kind, name)
            self.until(client.service_is_ready, f"the service {service}")
            since = time.monotonic()
            self.until(lambda: time.monotonic() - since > 0.5, "the other half of the discovery")
        return self._clients[service]

    def ask(self, transition: int) -> None:
        """Ask for a lifecycle transition without waiting for the answer."""
        request = ChangeState.Request()
        request.transition.id = transition
        self._client(ChangeState, "change_state").call_async(request)

    def enable(self, on: bool) -> SetBool.Response:
        """Call ~/enable."""
        return self.call(SetBool, "enable", SetBool.Request(data=on))

    def set(self, values: Mapping[str, Any]) -> str:
        """Set parameters together; return why they were refused, empty if they were not."""
        given = [Parameter(n, value=v).to_parameter_msg() for n, v in values.items()]
        request = SetParametersAtomically.Request(parameters=given)
        result = self.call(SetParametersAtomically, "set_parameters_atomically", request).result
        return "" if result.successful else result.reason or "refused"

    def change_state(self, transition: int) -> bool:
        """Ask for a lifecycle transition."""
        request = ChangeState.Request()
        request.transition.id = transition
        return bool(self.call(ChangeState, "change_state", request).success)

    def all_finite(self) -> bool:
        """Whether every command heard was complete and finite."""
        return all(len(c) == 2 and all(map(math.isfinite, c)) for c in self.commands)

    def end(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)
