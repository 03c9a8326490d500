"""A robot that is told torques or targets and answers with what its sensors see."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..model import JointType
from ..robot import Robot
from .commands import CommandPolicy, Commands
from .physics import Array, Physics
from .pushes import PushedBodies
from .sensors import Measurement, Sensors, SensorSettings
from .stepper import Stepper

__all__ = ["EFFORT_KINDS", "GroundTruth", "Simulator"]

#: What a robot may report as effort. ``motor``: torque of the drives. ``joint``: what reaches the
#: link, without friction and rotor. ``gravity_free``: the same less the torque that gravity takes.
EFFORT_KINDS = ("motor", "joint", "gravity_free")


@dataclass(frozen=True)
class GroundTruth:
    """What no sensor tells, of the latest step.

    Attributes:
        q: Position, (nq,).
        v: Velocity, (nv,).
        a: Mean acceleration over the step, (nv,).
        drive: Torque of drives (and brakes), (nv,).
        friction: Torque of friction, (nv,).
        external: Torque that the environment exerts through wrenches and end stops, (nv,).
        wrenches: Wrenches that act, by frame, (6,) each: force and moment about the frame's
            origin, in its axes.
    """

    q: Array
    v: Array
    a: Array
    drive: Array
    friction: Array
    external: Array
    wrenches: Mapping[str, Array]


class Simulator:
    """One simulated robot: commands in, samples out, a step at a time.

    Args:
        robot: The robot.
        dt: Length of a step of integration, s.
        physics: What is taken into account.
        policy: What to do with commands and without them.
        sensors: Imperfections of the sensors.
        effort_kind: One of :data:`EFFORT_KINDS`.
        substeps: Steps of integration for each call of :meth:`step`.
        interface_joints: See :class:`~dynamics_core.simulation.commands.Commands`.
    """

    def __init__(
        self,
        robot: Robot,
        dt: float,
        *,
        physics: Physics = Physics(),
        policy: CommandPolicy = CommandPolicy(),
        sensors: SensorSettings = SensorSettings(),
        effort_kind: str = "motor",
        substeps: int = 1,
        interface_joints: Mapping[str, list[str]] | None = None,
    ) -> None:
        if effort_kind not in EFFORT_KINDS:
            raise ArgumentError(
                f"Simulator: unknown effort_kind {effort_kind!r}; known are "
                + ", ".join(map(repr, EFFORT_KINDS))
            )
        if substeps < 1:
            raise ArgumentError(f"Simulator: substeps is {substeps}; expected 1 or more")
        self.effort_kind, self.substeps = effort_kind, substeps
        self._sensors = Sensors(sensors)
        scalar = [j for j in robot.model.joints if j.type.nv == 1]
        self.joint_names = tuple(j.name for j in scalar)
        #: Where the joints of ``joint_names`` are in v, (n,).
        self.v_index = np.array([j.v_index for j in scalar], dtype=np.intp)
        self._q_index = np.array([j.q_index for j in scalar], dtype=np.intp)
        self._q_at, self._v_at = _places(self._q_index), _places(self.v_index)
        self._tau, self._impedance = np.zeros((2, robot.nv))
        self._followers = [b.joint for b in robot.model.bodies if b.joint.mimics is not None]
        self.commands = Commands(
            self.joint_names,
            policy,
            continuous=[j.name for j in scalar if j.type is JointType.CONTINUOUS],
            ignored=[j.name for j in self._followers],
            interface_joints=interface_joints,
        )
        self._physics = physics
        self._dt = dt
        self.robot = robot
        self._pushes: dict[str, tuple[Array, float]] = {}
        self._wrenches: Array | None = None
        self.reset()

    @property
    def robot(self) -> Robot:
        """The robot; another one of the same joints (a payload, say) may take its place."""
        return self._robot

    @robot.setter
    def robot(self, robot: Robot) -> None:
        self._robot = robot
        # Every body can be pushed by the code that is made now, so that no push has to wait for
        # a compiler: wrenches on any link are carried over to one link of its body.
        self._pushed = PushedBodies(robot)
        self._stepper = Stepper(robot, self._dt, self._physics, self._pushed.frames)
        self._pushed.joint_torque(robot.neutral(), np.ones(6 * len(self._pushed.frames)))

    @property
    def state_names(self) -> tuple[str, ...]:
        """The joints of a measurement: those of ``joint_names``, then those that follow them."""
        return self.joint_names + tuple(j.name for j in self._followers)

    @property
    def period(self) -> float:
        """Time that one call of :meth:`step` advances, s."""
        return self._dt * self.substeps

    @property
    def delay(self) -> float:
        """Age of samples when they come out, s."""
        return self._sensors.settings.delay

    @property
    def time(self) -> float:
        """Simulated time since the start or the latest reset, s."""
        return self._ticks * self._dt

    def reset(self, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> None:
        """Put the robot into a state, at time zero, with no command, push or sample pending.

        Args:
            q: Position, (nq,); by default all joints at zero or at the limit nearest to it.
            v: Velocity, (nv,); by default zero.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite; nothing is changed.
        """
        model = self._robot.model
        new_q = np.array(self._robot.neutral() if q is None else q, dtype=np.float64)
        new_v = np.array(np.zeros(model.nv) if v is None else v, dtype=np.float64)
        for name, value, size in (("q", new_q, model.nq), ("v", new_v, model.nv)):
            if value.shape != (size,) or not np.isfinite(value).all():
                raise ArgumentError(
                    f"reset: {name} is {value.tolist()}; expected {size} finite numbers in the "
                    f"order of {list(self._robot.joint_names)}"
                )
        self._q, self._v = new_q, new_v
        self._ticks = 0
        zero = np.zeros(model.nv)
        self._v_before = new_v
        self._drive, self._friction, self._stops = zero, zero, zero
        self._pushes.clear()
        self._wrenches = None
        self.commands.reset()
        self._sensors.reset()
        if self.commands.policy.start != "free":
            # Brakes and drives carry the weight from the first sample on, not from the first step.
            index = self.v_index
            self._drive = zero.copy()
            self._drive[index] = self._robot.gravity_torque(new_q)[index]

    def push(self, frame: str, wrench: npt.ArrayLike, duration: float = np.inf) -> None:
        """Let the environment push a frame for a while; replaces an earlier push on it.

        Args:
            frame: A link.
            wrench: Force, N, and moment about the frame's origin, N m, in its axes, (6,).
            duration: s from now.

        Raises:
            UnknownNameError: No such link.
            ArgumentError: Not six finite numbers; nothing is changed.
        """
        self._robot.model.frame(frame)
        w = np.array(wrench, dtype=np.float64)
        if w.shape != (6,) or not np.isfinite(w).all():
            raise ArgumentError(
                f"push: the wrench on {frame!r} is {w.tolist()}; expected 6 finite numbers"
            )
        self._pushes[frame] = (w, self.time + duration)
        self._wrenches = None

    def step(self) -> Measurement | None:
        """Advance by one period and give the newest sample, if one is due."""
        for _ in range(self.substeps):
            self._advance()
        return self.measure()

    def measure(self) -> Measurement | None:
        """Take a sample now, and give the newest one that is due."""
        q, v = self.joint_values(self._q, self._v)
        effort = self._effort()
        if self._followers:
            effort = np.append(effort, np.zeros(len(self._followers)))
        return self._sensors.measure(self.time, q, v, effort)

    def joint_values(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Positions and velocities of ``state_names`` from q and v."""
        position, velocity = q[self._q_at], v[self._v_at]
        if self._followers:
            own = self._followers
            position = np.append(position, [j.multiplier * q[j.q_index] + j.offset for j in own])
            velocity = np.append(velocity, [j.multiplier * v[j.v_index] for j in own])
        return position, velocity

    def ground_truth(self) -> GroundTruth:
        """What no sensor tells, of the latest step."""
        wrenches = self._active()
        external = self._stops + self._pushed.joint_torque(self._q, self._body_wrenches())
        return GroundTruth(
            self._q,
            self._v,
            self._acceleration(),
            self._drive,
            self._friction,
            external,
            wrenches,
        )

    def _advance(self) -> None:
        q_at, v_at, dt = self._q_at, self._v_at, self._dt
        asked = self.commands.drive(
            self._q[q_at],
            self._v[v_at],
            self.time,
            dt,
            lambda: self._robot.gravity_torque(self._q)[v_at],
        )
        self._tau[v_at], self._impedance[v_at] = asked.tau, asked.impedance
        self._active()
        step = self._stepper.advance(
            self._q, self._v, self._tau, self._impedance, self._body_wrenches()
        )
        q, v = step.q, step.v
        if asked.any_braked:
            stopped = self.v_index[asked.braked]
            v[stopped] = 0.0
            q[self._q_index[asked.braked]] = self._q[self._q_index[asked.braked]]
        # The cheapest look at all of them: what is not finite stays so in a sum of squares.
        if not math.isfinite(q.dot(q) + v.dot(v)):
            raise FloatingPointError(
                f"the simulation of {self._robot.name!r} diverged at {self.time:.4f} s; take a "
                f"shorter step than {dt} s or the integrator semi_implicit_euler"
            )
        self._v_before = self._v
        self._q, self._v = q, v
        self._drive, self._friction, self._stops = step.drive, step.friction, step.stops
        self._ticks += 1

    def _acceleration(self) -> Array:
        """Mean acceleration over the latest step, (nv,)."""
        return np.asarray((self._v - self._v_before) / self._dt)

    def _active(self) -> dict[str, Array]:
        if not self._pushes:
            return {}
        now = self.time + 1e-9
        for frame in [f for f, (_, end) in self._pushes.items() if end <= now]:
            del self._pushes[frame]
            self._wrenches = None
        return {frame: wrench for frame, (wrench, _) in self._pushes.items()}

    def _body_wrenches(self) -> Array:
        if self._wrenches is None:
            pushes = {frame: wrench for frame, (wrench, _) in self._pushes.items()}
            self._wrenches = self._pushed.gather(pushes)
        return self._wrenches

    def _effort(self) -> Array:
        if self.effort_kind == "motor":
            return self._drive[self._v_at]
        rotors = self._stepper.rotor_inertia
        joint = self._drive + self._friction - rotors * self._acceleration()
        if self.effort_kind == "gravity_free":
            joint = joint - self._robot.gravity_torque(self._q)
        return np.asarray(joint[self._v_at])


def _places(index: npt.NDArray[np.intp]) -> npt.NDArray[np.intp] | slice:
    """The same places, as a slice where they follow one another: numpy takes that in no time."""
    if len(index) and (np.diff(index) == 1).all():
        return slice(int(index[0]), int(index[-1]) + 1)
    return index
