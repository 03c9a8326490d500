"""Running a step function many times without coming back to Python in between."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..functions import FUNCTIONS, Function, evaluate
from .arguments import Array, check_values
from .evaluation import Evaluation

__all__ = ["repeat"]


def repeat(
    robot: Evaluation,
    name: str,
    inputs: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    *,
    states: tuple[str, ...] = ("q", "v"),
    varying: Collection[str] = (),
    times: int = 1,
    repeats: int = 1,
) -> tuple[Array, ...]:
    """Run a function that computes the next state from the present one, again and again.

    One robot runs in scalar code; of several, eight run side by side in the vector unit, and large
    numbers of them in threads.

    Args:
        robot: The robot.
        name: The function.
        inputs: Arrays by name. States: at the start, (size,), or (N, size) for N robots. Others:
            (size,) or (N, size), held; or, if named in ``varying``, (times, size) or
            (N, times, size). The size of an input that is missing must be 0.
        options: The function's static options.
        states: Inputs whose next values are the outputs of the same names.
        varying: Inputs that change with time.
        times: Number of instants at which inputs change and outputs are kept.
        repeats: Runs from one instant to the next.

    Returns:
        An array for each output, (times, ...) or (N, times, ...): what the last run of each
        instant gave.

    Raises:
        ArgumentError: A wrong shape, or a number that is not finite.
        FloatingPointError: The state has become infinite.
    """
    fn, options = FUNCTIONS[name], dict(options or {})
    if times < 1 or repeats < 1:
        raise ArgumentError(f"{name}: times is {times} and repeats {repeats}; expected 1 or more")
    arrays = []
    for key in fn.inputs:
        size = fn.input_size(key, robot.model, options)
        tail = (times, size) if key in varying else (size,)
        arrays.append(_input(robot, name, key, inputs.get(key, np.zeros(tail)), tail))
    counts = {len(a) for a, one in arrays if not one}
    if len(counts) > 1:
        raise ArgumentError(f"{name}: the inputs are for different numbers of robots: {counts}")
    n = next(iter(counts), 1)
    full = [
        np.ascontiguousarray(a if len(a) == n else np.broadcast_to(a, (n, *a.shape[1:])))
        for a, _ in arrays
    ]
    outputs = [np.empty((n, times, *s)) for s in fn.output_shapes(robot.model, options)]
    compiled = robot._compiled_function(name, options)
    if compiled is None:
        finite = _interpret(robot, fn, options, full, outputs, states, varying, repeats)
    else:
        sized = [a for a in full if a.shape[-1]]
        stop = compiled.repeat(states, sized, outputs, robot._parameters(), varying, repeats)
        finite = stop < 0 and all(np.isfinite(o[:, -1]).all() for o in outputs)
    if not finite:
        raise FloatingPointError(
            f"{name}: the state of robot {robot.model.name!r} grows without bounds; take shorter "
            "steps"
        )
    return tuple(outputs if counts else (o[0] for o in outputs))


def _input(
    robot: Evaluation, name: str, key: str, value: Any, tail: tuple[int, ...]
) -> tuple[Array, bool]:
    """An input with an axis of rows in front, and whether that axis was added."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape[-len(tail) :] != tail or array.ndim > len(tail) + 1:
        expected = ", ".join(map(str, tail))
        raise ArgumentError(
            f"{name}: {key} has shape {array.shape}; robot {robot.model.name!r} needs "
            f"({expected}), or (N, {expected}) for N robots"
        )
    check_values(robot.model, name, key, array)
    return (array[None], True) if array.ndim == len(tail) else (array, False)


def _interpret(
    robot: Evaluation,
    fn: Function,
    options: Mapping[str, Any],
    arrays: Sequence[Array],
    outputs: Sequence[Array],
    states: Collection[str],
    varying: Collection[str],
    repeats: int,
) -> bool:
    """The same by NumPy; returns whether all remained finite."""
    names = [name for name, _ in fn.outputs]
    current = dict(zip(fn.inputs, arrays, strict=True))
    for time in range(outputs[0].shape[1]):
        now = {k: a[:, time] if k in varying else a for k, a in current.items()}
        for _ in range(repeats):
            values = evaluate(fn, robot.model, list(now.values()), options)
            results = dict(zip(names, values, strict=True))
            now |= {k: results[k] for k in states}
        current |= {k: now[k] for k in states}
        for output, key in zip(outputs, names, strict=True):
            output[:, time] = results[key]
        if not all(np.isfinite(now[k]).all() for k in states):
            return False
    return True
