"""Code of the function behind a builtin: it checks its arguments and calls a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiler.emitter import Emitter
from ..compiler.engine import pointer
from .layout import (
    BYTES_DATA,
    DATA,
    DESCR,
    DESCR_KIND,
    FIRST_SPARE,
    FLAGS,
    NDIM,
    READABLE,
    REFERENCES,
    SHAPE,
    SIZE,
    SPARES,
    TUPLE_ITEMS,
    TYPE,
    WRITABLE,
    words,
)

P, PP = pointer("i8"), pointer(pointer("i8"))


class CallEmitter(Emitter):
    """Emits ``PyObject *call(self, PyObject **arguments, Py_ssize_t count, names)``.

    Args:
        inputs: Number of positional arguments, arrays of one dimension.
        dimensions: Number of dimensions of each output.
    """

    name = "call"

    def __init__(self, inputs: int, dimensions: Sequence[int]) -> None:
        super().__init__()
        self.inputs, self.dimensions = inputs, dimensions
        self.way_out = "slow"
        self._emit()

    def _emit(self) -> None:
        given = f"{P} %me, {PP} %arguments, i64 %count, {P} %names"
        self.lines.append(f"define {P} @{self.name}({given}) {{")
        for table in ("sources", "targets"):
            self.line(f"%{table} = alloca {P}, i64 {max(self.inputs, len(self.dimensions)) + 1}")
        packed = self.field("%me", TUPLE_ITEMS, P)
        self.line(f"%table = {self._address(packed, BYTES_DATA)}")
        self.require("i64", "%count", self.inputs)
        self._check_inputs()
        self.line(f"%positional = icmp eq {P} %names, null")
        self.line("br i1 %positional, label %fresh, label %named")
        self._write_to_argument()
        self.label("fresh")
        self._write_to_spare_array()
        self._write_to_new_arrays()
        self.label("slow")
        slow = ((P, self.field("%me", TUPLE_ITEMS + 8, P)), (PP, "%arguments"), ("i64", "%count"))
        self.line(f"ret {P} {self.function('call', P, *slow, (P, '%names'))}")
        self.lines.append("}")

    def _check_inputs(self) -> None:
        for k in range(self.inputs):
            item = self.item("%arguments", k)
            self.check_array(item, READABLE, self.input_shape(k))
            self.put(self.field(item, DATA, P), "%sources", k)

    def input_shape(self, k: int) -> list[str]:
        """What the shape of input k must be."""
        return [self.word(f"size{k}")]

    def output_shape(self, k: int) -> list[str]:
        """The shape of output k."""
        return [self.word(f"shape{k}.{i}") for i in range(self.dimensions[k])]

    def new_shape(self, k: int) -> str:
        """Address of the shape of output k."""
        return self.let(self._address("%table", 8 * self.place(f"shape{k}.0")))

    def _write_to_argument(self) -> None:
        """The call that has the keyword ``out`` and no other."""
        self.label("named")
        self.require("i64", self.field("%names", SIZE), 1)
        self.require("i64", self.field("%names", TUPLE_ITEMS), self.word("out"))
        out = self.item("%arguments", self.inputs)
        for k, array in enumerate(self._given_outputs(out)):
            shape = self.output_shape(k)
            self.check_array(array, WRITABLE, shape)
            self.put(self.field(array, DATA, P), "%targets", k)
            self._check_apart(array, shape)
        self.require("i1", self.done(), "true")
        self.function("increase", "void", (P, out))
        self.line(f"ret {P} {out}")

    def _given_outputs(self, out: str) -> list[str]:
        """The array given by ``out``, or those of the tuple."""
        count = len(self.dimensions)
        if count == 1:
            return [out]
        self.require("i64", self.field(out, TYPE), self.word("tuple_type"))
        self.require("i64", self.field(out, SIZE), count)
        return [self.field(out, TUPLE_ITEMS + 8 * k, P) for k in range(count)]

    def _check_apart(self, out: str, shape: Sequence[str]) -> None:
        """Go on only if the output shares no memory with an input."""
        begin = self.field(out, DATA)
        end = self._after(begin, shape)
        for k in range(self.inputs):
            item = self.item("%arguments", k)
            other = self.field(item, DATA)
            other_end = self._after(other, self.input_shape(k))
            before = self.let(f"icmp ule i64 {end}, {other}")
            behind = self.let(f"icmp ule i64 {other_end}, {begin}")
            self.require("i1", self.let(f"or i1 {before}, {behind}"), "true")

    def _after(self, begin: str, shape: Sequence[str]) -> str:
        length = "8"
        for n in shape:
            length = self.let(f"mul i64 {length}, {n}")
        return self.let(f"add i64 {begin}, {length}")

    def _write_to_spare_array(self) -> None:
        """The call without keywords, as long as a spare array is held by nobody else."""
        if len(self.dimensions) > 1:
            return
        shape = self.output_shape(0)
        for k in range(SPARES):
            spare = self.field("%me", TUPLE_ITEMS + 8 * (FIRST_SPARE + k), P)
            self.way_out = taken = self.new_label()
            self.require("i32", self.field(spare, REFERENCES, "i32"), 1)
            self.check_array(spare, WRITABLE, shape)
            self.way_out = "slow"
            self.put(self.field(spare, DATA, P), "%targets", 0)
            self.require("i1", self.done(), "true")
            self.function("increase", "void", (P, spare))
            self.line(f"ret {P} {spare}")
            self.label(taken)

    def _write_to_new_arrays(self) -> None:
        """The call without keywords."""
        made: list[str] = []
        float64 = self.pointer_word("float64")
        for k in range(len(self.dimensions)):
            self.function("increase", "void", (P, float64))  # the new array takes it over
            kind = (P, self.pointer_word("array_type"))
            dimensions = ("i32", str(len(self.output_shape(k))))
            layout = (dimensions, (P, self.new_shape(k)), (P, "null"), (P, "null"))
            new = self.function(
                "new_array", P, kind, (P, float64), *layout, ("i32", "0"), (P, "null")
            )
            self.give_up(made, self.let(f"icmp ne {P} {new}, null"))
            made.append(new)
            self.put(self.field(new, DATA, P), "%targets", k)
        self.line(f"br i1 {self.done()}, label %done, label %refused")
        self.label("refused")
        for new in made:
            self.function("decrease", "void", (P, new))
        self.line("br label %slow")
        self.label("done")
        if len(made) == 1:
            self.line(f"ret {P} {made[0]}")
            return
        result = self.function("new_tuple", P, ("i64", str(len(made))))
        self.give_up(made, self.let(f"icmp ne {P} {result}, null"))
        items = self.let(self._address(result, TUPLE_ITEMS))
        items = self.let(f"bitcast {P} {items} to {PP}")
        for k, new in enumerate(made):
            self.put(new, items, k)
        self.line(f"ret {P} {result}")

    def give_up(self, made: Sequence[str], unless: str) -> None:
        """Return NULL (an exception is set) and free what was made, unless a condition holds."""
        self.branch(unless, failed := f"failed{next(self._numbers)}", after := f"go{failed}")
        self.label(failed)
        for new in made:
            self.function("decrease", "void", (P, new))
        self.line(f"ret {P} null")
        self.label(after)

    def branch(self, condition: str, otherwise: str, then: str) -> None:
        """Go two ways."""
        self.line(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def check_array(self, item: str, flags: int, shape: Sequence[str]) -> None:
        """Go on only if an object is an array of float64 with some flags and a shape."""
        self.check_numbers(item, flags)
        self.check_shape(item, shape)

    def check_numbers(self, item: str, flags: int) -> None:
        """Go on only if an object is an array of float64 with some flags."""
        self.require("i64", self.field(item, TYPE), self.word("array_type"))
        kind = self.field(self.field(item, DESCR, P), DESCR_KIND)
        self.require("i64", kind, self.word("float64_kind"))
        have = self.let(f"and i32 {self.field(item, FLAGS, 'i32')}, {flags}")
        self.require("i32", have, flags)

    def check_shape(self, item: str, shape: Sequence[str]) -> None:
        """Go on only if an array has a shape."""
        self.require("i32", self.field(item, NDIM, "i32"), len(shape))
        for k, n in enumerate(shape):
            self.require("i64", self.field(self.field(item, SHAPE, P), 8 * k), n)

    def require(self, kind: str, a: str, b: str | int) -> None:
        """Go on only if two integers are equal, else take the way out."""
        equal = self.let(f"icmp eq {kind} {a}, {b}")
        self.branch(equal, self.way_out, then := f"go{next(self._numbers)}")
        self.label(then)

    def done(self) -> str:
        """Call the kernel; whether it took its inputs."""
        tables = ((PP, "%sources"), (PP, "%targets"), (P, self.pointer_word("parameters")))
        return self.let(f"icmp eq i32 {self.function('kernel', 'i32', *tables)}, 1")

    def function(self, word: str, result: str, *arguments: tuple[str, str]) -> str:
        """Call the function whose address is a word of the table."""
        return self.call_address(self.word(word), result, *arguments)

    def call_address(self, address: str, result: str, *arguments: tuple[str, str]) -> str:
        """Call the function at an address."""
        kinds = ", ".join(kind for kind, _ in arguments)
        given = ", ".join(f"{kind} {value}" for kind, value in arguments)
        f = self.let(f"inttoptr i64 {address} to {pointer(f'{result} ({kinds})')}")
        call = f"call {result} {f}({given})"
        if result == "void":
            self.line(call)
            return ""
        return self.let(call)

    def place(self, word: str) -> int:
        """Where a word of the table is, counted in words."""
        return words(self.inputs, self.dimensions).index(word)

    def word(self, name: str) -> str:
        """Load a word of the table."""
        return self.field("%table", 8 * self.place(name))

    def pointer_word(self, name: str) -> str:
        """Load a word of the table that is an address."""
        return self.field("%table", 8 * self.place(name), P)

    def _address(self, base: str, offset: int) -> str:
        return f"getelementptr i8, {P} {base}, i64 {offset}"

    def field(self, base: str, offset: int, kind: str = "i64") -> str:
        """Load a field at a byte offset from an address."""
        at = self.let(self._address(base, offset))
        at = self.let(f"bitcast {P} {at} to {pointer(kind)}")
        return self.let(f"load {kind}, {pointer(kind)} {at}")

    def item(self, table: str, index: int) -> str:
        """Load an element of an array of addresses."""
        at = self.let(f"getelementptr {P}, {PP} {table}, i64 {index}")
        return self.let(f"load {P}, {PP} {at}")

    def put(self, value: str, table: str, index: int) -> None:
        """Set an element of an array of addresses."""
        at = self.let(f"getelementptr {P}, {PP} {table}, i64 {index}")
        self.line(f"store {P} {value}, {PP} {at}")
