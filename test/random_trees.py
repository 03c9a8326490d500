"""Random robots: trees of every kind of joint, with nothing symmetric about them.

Moments of inertia are distinct and not along the body axes, placements turn and shift in all
directions, trees branch, joints mimic others, floating and planar joints sit anywhere. An error
that a symmetric robot would hide has nowhere to hide here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from backends import COMPILED, RobotUnderTest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from dynamics_core import Robot
from dynamics_core.model import Body, Frame, Joint, JointType, Model
from dynamics_core.spatial import Inertia, Matrix, Transform, Vector

SCALAR_JOINTS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
MIMIC = "mimic"
KINDS = (*SCALAR_JOINTS, JointType.PLANAR, JointType.FLOATING, MIMIC)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Uniform over all rotations."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def transform(rotation: np.ndarray, position: np.ndarray) -> Transform:
    """From arrays."""
    return Transform(Matrix(rotation.tolist()), Vector(*map(float, position)))


def random_transform(rng: np.random.Generator, reach: float = 0.5) -> Transform:
    """A generic rotation and shift."""
    return transform(random_rotation(rng), reach * rng.normal(size=3))


def random_inertia(rng: np.random.Generator) -> Inertia:
    """That of a homogeneous ellipsoid with three different axes, turned and shifted."""
    mass = rng.uniform(0.3, 3.0)
    a, b, c = rng.uniform(0.1, 0.6, 3) ** 2
    turn = random_rotation(rng)
    about_com = turn @ np.diag([b + c, a + c, a + b]) @ turn.T * mass / 5.0
    com = Vector(*map(float, 0.3 * rng.normal(size=3)))
    return Inertia.from_com(float(mass), com, Matrix(about_com.tolist()))


def random_model(
    kinds: Sequence[JointType | str], parents: Sequence[int], rng: np.random.Generator
) -> Model:
    """A robot with the given joints and tree.

    Args:
        kinds: Joint of each body; ``"mimic"`` follows some joint of one coordinate before it, and
            is revolute where there is none.
        parents: Parent of each body, -1 for the base; ``parents[i] < i``.
        rng: Source of all numbers.
    """
    bodies: list[Body] = []
    iq = iv = 0
    for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        masters = [
            b.joint for b in bodies if b.joint.type in SCALAR_JOINTS and b.joint.mimics is None
        ]
        own = f"joint{i}"
        if kind == MIMIC and masters:
            master = masters[rng.integers(len(masters))]
            joint = Joint(
                own,
                SCALAR_JOINTS[rng.integers(3)],
                master.q_index,
                master.v_index,
                mimics=master.name,
                multiplier=float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 2.0)),
                offset=float(rng.normal()),
                armature=float(rng.uniform(0.1, 0.3)),
            )
        else:
            kind = JointType.REVOLUTE if kind == MIMIC else JointType(kind)
            armature = float(rng.uniform(0.1, 0.5)) if rng.random() < 0.3 else 0.0
            joint = Joint(own, kind, iq, iv, armature=armature)
            iq, iv = iq + kind.nq, iv + kind.nv
        bodies.append(Body(f"body{i}", parent, joint, random_transform(rng), random_inertia(rng)))
    frames = [Frame("base", -1, Transform.identity())]
    for i in range(len(bodies)):
        frames.append(Frame(f"link{i}", i, Transform.identity()))
        frames.append(Frame(f"tool{i}", i, random_transform(rng, 0.3)))
    gravity = Vector(*map(float, 5.0 * rng.normal(size=3)))
    return Model("tree", tuple(bodies), tuple(frames), gravity=gravity)


@dataclass
class Case:
    """A robot in a state, with wrenches on some frames: all that an identity may need."""

    robot: Robot
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    f_ext: dict[str, np.ndarray]
    rng: np.random.Generator

    @property
    def tip(self) -> str:
        """A frame away from the body frames, on the last body."""
        return self.robot.frame_names[-1]


def random_case(model: Model, rng: np.random.Generator) -> Case:
    """A robot of that model in a random state."""
    robot = RobotUnderTest(model)
    q, _ = robot.random_state(rng)
    v, a = rng.normal(size=(2, robot.nv))
    tools = [f.name for f in model.frames if f.body >= 0]
    chosen = rng.choice(tools, size=min(2, len(tools)), replace=False)
    f_ext = {str(name): rng.normal(size=6) for name in chosen}
    return Case(robot, q, v, a, f_ext, rng)


def examples(many: int, *, compiled: int) -> settings:
    """How many random trees a test takes: fewer where each has to be compiled."""
    return settings(
        max_examples=compiled if COMPILED else many,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def cases(draw: st.DrawFn, floating_root: bool = False, mimic: bool = True) -> Case:
    """Hypothesis strategy: random trees of up to seven bodies in random states."""
    kinds = list(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6)))
    if not mimic:
        kinds = [JointType.REVOLUTE if k == MIMIC else k for k in kinds]
    first = -1
    if floating_root:
        kinds, first = [JointType.FLOATING, *kinds], 0
    parents = [draw(st.integers(min(first, i - 1), i - 1)) for i in range(len(kinds))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_case(random_model(kinds, parents, rng), rng)


def fixed_cases(seed: int = 0) -> list[Case]:
    """Six trees that hold every kind of joint, always the same: for tests of the tests."""
    rng = np.random.default_rng(seed)
    shapes: list[tuple[list[JointType | str], list[int]]] = [
        (["revolute", "prismatic", "revolute"], [-1, 0, 1]),
        (["floating", "continuous", "revolute", "prismatic"], [-1, 0, 0, 2]),
        (["planar", "revolute", "continuous"], [-1, 0, 0]),
        (["revolute", "floating", "planar"], [-1, 0, 1]),
        (["revolute", "prismatic", MIMIC, MIMIC, "revolute"], [-1, 0, 1, 2, 0]),
        (["floating", "planar", "revolute", MIMIC, "prismatic"], [-1, 0, 1, 2, 0]),
    ]
    result = []
    for kinds, parents in shapes:
        converted = [k if k == MIMIC else JointType(k) for k in kinds]
        result.append(random_case(random_model(converted, parents, rng), rng))
    return result


def moved_base(model: Model, pose: Transform) -> Model:
    """The same robot, described from another base frame: ``pose`` is the old one in the new."""
    bodies = tuple(
        replace(b, placement=pose @ b.placement) if b.parent < 0 else b for b in model.bodies
    )
    frames = tuple(
        replace(f, placement=pose @ f.placement) if f.body < 0 else f for f in model.frames
    )
    gravity = pose.rotation.rotate(model.gravity)
    return replace(model, bodies=bodies, frames=frames, gravity=gravity)


def permuted(model: Model, rng: np.random.Generator) -> tuple[Model, np.ndarray, np.ndarray]:
    """The same robot with bodies and coordinates in another order.

    Returns:
        The model, and the indices with ``q_new = q[iq]`` and ``v_new = v[iv]``.
    """
    order: list[int] = []
    while len(order) < len(model.bodies):
        ready = [
            i
            for i, b in enumerate(model.bodies)
            if i not in order and (b.parent < 0 or b.parent in order)
        ]
        order.append(int(rng.choice(ready)))
    new_number = {old: new for new, old in enumerate(order)}
    new_number[-1] = -1
    joints = [model.joints[k] for k in rng.permutation(len(model.joints))]
    start: dict[str, tuple[int, int]] = {}
    iq: list[int] = []
    iv: list[int] = []
    for j in joints:
        start[j.name] = (len(iq), len(iv))
        iq += range(j.q_index, j.q_index + j.type.nq)
        iv += range(j.v_index, j.v_index + j.type.nv)
    bodies = []
    for old in order:
        body = model.bodies[old]
        q_index, v_index = start[body.joint.mimics or body.joint.name]
        joint = replace(body.joint, q_index=q_index, v_index=v_index)
        bodies.append(replace(body, parent=new_number[body.parent], joint=joint))
    frames = tuple(replace(f, body=new_number[f.body]) for f in model.frames)
    new = replace(model, bodies=tuple(bodies), frames=frames)
    return new, np.array(iq, dtype=int), np.array(iv, dtype=int)
