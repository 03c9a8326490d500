"""``python -m dynamics_core check``: what a description says, and what is doubtful about it."""

from __future__ import annotations

import argparse

from ..description import Description, build_model, read_description, read_elements, read_source
from ..lint import Doubt, find_doubts
from ..model import JointType, Model
from .tables import number, show_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urdf", help="path of a URDF or xacro file")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there are doubts")
    parser.add_argument("--xacro", action="store_true", help="expand the file whatever its name")


def run(args: argparse.Namespace) -> int:
    """Print the tree, the masses and the doubts.

    Returns:
        1 with ``--strict`` if there is a doubt that is more than a note, else 0.

    Raises:
        DescriptionError: The description cannot be loaded.
    """
    description = read_description(read_elements(*read_source(args.urdf, xacro=args.xacro)))
    model = build_model(description)
    doubts = find_doubts(description)
    print(
        f"{model.name}: {len(description.links)} links, {len(model.bodies)} moving bodies, "
        f"{model.nv} degrees of freedom, {number(model.total_mass)} kg"
    )
    show_table(
        ("link", "mass / kg", "joint", "type", "range", "velocity", "effort"),
        _tree(description, model),
    )
    _print_doubts(doubts)
    return int(args.strict and any(d.severity == "warning" for d in doubts))


def _tree(description: Description, model: Model) -> list[tuple[str, ...]]:
    root = description.root
    depth = {root.name: 0}
    rows: list[tuple[str, ...]] = [(root.name, number(root.mass), "", "", "", "", "")]
    moving = {b.joint.name: b.joint for b in model.bodies}
    for record in description.joints:
        depth[record.child] = depth[record.parent] + 1
        link = description.links[record.child]
        name = "  " * min(depth[record.child], 30) + link.name
        joint = moving.get(record.name)
        if joint is None:
            rows.append((name, number(link.mass), record.name, "fixed", "", "", ""))
            continue
        span = ""
        if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            span = f"{number(joint.limits.lower)} .. {number(joint.limits.upper)}"
        kind = joint.type.value
        if joint.mimics is not None:
            kind += f" = {number(joint.multiplier)} {joint.mimics} + {number(joint.offset)}"
        rows.append(
            (name, number(link.mass), joint.name, kind, span,
             number(joint.limits.velocity), number(joint.limits.effort))
        )  # fmt: skip
    return rows


def _print_doubts(doubts: list[Doubt]) -> None:
    for doubt in doubts:
        print(f"\n{doubt.source}:{doubt.line}: {doubt.severity}: {doubt.message}")
        print(f"    in {doubt.element}\n    -> {doubt.proposal}")
    serious = sum(d.severity == "warning" for d in doubts)
    print(f"\n{serious} doubts, {len(doubts) - serious} notes")
