"""Coriolis and centrifugal torque ``C(q, v) v``, and the bias torque that adds gravity to it.

Source: RBDA section 5.3: partial terms of the equation of motion follow from the recursive
Newton-Euler algorithm by setting inputs to zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Scalar, Vector
from .inverse_dynamics import inverse_dynamics


@function("q", "v", joint_space=True, tau=("nv",))
def coriolis_torque(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """``C(q, v) v`` alone: no gravity, no acceleration."""
    weightless = model.with_gravity(Vector(0.0, 0.0, 0.0))
    return inverse_dynamics(weightless, q, v, [0.0] * model.nv)


@function("q", "v", joint_space=True, tau=("nv",))
def bias_torque(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """``C(q, v) v + g(q)``."""
    return inverse_dynamics(model, q, v, [0.0] * model.nv)
