"""Print how fast the library is beside Pinocchio and MuJoCo, measured in one run.

    python -m benchmarks [--quick] [--markdown FILE] [part ...]

Every figure is a median of rounds in which all contenders take turns. Parts: calls, other, batch,
simulation, start, scaling.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable

import llvmlite
import mujoco
import numpy as np
import pinocchio as pin

from . import calls, scaling, simulation, start
from .report import Report

PARTS: dict[str, Callable[[Report], None]] = {
    "calls": calls.single,
    "other": calls.other_functions,
    "batch": calls.batches,
    "simulation": simulation.steps,
    "start": start.start,
    "scaling": scaling.scaling,
}


def machine() -> str:
    """The machine and the versions, in one line."""
    cpu = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            cpu = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    from dynamics_core.calls import get_threads
    from dynamics_core.compiler import engine

    return (
        f"{cpu} ({engine.cpu()[0]}), {get_threads()} CPUs, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, llvmlite {llvmlite.__version__}, Pinocchio {pin.__version__}, "
        f"MuJoCo {mujoco.__version__}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there too")
    args = parser.parse_args()
    unknown = set(args.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    report = Report(rounds=41 if args.quick else 201)
    print(machine(), flush=True)
    for name in args.parts or PARTS:
        PARTS[name](report)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write(f"{machine()}\n\n{report.markdown()}")
    missed = report.missed()
    print(f"{len(missed)} of {report.goals} goals missed" + "".join(f"\n  {m}" for m in missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
