"""Simulation steps against MuJoCo's ``mj_step`` without contacts, Panda."""

from __future__ import annotations

import mujoco
import numpy as np

from dynamics_core import Robot
from dynamics_core.calls import set_threads
from dynamics_core.robot.repetition import repeat
from dynamics_core.simulation import Physics, Stepper

from . import robots
from .measure import interleaved, median, ratio
from .report import Report

STEPS = 2000
ROBOTS = 64


def steps(report: Report) -> None:
    """Semi-implicit Euler, rigid bodies alone on both sides; then with friction and limits."""
    text = robots.panda()
    model = mujoco.MjModel.from_xml_string(robots.without_meshes(text))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    model.opt.timestep = 1e-3
    data = mujoco.MjData(model)
    robot = Robot.from_urdf(text)
    assert model.nv == robot.nv
    goals = {("semi_implicit_euler", "rigid bodies"): (8.0, 50.0)}
    for integrator in ("semi_implicit_euler", "explicit_euler", "heun", "rk4"):
        model.opt.integrator = getattr(
            mujoco.mjtIntegrator, "mjINT_RK4" if integrator == "rk4" else "mjINT_EULER"
        )
        for kind, physics in (
            ("rigid bodies", Physics.ideal(integrator)),
            ("friction, drives and stops", Physics(integrator)),
        ):
            if kind != "rigid bodies" and integrator != "semi_implicit_euler":
                continue
            _compare(report, robot, model, data, integrator, kind, physics, goals)


def _compare(report, robot, model, data, integrator, kind, physics, goals) -> None:
    stepper = Stepper(robot, 1e-3, physics)
    q = 0.1 * np.random.default_rng(0).normal(size=(ROBOTS, robot.nq))
    given = {
        "v": np.zeros(robot.nv), "tau": np.zeros(robot.nv), "impedance": np.zeros(robot.nv),
        **stepper._constants,
    }  # fmt: skip

    def ours(start: np.ndarray) -> None:
        repeat(robot, "simulation_step", {"q": start, **given}, stepper._options, repeats=STEPS)

    def theirs() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q[0]
        mujoco.mj_step(model, data, STEPS)

    set_threads(1)
    times = interleaved(
        {"one": lambda: ours(q[0]), "many": lambda: ours(q), "mujoco": theirs},
        rounds=report.rounds // 2,
    )
    set_threads(None)
    one, many = goals.get((integrator, kind), (None, None))
    name = integrator.replace("_", "-")
    step = 1e9 * median(times, "one") / STEPS
    other = 1e9 * median(times, "mujoco") / STEPS
    report.add(
        f"Panda {name} step, {kind}, one robot",
        ratio(times, "mujoco", "one"), f"{step:.0f} ns against {other:.0f} ns", one,
    )  # fmt: skip
    report.add(
        f"the same, {ROBOTS} robots, one thread",
        ratio(times, "mujoco", "many") * ROBOTS,
        f"{1e9 * median(times, 'many') / STEPS / ROBOTS:.0f} ns", many,
    )  # fmt: skip
