"""Moving rows of row-major arrays into the lanes of vectors, and back.

``read<n>`` copies the same n columns of several rows into a block (element k of all lanes side by
side), ``write<n>`` copies a block back. Rows beyond the last one are taken to be the last one: the
surplus lanes do its work over again, and write the same numbers to the same place.
"""

from __future__ import annotations

from collections.abc import Callable

from .emitter import Emitter
from .engine import pointer

#: How many rows ahead memory is asked for: some tenths of a microsecond.
_AHEAD = 32


def reader(size: int, lanes: int, declarations: set[str]) -> Emitter:
    """``void read<size>(double *base, i64 stride, i64 row, i64 final, double *block)``."""
    return _mover("read", size, Emitter(lanes, declarations), _read)


def writer(size: int, lanes: int, declarations: set[str]) -> Emitter:
    """``void write<size>(double *base, i64 stride, i64 row, i64 final, double *block)``."""
    return _mover("write", size, Emitter(lanes, declarations), _write)


Move = Callable[[Emitter, list[str], str, int], None]


def _mover(name: str, size: int, e: Emitter, move: Move) -> Emitter:
    """A function that moves as many columns at a time as there are lanes."""
    p = pointer("double")
    where = f"{p} %base, i64 %stride, i64 %row, i64 %final, {p} %block"
    e.lines.append(f"define internal void @{name}{size}({where}) {{")
    rows = []
    for lane in range(e.lanes):
        row = e.let(f"add i64 %row, {lane}")
        over = e.let(f"icmp sgt i64 {row}, %final")
        row = e.let(f"select i1 {over}, i64 %final, i64 {row}")
        rows.append(e.element("%base", e.let(f"mul i64 {row}, %stride")))
    whole, rest = size - size % e.lanes, size % e.lanes
    if whole:
        e.line("br label %next")
        e.label("next")
        e.line("%column = phi i64 [0, %0], [%following, %next]")
        at = [e.element(row, "%column") for row in rows]
        move(e, at, e.element("%block", e.let(f"mul i64 %column, {e.lanes}")), e.lanes)
        e.line(f"%following = add i64 %column, {e.lanes}")
        e.line(f"%more = icmp slt i64 %following, {whole}")
        e.line("br i1 %more, label %next, label %rest")
        e.label("rest")
    if rest:
        at = [e.element(row, whole) for row in rows]
        move(e, at, e.element("%block", whole * e.lanes), rest)
    e.line("ret void")
    e.lines.append("}")
    return e


def _ask_ahead(e: Emitter, rows: list[str], write: bool) -> None:
    """Ask for rows that come later: a batch that is larger than the cache comes in time."""
    if e.lanes == 1:
        return
    offset = e.let(f"mul i64 %stride, {_AHEAD}")
    for row in rows:
        e.prefetch(row, offset, write)


def _read(e: Emitter, rows: list[str], block: str, count: int) -> None:
    _ask_ahead(e, rows, write=False)
    values = _transposed(e, [e.load_some(row, 0, count) for row in rows])
    for k in range(count):
        e.store(values[k], block, k)


def _write(e: Emitter, rows: list[str], block: str, count: int) -> None:
    _ask_ahead(e, rows, write=True)
    zero = "zeroinitializer"
    values = [e.load(block, k) if k < count else zero for k in range(e.lanes)]
    for row, value in zip(rows, _transposed(e, values), strict=True):
        e.store_some(value, row, 0, count)


def _transposed(e: Emitter, rows: list[str]) -> list[str]:
    """Transpose a square of values: exchange off-diagonal blocks of 1, then 2, then 4."""
    width = 1
    while width < e.lanes:
        turned = list(rows)
        for i in range(e.lanes):
            if not i & width:
                a, b = rows[i], rows[i + width]
                low = [k if not k & width else e.lanes + k - width for k in range(e.lanes)]
                high = [k + width if not k & width else e.lanes + k for k in range(e.lanes)]
                turned[i], turned[i + width] = e.shuffle(a, b, low), e.shuffle(a, b, high)
        rows = turned
        width *= 2
    return rows
