"""The one way from a public method to an algorithm: check the inputs, then run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import algorithms  # noqa: F401 - registers the algorithms
from ..errors import ArgumentError
from ..functions import FUNCTIONS, Parametrisation, evaluate
from ..model import Model
from .arguments import Array, as_input, check_out


class Evaluation:
    """A model, and how its algorithms are run."""

    def __init__(
        self, model: Model, parametrisation: Parametrisation = Parametrisation()
    ) -> None:
        self._model = model
        self._parametrisation = parametrisation

    @property
    def model(self) -> Model:
        """The robot as plain data."""
        return self._model

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
            inputs: Input arrays by name, each (size,) or (N, size).
            options: Its static options.
            out: Array, or tuple of arrays, to write to.

        Returns:
            An array of the output's shape, with N in front for a batch; a tuple of them where the
            algorithm has several outputs.
        """
        fn, options, model = FUNCTIONS[name], dict(options or {}), self._model
        arrays = []
        for key in fn.inputs:
            size = fn.input_size(key, model, options)
            value = inputs.get(key)
            if value is None:
                if size:
                    raise ArgumentError(f"{name}: {key} is missing")
                value = np.zeros(0)
            arrays.append(as_input(model, name, key, value, size))
        rows = {a.shape[0] for a in arrays if a.ndim == 2}
        if len(rows) > 1:
            shapes = ", ".join(f"{k} {a.shape}" for k, a in zip(fn.inputs, arrays, strict=True))
            raise ArgumentError(f"{name}: the inputs have different numbers of rows: {shapes}")
        results = evaluate(fn, model, arrays, options)
        if out is None:
            return results[0] if len(results) == 1 else tuple(results)
        outs = (out,) if len(results) == 1 else tuple(out)
        for target, result in zip(outs, results, strict=True):
            check_out(name, target, result.shape, arrays)
            target[...] = result
        return out

    def _array(self, values: list[float]) -> Array:
        return np.array(values, dtype=np.float64)
