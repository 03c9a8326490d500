"""Python builtins made at run time that call a kernel on NumPy arrays.

A call through ctypes costs more than the dynamics of an arm. CPython's own way to call C costs a
few nanoseconds: a builtin function object, made by ``PyCFunction_NewEx`` around one compiled
function (:mod:`.entry`), which serves every kernel of the same signature. It looks at the
arguments where CPython and NumPy keep them, and only if every array is exactly what the kernel
needs (float64, right shape, contiguous, aligned, output writable and apart from the inputs) does it
call the kernel. For anything else it calls a Python function with the same arguments, which
converts them or explains what is wrong with them.

A call that asks for a new array gets, if it can be had, one that an earlier call returned and that
nobody has kept: the builtin holds two arrays, and one with no reference but the builtin's own is as
good as new. That saves most of the time that NumPy takes to make an array.

What the builtin needs it finds in its ``__self__``, a tuple: a table of addresses and sizes in a
bytes object, the Python function to fall back on, and owners of what the table points to. The code
holds no address, so that it can be kept on disk.

This is the one module that relies on how CPython and NumPy lay out memory: x86 or ARM with 64 bits,
a CPython with a global lock. :func:`available` checks each assumption on real objects first.
"""

from __future__ import annotations

import contextlib
import ctypes
import pickle
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np

from .layout import (
    BYTES_DATA,
    DATA,
    DESCR,
    DESCR_KIND,
    FLAGS,
    NDIM,
    NEW_ARRAY,
    REFERENCES,
    SHAPE,
    SIZE,
    SPARES,
    TUPLE_ITEMS,
    TYPE,
    VECTORCALL_OFFSET,
    words,
)

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Robot(tuple):
    """What a builtin calls ``__self__``; named so that the builtin shows as a method of Robot."""

    __slots__ = ()


_method_definitions: dict[tuple[str, str, int], _MethodDef] = {}


@dataclass(frozen=True)
class Target:
    """What a builtin calls, and with which arrays.

    Attributes:
        entry: Address of the code of :class:`.entry.CallEmitter`.
        kernel: Address of the kernel.
        parameters: Values of the kernel's parameters, contiguous float64.
        input_sizes: Sizes of the positional arguments.
        output_shapes: Shapes of the results; they can be given by the keyword ``out``, several in a
            tuple.
        owners: Kept alive as long as the builtin.
    """

    entry: int
    kernel: int
    parameters: np.ndarray
    input_sizes: Sequence[int]
    output_shapes: Sequence[tuple[int, ...]]
    owners: Sequence[Any]


@dataclass(frozen=True)
class Rows:
    """What a builtin for batches needs beside its :class:`Target`.

    Attributes:
        entry: Address of the code of :class:`.rows_entry.RowsCallEmitter`.
        sweep: Address of the address of the sweep; 0 there until it has been made.
        work: Operations of a row.
        limit: Address of the number of operations from which on the slow function is called.
    """

    entry: int
    sweep: int
    work: int
    limit: int


def builtin(
    target: Target, name: str, doc: str, slow: Callable[..., Any], rows: Rows | None = None
) -> Callable[..., Any]:
    """Make a builtin for single states, or for batches.

    Args:
        target: What it calls.
        name: The builtin's name.
        doc: Its docstring, after a signature that :mod:`inspect` understands.
        slow: Called with the same arguments where they are not as the kernel needs them.
        rows: What batches need; makes the builtin one for batches.
    """
    values = dict(_python_addresses(), kernel=target.kernel)
    values["parameters"] = target.parameters.ctypes.data
    values["call"] = _vectorcall(slow)
    for word in ("sweep", "work", "limit"):
        values[word] = getattr(rows, word, 0)
    values |= {f"size{k}": n for k, n in enumerate(target.input_sizes)}
    for k, shape in enumerate(target.output_shapes):
        values |= {f"shape{k}.{i}": n for i, n in enumerate(shape or (1,))}
        values[f"stride{k}"] = prod(shape)
    names = words(len(target.input_sizes), [len(s) for s in target.output_shapes])
    table = struct.pack(f"={len(names)}Q", *(values[n] for n in names))
    entry = rows.entry if rows else target.entry
    key = (name, doc, entry)
    definition = _method_definitions.get(key)
    if definition is None:  # kept for ever: the builtin points to it
        definition = _MethodDef(name.encode(), entry, _METH_FASTCALL_KEYWORDS, doc.encode())
        _method_definitions[key] = definition
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    spare = 0 if rows or len(target.output_shapes) > 1 else SPARES
    spares = [np.empty(target.output_shapes[0]) for _ in range(spare)]
    me = Robot((table, slow, *spares, target, rows))
    del spares
    made: Callable[..., Any] = make(ctypes.addressof(definition), me, "dynamics_core")
    return made


@cache
def _python_addresses() -> dict[str, int]:
    """What every table holds: types and functions of CPython and NumPy."""
    api, float64 = ctypes.pythonapi, np.dtype(np.float64)

    def address(function: Any) -> int:
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    return {
        "array_type": id(np.ndarray),
        "tuple_type": id(tuple),
        "float64": id(float64),
        "float64_kind": _word(id(float64) + DESCR_KIND),
        "out": id(sys.intern("out")),
        "new_array": _numpy_functions()[NEW_ARRAY] or 0,
        "increase": address(api.Py_IncRef),
        "decrease": address(api.Py_DecRef),
        "new_tuple": address(api.PyTuple_New),
    }


def _vectorcall(function: Callable[..., Any]) -> int:
    """Address of what calls a function: PyObject_Vectorcall, or before Python 3.11 its own code."""
    with contextlib.suppress(AttributeError):
        return ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value or 0
    offset = _word(id(type(function)) + VECTORCALL_OFFSET)
    return _word(id(function) + offset)


@cache
def _numpy_functions() -> Any:
    """NumPy's table of C functions."""
    core = sys.modules.get("numpy._core.multiarray") or sys.modules["numpy.core.multiarray"]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.cast(get(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))


@cache
def available() -> bool:
    """Whether this Python and this NumPy are laid out as the builtin expects."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED") or hasattr(sys, "getobjects"):
        return False
    try:
        return (
            _arrays_are_as_expected() and _objects_are_as_expected() and _functions_can_be_called()
        )
    except (AttributeError, KeyError, OSError, ValueError):
        return False


def _word(at: int, kind: Any = ctypes.c_uint64) -> int:
    return int(kind.from_address(at).value)


def _arrays_are_as_expected() -> bool:
    for shape in ((3,), (2, 3), (1, 2, 3)):
        for writable in (True, False):
            a = np.zeros(shape)
            a.flags.writeable = writable
            at = id(a)
            found = (
                _word(at + TYPE), _word(at + DATA), _word(at + NDIM, ctypes.c_int),
                _word(at + DESCR), _word(at + FLAGS, ctypes.c_int) & 0xFFFF,
            )  # fmt: skip
            if found != (id(np.ndarray), a.ctypes.data, a.ndim, id(a.dtype), a.flags.num & 0xFFFF):
                return False
            dims = _word(at + SHAPE)
            if tuple(_word(dims + 8 * k) for k in range(a.ndim)) != shape:
                return False
    return _float64_is_told_apart() and _allocation_works()


def _float64_is_told_apart() -> bool:
    kind = _word(id(np.dtype(np.float64)) + DESCR_KIND)
    copied = pickle.loads(pickle.dumps(np.zeros(1))).dtype  # equal, but another object
    others = [np.dtype(t) for t in (">f8", "f4", "i8", "u8", "c16", "O", "M8[s]", "V8", "S8", "?")]
    return _word(id(copied) + DESCR_KIND) == kind and all(
        _word(id(d) + DESCR_KIND) != kind for d in others
    )


def _allocation_works() -> bool:
    new = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
    )(_numpy_functions()[NEW_ARRAY])  # fmt: skip
    float64 = np.dtype(np.float64)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(float64))  # the call takes this reference over
    a = new(np.ndarray, float64, 2, (ctypes.c_int64 * 2)(2, 3), None, None, 0, None)
    return type(a) is np.ndarray and a.shape == (2, 3) and a.dtype is float64 and a.flags.owndata


def _objects_are_as_expected() -> bool:
    first, second, text = object(), object(), b"sixteen letters."
    pair = Robot((first, second))
    names = ("out",)
    spare = np.empty(1)
    holder = Robot((spare,))
    held = _word(id(spare) + REFERENCES, ctypes.c_uint32)
    del spare
    alone = _word(_word(id(holder) + TUPLE_ITEMS) + REFERENCES, ctypes.c_uint32)
    return (
        (held, alone) == (2, 1)
        and [_word(id(pair) + TUPLE_ITEMS + 8 * k) for k in range(2)] == [id(first), id(second)]
        and ctypes.string_at(id(text) + BYTES_DATA, 16) == text
        and _word(id(names) + SIZE) == 1
        and _word(id(names) + TUPLE_ITEMS) == id(sys.intern("out"))
    )


def _functions_can_be_called() -> bool:
    expected = object()
    call = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p
    )
    method = _Probe(expected).get
    for function in (method, partial(method)):  # what falls back to Python is one of these
        arguments = ctypes.py_object(method)
        answer = call(_vectorcall(function))(function, ctypes.addressof(arguments), 1, None)
        if answer != (expected, method):
            return False
    return True


class _Probe:
    def __init__(self, value: object) -> None:
        self.value = value

    def get(self, argument: object) -> tuple[object, object]:
        return self.value, argument
