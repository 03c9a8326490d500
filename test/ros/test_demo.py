"""The demonstration, shortened: nodes as processes, trials, report, and what goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from dynamics_nodes.demo import __main__ as demo
from dynamics_nodes.demo.isolation import isolate
from dynamics_nodes.demo.processes import DemoError, Processes
from dynamics_nodes.demo.trials import SIMULATOR
from dynamics_nodes.launch_plan import DEMO, resolve
from ros.node_process import PATIENCE, environment

pytestmark = pytest.mark.ros

SHORT = replace(demo.PANDA, float_time=1.0, push_time=2.5, settle_time=1.5)

#: Half as many samples a second, in steps of the physics that are as long as ever.
COARSE = replace(
    demo.SIMULATED,
    overrides={
        **demo.SIMULATED.overrides,
        SIMULATOR: {**demo.SIMULATED.overrides[SIMULATOR], "rate": 250.0, "substeps": 4},
    },
)


@pytest.fixture(autouse=True)
def own_domain(monkeypatch):
    for name in ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # restored at the end


def test_all_trials_and_what_is_off_is_named(tmp_path, capsys, monkeypatch, domain):
    monkeypatch.setattr(demo, "PANDA", SHORT)
    monkeypatch.setattr(demo, "SIMULATED", COARSE)
    arguments = ["--time", "simulated", "--output", str(tmp_path), "--domain", str(domain)]
    status = demo.main(arguments)
    printed = capsys.readouterr().out
    # The only thing off is what this test has cut short.
    off = [line for line in printed.splitlines() if line.startswith("Off: ")]
    assert [line.partition(" is ")[0] for line in off] == ["Off: time floated"], printed
    assert status == 1
    for words in ("RMS of PD alone over RMS", "estimated", "inverse_dynamics_feedforward"):
        assert words in printed
    assert "<svg" in (tmp_path / "index.html").read_text()
    logs = {p.stem for p in (tmp_path / "logs").glob("*.log")}
    assert logs == {n.name for n in resolve(DEMO, {})}


def test_a_node_that_ends_is_named_and_none_is_left_over(tmp_path, domain):
    isolate(domain)
    nodes = resolve(DEMO, {"robot": "pendulum"})[:2]
    with Processes(nodes, tmp_path) as processes:
        simulator, controller = processes.nodes
        end = time.monotonic() + 60.0
        while "robot 'pendulum'" not in simulator.text() and time.monotonic() < end:
            processes.check()
            time.sleep(0.05)
        os.kill(controller.pid, signal.SIGKILL)
        controller.wait(5.0)
        with pytest.raises(DemoError, match="gravity_compensation has ended by itself"):
            processes.check()
        assert processes.end() == ["gravity_compensation had to be killed"]
    assert not simulator.running


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_node_outlives_a_demonstration_that_is_told_to_end(number, tmp_path, domain):
    command = [sys.executable, "-m", "dynamics_nodes.demo", "--domain", str(domain)]
    demonstration = subprocess.Popen(
        [*command, "--output", str(tmp_path)],
        env=environment(domain, tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + PATIENCE
    while len(nodes := _nodes_of(demonstration.pid)) < len(resolve(DEMO, {})):
        assert time.monotonic() < end, nodes
        time.sleep(0.05)
    demonstration.send_signal(number)
    output, _ = demonstration.communicate(timeout=PATIENCE)
    assert demonstration.returncode == 130, output
    assert "all nodes have ended" in output
    assert not [pid for pid in nodes if Path(f"/proc/{pid}").exists()]


def _nodes_of(pid):
    """The processes of the nodes that it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [c for c in children if b"--ros-args" in Path(f"/proc/{c}/cmdline").read_bytes()]
