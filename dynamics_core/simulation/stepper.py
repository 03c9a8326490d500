"""A robot advanced step by step: state in, state out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..robot import Robot
from ..robot.arguments import gather_wrenches
from ..robot.repetition import repeat
from .physics import Array, Physics

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
        frames, wrenches = gather_wrenches("step", f_ext)
        for frame in frames:
            self.robot.model.frame(frame)
        inputs = {
            "q": q,
            "v": v,
            "tau": tau,
            "impedance": self._no_impedance if impedance is None else impedance,
            **self._constants,
            "wrenches": wrenches,
        }
        options = {**({"frames": frames} if frames else {}), **self._options}
        return Step(*self.robot._evaluate("simulation_step", inputs, options))

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

    def repeat(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        times: int,
        *,
        varying: bool = False,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        substeps: int = 1,
    ) -> Step:
        """Advance by many steps in compiled code.

        Args:
            q: Position at the start, (nq,) or (N, nq), rad or m.
            v: Velocity at the start, (nv,) or (N, nv), rad/s or m/s.
            tau: Torque commanded to the drives, (nv,) or (N, nv), N m or N.
            times: Number of states to keep.
            varying: Whether ``tau`` has an axis of time, (times, nv) or (N, times, nv).
            f_ext: Wrenches, held all the time; as for :meth:`step`.
            substeps: Steps from one state to the next.

        Returns:
            The state after each, (times, ...) or (N, times, ...), and the torques of the last step
            before it.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.
            FloatingPointError: The state has become infinite.
        """
        frames, wrenches = gather_wrenches("step", f_ext)
        for frame in frames:
            self.robot.model.frame(frame)
        inputs = {
            "q": q,
            "v": v,
            "tau": tau,
            "impedance": self._no_impedance,
            **self._constants,
        }
        if wrenches is not None:
            inputs["wrenches"] = wrenches
        varied = ("tau",) if varying else ()
        options = {**({"frames": frames} if frames else {}), **self._options}
        return Step(
            *repeat(
                self.robot,
                "simulation_step",
                inputs,
                options,
                varying=varied,
                times=times,
                repeats=substeps,
            )
        )
