"""Messages as the bytes that go over the wire, for loops that cannot wait for objects.

From one message of a publisher to the next, only the stamp and the numbers change. Yet rclpy makes
every message anew, object by object, which takes longer than the control law. Publishers and
subscriptions also take messages as bytes, serialised by ROS itself, in which the numbers have their
fixed places: here they are written and read there.

Serialisation is CDR (OMG, *DDS-XTypes* 1.3, section 7.4): four bytes that tell its kind, then every
field aligned to its size, sequences with their length in front.
"""

from __future__ import annotations

import itertools
import re
import struct
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

__all__ = ["MessageReader", "MessageWriter", "array_reader", "joint_state_reader", "marks"]

Array = npt.NDArray[np.float64]

#: Bytes that tell the kind of serialisation; alignment counts from behind them.
_KIND = 4
_STAMP = struct.Struct("=iI")
_COUNT = struct.Struct("=I")

#: How many layouts a reader remembers: publishers on one topic are few.
_LAYOUTS = 8

_numbers = itertools.count(1)


def marks(count: int) -> array[float]:
    """Numbers that no other call gives, to find the place of a field by."""
    return array("d", [next(_numbers) + 0.123456789 for _ in range(count)])


class MessageWriter:
    """A message serialised once, whose stamp and numbers are written in place.

    Args:
        message: The message, with :func:`marks` where numbers are going to change. Its header, if
            it has one, comes first.
    """

    def __init__(self, message: Any) -> None:
        self._buffer = bytearray(serialize_message(message))

    def numbers(self, marked: array[float]) -> Array:
        """The place of numbers, (n,), now zero: what is written there is in the message.

        Args:
            marked: The marks that the message was made with.
        """
        start = self._buffer.index(marked.tobytes())
        place = np.frombuffer(self._buffer, count=len(marked), offset=start)
        place[:] = 0.0
        return place

    def stamp(self, seconds: int, nanoseconds: int) -> None:
        """Set the stamp of the header."""
        _STAMP.pack_into(self._buffer, _KIND, seconds, nanoseconds)

    def data(self) -> bytes:
        """The message as it is now, for :meth:`rclpy.publisher.Publisher.publish`."""
        return bytes(self._buffer)


class MessageReader:
    """Takes messages apart that end in arrays of doubles; what comes before rarely changes.

    Args:
        kind: Message type. If it has a header, that comes first.
        fields: Its last fields, all of them arrays of doubles.
        before: What stands between the stamp and these fields, in order: strings, and numbers of
            32 bits such as the length of a sequence.
    """

    def __init__(
        self,
        kind: Any,
        fields: Sequence[str],
        before: Callable[[Any], Iterable[str | int]],
    ) -> None:
        self._kind, self._fields, self._before = kind, tuple(fields), before
        self._stamped = hasattr(kind(), "header")
        self._start = _KIND + (_STAMP.size if self._stamped else 0)
        self._known: list[tuple[re.Pattern[bytes], Any]] = []
        self._native = serialize_message(kind())[1]

    def read(self, data: bytes) -> tuple[Any, tuple[int, int], list[Array]]:
        """Take a message apart.

        Args:
            data: The message as a raw subscription gives it.

        Returns:
            The message without these fields, the same object for every message that differs in
            nothing else; its stamp, s and ns, zero without a header; the arrays, read-only.
        """
        if data[1] != self._native:  # from a machine with the other order of bytes
            data = serialize_message(deserialize_message(data, self._kind))
        at, message = self._head(data) or self._learn(data)
        arrays = []
        for _ in self._fields:
            (count,) = _COUNT.unpack_from(data, at)
            at += _COUNT.size
            if count:
                at += (_KIND - at) % 8
            arrays.append(np.frombuffer(data, count=count, offset=at) if count else _NONE)
            at += 8 * count
        stamp = _STAMP.unpack_from(data, _KIND) if self._stamped else (0, 0)
        return message, stamp, arrays

    def _head(self, data: bytes) -> tuple[int, Any] | None:
        """Where the arrays begin, and the message that stands before them, if it is known."""
        for pattern, message in self._known:
            if head := pattern.match(data, self._start):
                return head.end(), message
        return None

    def _learn(self, data: bytes) -> tuple[int, Any]:
        """The same for a message of a new kind, whose like will be known by a pattern.

        Not by its bytes, because serialisation leaves in the gaps whatever was there before.
        """
        message = deserialize_message(data, self._kind)
        for field in self._fields:
            setattr(message, field, array("d"))
        parts: list[bytes] = []
        for value in self._before(message):
            text = b"" if isinstance(value, int) else value.encode() + b"\0"
            number = _COUNT.pack(value if isinstance(value, int) else len(text))
            parts += [re.escape(number), re.escape(text), b"." * (-len(text) % _COUNT.size)]
        del self._known[_LAYOUTS - 1 :]
        self._known.insert(0, (re.compile(b"".join(parts), re.DOTALL), message))
        head = self._head(data)
        if head is None:
            raise ValueError(f"{self._kind.__name__} is not serialised as expected")
        return head


def joint_state_reader() -> MessageReader:
    """Reads JointState: position, velocity and effort."""
    return MessageReader(
        JointState,
        ("position", "velocity", "effort"),
        lambda m: (m.header.frame_id, len(m.name), *m.name),
    )


def array_reader() -> MessageReader:
    """Reads Float64MultiArray: data."""

    def layout(message: Float64MultiArray) -> Iterable[str | int]:
        dim = message.layout.dim
        return (len(dim), *(x for d in dim for x in (d.label, d.size, d.stride)),
                message.layout.data_offset)  # fmt: skip

    return MessageReader(Float64MultiArray, ("data",), layout)


_NONE: Array = np.zeros(0)
