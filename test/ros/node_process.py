"""A node of this package as a process of its own."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

__all__ = ["ARM", "CHECKOUT", "PATIENCE", "NodeProcess", "environment"]

CHECKOUT = Path(__file__).resolve().parents[2]

#: The robot of these tests.
ARM = str(CHECKOUT / "urdf" / "planar_2r.urdf.xacro")

#: How long to wait for what must come, s; generous, since it only bounds a failure.
PATIENCE = 60.0

#: A process that outlives even its test's process is killed after this time, s.
LONGEST_LIFE = 600


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


class NodeProcess:
    """A node with parameters, its output in a file.

    Args:
        executable: Its executable, which is also its module and the node's name.
        domain: The ROS domain.
        folder: Where its parameters and its output are written.
        parameters: Its parameters.
        namespace: The node's namespace.
    """

    def __init__(
        self,
        executable: str,
        domain: int,
        folder: Path,
        parameters: Mapping[str, Any],
        namespace: str = "",
    ) -> None:
        name = "_".join([executable, *namespace.strip("/").split("/")])
        self.log = folder / f"{name}.log"
        file = folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}}))
        command = [sys.executable, "-m", f"dynamics_nodes.{executable}", "--ros-args"]
        command += ["--params-file", str(file)]
        if namespace:
            command += ["-r", f"__ns:={namespace}"]
        with self.log.open("w") as output:
            self._process = subprocess.Popen(
                ["timeout", "-k", "5", str(LONGEST_LIFE), *command],
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

    def signal(self, number: int) -> None:
        """Send it a signal, which ``timeout`` hands on; goes on at once."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would. ``timeout``, killed itself, would leave the node alive."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        os.kill(int(children), signal.SIGKILL)
        self._process.wait()

    def end(self) -> int:
        """End it as Ctrl-C does, if it still runs; return its status."""
        if self.alive:
            self.signal(signal.SIGINT)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
        return int(self._process.returncode)
