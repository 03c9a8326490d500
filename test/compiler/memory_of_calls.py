"""Call a robot in every way, again and again, and see what the process has come to need.

``python memory_of_calls.py [calls]`` prints its memory as it goes, and last by how much it grew
after the first tenth, kB. Linux only.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[k]) for k in range(3)]

import numpy as np  # noqa: E402
import robots  # noqa: E402

from dynamics_core import ArgumentError, Robot  # noqa: E402


def ways() -> list[Callable[[], object]]:
    """Each calls a robot in one way."""
    robot = Robot(robots.model("arm"))
    loaded = robot.with_payload(robot.frame_names[-1], 0.4)
    q, v, a = robots.states(robot, 20)
    x = [np.ascontiguousarray(y[0]) for y in (q, v, a)]
    tau, rows = np.empty(robot.nv), np.empty((20, robot.nv))
    square = np.empty((3, robot.nv, robot.nv))
    frame, push = robot.frame_names[-1], np.ones(6)

    def refused() -> None:
        with contextlib.suppress(ArgumentError):
            robot.inverse_dynamics(x[0], x[1], x[2] * np.nan)

    return [
        lambda: robot.inverse_dynamics(*x),
        lambda: robot.inverse_dynamics(*x, out=tau),
        lambda: loaded.inverse_dynamics(*x),
        lambda: robot.inverse_dynamics(q, v, a),
        lambda: robot.inverse_dynamics(q, v, a, out=rows),
        lambda: robot.inverse_dynamics(list(x[0]), *x[1:]),
        lambda: robot.inverse_dynamics(*x, f_ext={frame: push}),
        lambda: robot.mass_matrix(x[0]),
        lambda: robot.jacobian(x[0], frame),
        lambda: robot.kinetic_energy(*x[:2]),
        lambda: robot.inverse_dynamics_derivatives(*x),
        lambda: robot.inverse_dynamics_derivatives(*x, out=tuple(square)),
        refused,
    ]


def resident() -> int:
    """Memory of this process, kB; not its peak, which compiling has set."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


def main(calls: int = 1_000_000) -> int:
    """Make the calls.

    Returns:
        Growth of the process's memory after the first tenth, kB.
    """
    kept = [None] * 50  # of every way some results, so that spare arrays are taken
    sizes = []
    every = itertools.cycle(ways())
    for part in range(10):
        for k in range(calls // 10):
            kept[k % 50] = next(every)()
        sizes.append(resident())
        print(f"{(part + 1) * (calls // 10)} calls: {sizes[-1]} kB", flush=True)
    return sizes[-1] - sizes[0]


if __name__ == "__main__":
    print(main(*map(int, sys.argv[1:])))
