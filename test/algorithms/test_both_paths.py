"""Every function of real robots gives the same numbers compiled as on NumPy.

By default those of a few robots; with ``DYNAMICS_CORE_BACKEND=llvm`` those of all 68.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from backends import COMPILED
from both_paths import SOLVES, compare
from corpus import every_robot, is_large, load, skip_large
from peers import corpus_file

from dynamics_core.functions import FUNCTIONS

#: Functions with so many results that those of large robots take minutes to compile.
LARGE = ("christoffel_symbols", "forward_dynamics_derivatives", "inverse_dynamics_derivatives")


@pytest.mark.skipif(not COMPILED, reason="compiles the whole corpus: DYNAMICS_CORE_BACKEND=llvm")
@every_robot
def test_every_function_of_the_corpus(path: Path, floating: bool) -> None:
    robot = load(path, floating)
    if floating:
        skip_large(robot)
    names = [n for n in sorted(FUNCTIONS) if not (is_large(robot) and n in LARGE)]
    missing = {name for name in names if compare(name, robot.model, rows=1, batch=False)}
    assert missing <= set(SOLVES)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.parametrize("robot", ["ur5_robot", "panda"])
def test_every_function_of_some_robots(robot: str, name: str) -> None:
    model = load(corpus_file(f"{robot}.urdf"), False).model
    assert not compare(name, model, rows=5, batch=True)
