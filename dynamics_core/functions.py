"""What an algorithm takes and gives, so that one source serves numbers and symbols.

An algorithm is an ordinary function ``algorithm(model, *inputs, **options)`` of lists of scalars.
The decorator :func:`function` notes the names of its inputs (whose sizes follow from the model)
and the shapes of its outputs. Options are static: they select code, as the name of a frame does.

A :class:`Parametrisation` says which constants of a model are inputs instead of numbers in the
code: gravity, and the ten inertial parameters of some bodies. That is how a payload changes
without a new compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .model import Model
from .spatial import Inertia, Scalar, Vector

Size = str | int
Shape = tuple[Size, ...]

#: Sizes of the inputs by name; a string is an attribute of the model.
INPUT_SIZES: dict[str, Size] = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv"}


@dataclass(frozen=True)
class Function:
    """An algorithm with the names of its inputs and the shapes of its outputs.

    ``joint_space`` says that results depend on the joint-space dynamics alone: on torques and
    motions of joints, not on what single bodies weigh or where their frames are.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, Shape], ...]
    algorithm: Callable[..., Any]
    joint_space: bool = False

    def input_size(self, name: str, model: Model, options: Mapping[str, Any]) -> int:
        """Number of scalars of an input; ``wrenches`` has six for each of ``options['frames']``."""
        if name == "wrenches":
            return 6 * len(options.get("frames", ()))
        return _resolve(INPUT_SIZES[name], model)

    def output_shapes(self, model: Model, options: Mapping[str, Any]) -> list[tuple[int, ...]]:
        """Shapes of the outputs, in order."""
        return [tuple(_resolve(s, model) for s in shape) for _, shape in self.outputs]

    def flat(self, model: Model, inputs: Sequence[Any], options: Mapping[str, Any]) -> list[Scalar]:
        """All output scalars in one flat row-major list, output after output."""
        result = self.algorithm(model, *inputs, **options)
        parts = (result,) if len(self.outputs) == 1 else result
        flat: list[Scalar] = []
        shapes = self.output_shapes(model, options)
        for part, shape in zip(parts, shapes, strict=True):
            before = len(flat)
            _flatten(part, len(shape), flat)
            if len(flat) - before != int(np.prod(shape, dtype=int)):
                raise AssertionError(f"{self.name} does not fill its shape {shape}")
        return flat


#: Every algorithm by name.
FUNCTIONS: dict[str, Function] = {}


def function(
    *inputs: str, joint_space: bool = False, **outputs: Shape
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an algorithm: names of inputs, then ``output_name=shape`` in order."""

    def register(algorithm: Callable[..., Any]) -> Callable[..., Any]:
        name = algorithm.__name__
        FUNCTIONS[name] = Function(name, inputs, tuple(outputs.items()), algorithm, joint_space)
        return algorithm

    return register


def _resolve(size: Size, model: Model) -> int:
    return size if isinstance(size, int) else int(getattr(model, size))


def _flatten(value: Any, depth: int, into: list[Scalar]) -> None:
    if depth == 0:
        into.append(value)
    else:
        for item in value:
            _flatten(item, depth - 1, into)


@dataclass(frozen=True)
class Parametrisation:
    """Which constants of a model are inputs: gravity, and the inertias of some bodies."""

    gravity: bool = False
    bodies: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of parameters: three for gravity, ten for each body."""
        return 3 * self.gravity + 10 * len(self.bodies)

    def values(self, model: Model) -> list[float]:
        """The model's own values of the parameters."""
        flat: list[float] = list(model.gravity) if self.gravity else []
        for i in self.bodies:
            flat.extend(model.bodies[i].inertia.parameters())
        return flat

    def apply(self, model: Model, parameters: Sequence[Scalar]) -> Model:
        """The model with its parameters replaced by other numbers or by symbols."""
        p = list(parameters)
        if self.gravity:
            model, p = model.with_gravity(Vector(*p[:3])), p[3:]
        inertias = {i: Inertia.of(p[10 * k : 10 * k + 10]) for k, i in enumerate(self.bodies)}
        return model.with_inertias(inertias) if inertias else model


def evaluate(
    fn: Function, model: Model, inputs: Sequence[np.ndarray], options: Mapping[str, Any]
) -> list[np.ndarray]:
    """Run an algorithm on numbers: the reference that compiled code is held against.

    Args:
        fn: The algorithm.
        model: The robot.
        inputs: One array per input, shapes (size,) or (N, size).
        options: The algorithm's options.

    Returns:
        One array per output, shapes ``shape`` or ``(N, *shape)``.
    """
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
    columns = [[x[..., k] for k in range(x.shape[-1])] for x in inputs]
    flat = fn.flat(model, columns, options)
    table = np.empty((*batch, len(flat)))
    for k, value in enumerate(flat):
        table[..., k] = value
    arrays, at = [], 0
    for shape in fn.output_shapes(model, options):
        n = int(np.prod(shape, dtype=int))
        arrays.append(table[..., at : at + n].reshape((*batch, *shape)))
        at += n
    return arrays
