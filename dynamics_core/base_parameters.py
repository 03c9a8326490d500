"""Base inertial parameters: the same joint-space dynamics with fewer numbers.

The torque at a joint cannot tell all ten inertial parameters of a body apart. What a joint does
not feel may as well be fixed to the parent: that part of the inertia on which the joint's motion
acts with no force, and which looks the same in every position of the joint. Moved from the tip to
the base, it leaves most bodies of an arm without mass, and a fixed base swallows the rest.

Source: Gautier and Khalil, "Direct calculation of minimum set of inertial parameters of serial
robots", IEEE Trans. Robotics and Automation 6(3), 1990, equations 21 to 27; here about z of body
frames, for trees, and for planar and floating joints as well.

Torques, the mass matrix and accelerations stay what they were. What each body feels does not: the
wrench that a joint transmits, momentum and the centre of mass need the true inertias.
"""

from __future__ import annotations

from .model import Body, JointType, Model
from .spatial import Inertia, Matrix, Scalar, Vector


def regrouped(model: Model) -> Model:
    """A model of the same joint-space dynamics whose inertias have as many zeros as possible.

    Bodies whose inertia is given by symbols keep it: a parameter would otherwise reach into every
    body between its own and the base.
    """
    inertias = [body.inertia for body in model.bodies]
    for i in reversed(range(len(inertias))):
        body = model.bodies[i]
        if not inertias[i].is_constant():
            continue
        unfelt = _unfelt(body, inertias[i])
        inertias[i] = inertias[i] - unfelt
        if body.parent >= 0:
            inertias[body.parent] = inertias[body.parent] + unfelt.to_parent(body.placement)
    return model.with_inertias(dict(enumerate(inertias)))


def _unfelt(body: Body, inertia: Inertia) -> Inertia:
    """What a body's joint does not feel, in body axes.

    Turning about z: a mass on the axis, and equal moments about x and y. Moving without turning:
    any rotational inertia, but no mass. Planar: what both have in common.
    """
    kind = body.joint.type
    yy = inertia.second[1, 1]
    if kind in (JointType.REVOLUTE, JointType.CONTINUOUS):
        return _turned_about_z(inertia.mass, inertia.first.z, yy)
    if kind is JointType.PRISMATIC:
        return Inertia(0.0, Vector(), inertia.second)
    if kind is JointType.PLANAR:
        return _turned_about_z(0.0, 0.0, yy)
    return Inertia.zero()


def _turned_about_z(mass: Scalar, first: Scalar, second: Scalar) -> Inertia:
    return Inertia(mass, Vector(0.0, 0.0, first), Matrix.diagonal(second, second, 0.0))
