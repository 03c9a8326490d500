"""``python -m dynamics_core plot``: gravity torques over a joint's range, or along a trajectory."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..model import Joint, JointType
from ..robot import Robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--joint", help="gravity torques over this joint's range, the others at zero")
    what.add_argument(
        "--trajectory",
        help="torques along this motion: .npz with t (N,), q, v, a (N, nv), or .csv with the "
        "columns t and q.<joint>, v.<joint>, a.<joint>; v and a are differenced where missing",
    )
    parser.add_argument("-o", "--output", default="torques.png", help="picture to write")


def run(args: argparse.Namespace) -> int:
    """Draw the picture.

    Raises:
        DescriptionError: The description cannot be loaded.
        ArgumentError: matplotlib is missing, or the trajectory cannot be used.
        UnknownNameError: The robot has no such joint.
    """
    robot = Robot.from_urdf(args.urdf)
    if any(j.type.nv != 1 for j in robot.model.joints):
        raise ArgumentError("plot: only robots whose joints have one degree of freedom are drawn")
    if args.joint is not None:
        joint = robot.model.joint(args.joint)
        x, torques = gravity_over_range(robot, joint)
        unit = "m" if joint.type is JointType.PRISMATIC else "rad"
        _draw(robot, x, torques, f"{joint.name} / {unit}", "gravity torque", args.output)
    else:
        t, q, v, a = read_trajectory(robot, Path(args.trajectory))
        torques = np.asarray(robot.inverse_dynamics(q, v, a))
        _draw(robot, t, torques, "time / s", "torque", args.output)
    print(f"{args.output}: {len(torques)} samples of {robot.nv} joints")
    return 0


def gravity_over_range(robot: Robot, joint: Joint, n: int = 361) -> tuple[np.ndarray, np.ndarray]:
    """Gravity torques over a joint's range (a full turn or 1 m either way where unlimited).

    Returns:
        Positions (n,) and torques (n, nv).
    """
    if joint.mimics is not None:
        raise ArgumentError(f"plot: joint {joint.name!r} follows {joint.mimics!r}; draw that one")
    far = 1.0 if joint.type is JointType.PRISMATIC else math.pi
    lower = joint.limits.lower if math.isfinite(joint.limits.lower) else -far
    upper = joint.limits.upper if math.isfinite(joint.limits.upper) else far
    x = np.linspace(lower, upper, n)
    q = np.zeros((n, robot.nq))
    q[:, joint.q_index] = x
    return x, np.asarray(robot.gravity_torque(q))


def read_trajectory(
    robot: Robot, path: Path
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times (N,), positions, velocities and accelerations (N, nv) from a file."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                columns = {key: np.asarray(archive[key], dtype=float) for key in archive.files}
        else:
            columns = _read_csv(robot, path)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{path}: cannot be read: {error}") from None
    for key in ("t", "q"):
        if key not in columns:
            raise ArgumentError(f"{path}: has no {key}; found {', '.join(sorted(columns))}")
    t, q = columns["t"], columns["q"]
    if t.ndim != 1 or len(t) < 3 or not np.all(np.diff(t) > 0.0):
        raise ArgumentError(f"{path}: t must be three or more growing times")
    v = columns["v"] if "v" in columns else np.gradient(q, t, axis=0)
    a = columns["a"] if "a" in columns else np.gradient(v, t, axis=0)
    for key, value in (("q", q), ("v", v), ("a", a)):
        if value.shape != (len(t), robot.nv) or not np.isfinite(value).all():
            raise ArgumentError(
                f"{path}: {key} has shape {value.shape}; expected finite numbers of shape "
                f"{(len(t), robot.nv)}"
            )
    return t, q, v, a


def _read_csv(robot: Robot, path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8-sig") as file:
        head = [word.strip() for word in file.readline().split(",")]
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    if table.shape[1] != len(head):
        raise ValueError(f"{len(head)} column names above {table.shape[1]} columns")
    found = {"t": table[:, head.index("t")]} if "t" in head else {}
    for key in "qva":
        names = [f"{key}.{name}" for name in robot.joint_names]
        if any(name in head for name in names):
            missing = [name for name in names if name not in head]
            if missing:
                raise ValueError(f"columns missing: {', '.join(missing)}")
            found[key] = table[:, [head.index(name) for name in names]]
    return found


def _draw(
    robot: Robot, x: np.ndarray, torques: np.ndarray, x_label: str, y_label: str, output: str
) -> None:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ArgumentError("plot needs matplotlib: pip install matplotlib") from None
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    FigureCanvasAgg(figure)  # draws without a screen
    axes: Any = figure.add_subplot()
    for k, name in enumerate(robot.joint_names):
        axes.plot(x, torques[:, k], label=name)
    axes.set_xlabel(x_label)
    axes.set_ylabel(f"{y_label} / N m (N for prismatic joints)")
    axes.set_title(robot.name)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    figure.savefig(output, dpi=120)
