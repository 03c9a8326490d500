"""PD with feed-forward in the step itself: a robot that follows targets at compiled speed.

``tau = kp (q_d - q) + kd (v_d - v) + tau_ff`` (Siciliano et al., *Robotics*, section 8.5.1), taken
from the state at the beginning of every step, as a controller samples it. The drive then saturates
like any other. :class:`Feedback` is what users give to ``simulate`` and ``rollout``;
:func:`tracking_step` is the step that they run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..functions import INPUT_SIZES, function
from ..model import Model
from ..spatial import Scalar
from .joint_forces import Coordinate, coordinates
from .physics import Array
from .schedule import Schedule, rows_of
from .step import Scalars, simulation_step

__all__ = ["Feedback"]

INPUT_SIZES.update(q_target="nq", v_target="nv", kp="nv", kd="nv")


@dataclass(frozen=True)
class Feedback:
    """A robot's drives follow targets: ``kp (q - q_now) + kd (v - v_now) + tau``.

    Targets and feed-forward are held, (nq,) or (nv,), or change from step to step, (T, nq) or
    (T, nv); for N robots they may be (N, ...) or (N, T, ...). Positions count turns, as those of
    the robot do. Planar and floating joints have no drive: there only ``tau`` acts, and gains given
    for them must be 0.

    Attributes:
        q: Target positions, rad or m.
        v: Target velocities, rad/s or m/s.
        tau: Torques on top, such as those of the inverse dynamics, N m or N.
        kp: N m/rad or N/m; a number for all driven joints, (nv,), or (N, nv).
        kd: N m s/rad or N s/m; likewise.
        implicit: Whether feedback falls as the joint speeds up within the step, as that of a drive
            with analogue loops does: stable with any gains (``semi_implicit_euler`` then solves
            for the velocity at the end of the step). Sampled feedback needs steps shorter than
            twice the inertia that the joint moves over kd.
    """

    q: npt.ArrayLike
    v: npt.ArrayLike = 0.0
    tau: npt.ArrayLike = 0.0
    kp: npt.ArrayLike = 0.0
    kd: npt.ArrayLike = 0.0
    implicit: bool = False

    def schedules(
        self, model: Model, rows: tuple[int, ...], times: int, dt: float
    ) -> dict[str, Schedule]:
        """The inputs of :func:`tracking_step` that this feedback settles, by name.

        Args:
            model: The robot.
            rows: Shape of the batch, () or (N,).
            times: Number of steps.
            dt: Length of a step of integration, s.

        Raises:
            ArgumentError: A wrong shape, or a gain that is negative or of no drive.
        """
        kp, kd = (self._gains(name, model) for name in ("kp", "kd"))
        none = np.zeros(model.nv)
        held = {"kp": kp, "kd": kd, "impedance": kd + dt * kp if self.implicit else none}
        given = (("q_target", "q", model.nq), ("v_target", "v", model.nv), ("tau", "tau", model.nv))
        return {name: Schedule(x) for name, x in held.items()} | {
            name: Schedule.of(f"Feedback: {own}", getattr(self, own), rows, times, size)
            for name, own, size in given
        }

    def of_rows(self, rows: list[int], n: int) -> Feedback:
        """The feedback of some of n robots."""
        arrays = ("q", "v", "tau", "kp", "kd")
        own: dict[str, Any] = {k: rows_of(getattr(self, k), rows, n) for k in arrays}
        return replace(self, **own)

    def _gains(self, name: str, model: Model) -> Array:
        driven = np.array([c.position is not None for c in coordinates(model)], dtype=bool)
        given = np.asarray(getattr(self, name), dtype=np.float64)
        gains = given * driven if given.ndim == 0 else given
        if gains.ndim > 2 or gains.shape[-1:] != (model.nv,):
            raise ArgumentError(
                f"Feedback: {name} has shape {given.shape}; expected a number, ({model.nv},), or "
                f"(N, {model.nv}) for N robots"
            )
        if not np.isfinite(given).all() or (given < 0.0).any():
            raise ArgumentError(f"Feedback: {name} must be finite and not negative")
        if gains[..., ~driven].any():
            raise ArgumentError(
                f"Feedback: {name} is not 0 for a planar or floating joint, which has no drive"
            )
        return gains


@function(
    "q", "v", "q_target", "v_target", "kp", "kd", "tau", "impedance", "damping", "friction",
    "rotor", "dt", "wrenches",
    joint_space=True,
    q=("nq",), v=("nv",), drive=("nv",), friction_torque=("nv",), stop_torque=("nv",),
)  # fmt: skip
def tracking_step(
    model: Model,
    q: Scalars,
    v: Scalars,
    q_target: Scalars,
    v_target: Scalars,
    kp: Scalars,
    kd: Scalars,
    tau: Scalars,
    *rest: Scalars,
    **options: Any,
) -> tuple[list[Scalar], ...]:
    """Advance a robot whose drives follow targets by one step.

    Args:
        model: The robot.
        q: Position.
        v: Velocity.
        q_target: Position to go to; of no effect for planar and floating joints.
        v_target: Velocity to have there.
        kp: Torque for each unit of distance.
        kd: Torque for each unit of missing speed.
        tau: Torque on top.
        *rest: The further inputs of :func:`~dynamics_core.simulation.step.simulation_step`.
        **options: Its options.

    Returns:
        As ``simulation_step``.
    """
    asked = [
        t + p * _distance(c, q, q_target) + d * (w - s)
        for c, t, p, d, w, s in zip(coordinates(model), tau, kp, kd, v_target, v, strict=True)
    ]
    return simulation_step(model, q, v, asked, *rest, **options)


def _distance(c: Coordinate, q: Scalars, target: Scalars) -> Scalar:
    return 0.0 if c.position is None else target[c.position] - q[c.position]
