"""Joint friction: viscous, and Coulomb's made smooth."""

from __future__ import annotations

import math
from typing import Any

import numpy.typing as npt

from ..algorithms.friction import SMOOTHING
from ..errors import ArgumentError
from .arguments import Array
from .evaluation import Evaluation


def friction_option(function: str, friction: bool, smoothing: float) -> dict[str, Any]:
    """The option of an algorithm that stands for a method's ``friction`` and ``smoothing``."""
    return {"friction": check_smoothing(function, smoothing)} if friction else {}


def check_smoothing(function: str, smoothing: float) -> float:
    """The speed itself, or an error."""
    if not (isinstance(smoothing, (int, float)) and 0.0 < smoothing < math.inf):
        raise ArgumentError(f"{function}: smoothing is {smoothing!r}; expected a speed above zero")
    return float(smoothing)


class Friction(Evaluation):
    """``<dynamics damping friction>`` of a URDF; only counted where it is asked for."""

    def joint_friction(
        self, v: npt.ArrayLike, *, smoothing: float = SMOOTHING, out: Array | None = None
    ) -> Array:
        """Torque that it takes to overcome the friction of the joints.

        Args:
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            smoothing: Speed v0 over which Coulomb friction turns round, rad/s or m/s. Smaller is
                closer to Coulomb's law, and stiffer for an integrator.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            ``damping v + friction tanh(v / v0)``, (nv,) or (N, nv), N m or N; of the sign of v.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, or no positive speed.

        Source: B. Armstrong-Helouvry et al., Automatica 30(7), 1994, section 2.
        """
        options = {"smoothing": check_smoothing("joint_friction", smoothing)}
        return self._evaluate("joint_friction", {"v": v}, options, out)
