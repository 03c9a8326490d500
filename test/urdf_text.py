"""A model as URDF text: the same robot by another way, through the reader."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
from random_trees import random_rotation

from dynamics_core.model import JointType, Model
from dynamics_core.spatial import Inertia, Transform

Array = np.ndarray


def array(m: object) -> Array:
    """A matrix or vector of spatial.py."""
    rows = getattr(m, "rows", None)
    return np.array([list(r) for r in rows] if rows else list(m), dtype=float)  # type: ignore


def roll_pitch_yaw(r: Array) -> Array:
    """Angles of ``Rz(yaw) Ry(pitch) Rx(roll)``, for generic rotations."""
    pitch = np.arctan2(-r[2, 0], np.hypot(r[2, 1], r[2, 2]))
    return np.array([np.arctan2(r[2, 1], r[2, 2]), pitch, np.arctan2(r[1, 0], r[0, 0])])


def _numbers(values: Array) -> str:
    return " ".join(repr(float(x)) for x in values)


def _origin(parent: ElementTree.Element, rotation: Array, position: Array) -> None:
    attributes = {"xyz": _numbers(position), "rpy": _numbers(roll_pitch_yaw(rotation))}
    ElementTree.SubElement(parent, "origin", attributes)


def add_link(
    robot: ElementTree.Element, name: str, inertias: Sequence[Inertia], turn: Array
) -> None:
    """A link with the sum of some inertias, given in axes that ``turn`` takes to the link's.

    The ``<inertial>`` has axes of its own, in which the inertia is diagonal.
    """
    link = ElementTree.SubElement(robot, "link", {"name": name})
    if not inertias:
        return
    total = inertias[0]
    for other in inertias[1:]:
        total = total + other
    com = array(total.first) / total.mass
    about_com = array(total.second) - total.mass * (com @ com * np.eye(3) - np.outer(com, com))
    moments, axes = np.linalg.eigh(turn @ about_com @ turn.T)
    axes = axes * np.sign(np.linalg.det(axes))
    inertial = ElementTree.SubElement(link, "inertial")
    _origin(inertial, axes, turn @ com)
    ElementTree.SubElement(inertial, "mass", {"value": repr(float(total.mass))})
    entries = dict.fromkeys(("ixy", "ixz", "iyz"), "0")
    entries |= {k: repr(float(x)) for k, x in zip(("ixx", "iyy", "izz"), moments, strict=True)}
    ElementTree.SubElement(inertial, "inertia", entries)


def add_fixed_joint(
    robot: ElementTree.Element, parent: str, child: str, rotation: Array, position: Array
) -> None:
    """A joint that does not move."""
    joint = ElementTree.SubElement(robot, "joint", {"name": f"to_{child}", "type": "fixed"})
    ElementTree.SubElement(joint, "parent", {"link": parent})
    ElementTree.SubElement(joint, "child", {"link": child})
    _origin(joint, rotation, position)


def link_axes(model: Model, rng: np.random.Generator) -> list[Array]:
    """For each body a random choice of link axes, as the rotation from body axes to them.

    Planar and floating joints keep the body's, whose x and y mean something there.
    """
    free = (JointType.PLANAR, JointType.FLOATING)
    return [np.eye(3) if b.joint.type in free else random_rotation(rng) for b in model.bodies]


def to_urdf(model: Model, turns: Sequence[Array]) -> ElementTree.Element:
    """The robot element: links ``link0``, ... with the given axes, and the frames ``tool0``, ...

    Args:
        model: A tree whose frames are those of :func:`random_trees.random_model`.
        turns: Rotation of each body's axes to its link's.
    """
    robot = ElementTree.Element("robot", {"name": model.name})
    ElementTree.SubElement(robot, "link", {"name": "base"})
    for body, turn, i in zip(model.bodies, turns, range(len(turns)), strict=True):
        add_link(robot, f"link{i}", [body.inertia], turn)
        _add_joint(robot, model, i, turns)
        tool: Transform = model.frame(f"tool{i}").placement
        ElementTree.SubElement(robot, "link", {"name": f"tool{i}"})
        rotation = turn @ array(tool.rotation.matrix())
        add_fixed_joint(robot, f"link{i}", f"tool{i}", rotation, turn @ array(tool.position))
    return robot


def _add_joint(robot: ElementTree.Element, model: Model, i: int, turns: Sequence[Array]) -> None:
    body, turn = model.bodies[i], turns[i]
    joint = body.joint
    parent_turn = turns[body.parent] if body.parent >= 0 else np.eye(3)
    parent = f"link{body.parent}" if body.parent >= 0 else "base"
    attributes = {"name": joint.name, "type": joint.type.value}
    element = ElementTree.SubElement(robot, "joint", attributes)
    ElementTree.SubElement(element, "parent", {"link": parent})
    ElementTree.SubElement(element, "child", {"link": f"link{i}"})
    placed = parent_turn @ array(body.placement.rotation.matrix()) @ turn.T
    _origin(element, placed, parent_turn @ array(body.placement.position))
    if joint.type is not JointType.FLOATING:
        ElementTree.SubElement(element, "axis", {"xyz": _numbers(turn @ [0.0, 0.0, 1.0])})
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        limit = {"lower": "-10", "upper": "10", "effort": "100", "velocity": "10"}
        ElementTree.SubElement(element, "limit", limit)
    if joint.mimics is not None:
        mimic = {
            "joint": joint.mimics,
            "multiplier": repr(joint.multiplier),
            "offset": repr(joint.offset),
        }
        ElementTree.SubElement(element, "mimic", mimic)
