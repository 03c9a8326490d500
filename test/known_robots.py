"""Robots that several test modules use: real ones with their referee, and textbook ones."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import peers
from backends import RobotUnderTest

from dynamics_core import Robot

#: (file of example-robot-data, on a floating base): arms with continuous and mimic joints, two
#: arms, a humanoid.
REAL_ROBOTS = (
    ("ur5_robot.urdf", False),
    ("panda.urdf", False),
    ("kinova.urdf", False),
    ("baxter.urdf", False),
    ("talos_reduced.urdf", False),
    ("panda.urdf", True),
    ("talos_reduced.urdf", True),
)

LINK = (
    '<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
    '<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{at}"/><axis xyz="{axis}"/>{more}</joint>'
)
LIMIT = '<limit lower="-3" upper="3" effort="100" velocity="10"/>'


@cache
def with_referee(file: str, floating: bool) -> tuple[Robot, peers.PinocchioPeer]:
    """A robot of example-robot-data and Pinocchio's model of it."""
    path = peers.corpus_file(file)
    robot = RobotUnderTest.from_urdf(path, floating_base=floating)
    return robot, peers.PinocchioPeer(robot, path.read_text())


@cache
def numeric_cases() -> dict[str, dict[str, Any]]:
    """Cases with values that other programs computed, by name."""
    path = Path(__file__).parent / "data" / "numeric_cases.json"
    return {case["name"]: case for case in json.loads(path.read_text(encoding="utf-8"))}


def robot_of(case: dict[str, Any]) -> Robot:
    """The robot of a numeric case."""
    return RobotUnderTest.from_urdf(case["urdf"], gravity=case["gravity"])


def planar_2r(friction: str = "") -> Robot:
    """Two links of 1 m, a mass of 1 kg at the end of each, turning about z, gravity along -y."""
    more = LIMIT + friction
    text = "".join(
        (
            '<robot name="planar_2r"><link name="base"/>',
            LINK.format(name="upper", com="1 0 0", mass=1, i=0),
            LINK.format(name="fore", com="1 0 0", mass=1, i=0),
            '<link name="tip"/>',
            JOINT.format(
                name="shoulder", kind="revolute", parent="base", child="upper",
                at="0 0 0", axis="0 0 1", more=more,
            ),
            JOINT.format(
                name="elbow", kind="revolute", parent="upper", child="fore",
                at="1 0 0", axis="0 0 1", more=more,
            ),
            JOINT.format(
                name="end", kind="fixed", parent="fore", child="tip",
                at="1 0 0", axis="0 0 1", more="",
            ),
            "</robot>",
        )
    )  # fmt: skip
    return RobotUnderTest.from_urdf(text, gravity=(0.0, -9.81, 0.0))


def states(robot: Robot, n: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q, v and a, (n, nq), (n, nv) and (n, nv)."""
    return peers.random_state(robot, n, np.random.default_rng(seed))
