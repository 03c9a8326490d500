"""Small robots whose motion is known in closed form or published elsewhere."""

from __future__ import annotations

from dynamics_core import Model, Robot
from dynamics_core.model import Body, Frame, Joint, JointType, Limits
from dynamics_core.spatial import Inertia, Matrix, Transform, Vector

DOWN = Vector(0.0, -9.81, 0.0)


#: An arm with two fingers of which one follows the other.
GRIPPER = """<robot name="gripper"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0.3 0 0.02"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.02" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><origin xyz="0.02 0 0"/><mass value="0.2"/>
    <inertia ixx="1e-4" iyy="2e-4" izz="3e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0.02 0 0"/><mass value="0.3"/>
    <inertia ixx="1e-4" iyy="2e-4" izz="3e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="5"/></joint>
  <joint name="finger" type="prismatic"><parent link="arm"/><child link="left"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.05" effort="30" velocity="1"/></joint>
  <joint name="finger_mirror" type="prismatic"><parent link="arm"/><child link="right"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><mimic joint="finger" multiplier="-1" offset="0.01"/>
    <limit lower="-0.05" upper="0.05" effort="30" velocity="1"/></joint></robot>"""

#: Limits of a double chain that it meets within a second.
LIMITED = (Limits(-0.6, 0.8, 2.0, 30.0), Limits(-0.5, 0.5, 3.0, 10.0))


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
