"""A recording of topics as an MCAP file, as rosbag2 and Foxglove read it.

The file holds serialised ROS 2 messages (profile ``ros2``, encoding ``cdr``) with their definitions
(encoding ``ros2msg``), so that no message package is needed to read it.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from rclpy.serialization import serialize_message

__all__ = ["Recorder", "message_definition"]

_PLAIN = {"boolean": "bool", "octet": "byte", "float": "float32", "double": "float64"}
_SEPARATOR = "=" * 80


class Recorder:
    """Writes messages to a file.

    Args:
        path: The file; it must not exist yet.

    Raises:
        ValueError: The package ``mcap`` is missing.
        OSError: The file exists, or cannot be written.
    """

    def __init__(self, path: str) -> None:
        try:
            from mcap.writer import CompressionType, Writer
        except ImportError:
            raise ValueError(
                "parameter record needs the Python package mcap: pip install mcap"
            ) from None
        self.path = Path(path).expanduser()
        self._file = self.path.open("xb")
        self._writer = Writer(self._file, compression=CompressionType.NONE)
        self._writer.start(profile="ros2", library="urdf_dynamics")
        self._channels: dict[tuple[str, type], int] = {}
        self._counts: dict[int, int] = {}
        #: Why the recording has ended early; empty if it has not.
        self.error = ""

    def write(self, topic: str, kind: Any, message: Any, time: int) -> None:
        """Add a message, or what it is serialised, of a topic at a time, ns."""
        if self.error:
            return
        try:
            self._add(topic, kind, message, time)
        except OSError as error:
            # A full disk must not stop the robot.
            self.error = f"recording to {self.path} ended: {error}"

    def _add(self, topic: str, kind: Any, message: Any, time: int) -> None:
        key = (topic, kind)
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = self._open_channel(topic, kind)
        count = self._counts[channel] = self._counts.get(channel, 0) + 1
        self._writer.add_message(
            channel_id=channel,
            log_time=time,
            publish_time=time,
            sequence=count,
            data=message if isinstance(message, bytes) else serialize_message(message),
        )

    def close(self) -> None:
        """Write the index and close the file."""
        try:
            if not self.error:
                self._writer.finish()
            self._file.close()
        except OSError as error:
            self.error = f"recording to {self.path} ended: {error}"

    def _open_channel(self, topic: str, kind: type) -> int:
        schema = self._writer.register_schema(
            name=_full_name(kind), encoding="ros2msg", data=message_definition(kind).encode()
        )
        return int(
            self._writer.register_channel(
                topic=topic,
                message_encoding="cdr",
                schema_id=schema,
                metadata={"offered_qos_profiles": ""},
            )
        )


def message_definition(kind: Any) -> str:
    """The definition of a message type with those of all types in it, as ros2msg."""
    text, waiting, seen = "", [kind], set()
    while waiting:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        if text:
            text += f"{_SEPARATOR}\nMSG: {_full_name(one).replace('/msg/', '/')}\n"
        for name, field in one.get_fields_and_field_types().items():
            written, inner = _field_type(field)
            text += f"{written} {name}\n"
            if inner is not None:
                waiting.append(inner)
    return text


def _field_type(field: str) -> tuple[str, Any]:
    """A field's type in ros2msg, and its class if it is a message."""
    sequence = re.fullmatch(r"sequence<(.+?)(?:, *(\d+))?>", field)
    array = re.fullmatch(r"(.+)\[(\d+)\]", field)
    item, suffix = field, ""
    if sequence:
        item, suffix = sequence[1], f"[<={sequence[2]}]" if sequence[2] else "[]"
    elif array:
        item, suffix = array[1], f"[{array[2]}]"
    item = re.sub(r"string<(\d+)>", r"string<=\1", item)
    if "/" not in item:
        return _PLAIN.get(item, item) + suffix, None
    package, name = item.split("/")[0], item.split("/")[-1]
    inner = getattr(importlib.import_module(f"{package}.msg"), name)
    return f"{package}/{name}{suffix}", inner


def _full_name(kind: Any) -> str:
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
