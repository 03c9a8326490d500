"""``python -m dynamics_core export-c``: a robot's dynamics as C99 for real-time controllers."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import algorithms  # noqa: F401 - registers the algorithms
from ..algorithms.jacobian import REFERENCES
from ..compiler.export_c import export_c, file_name
from ..errors import ArgumentError
from ..functions import FUNCTIONS
from ..robot import Robot

DEFAULT_FUNCTIONS = ("inverse_dynamics", "gravity_torque")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    parser.add_argument(
        "--functions",
        nargs="+",
        default=list(DEFAULT_FUNCTIONS),
        metavar="NAME",
        help=f"functions to write (default: {' '.join(DEFAULT_FUNCTIONS)}); known are "
        + ", ".join(sorted(FUNCTIONS)),
    )
    parser.add_argument(
        "--frames",
        nargs="+",
        default=[],
        metavar="LINK",
        help="links for the functions of a frame, such as jacobian: one C function for each",
    )
    parser.add_argument(
        "--reference",
        choices=REFERENCES,
        default="local_world_aligned",
        help="what Jacobians and velocities are measured in (default: %(default)s)",
    )
    parser.add_argument("--floating-base", action="store_true", help="free the base link")
    parser.add_argument(
        "-o",
        "--output",
        default="robot_dynamics",
        help="path without suffix (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Write ``<output>.h`` and ``<output>.c``.

    Raises:
        DescriptionError: The URDF cannot be used.
        ArgumentError: An unknown function, or a function of a frame without ``--frames``.
        UnknownNameError: The robot has no such link.
    """
    options = {"floating_base": True} if args.floating_base else {}
    model = Robot.from_urdf(args.urdf, **options).model
    for frame in args.frames:
        model.frame(frame)
    chosen = [
        (name, chosen)
        for name in args.functions
        for chosen in _options(name, args.frames, args.reference)
    ]
    output = Path(args.output)
    header, source = export_c(model, chosen, output.name)
    for suffix, text in ((".h", header), (".c", source)):
        path = output.with_name(file_name(output.name) + suffix)
        path.write_text(text, encoding="ascii")
        print(f"{path}: {text.count(chr(10))} lines")
    return 0


def _options(name: str, frames: list[str], reference: str) -> Iterator[dict[str, Any]]:
    """The options of a function, one set for each frame where it has one."""
    if name not in FUNCTIONS:
        known = ", ".join(sorted(FUNCTIONS))
        raise ArgumentError(f"export-c: no function {name!r}; known are {known}")
    parameters = inspect.signature(FUNCTIONS[name].algorithm).parameters
    if "frame" not in parameters:
        yield {}
        return
    if not frames:
        raise ArgumentError(f"export-c: {name} is about a link; name it with --frames")
    for frame in frames:
        extra = {"reference": reference} if "reference" in parameters else {}
        yield {"frame": frame, **extra}
