"""Nodes as processes on domains of their own."""

from __future__ import annotations

import pytest
from ros_domains import reserved_domain


@pytest.fixture
def domain():
    """A ROS domain of the test's own."""
    with reserved_domain() as number:
        yield number


@pytest.fixture
def launch(tmp_path, domain):
    """Start a node and the robot's side of it: ``process, robot = launch(executable, ...)``.

    At the end every node must have ended with status 0 and without a traceback.
    """
    from ros.node_process import ARM, NodeProcess
    from ros.node_rig import RATE, RobotSide

    started = []

    def begin(executable, parameters=(), namespace=""):
        own = {
            "robot_description": ARM,
            "rate": RATE,
            # A busy machine must not look like a robot that has fallen silent.
            "stale_timeout": 10.0,
            **dict(parameters),
        }
        process = NodeProcess(executable, domain, tmp_path, own, namespace)
        robot = RobotSide(domain, executable, namespace)
        started.append((process, robot))
        robot.be_known()
        robot.streaming = True
        return process, robot

    yield begin
    for process, robot in started:
        status = process.end()
        robot.end()
        assert "Traceback" not in process.text
        assert status == 0, process.text
