"""A program as a function of addresses: the code of single calls.

    i32 kernel(double **inputs, double **outputs, double *parameters)

reads one state and writes its results. It returns 1, or 0 with nothing written if an input is not
finite, an angle is huge or a quaternion is not of norm 1; the caller then finds out which, slowly.
"""

from __future__ import annotations

from ..symbolic.trace import PARAMETERS, Program
from .emit_llvm import Body
from .emitter import Emitter, module
from .engine import pointer


def addresses(e: Emitter, table: str, count: int) -> list[str]:
    """The first entries of a table of addresses."""
    p, pp = pointer("double"), pointer(pointer("double"))
    return [e.let(f"load {p}, {pp} {e.element(table, k, p)}, align 8") for k in range(count)]


def kernel_ir(program: Program) -> str:
    """IR of the kernel of a program."""
    e = Emitter()
    p, pp = pointer("double"), pointer(pointer("double"))
    e.lines.append(f"define i32 @kernel({pp} %inputs, {pp} %outputs, {p} %{PARAMETERS}) {{")
    sources = addresses(e, "%inputs", len(program.inputs))
    inputs = {name: at for (name, _), at in zip(program.inputs, sources, strict=True)}
    inputs[PARAMETERS] = f"%{PARAMETERS}"
    body = Body(e, program, inputs)
    e.line(f"br i1 {body.check()}, label %fine, label %refused")
    e.label("fine")
    targets = addresses(e, "%outputs", len(program.outputs))
    body.emit(
        [
            (at, k)
            for at, size in zip(targets, program.output_sizes, strict=True)
            for k in range(size)
        ]
    )
    e.line("ret i32 1")
    e.label("refused")
    e.line("ret i32 0")
    e.lines.append("}")
    return module([e], e.declarations)
