"""``python -m dynamics_core simulate``: let a robot move, print where it gets, draw how."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..robot import Robot
from ..robot.arguments import position_names, velocity_names
from ..simulation import INTEGRATORS, EndStops, Physics, Trajectory, simulate
from .tables import number, show_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long, s (default 5)")
    parser.add_argument("--dt", type=float, default=1e-3, help="time between states, s")
    parser.add_argument("--substeps", type=int, default=1, help="integration steps for it")
    parser.add_argument("--integrator", choices=INTEGRATORS, default=INTEGRATORS[0])
    parser.add_argument(
        "--torque",
        nargs="+",
        metavar="VALUE",
        help="torques: one for all joints, one for each, name=value pairs, or the word gravity, "
        "which carries the robot's weight; none by default",
    )
    parser.add_argument(
        "--position", nargs="+", metavar="VALUE", help="start, in the same ways; default neutral"
    )
    parser.add_argument(
        "--velocity", nargs="+", metavar="VALUE", help="speed at the start; default zero"
    )
    parser.add_argument("--gravity", nargs=3, type=float, metavar=("X", "Y", "Z"), help="m/s2")
    parser.add_argument("--ideal", action="store_true", help="no friction and no limits")
    parser.add_argument("--restitution", type=float, default=0.0, help="of the end stops, 0 to 0.9")
    parser.add_argument("--plot", metavar="PNG", help="picture to draw")
    parser.add_argument("--csv", metavar="CSV", help="table to write: t, q, v, tau")


def run(args: argparse.Namespace) -> int:
    """Simulate.

    Raises:
        DescriptionError: The description cannot be loaded.
        ArgumentError: An argument cannot be used.
        UnknownNameError: The robot has no such joint.
    """
    robot = Robot.from_urdf(args.urdf)
    if args.gravity:
        robot = robot.with_gravity(args.gravity)
    q = _values("--position", args.position, position_names(robot.model), robot.neutral())
    v = _values("--velocity", args.velocity, velocity_names(robot.model), np.zeros(robot.nv))
    tau: Any
    if args.torque == ["gravity"]:
        tau = lambda t, q, v: robot.gravity_torque(q)  # noqa: E731 - it is a value here
    else:
        tau = _values("--torque", args.torque, velocity_names(robot.model), np.zeros(robot.nv))
    stops = EndStops(restitution=args.restitution)
    physics = Physics(args.integrator, stops=stops)
    if args.ideal:
        physics = Physics.ideal(args.integrator)
    try:
        trajectory = simulate(
            robot,
            q,
            v,
            seconds=args.seconds,
            dt=args.dt,
            tau=tau,
            physics=physics,
            substeps=args.substeps,
        )
    except FloatingPointError as error:
        raise ArgumentError(str(error)) from None
    _report(robot, trajectory)
    if args.csv:
        _write_csv(robot, trajectory, Path(args.csv))
    if args.plot:
        _draw(robot, trajectory, args.plot)
    return 0


def _values(
    option: str, given: Sequence[str] | None, names: Sequence[str], default: Any
) -> np.ndarray:
    """Numbers from the command line, by order or by name."""
    result = np.array(default, dtype=float)
    if not given:
        return result
    named = all("=" in word for word in given)
    pairs = [word.rpartition("=") if named else ("", "", word) for word in given]
    try:
        numbers = [float(value) for _, _, value in pairs]
    except ValueError:
        raise ArgumentError(
            f"simulate: {option} {' '.join(given)}: expected numbers or name=number"
        ) from None
    if named:
        for (name, _, _), value in zip(pairs, numbers, strict=True):
            if name not in names:
                raise ArgumentError(
                    f"simulate: {option} names {name!r}; known are {', '.join(names)}"
                )
            result[list(names).index(name)] = value
        return result
    if len(numbers) not in (1, len(names)):
        raise ArgumentError(
            f"simulate: {option} has {len(numbers)} values; expected one, or one for each of "
            f"{', '.join(names)}"
        )
    result[:] = numbers
    return result


def _report(robot: Robot, run: Trajectory) -> None:
    rows = [
        (name, number(a), number(b), number(w))
        for name, a, b, w in zip(
            velocity_names(robot.model),
            np.abs(run.v).max(axis=0),
            np.abs(run.tau).max(axis=0, initial=0.0),
            np.abs(run.stops).max(axis=0, initial=0.0),
            strict=True,
        )
    ]
    print(f"{robot.name}: {run.time[-1]:g} s in {len(run.time) - 1} steps")
    show_table(("coordinate", "top speed", "top torque", "top end stop torque"), rows)
    end = ", ".join(
        f"{n} {number(x)}" for n, x in zip(position_names(robot.model), run.q[-1], strict=True)
    )
    print(f"end: {end}")
    print(f"energy: {run.energy[0]:.6g} J at the start, {run.energy[-1]:.6g} J at the end")


def _write_csv(robot: Robot, run: Trajectory, path: Path) -> None:
    names = ["t"]
    names += [f"q.{n}" for n in position_names(robot.model)]
    names += [f"{k}.{n}" for k in ("v", "tau") for n in velocity_names(robot.model)]
    # The torque of a row acts from it to the next; nothing follows the last.
    tau = np.vstack([run.tau, np.zeros((1, robot.nv))])
    table = np.column_stack([run.time, run.q, run.v, tau])
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    print(f"{path}: {len(table)} rows")


def _draw(robot: Robot, run: Trajectory, output: str) -> None:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ArgumentError("simulate --plot needs matplotlib: pip install matplotlib") from None
    figure = Figure(figsize=(9.0, 9.0), layout="constrained")
    FigureCanvasAgg(figure)  # draws without a screen
    axes: Any = figure.subplots(4, sharex=True)
    for k, name in enumerate(position_names(robot.model)):
        axes[0].plot(run.time, run.q[:, k], label=name)
    axes[1].plot(run.time, run.v)
    axes[2].plot(run.time[:-1], run.tau + run.stops)
    axes[3].plot(run.time, run.kinetic, label="kinetic")
    axes[3].plot(run.time, run.potential - run.potential[0], label="potential, from the start's")
    axes[3].plot(run.time, run.energy - run.energy[0], label="sum, from the start's")
    labels = ("position / rad, m", "speed / rad/s, m/s", "drives and stops / N m, N", "energy / J")
    for one, label in zip(axes, labels, strict=True):
        one.set_ylabel(label)
        one.grid(alpha=0.3)
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    axes[3].legend(fontsize="small")
    axes[3].set_xlabel("time / s")
    axes[0].set_title(robot.name)
    figure.savefig(output, dpi=120)
    print(f"{output}: drawn")
