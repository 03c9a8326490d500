"""Hyperbolic tangent without branches, for the smooth friction of many joints at once.

``tanh x = e / (e + 2)`` with ``e = exp(2 x) - 1``, taken at ``|x|``, and the sign put back. With
``2 |x| = n log 2 + r``, ``e = 2^n (exp(r) - 1) + (2^n - 1)``, and ``exp(r) - 1`` is a Taylor
polynomial on ``|r| <= log(2) / 2`` (Muller, *Elementary Functions*, 3rd ed., section 11.2). The
error is a few units in the last place. From 20 on, the tangent is 1 to the last digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .emitter import Emitter

_LOG2 = math.log(2.0)
_ROUNDING = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits
_TAYLOR = [1.0 / math.factorial(k) for k in range(14, 0, -1)]


def emit_tanh(e: Emitter, x: str) -> str:
    """Emit the hyperbolic tangent of the value ``x``; returns its name."""
    if not e.fma:
        return e.libm("tanh", x)
    size = e.call("minnum", e.call("fabs", x), e.constant(20.0))
    twice = e.let(f"fadd {e.real} {size}, {size}")
    shifted = e.fused(twice, e.constant(1.0 / _LOG2), e.constant(_ROUNDING))
    n = e.let(f"fsub {e.real} {shifted}, {e.constant(_ROUNDING)}")
    minus_n = e.let(f"fneg {e.real} {n}")
    r = e.fused(minus_n, e.constant(_LOG2), twice)
    value = e.constant(_TAYLOR[0])
    for c in _TAYLOR[1:]:
        value = e.fused(value, r, e.constant(c))
    value = e.let(f"fmul {e.real} {value}, {r}")
    bits = e.let(f"bitcast {e.real} {shifted} to {e.integer}")
    exponent = e.let(f"add {e.integer} {bits}, {e.integer_constant(1023)}")
    power = e.let(f"shl {e.integer} {exponent}, {e.integer_constant(52)}")
    power = e.let(f"bitcast {e.integer} {power} to {e.real}")
    less_one = e.let(f"fadd {e.real} {power}, {e.constant(-1.0)}")
    exp_less_one = e.fused(power, value, less_one)
    below = e.let(f"fadd {e.real} {exp_less_one}, {e.constant(2.0)}")
    return e.call("copysign", e.let(f"fdiv {e.real} {exp_less_one}, {below}"), x)
