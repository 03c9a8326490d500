"""The rigid-body tree as plain immutable data.

A :class:`Model` says what a robot is; it computes nothing. Bodies are numbered so that a parent
comes before its children. Each moving joint carries one body; links behind fixed joints are merged
into the body that carries them and stay usable as frames.

Body frames: the origin lies in the joint, and the z axis along the joint's axis (revolute,
continuous, prismatic) or along the plane's normal (planar). A link's own frame is a
:class:`Frame`, a constant pose in its body. In body axes the motion subspace of every joint is a
set of unit vectors (RBDA table 4.1), which is what makes the algorithms short and fast.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field, replace
from functools import cached_property

from .errors import UnknownNameError
from .spatial import Inertia, Transform, Vector


class JointType(enum.Enum):
    """The kinds of joint that move, with their URDF names."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    PLANAR = "planar"
    FLOATING = "floating"

    @property
    def axes(self) -> tuple[int, ...]:
        """The motion subspace: indices of unit vectors in (linear, angular) body coordinates."""
        return _AXES[self]

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return len(_AXES[self])

    @property
    def nq(self) -> int:
        """Number of position coordinates: one per velocity, and a quaternion for a floating joint.

        Revolute, continuous and prismatic: the angle or the length. Planar: (x, y, angle) in the
        frame of the plane. Floating: (x, y, z, qx, qy, qz, qw).
        """
        return 7 if self is JointType.FLOATING else len(_AXES[self])


_AXES: dict[JointType, tuple[int, ...]] = {
    JointType.REVOLUTE: (5,),
    JointType.CONTINUOUS: (5,),
    JointType.PRISMATIC: (2,),
    JointType.PLANAR: (0, 1, 5),
    JointType.FLOATING: (0, 1, 2, 3, 4, 5),
}


@dataclass(frozen=True)
class Limits:
    """What a joint can do; infinite where the description does not say.

    Units: rad, rad/s and N m for turning joints, m, m/s and N for prismatic ones.
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True)
class Joint:
    """A joint that moves.

    ``q_index`` and ``v_index`` are the first of its coordinates in q and v. A mimic joint has no
    coordinates of its own: the indices are its master's, and its position is
    ``multiplier * q[q_index] + offset``.
    """

    name: str
    type: JointType
    q_index: int
    v_index: int
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimics: str | None = None
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Body:
    """A rigid body with the joint that carries it.

    ``placement`` is the pose of the body frame in the parent's body frame (the base frame if
    ``parent`` is -1) when the joint is at zero. ``inertia`` is about the body frame's origin and
    includes every link that is rigidly attached.
    """

    name: str
    parent: int
    joint: Joint
    placement: Transform
    inertia: Inertia


@dataclass(frozen=True)
class Frame:
    """A named pose fixed in a body (``body`` is -1 for the base): one per link of the URDF."""

    name: str
    body: int
    placement: Transform


@dataclass(frozen=True)
class Model:
    """A robot as a tree of bodies.

    Attributes:
        name: Robot name.
        bodies: Moving bodies; ``bodies[i].parent < i``.
        frames: Every link, the base link first.
        base_inertia: Inertia of what is fixed to the ground; no part of the dynamics, but of
            the mass report.
        gravity: Free-fall acceleration in the base frame, m/s2.
        source: Where the model came from, for messages.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    base_inertia: Inertia = field(default_factory=Inertia.zero)
    gravity: Vector = field(default_factory=lambda: Vector(0.0, 0.0, -9.81))
    source: str = ""

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that own coordinates (no mimic joints), in coordinate order."""
        own = (b.joint for b in self.bodies if b.joint.mimics is None)
        return tuple(sorted(own, key=lambda j: j.v_index))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that own coordinates; the order of every joint array."""
        return tuple(j.name for j in self.joints)

    @cached_property
    def nq(self) -> int:
        """Length of q."""
        return sum(j.type.nq for j in self.joints)

    @cached_property
    def nv(self) -> int:
        """Length of v, a and tau."""
        return sum(j.type.nv for j in self.joints)

    @cached_property
    def body_count(self) -> int:
        """Number of moving bodies, those of mimic joints included."""
        return len(self.bodies)

    @cached_property
    def parameter_count(self) -> int:
        """Number of inertial parameters: ten for each body."""
        return 10 * self.body_count

    @cached_property
    def has_mimic(self) -> bool:
        """Whether some joint follows another one."""
        return any(b.joint.mimics is not None for b in self.bodies)

    @cached_property
    def _frame_index(self) -> dict[str, int]:
        return {f.name: k for k, f in enumerate(self.frames)}

    @cached_property
    def _joint_index(self) -> dict[str, Joint]:
        return {b.joint.name: b.joint for b in self.bodies}

    def frame(self, name: str) -> Frame:
        """The frame of that name; :class:`UnknownNameError` names the nearest ones."""
        try:
            return self.frames[self._frame_index[name]]
        except KeyError:
            raise UnknownNameError("frame", name, self._frame_index, self.name) from None

    def joint(self, name: str) -> Joint:
        """The joint of that name; :class:`UnknownNameError` names the nearest ones."""
        try:
            return self._joint_index[name]
        except KeyError:
            raise UnknownNameError("joint", name, self._joint_index, self.name) from None

    @property
    def total_mass(self) -> float:
        """Mass of everything, the base link included, in kg."""
        return float(self.base_inertia.mass + sum(b.inertia.mass for b in self.bodies))

    def with_inertias(self, inertias: dict[int, Inertia]) -> Model:
        """The same tree with other inertias for some bodies (numbers or symbols)."""
        bodies = tuple(
            replace(b, inertia=inertias[i]) if i in inertias else b
            for i, b in enumerate(self.bodies)
        )
        return replace(self, bodies=bodies)

    def with_gravity(self, gravity: Vector) -> Model:
        """The same tree in another field of gravity (numbers or symbols), m/s2, base frame."""
        return replace(self, gravity=gravity)
