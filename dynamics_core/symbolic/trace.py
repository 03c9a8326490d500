"""Running an algorithm on symbols: the program of one function of one robot.

The robot's constants become constants of the program, but for those that its parametrisation
names: they come in as one more input, ``parameters``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from ..base_parameters import regrouped
from ..frame_origins import with_simple_positions
from ..functions import Function, Parametrisation
from ..model import JointType, Model
from .expression import Expr, Graph, Term, as_constant, live

#: Name of the input that holds the values of a parametrisation.
PARAMETERS = "parameters"


@dataclass(frozen=True)
class Program:
    """Straight-line code: named inputs, and a formula for every output scalar.

    Attributes:
        name: Name of the function.
        inputs: (name, number of scalars), those without scalars left out.
        outputs: (name, shape).
        results: All output scalars, row-major, output after output.
        quaternions: (input, first element) of quaternions that must have norm 1.
        parameters: Number of scalars of the input :data:`PARAMETERS`, not among ``inputs``.
    """

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    results: tuple[Term, ...]
    quaternions: tuple[tuple[str, int], ...] = ()
    parameters: int = 0

    @cached_property
    def nodes(self) -> list[Expr]:
        """What is computed, in order."""
        return live(self.results)

    @property
    def output_sizes(self) -> list[int]:
        """Number of scalars of each output."""
        return [prod(shape) for _, shape in self.outputs]

    @cached_property
    def angle_inputs(self) -> set[str]:
        """Inputs that reach the argument of a sine or cosine."""
        nodes = live(n.args[0] for n in self.nodes if n.op in ("sin", "cos"))
        return {n.args[0] for n in nodes if n.op == "input"}


def quaternions(model: Model) -> tuple[tuple[str, int], ...]:
    """Where q holds unit quaternions."""
    return tuple(("q", j.q_index + 3) for j in model.joints if j.type is JointType.FLOATING)


def trace(
    model: Model, parametrisation: Parametrisation, fn: Function, options: Mapping[str, Any]
) -> Program:
    """Write down a function of a robot as a program.

    A function of the joint-space dynamics is written down for the simplest robot that cannot be
    told from this one by its joints.
    """
    graph = Graph()
    sizes = [(name, fn.input_size(name, model, options)) for name in fn.inputs]
    symbols = [graph.inputs(name, size) for name, size in sizes]
    varied = parametrisation.apply(model, graph.inputs(PARAMETERS, parametrisation.size))
    if fn.joint_space:
        varied = regrouped(with_simple_positions(varied))
    flat = fn.flat(varied, symbols, options)
    shapes = fn.output_shapes(model, options)
    return Program(
        name=fn.name,
        inputs=tuple((name, size) for name, size in sizes if size),
        outputs=tuple((name, s) for (name, _), s in zip(fn.outputs, shapes, strict=True)),
        results=tuple(as_constant(x) for x in flat),
        quaternions=quaternions(model) if "q" in fn.inputs else (),
        parameters=parametrisation.size,
    )
