"""A program over time: the code of simulations.

For each block of rows of a :mod:`.sweep`, for each of ``times`` instants: read the inputs that
change with time, run the program ``repeats`` times, write the outputs. Outputs that bear the name
of an input are its next value, a state; that is what makes a simulation of a program that computes
one step. States are read once, and so is an input whose stride in time is 0.
"""

from __future__ import annotations

from collections.abc import Collection

from ..symbolic.trace import Program
from .emitter import module
from .sweep import Array, Sweep


def repeat_ir(program: Program, lanes: int, states: Collection[str]) -> str:
    """IR of the sweep of a program that computes the next values of states."""
    sweep = Sweep(program, lanes, states)
    e = sweep.e
    e.line("br label %rows")
    e.label("rows")
    e.line("%row = phi i64 [%first, %begin], [%next.row, %rows.end]")
    for array in sweep.inputs:
        sweep.read(array)
    e.line("br label %before")
    e.label("before")
    e.line("br label %times.begin")
    e.label("times.begin")
    e.line("%time = phi i64 [0, %before], [%next.time, %times.end]")
    for array in sweep.inputs:
        if array.name not in states:
            _read_later(sweep, array)
    sweep.check()
    _run(sweep, states)
    for array in sweep.outputs:
        sweep.write(array, "%time")
    e.line("br label %times.end")
    e.label("times.end")
    e.line("%next.time = add i64 %time, 1")
    e.line("%later = icmp slt i64 %next.time, %times")
    e.line("br i1 %later, label %times.begin, label %rows.end")
    e.label("rows.end")
    e.line(f"%next.row = add i64 %row, {e.lanes}")
    e.line("%more = icmp slt i64 %next.row, %last")
    sweep.end("%time")
    return module([e], e.declarations)


def _read_later(sweep: Sweep, array: Array) -> None:
    """Read an input again where it changes with time."""
    e = sweep.e
    again, follow = e.new_label(), e.new_label()
    e.line(f"br i1 {e.let(f'icmp eq i64 {array.step}, 0')}, label %{follow}, label %{again}")
    e.label(again)
    sweep.read(array, time="%time")
    e.line(f"br label %{follow}")
    e.label(follow)


def _run(sweep: Sweep, states: Collection[str]) -> None:
    """Run the program ``repeats`` times; states go back into their own inputs."""
    e = sweep.e
    e.line("br label %repeat")
    e.label("repeat")
    e.line("%count = phi i64 [1, %fine], [%next.count, %repeat]")
    blocks = [array.block for array in sweep.inputs if array.name in states]
    sweep.body.emit(sweep.places(), late=blocks)
    e.line("%next.count = add i64 %count, 1")
    e.line("%again = icmp sle i64 %next.count, %repeats")
    e.line("br i1 %again, label %repeat, label %written")
    e.label("written")
