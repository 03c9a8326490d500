"""A program over many rows: the code of batches.

Arithmetic and the moving of rows keep different parts of a CPU busy, and would take turns if each
block of rows were read, computed and written in that order: a CPU looks ahead only some hundred
instructions. So the next rows of an input are read as soon as the program has loaded all that it
needs of the present ones, in the midst of the arithmetic.

The function is that of :mod:`.sweep`, for one instant and one run.
"""

from __future__ import annotations

from functools import partial

from ..symbolic.trace import Program
from .emitter import module
from .sweep import Sweep

#: Rows side by side. Two 256-bit registers hold them as well as one of 512 bits.
LANES = 8


def batch_ir(program: Program, lanes: int = LANES) -> str:
    """IR of the sweep of a program over rows that have nothing to do with each other."""
    sweep = Sweep(program, lanes)
    e = sweep.e
    for array in sweep.inputs:
        sweep.read(array, "%first")
    e.line("br label %before")
    e.label("before")
    e.line("br label %rows")
    e.label("rows")
    e.line("%row = phi i64 [%first, %before], [%next, %written]")
    e.line(f"%next = add i64 %row, {lanes}")
    e.line("%more = icmp slt i64 %next, %last")
    e.line("%coming = select i1 %more, i64 %next, i64 %final")
    sweep.check()
    following = {array.name: partial(sweep.read, array, "%coming") for array in sweep.inputs}
    sweep.body.emit(sweep.places(), loaded=following)
    for array in sweep.outputs:
        sweep.write(array)
    e.line("br label %written")
    e.label("written")
    sweep.end()
    return module([e], e.declarations)
