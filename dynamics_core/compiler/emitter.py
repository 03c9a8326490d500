"""LLVM IR line by line: values, addresses, constants and loops, of one or several lanes."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence

from .engine import has_fma, pointer


class Emitter:
    """Lines of one function, on values of one or several lanes."""

    def __init__(self, lanes: int = 1, declarations: set[str] | None = None) -> None:
        self.lanes = lanes
        self.fma = has_fma()
        self.lines: list[str] = []
        self.allocations: list[str] = []
        self.declarations: set[str] = set() if declarations is None else declarations
        self._numbers = itertools.count()
        self._constants: dict[float, str] = {}
        self.real, self.integer, self.boolean = (
            t if lanes == 1 else f"<{lanes} x {t}>" for t in ("double", "i64", "i1")
        )
        self._suffix = "f64" if lanes == 1 else f"v{lanes}f64"

    def wide(self, lanes: int) -> Emitter:
        """An emitter of other width into the same function."""
        other = Emitter(lanes, self.declarations)
        other.lines, other._numbers = self.lines, self._numbers
        other.allocations = self.allocations
        return other

    def block(self, size: int) -> str:
        """Room on the stack for ``size`` values, as an address of doubles."""
        kind = f"[{max(1, size) * self.lanes} x double]"
        number = next(self._numbers)
        self.allocations += [
            f"  %a{number} = alloca {kind}, align 64",
            f"  %b{number} = bitcast {pointer(kind)} %a{number} to {pointer('double')}",
        ]
        return f"%b{number}"

    def text(self) -> str:
        """The function; its stack is laid out on entry, whatever loops follow."""
        return "\n".join([self.lines[0], *self.allocations, *self.lines[1:]])

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def new_label(self) -> str:
        """A label that no other block has."""
        return f"l{next(self._numbers)}"

    def barrier(self) -> None:
        """Let the code generator move no instruction across this point.

        The annotation is none for the program: it becomes a label, and labels stay where they are.
        """
        self.declarations |= {
            "declare void @llvm.codeview.annotation(metadata)",
            '!0 = !{!"barrier"}',
        }
        self.line("call void @llvm.codeview.annotation(metadata !0)")

    def let(self, text: str) -> str:
        """Name the value of an instruction."""
        name = f"%t{next(self._numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value: float) -> str:
        """A real constant, exactly."""
        found = self._constants.get(value)
        if found is None:
            one = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
            found = self._constants[value] = self._splat("double", one)
        return found

    def integer_constant(self, value: int) -> str:
        """An integer constant."""
        return self._splat("i64", str(value))

    def _splat(self, kind: str, one: str) -> str:
        return one if self.lanes == 1 else f"<{', '.join([f'{kind} {one}'] * self.lanes)}>"

    def call(self, name: str, *arguments: str) -> str:
        """Call an LLVM intrinsic on reals."""
        types = ", ".join([self.real] * len(arguments))
        full = f"@llvm.{name}.{self._suffix}"
        self.declarations.add(f"declare {self.real} {full}({types})")
        given = ", ".join(f"{self.real} {a}" for a in arguments)
        return self.let(f"call {self.real} {full}({given})")

    def fused(self, a: str, b: str, c: str) -> str:
        """``a b + c``, rounded once."""
        return self.call("fma", a, b, c)

    def libm(self, name: str, x: str) -> str:
        """A function of the C library, lane by lane."""
        self.declarations.add(f"declare double @{name}(double)")
        if self.lanes == 1:
            return self.let(f"call double @{name}(double {x})")
        result = "undef"
        for lane in range(self.lanes):
            one = self.let(f"extractelement {self.real} {x}, i32 {lane}")
            y = self.let(f"call double @{name}(double {one})")
            result = self.let(f"insertelement {self.real} {result}, double {y}, i32 {lane}")
        return result

    def element(self, base: str, index: int | str, kind: str = "double") -> str:
        """Address of an element."""
        p = pointer(kind)
        return self.let(f"getelementptr inbounds {kind}, {p} {base}, i64 {index}")

    def _at(self, base: str, index: int) -> str:
        return self._as_value(self.element(base, index * self.lanes))

    def _as_value(self, at: str) -> str:
        if self.lanes == 1:
            return at
        return self.let(f"bitcast {pointer('double')} {at} to {pointer(self.real)}")

    def load(self, base: str, index: int = 0) -> str:
        """Value number ``index`` of an array."""
        at = self._at(base, index)
        return self.let(f"load {self.real}, {pointer(self.real)} {at}, align 8")

    def load_for_all(self, base: str, index: int) -> str:
        """Number ``index`` of an array of single doubles, in every lane."""
        p = pointer("double")
        one = self.let(f"load double, {p} {self.element(base, index)}, align 8")
        if self.lanes == 1:
            return one
        first = self.let(f"insertelement {self.real} undef, double {one}, i32 0")
        return self.shuffle(first, first, [0] * self.lanes)

    def store(self, value: str, base: str, index: int = 0) -> None:
        """Set value number ``index`` of an array."""
        at = self._at(base, index)
        self.line(f"store {self.real} {value}, {pointer(self.real)} {at}, align 8")

    def wipe(self, base: str, first: int, count: int) -> None:
        """Set ``count`` values from number ``first`` on to zero."""
        byte = pointer("i8")
        mangled = "p0" if byte == "ptr" else "p0i8"
        name = f"@llvm.memset.{mangled}.i64"
        self.declarations.add(f"declare void {name}({byte}, i8, i64, i1)")
        at = self.element(base, first * self.lanes)
        at = self.let(f"bitcast {pointer('double')} {at} to {byte}")
        size = 8 * count * self.lanes
        self.line(f"call void {name}({byte} align 8 {at}, i8 0, i64 {size}, i1 false)")

    def prefetch(self, base: str, offset: str, write: bool) -> None:
        """Ask for the memory ``offset`` doubles behind an address; it need not be there at all."""
        byte = pointer("i8")
        name = f"@llvm.prefetch.{'p0' if byte == 'ptr' else 'p0i8'}"
        self.declarations.add(f"declare void {name}({byte}, i32, i32, i32)")
        at = self.let(f"getelementptr double, {pointer('double')} {base}, i64 {offset}")
        at = self.let(f"bitcast {pointer('double')} {at} to {byte}")
        self.line(f"call void {name}({byte} {at}, i32 {int(write)}, i32 3, i32 1)")

    def load_some(self, base: str, first: int, count: int) -> str:
        """``count <= lanes`` neighbours of an array of doubles as one value, the rest zero."""
        at = self._as_value(self.element(base, first))
        if count == self.lanes:
            return self.let(f"load {self.real}, {pointer(self.real)} {at}, align 8")
        kinds = f"{pointer(self.real)}, i32, {self.boolean}, {self.real}"
        name = self._masked("load", self.real, kinds)
        given = f"{pointer(self.real)} {at}, i32 8, {self._mask(count)}"
        return self.let(f"call {self.real} {name}({given}, {self.real} zeroinitializer)")

    def store_some(self, value: str, base: str, first: int, count: int) -> None:
        """Set ``count <= lanes`` neighbours of an array of doubles."""
        at = self._as_value(self.element(base, first))
        if count == self.lanes:
            self.line(f"store {self.real} {value}, {pointer(self.real)} {at}, align 8")
            return
        kinds = f"{self.real}, {pointer(self.real)}, i32, {self.boolean}"
        name = self._masked("store", "void", kinds)
        given = f"{self.real} {value}, {pointer(self.real)} {at}, i32 8, {self._mask(count)}"
        self.line(f"call void {name}({given})")

    def _masked(self, what: str, result: str, kinds: str) -> str:
        mangled = "p0" if pointer("double") == "ptr" else f"p0{self._suffix}"
        name = f"@llvm.masked.{what}.{self._suffix}.{mangled}"
        self.declarations.add(f"declare {result} {name}({kinds})")
        return name

    def _mask(self, count: int) -> str:
        bits = ", ".join(f"i1 {str(k < count).lower()}" for k in range(self.lanes))
        return f"{self.boolean} <{bits}>"

    def shuffle(self, a: str, b: str, picks: Sequence[int]) -> str:
        """Lanes of two values put side by side, by number."""
        mask = ", ".join(f"i32 {k}" for k in picks)
        return self.let(
            f"shufflevector {self.real} {a}, {self.real} {b}, <{len(picks)} x i32> <{mask}>"
        )


def module(functions: Sequence[Emitter], declarations: set[str]) -> str:
    """The text of a module."""
    return "\n".join([*sorted(declarations), *(f.text() for f in functions), ""])
