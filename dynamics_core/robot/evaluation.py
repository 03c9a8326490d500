"""The one way from a public method to an algorithm: compiled code, with checked arguments.

The usual call (contiguous float64 arrays of one state) does not get here: from a method's first use
on, a builtin made by :mod:`dynamics_core.calls` stands in the instance in front of the method,
and comes back to it for everything else. Here arguments are converted, and what is wrong with them
is explained; where nothing can be compiled, NumPy does the work.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import algorithms  # noqa: F401 - registers the algorithms
from ..errors import ArgumentError
from ..functions import FUNCTIONS, Function, Parametrisation, evaluate
from ..model import Model
from .arguments import Array, as_array, check_out, check_values

if TYPE_CHECKING:
    from ..calls import CompiledFunction


#: ``numpy`` in this environment variable does without the compiler; ``llvm`` insists on it.
BACKEND = "DYNAMICS_CORE_BACKEND"


class Evaluation:
    """A model, and how its algorithms are run."""

    def __init__(self, model: Model, parametrisation: Parametrisation = Parametrisation()) -> None:
        self._model = model
        self._parametrisation = parametrisation
        # Robots that differ in values of parameters only share their compiled functions.
        self._family: dict[Parametrisation, dict[Any, CompiledFunction | None]] = {}
        self._fast: dict[Any, Callable[..., Any]] = {}

    @property
    def model(self) -> Model:
        """The robot as plain data."""
        return self._model

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._model, self._parametrisation)

    def compile(self, *names: str, batch: bool = False) -> None:
        """Compile functions now, or load them from the cache, instead of at their first call.

        Args:
            *names: Methods that take arrays alone, such as ``"inverse_dynamics"``.
            batch: Compile the code for batches instead of that for single states.

        Raises:
            ArgumentError: There is no such function.
        """
        for name in names:
            if name not in FUNCTIONS:
                known = ", ".join(sorted(FUNCTIONS))
                raise ArgumentError(f"compile: no function {name!r}; known are {known}")
            compiled = self._compiled_function(name, {})
            if compiled is not None and batch:
                compiled.prepare(batch=True)
            elif compiled is not None:
                self._fast_function(name, {})

    def _evaluate(
        self,
        name: str,
        inputs: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        out: Any = None,
    ) -> Any:
        """Run an algorithm.

        Args:
            name: Its name in :data:`dynamics_core.functions.FUNCTIONS`.
            inputs: Input arrays by name in the algorithm's order, each (size,) or (N, size).
            options: Its static options, in the order of its signature.
            out: Array, or tuple of arrays, to write to.

        Returns:
            An array of the output's shape, with N in front for a batch; a tuple of them where the
            algorithm has several outputs.
        """
        key = (name, *options.values()) if options else (name,)
        run = self._fast.get(key)
        if run is None:
            chosen = {k: v for k, v in options.items() if v != ()} if options else {}
            run = self._fast[key] = self._fast_function(name, chosen)
        values = [x for x in inputs.values() if x is not None]
        return run(*values) if out is None else run(*values, out=out)

    def _fast_function(self, name: str, options: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the algorithm's input arrays; on the way, the method's own builtin."""
        self._require(name)
        run: Callable[..., Any] = partial(self._convert_and_run, FUNCTIONS[name], dict(options))
        compiled = self._compiled_function(name, options)
        if compiled is not None:
            parameters = self._parameters()
            run = compiled.builtin(run, parameters) or run
            method = getattr(type(self), name, None)
            if not options and method and _takes_arrays_alone(method, FUNCTIONS[name]):
                builtin = compiled.builtin(method.__get__(self), parameters, method)
                if builtin is not None:
                    self.__dict__[name] = builtin
        key = (name, *options.values())
        self._fast[key] = run
        return run

    def _require(self, name: str) -> None:
        """Refuse a function that has no answer for this robot; called before its first use."""

    def _compiled_function(self, name: str, options: Mapping[str, Any]) -> CompiledFunction | None:
        """The algorithm compiled; None where that cannot be."""
        key = (name, *options.values())
        compiled = self._family.setdefault(self._parametrisation, {})
        if key not in compiled:
            calls = _compiled_calls() if self._model.nv else None  # else there is nothing to do
            compiled[key] = calls and calls.CompiledFunction(
                self._model, self._parametrisation, FUNCTIONS[name], options
            )
        return compiled[key]

    def _parameters(self) -> Array:
        """Values of what compiled code takes as inputs instead of constants."""
        return self._array(self._parametrisation.values(self._model))

    def _convert_and_run(
        self, fn: Function, options: Mapping[str, Any], *values: Any, out: Any = None
    ) -> Any:
        """Run an algorithm on anything that can be made into its input arrays."""
        model = self._model
        sizes = [(key, fn.input_size(key, model, options)) for key in fn.inputs]
        given = [key for key, size in sizes if size or key != "wrenches"]
        if len(values) != len(given):
            wanted = ", ".join(given)
            raise ArgumentError(f"{fn.name}: expected {wanted}; got {len(values)} of them")
        remaining = iter(values)
        arrays = [
            as_array(model, fn.name, key, next(remaining) if key in given else np.zeros(0), size)
            for key, size in sizes
        ]
        rows = {a.shape[0] for a in arrays if a.ndim == 2}
        if len(rows) > 1:
            came = ", ".join(f"{k} {a.shape}" for k, a in zip(fn.inputs, arrays, strict=True))
            raise ArgumentError(f"{fn.name}: the inputs have different numbers of rows: {came}")
        shapes = [(*rows, *shape) for shape in fn.output_shapes(model, options)]
        if out is None:
            results = [np.empty(shape) for shape in shapes]
        else:
            results = _outputs(fn, out, shapes)
        self._run(fn, options, arrays, results)
        if out is not None:
            return out
        return results[0] if len(results) == 1 else tuple(results)

    def _run(
        self,
        fn: Function,
        options: Mapping[str, Any],
        arrays: Sequence[Array],
        results: Sequence[Array],
    ) -> None:
        """Run an algorithm on float64 arrays of the right shapes."""
        compiled = self._compiled_function(fn.name, options)
        if compiled is not None and compiled.run(arrays, results, self._parameters()):
            return
        for key, array in zip(fn.inputs, arrays, strict=True):
            check_values(self._model, fn.name, key, array)
        for result, value in zip(results, evaluate(fn, self._model, arrays, options), strict=True):
            result[...] = value

    def _array(self, values: list[float]) -> Array:
        return np.array(values, dtype=np.float64)


def _outputs(fn: Function, out: Any, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """The arrays that a user gave to write to."""
    outs = [out] if len(shapes) == 1 else list(out) if isinstance(out, (tuple, list)) else []
    if len(outs) != len(shapes):
        names = ", ".join(name for name, _ in fn.outputs)
        raise ArgumentError(f"{fn.name}: out must be a tuple of {len(shapes)} arrays ({names})")
    for array, shape in zip(outs, shapes, strict=True):
        check_out(fn.name, array, shape, ())
    return outs


@cache
def _takes_arrays_alone(method: Callable[..., Any], fn: Function) -> bool:
    """Whether a method passes its positional arguments to an algorithm and returns an array."""
    positional = [
        p.name
        for p in inspect.signature(method).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    arrays = [name for name in fn.inputs if name != "wrenches"]
    single = len(fn.outputs) == 1 and bool(fn.outputs[0][1])
    return positional == ["self", *arrays] and single


@cache
def _compiled_calls() -> Any:
    """The compiler, if llvmlite is there and the environment does not ask for NumPy."""
    backend = os.environ.get(BACKEND, "auto")
    if backend not in ("auto", "llvm", "numpy"):
        raise ArgumentError(f"{BACKEND} is {backend!r}; known are 'auto', 'llvm' and 'numpy'")
    if backend == "numpy":
        return None
    try:
        from .. import calls
    except ImportError as error:
        if backend == "llvm":
            raise
        warnings.warn(
            f"no compiler ({error}); dynamics are evaluated by NumPy, some hundred times slower. "
            "Install llvmlite (python3-llvmlite, or pip install llvmlite)",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return calls
