"""Nodes as processes on domains of their own."""

from __future__ import annotations

import itertools
import os

import pytest

DOMAINS = itertools.count(10 + os.getpid() % 80)


@pytest.fixture
def launch(tmp_path):
    """Start a node and the robot's side of it: ``process, robot = launch(executable, ...)``.

    At the end every node must have ended with status 0 and without a traceback.
    """
    from ros.node_rig import ARM, NodeProcess, RobotSide

    started = []

    def begin(executable, parameters=(), namespace=""):
        domain = next(DOMAINS)
        own = {
            "robot_description": ARM,
            "rate": 200.0,
            # A busy machine must not look like a robot that has fallen silent.
            "stale_timeout": 1.0,
            **dict(parameters),
        }
        process = NodeProcess(executable, domain, tmp_path, own, namespace)
        robot = RobotSide(domain, executable, namespace)
        started.append((process, robot))
        return process, robot

    yield begin
    for process, robot in started:
        status = process.end()
        robot.end()
        assert "Traceback" not in process.text
        assert status == 0, process.text
