"""Small robots whose motion is known in closed form or published elsewhere."""

from __future__ import annotations

from dynamics_core import Model, Robot
from dynamics_core.model import Body, Frame, Joint, JointType, Limits
from dynamics_core.spatial import Inertia, Matrix, Transform, Vector

DOWN = Vector(0.0, -9.81, 0.0)


def pendulum(limits: Limits = Limits(), gravity: float = 9.81) -> Robot:
    """A point mass of 1 kg on a rod of 1 m; zero hangs down."""
    inertia = Inertia.from_com(1.0, Vector(0.0, -1.0, 0.0), Matrix.zero())
    return chain([inertia], [Vector()], [limits], Vector(0.0, -gravity, 0.0))


def double_chain(limits: tuple[Limits, Limits] = (Limits(), Limits())) -> Robot:
    """The double chain of RBDL's tests: zero points along x, gravity along -y."""
    link = Inertia.from_com(1.0, Vector(1.0, 0.0, 0.0), Matrix.identity())
    return chain([link, link], [Vector(), Vector(1.0, 0.0, 0.0)], list(limits), DOWN)


def free_body() -> Robot:
    """A rigid body in space without gravity, I = diag(0.04, 0.04, 0.02) kg m2, 1 kg."""
    inertia = Inertia.from_com(1.0, Vector(), Matrix.diagonal(0.04, 0.04, 0.02))
    joint = Joint("free", JointType.FLOATING, 0, 0)
    body = Body("body", -1, joint, Transform.identity(), inertia)
    frames = (Frame("world", -1, Transform.identity()), Frame("body", 0, Transform.identity()))
    return Robot(Model("free_body", (body,), frames, gravity=Vector()))


def chain(
    inertias: list[Inertia], offsets: list[Vector], limits: list[Limits], gravity: Vector
) -> Robot:
    """Links turning about parallel axes, one behind the other."""
    bodies, frames = [], [Frame("base", -1, Transform.identity())]
    for k, (inertia, offset, limit) in enumerate(zip(inertias, offsets, limits, strict=True)):
        joint = Joint(f"j{k}", JointType.REVOLUTE, k, k, limit)
        placement = Transform(Matrix.identity(), offset)
        bodies.append(Body(f"l{k}", k - 1, joint, placement, inertia))
        frames.append(Frame(f"l{k}", k, Transform.identity()))
    return Robot(Model(f"chain{len(bodies)}", tuple(bodies), tuple(frames), gravity=gravity))
