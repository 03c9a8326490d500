"""One robot, many descriptions: what a URDF says must not depend on how it says it.

Random trees are written as URDF text with arbitrary link axes and read back; then massless links
are added, links are cut in two that a fixed joint holds together, and the file is shuffled.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import random_trees
from backends import RobotUnderTest
from hypothesis import given
from random_trees import Case, cases, fixed_cases, random_inertia, random_rotation, transform
from urdf_text import add_fixed_joint, add_link, link_axes, to_urdf

from dynamics_core import Robot
from dynamics_core.spatial import Inertia

TOLERANCE = 1e-9
TREES = random_trees.examples(50, compiled=5)


def read(element: ElementTree.Element, like: Robot) -> Robot:
    """The robot of a URDF, with gravity and rotors of another one."""
    text = ElementTree.tostring(element, encoding="unicode")
    rotors = {b.joint.name: b.joint.armature for b in like.model.bodies}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gravity = tuple(float(g) for g in like.gravity)
        return RobotUnderTest.from_urdf(text, gravity=gravity, armature=rotors)


def coordinates(a: Robot, b: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Indices with ``q_b = q_a[iq]`` and ``v_b = v_a[iv]``, joints matched by name."""
    iq: list[int] = []
    iv: list[int] = []
    for name in b.joint_names:
        j = a.model.joint(name)
        iq += range(j.q_index, j.q_index + j.type.nq)
        iv += range(j.v_index, j.v_index + j.type.nv)
    return np.array(iq), np.array(iv)


def assert_same(case: Case, other: Robot) -> None:
    """Torques under wrenches on links and tools, mass matrix, poses, momentum."""
    robot = case.robot
    iq, iv = coordinates(robot, other)
    state = (case.q[iq], case.v[iv], case.a[iv])
    tools = {f: w for f, w in case.f_ext.items() if f.startswith("tool")}
    expected = robot.inverse_dynamics(case.q, case.v, case.a, f_ext=tools)[iv]
    scale = max(1.0, float(np.abs(expected).max()))
    actual = other.inverse_dynamics(*state, f_ext=tools)
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=TOLERANCE * scale)
    m = robot.mass_matrix(case.q)[np.ix_(iv, iv)]
    np.testing.assert_allclose(
        other.mass_matrix(state[0]), m, rtol=0.0, atol=TOLERANCE * np.abs(m).max()
    )
    for i in range(len(robot.model.bodies)):
        pose = robot.frame_pose(case.q, f"tool{i}")
        np.testing.assert_allclose(other.frame_pose(state[0], f"tool{i}"), pose, atol=TOLERANCE)
    h = robot.centroidal_momentum(case.q, case.v)
    np.testing.assert_allclose(
        other.centroidal_momentum(*state[:2]), h, atol=TOLERANCE * max(1.0, np.abs(h).max())
    )


@TREES
@given(cases())
def test_the_reader_returns_what_was_written(case: Case) -> None:
    """Axes, origins, mimic joints, inertias in turned axes, all joint types."""
    robot = to_urdf(case.robot.model, link_axes(case.robot.model, case.rng))
    assert_same(case, read(robot, case.robot))


@TREES
@given(cases())
def test_a_massless_fixed_link_changes_nothing(case: Case) -> None:
    """A sensor's frame, say."""
    robot, rng = to_urdf(case.robot.model, link_axes(case.robot.model, case.rng)), case.rng
    carrier = f"link{rng.integers(len(case.robot.model.bodies))}"
    ElementTree.SubElement(robot, "link", {"name": "sensor"})
    add_fixed_joint(robot, carrier, "sensor", random_rotation(rng), rng.normal(size=3))
    assert_same(case, read(robot, case.robot))


@TREES
@given(cases())
def test_a_link_in_two_halves_is_the_link(case: Case) -> None:
    """Two bodies that a fixed joint holds together move as their sum."""
    model, rng = case.robot.model, case.rng
    i = int(rng.integers(len(model.bodies)))
    other: Inertia = random_inertia(rng)
    whole = model.with_inertias({i: model.bodies[i].inertia + other})
    turns = link_axes(model, rng)
    robot = to_urdf(model, turns)
    rotation, shift = random_rotation(rng), rng.normal(size=3)
    seen = other.to_parent(transform(rotation, shift).inverse())
    add_link(robot, "half", [seen], np.eye(3))
    add_fixed_joint(robot, f"link{i}", "half", turns[i] @ rotation, turns[i] @ shift)
    assert_same(replace(case, robot=RobotUnderTest(whole)), read(robot, case.robot))


@TREES
@given(cases())
def test_the_order_of_elements_changes_names_only(case: Case) -> None:
    """Joints and links in any order in the file."""
    robot = to_urdf(case.robot.model, link_axes(case.robot.model, case.rng))
    children = list(robot)
    for child in children:
        robot.remove(child)
    for k in case.rng.permutation(len(children)):
        robot.append(children[k])
    assert_same(case, read(robot, case.robot))


def test_another_robot_is_noticed() -> None:
    """The comparison above fails when a description differs in one number."""
    for case in fixed_cases():
        turns = link_axes(case.robot.model, case.rng)
        for tag, attribute in (("mass", "value"), ("inertia", "ixx"), ("axis", "xyz")):
            robot = to_urdf(case.robot.model, turns)
            element = next(robot.iter(tag))
            changed = np.array(element.attrib[attribute].split(), dtype=float) * 1.001
            changed[0] += 0.001
            element.attrib[attribute] = " ".join(map(repr, changed.tolist()))
            with pytest.raises(AssertionError):
                assert_same(case, read(robot, case.robot))
