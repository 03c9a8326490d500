"""Small programs made by hand, and a way to run them as kernels and as batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dynamics_core.calls.compiled import CompiledFunction
from dynamics_core.functions import INPUT_SIZES, Function, Parametrisation
from dynamics_core.model import Model

INPUT_SIZES.setdefault("x", "nx")


class _Sized(Model):
    """A model without bodies, whose functions take ``nx`` numbers."""

    nx: int = 0


class _Uncached(CompiledFunction):
    """Formulas of tests have no source of their own that could be their key."""

    @property
    def _key(self) -> str:
        return f"{id(self)} {np.random.random()}"


def compiled(
    size: int, count: int, formula: Callable[[Sequence], Sequence], output: str = "y"
) -> CompiledFunction:
    """A function from ``size`` numbers x to ``count`` numbers, compiled."""
    model = _Sized("numbers", (), ())
    object.__setattr__(model, "nx", size)
    fn = Function("formula", ("x",), ((output, (count,)),), lambda _, x: list(formula(x)))
    return _Uncached(model, Parametrisation(), fn, {})


def evaluate(function: CompiledFunction, x: np.ndarray) -> np.ndarray:
    """Rows of results, by the kernel; checked to agree with the batch."""
    shape = function.output_shapes[0]
    none = np.zeros(0)
    one = np.full((len(x), *shape), np.nan)
    for row, out in zip(x, one, strict=True):
        assert function.single([np.ascontiguousarray(row)], [out], none)
    many = np.full((len(x), *shape), np.nan)
    assert function.batch([x], [many], none) == -1
    np.testing.assert_array_max_ulp(one, many, maxulp=4)
    return one
