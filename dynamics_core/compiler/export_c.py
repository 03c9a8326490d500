"""Programs as C99: a header and a source that need nothing but ``math.h`` and allocate nothing.

Names of joints and links come from files that anybody may have written. They reach the C text as
identifiers made of letters, digits and underscores, as octal escapes in strings, and in comments
with everything replaced that could end or continue a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from ..functions import FUNCTIONS, Parametrisation
from ..model import Model
from ..symbolic.expression import Expr, Term
from ..symbolic.trace import Program, trace

_BINARY = {"add": "+", "sub": "-", "mul": "*"}
_CALLS = {"sqrt": "sqrt", "abs": "fabs", "min": "fmin", "max": "fmax"} | {
    name: name for name in ("sin", "cos", "tanh")
}


def export_c(
    model: Model, functions: Sequence[tuple[str, Mapping[str, Any]]], name: str
) -> tuple[str, str]:
    """Write functions of a robot as C.

    Args:
        model: The robot.
        functions: Names of algorithms with their static options.
        name: Base name of the two files, and prefix of every name in them.

    Returns:
        Text of ``<name>.h`` and ``<name>.c``.

    Raises:
        ArgumentError: An unknown function.
    """
    prefix = identifier(name)
    declarations, definitions = [], []
    used: set[str] = set()
    for function, options in functions:
        if function not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise ArgumentError(f"export_c: no function {function!r}; known are {known}")
        program = trace(model, Parametrisation(), FUNCTIONS[function], options)
        c_name = _unused("_".join([prefix, function, *map(_part, options.values())]), used)
        signature = _signature(program, c_name)
        declarations.append(f"{_comment(program, options)}\n{signature};")
        definitions.append(_definition(program, signature))
    return (
        _HEADER.format(
            guard=f"{prefix.upper()}_H",
            upper=prefix.upper(),
            prefix=prefix,
            robot=comment_text(model.name),
            nq=model.nq,
            nv=model.nv,
            joints=_joint_list(model),
            declarations="\n\n".join(declarations),
            count=max(1, len(model.joint_names)),
        ),
        _SOURCE.format(
            header=f"{file_name(name)}.h",
            prefix=prefix,
            upper=prefix.upper(),
            strings=", ".join(map(string_literal, model.joint_names)) or '""',
            definitions="\n\n".join(definitions),
            count=max(1, len(model.joint_names)),
        ),
    )


def identifier(text: str) -> str:
    """A C identifier that resembles a text; a prefix of names, so keywords do not matter."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return name if name[:1].isalpha() else f"robot_{name.lstrip('_')}"


def file_name(text: str) -> str:
    """A text as it can stand in a file name and an #include."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text) or "robot"


def string_literal(text: str) -> str:
    """A C string that holds the UTF-8 bytes of a text."""
    plain = re.compile(rb"[A-Za-z0-9_ .:/@+-]")
    escaped = (
        chr(b) if plain.match(bytes([b])) else f"\\{b:03o}" for b in text.encode("utf-8", "replace")
    )
    return '"' + "".join(escaped) + '"'


def comment_text(text: str) -> str:
    """A text as it can stand in a C comment."""
    return re.sub(r"[^A-Za-z0-9_ .,:;@()\[\]<>=/'^+-]", ".", text)


def _part(option: Any) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", str(option))


def _unused(name: str, used: set[str]) -> str:
    candidate, k = name, 2
    while candidate in used:
        candidate, k = f"{name}_{k}", k + 1
    used.add(candidate)
    return candidate


def _joint_list(model: Model) -> str:
    return "\n".join(
        f" *   {j.v_index:3d}  {comment_text(j.name)} ({j.type.value})" for j in model.joints
    )


def _comment(program: Program, options: Mapping[str, Any]) -> str:
    doc = (FUNCTIONS[program.name].algorithm.__doc__ or "").strip().split("\n\n")[0]
    lines = [comment_text(line.strip().replace("`", "")) for line in doc.splitlines()]
    lines += [f"{comment_text(k)}: {comment_text(str(v))}" for k, v in options.items()]
    lines += [f"in  {name}[{size}]" for name, size in program.inputs]
    sizes = (f"{_brackets(shape)}" for _, shape in program.outputs)
    lines += [
        f"out {name}{size}{', row-major' if len(shape) > 1 else ''}"
        for (name, shape), size in zip(program.outputs, sizes, strict=True)
    ]
    return "\n".join(["/*", *(f" * {line}" for line in lines), " */"])


def _brackets(shape: Sequence[int]) -> str:
    return "".join(f"[{n}]" for n in shape or (1,))


def _signature(program: Program, name: str) -> str:
    arguments = [f"const double {n}[{size}]" for n, size in program.inputs]
    arguments += [
        f"double {_output(program, k)}[{max(1, size)}]"
        for k, size in enumerate(program.output_sizes)
    ]
    return f"void {name}({', '.join(arguments)})"


def _output(program: Program, k: int) -> str:
    name = program.outputs[k][0]
    return f"{name}_out" if name in dict(program.inputs) else name


def _definition(program: Program, signature: str) -> str:
    lines = [f"{signature}\n{{"]
    read = {n.args[0] for n in program.nodes if n.op == "input"}
    lines += [f"    (void){name};" for name, _ in program.inputs if name not in read]
    for node in program.nodes:
        if node.op != "input" or node in program.results:
            lines.append(f"    const double t{node.number} = {_formula(node)};")
    results = (f"t{r.number}" if isinstance(r, Expr) else _value(r) for r in program.results)
    for k, size in enumerate(program.output_sizes):
        name = _output(program, k)
        lines += [f"    {name}[{i}] = {next(results)};" for i in range(size)]
    return "\n".join([*lines, "}"])


def _formula(node: Expr) -> str:
    if node.op == "input":
        return _value(node)
    values = [_value(a) for a in node.args]
    if node.op in _BINARY:
        return f"{values[0]} {_BINARY[node.op]} {values[1]}"
    if node.op == "neg":
        return f"-{values[0]}"
    if node.op == "recip":
        return f"1.0 / {values[0]}"
    return f"{_CALLS[node.op]}({', '.join(values)})"


def _value(term: Term) -> str:
    if not isinstance(term, Expr):
        return repr(float(term)) if term >= 0.0 else f"({float(term)!r})"
    return f"{term.args[0]}[{term.args[1]}]" if term.op == "input" else f"t{term.number}"


_HEADER = """\
/*
 * Rigid-body dynamics of {robot}.
 *
 * Generated C99. Nothing is allocated, nothing is kept between calls, and every call takes the same
 * time: the functions may be called from any thread at any rate. Outputs are written after all
 * inputs have been read, so that an output may be an input's array. Arguments are not checked; all
 * numbers must be finite and quaternions (x, y, z, w) of norm 1.
 *
 * SI units: rad and m, rad/s and m/s, N m and N. Order of the joints, with the first index of each
 * in v:
 *
{joints}
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

#define {upper}_NQ {nq}
#define {upper}_NV {nv}

/* Names of the joints, in their order. */
extern const char *const {prefix}_joint_names[{count}];

{declarations}

#ifdef __cplusplus
}}
#endif

#endif
"""

_SOURCE = """\
#include "{header}"

#include <math.h>

const char *const {prefix}_joint_names[{count}] = {{{strings}}};

{definitions}
"""
