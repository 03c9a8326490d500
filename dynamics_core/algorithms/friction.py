"""Joint friction: viscous, and Coulomb's with a smooth change of sign.

    friction torque = damping v + friction tanh(v / v0)

Source: B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, *A survey of models, analysis tools
and compensation methods for the control of machines with friction*, Automatica 30(7), 1994,
section 2; the hyperbolic tangent in place of the sign keeps the torque differentiable at rest.
``damping`` and ``friction`` are those of the URDF's ``<dynamics>``. The speed v0 says where the
sign turns: at 2.6 v0 it is within one percent of Coulomb's. A mimic joint's friction acts on its
master through the multiplier, as all its torque does.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Model
from ..spatial import Scalar, tanh

#: Speed v0 over which Coulomb friction turns round, rad/s or m/s.
SMOOTHING = 0.01


def _parts(model: Model) -> list[tuple[int, float, float, float]]:
    """(coordinate, multiplier, damping, friction) of each joint that rubs."""
    return [
        (k, b.joint.multiplier, b.joint.damping, b.joint.friction)
        for b in model.bodies
        if b.joint.damping != 0.0 or b.joint.friction != 0.0
        for k in range(b.joint.v_index, b.joint.v_index + b.joint.type.nv)
    ]


@function("v", tau=("nv",))
def joint_friction(
    model: Model, v: Sequence[Scalar], *, smoothing: float = SMOOTHING
) -> list[Scalar]:
    """Torque that overcomes the friction of all joints at velocity v."""
    tau: list[Scalar] = [0.0] * model.nv
    for k, multiplier, damping, friction in _parts(model):
        tau[k] = tau[k] + (multiplier * multiplier * damping) * v[k]
        if friction != 0.0:
            tau[k] = tau[k] + (multiplier * friction) * tanh(v[k] * (multiplier / smoothing))
    return tau


def joint_friction_slope(model: Model, v: Sequence[Scalar], smoothing: float) -> list[Scalar]:
    """Derivative of each entry of :func:`joint_friction` with respect to its own velocity."""
    slope: list[Scalar] = [0.0] * model.nv
    for k, multiplier, damping, friction in _parts(model):
        slope[k] = slope[k] + multiplier * multiplier * damping
        if friction != 0.0:
            t = tanh(v[k] * (multiplier / smoothing))
            slope[k] = slope[k] + (1.0 - t * t) * (multiplier * multiplier * friction / smoothing)
    return slope
