"""The other side of a node in these tests: hears its topics, calls its services, and waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import ListParameters, SetParametersAtomically
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from ros.node_process import PATIENCE

__all__ = ["Peer"]

#: A request that has found no answer is repeated after this time, s.
ASK_AGAIN = 0.5

#: Nothing is on its way any more once this many looks have found nothing.
LOOKS = 100


class Peer:
    """A ROS node in the test's process.

    Everything runs while the test waits, in :meth:`until`: no threads, no sleeping. What a test
    waits for has to come however slow the machine is; how much time passes says nothing.

    Args:
        domain: The ROS domain.
        target: Name of the node on the other side.
        namespace: Namespace of both.
    """

    def __init__(self, domain: int, target: str, namespace: str = "") -> None:
        os.environ["ROS_LOCALHOST_ONLY"] = "1"
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("test_peer", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        #: The latest status of each kind, by the part of its name that follows the node's.
        self.diagnostics: dict[str, Any] = {}
        self._target = target
        self._clients: dict[str, Any] = {}
        self.hear(DiagnosticArray, "/diagnostics", self._diagnose)

    def end(self) -> None:
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)

    # Waiting -------------------------------------------------------------------------------

    def serve(self) -> None:
        """Hear one message, if there is one."""
        self.executor.spin_once(timeout_sec=0.001)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Serve until something is true, and return it; fail naming it if it never is."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if result := condition():
                return result
            self.serve()
        raise AssertionError(f"waited {PATIENCE:g} s in vain for: {what}")

    def until_quiet(self, heard: list[Any], seconds: float = 0.0) -> None:
        """Serve until a list of what is heard has not grown for a while, looked at often."""
        seen, since, looks = -1, 0.0, 0

        def quiet() -> bool:
            nonlocal seen, since, looks
            looks += 1
            if len(heard) != seen:
                seen, since, looks = len(heard), time.monotonic(), 0
            return looks > LOOKS and time.monotonic() - since > seconds

        self.until(quiet, "an end of the messages")

    # Topics --------------------------------------------------------------------------------

    def hear(
        self, kind: Any, topic: str, callback: Callable[[Any], Any], depth: int = 10_000
    ) -> None:
        """Subscribe. What the node has not discovered yet cannot be heard: :meth:`be_known`."""
        self.node.create_subscription(kind, topic, callback, depth)

    def publisher(self, kind: Any, topic: str) -> Publisher:
        """A publisher for :meth:`deliver`, whom the node hears."""
        publisher = self.node.create_publisher(kind, topic, 1)
        self.until(publisher.get_subscription_count, f"a subscription to {topic}")
        self.be_known()
        return publisher

    def deliver(self, publisher: Publisher, message: Any) -> None:
        """Publish; return when every subscriber holds the message.

        The publisher has a depth of 1: DDS then asks for the acknowledgement at once.
        """
        publisher.publish(message)
        acknowledged = publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        assert acknowledged, f"nobody took the message on {publisher.topic_name}"

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name.rpartition(": ")[2]] = status

    # Services ------------------------------------------------------------------------------

    def be_known(self) -> None:
        """Wait until the node has discovered all topics and clients that were made here.

        To see the node does not mean to be seen by it: what it answers or says before is lost.
        DDS announces what is made in the order in which it is made, so an answer to the client
        made last proves the rest. That question can be repeated without harm.
        """
        service = f"{self._target}/list_parameters"
        client = self.node.create_client(ListParameters, service)
        answers: list[Any] = []
        due = 0.0

        def answered() -> bool:
            nonlocal due
            if client.service_is_ready() and time.monotonic() >= due:
                due = time.monotonic() + ASK_AGAIN
                client.call_async(ListParameters.Request()).add_done_callback(answers.append)
            return bool(answers)

        self.until(answered, f"an answer of {service}")
        self.node.destroy_client(client)

    def client(self, kind: Any, service: str) -> Any:
        """A client of one of the node's services, each knowing the other."""
        if service not in self._clients:
            name = f"{self._target}/{service}"
            client = self._clients[service] = self.node.create_client(kind, name)
            self.until(client.service_is_ready, f"the service {service}")
            self.be_known()
        return self._clients[service]

    def call(self, kind: Any, service: str, request: Any) -> Any:
        """Call a service of the node, which may take its time."""
        future = self.client(kind, service).call_async(request)
        self.until(future.done, f"an answer of {service}")
        return future.result()

    def set(self, values: Mapping[str, Any]) -> str:
        """Set parameters together; return why they were refused, empty if they were not."""
        given = [Parameter(n, value=v).to_parameter_msg() for n, v in values.items()]
        request = SetParametersAtomically.Request(parameters=given)
        result = self.call(SetParametersAtomically, "set_parameters_atomically", request).result
        return "" if result.successful else result.reason or "refused"
