"""Calls from Python against Pinocchio's, one state and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from dynamics_core import Robot
from dynamics_core.calls import get_threads, set_threads

from . import robots
from .measure import interleaved, median, ratio
from .report import Report

#: Goals: RNEA, ABA, CRBA with out=, then with a new array.
GOALS = {
    "Panda": (robots.panda, (9.0, 8.0, 8.0), (7.0, 6.5, 6.0)),
    "UR5": (robots.ur5, (9.0, 8.0, 8.0), (7.0, 6.5, 6.0)),
    "G1 with hands": (robots.g1, (7.0, 6.0, 5.0), (None, None, None)),
}


def setting(text: str) -> dict[str, Any]:
    """A robot in both libraries, and a state; continuous joints are (cos, sin) in Pinocchio."""
    robot, model = Robot.from_urdf(text), pin.buildModelFromXML(text)
    assert robot.nv == model.nv, "the libraries have different coordinates"
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, robot.nv))
    names = dict(robot=robot, pin=pin, model=model, data=model.createData(), q=q, v=v, a=a)
    names["p"] = pin.integrate(model, pin.neutral(model), q)
    names["tau"], names["M"] = np.empty(robot.nv), np.empty((robot.nv, robot.nv))
    return names


def single(report: Report) -> None:
    """RNEA, ABA and CRBA, one state."""
    for robot, (text, given, new) in GOALS.items():
        names = setting(text())
        rows = (
            ("RNEA", "inverse_dynamics(q, v, a", "tau", "pin.rnea(model, data, p, v, a)"),
            ("ABA", "forward_dynamics(q, v, a", "tau", "pin.aba(model, data, p, v, a)"),
            ("CRBA", "mass_matrix(q", "M", "pin.crba(model, data, p)"),
        )
        for (name, ours, out, theirs), goal_out, goal_new in zip(rows, given, new, strict=True):
            times = interleaved(
                {
                    "out": (f"robot.{ours}, out={out})", names),
                    "pin": (theirs, names),
                    "new": (f"robot.{ours})", names),
                },
                rounds=report.rounds,
            )
            for kind, goal in (("out", goal_out), ("new", goal_new)):
                detail = f"{_ns(times, kind)} against {_ns(times, 'pin')}"
                label = "out=" if kind == "out" else "new array"
                report.add(f"{robot} {name}, {label}", ratio(times, "pin", kind), detail, goal)


def other_functions(report: Report) -> None:
    """The rest of the functions that Pinocchio has too, Panda."""
    names = setting(robots.panda())
    names["frame"] = names["robot"].frame_names[-1]
    names["id"] = names["model"].getFrameId(names["frame"])
    names["ref"] = pin.LOCAL_WORLD_ALIGNED
    rows = (
        ("gravity torque", "gravity_torque(q)", "pin.computeGeneralizedGravity(model, data, p)"),
        ("bias torque", "bias_torque(q, v)", "pin.nonLinearEffects(model, data, p, v)"),
        ("Jacobian", "jacobian(q, frame)", "pin.computeFrameJacobian(model, data, p, id, ref)"),
        (
            "Coriolis matrix",
            "coriolis_matrix(q, v)",
            "pin.computeCoriolisMatrix(model, data, p, v)",
        ),
        (
            "regressor",
            "regressor(q, v, a)",
            "pin.computeJointTorqueRegressor(model, data, p, v, a)",
        ),
        (
            "RNEA derivatives",
            "inverse_dynamics_derivatives(q, v, a)",
            "pin.computeRNEADerivatives(model, data, p, v, a)",
        ),
        (
            "ABA derivatives",
            "forward_dynamics_derivatives(q, v, a)",
            "pin.computeABADerivatives(model, data, p, v, a)",
        ),
    )
    for name, ours, theirs in rows:
        times = interleaved(
            {"ours": (f"robot.{ours}", names), "pin": (theirs, names)}, rounds=report.rounds
        )
        detail = f"{_ns(times, 'ours')} against {_ns(times, 'pin')}"
        report.add(f"Panda {name}", ratio(times, "pin", "ours"), detail, 1.0)


def batches(report: Report) -> None:
    """10,000 rows, one thread, row-major; then all threads."""
    names = setting(robots.panda())
    robot, model, data = names["robot"], names["model"], names["data"]
    n = 10_000
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, n, robot.nv))
    p = np.stack([pin.integrate(model, pin.neutral(model), row) for row in q])
    out = np.empty((n, robot.nv))
    few = slice(0, 300)  # of the loop, which would take all day
    pool = pin.ModelPool(model, 1) if hasattr(pin, "ModelPool") else None
    columns = [np.asfortranarray(x.T) for x in (p, v, a)]
    for name, ours, theirs, goal, parallel in (
        ("RNEA", robot.inverse_dynamics, pin.rnea, 70.0, "rneaInParallel"),
        ("ABA", robot.forward_dynamics, pin.aba, 60.0, "abaInParallel"),
    ):

        def loop(theirs: Any = theirs) -> None:
            for x, y, z in zip(p[few], v[few], a[few], strict=True):
                theirs(model, data, x, y, z)

        calls: dict[str, Any] = {"ours": lambda f=ours: f(q, v, a, out=out), "loop": loop}
        if pool is not None and hasattr(pin, parallel):
            calls["parallel"] = lambda f=getattr(pin, parallel): f(1, pool, *columns)
        set_threads(1)
        times = interleaved(calls, rounds=report.rounds // 2)
        per_row = median(times, "ours") / n
        factor = ratio(times, "loop", "ours") * n / len(p[few])
        detail = f"{1e9 * per_row:.0f} ns a row"
        report.add(f"Panda {name}, 10,000 rows, one thread: a loop over pin", factor, detail, goal)
        if "parallel" in times:
            factor = ratio(times, "parallel", "ours")
            report.add(f"the same: pin.{parallel}, one thread", factor, detail, 40.0)
    big = [np.tile(x, (20, 1)) for x in (q, v, a)]
    target = np.empty((20 * n, robot.nv))

    def run(threads: int) -> None:
        set_threads(threads)
        robot.inverse_dynamics(*big, out=target)

    set_threads(None)
    if get_threads() >= 2:
        times = interleaved({"1": lambda: run(1), "2": lambda: run(2)}, rounds=15, seconds=0.05)
        gain = ratio(times, "1", "2")
        report.add("Panda RNEA, 200,000 rows: two threads against one", gain, "", 1.5)
    set_threads(None)


def _ns(times: Any, name: str) -> str:
    return f"{1e9 * median(times, name):.0f} ns"
