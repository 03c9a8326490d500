"""Inverse dynamics by the recursive Newton-Euler algorithm (RNEA).

Source: RBDA section 5.3, table 5.1, with two choices that save work and change no result:

* The acceleration carried from body to body is the classical one of the body frame's origin
  (RBDA 2.48 relates it to the spatial one). Linear velocities then drop out of the recursion.
* With ``U = skew(dw) + skew(w)^2`` (the angular acceleration tensor of Balafoutis and Patel,
  *Dynamic Analysis of Robot Manipulators*, 1991, section 3.3) a point fixed in the body at c
  accelerates with ``a + U c``; one matrix serves the body's force and every child's origin.

Gravity enters as a fictitious acceleration of the base, ``a0 = -g`` (RBDA section 5.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..functions import function
from ..model import Model
from ..spatial import Force, Inertia, Matrix, Motion, Scalar, Transform, Vector
from .friction import joint_friction
from .joints import add_joint_torque, joint_rate, joint_transform


@dataclass
class BodyMotion:
    """Rates of one body frame, in body axes."""

    angular_velocity: Vector
    angular_acceleration: Vector
    acceleration: Vector  # classical, of the frame's origin, gravity's fictitious part included

    @staticmethod
    def of_base(gravity: Vector) -> BodyMotion:
        """A base at rest in a field of gravity."""
        return BodyMotion(Vector(), Vector(), -gravity)

    def tensor(self) -> Matrix:
        """``skew(dw) + skew(w)^2``."""
        w, dw = self.angular_velocity, self.angular_acceleration
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        return Matrix(
            (
                (-(yy + zz), xy - dw.z, xz + dw.y),
                (xy + dw.z, -(xx + zz), yz - dw.x),
                (xz - dw.y, yz + dw.x, -(xx + yy)),
            )
        )


def child_motion(
    parent: BodyMotion, parent_tensor: Matrix, x: Transform, rate: Motion, change: Motion
) -> BodyMotion:
    """Rates of a body from its parent's, its joint's rate ``S v`` and ``S a``.

    ``rate`` and ``change`` are in body axes, in which the joint's own velocity turns with the
    body; that is the last term of either acceleration.
    """
    r = x.rotation
    w0 = r.unrotate(parent.angular_velocity)
    dw0 = r.unrotate(parent.angular_acceleration)
    a0 = r.unrotate(parent.acceleration + parent_tensor @ x.position)
    v_j, w_j = rate.linear, rate.angular
    return BodyMotion(
        w0 + w_j,
        dw0 + change.angular + w0.cross(w_j),
        a0 + change.linear + (w0 + w0 + w_j).cross(v_j),
    )


def inertial_force(inertia: Inertia, m: BodyMotion, tensor: Matrix) -> Force:
    """The force that moves a body as ``m`` says, about the frame's origin, in body axes."""
    w, a, h = m.angular_velocity, m.acceleration, inertia.first
    return Force(
        a * inertia.mass + tensor @ h,
        inertia.second @ m.angular_acceleration + w.cross(inertia.second @ w) + h.cross(a),
    )


def external_forces(
    model: Model, frames: Sequence[str], wrenches: Sequence[Scalar]
) -> dict[int, Force]:
    """Wrenches on named frames, summed on the bodies that carry them, in body axes.

    Each wrench is what the environment exerts on the robot: six scalars (force, moment about the
    frame's origin) in the frame's axes. What acts on the base link has no effect.
    """
    total: dict[int, Force] = {}
    for k, name in enumerate(frames):
        frame = model.frame(name)
        if frame.body < 0:
            continue
        f = frame.placement.force_to_parent(Force.of(wrenches[6 * k : 6 * k + 6]))
        total[frame.body] = total[frame.body] + f if frame.body in total else f
    return total


def newton_euler(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: dict[int, Force],
) -> tuple[list[Transform], list[Force]]:
    """Both passes of the recursion.

    Returns:
        The joints' transforms, and the force that each joint transmits to its body, about the
        body frame's origin in body axes.
    """
    x: list[Transform] = []
    motion: list[BodyMotion] = []
    tensors: list[Matrix] = []
    force: list[Force] = []
    base = BodyMotion.of_base(model.gravity)
    base_tensor = Matrix.zero()
    for i, body in enumerate(model.bodies):
        x.append(joint_transform(body, q))
        p = body.parent
        parent, tensor = (motion[p], tensors[p]) if p >= 0 else (base, base_tensor)
        rate, change = joint_rate(body.joint, v), joint_rate(body.joint, a)
        motion.append(child_motion(parent, tensor, x[i], rate, change))
        tensors.append(motion[i].tensor())
        f = inertial_force(body.inertia, motion[i], tensors[i])
        force.append(f - external[i] if i in external else f)
    for i in reversed(range(len(model.bodies))):
        p = model.bodies[i].parent
        if p >= 0:
            force[p] = force[p] + x[i].force_to_parent(force[i])
    return x, force


@function("q", "v", "a", "wrenches", joint_space=True, tau=("nv",))
def inverse_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Sequence[Scalar] = (),
    *,
    frames: tuple[str, ...] = (),
    friction: float | None = None,
) -> list[Scalar]:
    """Generalised forces ``tau = M(q) a + C(q, v) v + g(q) - J' f`` of a motion.

    Args:
        model: The robot.
        q: Position.
        v: Velocity.
        a: Acceleration.
        wrenches: Six scalars for each frame, see :func:`external_forces`.
        frames: Frames that the wrenches act on.
        friction: Speed over which Coulomb friction turns round; no friction without it.
    """
    _, force = newton_euler(model, q, v, a, external_forces(model, frames, wrenches))
    tau: list[Scalar] = [0.0] * model.nv
    for body, f in zip(model.bodies, force, strict=True):
        add_joint_torque(body.joint, f, tau)
    tau = add_armature(model, a, tau)
    if friction is None:
        return tau
    return [t + f for t, f in zip(tau, joint_friction(model, v, smoothing=friction), strict=True)]


def add_armature(model: Model, a: Sequence[Scalar], tau: list[Scalar]) -> list[Scalar]:
    """Add what accelerates the rotors: ``armature * a`` (RBDA section 9.6)."""
    for body in model.bodies:
        j = body.joint
        if not (isinstance(j.armature, float) and j.armature == 0.0):
            for k in range(j.v_index, j.v_index + j.type.nv):
                tau[k] = tau[k] + j.armature * j.multiplier**2 * a[k]
    return tau
