"""``python -m dynamics_core info``: joints, frames and inertias of a robot as tables."""

from __future__ import annotations

import argparse

from ..model import Model
from ..spatial import Vector
from ..urdf import load_urdf
from .tables import number, show_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    parser.add_argument("--floating-base", action="store_true", help="free the base link")


def run(args: argparse.Namespace) -> int:
    """Print the tables.

    Raises:
        DescriptionError: The description cannot be loaded.
    """
    model = load_urdf(args.urdf, floating_base=args.floating_base)
    print(f"{model.name}: nq = {model.nq}, nv = {model.nv}, {number(model.total_mass)} kg")
    print("\nJoints, in the order of every joint array")
    show_table(
        ("q", "v", "joint", "type", "lower", "upper", "velocity", "effort", "damping", "friction"),
        [_joint_row(model, name) for name in model.joint_names],
    )
    print("\nBodies: mass, centre of mass and inertia about the joint, in the body's axes")
    show_table(
        ("body", "joint", "kg", "com / m", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"),
        [_body_row(model, k) for k in range(model.body_count)],
    )
    print("\nFrames: position in the body that carries them, with the axes of that body")
    show_table(
        ("frame", "body", "position / m"),
        [
            (f.name, model.bodies[f.body].name if f.body >= 0 else "(base)",
             _vector(f.placement.position))
            for f in model.frames
        ],
    )  # fmt: skip
    return 0


def _joint_row(model: Model, name: str) -> tuple[str, ...]:
    j = model.joint(name)
    values = (*(getattr(j.limits, k) for k in ("lower", "upper", "velocity", "effort")),
              j.damping, j.friction)  # fmt: skip
    return (str(j.q_index), str(j.v_index), j.name, j.type.value, *map(number, values))


def _body_row(model: Model, k: int) -> tuple[str, ...]:
    body = model.bodies[k]
    mass, s = body.inertia.mass, body.inertia.second
    com = _vector(body.inertia.first * (1.0 / mass)) if mass > 0.0 else "-"
    moments = (s[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return (body.name, body.joint.name, number(mass), com, *map(number, moments))


def _vector(v: Vector) -> str:
    return " ".join(f"{x:.5g}" for x in v)
