"""Python builtins made at run time that call a kernel on NumPy arrays.

A call through ctypes costs more than the dynamics of an arm. CPython's own way to call C costs a
few nanoseconds: a builtin function object, made by ``PyCFunction_NewEx`` around one compiled
function (:func:`call_ir`), which serves every kernel of the same signature. It looks at the
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
from functools import cache, partial
from typing import Any

import numpy as np

from .emit_llvm import Emitter, module
from .engine import pointer

# PyArrayObject_fields, after the object's reference count and type.
_DATA, _NDIM, _SHAPE, _DESCR, _FLAGS = 16, 24, 32, 56, 64
_VECTORCALL_OFFSET = 56  # in a type object
_DESCR_KIND = 24  # PyArray_Descr: kind, character, byte order, flags, number, in one word
_REFERENCES, _TYPE, _SIZE = 0, 8, 16
_TUPLE_ITEMS = tuple.__basicsize__
_BYTES_DATA = bytes.__basicsize__ - 1
_READABLE = 0x0001 | 0x0100  # C-contiguous, aligned
_WRITABLE = _READABLE | 0x0400
_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_FIRST_SPARE, _SPARES = 2, 2  # where spare arrays are in __self__, and how many
_NEW_ARRAY = 94  # PyArray_NewFromDescr's place in NumPy's table of functions

P, PP = pointer("i8"), pointer(pointer("i8"))


def _words(inputs: int, dimensions: Sequence[int]) -> list[str]:
    """Names of the 64-bit words of the table in the bytes object."""
    return [
        "kernel", "parameters", "array_type", "float64", "float64_kind", "out", "new_array",
        "call", "increase", "decrease", "new_tuple",
        *(f"size{k}" for k in range(inputs)),
        *(f"shape{k}.{i}" for k, n in enumerate(dimensions) for i in range(max(n, 1))),
    ]  # fmt: skip


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


def builtin(
    entry: int,
    name: str,
    doc: str,
    kernel: int,
    parameters: np.ndarray,
    input_sizes: Sequence[int],
    output_shapes: Sequence[tuple[int, ...]],
    slow: Callable[..., Any],
    owners: Sequence[Any],
) -> Callable[..., Any]:
    """Make a builtin.

    Args:
        entry: Address of the code of :func:`call_ir`.
        name: The builtin's name.
        doc: Its docstring, after a signature that :mod:`inspect` understands.
        kernel: Address of a kernel.
        parameters: Values of the kernel's parameters, contiguous float64.
        input_sizes: Sizes of the positional arguments.
        output_shapes: Shapes of the results; one of them can be given by the keyword ``out``.
        slow: Called with the same arguments where they are not as the kernel needs them.
        owners: Kept alive as long as the builtin.
    """
    words = dict(_python_addresses(), kernel=kernel, parameters=parameters.ctypes.data)
    words["call"] = _vectorcall(slow)
    words |= {f"size{k}": n for k, n in enumerate(input_sizes)}
    for k, shape in enumerate(output_shapes):
        words |= {f"shape{k}.{i}": n for i, n in enumerate(shape or (1,))}
    names = _words(len(input_sizes), [len(s) for s in output_shapes])
    table = struct.pack(f"={len(names)}Q", *(words[n] for n in names))
    key = (name, doc, entry)
    definition = _method_definitions.get(key)
    if definition is None:  # kept for ever: the builtin points to it
        definition = _MethodDef(name.encode(), entry, _METH_FASTCALL_KEYWORDS, doc.encode())
        _method_definitions[key] = definition
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    spares = [np.empty(output_shapes[0]) for _ in range(_SPARES)] if len(output_shapes) == 1 else []
    me = Robot((table, slow, *spares, parameters, *owners))
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
        "float64": id(float64),
        "float64_kind": _word(id(float64) + _DESCR_KIND),
        "out": id(sys.intern("out")),
        "new_array": _numpy_functions()[_NEW_ARRAY] or 0,
        "increase": address(api.Py_IncRef),
        "decrease": address(api.Py_DecRef),
        "new_tuple": address(api.PyTuple_New),
    }


def _vectorcall(function: Callable[..., Any]) -> int:
    """Address of what calls a function: PyObject_Vectorcall, or before Python 3.11 its own code."""
    with contextlib.suppress(AttributeError):
        return ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value or 0
    offset = _word(id(type(function)) + _VECTORCALL_OFFSET)
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
                _word(at + _TYPE), _word(at + _DATA), _word(at + _NDIM, ctypes.c_int),
                _word(at + _DESCR), _word(at + _FLAGS, ctypes.c_int) & 0xFFFF,
            )  # fmt: skip
            if found != (id(np.ndarray), a.ctypes.data, a.ndim, id(a.dtype), a.flags.num & 0xFFFF):
                return False
            dims = _word(at + _SHAPE)
            if tuple(_word(dims + 8 * k) for k in range(a.ndim)) != shape:
                return False
    return _float64_is_told_apart() and _allocation_works()


def _float64_is_told_apart() -> bool:
    kind = _word(id(np.dtype(np.float64)) + _DESCR_KIND)
    copied = pickle.loads(pickle.dumps(np.zeros(1))).dtype  # equal, but another object
    others = [np.dtype(t) for t in (">f8", "f4", "i8", "u8", "c16", "O", "M8[s]", "V8", "S8", "?")]
    return _word(id(copied) + _DESCR_KIND) == kind and all(
        _word(id(d) + _DESCR_KIND) != kind for d in others
    )


def _allocation_works() -> bool:
    new = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
    )(_numpy_functions()[_NEW_ARRAY])  # fmt: skip
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
    held = _word(id(spare) + _REFERENCES, ctypes.c_uint32)
    del spare
    alone = _word(_word(id(holder) + _TUPLE_ITEMS) + _REFERENCES, ctypes.c_uint32)
    return (
        (held, alone) == (2, 1)
        and [_word(id(pair) + _TUPLE_ITEMS + 8 * k) for k in range(2)] == [id(first), id(second)]
        and ctypes.string_at(id(text) + _BYTES_DATA, 16) == text
        and _word(id(names) + _SIZE) == 1
        and _word(id(names) + _TUPLE_ITEMS) == id(sys.intern("out"))
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


def call_ir(inputs: int, dimensions: Sequence[int]) -> str:
    """IR of the function behind the builtins with so many inputs and such outputs.

    Args:
        inputs: Number of positional arguments, arrays of one dimension.
        dimensions: Number of dimensions of each output.
    """
    return _CallEmitter(inputs, dimensions).ir()


class _CallEmitter(Emitter):
    """Emits ``PyObject *call(self, PyObject **arguments, Py_ssize_t count, names)``."""

    def __init__(self, inputs: int, dimensions: Sequence[int]) -> None:
        super().__init__()
        self.inputs, self.dimensions = inputs, dimensions
        self.way_out = "slow"

    def ir(self) -> str:
        """The whole module."""
        self.lines.append(f"define {P} @call({P} %me, {PP} %arguments, i64 %count, {P} %names) {{")
        for table in ("sources", "targets"):
            self.line(f"%{table} = alloca {P}, i64 {max(self.inputs, len(self.dimensions))}")
        packed = self.field("%me", _TUPLE_ITEMS, P)
        self.line(f"%table = {self._address(packed, _BYTES_DATA)}")
        self.require("i64", "%count", self.inputs)
        for k in range(self.inputs):
            item = self.item("%arguments", k)
            self.check_array(item, _READABLE, [self.word(f"size{k}")])
            self.put(self.field(item, _DATA, P), "%sources", k)
        self.line(f"%positional = icmp eq {P} %names, null")
        self.line("br i1 %positional, label %fresh, label %named")
        self._write_to_argument()
        self.label("fresh")
        if len(self.dimensions) == 1:
            self._write_to_spare_array()
        self._write_to_new_arrays()
        self.label("slow")
        slow = ((P, self.field("%me", _TUPLE_ITEMS + 8, P)), (PP, "%arguments"), ("i64", "%count"))
        self.line(f"ret {P} {self.function('call', P, *slow, (P, '%names'))}")
        self.lines.append("}")
        return module([self], self.declarations)

    def _write_to_argument(self) -> None:
        """The call that has the keyword ``out`` and no other."""
        self.label("named")
        self.require("i64", self.field("%names", _SIZE), 1)
        self.require("i64", self.field("%names", _TUPLE_ITEMS), self.word("out"))
        if len(self.dimensions) > 1:
            self.line("br label %slow")
            return
        out = self.item("%arguments", self.inputs)
        shape = [self.word(f"shape0.{k}") for k in range(self.dimensions[0])]
        self.check_array(out, _WRITABLE, shape)
        self.put(self.field(out, _DATA, P), "%targets", 0)
        self._check_apart(out, shape)
        self.require("i32", self.kernel(), 1)
        self.function("increase", "void", (P, out))
        self.line(f"ret {P} {out}")

    def _check_apart(self, out: str, shape: Sequence[str]) -> None:
        """Go on only if the output shares no memory with an input."""
        begin = self.field(out, _DATA)
        end = self._after(begin, shape)
        for k in range(self.inputs):
            item = self.item("%arguments", k)
            other = self.field(item, _DATA)
            other_end = self._after(other, [self.word(f"size{k}")])
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
        shape = [self.word(f"shape0.{k}") for k in range(self.dimensions[0])]
        for k in range(_SPARES):
            spare = self.field("%me", _TUPLE_ITEMS + 8 * (_FIRST_SPARE + k), P)
            self.way_out = taken = self.new_label()
            self.require("i32", self.field(spare, _REFERENCES, "i32"), 1)
            self.check_array(spare, _WRITABLE, shape)
            self.way_out = "slow"
            self.put(self.field(spare, _DATA, P), "%targets", 0)
            self.require("i32", self.kernel(), 1)
            self.function("increase", "void", (P, spare))
            self.line(f"ret {P} {spare}")
            self.label(taken)

    def _write_to_new_arrays(self) -> None:
        """The call without keywords."""
        made: list[str] = []
        float64 = self.pointer_word("float64")
        for k in range(len(self.dimensions)):
            self.function("increase", "void", (P, float64))  # the new array takes it over
            shape = self.let(self._address("%table", 8 * self.place(f"shape{k}.0")))
            kind = (P, self.pointer_word("array_type"))
            layout = (("i32", str(self.dimensions[k])), (P, shape), (P, "null"), (P, "null"))
            new = self.function(
                "new_array", P, kind, (P, float64), *layout, ("i32", "0"), (P, "null")
            )
            self.give_up(made, self.let(f"icmp ne {P} {new}, null"))
            made.append(new)
            self.put(self.field(new, _DATA, P), "%targets", k)
        done = self.let(f"icmp eq i32 {self.kernel()}, 1")
        self.line(f"br i1 {done}, label %done, label %refused")
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
        items = self.let(self._address(result, _TUPLE_ITEMS))
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
        self.require("i64", self.field(item, _TYPE), self.word("array_type"))
        kind = self.field(self.field(item, _DESCR, P), _DESCR_KIND)
        self.require("i64", kind, self.word("float64_kind"))
        have = self.let(f"and i32 {self.field(item, _FLAGS, 'i32')}, {flags}")
        self.require("i32", have, flags)
        self.require("i32", self.field(item, _NDIM, "i32"), len(shape))
        for k, n in enumerate(shape):
            self.require("i64", self.field(self.field(item, _SHAPE, P), 8 * k), n)

    def require(self, kind: str, a: str, b: str | int) -> None:
        """Go on only if two integers are equal, else take the way out."""
        equal = self.let(f"icmp eq {kind} {a}, {b}")
        self.branch(equal, self.way_out, then := f"go{next(self._numbers)}")
        self.label(then)

    def kernel(self) -> str:
        """Call the kernel."""
        tables = ((PP, "%sources"), (PP, "%targets"), (P, self.pointer_word("parameters")))
        return self.function("kernel", "i32", *tables)

    def function(self, word: str, result: str, *arguments: tuple[str, str]) -> str:
        """Call the function whose address is a word of the table."""
        kinds = ", ".join(kind for kind, _ in arguments)
        given = ", ".join(f"{kind} {value}" for kind, value in arguments)
        f = self.let(f"inttoptr i64 {self.word(word)} to {pointer(f'{result} ({kinds})')}")
        call = f"call {result} {f}({given})"
        if result == "void":
            self.line(call)
            return ""
        return self.let(call)

    def place(self, word: str) -> int:
        """Where a word of the table is, counted in words."""
        return _words(self.inputs, self.dimensions).index(word)

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
