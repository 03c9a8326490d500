"""Code of the function behind a builtin for batches: as :mod:`.entry`, with rows in front.

All inputs have the same number of rows. Batches that are worth several threads, and those that
would keep Python waiting for long, take the slow way: there the lock is let go. So do all until the
code of the sweep has been made, which happens there as well.
"""

from __future__ import annotations

from ..compiler.engine import pointer
from .entry import PP, CallEmitter, P
from .layout import NDIM, SHAPE, TYPE

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
        super()._check_inputs()
        self.put(self.pointer_word("parameters"), "%sources", self.inputs)
        longest = 1 + max(self.dimensions)
        self.allocations.append(f"  %shape = alloca i64, i64 {longest}")

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
        strides = self.pointer_word("strides")
        outputs = self.let(f"getelementptr i8, {P} {strides}, i64 {16 * (self.inputs + 1)}")
        counts = (("i64", "0"), ("i64", "%rows"), ("i64", "1"), ("i64", "1"))
        tables = ((PP, "%sources"), (PP, "%targets"), (P, strides), (P, outputs))
        row = self.call_address("%sweep", "i64", *counts, *tables)
        return self.let(f"icmp eq i64 {row}, -1")
