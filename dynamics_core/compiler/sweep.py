"""What the code of batches and of simulations has in common: rows, several side by side.

    i64 sweep(i64 first, i64 last, i64 times, i64 repeats, double **inputs, double **outputs,
              i64 *input_strides, i64 *output_strides)

runs a program on the rows ``first`` to ``last``. The inputs are those of the program, then its
parameters. Each array has two strides, in doubles: from row to row and from instant to instant;
0 repeats the same numbers. The function returns -1, or ``row * times + time`` of the first block of
rows with an input that a kernel would refuse; nothing is written of that block.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..symbolic.trace import PARAMETERS, Program
from .emit_llvm import Body
from .emitter import Emitter
from .engine import pointer
from .kernel import addresses
from .rows import read, write

_PP, _PI = pointer(pointer("double")), pointer("i64")


class Array(NamedTuple):
    """An argument: where its rows are, and the block that the program works on."""

    name: str
    size: int
    base: str
    stride: str
    step: str
    block: str


class Sweep:
    """The function's beginning: its arguments.

    Args:
        program: What is run.
        lanes: Rows side by side.
        states: Outputs that are an input's next value; both share one block.
    """

    def __init__(self, program: Program, lanes: int, states: Collection[str] = ()) -> None:
        self.e = e = Emitter(lanes)
        e.lines.append(
            "define i64 @sweep(i64 %first, i64 %last, i64 %times, i64 %repeats, "
            f"{_PP} %inputs, {_PP} %outputs, {_PI} %input_strides, {_PI} %output_strides) {{"
        )
        parameters = [(PARAMETERS, program.parameters)] if program.parameters else []
        self.inputs = self._arrays("input", [*program.inputs, *parameters], {})
        blocks = {a.name: a.block for a in self.inputs}
        results = [n for n, _ in program.outputs]
        self.outputs = self._arrays(
            "output",
            list(zip(results, program.output_sizes, strict=True)),
            {name: blocks[name] for name in states},
        )
        self.body = Body(e, program, blocks)
        e.line("%final = sub i64 %last, 1")
        e.line("%some = icmp slt i64 %first, %last")
        e.line("br i1 %some, label %begin, label %done")
        e.label("begin")

    def _arrays(
        self, kind: str, sizes: Sequence[tuple[str, int]], blocks: Mapping[str, str]
    ) -> list[Array]:
        e = self.e
        bases = addresses(e, f"%{kind}s", len(sizes))
        arrays = []
        for k, ((name, size), base) in enumerate(zip(sizes, bases, strict=True)):
            stride, step = (
                e.let(f"load i64, {_PI} {e.element(f'%{kind}_strides', 2 * k + axis, 'i64')}")
                for axis in (0, 1)
            )
            block = blocks.get(name) or e.block(size)
            arrays.append(Array(name, size, base, stride, step, block))
        return arrays

    def read(self, array: Array, row: str = "%row", time: str = "0") -> None:
        """Fill the array's block."""
        base = self._at(array, time)
        read(self.e, base, array.stride, row, "%final", array.block, array.size)

    def write(self, array: Array, time: str = "0") -> None:
        """Empty the array's block."""
        base = self._at(array, time)
        write(self.e, base, array.stride, "%row", "%final", array.block, array.size)

    def _at(self, array: Array, time: str) -> str:
        e = self.e
        return (
            array.base
            if time == "0"
            else e.element(array.base, e.let(f"mul i64 {time}, {array.step}"))
        )

    def check(self) -> None:
        """Go on at ``fine``, or at ``refused`` if an input of some row is not as it must be."""
        e = self.e
        good = self.body.check()
        if e.lanes > 1:
            bits = e.let(f"bitcast {e.boolean} {good} to i{e.lanes}")
            good = e.let(f"icmp eq i{e.lanes} {bits}, -1")
        e.line(f"br i1 {good}, label %fine, label %refused")
        e.label("fine")

    def places(self) -> list[tuple[str, int]]:
        """Where each result of the program goes."""
        return [(a.block, k) for a in self.outputs for k in range(a.size)]

    def end(self, time: str = "0") -> None:
        """Go on with the rows if there are more, or return."""
        e = self.e
        e.line("br i1 %more, label %rows, label %done")
        e.label("refused")
        at = e.let(f"add i64 {e.let('mul i64 %row, %times')}, {time}")
        e.line(f"ret i64 {at}")
        e.label("done")
        e.line("ret i64 -1")
        e.lines.append("}")
