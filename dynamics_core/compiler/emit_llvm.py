"""A program as LLVM IR: straight-line code on one state, or on several states side by side.

The same graph is written on ``double`` or on ``<8 x double>``. Element k of an array argument lies
at ``k * lanes``, so that with eight lanes an array is a block of eight states, transposed.

Sines and cosines come first: one state needs them for all its joints, and eight angles cost little
more than one. An angle that depends on another sine (as the second stage of an integrator does)
waits for the next turn.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Collection, Mapping, Sequence

from .engine import has_fma, pointer
from .expression import Expr, Term, live
from .sincos import LARGEST_ANGLE, emit_sincos
from .tanh import emit_tanh
from .trace import Program

_BINARY = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "min": "minnum", "max": "maxnum"}
_QUATERNION_TOLERANCE = 1e-6
#: An array with so many zeros is zeroed as a whole before anything is stored.
_MANY_ZEROS = 64
_LARGEST = 1.7976931348623157e308


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
        at = self.element(base, index * self.lanes)
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

    def load_some(self, base: str, first: int, count: int) -> str:
        """``count <= lanes`` neighbours of an array of doubles as one value, the rest zero."""
        at = self.let(
            f"bitcast {pointer('double')} {self.element(base, first)} to {pointer(self.real)}"
        )
        if count == self.lanes:
            return self.let(f"load {self.real}, {pointer(self.real)} {at}, align 8")
        kinds = f"{pointer(self.real)}, i32, {self.boolean}, {self.real}"
        name = self._masked("load", self.real, kinds)
        given = f"{pointer(self.real)} {at}, i32 8, {self._mask(count)}"
        return self.let(f"call {self.real} {name}({given}, {self.real} zeroinitializer)")

    def store_some(self, value: str, base: str, first: int, count: int) -> None:
        """Set ``count <= lanes`` neighbours of an array of doubles."""
        at = self.let(
            f"bitcast {pointer('double')} {self.element(base, first)} to {pointer(self.real)}"
        )
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
            f"shufflevector {self.real} {a}, {self.real} {b}, <{self.lanes} x i32> <{mask}>"
        )


Function = Callable[[Emitter, str], tuple[str, ...]]


def _tanh(e: Emitter, x: str) -> tuple[str, ...]:
    return (emit_tanh(e, x),)


class Body:
    """Emission of a program's formulas.

    Args:
        e: Where to.
        program: What.
        inputs: Address of each input, that of the parameters included where there are any.
    """

    def __init__(self, e: Emitter, program: Program, inputs: Mapping[str, str]) -> None:
        self.e, self.program, self.inputs = e, program, inputs
        self.names: dict[Expr, str] = {}
        used = [a for n in program.nodes if n.op != "input" for a in n.args] + [*program.results]
        values = sorted({a for a in used if not isinstance(a, Expr) and a not in (0.0, 1.0)})
        self.constants = {value: k for k, value in enumerate(values)}

    def check(self) -> str:
        """Emit the test of the inputs: finite, angles of sane size, quaternions of norm 1.

        Returns:
            Name of an ``i1`` (or one for each lane) that is true if all is well.
        """
        e = self.e
        wide = e if e.lanes > 1 else e.wide(8)
        fine = ""
        for name, size in self.program.inputs:
            bound = LARGEST_ANGLE if name in self.program.angle_inputs else _LARGEST
            for x in self._all_of(wide, name, size):
                # Nothing compares with NaN: this sense makes it fail the test.
                test = f"fcmp ole {wide.real} {wide.call('fabs', x)}"
                good = wide.let(f"{test}, {wide.constant(bound)}")
                fine = wide.let(f"and {wide.boolean} {fine}, {good}") if fine else good
        if wide is not e:
            bits = e.let(f"bitcast {wide.boolean} {fine} to i8")
            fine = e.let(f"icmp eq i8 {bits}, -1")
        for name, first in self.program.quaternions:
            total = self._square_norm(name, first)
            miss = e.call("fabs", e.let(f"fsub {e.real} {total}, {e.constant(1.0)}"))
            near = e.let(f"fcmp ole {e.real} {miss}, {e.constant(2 * _QUATERNION_TOLERANCE)}")
            fine = e.let(f"and {e.boolean} {fine}, {near}")
        return fine

    def _all_of(self, wide: Emitter, name: str, size: int) -> list[str]:
        base, n = self.inputs[name], wide.lanes
        if wide is self.e:
            return [wide.load(base, k) for k in range(size)]
        return [wide.load_some(base, k, min(n, size - k)) for k in range(0, size, n)]

    def _square_norm(self, name: str, first: int) -> str:
        e = self.e
        total = e.constant(0.0)
        for k in range(first, first + 4):
            x = e.load(self.inputs[name], k)
            square = e.let(f"fmul {e.real} {x}, {x}")
            total = e.let(f"fadd {e.real} {total}, {square}")
        return total

    def emit(self, outputs: Sequence[tuple[str, int]], late: Collection[str] = ()) -> None:
        """Emit the formulas; result k goes to element ``outputs[k][1]`` of ``outputs[k][0]``.

        A result is stored as soon as it is known, which saves keeping it; those for the arrays in
        ``late`` only when everything has been read.
        """
        wanted: dict[Expr, list[tuple[str, int]]] = {}
        last: list[tuple[Term, tuple[str, int]]] = []
        for result, place in zip(self.program.results, outputs, strict=True):
            if isinstance(result, Expr) and place[0] not in late:
                wanted.setdefault(result, []).append(place)
            else:
                last.append((result, place))
        self._declare_constants()
        last = self._clear(last, late)
        self._transcendentals()
        for node in self.program.nodes:
            self._compute(node)
            for place in wanted.get(node, ()):
                self.e.store(self.names[node], *place)
        for result, place in last:
            self.e.store(self.value(result), *place)

    def _declare_constants(self) -> None:
        """Put the robot's constants into one table, whose address one register keeps.

        As immediate numbers each would take an instruction of its own to fetch its address, since
        compiled code may lie anywhere in memory.
        """
        kind = f"[{len(self.constants)} x double]"
        one = Emitter()
        listed = ", ".join(f"double {one.constant(c)}" for c in self.constants)
        self.e.declarations.add(f"@constants = internal constant {kind} [{listed}], align 64")
        target = pointer("double")
        at = f"bitcast ({pointer(kind)} @constants to {target})"
        self.e.declarations.add(f"@table = internal global {target} {at}")
        self.e.line(f"%constants = load {target}, {pointer(target)} @table")

    def _clear(
        self, results: Sequence[tuple[Term, tuple[str, int]]], late: Collection[str]
    ) -> list[tuple[Term, tuple[str, int]]]:
        """Zero each array that has many zeros, as a whole, and return what is left to store.

        LLVM takes time that grows with the square of the number of stores of one constant.
        """
        zeros: dict[str, list[int]] = {}
        for result, (base, k) in results:
            if result == 0.0 and isinstance(result, float) and base not in late:
                zeros.setdefault(base, []).append(k)
        wiped = {base for base, at in zeros.items() if len(at) >= _MANY_ZEROS}
        for base in sorted(wiped):
            first, count = min(zeros[base]), max(zeros[base]) - min(zeros[base]) + 1
            self.e.wipe(base, first, count)
        return [
            (result, place)
            for result, place in results
            if not (place[0] in wiped and isinstance(result, float) and result == 0.0)
        ]

    def value(self, term: Term) -> str:
        """Name of a node's value, or a constant."""
        if isinstance(term, Expr):
            return self.names[term]
        k = self.constants.get(term)
        return self.e.constant(term) if k is None else self.e.load_for_all("%constants", k)

    def _compute(self, node: Expr) -> None:
        """Emit one node whose arguments have been emitted."""
        if node in self.names:
            return
        e, op, args = self.e, node.op, node.args
        if op == "input":
            name = e.load(self.inputs[args[0]], args[1])
        elif op in _BINARY:
            a, b = map(self.value, args)
            name = e.let(f"{_BINARY[op]} {e.real} {a}, {b}")
        elif op == "neg":
            name = e.let(f"fneg {e.real} {self.value(args[0])}")
        elif op == "recip":
            name = e.let(f"fdiv {e.real} {e.constant(1.0)}, {self.value(args[0])}")
        else:
            name = e.call(_INTRINSIC[op], *map(self.value, args))
        self.names[node] = name

    def _transcendentals(self) -> None:
        """Emit all sines, cosines and hyperbolic tangents, and first what their arguments need."""
        depth: dict[Expr, int] = {}  # how many of these functions lie one in another
        turns: dict[tuple[int, bool], dict[Expr, list[Expr]]] = {}
        for node in self.program.nodes:
            depth[node] = max((depth[a] for a in node.operands()), default=0)
            if node.op in ("sin", "cos", "tanh"):
                turn = turns.setdefault((depth[node], node.op == "tanh"), {})
                turn.setdefault(node.args[0], []).append(node)
                depth[node] += 1
        together = 8 if self.e.lanes == 1 else 1
        for (_, hyperbolic), uses in sorted(turns.items()):
            for node in live(uses):
                self._compute(node)
            arguments = list(uses)
            for at in range(0, len(arguments), together):
                group = arguments[at : at + together]
                values = self._together(group, _tanh if hyperbolic else emit_sincos)
                for argument, pair in zip(group, values, strict=True):
                    for node in uses[argument]:
                        self.names[node] = pair[node.op == "cos"]

    def _together(self, arguments: Sequence[Expr], function: Function) -> list[tuple[str, ...]]:
        """The values of a function at up to eight arguments, one vector where there is one lane."""
        e = self.e
        wide = e.wide(next(w for w in (1, 2, 4, 8) if w >= len(arguments)))
        if e.lanes > 1 or not e.fma or wide.lanes == 1:
            return [function(e, self.names[a]) for a in arguments]
        names = []
        for value in function(wide, self._gathered(wide, arguments)):
            # By way of the stack: later code takes single numbers as operands in memory.
            buffer = wide.block(1)
            wide.store(value, buffer)
            names.append([e.load(buffer, k) for k in range(len(arguments))])
        return list(zip(*names, strict=True))

    def _gathered(self, wide: Emitter, angles: Sequence[Expr]) -> str:
        first = angles[0]
        if first.op == "input" and all(
            a.op == "input" and a.args == (first.args[0], first.args[1] + k)
            for k, a in enumerate(angles)
        ):
            return wide.load_some(self.inputs[first.args[0]], first.args[1], len(angles))
        value = "zeroinitializer"
        for k, a in enumerate(angles):
            value = wide.let(f"insertelement {wide.real} {value}, double {self.names[a]}, i32 {k}")
        return value


def module(functions: Sequence[Emitter], declarations: set[str]) -> str:
    """The text of a module."""
    return "\n".join([*sorted(declarations), *(f.text() for f in functions), ""])
