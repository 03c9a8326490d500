"""The robots of example-robot-data, each on a fixed and on a floating base, as test parameters."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from backends import COMPILED, RobotUnderTest
from peers import corpus

from dynamics_core import Robot

#: An unexpanded xacro file: no robot.
NOT_A_ROBOT = "ur3.urdf"

#: Bodies that only fly: on a fixed base nothing moves.
FLYERS = ("iris_simple.urdf", "quadrotor_base.urdf")

#: LLVM compiles the functions of a robot with so many coordinates in seconds, beyond it takes up to
#: minutes for those whose programs grow with the square or cube of them: derivatives, Christoffel
#: symbols.
MOST_COORDINATES = 18


def robots() -> list[Path]:
    """The 68 robots."""
    return [p for p in corpus() if p.name != NOT_A_ROBOT]


every_robot = pytest.mark.parametrize(
    ("path", "floating"),
    [
        pytest.param(p, floating, id=f"{p.stem}-{'floating' if floating else 'fixed'}")
        for p in robots()
        for floating in (False, True)
        if floating or p.name not in FLYERS
    ],
)


def load(path: Path, floating: bool) -> Robot:
    """A robot of the corpus, its description's doubts left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RobotUnderTest.from_urdf(path, floating_base=floating)


def is_large(robot: Robot) -> bool:
    """Whether the compiled path has to do with less of a robot."""
    return COMPILED and robot.nv > MOST_COORDINATES


def skip_large(robot: Robot) -> None:
    """Skip what takes long to compile."""
    if is_large(robot):
        pytest.skip(f"{robot.nv} coordinates: compiled up to {MOST_COORDINATES}")
