"""Freezing joints: a smaller model in which some joints are rigid connections."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .algorithms.joints import joint_transform
from .errors import ArgumentError, UnknownNameError
from .model import Body, Frame, Joint, JointType, Model
from .spatial import Inertia, Transform

Position = float | Sequence[float]


def locked(model: Model, positions: Mapping[str, Position]) -> Model:
    """The model with some joints frozen.

    Bodies behind a frozen joint are merged into the body that carries them and stay usable as
    frames; the other joints keep their order and are numbered anew. A joint that mimics a frozen
    one is frozen as well. The armature of a frozen joint disappears: its rotor turns with nothing.

    Args:
        model: The robot.
        positions: Position by joint name: rad or m; planar (x, y, angle); floating (x, y, z, qx,
            qy, qz, qw).

    Raises:
        UnknownNameError: There is no joint of that name.
        ArgumentError: A joint that mimics another one is named, or a position has a wrong length,
            is not finite, or holds a quaternion that is not of unit length.
    """
    q = [0.0] * model.nq
    for name, position in positions.items():
        joint = _owner(model, name)
        q[joint.q_index : joint.q_index + joint.type.nq] = _checked(model, joint, position)

    numbers: dict[str, tuple[int, int]] = {}  # joints that stay: first coordinates in q and v
    nq = nv = 0
    for joint in model.joints:
        if joint.name not in positions:
            numbers[joint.name] = (nq, nv)
            nq, nv = nq + joint.type.nq, nv + joint.type.nv

    bodies: list[Body] = []
    base_inertia = model.base_inertia
    where: list[tuple[int, Transform]] = []  # of each old body: new body, pose in it
    for body in model.bodies:
        carrier, at = where[body.parent] if body.parent >= 0 else (-1, Transform.identity())
        joint = body.joint
        if (joint.mimics or joint.name) in positions:
            pose = at @ _plain(joint_transform(body, q))
            where.append((carrier, pose))
            merged = body.inertia.to_parent(pose)
            if carrier < 0:
                base_inertia = base_inertia + merged
            else:
                bodies[carrier] = _heavier(bodies[carrier], merged)
            continue
        q_index, v_index = numbers[joint.mimics or joint.name]
        where.append((len(bodies), Transform.identity()))
        bodies.append(
            replace(
                body,
                parent=carrier,
                joint=replace(joint, q_index=q_index, v_index=v_index),
                placement=at @ body.placement,
            )
        )

    frames = tuple(_moved(frame, where) for frame in model.frames)
    return replace(model, bodies=tuple(bodies), frames=frames, base_inertia=base_inertia)


def _owner(model: Model, name: str) -> Joint:
    joint = next((b.joint for b in model.bodies if b.joint.name == name), None)
    if joint is None:
        raise UnknownNameError("joint", name, [b.joint.name for b in model.bodies], model.name)
    if joint.mimics is not None:
        raise ArgumentError(
            f"locked: joint {name!r} follows {joint.mimics!r}; lock {joint.mimics!r} instead"
        )
    return joint


def _checked(model: Model, joint: Joint, position: Position) -> list[float]:
    try:
        values = [float(x) for x in (position if isinstance(position, Sequence) else [position])]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"locked: position of joint {joint.name!r} is {position!r}; expected numbers"
        ) from None
    if len(values) != joint.type.nq or not all(map(math.isfinite, values)):
        raise ArgumentError(
            f"locked: position of joint {joint.name!r} is {position!r}; "
            f"expected {joint.type.nq} finite number(s)"
        )
    if joint.type is JointType.FLOATING and abs(math.hypot(*values[3:]) - 1.0) > 1e-6:
        raise ArgumentError(
            f"locked: the quaternion of joint {joint.name!r} has length "
            f"{math.hypot(*values[3:]):.6g}; expected 1"
        )
    return values


def _plain(x: Transform) -> Transform:
    return Transform(x.rotation.matrix(), x.position)


def _heavier(body: Body, inertia: Inertia) -> Body:
    return replace(body, inertia=body.inertia + inertia)


def _moved(frame: Frame, where: Sequence[tuple[int, Transform]]) -> Frame:
    if frame.body < 0:
        return frame
    body, at = where[frame.body]
    return replace(frame, body=body, placement=at @ frame.placement)
