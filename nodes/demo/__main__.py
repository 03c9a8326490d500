"""Command line of the demonstration."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dynamics_core import Robot

from ..launch_plan import DEMO, resolve
from ..resources import describe
from .isolation import DOMAINS, free_domain, isolate
from .measurement import Figure, figures
from .page import page
from .processes import DemoError, Processes
from .recording import Recording
from .scene import PANDA, Scene
from .table import show
from .timing import REAL, SIMULATED, Timing, TooBusyError, lagging

__all__ = ["main"]

#: Whatever else is in the ROS domain, the demonstration's topics are its own.
NAMESPACE = f"demo_{os.getpid()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration.

    Returns:
        0 if all figures are within their bounds, 1 if one is not, 2 if a trial failed.
    """
    options = _options(arguments)
    # Wide enough for the tables where there is no terminal to ask, such as in a log.
    console = Console(width=None if sys.stdout.isatty() else 110)
    folder = options.output / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    domain = options.domain or free_domain()
    isolate(domain)
    console.print(
        f"Four nodes in ROS domain {domain}; what they write goes to {folder}",
        highlight=False,
        soft_wrap=True,
    )
    try:
        with _ends_on_signals():
            recording, measured = _measure(options.time, folder, console)
    except DemoError as error:
        console.print(f"The demonstration failed: {error}", style="bold red", markup=False)
        return 2
    except KeyboardInterrupt:
        console.print("Interrupted; all nodes have ended.")
        return 130
    show(console, recording, measured)
    report = options.output / "index.html"
    report.write_text(page(recording, measured), encoding="utf-8")
    console.print(f"Page with plots: {report.resolve()}", soft_wrap=True, markup=False)
    failed = [f"{f.name} is {f.text}, expected {f.bound}" for f in measured if not f.ok]
    for text in failed:
        console.print(f"Off: {text}", style="bold red", markup=False, soft_wrap=True)
    return 1 if failed else 0


@contextmanager
def _ends_on_signals() -> Iterator[None]:
    """SIGTERM, too, is Ctrl-C: the nodes, in sessions of their own, would outlive this program.

    And Ctrl-C is heard even where a script has started this in the background, deaf to it.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _measure(time: str, folder: Path, console: Console) -> tuple[Recording, list[Figure]]:
    """Real time; simulated time if the machine is too busy for that and nothing forbids it."""
    if time != SIMULATED.name:
        try:
            recording = _record(PANDA, REAL, folder, console)
            measured = figures(recording)
            lag = lagging(recording.loops)
            if time == REAL.name or not lag or all(f.ok for f in measured):
                return recording, measured
        except TooBusyError as error:
            lag = str(error)
            if time == REAL.name:
                raise DemoError(f"this machine is too busy for real time: {lag}") from None
        console.print(
            f"This machine is too busy for real time: {lag}. Once more in simulated time.",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    recording = _record(PANDA, SIMULATED, folder, console)
    return recording, figures(recording)


def _record(scene: Scene, timing: Timing, folder: Path, console: Console) -> Recording:
    from .bench import Bench
    from .trials import run

    limits = _effort_limits(scene)
    nodes = [
        replace(node, parameters={**node.parameters, **timing.overrides.get(node.name, {})})
        for node in resolve(
            DEMO,
            {
                "robot": scene.robot,
                "namespace": NAMESPACE,
                "use_sim_time": str(timing.simulated).lower(),
            },
        )
    ]
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    with bar, Processes(nodes, folder) as processes:
        bench = Bench(NAMESPACE, scene.joints, processes.check, timing.simulated)
        try:
            recording = run(bench, scene, timing, limits, _reporter(bar, console))
        finally:
            bench.close()
        return recording.ended(processes.end())


def _reporter(bar: Progress, console: Console):  # type: ignore[no-untyped-def]
    """Progress as a bar in a terminal, as one line a step elsewhere."""
    task = bar.add_task("", total=1.0)
    current = ""

    def report(what: str, share: float) -> None:
        nonlocal current
        if what != current and not console.is_terminal:
            console.print(what, markup=False)
        current = what
        bar.update(task, description=what, completed=share)

    return report


def _effort_limits(scene: Scene) -> np.ndarray:  # type: ignore[type-arg]
    robot = Robot.from_urdf(describe(scene.robot))
    order = [robot.joint_names.index(name) for name in scene.joints]
    return robot.effort_limits[order]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m dynamics_nodes.demo",
        description="Simulate a seven-joint arm, float it, drive it, push it; print what came "
        "out of it and write a page with plots.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo_output"),
        metavar="FOLDER",
        help="where index.html and what the nodes write go (default: %(default)s)",
    )
    parser.add_argument(
        "--domain",
        type=int,
        choices=DOMAINS,
        metavar="1...101",
        help="ROS domain (default: one that is free)",
    )
    parser.add_argument(
        "--time",
        choices=("auto", REAL.name, SIMULATED.name),
        default="auto",
        help="real time, simulated time, or real time if the machine keeps up "
        "with it (default: auto)",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
