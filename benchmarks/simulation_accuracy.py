"""How exact the integrators are: the picture and the tables of docs/simulation.md.

    python benchmarks/simulation_accuracy.py [--seconds 10] [--output docs/img]

Needs the requirements of the tests (MuJoCo, example-robot-data) and matplotlib.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from simulation.mujoco_comparison import AGAINST, ROBOTS, Experiment  # noqa: E402
from simulation.textbook_robots import double_chain  # noqa: E402

from dynamics_core import Robot  # noqa: E402
from dynamics_core.simulation import INTEGRATORS, Physics, rollout, simulate  # noqa: E402

STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4)


def worst_energy(integrator: str, dt: float) -> float:
    """Largest energy error of the double chain in 10 s, J."""
    run = simulate(
        double_chain(), [0.3, -0.4], seconds=10.0, dt=dt, physics=Physics.ideal(integrator)
    )
    return float(np.abs(run.energy - run.energy[0]).max())


def energy_table(output: Path) -> None:
    """Energy errors over step sizes, as a table and a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes: Any = figure.add_subplot()
    print("| step | " + " | ".join(INTEGRATORS) + " |")
    print("|---|" + "---|" * len(INTEGRATORS))
    errors = {name: [worst_energy(name, dt) for dt in STEPS] for name in INTEGRATORS}
    for k, dt in enumerate(STEPS):
        cells = " | ".join(f"{errors[name][k]:.2g}" for name in INTEGRATORS)
        print(f"| {1e3 * dt:g} ms | {cells} |")
    for name, values in errors.items():
        axes.loglog(STEPS, values, "o-", label=name)
    axes.set_xlabel("step / s")
    axes.set_ylabel("largest energy error in 10 s / J")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(output / "integrators.svg", metadata={"Date": None})


def mujoco_table(seconds: float) -> None:
    """Largest differences to MuJoCo, joint by joint."""
    print(f"\n| robot | integrator | largest difference of each joint in {seconds:g} s / rad |")
    print("|---|---|---|")
    for file in ROBOTS:
        experiment = Experiment(file, seconds)
        for integrator in AGAINST:
            cells = ", ".join(f"{x:.0e}" for x in experiment.difference(integrator))
            print(f"| {file.removesuffix('.urdf')} | {integrator} | {cells} |", flush=True)


def speed_table() -> None:
    """Steps a second of the Panda, with friction, drives and end stops."""
    robot = Robot.from_urdf(ROOT / "urdf" / "panda.urdf.xacro")
    print("\n| | one robot | 1024 robots |")
    print("|---|---|---|")
    for integrator in INTEGRATORS:
        physics = Physics(integrator, damping=0.5, friction=0.3)
        many = np.tile(robot.neutral(), (1024, 1))
        rates = []
        for rows, seconds in ((None, 20.0), (many, 0.2)):
            for _ in range(2):  # the first time compiles
                start = time.perf_counter()
                if rows is None:
                    simulate(robot, seconds=seconds, physics=physics)
                else:
                    rollout(robot, rows, seconds=seconds, physics=physics, energy=False)
                took = time.perf_counter() - start
            rates.append(seconds * 1e3 * (1 if rows is None else len(rows)) / took)
        print(f"| {integrator} | {rates[0] / 1e6:.2f} | {rates[1] / 1e6:.1f} |")
    print("\nMillions of steps a second.")


def main() -> None:
    """Print the tables and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of the comparison")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "img")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    energy_table(args.output)
    mujoco_table(args.seconds)
    speed_table()


if __name__ == "__main__":
    main()
