"""Every function of the registry on both paths: compiled code against the formulas on NumPy.

Both paths evaluate one formula, so that only rounding tells them apart: 1e-12 of a result's largest
entry. Where a linear system is solved, its condition number magnifies the rounding of whatever
comes before (Higham, *Accuracy and Stability of Numerical Algorithms*, section 7.1); such results
may differ by :data:`PER_CONDITION` times the condition number, computed here from the matrix.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dynamics_core import Robot, SingularityError
from dynamics_core.calls import CompiledFunction
from dynamics_core.functions import FUNCTIONS, INPUT_SIZES, Parametrisation, evaluate
from dynamics_core.model import Model
from dynamics_core.simulation.joint_forces import RIGID

Array = np.ndarray
TOLERANCE = 1e-12
#: A result whose terms cancel may be zero but for their rounding: below this, errors are absolute.
SMALLEST = 1e-3
PER_CONDITION = 1e-15
#: A matrix with a larger condition number is taken to be singular: nothing is left of a solution.
MOST_CONDITION = 1e13

#: Functions that solve ``M x = b``; a robot with a joint that moves no inertia has none of them.
SOLVES = (
    "forward_dynamics", "forward_dynamics_cholesky", "forward_dynamics_derivatives",
    "operational_space", "simulation_step", "tracking_step",
)  # fmt: skip


def options(name: str, frame: str) -> dict[str, Any]:
    """Some options for a function, in the order of its signature."""
    given: dict[str, Any] = {}
    chosen = {"frame": frame, "reference": "local", "frames": (frame,)}
    for p in inspect.signature(FUNCTIONS[name].algorithm).parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            given[p.name] = chosen.get(p.name, p.default)
    return given


def inputs(name: str, model: Model, chosen: Mapping[str, Any], n: int) -> list[Array]:
    """Rows of inputs that mean something: positions within limits, no negative friction."""
    rng = np.random.default_rng(3)
    robot, arrays = Robot(model), []
    for key in FUNCTIONS[name].inputs:
        size = FUNCTIONS[name].input_size(key, model, chosen)
        if key == "dt":
            x = np.full((n, 1), 1e-3)
        elif INPUT_SIZES.get(key) == "nq":
            x = np.clip(robot.random_state(rng, n)[0], -3.0, 3.0)  # limits may be 1e16 rad
        else:
            x = 0.1 * np.abs(rng.normal(size=(n, size)))
        arrays.append(x)
    return arrays


def compare(name: str, model: Model, rows: int, *, batch: bool) -> str:
    """Compare the paths for some states, one by one and, if asked, as a batch too.

    Returns:
        Why there is nothing to compare, or an empty string.
    """
    fn = FUNCTIONS[name]
    chosen = options(name, _far_frame(model))
    arrays = inputs(name, model, chosen, rows)
    condition = np.ones(rows)
    if name in SOLVES:
        condition = np.linalg.cond(evaluate(FUNCTIONS["mass_matrix"], model, arrays[:1], {})[0])
        if not condition.max() < MOST_CONDITION:
            return "some joint moves no inertia"
    try:
        with np.errstate(all="ignore"):  # where a frame cannot move in all directions
            expected = evaluate(fn, model, arrays, chosen)
    except SingularityError as error:
        return str(error)
    if name == "operational_space":
        mobility = expected[2]
        if not np.isfinite(mobility).all():
            return "the frame cannot move in all directions"
        condition = condition + np.linalg.cond(mobility)
    outputs = dict(zip((output for output, _ in fn.outputs), expected, strict=True))
    if "stop_torque" in outputs:  # a joint that is struck takes part with so much more inertia
        condition = condition * np.where(outputs["stop_torque"].any(axis=1), RIGID, 1.0)
    if not condition.max() < MOST_CONDITION:
        return f"a matrix to invert has condition number {condition.max():.2g}"
    compiled = CompiledFunction(model, Parametrisation(), fn, chosen)
    given = [x for x in arrays if x.shape[1]]
    single = [np.full(e.shape, np.nan) for e in expected]
    for row in range(rows):
        x = [np.ascontiguousarray(g[row]) for g in given]
        assert compiled.single(x, [o[row : row + 1] for o in single], np.zeros(0))
    _agree(name, single, expected, condition)
    if batch:
        many = [np.full(e.shape, np.nan) for e in expected]
        assert compiled.batch(given, many, np.zeros(0)) == -1
        _agree(name, many, expected, condition)
    return ""


def _far_frame(model: Model) -> str:
    """A frame of the body with the most joints on its way to the base."""
    depth: list[int] = []
    for body in model.bodies:
        depth.append(1 + (depth[body.parent] if body.parent >= 0 else 0))
    deepest = int(np.argmax(depth))
    return next(f.name for f in reversed(model.frames) if f.body == deepest)


def _agree(name: str, actual: Sequence[Array], expected: Sequence[Array], condition: Array) -> None:
    allowed = np.maximum(TOLERANCE, PER_CONDITION * condition)
    outputs = [output for output, _ in FUNCTIONS[name].outputs]
    for output, a, e in zip(outputs, actual, expected, strict=True):
        for k in range(len(e)):
            unit = max(np.abs(e[k]).max(initial=0.0), SMALLEST)
            error = np.abs(a[k] - e[k]).max(initial=0.0) / unit
            assert error < allowed[k], (
                f"{output} of {name}: {error:.2g} apart, allowed {allowed[k]:.2g}"
            )
