"""A node as a process: started by an entry point, ended cleanly by SIGINT or SIGTERM."""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from .requests import Requests

if TYPE_CHECKING:
    from .base import DynamicsNode

__all__ = ["StopRequest", "run"]


class StopRequest:
    """SIGINT and SIGTERM as a flag, so that the robot can be made safe before anything ends."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def finish(self) -> None:
        """Ignore further requests: all is done, and a second one would look like a crash.

        A terminal sends Ctrl-C to a launch file's nodes, and launch sends it again.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.requested = True


def run(
    node_class: Callable[[str], DynamicsNode], name: str, args: Sequence[str] | None = None
) -> int:
    """Run a node as a process until SIGINT or SIGTERM; return the exit status."""
    faulthandler.enable()  # what the middleware did when it crashes
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    stop = StopRequest()
    node = node_class(name)
    requests = Requests()
    requests.add_node(node)
    requests.start()
    try:
        node.spin(stop, requests)
    except (ExternalShutdownException, KeyboardInterrupt):
        pass
    finally:
        # First: the middleware may crash if what somebody waits for is destroyed.
        requests.close()
        if rclpy.ok():
            node.trigger_shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
        stop.finish()
    return 0
