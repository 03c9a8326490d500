"""How cost grows with the number of joints: serial chains of 2 to 56, and the closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynamics_core import Robot
from dynamics_core.functions import FUNCTIONS, Parametrisation
from dynamics_core.symbolic.trace import trace

from . import robots
from .measure import interleaved, median
from .report import Report

JOINTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 44, 56)
#: The closed form's terms number n^3; its code is compiled up to here.
MOST_CLOSED = 12
FUNCTIONS_MEASURED = {
    "RNEA": ("inverse_dynamics", 3, 1), "ABA": ("forward_dynamics", 3, 1),
    "CRBA": ("mass_matrix", 1, 2),
}  # fmt: skip
CLOSED = "M a + v' Gamma v + g"


def scaling(report: Report) -> None:
    """Operations and nanoseconds per joint count, with the exponents of growth."""
    operations: dict[str, dict[int, int]] = {name: {} for name in [*FUNCTIONS_MEASURED, CLOSED]}
    times: dict[str, dict[int, float]] = {name: {} for name in operations}
    rng = np.random.default_rng(0)
    for n in JOINTS:
        robot = Robot.from_urdf(robots.chain(n))
        q, v, a = rng.normal(size=(3, n))
        names = dict(robot=robot, q=q, v=v, a=a, np=np)
        statements = {}
        for name, (function, inputs, _) in FUNCTIONS_MEASURED.items():
            operations[name][n] = _operations(robot, function)
            statements[name] = (f"robot.{function}({', '.join('qva'[:inputs])})", names)
        if n <= MOST_CLOSED:
            parts = ("mass_matrix", "christoffel_symbols", "gravity_torque")
            operations[CLOSED][n] = sum(_operations(robot, p) for p in parts)
            statements[CLOSED] = (
                "robot.mass_matrix(q) @ a + v @ robot.christoffel_symbols(q) @ v "
                "+ robot.gravity_torque(q)",
                names,
            )
        taken = interleaved(statements, rounds=report.rounds // 2)
        for name in taken:
            times[name][n] = 1e9 * median(taken, name)
    for name, counts in operations.items():
        line = ", ".join(f"{n}: {counts[n]} / {times[name][n]:.0f}" for n in counts)
        report.note(f"{name}: joints: operations / ns", line)
        largest = [n for n in counts if n >= (16 if name != CLOSED else 4)]
        power = np.polyfit(np.log(largest), np.log([counts[n] for n in largest]), 1)[0]
        report.note(f"{name}: operations grow with joints to the power", f"{power:.2f}")
    _plot(operations, times)


def _operations(robot: Robot, function: str) -> int:
    program = trace(robot.model, Parametrisation(), FUNCTIONS[function], {})
    return sum(node.op != "input" for node in program.nodes)


def _plot(operations: dict[str, dict[int, int]], times: dict[str, dict[int, float]]) -> None:
    try:
        import matplotlib
    except ImportError:
        print("  no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
    for axis, data, label in zip(
        axes, (operations, times), ("operations", "time of one call, ns"), strict=True
    ):
        for name, points in data.items():
            axis.loglog(list(points), list(points.values()), "o-", label=name)
        axis.set_xlabel("joints of a serial chain")
        axis.set_ylabel(label)
        axis.grid(True, which="both", alpha=0.3)
        axis.legend()
    path = Path(__file__).parent / "out" / "scaling.svg"
    path.parent.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(path)
    print(f"  plot: {path}")
