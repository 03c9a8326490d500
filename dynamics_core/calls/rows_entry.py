"""Code of the function behind a builtin for batches: as :mod:`.entry`, with rows in front.

The first input says how many rows there are; each other one has as many, or is one state for all
of them. Batches that are worth several threads, and those that
would keep Python waiting for long, take the slow way: there the lock is let go. So do all until the
code of the sweep has been made, which happens there as well.
"""

from __future__ import annotations

from ..compiler.engine import pointer
from .entry import PP, CallEmitter, P
from .layout import DATA, NDIM, READABLE, SHAPE, TYPE

_PI = pointer("i64")


class RowsCallEmitter(CallEmitter):
    """Emits ``call_rows``, for arguments with one more dimension than :class:`CallEmitter`'s."""

    name = "call_rows"

    def _check_inputs(self) -> None:
        first = self.item("%arguments", 0)
        self.require("i64", self.field(first, TYPE), self.word("array_type"))
        self.require("i32", self.field(first, NDIM, "i32"), 2)
        self.line(f"%rows = add i64 {self.field(self.field(first, SHAPE, P), 0)}, 0")
        self.require("i1", self.let("icmp sgt i64 %rows, 0"), "true")
        work = self.let(f"mul i64 %rows, {self.word('work')}")
        limit = self.field(self.pointer_word("limit"), 0)
        self.require("i1", self.let(f"icmp slt i64 {work}, {limit}"), "true")
        self.line(f"%sweep = add i64 {self.field(self.pointer_word('sweep'), 0)}, 0")
        self.require("i1", self.let("icmp ne i64 %sweep, 0"), "true")
        slots = 2 * (self.inputs + 1 + len(self.dimensions))
        self.allocations.append(f"  %strides = alloca i64, i64 {slots}")
        self.allocations.append(f"  %shape = alloca i64, i64 {1 + max(self.dimensions)}")
        for k in range(self.inputs):
            self._check_input(k)
        self.put(self.pointer_word("parameters"), "%sources", self.inputs)
        self._set_stride(self.inputs, "0")
        for k in range(len(self.dimensions)):
            self._set_stride(self.inputs + 1 + k, self.word(f"stride{k}"))

    def _check_input(self, k: int) -> None:
        """Go on only if input k has rows, or is one state, which is read again for each row."""
        item, size = self.item("%arguments", k), self.word(f"size{k}")
        if k == 0:
            self.check_array(item, READABLE, self.input_shape(k))
            self._set_stride(k, size)
        else:
            self.check_numbers(item, READABLE)
            one = self.let(f"icmp eq i32 {self.field(item, NDIM, 'i32')}, 1")
            state, rows, checked = (f"{what}{k}" for what in ("state", "rows", "checked"))
            self.branch(one, rows, state)
            self.label(state)
            self.check_shape(item, [size])
            self.line(f"br label %{checked}")
            self.label(rows)
            self.check_shape(item, self.input_shape(k))
            self.line(f"br label %{checked}")
            self.label(checked)
            self._set_stride(k, self.let(f"select i1 {one}, i64 0, i64 {size}"))
        self.put(self.field(item, DATA, P), "%sources", k)

    def _set_stride(self, slot: int, rows: str) -> None:
        """Set the sweep's stride from row to row; that from instant to instant has no effect."""
        for k, value in enumerate((rows, "0")):
            at = self.let(f"getelementptr i64, {_PI} %strides, i64 {2 * slot + k}")
            self.line(f"store i64 {value}, {_PI} {at}")

    def input_shape(self, k: int) -> list[str]:
        """The rows, and as many columns as for one state."""
        return ["%rows", *super().input_shape(k)]

    def output_shape(self, k: int) -> list[str]:
        """The rows, and the shape for one state."""
        return ["%rows", *super().output_shape(k)]

    def new_shape(self, k: int) -> str:
        """The shape, laid down on the stack."""
        for i, n in enumerate(self.output_shape(k)):
            at = self.let(f"getelementptr i64, {_PI} %shape, i64 {i}")
            self.line(f"store i64 {n}, {_PI} {at}")
        return self.let(f"bitcast {_PI} %shape to {P}")

    def _write_to_spare_array(self) -> None:
        """Rows vary in number: each result is a new array."""

    def done(self) -> str:
        """Sweep all rows; whether all were taken."""
        outputs = self.let(f"getelementptr i64, {_PI} %strides, i64 {2 * (self.inputs + 1)}")
        counts = (("i64", "0"), ("i64", "%rows"), ("i64", "1"), ("i64", "1"))
        tables = ((PP, "%sources"), (PP, "%targets"), (_PI, "%strides"), (_PI, outputs))
        row = self.call_address("%sweep", "i64", *counts, *tables)
        return self.let(f"icmp eq i64 {row}, -1")
