"""From links and joints to one tree, in an order that depends on the file alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .elements import Element, quoted
from .records import JointRecord, LinkRecord, check_joint_element, read_joint, read_link
from .schema import parse

#: Longest chain of joints that follow each other.
MAX_MIMICS = 100


@dataclass(frozen=True)
class Description:
    """A checked robot description.

    Attributes:
        name: The robot's name.
        element: The ``<robot>`` element.
        links: By name.
        root: The link that no joint carries.
        joints: Depth first from the root, siblings in the file's order.
    """

    name: str
    element: Element
    links: dict[str, LinkRecord]
    root: LinkRecord
    joints: tuple[JointRecord, ...]


def read_description(robot: Element) -> Description:
    """Check the elements of a robot and order its joints."""
    for element in robot.all("joint"):
        check_joint_element(element)
    parsed = parse(robot)
    links: dict[str, LinkRecord] = {}
    for element, parsed_link in zip(robot.all("link"), parsed.links, strict=True):
        link = read_link(element, parsed_link)
        if link.name in links:
            first = links[link.name].element.line
            raise element.error(f"a link of this name stands on line {first} already; rename one")
        links[link.name] = link
    if not links:
        raise robot.error("the robot has no <link>")
    joints: dict[str, JointRecord] = {}
    for element, parsed_joint in zip(robot.all("joint"), parsed.joints, strict=True):
        joint = read_joint(element, parsed_joint)
        if joint.name in joints:
            first = joints[joint.name].element.line
            raise element.error(f"a joint of this name stands on line {first} already; rename one")
        joints[joint.name] = joint
    root = _root(robot, links, joints.values())
    ordered = _depth_first(root.name, joints.values())
    if len(ordered) != len(joints):
        left = next(j for j in joints.values() if j not in set(ordered))
        raise left.element.error(
            f"the joint is part of a loop: link {quoted(left.child)} carries itself; "
            "a robot is a tree, so cut the loop"
        )
    return Description(parsed.name, robot, links, root, tuple(_check_mimics(ordered)))


def _root(
    robot: Element, links: dict[str, LinkRecord], joints: Iterable[JointRecord]
) -> LinkRecord:
    carried: dict[str, JointRecord] = {}
    for j in joints:
        for end in (j.parent, j.child):
            if end not in links:
                raise j.element.error(f"there is no link {quoted(end)}; add it or mend the name")
        if j.child in carried:
            other = carried[j.child]
            raise j.element.error(
                f"link {quoted(j.child)} has two parents: it is the child of joint "
                f"{quoted(other.name)} (line {other.element.line}) as well"
            )
        carried[j.child] = j
    roots = [link for name, link in links.items() if name not in carried]
    if not roots:
        raise robot.error("every link is the child of some joint: the robot has a loop and no root")
    if len(roots) > 1:
        names = ", ".join(f"{quoted(r.name)} (line {r.element.line})" for r in roots[:10])
        more = f" and {len(roots) - 10} more" if len(roots) > 10 else ""
        raise robot.error(
            f"{len(roots)} links have no parent: {names}{more}; join them to one tree"
        )
    return roots[0]


def _depth_first(root: str, joints: Iterable[JointRecord]) -> list[JointRecord]:
    children: dict[str, list[JointRecord]] = {}
    for j in joints:
        children.setdefault(j.parent, []).append(j)
    ordered: list[JointRecord] = []
    stack = children.get(root, [])[::-1]
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(children.get(joint.child, [])[::-1])
    return ordered


def _check_mimics(joints: list[JointRecord]) -> list[JointRecord]:
    """The same joints, each mimic chain resolved to the joint that moves of its own."""
    by_name = {j.name: j for j in joints}
    resolved: list[JointRecord] = []
    for joint in joints:
        master, multiplier, offset, seen = joint, 1.0, 0.0, [joint.name]
        while master.mimics is not None:
            tag = joint.element.only("mimic") or joint.element
            target = by_name.get(master.mimics)
            if target is None:  # a doubt (see lint.py): the joint moves on its own
                master = replace(master, mimics=None, multiplier=1.0, offset=0.0)
                break
            if len(seen) > MAX_MIMICS:
                raise tag.error(f"more than {MAX_MIMICS} joints that follow each other are refused")
            if target.name in seen:
                raise tag.error(f"the joints follow each other: {' -> '.join(map(quoted, seen))}")
            if target.type is None or target.type.nv != 1:
                kind = target.element.attributes.get("type", "")
                raise tag.error(
                    f"joint {quoted(target.name)} is {kind}; only a revolute, continuous or "
                    "prismatic joint can be followed"
                )
            offset += multiplier * master.offset
            multiplier *= master.multiplier
            seen.append(target.name)
            master = target
        if master.name == joint.name:
            resolved.append(master)
        else:
            resolved.append(
                replace(joint, mimics=master.name, multiplier=multiplier, offset=offset)
            )
    return resolved
