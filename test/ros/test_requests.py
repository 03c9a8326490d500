"""The executor whose callbacks run in the loop's thread."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

pytest.importorskip("rclpy", reason="the nodes need ROS 2")

import rclpy
from dynamics_nodes.requests import Requests
from rclpy.context import Context
from ros.node_process import PATIENCE, environment

#: A signal at any point of the wait, thousands of times: as Ctrl-C may come.
SIGNALS = """
import signal
import rclpy
from dynamics_nodes.requests import Requests

rclpy.init(signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
node, requests = rclpy.create_node("waiting"), Requests()
requests.add_node(node)
requests.start()
signals = []
signal.signal(signal.SIGALRM, lambda *_: signals.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.0007, 0.0007)
while len(signals) < 3000:
    assert not requests.serve(0.0005)
signal.setitimer(signal.ITIMER_REAL, 0.0)
requests.close()
print("came through")
"""


@pytest.fixture
def requests(domain):
    """The executor, and a node of it."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("asked", context=context)
    executor = Requests(context=context)
    executor.add_node(node)
    executor.start()
    yield executor, node
    executor.close()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_a_signal_never_stops_the_loop(domain, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", SIGNALS],
        env=environment(domain, tmp_path),
        timeout=PATIENCE,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "came through\n", run.stderr


def test_a_request_runs_in_the_thread_that_serves_it(requests):
    executor, node = requests
    threads = []
    timer = node.create_timer(1e-3, lambda: threads.append(threading.current_thread()))
    for _ in range(3):
        assert executor.serve(PATIENCE)
    node.destroy_timer(timer)
    assert threads == [threading.current_thread()] * 3


def test_what_a_request_raises_is_raised_and_the_next_one_is_served(requests):
    executor, node = requests
    calls = []

    def fail_once():
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("this one fails")

    timer = node.create_timer(1e-3, fail_once)
    with pytest.raises(ValueError, match="this one fails"):
        executor.serve(PATIENCE)
    assert executor.serve(PATIENCE)
    node.destroy_timer(timer)
    assert len(calls) == 2
