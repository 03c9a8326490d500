"""``python -m dynamics_core dataset``: transitions for learning, as Parquet."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..robot import Robot
from ..simulation.dataset import DatasetSettings, make_dataset
from ..simulation.domains import Randomisation
from ..simulation.physics import Physics
from ..simulation.step import INTEGRATORS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    parser.add_argument("-o", "--output", required=True, help="folder of Parquet files to write")
    parser.add_argument("--transitions", type=int, default=1_000_000, help="number of rows")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument("--dt", type=float, default=0.01, help="time between states, s")
    parser.add_argument("--substeps", type=int, default=10, help="integration steps for it")
    parser.add_argument("--episode", type=int, default=100, help="transitions of an episode")
    parser.add_argument("--integrator", choices=INTEGRATORS, default=INTEGRATORS[0])
    parser.add_argument(
        "--action-scale", type=float, default=1.0, help="share of the effort limits (default 1)"
    )
    group = parser.add_argument_group("robots that differ")
    group.add_argument("--random-inertia", type=float, default=0.0, metavar="SHARE",
                       help="masses and inertias within 1 +- SHARE")  # fmt: skip
    group.add_argument("--random-friction", type=float, default=0.0, metavar="SHARE",
                       help="Coulomb friction up to SHARE of the effort limits")  # fmt: skip
    group.add_argument("--random-damping", type=float, default=0.0, metavar="SHARE",
                       help="viscous friction up to SHARE of the limits at full speed")  # fmt: skip
    group.add_argument("--random-payload", type=float, default=0.0, metavar="KG",
                       help="payload up to KG")  # fmt: skip
    group.add_argument("--payload-frame", default="", help="link that carries the payload")


def run(args: argparse.Namespace) -> int:
    """Write the data set, or what is missing of it.

    Raises:
        DescriptionError: The description cannot be loaded.
        ArgumentError: An argument cannot be used, or the folder holds another data set.
    """
    robot = Robot.from_urdf(args.urdf)
    if args.payload_frame:
        robot.model.frame(args.payload_frame)
    settings = DatasetSettings(
        transitions=args.transitions,
        seed=args.seed,
        dt=args.dt,
        substeps=args.substeps,
        episode=args.episode,
        action_scale=args.action_scale,
        randomisation=Randomisation(
            args.random_inertia,
            args.random_friction,
            args.random_damping,
            args.random_payload,
            args.payload_frame,
        ),
    )
    if not args.dt > 0.0:
        raise ArgumentError(f"dataset: --dt is {args.dt}; expected more than 0")
    advance, close = _progress_bar(settings.transitions)
    try:
        found = make_dataset(robot, args.output, settings, Physics(args.integrator), advance)
    finally:
        close()
    resumed = f", {found} of them from an earlier run" if found else ""
    print(f"{args.output}: {settings.transitions} transitions of {robot.name}{resumed}")
    return 0


def _progress_bar(total: int) -> tuple[Callable[[int], Any], Callable[[], Any]]:
    """Functions that advance and close a progress bar on stderr."""
    try:
        from tqdm import tqdm
    except ImportError:
        done = [0]

        def advance(rows: int) -> None:
            done[0] += rows
            print(f"\r{done[0]} of {total} transitions", end="", file=sys.stderr, flush=True)

        return advance, lambda: print(file=sys.stderr)
    bar = tqdm(total=total, unit=" transitions", unit_scale=True, file=sys.stderr)
    return bar.update, bar.close
