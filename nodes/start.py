"""The executables of the nodes, which end quietly from their first moment on.

A node takes a second to import what it needs. Ctrl-C in that second would end Python with a
traceback, so what answers signals is set up before anything is imported; the node replaces it by
its own, which first makes the robot safe.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType

__all__ = [
    "external_wrench_estimator",
    "forward_dynamics_sim",
    "gravity_compensation",
    "inverse_dynamics_feedforward",
]


def external_wrench_estimator() -> int:
    """Run the node ``external_wrench_estimator``."""
    return _run("external_wrench_estimator")


def forward_dynamics_sim() -> int:
    """Run the node ``forward_dynamics_sim``."""
    return _run("forward_dynamics_sim")


def gravity_compensation() -> int:
    """Run the node ``gravity_compensation``."""
    return _run("gravity_compensation")


def inverse_dynamics_feedforward() -> int:
    """Run the node ``inverse_dynamics_feedforward``."""
    return _run("inverse_dynamics_feedforward")


def _run(name: str) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    return int(importlib.import_module(f".{name}", __package__).main())


def _leave(number: int, frame: FrameType | None) -> None:
    # Nothing commands a robot yet. An exception would go through half-imported modules.
    sys.stdout.flush()
    os._exit(0)
