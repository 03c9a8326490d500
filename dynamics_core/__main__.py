"""``python -m dynamics_core <command>``."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence

from .errors import DynamicsError, ModelWarning

#: Commands: module in ``dynamics_core.cli``, and what it does. A module is imported when used.
COMMANDS = {
    "check": ("check", "tree, masses, limits, and every doubt about a description"),
    "info": ("info", "joints, frames and inertias as tables"),
    "plot": ("plot", "torque curves as a picture"),
    "export-c": ("export_c", "dynamics as C99 source"),
    "simulate": ("simulate", "simulate a robot"),
    "dataset": ("dataset", "transitions for learning"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0: fine; 1: the check found doubts under ``--strict``; 2: an error, said on stderr.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="python -m dynamics_core", description="Rigid-body dynamics of robots from their URDF."
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = arguments[0] if arguments else ""
    for name, (module_name, help_text) in COMMANDS.items():
        command = subparsers.add_parser(name, help=help_text, description=help_text)
        if name == wanted:
            module = importlib.import_module(f".cli.{module_name}", __package__)
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    args = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show  # type: ignore[assignment] # fewer names, same call
            warnings.simplefilter("always", ModelWarning)
            return int(args.run(args))
    except DynamicsError as error:
        print(f"error: {error}", file=sys.stderr)
    except BrokenPipeError:  # the reader, such as `head`, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
    return 2


def _show(message: Warning | str, *_: object) -> None:
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
