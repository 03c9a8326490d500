"""The topic joint_states as a buffer by joint, with words for what is wrong with it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState

from dynamics_core import ArgumentError
from dynamics_core.joint_buffer import JointBuffer

from .base import DynamicsNode, status
from .loop import monotonic
from .qos import SENSOR
from .wire import joint_state_reader

__all__ = ["JointStateInput"]


class JointStateInput:
    """Joint states merged by name.

    Args:
        node: The node that hears.
        joints: The joints wanted; others are ignored.
        effort_of: Indices of the joints whose effort is needed where effort is; all by default.
        topic: Topic name.
    """

    def __init__(
        self,
        node: DynamicsNode,
        joints: Sequence[str],
        effort_of: Sequence[int] | None = None,
        topic: str = "joint_states",
    ) -> None:
        self.buffer = JointBuffer(joints)
        self._node, self._effort_of = node, effort_of
        self._subscription = node.poll(JointState, topic, SENSOR, raw=True)
        self._reader = joint_state_reader()
        self._since = monotonic()
        self._refused = 0
        self._problem = ""
        #: Stamp of the newest message taken in, s and ns.
        self.stamp = (0, 0)
        #: The resolved topic name.
        self.topic = self._subscription.topic

    def hear(self) -> bool:
        """Take in what has come; return whether something about the joints wanted was new."""
        new = False
        for data in self._subscription.take_all():
            try:
                message, stamp, (position, velocity, effort) = self._reader.read(data)
                taken = self.buffer.update(
                    message.name,
                    position,
                    velocity,
                    effort,
                    now=monotonic(),
                    stamp=stamp[0] + 1e-9 * stamp[1],
                )
            except (ArgumentError, ValueError, struct.error) as error:
                self._refused += 1
                self._node.warn("joint_states", f"message on {self.topic} refused: {error}")
                continue
            if taken:
                new, self.stamp = True, stamp
        return new

    def problem(self, fields: Sequence[str], timeout: float) -> str:
        """Why the joint states cannot be used, naming the joints; empty if they can."""
        now = monotonic()
        if self.buffer.age(fields, now) <= timeout:
            self._problem = ""
            return ""
        missing = self._missing(fields)
        late: list[str] = []
        if not missing:
            for field in fields:
                stale = self.buffer.stale((field,), now, timeout, self._joints_of(field))
                late += [name for name in stale if name not in late]
        if missing:
            self._problem = self._missing_text(fields, missing)
        elif late:
            self._problem = (
                f"joint states are stale: nothing for {timeout:g} s on {self.topic} about "
                f"{_listed(late)}"
            )
        else:
            self._problem = ""
        return self._problem

    def complete(self, fields: Sequence[str]) -> bool:
        """Whether every joint has been heard with all of the fields."""
        return self.buffer.age(fields, 0.0) < np.inf or not self._missing(fields)

    def forget(self) -> None:
        """Forget everything heard, and what waits to be heard, however old that is."""
        self._subscription.take_all()
        self.buffer.forget()
        self._since = monotonic()

    def diagnose(self, fields: Sequence[str]) -> DiagnosticStatus:
        """Age and problems of the input."""
        age = self.buffer.age(fields, monotonic())
        values = {
            "topic": self.topic,
            "publishers": str(self._subscription.publishers),
            "age of the oldest joint [ms]": f"{1e3 * age:.1f}" if np.isfinite(age) else "never",
            "messages refused": str(self._refused),
        }
        level = DiagnosticStatus.STALE if self._problem else DiagnosticStatus.OK
        return status("joint states", level, self._problem or "fresh", values)

    def destroy(self) -> None:
        """End the subscription."""
        self._subscription.destroy()

    def _joints_of(self, field: str) -> Sequence[int] | None:
        return self._effort_of if field == "effort" else None

    def _missing(self, fields: Sequence[str]) -> list[str]:
        names: list[str] = []
        for field in fields:
            lacking = self.buffer.missing((field,), self._joints_of(field))
            names += [name for name in lacking if name not in names]
        return names

    def _missing_text(self, fields: Sequence[str], missing: list[str]) -> str:
        if not self._subscription.publishers:
            return f"waiting for joint states: nobody publishes on {self.topic}"
        silent = self._missing(("position",))
        if silent:
            return f"waiting for joint states: nothing on {self.topic} about {_listed(silent)}"
        for field in fields:
            lacking = self._missing((field,))
            if lacking:
                return f"joint states on {self.topic} have no finite {field} of {_listed(lacking)}"
        return f"waiting for joint states of {_listed(missing)}"


def _listed(names: Sequence[str]) -> str:
    return ("joint " if len(names) == 1 else "joints ") + ", ".join(names)
