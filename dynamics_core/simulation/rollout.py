"""Simulations of whole stretches of time: one robot, or many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..robot import Robot
from .feedback import Feedback
from .physics import Array, Physics
from .schedule import rows_of
from .stepper import Stepper
from .trajectory import Trajectory, energies

__all__ = ["rollout", "simulate"]

#: Torque as a function of time, position and velocity.
Policy = Callable[[float, Array, Array], npt.ArrayLike]
Wrenches = Mapping[str, npt.ArrayLike]


def simulate(
    robot: Robot,
    q: npt.ArrayLike | None = None,
    v: npt.ArrayLike | None = None,
    *,
    seconds: float,
    dt: float = 1e-3,
    tau: npt.ArrayLike | Feedback | Policy | None = None,
    f_ext: Wrenches | Callable[[float, Array, Array], Wrenches] | None = None,
    physics: Physics = Physics(),
    substeps: int = 1,
) -> Trajectory:
    """Simulate a robot.

    Args:
        robot: The robot.
        q: Position at the start, (nq,), rad or m; the robot's neutral position by default.
        v: Velocity at the start, (nv,), rad/s or m/s; zero by default.
        seconds: How long, s; a whole number of ``dt``.
        dt: Time between states, s.
        tau: Torques of the drives, N m or N: (nv,) for all the time, (T, nv) for each step;
            :class:`Feedback` to targets; or a function of time, q and v. None by default.
        f_ext: Wrenches that the environment exerts: frame name to (6,), force and moment about
            the frame's origin, in its axes; or a function of time, q and v that gives them.
        physics: What is taken into account; by default all that the description says.
        substeps: Steps of integration between states; torques are held over them, feedback is
            computed anew for each.

    Returns:
        States at T + 1 times.

    Raises:
        ArgumentError: A wrong shape, or a number that is not finite.
    """
    start_q = robot.neutral() if q is None else np.array(q, dtype=np.float64)
    start_v = np.zeros(robot.nv) if v is None else np.array(v, dtype=np.float64)
    if start_q.shape != (robot.nq,) or start_v.shape != (robot.nv,):
        raise ArgumentError(
            f"simulate: q has shape {start_q.shape} and v {start_v.shape}; robot {robot.name!r} "
            f"needs ({robot.nq},) and ({robot.nv},)"
        )
    steps = _steps("simulate", seconds, dt)
    return _run(robot, start_q, start_v, steps, dt, tau, f_ext, physics, substeps)


def rollout(
    robots: Robot | Sequence[Robot],
    q: npt.ArrayLike,
    v: npt.ArrayLike | None = None,
    *,
    seconds: float,
    dt: float = 1e-3,
    tau: npt.ArrayLike | Feedback | Policy | None = None,
    physics: Physics = Physics(),
    substeps: int = 1,
    energy: bool = True,
) -> Trajectory:
    """Simulate many robots side by side, eight at a time in each core's vector unit.

    Args:
        robots: One robot for all rows, or a robot for each row: variants of one (by payload or
            gravity, say), with the same coordinates.
        q: Positions at the start, (N, nq), rad or m.
        v: Velocities at the start, (N, nv), rad/s or m/s; zero by default.
        seconds: How long, s; a whole number of ``dt``.
        dt: Time between states, s.
        tau: Torques of the drives, N m or N: (N, nv) for all the time, (N, T, nv) for each step;
            :class:`Feedback` to targets; or a function of time, q (N, nq) and v (N, nv). None by
            default.
        physics: What is taken into account; its arrays may be (N, nv).
        substeps: Steps of integration between states.
        energy: Whether to compute energies, which takes about as long as the simulation.

    Returns:
        States of all rows, with N in front of every array but the time.

    Raises:
        ArgumentError: A wrong shape, a number that is not finite, or robots that do not fit.
    """
    start_q = np.array(q, dtype=np.float64)
    if start_q.ndim != 2:
        raise ArgumentError(f"rollout: q has shape {start_q.shape}; expected (N, nq)")
    n = len(start_q)
    steps = _steps("rollout", seconds, dt)
    if isinstance(robots, Robot):
        start_v = np.zeros((n, robots.nv)) if v is None else np.array(v, dtype=np.float64)
        return _run(robots, start_q, start_v, steps, dt, tau, None, physics, substeps, energy)
    if len(robots) != n:
        raise ArgumentError(f"rollout: {len(robots)} robots for {n} rows of q")
    if len({(r.joint_names, r.nq, r.nv) for r in robots}) > 1:
        raise ArgumentError("rollout: the robots have different joints")
    start_v = np.zeros((n, robots[0].nv)) if v is None else np.array(v, dtype=np.float64)
    if callable(tau):
        raise ArgumentError("rollout: a policy needs one robot for all rows")
    groups: dict[int, list[int]] = {}
    for row, robot in enumerate(robots):
        groups.setdefault(id(robot), []).append(row)
    parts = []
    for rows in groups.values():
        if isinstance(tau, Feedback):
            own: npt.ArrayLike | Feedback = tau.of_rows(rows, n)
        else:
            own = rows_of(0.0 if tau is None else tau, rows, n)
        some = _physics_rows(physics, rows, n)
        parts.append(
            _run(
                robots[rows[0]],
                start_q[rows],
                start_v[rows],
                steps,
                dt,
                own,
                None,
                some,
                substeps,
                energy,
            )
        )
    order = np.argsort(np.concatenate(list(groups.values())))
    joined = {
        f.name: np.concatenate([getattr(p, f.name) for p in parts])[order]
        for f in fields(Trajectory)
        if f.name != "time"
    }
    return Trajectory(time=parts[0].time, **joined)


def _run(
    robot: Robot,
    q: Array,
    v: Array,
    steps: int,
    dt: float,
    tau: Any,
    f_ext: Any,
    physics: Physics,
    substeps: int,
    energy: bool = True,
) -> Trajectory:
    if substeps < 1:
        raise ArgumentError(f"substeps is {substeps}; expected 1 or more")
    stepper = Stepper(robot, dt / substeps, physics)
    tau = 0.0 if tau is None else tau
    if callable(tau) or callable(f_ext) or not steps:
        return _step_by_step(stepper, q, v, steps, dt, tau, f_ext, substeps)
    states = stepper.repeat(q, v, tau, steps, f_ext=f_ext, substeps=substeps)
    qs = np.concatenate([q[..., None, :], states.q], axis=-2)
    vs = np.concatenate([v[..., None, :], states.v], axis=-2)
    if energy:
        kinetic, potential = energies(robot, qs, vs, stepper.rotor_only)
    else:
        kinetic = potential = np.full(qs.shape[:-1], np.nan)
    time = dt * np.arange(steps + 1.0)
    return Trajectory(time, qs, vs, *states[2:], kinetic, potential)


def _step_by_step(
    stepper: Stepper,
    q: Array,
    v: Array,
    steps: int,
    dt: float,
    tau: Any,
    f_ext: Any,
    substeps: int,
) -> Trajectory:
    """A simulation that asks for torques or wrenches at every step."""
    robot, rows = stepper.robot, q.shape[:-1]
    time = dt * np.arange(steps + 1.0)
    qs, vs = np.empty((*rows, steps + 1, robot.nq)), np.empty((*rows, steps + 1, robot.nv))
    torques = np.empty((3, *rows, steps, robot.nv))
    qs[..., 0, :], vs[..., 0, :] = q, v
    plan = {} if callable(tau) else stepper.schedules(tau, rows, steps)
    for k in range(steps):
        if callable(tau):
            told = {"tau": tau(time[k], q, v), "impedance": np.zeros(robot.nv)}
        else:
            told = {key: schedule.at(k) for key, schedule in plan.items()}
        pushed = f_ext(time[k], q, v) if callable(f_ext) else f_ext
        for _ in range(substeps):
            step = stepper.step_told(q, v, told, pushed)
            q, v = step.q, step.v
        if not (np.isfinite(v).all() and np.isfinite(q).all()):
            raise FloatingPointError(
                f"the simulation of {robot.name!r} diverged at {time[k]:.4f} s; take shorter steps "
                f"than {dt / substeps} s or the integrator semi_implicit_euler"
            )
        qs[..., k + 1, :], vs[..., k + 1, :] = q, v
        torques[..., k, :] = step[2:]
    kinetic, potential = energies(robot, qs, vs, stepper.rotor_only)
    drive, friction, stops = torques
    return Trajectory(time, qs, vs, drive, friction, stops, kinetic, potential)


def _steps(function: str, seconds: float, dt: float) -> int:
    if not (np.isfinite(dt) and dt > 0.0 and np.isfinite(seconds) and seconds >= 0.0):
        raise ArgumentError(f"{function}: seconds is {seconds} and dt {dt}; expected positive")
    steps = round(seconds / dt)
    if abs(steps * dt - seconds) > 1e-6 * dt * max(steps, 1):
        raise ArgumentError(f"{function}: {seconds} s is not a whole number of steps of {dt} s")
    return steps


def _physics_rows(physics: Physics, rows: list[int], n: int) -> Physics:
    """The physics of some of n rows."""
    own: dict[str, Any] = {}
    for name in ("damping", "friction", "rotor"):
        values = getattr(physics, name)
        own[name] = None if values is None else rows_of(values, rows, n)
    return replace(physics, **own)
