"""Other libraries as referees: what they share, and Pinocchio (MuJoCo is in mujoco_peer.py).

A peer is built from the same URDF as the robot and answers to the robot's own method names, in the
robot's own coordinates, so that a test compares ``robot.f(...)`` with ``peer.f(...)``. States are
mapped joint by joint, by name:

* a continuous joint is (cos, sin) in Pinocchio;
* a mimic joint is an ordinary joint for the peers; with the constant matrix G of
  ``v_tree = G v`` its torques come back as ``G' tau`` and its columns as ``J G``;
* floating joints have the same coordinates, in MuJoCo with the quaternion's w first and the
  linear velocity in base axes.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin

from dynamics_core import Robot
from dynamics_core.model import Joint, JointType

Array = np.ndarray

REFERENCES = {
    "local": pin.LOCAL,
    "world": pin.WORLD,
    "local_world_aligned": pin.LOCAL_WORLD_ALIGNED,
}


def corpus() -> list[Path]:
    """Every URDF of the PyPI package example-robot-data, sorted by name; 69 files."""
    distribution = importlib.metadata.distribution("example-robot-data")
    files = distribution.files or []
    return sorted(Path(str(f.locate())) for f in files if f.name.endswith(".urdf"))


def corpus_file(name: str) -> Path:
    """The one file of the corpus with that name, such as ``ur5_robot.urdf``."""
    (path,) = (p for p in corpus() if p.name == name)
    return path


def relative_error(actual: Array, expected: Array, ndim: int = 1, floor: float = 1e-9) -> float:
    """Largest deviation in units of the expected array's largest entry, state by state.

    Args:
        actual: Array of one state or, with one axis more, of a batch.
        expected: The same shape.
        ndim: Number of axes that belong to one state.
        floor: Smallest magnitude taken as the unit; below it the error is absolute.
    """
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    if actual.shape != expected.shape:
        raise AssertionError(f"shapes differ: {actual.shape} and {expected.shape}")
    axes = tuple(range(expected.ndim - ndim, expected.ndim))
    unit = np.maximum(np.max(np.abs(expected), axis=axes, initial=0.0), floor)
    worst = np.max(np.abs(actual - expected), axis=axes, initial=0.0) / unit
    if not np.isfinite(worst).all():
        return np.inf
    return float(np.max(worst, initial=0.0))


def random_state(
    robot: Robot, n: int, rng: np.random.Generator, speed: float = 1.0
) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of n random states, limits not regarded."""
    q = rng.uniform(-np.pi, np.pi, (n, robot.nq))
    for joint in robot.model.joints:
        k = joint.q_index
        if joint.type is JointType.PRISMATIC:
            q[:, k] /= np.pi
        elif joint.type is JointType.FLOATING:
            q[:, k : k + 3] /= np.pi
            quaternion = rng.normal(size=(n, 4))
            norm = np.linalg.norm(quaternion, axis=1, keepdims=True)
            q[:, k + 3 : k + 7] = quaternion / norm
    v = speed * rng.normal(size=(n, robot.nv))
    a = rng.normal(size=(n, robot.nv))
    return q, v, a


class Peer:
    """What both referees share: the matrix G and loops over the rows of a batch."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.joints = [b.joint for b in robot.model.bodies]
        self.reduction: Array = np.zeros((0, 0))

    def _fill_reduction(self, size: int, first: Mapping[str, int]) -> None:
        """G, given where each joint's velocity starts in the peer."""
        self.reduction = np.zeros((size, self.robot.nv))
        for j in self.joints:
            for k in range(j.type.nv):
                self.reduction[first[j.name] + k, j.v_index + k] = j.multiplier

    @staticmethod
    def _scalar(joint: Joint, q: Array) -> float:
        return float(joint.multiplier * q[joint.q_index] + joint.offset)


class PinocchioPeer(Peer):
    """Pinocchio's answers in the robot's coordinates. All methods take one state."""

    def __init__(self, robot: Robot, urdf: str) -> None:
        super().__init__(robot)
        own = set(re.findall(r"<joint\s[^>]*?name\s*=\s*[\"']([^\"']*)[\"']", urdf))
        root = robot.model.bodies[0].joint if robot.model.bodies else None
        if root and root.type is JointType.FLOATING and root.name not in own:
            free = pin.JointModelFreeFlyer()
            self.model = pin.buildModelFromXML(urdf, free, root.name)
        else:
            self.model = pin.buildModelFromXML(urdf)
        self.model.gravity.linear = robot.gravity
        self.data = self.model.createData()
        ids = {j.name: self.model.getJointId(j.name) for j in self.joints}
        missing = [n for n, i in ids.items() if i >= self.model.njoints]
        assert not missing, f"Pinocchio has no joints {missing}"
        assert self.model.njoints - 1 == len(ids), "a joint is missing in the robot"
        self.ids = ids
        self._fill_reduction(self.model.nv, {n: self.model.idx_vs[i] for n, i in ids.items()})

    # State.

    def q(self, q: Array) -> Array:
        """Pinocchio's configuration vector."""
        out = np.zeros(self.model.nq)
        for j in self.joints:
            i = self.ids[j.name]
            at, size, k = self.model.idx_qs[i], self.model.nqs[i], j.q_index
            if j.type is JointType.FLOATING:
                out[at : at + 7] = q[k : k + 7]
            elif j.type is JointType.PLANAR:
                out[at : at + 4] = (*q[k : k + 2], np.cos(q[k + 2]), np.sin(q[k + 2]))
            elif size == 2:
                angle = self._scalar(j, q)
                out[at : at + 2] = np.cos(angle), np.sin(angle)
            else:
                out[at] = self._scalar(j, q)
        return out

    def v(self, v: Array) -> Array:
        """Pinocchio's velocity or acceleration vector: ``G v``."""
        return self.reduction @ v

    def frame_id(self, frame: str) -> int:
        """Pinocchio's number of a link's frame."""
        return self.model.getFrameId(frame, pin.BODY)

    def _external(self, f_ext: Mapping[str, Array]) -> list[pin.Force]:
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for name, wrench in f_ext.items():
            frame = self.model.frames[self.frame_id(name)]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(np.asarray(wrench)))
        return forces

    # Dynamics.

    def inverse_dynamics(
        self, q: Array, v: Array, a: Array, f_ext: Mapping[str, Array] | None = None
    ) -> Array:
        state = (self.q(q), self.v(v), self.v(a))
        extra = (self._external(f_ext),) if f_ext else ()
        return self.reduction.T @ pin.rnea(self.model, self.data, *state, *extra)

    def mass_matrix(self, q: Array) -> Array:
        m = np.triu(pin.crba(self.model, self.data, self.q(q)))
        m = m + np.triu(m, 1).T
        return self.reduction.T @ m @ self.reduction

    def forward_dynamics(
        self, q: Array, v: Array, tau: Array, f_ext: Mapping[str, Array] | None = None
    ) -> Array:
        """ABA; where joints mimic others, ``(G' M0 G)^-1`` on Pinocchio's M and bias."""
        if self.robot.model.has_mimic:
            bias = self.inverse_dynamics(q, v, np.zeros(self.robot.nv), f_ext)
            return np.linalg.solve(self.mass_matrix(q), tau - bias)
        extra = (self._external(f_ext),) if f_ext else ()
        state = (self.q(q), self.v(v), self.reduction @ tau)
        return self.reduction.T @ pin.aba(self.model, self.data, *state, *extra)

    def gravity_torque(self, q: Array) -> Array:
        g = pin.computeGeneralizedGravity(self.model, self.data, self.q(q))
        return self.reduction.T @ g

    def bias_torque(self, q: Array, v: Array) -> Array:
        h = pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(v))
        return self.reduction.T @ h

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        c = pin.computeCoriolisMatrix(self.model, self.data, self.q(q), self.v(v))
        return self.reduction.T @ c @ self.reduction

    def coriolis_torque(self, q: Array, v: Array) -> Array:
        return self.coriolis_matrix(q, v) @ v

    # Kinematics.

    def frame_pose(self, q: Array, frame: str) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q))
        return pin.updateFramePlacement(
            self.model, self.data, self.frame_id(frame)
        ).homogeneous.copy()

    def jacobian(self, q: Array, frame: str, reference: str = "local_world_aligned") -> Array:
        j = pin.computeFrameJacobian(
            self.model, self.data, self.q(q), self.frame_id(frame), REFERENCES[reference]
        )
        return j @ self.reduction

    def jacobian_derivative(
        self, q: Array, v: Array, frame: str, reference: str = "local_world_aligned"
    ) -> Array:
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.v(v))
        pin.updateFramePlacements(self.model, self.data)
        dj = pin.getFrameJacobianTimeVariation(
            self.model, self.data, self.frame_id(frame), REFERENCES[reference]
        )
        return dj @ self.reduction

    def frame_velocity(
        self, q: Array, v: Array, frame: str, reference: str = "local_world_aligned"
    ) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v))
        return pin.getFrameVelocity(
            self.model, self.data, self.frame_id(frame), REFERENCES[reference]
        ).vector.copy()

    def frame_acceleration(
        self,
        q: Array,
        v: Array,
        a: Array,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        classical: bool = True,
    ) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v), self.v(a))
        get = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
        k = self.frame_id(frame)
        return get(self.model, self.data, k, REFERENCES[reference]).vector.copy()

    # Centroidal quantities and energy.

    def center_of_mass(self, q: Array) -> Array:
        return pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    def com_velocity(self, q: Array, v: Array) -> Array:
        pin.centerOfMass(self.model, self.data, self.q(q), self.v(v))
        return self.data.vcom[0].copy()

    def com_jacobian(self, q: Array) -> Array:
        return pin.jacobianCenterOfMass(self.model, self.data, self.q(q)) @ self.reduction

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        h = pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.v(v))
        return h.vector.copy()

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        zero = np.zeros(self.model.nv)
        pin.ccrba(self.model, self.data, self.q(q), zero)
        return self.data.Ag @ self.reduction

    def centroidal_inertia(self, q: Array) -> Array:
        pin.ccrba(self.model, self.data, self.q(q), np.zeros(self.model.nv))
        return self.data.Ig.matrix().copy()

    def centroidal_momentum_bias(self, q: Array, v: Array) -> Array:
        pin.dccrba(self.model, self.data, self.q(q), self.v(v))
        return self.data.dAg @ self.v(v)

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return pin.computeKineticEnergy(self.model, self.data, self.q(q), self.v(v))

    def potential_energy(self, q: Array) -> float:
        return pin.computePotentialEnergy(self.model, self.data, self.q(q))

    # Derivatives and the regressor.

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Partial derivatives of tau with respect to q (tangent space) and v."""
        dq, dv, _ = pin.computeRNEADerivatives(
            self.model, self.data, self.q(q), self.v(v), self.v(a)
        )
        g = self.reduction
        return g.T @ dq @ g, g.T @ dv @ g

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """Partial derivatives of a with respect to q (tangent space) and v; no mimic joints."""
        assert not self.robot.model.has_mimic
        g = self.reduction
        dq, dv, _ = pin.computeABADerivatives(self.model, self.data, self.q(q), self.v(v), g @ tau)
        return g.T @ dq @ g, g.T @ dv @ g

    def regressor(self, q: Array, v: Array, a: Array) -> Array:
        """(nv, 10 n): Pinocchio's own order of joints and parameters; see :meth:`parameters`."""
        y = pin.computeJointTorqueRegressor(self.model, self.data, self.q(q), self.v(v), self.v(a))
        return self.reduction.T @ y

    def parameters(self) -> Array:
        """The parameters (m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) of all joints' bodies."""
        return np.concatenate([i.toDynamicParameters() for i in list(self.model.inertias)[1:]])
