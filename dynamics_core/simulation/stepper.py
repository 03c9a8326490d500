"""A robot advanced step by step: state in, state out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..functions import FUNCTIONS
from ..robot import Robot
from ..robot.arguments import gather_wrenches
from ..robot.repetition import repeat
from .feedback import Feedback
from .physics import Array, Physics
from .schedule import Schedule

__all__ = ["Step", "Stepper"]


class Step(NamedTuple):
    """What one step gives.

    Attributes:
        q: Position after it, (nq,) or (N, nq).
        v: Velocity after it, (nv,) or (N, nv).
        drive: Torque of the drives during it, saturated, (nv,) or (N, nv).
        friction: Torque of friction during it.
        stops: Torque of the end stops during it.
    """

    q: Array
    v: Array
    drive: Array
    friction: Array
    stops: Array


class Stepper:
    """Advances one robot, or a batch of them, with a fixed step.

    Args:
        robot: The robot.
        dt: Length of a step, s.
        physics: What is taken into account.
        frames: Links that :meth:`advance` can push.
    """

    def __init__(
        self,
        robot: Robot,
        dt: float,
        physics: Physics = Physics(),
        frames: tuple[str, ...] = (),
    ) -> None:
        if not (np.isfinite(dt) and dt > 0.0):
            raise ArgumentError(f"Stepper: dt is {dt} s; expected a positive number")
        self.robot, self.dt, self.physics = robot, float(dt), physics
        self._constants = physics.joint_arrays(robot.model)
        rubs = any(self._constants[name].any() for name in ("damping", "friction"))
        bounds = replace(physics.bounds, friction=rubs)
        self._options = {"integrator": physics.integrator, "bounds": bounds}
        self._constants["dt"] = np.array([self.dt])
        self._no_impedance = np.zeros(robot.nv)
        self._fixed_options = {"frames": frames, **self._options}
        #: Rotor inertia on top of the model's armature, (nv,) or (N, nv), kg m2 or kg.
        self.rotor_only: Array = self._constants["rotor"]
        armature = [j.armature for j in robot.model.joints for _ in j.type.axes]
        #: Inertia of the rotors of every coordinate, (nv,), kg m2 or kg.
        self.rotor_inertia: Array = self.rotor_only + np.array(armature)

    def step(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        impedance: npt.ArrayLike | None = None,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
    ) -> Step:
        """Advance by one step.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            tau: Torque commanded to the drives, (nv,) or (N, nv), N m or N.
            impedance: How that torque falls with speed, (nv,) or (N, nv), N m s/rad; see
                :func:`~dynamics_core.simulation.step.simulation_step`.
            f_ext: Wrenches that the environment exerts: frame name to (6,) or (N, 6), force in N,
                then moment in N m about the frame's origin, in the frame's axes.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            UnknownNameError: A frame that the robot does not have.
        """
        told = {"tau": tau, "impedance": self._no_impedance if impedance is None else impedance}
        return self.step_told(q, v, told, f_ext)

    def step_told(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        told: Mapping[str, npt.ArrayLike],
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
    ) -> Step:
        """Advance by one step, with what the drives are told as :meth:`schedules` has it.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            told: Inputs of the step function by name, each (size,) or (N, size).
            f_ext: As for :meth:`step`.
        """
        name, inputs, options = self._call(q, v, told, f_ext)
        return Step(*self.robot._evaluate(name, inputs, options))

    def advance(self, q: Array, v: Array, tau: Array, impedance: Array, wrenches: Array) -> Step:
        """Advance by one step, with no more ado than needed.

        Args:
            q: Position, (nq,).
            v: Velocity, (nv,).
            tau: Torque commanded to the drives, (nv,).
            impedance: How it falls with speed, (nv,).
            wrenches: Wrenches on the ``frames`` of the stepper, (6 k,), side by side.
        """
        inputs = {
            "q": q,
            "v": v,
            "tau": tau,
            "impedance": impedance,
            **self._constants,
            "wrenches": wrenches,
        }
        return Step(*self.robot._evaluate("simulation_step", inputs, self._fixed_options))

    def schedules(
        self, tau: npt.ArrayLike | Feedback, rows: tuple[int, ...], times: int
    ) -> dict[str, Schedule]:
        """What the drives are told over time, as inputs of a step function by name.

        Args:
            tau: Torques, held or for each step, or feedback.
            rows: Shape of the batch, () or (N,).
            times: Number of steps.

        Raises:
            ArgumentError: A wrong shape.
        """
        if isinstance(tau, Feedback):
            return tau.schedules(self.robot.model, rows, times, self.dt)
        torque = Schedule.of("tau", tau, rows, times, self.robot.nv)
        return {"tau": torque, "impedance": Schedule(self._no_impedance)}

    def repeat(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | Feedback,
        times: int,
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        substeps: int = 1,
    ) -> Step:
        """Advance by many steps in compiled code.

        Args:
            q: Position at the start, (nq,) or (N, nq), rad or m.
            v: Velocity at the start, (nv,) or (N, nv), rad/s or m/s.
            tau: Torque commanded to the drives, N m or N: (nv,) or (N, nv), held, or (times, nv)
                or (N, times, nv); or feedback, which is computed anew for every substep.
            times: Number of states to keep.
            f_ext: Wrenches, held all the time; as for :meth:`step`.
            substeps: Steps from one state to the next.

        Returns:
            The state after each, (times, ...) or (N, times, ...), and the torques of the last step
            before it.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            FloatingPointError: The state has become infinite.
        """
        plan = self.schedules(tau, np.shape(q)[:-1], times)
        told = {key: schedule.values for key, schedule in plan.items()}
        name, inputs, options = self._call(q, v, told, f_ext)
        varying = {key for key, schedule in plan.items() if schedule.varying}
        return Step(
            *repeat(
                self.robot, name, inputs, options, varying=varying, times=times, repeats=substeps
            )
        )

    def _call(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        told: Mapping[str, npt.ArrayLike],
        f_ext: Mapping[str, npt.ArrayLike] | None,
    ) -> tuple[str, dict[str, npt.ArrayLike], dict[str, Any]]:
        """The step function that takes what the drives are told, its inputs and options."""
        frames, wrenches = gather_wrenches("step", f_ext)
        for frame in frames:
            self.robot.model.frame(frame)
        given = {"q": q, "v": v, **told, **self._constants}
        if wrenches is not None:
            given["wrenches"] = wrenches
        name = "tracking_step" if "kp" in told else "simulation_step"
        inputs = {key: given[key] for key in FUNCTIONS[name].inputs if key in given}
        return name, inputs, {**({"frames": frames} if frames else {}), **self._options}
