"""Links and joints as the file states them, checked one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from urdf_parser_py import urdf

from ..model import JointType, Limits
from ..spatial import Matrix, Transform, Vector
from .elements import Element, quoted

#: What is this near to a right angle, rad, is meant to be one: rpy="1.57079632679 0 0".
_SNAP = 1e-11

#: Rows of a rotation matrix are orthogonal and of length 1 to within this.
_ROUNDING = 1e-15
Triple = tuple[float, float, float]
_TYPES = {t.value: t for t in JointType}


@dataclass(frozen=True)
class LinkRecord:
    """A link: mass, centre of mass in its frame, inertia about it in its frame's axes."""

    name: str
    element: Element
    mass: float = 0.0
    com: Triple = (0.0, 0.0, 0.0)
    inertia: np.ndarray | None = None  # (3, 3) about the centre of mass; None: no <inertial>


@dataclass(frozen=True)
class JointRecord:
    """A joint: ``type`` is None if it is fixed."""

    name: str
    element: Element
    type: JointType | None
    parent: str
    child: str
    origin: Transform
    axis: Triple
    limits: Limits
    damping: float
    friction: float
    mimics: str | None
    multiplier: float
    offset: float
    axis_norm: float  # of the axis as written


def read_link(element: Element, link: urdf.Link) -> LinkRecord:
    """Check a ``<link>``."""
    inertial = element.only("inertial")
    if inertial is None:
        return LinkRecord(link.name, element)
    mass_element, tensor = inertial.only("mass"), inertial.only("inertia")
    inertial.only("origin")
    if mass_element is None:
        raise inertial.error("has no <mass>; add it, or remove the <inertial>")
    parsed = link.inertial
    if parsed.mass < 0.0:
        raise mass_element.error(f"the mass is {parsed.mass} kg; it cannot be negative")
    xyz, rpy = _pose(parsed.origin)
    if tensor is None:
        return LinkRecord(link.name, element, parsed.mass, xyz, np.zeros((3, 3)))
    r = as_array(rotation(rpy))
    turned = r @ np.array(parsed.inertia.to_matrix(), dtype=np.float64) @ r.T
    return LinkRecord(link.name, element, parsed.mass, xyz, (turned + turned.T) / 2.0)


def read_joint(element: Element, joint: urdf.Joint) -> JointRecord:
    """Check a ``<joint>``."""
    kind = joint.joint_type
    if joint.parent == joint.child:
        raise element.error(f"joins link {quoted(joint.parent)} to itself")
    element.only("origin")
    xyz, rpy = _pose(joint.origin)
    joint_type = _TYPES.get(kind)
    axis, norm = _axis(element, joint, joint_type)
    mimics, multiplier, offset = None, 1.0, 0.0
    mimic = element.only("mimic")
    if mimic is not None and joint_type is not None:
        mimics = joint.mimic.joint
        multiplier = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
        offset = joint.mimic.offset or 0.0
        if mimics == joint.name:
            raise mimic.error("the joint follows itself; name another joint")
        if joint_type in (JointType.PLANAR, JointType.FLOATING):
            raise mimic.error(f"a {kind} joint cannot follow another joint")
    damping, friction = _losses(element, joint)
    return JointRecord(
        joint.name, element, joint_type, joint.parent, joint.child,
        Transform(rotation(rpy), Vector(*xyz)), axis, _limits(element, joint, joint_type),
        damping, friction, mimics, multiplier, offset, norm,
    )  # fmt: skip


def check_joint_element(element: Element) -> None:
    """What must hold before urdf_parser_py, which says less when it does not, sees the joint."""
    kind = element.attributes.get("type")
    if kind is None:
        raise element.error("the attribute type is missing")
    if kind != "fixed" and kind not in _TYPES:
        known = ", ".join([*_TYPES, "fixed"])
        raise element.error(f"unknown joint type {quoted(kind)}; known are {known}")
    for tag in ("parent", "child"):
        if element.only(tag) is None:
            raise element.error(f"has no <{tag}>; add <{tag} link=.../>")


def _pose(origin: urdf.Pose | None) -> tuple[Triple, Triple]:
    xyz = (origin.xyz if origin is not None else None) or (0.0, 0.0, 0.0)
    rpy = (origin.rpy if origin is not None else None) or (0.0, 0.0, 0.0)
    return (xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2])


def _axis(
    element: Element, joint: urdf.Joint, joint_type: JointType | None
) -> tuple[Triple, float]:
    if joint_type in (None, JointType.FLOATING):
        return (0.0, 0.0, 1.0), 1.0
    tag = element.only("axis")
    x, y, z = joint.axis if tag is not None else (1.0, 0.0, 0.0)
    norm = math.hypot(x, y, z)
    if not 1e-12 < norm < math.inf:
        raise (tag or element).error("the axis has no direction; give a vector that is not zero")
    return (x / norm, y / norm, z / norm), norm


def _limits(element: Element, joint: urdf.Joint, joint_type: JointType | None) -> Limits:
    tag = element.only("limit")
    if tag is None or joint_type is None:
        return Limits()
    limit, lower, upper = joint.limit, -math.inf, math.inf
    bounded = joint_type in (JointType.REVOLUTE, JointType.PRISMATIC)
    if bounded and not {"lower", "upper"}.isdisjoint(tag.attributes):
        lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if lower == math.inf or upper == -math.inf:
        raise tag.error(f"lower={lower} and upper={upper} leave no position")
    if lower > upper:
        raise tag.error(f"lower={lower} is above upper={upper}; exchange them")
    for key, value in (("velocity", limit.velocity), ("effort", limit.effort)):
        if value < 0.0:
            raise tag.error(f"{key}={value} is negative; it is a magnitude")
    # Zero is how descriptions say that a limit is not known.
    return Limits(lower, upper, limit.velocity or math.inf, limit.effort or math.inf)


def _losses(element: Element, joint: urdf.Joint) -> tuple[float, float]:
    tag = element.only("dynamics")
    if tag is None:
        return 0.0, 0.0
    damping, friction = joint.dynamics.damping or 0.0, joint.dynamics.friction or 0.0
    for key, value in (("damping", damping), ("friction", friction)):
        if value < 0.0:
            raise tag.error(f"{key}={value} is negative; it would feed energy into the joint")
    return damping, friction


def rotation(rpy: Triple) -> Matrix:
    """Rotation of roll, pitch, yaw about fixed axes: ``Rz(yaw) Ry(pitch) Rx(roll)``.

    Right angles are exact, so that axes that are parallel on paper cost nothing in the equations
    of motion.
    """
    (sr, cr), (sp, cp), (sy, cy) = map(_sine_and_cosine, rpy)
    return snapped(
        (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
    )


def _sine_and_cosine(angle: float) -> tuple[float, float]:
    quarters = round(angle / (math.pi / 2.0))
    if abs(angle - quarters * (math.pi / 2.0)) <= _SNAP:
        return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[quarters % 4]
    return math.sin(angle), math.cos(angle)


def as_array(matrix: Matrix) -> np.ndarray:
    """(3, 3) array of a matrix of numbers."""
    return np.array([list(row) for row in matrix.rows], dtype=np.float64)


def snapped(rows: object) -> Matrix:
    """A rotation matrix with entries next to -1, 0 and 1 made exact, where it stays a rotation.

    It does not where an angle is near, but not next to, a right angle: 1.5708 has a sine within
    1e-11 of 1 and a cosine of -3.7e-6. An exact sine would then no longer fit the cosine.
    """
    a = np.array(rows, dtype=np.float64)
    near = np.round(a)
    exact = np.where(np.abs(a - near) <= _SNAP, near, a)
    is_rotation = np.abs(exact @ exact.T - np.eye(3)).max() <= _ROUNDING
    return Matrix((exact if is_rotation else a).tolist())
