"""Nodes as processes of their own, started as a launch file would, and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from ..launch_plan import ResolvedNode

__all__ = ["DemoError", "NodeProcess", "Processes"]

#: How long a node may take to end after SIGINT, s.
END_TIMEOUT = 5.0


class DemoError(RuntimeError):
    """The demonstration cannot go on; the message says what failed and where to look."""


class NodeProcess:
    """A node of this package as a process; its output goes to a file.

    Args:
        node: What to start.
        folder: Where its parameters and its output are written.
        environment: Environment variables.
    """

    def __init__(self, node: ResolvedNode, folder: Path, environment: Mapping[str, str]) -> None:
        self.name, self._asked = node.name, False
        self.log = folder / f"{node.name}.log"
        parameters = folder / f"{node.name}.yaml"
        parameters.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(node.parameters)}}))
        command = [sys.executable, "-m", f"dynamics_nodes.{node.executable}", "--ros-args"]
        command += ["-r", f"__node:={node.name}"]
        if node.namespace:
            command += ["-r", f"__ns:=/{node.namespace.strip('/')}"]
        for file in (*node.parameter_files, parameters):
            command += ["--params-file", str(file)]
        with self.log.open("w") as output:
            # A session of its own: Ctrl-C reaches this program alone, which then ends the nodes.
            self._process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def interrupt(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        if self.running:
            self._asked = True
            self._process.send_signal(signal.SIGINT)

    def wait(self, timeout: float) -> None:
        """Wait for its end; kill it after the timeout, s."""
        try:
            self._process.wait(max(timeout, 0.0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def trouble(self) -> str:
        """What was wrong with its run once it has ended; empty if nothing was."""
        if self.running:
            return ""
        status = self._process.returncode
        if status == -signal.SIGKILL:
            return f"{self.name} had to be killed"
        # A node that is asked before it has begun to listen just ends.
        if status != 0 and not (self._asked and status == -signal.SIGINT):
            return f"{self.name} ended with status {status}"
        return f"{self.name} wrote a traceback" if "Traceback" in self.text() else ""

    def text(self) -> str:
        """What it has written so far."""
        return self.log.read_text(errors="replace")


class Processes:
    """The nodes of the demonstration; a context that ends all of them.

    Args:
        nodes: What to start.
        folder: Where parameters and output are written.
    """

    def __init__(self, nodes: Sequence[ResolvedNode], folder: Path) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.nodes: list[NodeProcess] = []
        try:
            for node in nodes:
                self.nodes.append(NodeProcess(node, folder, environment))
        except BaseException:
            self.end()
            raise

    def check(self) -> None:
        """Raise :class:`DemoError` if a node has ended."""
        for node in self.nodes:
            if not node.running:
                tail = "\n".join(node.text().strip().splitlines()[-8:])
                raise DemoError(f"node {node.name} has ended by itself; {node.log} ends:\n{tail}")

    def end(self) -> list[str]:
        """End the nodes, the simulated robot last; return what was wrong with any of them."""
        deadline = time.monotonic() + END_TIMEOUT
        for node in reversed(self.nodes):
            node.interrupt()
        for node in reversed(self.nodes):
            node.wait(deadline - time.monotonic())
        return [text for node in self.nodes if (text := node.trouble())]

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()
