"""A compiled function: one algorithm for one robot, on single states and on batches."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiler import cache as store
from ..compiler.batch import LANES, batch_ir
from ..compiler.emitter import module
from ..compiler.engine import LOCK, Library, compile_ir, identity
from ..compiler.kernel import kernel_ir
from ..compiler.repeat import repeat_ir
from ..functions import Function, Parametrisation
from ..model import Model
from ..symbolic.trace import Program, trace
from .builtin import Rows, Target, available, builtin
from .entry import CallEmitter
from .rows_entry import RowsCallEmitter
from .threads import share, work_at_once

Array = npt.NDArray[np.float64]

_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_SWEEP = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4, *[ctypes.c_void_p] * 4)


class CompiledFunction:
    """One algorithm for one robot. Code is made (or loaded) when it is first needed.

    Args:
        model: The robot.
        parametrisation: Which of its constants are given with each call.
        fn: The algorithm.
        options: Its static options.
    """

    def __init__(
        self,
        model: Model,
        parametrisation: Parametrisation,
        fn: Function,
        options: Mapping[str, Any],
    ) -> None:
        self._source = (model, parametrisation, fn, dict(options))
        self.name = fn.name
        sizes = [(name, fn.input_size(name, model, options)) for name in fn.inputs]
        self.inputs = tuple((name, size) for name, size in sizes if size)
        self.output_shapes = fn.output_shapes(model, options)
        self.parameters = parametrisation.size
        self._program: Program | None = None
        self._libraries: dict[str, Library] = {}
        self._sweep_address = ctypes.c_int64(0)  # of batches; builtins look here

    @property
    def program(self) -> Program:
        """The function as a program; made only where no compiled code is at hand."""
        if self._program is None:
            self._program = trace(*self._source)
        return self._program

    @property
    def _key(self) -> str:
        model, parametrisation, fn, options = self._source
        varied = parametrisation.apply(model, ["parameter"] * parametrisation.size)
        return store.digest(_sources(fn), fn.name, repr(sorted(options.items())), describe(varied))

    def _code(self, kind: str, make_ir: Callable[[], str]) -> Library:
        """Code of one kind, made once; a second thread waits for the first."""
        if kind not in self._libraries:
            with LOCK:
                if kind not in self._libraries:
                    self._libraries[kind] = load(f"{kind} {self._key}", make_ir)
        return self._libraries[kind]

    def _kernel(self) -> Library:
        return self._code("kernel", lambda: kernel_ir(self.program))

    def _batch(self) -> Library:
        return self._code("batch", lambda: batch_ir(self.program))

    def _repeat(self, lanes: int, states: tuple[str, ...]) -> Library:
        kind = f"repeat {lanes} {states}"
        return self._code(kind, lambda: repeat_ir(self.program, lanes, states))

    def prepare(self, batch: bool = False) -> None:
        """Make the code now: that of single calls, or that of batches."""
        if batch:
            self._sweep_address.value = self._batch().address("sweep")
        else:
            self._kernel()

    def single(self, inputs: Sequence[Array], outputs: Sequence[Array], parameters: Array) -> bool:
        """Evaluate one state.

        Args:
            inputs: One array for each of :attr:`inputs`: contiguous, float64, of its size.
            outputs: Arrays to write to: contiguous, float64, apart from the inputs.
            parameters: Values of the parameters.

        Returns:
            Whether it was done; not so if an input is not finite (or some number beyond 1e150),
            an angle beyond 1e7 rad, or a quaternion not of norm 1.
        """
        function = _KERNEL(self._kernel().address("kernel"))
        return bool(function(_table(inputs), _table(outputs), parameters.ctypes.data))

    def batch(self, inputs: Sequence[Array], outputs: Sequence[Array], parameters: Array) -> int:
        """Evaluate the rows of a batch.

        Args:
            inputs: One array for each of :attr:`inputs`, float64: (rows, size), rows of any
                distance but each contiguous; or (size,) for all rows alike.
            outputs: Arrays (rows, ...) to write to: contiguous, float64, apart from the inputs.
            parameters: (size,), or (rows, size) for a row each.

        Returns:
            -1, or a row of which :meth:`single` would not take one of the next few.
        """
        arrays = [*inputs, parameters] if self.parameters else list(inputs)
        rows = max((a.shape[0] for a in arrays if a.ndim == 2), default=1)
        strides = [(a.strides[0] // 8 if a.ndim == 2 else 0, 0) for a in arrays]
        steps = [(prod(shape), 0) for shape in self.output_shapes]
        row = self._run(self._batch(), rows, 1, 1, (arrays, strides), (outputs, steps))
        self._sweep_address.value = self._batch().address("sweep")
        return row

    def repeat(
        self,
        states: tuple[str, ...],
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        parameters: Array,
        varying: Collection[str] = (),
        repeats: int = 1,
    ) -> int:
        """Run a function that computes the next state of a system, again and again.

        Args:
            states: Inputs whose next values are the outputs of the same names.
            inputs: One contiguous float64 array for each of :attr:`inputs`, (rows, size); those of
                ``varying`` have an axis of time: (rows, times, size).
            outputs: Contiguous arrays (rows, times, ...) to write to.
            parameters: (size,), or (rows, size) for a row each.
            varying: Inputs that change from one instant to the next.
            repeats: Runs from one instant to the next.

        Returns:
            -1, or ``row * times + time`` where a state or an input was not finite.
        """
        rows, times = outputs[0].shape[:2]
        strides = [
            (a.strides[0] // 8, a.strides[1] // 8 if name in varying else 0)
            for a, (name, _) in zip(inputs, self.inputs, strict=True)
        ]
        arrays = list(inputs)
        if self.parameters:
            arrays.append(parameters)
            strides.append((parameters.shape[-1] if parameters.ndim == 2 else 0, 0))
        steps = [(times * prod(s), prod(s)) for s in self.output_shapes]
        lanes = LANES if rows > 1 else 1
        code = self._repeat(lanes, states)
        return self._run(code, rows, times, repeats, (arrays, strides), (outputs, steps))

    def _run(
        self,
        code: Library,
        rows: int,
        times: int,
        repeats: int,
        inputs: tuple[Sequence[Array], Sequence[tuple[int, int]]],
        outputs: tuple[Sequence[Array], Sequence[tuple[int, int]]],
    ) -> int:
        sweep = _SWEEP(code.address("sweep"))
        given = _table(inputs[0]), _table(outputs[0]), _strides(inputs[1]), _strides(outputs[1])
        return share(
            lambda a, b: int(sweep(a, b, times, repeats, *given)),
            rows,
            self._work * times * repeats,
        )

    @property
    def _work(self) -> int:
        """About how many operations one state takes: what is read and written tells enough."""
        return 64 * (sum(n for _, n in self.inputs) + sum(prod(s) for s in self.output_shapes))

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array], parameters: Array) -> bool:
        """Evaluate one state, or a batch if some input has rows; arrays of any layout will do.

        Args:
            inputs: float64 arrays for each input, (size,) or (rows, size), empty ones included.
            outputs: float64 arrays to write to.
            parameters: As for :meth:`batch`.

        Returns:
            Whether it was done, as for :meth:`single`.
        """
        inputs = [_with_contiguous_rows(a) for a in inputs if a.shape[-1]]
        targets = [
            o if _is_plain(o) and not any(np.may_share_memory(o, a) for a in inputs)
            else np.empty(o.shape)
            for o in outputs
        ]  # fmt: skip
        if any(a.ndim == 2 for a in [*inputs, parameters]):
            done = self.batch(inputs, targets, parameters) < 0
        else:
            done = self.single(inputs, targets, parameters)
        if done:
            for output, target in zip(outputs, targets, strict=True):
                if output is not target:
                    output[...] = target
        return done

    def builtin(
        self,
        slow: Callable[..., Any],
        parameters: Array,
        like: Callable[..., Any] | None = None,
    ) -> Callable[..., Any] | None:
        """A builtin for single states and batches; None where this Python does not allow one.

        Args:
            slow: Takes over where the arguments are not plain contiguous arrays of float64.
            parameters: Values of the parameters.
            like: A method whose name, signature and docstring the builtin shows.
        """
        if not available() or not self.inputs or any(len(s) > 3 for s in self.output_shapes):
            return None
        code = _call_library(len(self.inputs), tuple(len(s) for s in self.output_shapes))
        library = self._kernel()
        target = Target(
            entry=code.address(CallEmitter.name),
            kernel=library.address("kernel"),
            parameters=parameters,
            input_sizes=[size for _, size in self.inputs],
            output_shapes=self.output_shapes,
            owners=(library, code, self),
        )
        rows = Rows(
            entry=code.address(RowsCallEmitter.name),
            sweep=ctypes.addressof(self._sweep_address),
            work=self._work,
            limit=work_at_once(),
        )
        name = getattr(like, "__name__", self.name)
        doc = _documentation(like) if like else ""
        # What is no single state may be a batch; what is neither goes to Python.
        return builtin(target, name, doc, builtin(target, name, doc, slow, rows))


def _is_plain(a: Array) -> bool:
    return bool(a.flags.c_contiguous and a.flags.aligned)


def _with_contiguous_rows(a: Array) -> Array:
    """The array itself if each row is contiguous and rows are a whole number of doubles apart."""
    plain = a.flags.aligned and a.strides[-1] == 8 and a.strides[0] % 8 == 0
    return a if plain else np.ascontiguousarray(a)


def load(key: str, make_ir: Callable[[], str]) -> Library:
    """Code from the disk; made anew, and kept, if there is none that works."""
    with LOCK:
        key = store.digest(identity(), key)
        code = store.load(key)
        if code is None:
            code = compile_ir(make_ir())
            store.store(key, code)
        return Library(code)


def describe(model: Model) -> str:
    """Everything about a model that its functions depend on, as text."""
    bodies = [
        (b.parent, repr(b.joint), _numbers(b.placement), b.inertia.parameters())
        for b in model.bodies
    ]
    frames = [(f.name, f.body, _numbers(f.placement)) for f in model.frames]
    return repr((bodies, frames, model.base_inertia.parameters(), list(model.gravity)))


def _numbers(placement: Any) -> tuple[Any, ...]:
    return (*(tuple(r) for r in placement.rotation.matrix().rows), tuple(placement.position))


@cache
def _call_library(inputs: int, dimensions: tuple[int, ...]) -> Library:
    def make_ir() -> str:
        one, rows = CallEmitter(inputs, dimensions), RowsCallEmitter(inputs, dimensions)
        return module([one, rows], one.declarations | rows.declarations)

    return load(f"call {_own_sources()} {inputs} {dimensions} {tuple.__basicsize__}", make_ir)


@cache
def _own_sources() -> str:
    """Digest of the code that turns a model into a program and a program into IR."""
    root = Path(__file__).parents[1]
    folders = (".", "algorithms", "calls", "compiler", "simulation", "symbolic")
    files = [p for d in folders for p in sorted((root / d).glob("*.py"))]
    return store.digest(*(part for p in files for part in (p.name, p.read_bytes())))


def _sources(fn: Function) -> str:
    """Digest of what decides a function's program beside the model."""
    if fn.algorithm.__module__.startswith(f"{__package__.rpartition('.')[0]}."):
        return _own_sources()
    return store.digest(_own_sources(), inspect.getsource(inspect.getmodule(fn.algorithm)))  # type: ignore[arg-type]


@cache
def _documentation(method: Callable[..., Any]) -> str:
    """Docstring of a builtin: the signature as :mod:`inspect` reads it, then the text."""
    _, *parameters = inspect.signature(method).parameters.values()
    bare = inspect.Signature([p.replace(annotation=p.empty) for p in parameters])
    return f"{method.__name__}{bare}\n--\n\n{inspect.getdoc(method) or ''}"


def _strides(pairs: Sequence[tuple[int, int]]) -> Any:
    return (ctypes.c_int64 * (2 * len(pairs)))(*[n for pair in pairs for n in pair])


def _table(arrays: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
