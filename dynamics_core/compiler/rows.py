"""Moving rows of row-major arrays into the lanes of vectors, and back.

:func:`read` copies the columns of several rows into a block (element k of all lanes side by side),
:func:`write` copies a block back. Rows beyond the last one are taken to be the last one: the
surplus lanes do its work over again, and write the same numbers to the same place.

Eight rows are transposed four columns at a time: a row's four numbers are loaded straight into
their half of a vector, which leaves two shuffles for each column.
"""

from __future__ import annotations

from collections.abc import Callable

from .emitter import Emitter

#: How many rows ahead memory is asked for: some tenths of a microsecond.
_AHEAD = 32

# A quad is four columns of one row. A pair is the quads of two rows, two rows apart, side by side:
# these are the first of each pair. The masks pick lanes of two vectors put side by side.
_FIRST_OF_PAIR = (0, 1, 4, 5)
_EVEN, _ODD = (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)
_LEFT, _RIGHT = (0, 1, 4, 5, 8, 9, 12, 13), (2, 3, 6, 7, 10, 11, 14, 15)
_UPPER, _LOWER = (0, 1, 8, 9, 2, 3, 10, 11), (4, 5, 12, 13, 6, 7, 14, 15)

Move = Callable[[Emitter, list[str], str, int, int], None]


def read(e: Emitter, base: str, stride: str, row: str, final: str, block: str, size: int) -> None:
    """Fill a block of ``size`` columns from ``row`` and the rows behind it."""
    _all(e, _rows(e, base, stride, row, final), stride, block, size, _read)


def write(e: Emitter, base: str, stride: str, row: str, final: str, block: str, size: int) -> None:
    """Copy a block of ``size`` columns to ``row`` and the rows behind it."""
    _all(e, _rows(e, base, stride, row, final), stride, block, size, _write)


def _rows(e: Emitter, base: str, stride: str, row: str, final: str) -> list[str]:
    """Addresses of as many rows as there are lanes."""
    rows = [e.element(base, e.let(f"mul i64 {row}, {stride}"))]
    left = e.let(f"sub i64 {final}, {row}")
    for lane in range(1, e.lanes):
        there = e.let(f"icmp sge i64 {left}, {lane}")
        rows.append(e.element(rows[-1], e.let(f"select i1 {there}, i64 {stride}, i64 0")))
    return rows


def _all(e: Emitter, rows: list[str], stride: str, block: str, size: int, move: Move) -> None:
    """Move all columns of some rows."""
    looped = size - size % 8 if size > 8 else 0
    if looped:
        before, again, after = e.new_label(), e.new_label(), e.new_label()
        e.line(f"br label %{before}")
        e.label(before)
        e.line(f"br label %{again}")
        e.label(again)
        column, following = f"%column.{again}", f"%following.{again}"
        e.line(f"{column} = phi i64 [0, %{before}], [{following}, %{again}]")
        there = e.element(block, e.let(f"mul i64 {column}, {e.lanes}"))
        _eight(e, [e.element(row, column) for row in rows], stride, there, 8, move)
        e.line(f"{following} = add i64 {column}, 8")
        more = e.let(f"icmp slt i64 {following}, {looped}")
        e.line(f"br i1 {more}, label %{again}, label %{after}")
        e.label(after)
    if looped < size:
        rows = [e.element(row, looped) for row in rows]
        _eight(e, rows, stride, e.element(block, looped * e.lanes), size - looped, move)


def _eight(e: Emitter, rows: list[str], stride: str, block: str, count: int, move: Move) -> None:
    """Move up to eight columns."""
    if e.lanes > 1:
        # A batch that is larger than the cache comes in time if it is asked for.
        offset = e.let(f"mul i64 {stride}, {_AHEAD}")
        for row in rows:
            e.prefetch(row, offset, move is _write)
    move(e, rows, block, 0, min(4, count))
    if count > 4:  # the last four: no numbers need to be masked then
        move(e, rows, block, count - 4, 4)


def _read(e: Emitter, rows: list[str], block: str, first: int, count: int) -> None:
    if e.lanes == 1:
        for k in range(first, first + count):
            e.store(e.load(rows[0], k), block, k)
        return
    four = e.wide(4)
    quads = [four.load_some(row, first, count) for row in rows]
    pairs = [four.shuffle(quads[k], quads[k + 2], range(8)) for k in _FIRST_OF_PAIR]
    halves = ((pairs[0], pairs[1]), (pairs[2], pairs[3]))
    for k in range(count):
        upper, lower = (e.shuffle(a, b, _ODD if k % 2 else _EVEN) for a, b in halves)
        e.store(e.shuffle(upper, lower, _LEFT if k < 2 else _RIGHT), block, first + k)


def _write(e: Emitter, rows: list[str], block: str, first: int, count: int) -> None:
    if e.lanes == 1:
        for k in range(first, first + count):
            e.store(e.load(block, k), rows[0], k)
        return
    four = e.wide(4)
    columns = [e.load(block, first + min(k, count - 1)) for k in range(4)]
    pairs = []
    for half in (_UPPER, _LOWER):
        even, odd = (e.shuffle(columns[k], columns[k + 2], half) for k in (0, 1))
        pairs += [e.shuffle(even, odd, mask) for mask in (_EVEN, _ODD)]
    for pair, row in zip(pairs, _FIRST_OF_PAIR, strict=True):
        for k, lanes in ((row, range(4)), (row + 2, range(4, 8))):
            four.store_some(e.shuffle(pair, pair, lanes), rows[k], first, count)
