"""Doubts about a robot description: what can be loaded, but is probably not what was meant.

A rule is a generator over a checked :class:`Description`. Loading turns doubts into warnings, or
into one error with ``strict=True``; ``python -m dynamics_core check`` lists them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .description.elements import Element, quoted
from .description.records import JointRecord, LinkRecord
from .description.tree import Description
from .errors import DescriptionError
from .model import JointType

#: Rounding of printed moments that is let pass, as a share of the largest moment.
ROUNDING = 1e-3
#: Deviation of an axis from unit length that is let pass: "0.577 0.577 0.577" is a unit vector.
AXIS_ROUNDING = 1e-3
#: Smallest credible radius of gyration, m: below it the inertia is a slip of units.
SMALLEST_RADIUS = 2e-4


@dataclass(frozen=True)
class Doubt:
    """One suspicious thing.

    Attributes:
        severity: ``warning`` is warned of when loading and refused by ``strict``; a ``note`` is
            only listed by the checker.
        element: The element's path, such as ``<joint name="j"> in <robot name="r">``.
        line: Its line in the source.
        source: File name, or ``<text>``.
        message: What is suspicious.
        proposal: What to do about it.
    """

    severity: Literal["warning", "note"]
    element: str
    line: int
    source: str
    message: str
    proposal: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.element}: {self.message}; {self.proposal}"


def find_doubts(description: Description) -> list[Doubt]:
    """Every doubt, in the order of the file."""
    found = [doubt for rule in RULES for doubt in rule(description)]
    return sorted(found, key=lambda d: d.line)


def refuse(doubts: list[Doubt], description: Description) -> None:
    """One error that lists all doubts that are no mere notes."""
    serious = [d for d in doubts if d.severity == "warning"]
    if serious:
        listing = "".join(f"\n  {d}" for d in serious)
        raise DescriptionError(
            f"{description.element.where()}: strict loading refuses {len(serious)} doubts:{listing}"
        )


def _warning(element: Element, message: str, proposal: str) -> Doubt:
    return Doubt("warning", element.path(), element.line, element.source, message, proposal)


def _note(element: Element, message: str, proposal: str) -> Doubt:
    return Doubt("note", element.path(), element.line, element.source, message, proposal)


def _part(element: Element, *tags: str) -> Element:
    """The descendant down a path of tags, or as far as the path exists."""
    for tag in tags:
        element = element.only(tag) or element
    return element


# Links.


def _moments(d: Description) -> Iterator[Doubt]:
    """No body has a principal moment below zero or above the sum of the two others."""
    for link in d.links.values():
        if link.inertia is None:
            continue
        where = _part(link.element, "inertial", "inertia")
        low, middle, high = np.linalg.eigvalsh(link.inertia).tolist()
        size = max(abs(low), abs(high))
        shown = f"principal moments ({low:.4g}, {middle:.4g}, {high:.4g}) kg m2"
        if size == 0.0:
            if link.mass > 0.0:
                yield _note(
                    where, f"{link.mass:g} kg without rotational inertia: a point mass",
                    "give the moments if the link is a body",
                )  # fmt: skip
        elif low < -ROUNDING * size:
            yield _warning(
                where, f"the inertia is not positive definite: {shown}",
                "check the signs and the order of ixx ixy ixz iyy iyz izz",
            )  # fmt: skip
        elif low + middle < high - ROUNDING * size:
            yield _warning(
                where, f"no body has {shown}: triangle inequality, the largest exceeds the sum of "
                "the two others",
                "check that the moments are about the centre of mass and not about the joint",
            )  # fmt: skip


def _masses(d: Description) -> Iterator[Doubt]:
    """Mass and inertia come together."""
    if all(link.mass == 0.0 for link in d.links.values()):
        yield _warning(
            d.element, "no link has a mass, so that there is no dynamics",
            "add <inertial> to the links",
        )  # fmt: skip
    for link in d.links.values():
        if link.mass == 0.0 and link.inertia is not None and np.any(link.inertia):
            yield _warning(
                _part(link.element, "inertial", "mass"),
                "rotational inertia without mass", "give the mass, or model a rotor by armature",
            )  # fmt: skip


def _sizes(d: Description) -> Iterator[Doubt]:
    """A link is about as large as the robot: its origin, its mass and its inertia must agree."""
    reach = max((_norm(j.origin.position) for j in d.joints), default=0.0)
    limit = max(1.0, 2.0 * reach)
    for link in d.links.values():
        distance = _norm(link.com)
        if link.mass > 0.0 and distance > limit:
            yield _warning(
                _part(link.element, "inertial", "origin"),
                f"the centre of mass lies {distance:.3g} m from the link's origin, where no joint "
                f"is farther than {reach:.3g} m from its parent",
                "check the unit (metres)",
            )  # fmt: skip
        if link.mass <= 0.0 or link.inertia is None or not np.any(link.inertia):
            continue
        radius = math.sqrt(float(np.abs(link.inertia).max()) / link.mass)
        if not SMALLEST_RADIUS <= radius <= limit:
            yield _warning(
                _part(link.element, "inertial", "inertia"),
                f"mass and inertia imply a body with a radius of gyration of {radius:.3g} m",
                "check the units (kg and kg m2)",
            )  # fmt: skip


def _massless(d: Description) -> Iterator[Doubt]:
    """A joint that carries no mass at all has no forward dynamics."""
    carried = {name: link.mass for name, link in d.links.items()}
    for joint in reversed(d.joints):
        carried[joint.parent] += carried[joint.child]
    for joint in d.joints:
        link = d.links[joint.child]
        if joint.type is None or link.mass > 0.0:
            continue
        if carried[joint.child] == 0.0:
            yield _warning(
                link.element,
                f"joint {quoted(joint.name)} moves no mass, so that forward dynamics has no answer",
                "add <inertial>, give the joint armature, or make it fixed",
            )  # fmt: skip
        elif link.inertia is None:
            yield _note(
                link.element,
                f"no <inertial>; joint {quoted(joint.name)} carries only the mass of later links",
                "add it if the link has a mass",
            )  # fmt: skip


def _norm(vector: Iterable[float]) -> float:
    return math.sqrt(sum(x * x for x in vector))


# Joints.


def _axes(d: Description) -> Iterator[Doubt]:
    for joint in d.joints:
        if abs(joint.axis_norm - 1.0) > AXIS_ROUNDING:
            x, y, z = joint.axis
            yield _warning(
                _part(joint.element, "axis"),
                f"the axis has length {joint.axis_norm:.4g} and was normalised",
                f'write xyz="{x:.9g} {y:.9g} {z:.9g}"',
            )  # fmt: skip


def _limits(d: Description) -> Iterator[Doubt]:
    for joint in d.joints:
        if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            yield from _position_limits(joint)
        tag = joint.element.only("limit")
        if tag is None or joint.type is None:
            continue
        for key, unit in (("effort", "N m or N"), ("velocity", "rad/s or m/s")):
            if key in tag.attributes and float(tag.attributes[key]) == 0.0:
                yield _warning(
                    tag, f'{key}="0" is taken as "not known": no limit is applied',
                    f"write the actuator's {key} limit in {unit}",
                )  # fmt: skip
        if joint.type is JointType.CONTINUOUS and not {"lower", "upper"}.isdisjoint(tag.attributes):
            yield _note(tag, "a continuous joint has no lower or upper limit; both are ignored",
                        "make the joint revolute if it has end stops")  # fmt: skip


def _position_limits(joint: JointRecord) -> Iterator[Doubt]:
    kind = joint.element.attributes["type"]
    tag = joint.element.only("limit")
    if tag is None:
        yield _warning(
            joint.element, f"a {kind} joint without <limit>: it is taken as unlimited",
            "add <limit lower= upper= effort= velocity=>, or make it continuous",
        )  # fmt: skip
    elif math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper):
        yield _note(tag, "neither lower nor upper is given: the range is taken as unlimited",
                    "add both")  # fmt: skip
    elif joint.limits.lower == joint.limits.upper:
        yield _warning(
            tag, f"lower and upper are both {joint.limits.lower:g}: the joint cannot move",
            "mend the range, or make the joint fixed",
        )  # fmt: skip


def _mimics(d: Description) -> Iterator[Doubt]:
    moving = {j.name for j in d.joints if j.type is not None}
    for joint in d.joints:
        tag = joint.element.only("mimic")
        if tag is None:
            continue
        master = tag.attributes["joint"]
        if joint.type is None:
            yield _note(tag, "a fixed joint follows nothing; the <mimic> is ignored", "remove it")
        elif master not in moving:
            yield _warning(
                tag, f"there is no joint {quoted(master)} to follow: the joint moves on its own",
                "mend the name, or remove the <mimic>",
            )  # fmt: skip
        elif joint.multiplier == 0.0:
            yield _warning(tag, "with a multiplier of 0 the joint never moves",
                           "mend it, or make the joint fixed")  # fmt: skip


def _root(d: Description) -> Iterator[Doubt]:
    link: LinkRecord = d.root
    if link.mass > 0.0:
        yield _note(
            link.element, f"the root link's {link.mass:g} kg count in the total mass, and move "
            "only with a floating base",
            "nothing to do",
        )  # fmt: skip


#: Every rule; each may find any number of doubts.
RULES: tuple[Callable[[Description], Iterator[Doubt]], ...] = (
    _moments, _masses, _sizes, _massless, _axes, _limits, _mimics, _root,
)  # fmt: skip
