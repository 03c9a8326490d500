"""The same robot, torques and steps in MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco_peer import MujocoPeer
from peers import corpus_file

from dynamics_core import Robot
from dynamics_core.simulation import Physics, simulate

#: Robots of example-robot-data: arms, one with continuous joints, and four legs on one body.
ROBOTS = (
    "ur5_robot.urdf",
    "kinova.urdf",
    "xarm7.urdf",
    "talos_left_arm.urdf",
    "solo12.urdf",
)

#: Ours, and MuJoCo's that it is held against: the same method where there is one.
AGAINST = {
    "semi_implicit_euler": mujoco.mjtIntegrator.mjINT_EULER,
    "explicit_euler": mujoco.mjtIntegrator.mjINT_RK4,
    "heun": mujoco.mjtIntegrator.mjINT_RK4,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}

#: Viscous friction of every joint as a share of the inertia that it moves, 1/s.
DAMPING = 1.0


class Experiment:
    """A robot that swings under changing torques with some friction.

    Args:
        file: Name of a file of example-robot-data.
        seconds: How long.
        dt: Step, s.
    """

    def __init__(self, file: str, seconds: float, dt: float = 1e-3) -> None:
        path = corpus_file(file)
        self.robot = Robot.from_urdf(path)
        self.peer = MujocoPeer(self.robot, path.read_text())
        self.seconds, self.dt = seconds, dt
        n, steps = self.robot.nv, round(seconds / dt)
        rng = np.random.default_rng(1)
        self.q = rng.uniform(-0.5, 0.5, n)
        inertia = np.diag(self.robot.mass_matrix(self.q))
        self.damping = DAMPING * inertia
        time = dt * np.arange(steps)[:, None]
        frequency, phase = rng.uniform(0.5, 2.0, n), rng.uniform(0.0, 6.0, n)
        self.tau = 2.0 * inertia * np.sin(2.0 * np.pi * frequency * time + phase)

    def ours(self, integrator: str) -> np.ndarray:
        """Positions (steps + 1, nv)."""
        physics = Physics(integrator, self.damping, 0.0, 0.0, False, False, None)
        run = simulate(
            self.robot, self.q, seconds=self.seconds, dt=self.dt, tau=self.tau, physics=physics
        )
        return run.q

    def theirs(self, integrator: str) -> np.ndarray:
        """Positions (steps + 1, nv) by the integrator that ``integrator`` is held against."""
        model, data = self.peer.model, self.peer.data
        model.opt.integrator = int(AGAINST[integrator])
        model.opt.timestep = self.dt
        where = [int(self.peer.at[name].dofadr[0]) for name in self.robot.joint_names]
        at = [int(self.peer.at[name].qposadr[0]) for name in self.robot.joint_names]
        model.dof_damping[where] = self.damping
        mujoco.mj_resetData(model, data)
        data.qpos[at] = self.q
        rows = [self.q]
        for tau in self.tau:
            data.qfrc_applied[where] = tau
            mujoco.mj_step(model, data)
            rows.append(data.qpos[at].copy())
        return np.array(rows)

    def difference(self, integrator: str) -> np.ndarray:
        """Largest difference of each joint, (nv,), rad or m."""
        return np.abs(self.ours(integrator) - self.theirs(integrator)).max(axis=0)
