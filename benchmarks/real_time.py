"""Watch the simulated robot and a controller keep real time, as two processes.

    python -m benchmarks.real_time [--seconds 60]

Starts the simulated Panda and the gravity compensation at 1 kHz and prints, from what the nodes
themselves report on /diagnostics, each loop's mean rate and worst cycle and the simulated robot's
real-time factor; from /proc, how much of a core each process took.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from dynamics_nodes.demo.isolation import free_domain, isolate
from dynamics_nodes.demo.processes import Processes
from dynamics_nodes.launch_plan import PLANS, resolve

NODES = ("forward_dynamics_sim", "gravity_compensation")
SETTLING = 5.0  # seconds in which processes start and find each other


def processor_time(pid: int) -> float:
    """What a process has had of the processor since it began, s (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(seconds: float, pids: list[int]) -> tuple[dict[str, list[dict[str, str]]], list[float]]:
    """The loop reports of both nodes, one a second, by node; the share of a core of each."""
    reports: dict[str, list[dict[str, str]]] = {name: [] for name in NODES}

    def hear(message: DiagnosticArray) -> None:
        for entry in message.status:
            node = entry.name.partition(": ")[0]
            values = {v.key: v.value for v in entry.values}
            if node in reports and ({"rate [Hz]", "real time factor"} & values.keys()):
                reports[node].append(values)

    rclpy.init()
    node = rclpy.create_node("real_time_watch")
    node.create_subscription(DiagnosticArray, "/diagnostics", hear, 50)
    start = time.monotonic()
    while time.monotonic() < start + SETTLING + seconds:
        rclpy.spin_once(node, timeout_sec=0.2)
        if time.monotonic() < start + SETTLING:
            before = [processor_time(pid) for pid in pids]
            for values in reports.values():
                values.clear()
    shares = [(processor_time(p) - b) / seconds for p, b in zip(pids, before, strict=True)]
    node.destroy_node()
    rclpy.try_shutdown()
    return reports, shares


def main() -> int:
    """Run, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_time")
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    isolate(free_domain())
    nodes = [n for name in NODES for n in resolve(PLANS[name], {"robot": "panda", "rate": "1000"})]
    with tempfile.TemporaryDirectory() as folder, Processes(nodes, Path(folder)) as processes:
        reports, shares = watch(seconds, [p.pid for p in processes.nodes])
        processes.check()
    heads = f"{'mean rate / Hz':>16}{'worst cycle / ms':>18}{'missed':>8}{'reports':>9}{'cores':>8}"
    print(f"{'node':24}{heads}")
    for (name, values), share in zip(reports.items(), shares, strict=True):
        full = [v for v in values if "rate [Hz]" in v]
        if not full:
            print(f"{name:24}reported nothing")
            continue
        rate = sum(float(v["rate [Hz]"]) for v in full) / len(full)
        worst = max(float(v["worst cycle [ms]"]) for v in full)
        missed = sum(int(v["missed deadlines"]) for v in full)
        print(f"{name:24}{rate:16.1f}{worst:18.2f}{missed:8d}{len(full):9d}{share:8.2f}")
        factors = [float(v["real time factor"]) for v in values if "real time factor" in v]
        if factors:
            print(f"  real-time factor {min(factors):.4f} to {max(factors):.4f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
