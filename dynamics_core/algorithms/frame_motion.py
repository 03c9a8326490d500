"""Velocity and acceleration of a frame, spatial and classical, in any reference.

Source: RBDA section 4.5 (velocities), equation 2.48 (classical acceleration: the spatial one plus
``omega x v``) and example 4.4.

The *classical* acceleration is that of the point at the origin, what a tracked marker shows; the
*spatial* one is the derivative of the twist seen from a fixed place, through which the body
flows. They differ in the linear part, and only where the point moves and the body turns. Both are
of the motion alone: an accelerometer shows the classical one minus gravity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..functions import function
from ..model import Model
from ..spatial import Motion, Scalar, Transform, Vector
from .joints import joint_rate, joint_transform
from .kinematics import ancestors


@dataclass
class FrameMotion:
    """Pose of a frame in the base, with its twist and spatial acceleration in its own axes."""

    pose: Transform
    twist: Motion
    acceleration: Motion


def frame_motion(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar], frame: str
) -> FrameMotion:
    """Carry pose, twist and spatial acceleration along the path from the base (RBDA 5.7, 5.8)."""
    f = model.frame(frame)
    pose, twist, acceleration = Transform.identity(), Motion(), Motion()
    for i in ancestors(model, f.body):
        body = model.bodies[i]
        x, rate = joint_transform(body, q), joint_rate(body.joint, v)
        pose = pose @ x
        twist = x.motion_to_child(twist) + rate
        change = joint_rate(body.joint, a) + twist.cross(rate)
        acceleration = x.motion_to_child(acceleration) + change
    x = f.placement
    return FrameMotion(pose @ x, x.motion_to_child(twist), x.motion_to_child(acceleration))


def express(m: Motion, pose: Transform, reference: str) -> Motion:
    """A twist or spatial acceleration of a frame, from its own axes to a reference."""
    if reference == "local":
        return m
    if reference == "world":
        return pose.motion_to_parent(m)
    return Transform(pose.rotation, Vector()).motion_to_parent(m)


@function("q", "v", twist=(6,))
def frame_velocity(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
) -> Motion:
    """Twist (linear, angular) of a frame; references as for :func:`.jacobian.jacobian`."""
    m = frame_motion(model, q, v, [0.0] * model.nv, frame)
    return express(m.twist, m.pose, reference)


@function("q", "v", "a", acceleration=(6,))
def frame_acceleration(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
    classical: bool = True,
) -> Motion:
    """Acceleration (linear, angular) of a frame, of the point that the reference names."""
    m = frame_motion(model, q, v, a, frame)
    acceleration = express(m.acceleration, m.pose, reference)
    if not classical:
        return acceleration
    twist = express(m.twist, m.pose, reference)
    return Motion(acceleration.linear + twist.angular.cross(twist.linear), acceleration.angular)
