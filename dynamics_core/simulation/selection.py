"""Choosing between values without branching, for numbers, arrays and symbols alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial import Scalar

#: A sign is told from zero within the reciprocal of this, less than doubles resolve around 1.
SHARPNESS = 1e30


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two scalars."""
    return _select("minimum", a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two scalars."""
    return _select("maximum", a, b)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """``x`` within [low, high]."""
    return minimum(maximum(x, low), high)


def indicator(x: Scalar) -> Scalar:
    """1 where ``x`` is positive, 0 where it is not."""
    return clamp(x * SHARPNESS, 0.0, 1.0)


def _select(name: str, a: Any, b: Any) -> Scalar:
    for first, second in ((a, b), (b, a)):
        if hasattr(first, name):
            return getattr(first, name)(second)
    return getattr(np, name)(a, b)
