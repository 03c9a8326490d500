"""From a checked description to a :class:`Model`: fixed joints merged, axes turned to z."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..errors import ArgumentError, UnknownNameError
from ..model import Body, Frame, Joint, JointType, Model
from ..spatial import Inertia, Matrix, Transform, Vector
from .records import JointRecord, LinkRecord, as_array, snapped
from .tree import Description

#: Name of the joint that a floating base moves on, underscores added if the description has it.
FLOATING_BASE = "floating_base"


def build_model(
    description: Description,
    *,
    floating_base: bool = False,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    armature: float | Mapping[str, float] = 0.0,
) -> Model:
    """Build the tree of bodies.

    Args:
        description: The checked description.
        floating_base: Let the root link move freely, on a joint called ``floating_base``.
        gravity: Free-fall acceleration in the base frame, m/s2.
        armature: Rotor inertia seen at the joint, kg m2 (or kg): one for every joint with one
            degree of freedom, or by joint name.
    """
    field = np.asarray(gravity)
    if field.shape != (3,) or field.dtype.kind not in "iuf" or not np.isfinite(field).all():
        raise ArgumentError(f"gravity is {gravity!r}; expected three finite numbers, m/s2")
    builder = _Builder(description, armature)
    builder.add_root(floating_base)
    for joint in description.joints:
        builder.add(joint)
    return builder.model(gravity)


class _Builder:
    def __init__(self, description: Description, armature: float | Mapping[str, float]) -> None:
        self.description = description
        self.armature = armature
        if isinstance(armature, Mapping):
            moving = [j.name for j in description.joints if j.type is not None]
            for name in armature:
                if name not in moving:
                    raise UnknownNameError("moving joint", name, moving, description.name)
        self.bodies: list[Body] = []
        self.inertias: list[Inertia] = []
        self.base_inertia = Inertia.zero()
        self.frames: list[Frame] = []
        self.where: dict[str, tuple[int, Transform]] = {}  # link: body, pose in the body
        self.nq = self.nv = 0
        self.joints: dict[str, Joint] = {}

    def add_root(self, floating: bool) -> None:
        root = self.description.root
        if floating:
            name = FLOATING_BASE
            while name in {j.name for j in self.description.joints}:
                name += "_"
            self.nq, self.nv = JointType.FLOATING.nq, JointType.FLOATING.nv
            joint = Joint(name, JointType.FLOATING, 0, 0)
            self._add_body(root.name, -1, joint, Transform.identity())
        self._add_link(root, 0 if floating else -1, Transform.identity())

    def add(self, record: JointRecord) -> None:
        body, at = self.where[record.parent]
        origin = at @ record.origin
        if not np.isfinite(list(origin.position)).all():
            raise record.element.error("distances are too large to compute with")
        link = self.description.links[record.child]
        if record.type is None:
            self._add_link(link, body, _clean(origin))
            return
        turn = rotation_to(record.axis)  # link axes <- body axes
        placement = _clean(Transform(origin.rotation.matrix() @ turn, origin.position))
        self._add_body(link.name, body, self._joint(record), placement)
        self._add_link(link, len(self.bodies) - 1, Transform(turn.T, Vector()))

    def _joint(self, record: JointRecord) -> Joint:
        kind = record.type
        assert kind is not None
        if record.mimics is not None:
            # A master may come later in the tree; its indices are filled in at the end.
            q_index = v_index = -1
        else:
            q_index, v_index = self.nq, self.nv
            self.nq, self.nv = self.nq + kind.nq, self.nv + kind.nv
        joint = Joint(
            record.name, kind, q_index, v_index, record.limits, record.damping, record.friction,
            self._armature(record, kind), record.mimics, record.multiplier, record.offset,
        )  # fmt: skip
        self.joints[joint.name] = joint
        return joint

    def _armature(self, record: JointRecord, kind: JointType) -> float:
        if isinstance(self.armature, Mapping):
            value = self.armature.get(record.name, 0.0)
        else:
            value = self.armature if kind.nv == 1 else 0.0
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not 0.0 <= number < math.inf:
            raise ArgumentError(
                f"armature of joint {record.name!r} is {value!r}; expected a number, 0 or more"
            )
        return number

    def _add_body(self, name: str, parent: int, joint: Joint, placement: Transform) -> None:
        self.bodies.append(Body(name, parent, joint, placement, Inertia.zero()))
        self.inertias.append(Inertia.zero())

    def _add_link(self, link: LinkRecord, body: int, at: Transform) -> None:
        self.where[link.name] = (body, at)
        self.frames.append(Frame(link.name, body, at))
        if link.inertia is None:
            return
        about_com = Matrix(link.inertia.tolist())
        inertia = Inertia.from_com(link.mass, Vector(*link.com), about_com).to_parent(at)
        if not np.isfinite(inertia.parameters()).all():
            raise link.element.error("mass, inertia or distances are too large to compute with")
        if body < 0:
            self.base_inertia = self.base_inertia + inertia
        else:
            self.inertias[body] = self.inertias[body] + inertia

    def model(self, gravity: tuple[float, float, float]) -> Model:
        bodies = []
        for body, inertia in zip(self.bodies, self.inertias, strict=True):
            joint = body.joint
            if joint.mimics is not None:
                master = self.joints[joint.mimics]
                joint = replace(joint, q_index=master.q_index, v_index=master.v_index)
            bodies.append(Body(body.name, body.parent, joint, body.placement, inertia))
        return Model(
            self.description.name,
            tuple(bodies),
            tuple(self.frames),
            self.base_inertia,
            Vector(*map(float, gravity)),
            self.description.element.source,
        )


def rotation_to(axis: tuple[float, float, float]) -> Matrix:
    """A rotation that carries z to ``axis``: exact for the coordinate axes, else the smallest."""
    exact = _EXACT.get(axis)
    if exact is not None:
        return Matrix(exact)
    x, y, z = axis
    if z < -1.0 + 1e-9:
        return Matrix(_EXACT[0.0, 0.0, -1.0])
    k = 1.0 / (1.0 + z)
    return snapped(
        ((1.0 - x * x * k, -x * y * k, x), (-x * y * k, 1.0 - y * y * k, y), (-x, -y, z))
    )


_EXACT: dict[tuple[float, float, float], tuple[tuple[float, ...], ...]] = {
    (0.0, 0.0, 1.0): ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    (0.0, 0.0, -1.0): ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)),
    (1.0, 0.0, 0.0): ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    (-1.0, 0.0, 0.0): ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    (0.0, 1.0, 0.0): ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    (0.0, -1.0, 0.0): ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
}


def _clean(at: Transform) -> Transform:
    """The same pose as plain floats, rounding removed from the rotation."""
    position = np.array(list(at.position), dtype=np.float64)
    return Transform(snapped(as_array(at.rotation.matrix())), Vector(*position.tolist()))
