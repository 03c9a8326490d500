"""Sine and cosine of several angles at once, without branches.

An angle x is written as ``n pi/2 + r`` with ``|r| <= pi/4`` (up to rounding of n), by two fused
multiply-adds with the leading 106 bits of pi/2; r then goes into the kernels of fdlibm (Sun
Microsystems, 1993, ``k_sin.c`` and ``k_cos.c``, whose coefficients these are), and n modulo 4
swaps them and sets their signs. The error is below 2.3e-16 up to :data:`LARGEST_ANGLE`.

Without a fused multiply-add the reduction would lose digits: libm is called instead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .emitter import Emitter

#: Beyond this magnitude an angle is refused by compiled code (and left to NumPy).
LARGEST_ANGLE = 1e7

_SIN = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
_COS = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
    2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02,
    -0.5,
)  # fmt: skip
_HALF_PI = 1.5707963267948966
_HALF_PI_REST = 6.123233995736766e-17
_ROUNDING = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits


def emit_sincos(e: Emitter, x: str) -> tuple[str, str]:
    """Emit the sine and the cosine of the value ``x``; returns their names."""
    if not e.fma:
        return e.libm("sin", x), e.libm("cos", x)
    shifted = e.fused(x, e.constant(2.0 / math.pi), e.constant(_ROUNDING))
    bits = e.let(f"bitcast {e.real} {shifted} to {e.integer}")
    n = e.let(f"fsub {e.real} {shifted}, {e.constant(_ROUNDING)}")
    minus_n = e.let(f"fneg {e.real} {n}")
    r = e.fused(minus_n, e.constant(_HALF_PI), x)
    r = e.fused(minus_n, e.constant(_HALF_PI_REST), r)
    z = e.let(f"fmul {e.real} {r}, {r}")
    rz = e.let(f"fmul {e.real} {r}, {z}")
    sine = e.fused(rz, _polynomial(e, _SIN, z), r)
    cosine = e.fused(z, _polynomial(e, _COS, z), e.constant(1.0))
    low = e.let(f"and {e.integer} {bits}, {e.integer_constant(1)}")
    odd = e.let(f"icmp ne {e.integer} {low}, {e.integer_constant(0)}")
    # In the quadrant n the sine is (sin, cos, -sin, -cos)[n % 4] of r, the cosine that of n + 1.
    after = e.let(f"add {e.integer} {bits}, {e.integer_constant(1)}")
    return (
        _signed(e, e.let(f"select {e.boolean} {odd}, {e.real} {cosine}, {e.real} {sine}"), bits),
        _signed(e, e.let(f"select {e.boolean} {odd}, {e.real} {sine}, {e.real} {cosine}"), after),
    )


def _polynomial(e: Emitter, coefficients: tuple[float, ...], z: str) -> str:
    value = e.constant(coefficients[0])
    for c in coefficients[1:]:
        value = e.fused(value, z, e.constant(c))
    return value


def _signed(e: Emitter, value: str, quadrant: str) -> str:
    """Negate the value where bit 1 of the quadrant is set."""
    moved = e.let(f"shl {e.integer} {quadrant}, {e.integer_constant(62)}")
    sign = e.let(f"and {e.integer} {moved}, {e.integer_constant(-(2**63))}")
    bits = e.let(f"bitcast {e.real} {value} to {e.integer}")
    flipped = e.let(f"xor {e.integer} {bits}, {sign}")
    return e.let(f"bitcast {e.integer} {flipped} to {e.real}")
