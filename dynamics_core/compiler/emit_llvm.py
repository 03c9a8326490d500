"""A program as LLVM IR: straight-line code on one state, or on several states side by side.

The same graph is written on ``double`` or on ``<8 x double>``. Element k of an array argument lies
at ``k * lanes``, so that with eight lanes an array is a block of eight states, transposed.

Sines and cosines come first: one state needs them for all its joints, and four angles cost little
more than one. An angle that depends on another sine (as the second stage of an integrator does)
waits for the next turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from ..symbolic.contraction import contracted
from ..symbolic.expression import Expr, Term, live
from ..symbolic.trace import Program
from .emitter import Emitter
from .engine import pointer
from .sincos import LARGEST_ANGLE, emit_sincos
from .tanh import emit_tanh

_BINARY = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "min": "minnum", "max": "maxnum"}
_QUATERNION_TOLERANCE = 1e-6
#: An array with so many zeros is zeroed as a whole before anything is stored.
_MANY_ZEROS = 64
#: The code of a program of more nodes than this is larger than a CPU's first cache, and its size is
#: what counts. LLVM's scheduler would move values far from their use, where they have to be kept in
#: memory in between: it sees stretches of so many nodes instead, in their order.
_LONG_PROGRAM = 8000
_STRETCH = 256
_LARGEST = 1.7976931348623157e308
#: Numbers side by side where one state is computed. With 512 bits they would be eight, but as long
#: as such instructions are in flight, Intel's CPUs keep one of two multipliers from all others.
_ABREAST = 4


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
        self.e, self.inputs = e, inputs
        self.long = len(program.nodes) > _LONG_PROGRAM
        self.program = program = contracted(program) if e.fma and not self.long else program
        self.names: dict[Expr, str] = {}
        used = [a for n in program.nodes if n.op != "input" for a in n.args] + [*program.results]
        values = sorted({a for a in used if not isinstance(a, Expr) and a not in (0.0, 1.0)})
        self.constants = {value: k for k, value in enumerate(values)}

    def check(self) -> str:
        """Emit the test of the inputs: finite, angles of sane size, quaternions of norm 1.

        Less than an operation for each number. If the squares of angles add up to less than the
        square of a bound, none is beyond it; if the products of two arrays' numbers add up to
        something finite, all of them are. What fails without being wrong (many angles of millions
        of turns) is computed all the same, without compiled code.

        Returns:
            Name of an ``i1`` (or one for each lane) that is true if all is well.
        """
        e = self.e
        wide = e if e.lanes > 1 else e.wide(_ABREAST)
        fine = ""
        for first, second, size in self._tested_together():
            bound = LARGEST_ANGLE**2 if first in self.program.angle_inputs else _LARGEST
            total = self._sum_of_products(wide, first, second, size)
            if first != second:
                total = wide.call("fabs", total)
            # Nothing compares with NaN: this sense makes it fail the test.
            good = wide.let(f"fcmp ole {wide.real} {total}, {wide.constant(bound)}")
            fine = wide.let(f"and {wide.boolean} {fine}, {good}") if fine else good
        if wide is not e:
            bits = e.let(f"bitcast {wide.boolean} {fine} to i{_ABREAST}")
            fine = e.let(f"icmp eq i{_ABREAST} {bits}, -1")
        for name, first_of_four in self.program.quaternions:
            norm = self._square_norm(name, first_of_four)
            miss = e.call("fabs", e.let(f"fsub {e.real} {norm}, {e.constant(1.0)}"))
            near = e.let(f"fcmp ole {e.real} {miss}, {e.constant(2 * _QUATERNION_TOLERANCE)}")
            fine = e.let(f"and {e.boolean} {fine}, {near}")
        return fine

    def _tested_together(self) -> list[tuple[str, str, int]]:
        """Inputs with themselves, or two of one size that are no angles with each other."""
        pairs: list[tuple[str, str, int]] = []
        alone: dict[int, str] = {}
        for name, size in self.program.inputs:
            if name in self.program.angle_inputs:
                pairs.append((name, name, size))
            elif size in alone:
                pairs.append((alone.pop(size), name, size))
            else:
                alone[size] = name
        return [*pairs, *((name, name, size) for size, name in alone.items())]

    def _sum_of_products(self, wide: Emitter, first: str, second: str, size: int) -> str:
        """The products of two inputs' elements, added up in each lane."""
        total = ""
        at_once = 1 if wide is self.e else wide.lanes
        for k in range(0, size, at_once):
            x, y = (
                wide.load_some(self.inputs[name], k, min(at_once, size - k))
                if wide is not self.e
                else wide.load(self.inputs[name], k)
                for name in (first, second)
            )
            product = wide.let(f"fmul contract {wide.real} {x}, {y}")
            total = wide.let(f"fadd contract {wide.real} {total}, {product}") if total else product
        return total

    def _square_norm(self, name: str, first: int) -> str:
        e = self.e
        total = e.constant(0.0)
        for k in range(first, first + 4):
            x = e.load(self.inputs[name], k)
            square = e.let(f"fmul {e.real} {x}, {x}")
            total = e.let(f"fadd {e.real} {total}, {square}")
        return total

    def emit(
        self,
        outputs: Sequence[tuple[str, int]],
        late: Collection[str] = (),
        loaded: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    ) -> None:
        """Emit the formulas; result k goes to element ``outputs[k][1]`` of ``outputs[k][0]``.

        A result is stored as soon as it is known, which saves keeping it; those for the arrays in
        ``late`` only when everything has been read. When all that is wanted of an input has been
        read, what ``loaded`` has for it is called.
        """
        self._loaded = loaded
        self._unread = Counter(n.args[0] for n in self.program.nodes if n.op == "input")
        for name in loaded.keys() - self._unread.keys():
            loaded[name]()
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
        for number, node in enumerate(self.program.nodes):
            if self.long and number % _STRETCH == 0:
                self.e.barrier()
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
            name = self._load(*args)
        elif op in _BINARY:
            a, b = map(self.value, args)
            name = e.let(f"{_BINARY[op]} {e.real} {a}, {b}")
        elif op == "fma":
            name = e.fused(*map(self.value, args))
        elif op == "neg":
            name = e.let(f"fneg {e.real} {self.value(args[0])}")
        elif op == "recip":
            name = e.let(f"fdiv {e.real} {e.constant(1.0)}, {self.value(args[0])}")
        else:
            name = e.call(_INTRINSIC[op], *map(self.value, args))
        self.names[node] = name

    def _load(self, array: str, k: int) -> str:
        name = self.e.load(self.inputs[array], k)
        self._unread[array] -= 1
        if not self._unread[array] and array in self._loaded:
            self._loaded[array]()
        return name

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
        together = _ABREAST if self.e.lanes == 1 else 1
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
        """The values of a function at a few arguments, one vector where there is one lane."""
        e = self.e
        wide = e.wide(next(w for w in (1, 2, 4) if w >= len(arguments)))
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
