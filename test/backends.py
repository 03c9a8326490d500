"""Which implementation the tests run: the environment variable ``DYNAMICS_CORE_BACKEND``.

``numpy`` (the default here) runs the algorithms as they are written, without compiling each of some
hundred random robots; anything else runs Robot as users have it. Tests that take few robots and
many states say for themselves that they want the compiled code.
"""

from __future__ import annotations

import os
from typing import Any

from dynamics_core import Robot


class NumpyRobot(Robot):
    """A robot whose algorithms run on NumPy, never compiled."""

    def _compiled_function(self, name: str, options: Any) -> None:
        return None


#: Whether :data:`RobotUnderTest` compiles.
COMPILED = os.environ.get("DYNAMICS_CORE_BACKEND", "numpy") != "numpy"

RobotUnderTest: type[Robot] = Robot if COMPILED else NumpyRobot
