"""A program over the rows of a batch: eight rows at once, one in each lane of the vector unit.

    i64 batch(i64 first, i64 last, double **inputs, i64 *strides, double **outputs)

takes rows ``first`` to ``last`` of row-major arrays. The inputs are those of the program and then
its parameters; an input's stride counts doubles from row to row, 0 for a row that all rows share.
Blocks of rows are transposed on the way in and out. It returns -1, or the first row of a block with
an input that the kernel would refuse; what it has written by then is valid.

The last block is filled up with copies of the last row, which write the same numbers to the same
place: there is no separate code for remainders.
"""

from __future__ import annotations

from collections.abc import Callable

from .emit_llvm import Body, Emitter, module
from .engine import pointer
from .kernel import addresses
from .trace import PARAMETERS, Program

#: Rows side by side. Two 256-bit registers hold them as well as one of 512 bits.
LANES = 8


def batch_ir(program: Program) -> str:
    """IR of the batch function of a program."""
    inputs = list(program.inputs)
    if program.parameters:
        inputs.append((PARAMETERS, program.parameters))
    outputs = [
        (f"out{k}", size) for k, size in enumerate(program.output_sizes) if size
    ]
    e = Emitter(LANES)
    p, pp, pi = pointer("double"), pointer(pointer("double")), pointer("i64")
    arguments = f"i64 %first, i64 %last, {pp} %inputs, {pi} %strides, {pp} %outputs"
    e.lines.append(f"define i64 @batch({arguments}) {{")
    blocks = {name: _block(e, size) for name, size in inputs + outputs}
    sources = addresses(e, "%inputs", len(inputs))
    strides = [
        e.let(f"load i64, {pi} {e.element('%strides', k, 'i64')}") for k in range(len(inputs))
    ]
    targets = addresses(e, "%outputs", len(outputs))
    e.line("%final = sub i64 %last, 1")
    e.line("%some = icmp slt i64 %first, %last")
    e.line("br i1 %some, label %next, label %done")
    e.label("next")
    e.line("%row = phi i64 [%first, %0], [%following, %fine]")
    for (name, size), source, stride in zip(inputs, sources, strides, strict=True):
        where = f"{p} {source}, i64 {stride}, i64 %row, i64 %final"
        e.line(f"call void @read{size}({where}, {p} {blocks[name]})")
    body = Body(e, program, blocks)
    bits = e.let(f"bitcast {e.boolean} {body.check()} to i{LANES}")
    e.line(f"%good = icmp eq i{LANES} {bits}, -1")
    e.line("br i1 %good, label %fine, label %refused")
    e.label("fine")
    body.emit([(blocks[name], k) for name, size in outputs for k in range(size)])
    for (name, size), target in zip(outputs, targets, strict=True):
        where = f"{p} {target}, i64 {size}, i64 %row, i64 %final"
        e.line(f"call void @write{size}({where}, {p} {blocks[name]})")
    e.line(f"%following = add i64 %row, {LANES}")
    e.line("%more = icmp slt i64 %following, %last")
    e.line("br i1 %more, label %next, label %done")
    e.label("refused")
    e.line("ret i64 %row")
    e.label("done")
    e.line("ret i64 -1")
    e.lines.append("}")
    movers = [_mover("read", size, e.declarations, _read) for size in {s for _, s in inputs}]
    movers += [_mover("write", size, e.declarations, _write) for size in {s for _, s in outputs}]
    return module([e, *movers], e.declarations)


def _block(e: Emitter, size: int) -> str:
    """Room for ``size`` values of all lanes."""
    kind = f"[{max(1, size) * LANES} x double]"
    block = e.let(f"alloca {kind}, align 64")
    return e.let(f"bitcast {pointer(kind)} {block} to {pointer('double')}")


def _mover(
    name: str, size: int, declarations: set[str], move: Callable[[Emitter, list[str], str, int], None]
) -> Emitter:
    """A function that transposes rows to lanes, or lanes to rows, eight columns at a time."""
    e = Emitter(LANES, declarations)
    p = pointer("double")
    where = f"{p} %base, i64 %stride, i64 %row, i64 %final, {p} %block"
    e.lines.append(f"define internal void @{name}{size}({where}) {{")
    rows = []
    for lane in range(LANES):
        row = e.let(f"add i64 %row, {lane}")
        over = e.let(f"icmp sgt i64 {row}, %final")
        row = e.let(f"select i1 {over}, i64 %final, i64 {row}")
        rows.append(e.element("%base", e.let(f"mul i64 {row}, %stride")))
    whole, rest = size - size % LANES, size % LANES
    if whole:
        e.line("br label %next")
        e.label("next")
        e.line("%column = phi i64 [0, %0], [%following, %next]")
        at = [e.element(row, "%column") for row in rows]
        block = e.element("%block", e.let(f"mul i64 %column, {LANES}"))
        move(e, at, block, LANES)
        e.line(f"%following = add i64 %column, {LANES}")
        e.line(f"%more = icmp slt i64 %following, {whole}")
        e.line("br i1 %more, label %next, label %rest")
        e.label("rest")
    if rest:
        at = [e.element(row, whole) for row in rows]
        move(e, at, e.element("%block", whole * LANES), rest)
    e.line("ret void")
    e.lines.append("}")
    return e


def _read(e: Emitter, rows: list[str], block: str, count: int) -> None:
    values = _transposed(e, [e.load_some(row, 0, count) for row in rows])
    for k in range(count):
        e.store(values[k], block, k)


def _write(e: Emitter, rows: list[str], block: str, count: int) -> None:
    zero = "zeroinitializer"
    values = [e.load(block, k) if k < count else zero for k in range(LANES)]
    for row, value in zip(rows, _transposed(e, values), strict=True):
        e.store_some(value, row, 0, count)


def _transposed(e: Emitter, rows: list[str]) -> list[str]:
    """Transpose a square of values: exchange off-diagonal blocks of 1, then 2, then 4."""
    width = 1
    while width < LANES:
        turned = list(rows)
        for i in range(LANES):
            if not i & width:
                a, b = rows[i], rows[i + width]
                low = [k if not k & width else LANES + k - width for k in range(LANES)]
                high = [k + width if not k & width else LANES + k for k in range(LANES)]
                turned[i], turned[i + width] = e.shuffle(a, b, low), e.shuffle(a, b, high)
        rows = turned
        width *= 2
    return rows
