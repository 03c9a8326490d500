"""A Gymnasium environment over the simulated robot: reach a random pose by joint torques.

Needs the optional extra ``gymnasium``. The environments register themselves when this module is
imported::

    import gymnasium, dynamics_core.gym
    env = gymnasium.make("urdf_dynamics/Reach-v0", urdf="arm.urdf")
    envs = gymnasium.make_vec("urdf_dynamics/Reach-v0", num_envs=64, urdf="arm.urdf",
                              vectorization_mode="vector_entry_point")

The vectorised one advances all its robots in one call of compiled code.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .errors import ArgumentError
from .model import JointType
from .robot import Robot
from .simulation.domains import drive_scale
from .simulation.physics import Array, Physics
from .simulation.stepper import Stepper

__all__ = ["ReachEnv", "ReachVectorEnv"]

Float32 = npt.NDArray[np.float32]


class ReachTask:
    """Joints to a random pose: observations, rewards, ends; for rows of robots.

    Observation: positions, velocities as shares of the largest speed, and the way to the target,
    all in the order of the robot's joints, (3 nv,). Action: torques as shares of the drives'
    largest, (nv,), each within [-1, 1]. Reward: minus the mean squared way, rad2, minus a little
    for torque.

    Args:
        robot: The robot, or the path of its URDF; its joints have one degree of freedom each.
        dt: Time between actions, s.
        substeps: Steps of integration for it.
        physics: What the simulation takes into account.
        steps: Actions after which an episode is truncated.
    """

    def __init__(
        self,
        robot: Robot | str | os.PathLike[str],
        dt: float = 0.02,
        substeps: int = 10,
        physics: Physics = Physics(),
        steps: int = 200,
    ) -> None:
        self.robot = robot if isinstance(robot, Robot) else Robot.from_urdf(robot)
        if any(j.type.nv != 1 for j in self.robot.model.joints):
            raise ArgumentError("gym: every joint must have one degree of freedom")
        if substeps < 1 or steps < 1:
            raise ArgumentError(f"gym: substeps is {substeps}, steps {steps}; expected 1 or more")
        self.stepper = Stepper(self.robot, dt / substeps, physics)
        self.substeps, self.steps = substeps, steps
        self.drive = drive_scale(self.robot)
        limits = self.robot.velocity_limits
        self.speed = np.where(np.isfinite(limits) & (limits > 0.0), limits, 10.0)
        self._turns = np.array(
            [j.type is JointType.CONTINUOUS for j in self.robot.model.joints], dtype=bool
        )
        nv = self.robot.nv
        self.observation_space = spaces.Box(-np.inf, np.inf, (3 * nv,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (nv,), np.float32)

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[Array, Array, Array]:
        """Position, velocity and target of new episodes, (rows, nv) each."""
        q, _ = self.robot.random_state(rng, rows)
        target, _ = self.robot.random_state(rng, rows)
        return q, np.zeros_like(q), target

    def advance(self, q: Array, v: Array, action: npt.ArrayLike) -> tuple[Array, Array]:
        """States after actions, rows of (nv,)."""
        share = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        if not np.isfinite(share).all():
            raise ArgumentError("gym: an action is not finite")
        states = self.stepper.repeat(q, v, self.drive * share, 1, substeps=self.substeps)
        return states.q[:, 0], states.v[:, 0]

    def way(self, q: Array, target: Array) -> Array:
        """From a position to the target, the short way round for continuous joints."""
        way = target - q
        return np.where(self._turns, np.remainder(way + np.pi, 2.0 * np.pi) - np.pi, way)

    def observe(self, q: Array, v: Array, target: Array) -> Float32:
        """Observations, (rows, 3 nv)."""
        parts = (q, v / self.speed, self.way(q, target))
        return np.concatenate(parts, axis=-1).astype(np.float32)

    def reward(self, q: Array, target: Array, action: npt.ArrayLike) -> Array:
        """Rewards, (rows,)."""
        effort = np.asarray(action, dtype=np.float64)
        way = self.way(q, target)
        return np.mean(-way * way - 1e-3 * effort * effort, axis=-1)


class ReachEnv(gymnasium.Env[Float32, Float32]):
    """One robot; see :class:`ReachTask` for arguments, observations, actions and rewards."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, urdf: Robot | str | os.PathLike[str], **options: Any) -> None:
        self.task = ReachTask(urdf, **options)
        self.observation_space = self.task.observation_space
        self.action_space = self.task.action_space
        self._q = self._v = self._target = np.zeros((1, self.task.robot.nv))
        self._count = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._q, self._v, self._target = self.task.draw(self.np_random, 1)
        self._count = 0
        return self.task.observe(self._q, self._v, self._target)[0], {}

    def step(self, action: Float32) -> tuple[Float32, float, bool, bool, dict[str, Any]]:
        """Act for one time step."""
        rows = np.asarray(action, dtype=np.float64)[None]
        self._q, self._v = self.task.advance(self._q, self._v, rows)
        self._count += 1
        reward = float(self.task.reward(self._q, self._target, rows)[0])
        observation = self.task.observe(self._q, self._v, self._target)[0]
        return observation, reward, False, self._count >= self.task.steps, {}


class ReachVectorEnv(VectorEnv[Float32, Float32, Any]):
    """Many robots at once; an episode that ends begins anew with the next step."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, num_envs: int = 1, urdf: Robot | str | os.PathLike[str] = "", **options: Any
    ) -> None:
        super().__init__()
        if num_envs < 1:
            raise ArgumentError(f"gym: num_envs is {num_envs}; expected 1 or more")
        self.task = ReachTask(urdf, **options)
        self.num_envs = num_envs
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._q, self._v, self._target = np.zeros((3, num_envs, self.task.robot.nv))
        self._count = np.zeros(num_envs, dtype=int)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32, dict[str, Any]]:
        """Begin episodes in all rows."""
        super().reset(seed=seed if seed is None or isinstance(seed, int) else seed[0])
        self._q, self._v, self._target = self.task.draw(self.np_random, self.num_envs)
        self._count[:] = 0
        return self.task.observe(self._q, self._v, self._target), {}

    def step(
        self, actions: Float32
    ) -> tuple[Float32, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Act for one time step; rows whose episode had ended begin anew instead."""
        ended = self._count >= self.task.steps
        q, v = self.task.advance(self._q, self._v, actions)
        reward = self.task.reward(q, self._target, actions)
        self._q, self._v = q, v
        self._count += 1
        if ended.any():
            fresh = self.task.draw(self.np_random, int(ended.sum()))
            self._q[ended], self._v[ended], self._target[ended] = fresh
            self._count[ended] = 0
            reward[ended] = 0.0
        observation = self.task.observe(self._q, self._v, self._target)
        truncated = self._count >= self.task.steps
        return observation, reward, np.zeros(self.num_envs, bool), truncated, {}


gymnasium.register(
    id="urdf_dynamics/Reach-v0",
    entry_point="dynamics_core.gym:ReachEnv",
    vector_entry_point="dynamics_core.gym:ReachVectorEnv",
)
