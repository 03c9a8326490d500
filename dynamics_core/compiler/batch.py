"""A program over many rows, and over time: the code of batches and of simulations.

    i64 sweep(i64 first, i64 last, i64 times, i64 repeats, double **inputs, double **outputs,
              i64 *input_strides, i64 *output_strides)

For each block of rows ``first`` to ``last`` (eight rows, one a lane, or single rows), for each of
``times`` instants: read the inputs, run the program ``repeats`` times, write the outputs. Outputs
that bear the name of an input are its next value, a state; that is what makes a simulation of a
program that computes one step. A batch is the case of one instant and one run.

The inputs are those of the program, then its parameters. Each array has two strides, in doubles:
from row to row and from instant to instant; 0 repeats the same numbers, and an input with 0 in time
is read once. States are read once in any case. The function returns -1, or ``row * times + time``
of the first block with an input or state that a kernel would refuse.
"""

from __future__ import annotations

from collections.abc import Collection

from ..symbolic.trace import PARAMETERS, Program
from .emit_llvm import Body
from .emitter import Emitter, module
from .engine import pointer
from .kernel import addresses
from .rows import reader, writer

#: Rows side by side. Two 256-bit registers hold them as well as one of 512 bits.
LANES = 8

_P, _PP, _PI = pointer("double"), pointer(pointer("double")), pointer("i64")


def sweep_ir(program: Program, lanes: int, states: Collection[str] = ()) -> str:
    """IR of the sweep of a program."""
    return _Sweep(program, lanes, states).ir()


class _Sweep:
    def __init__(self, program: Program, lanes: int, states: Collection[str]) -> None:
        self.program, self.states = program, states
        self.e = e = Emitter(lanes)
        parameters = [(PARAMETERS, program.parameters)] if program.parameters else []
        self.inputs = [*program.inputs, *parameters]
        self.blocks = {name: e.block(size) for name, size in self.inputs}
        names = [name for name, _ in program.outputs]
        self.outputs = list(zip(names, program.output_sizes, strict=True))
        self.targets = [
            self.blocks[name] if name in states else e.block(size) for name, size in self.outputs
        ]

    def ir(self) -> str:
        """The module."""
        e = self.e
        e.lines.append(
            "define i64 @sweep(i64 %first, i64 %last, i64 %times, i64 %repeats, "
            f"{_PP} %inputs, {_PP} %outputs, {_PI} %input_strides, {_PI} %output_strides) {{"
        )
        sources, targets = (
            addresses(e, table, len(arrays))
            for table, arrays in (("%inputs", self.inputs), ("%outputs", self.outputs))
        )
        read = self._strides("%input_strides", len(self.inputs))
        write = self._strides("%output_strides", len(self.outputs))
        e.line("%final = sub i64 %last, 1")
        e.line("%some = icmp slt i64 %first, %last")
        e.line("br i1 %some, label %rows, label %done")
        e.label("rows")
        e.line("%row = phi i64 [%first, %0], [%next.row, %rows.end]")
        for (name, size), source, (stride, _) in zip(self.inputs, sources, read, strict=True):
            self._move(f"read{size}", source, stride, self.blocks[name])
        e.line("br label %times.begin")
        e.label("times.begin")
        e.line("%time = phi i64 [0, %rows], [%next.time, %times.end]")
        for (name, size), source, (stride, step) in zip(self.inputs, sources, read, strict=True):
            if name not in self.states:
                self._read_later(f"read{size}", source, stride, step, self.blocks[name])
        self._check()
        self._repeat()
        for (_, size), block, target, (stride, step) in zip(
            self.outputs, self.targets, targets, write, strict=True
        ):
            self._move(f"write{size}", self._at_time(target, step), stride, block)
        self._ends()
        return module([e, *self._movers()], e.declarations)

    def _strides(self, table: str, count: int) -> list[tuple[str, str]]:
        e = self.e
        flat = [e.let(f"load i64, {_PI} {e.element(table, k, 'i64')}") for k in range(2 * count)]
        return list(zip(flat[::2], flat[1::2], strict=True))

    def _move(self, mover: str, base: str, stride: str, block: str) -> None:
        where = f"{_P} {base}, i64 {stride}, i64 %row, i64 %final, {_P} {block}"
        self.e.line(f"call void @{mover}({where})")

    def _at_time(self, base: str, step: str) -> str:
        return self.e.element(base, self.e.let(f"mul i64 %time, {step}"))

    def _read_later(self, mover: str, base: str, stride: str, step: str, block: str) -> None:
        """Read an input again where it changes with time."""
        e = self.e
        again, follow = e.new_label(), e.new_label()
        e.line(f"br i1 {e.let(f'icmp eq i64 {step}, 0')}, label %{follow}, label %{again}")
        e.label(again)
        self._move(mover, self._at_time(base, step), stride, block)
        e.line(f"br label %{follow}")
        e.label(follow)

    def _check(self) -> None:
        e = self.e
        self.body = Body(e, self.program, self.blocks)
        good = self.body.check()
        if e.lanes > 1:
            bits = e.let(f"bitcast {e.boolean} {good} to i{e.lanes}")
            good = e.let(f"icmp eq i{e.lanes} {bits}, -1")
        e.line(f"br i1 {good}, label %fine, label %refused")
        e.label("fine")

    def _repeat(self) -> None:
        """Run the program ``repeats`` times; states go back into their own inputs."""
        e = self.e
        e.line("br label %repeat")
        e.label("repeat")
        e.line("%count = phi i64 [1, %fine], [%next.count, %repeat]")
        places = [
            (block, k)
            for (_, size), block in zip(self.outputs, self.targets, strict=True)
            for k in range(size)
        ]
        self.body.emit(places, late=[self.blocks[name] for name in self.states])
        e.line("%next.count = add i64 %count, 1")
        e.line("%again = icmp sle i64 %next.count, %repeats")
        e.line("br i1 %again, label %repeat, label %written")
        e.label("written")

    def _ends(self) -> None:
        e = self.e
        e.line("br label %times.end")
        e.label("times.end")
        e.line("%next.time = add i64 %time, 1")
        e.line("%later = icmp slt i64 %next.time, %times")
        e.line("br i1 %later, label %times.begin, label %rows.end")
        e.label("rows.end")
        e.line(f"%next.row = add i64 %row, {e.lanes}")
        e.line("%more = icmp slt i64 %next.row, %last")
        e.line("br i1 %more, label %rows, label %done")
        e.label("refused")
        at = e.let(f"add i64 {e.let('mul i64 %row, %times')}, %time")
        e.line(f"ret i64 {at}")
        e.label("done")
        e.line("ret i64 -1")
        e.lines.append("}")

    def _movers(self) -> list[Emitter]:
        e = self.e
        read = {size for _, size in self.inputs}
        written = {size for _, size in self.outputs}
        return [reader(n, e.lanes, e.declarations) for n in sorted(read)] + [
            writer(n, e.lanes, e.declarations) for n in sorted(written)
        ]
