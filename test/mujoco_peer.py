"""MuJoCo as a referee: see :mod:`peers`."""

from __future__ import annotations

from xml.etree import ElementTree

import mujoco
import numpy as np
from peers import Peer

from dynamics_core import Robot
from dynamics_core.model import JointType

Array = np.ndarray


def mujoco_text(urdf: str) -> str:
    """The URDF as MuJoCo can read it: no shapes, and compiler options that change no inertia."""
    root = ElementTree.fromstring(urdf.encode())
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    for tag in ("mujoco", "gazebo", "transmission", "ros2_control"):
        for element in root.findall(tag):
            root.remove(element)
    options = {
        "angle": "radian",
        "balanceinertia": "false",
        "discardvisual": "false",
        "fusestatic": "false",
        "strippath": "true",
    }
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", options)
    return ElementTree.tostring(root, encoding="unicode")


class MujocoPeer(Peer):
    """MuJoCo's answers in the robot's coordinates, for fixed bases. One state a call."""

    def __init__(self, robot: Robot, urdf: str) -> None:
        super().__init__(robot)
        self.model = mujoco.MjModel.from_xml_string(mujoco_text(urdf))
        self.model.opt.gravity[:] = robot.gravity
        flags = (mujoco.mjtDisableBit.mjDSBL_CONSTRAINT, mujoco.mjtDisableBit.mjDSBL_CONTACT)
        for flag in flags:
            self.model.opt.disableflags |= int(flag)
        self.model.dof_damping[:] = 0.0
        self.data = mujoco.MjData(self.model)
        self.at = {j.name: self.model.joint(j.name) for j in self.joints}
        assert self.model.njnt == len(self.joints), "a joint is missing on one side"
        assert all(j.type.nv in (1, 6) for j in self.joints), "MuJoCo has no planar joint"
        self._fill_reduction(self.model.nv, {n: int(j.dofadr[0]) for n, j in self.at.items()})

    def _set(self, q: Array, v: Array | None = None) -> None:
        for j in self.joints:
            k = int(self.at[j.name].qposadr[0])
            if j.type is JointType.FLOATING:
                raise NotImplementedError("floating joints")
            self.data.qpos[k] = self._scalar(j, q)
        self.data.qvel[:] = 0.0 if v is None else self.reduction @ v
        self.data.qfrc_applied[:] = 0.0
        self.data.qacc[:] = 0.0
        mujoco.mj_forward(self.model, self.data)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._set(q, v)
        self.data.qacc[:] = self.reduction @ a
        tau = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, self.data, 1, tau)
        return self.reduction.T @ tau

    def bias_torque(self, q: Array, v: Array) -> Array:
        self._set(q, v)
        return self.reduction.T @ self.data.qfrc_bias

    def gravity_torque(self, q: Array) -> Array:
        return self.bias_torque(q, np.zeros(self.robot.nv))

    def mass_matrix(self, q: Array) -> Array:
        self._set(q)
        m = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, m)
        return self.reduction.T @ m @ self.reduction

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """The acceleration of MuJoCo's own step; with mimic joints, from its M and bias."""
        if self.robot.model.has_mimic:
            return np.linalg.solve(self.mass_matrix(q), tau - self.bias_torque(q, v))
        self._set(q, v)
        self.data.qfrc_applied[:] = self.reduction @ tau
        mujoco.mj_forward(self.model, self.data)
        return self.reduction.T @ self.data.qacc

    def frame_pose(self, q: Array, frame: str) -> Array:
        self._set(q)
        body = self.data.body(frame)
        pose = np.eye(4)
        pose[:3, :3] = body.xmat.reshape(3, 3)
        pose[:3, 3] = body.xpos
        return pose

    def jacobian(self, q: Array, frame: str) -> Array:
        """In ``local_world_aligned``."""
        self._set(q)
        linear = np.zeros((3, self.model.nv))
        angular = np.zeros((3, self.model.nv))
        k = self.model.body(frame).id
        mujoco.mj_jacBody(self.model, self.data, linear, angular, k)
        return np.vstack((linear, angular)) @ self.reduction
