"""Where CPython and NumPy keep what a builtin looks at, and the table that it brings along.

x86 or ARM with 64 bits, a CPython with a global lock; :func:`.builtin.available` checks every
number here on real objects before any is used.
"""

from __future__ import annotations

from collections.abc import Sequence

# PyArrayObject_fields, after the object's reference count and type.
DATA, NDIM, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
VECTORCALL_OFFSET = 56  # in a type object
DESCR_KIND = 24  # PyArray_Descr: kind, character, byte order, flags, number, in one word
REFERENCES, TYPE, SIZE = 0, 8, 16
TUPLE_ITEMS = tuple.__basicsize__
BYTES_DATA = bytes.__basicsize__ - 1
READABLE = 0x0001 | 0x0100  # C-contiguous, aligned
WRITABLE = READABLE | 0x0400
FIRST_SPARE, SPARES = 2, 2  # where spare arrays are in __self__, and how many
NEW_ARRAY = 94  # PyArray_NewFromDescr's place in NumPy's table of functions


def words(inputs: int, dimensions: Sequence[int]) -> list[str]:
    """Names of the 64-bit words of the table in the bytes object."""
    return [
        "kernel", "parameters", "sweep", "work", "limit",
        "array_type", "tuple_type", "float64", "float64_kind", "out", "new_array", "new_tuple",
        "call", "increase", "decrease",
        *(f"size{k}" for k in range(inputs)),
        *(f"stride{k}" for k in range(len(dimensions))),
        *(f"shape{k}.{i}" for k, n in enumerate(dimensions) for i in range(max(n, 1))),
    ]  # fmt: skip
