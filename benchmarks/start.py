"""What it takes to begin: imports, tracing and compiling, loading from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from . import robots
from .report import Report

_COMPILE = """
import sys, time
from dynamics_core import Robot
import dynamics_core.calls.compiled, pickle
robot = pickle.load(open(sys.argv[1], "rb"))
robot._compiled_function("gravity_torque", {})
dynamics_core.compiler.engine._initialise()
start = time.perf_counter()
robot.compile("inverse_dynamics", "forward_dynamics", "mass_matrix")
print(time.perf_counter() - start)
"""


def start(report: Report) -> None:
    """Each in fresh processes."""
    import pickle

    from dynamics_core import Robot

    repeats = 3 if report.rounds < 100 else 5
    goals = {"UR5": (robots.ur5, 0.3), "Panda": (robots.panda, 0.5), "Talos": (robots.talos, 3.0)}
    for name, (text, goal) in goals.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.pickle")
            with open(path, "wb") as f:
                pickle.dump(Robot.from_urdf(text()), f)
            cold, warm = [], []
            for k in range(repeats):
                cache = os.path.join(folder, f"cache{k}")
                cold.append(_run(_COMPILE, path, cache=cache))
                warm.append(_run(_COMPILE, path, cache=cache))
        report.limit(f"{name}: trace and compile RNEA, ABA and CRBA", min(cold), "s", goal)
        report.limit(f"{name}: load them from the cache", 1e3 * min(warm), "ms", 50.0)
    times = {"numpy": [], "dynamics_core": []}
    for _ in range(4 * repeats):
        for module, taken in times.items():
            begin = time.perf_counter()
            _run(f"import {module}; print(0.0)")
            taken.append(time.perf_counter() - begin)
    nothing = min(_timed("print(0.0)") for _ in range(4 * repeats))
    share = (min(times["dynamics_core"]) - nothing) / (min(times["numpy"]) - nothing)
    report.limit("import dynamics_core against import numpy", share, "x", 2.5)


def _timed(code: str) -> float:
    begin = time.perf_counter()
    _run(code)
    return time.perf_counter() - begin


def _run(code: str, *arguments: str, cache: str = "") -> float:
    environment = {**os.environ, "URDF_DYNAMICS_CACHE": cache}
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(run.stdout)
