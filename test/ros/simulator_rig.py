"""A simulator as a process of its own, and a node that talks to it."""

from __future__ import annotations

import importlib.util
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

CHECKOUT = Path(__file__).resolve().parents[2]

#: How long to wait for what must come, s; generous, for a machine that is busy.
PATIENCE = 30.0


def environment(domain: int, folder: Path) -> dict[str, str]:
    """Environment of a node's process; finds the package in a checkout that is not installed."""
    path = os.environ.get("PYTHONPATH", "")
    if importlib.util.find_spec("dynamics_nodes") is None:
        link = folder / "dynamics_nodes"
        if not link.exists():
            link.symlink_to(CHECKOUT / "nodes")
        path = os.pathsep.join([str(folder), str(CHECKOUT), path])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONUNBUFFERED": "1",
        "ROS_DOMAIN_ID": str(domain),
        "ROS_LOCALHOST_ONLY": "1",
    }


class Process:
    """``forward_dynamics_sim`` with parameters, its output in a file."""

    def __init__(
        self, domain: int, folder: Path, parameters: Mapping[str, Any], namespace: str = ""
    ) -> None:
        name = namespace.strip("/") or "root"
        self.log = folder / f"{name}.log"
        file = folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}}))
        command = [sys.executable, "-m", "dynamics_nodes.forward_dynamics_sim", "--ros-args"]
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

    def text(self) -> str:
        """What it has written so far."""
        return self.log.read_text(errors="replace")

    def end(self) -> int:
        """End it as Ctrl-C does; return its status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(10.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        return int(self._process.returncode)


class Client:
    """A node that commands simulators and remembers what they say."""

    def __init__(self, domain: int, namespace: str = "") -> None:
        os.environ["ROS_LOCALHOST_ONLY"] = "1"
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("client", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.states: list[JointState] = []
        self.diagnostics: dict[str, Any] = {}
        self.hear(JointState, "joint_states", self.states, depth=1)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        self._efforts = self.node.create_publisher(Float64MultiArray, "effort_commands", 1)
        self._targets = self.node.create_publisher(JointState, "joint_commands", 1)
        self._wrenches = self.node.create_publisher(WrenchStamped, "external_wrench", 10)

    def hear(self, kind: Any, topic: str, into: list[Any], depth: int = 1000) -> None:
        """Collect the messages of a topic."""
        self.node.create_subscription(kind, topic, into.append, QoSProfile(depth=depth))

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name] = status

    def spin(self, seconds: float) -> None:
        """Serve for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.01)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Serve until something is true; fail naming it if it never is."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            self.executor.spin_once(timeout_sec=0.01)
        raise AssertionError(f"waited {PATIENCE} s in vain for: {what}")

    def ready(self, paused: bool = False) -> None:
        """Wait until the simulator hears and is heard."""
        topics = (self._efforts, self._targets, self._wrenches)
        self.until(
            lambda: all(p.get_subscription_count() for p in topics), "the simulator's subscriptions"
        )
        self.until(lambda: self.node.count_publishers("joint_states"), "joint_states")
        if not paused:
            self.next_state()

    def next_state(self) -> JointState:
        """A state that is published from now on."""
        count = len(self.states)
        self.until(lambda: len(self.states) > count, "a joint state")
        return self.states[-1]

    def effort(self, values: Sequence[float]) -> None:
        """Command efforts in order."""
        self._efforts.publish(Float64MultiArray(data=[float(x) for x in values]))

    def target(self, names: Sequence[str], **fields: Sequence[float]) -> None:
        """Command by name: position, velocity, effort."""
        message = JointState(name=list(names))
        for field, values in fields.items():
            setattr(message, field, [float(x) for x in values])
        self._targets.publish(message)

    def push(self, frame: str, force: Sequence[float], torque: Sequence[float] = (0, 0, 0)) -> None:
        """Push a link."""
        message = WrenchStamped()
        message.header.frame_id = frame
        f, t = message.wrench.force, message.wrench.torque
        f.x, f.y, f.z = map(float, force)
        t.x, t.y, t.z = map(float, torque)
        self._wrenches.publish(message)

    def trigger(self, service: str) -> Trigger.Response:
        """Call ~/reset or ~/step."""
        return self._call(Trigger, service, Trigger.Request())

    def pause(self, on: bool) -> SetBool.Response:
        """Call ~/pause."""
        return self._call(SetBool, "pause", SetBool.Request(data=on))

    def set(self, **values: Any) -> bool:
        """Set parameters; underscores stand for themselves."""
        given = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
        request = SetParameters.Request(parameters=given)
        response = self._call(SetParameters, "set_parameters", request)
        return all(r.successful for r in response.results)

    def _call(self, kind: Any, service: str, request: Any) -> Any:
        client = self.node.create_client(kind, f"forward_dynamics_sim/{service}")
        self.until(client.service_is_ready, f"the service {service}")
        future = client.call_async(request)
        self.until(future.done, f"an answer of {service}")
        self.node.destroy_client(client)
        return future.result()

    def end(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


def is_finite(message: JointState) -> bool:
    """Whether all arrays of a state are complete and finite."""
    n = len(message.name)
    arrays = (message.position, message.velocity, message.effort)
    return all(len(a) == n and all(map(math.isfinite, a)) for a in arrays)
