"""The latest state of a robot's joints, gathered by name from messages of any shape.

Messages may list joints in any order, only some of them, or joints of other robots; several
publishers may share a topic. A value that is not finite counts as not sent. Each value remembers
when it came, so that a joint that has stopped being heard can be named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError

__all__ = ["FIELDS", "JointBuffer"]

#: The fields of a joint's state.
FIELDS = ("position", "velocity", "effort")


class JointBuffer:
    """Joint states merged by name.

    Args:
        names: The joints wanted, in the order of every array here.

    Attributes:
        position: Latest positions, (n,), rad or m; NaN where never heard.
        velocity: Latest velocities, (n,), rad/s or m/s; NaN where never heard.
        effort: Latest efforts, (n,), N m or N; NaN where never heard.
        stamp: Time stamp of the newest message that held a wanted joint, s, in its sender's clock.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._index = {name: k for k, name in enumerate(self.names)}
        if len(self._index) != len(self.names):
            raise ArgumentError(f"joint names are not unique: {', '.join(self.names)}")
        n = len(self.names)
        self.position, self.velocity, self.effort = (np.full(n, np.nan) for _ in FIELDS)
        self._values = {"position": self.position, "velocity": self.velocity, "effort": self.effort}
        self._times = {field: np.full(n, -np.inf) for field in FIELDS}
        self._oldest = dict.fromkeys(FIELDS, -np.inf)
        self.stamp = 0.0
        self._layout: list[str] | None = None
        # Where values of a message come from and go to; slices, which take no time, where they can.
        self._from: npt.NDArray[np.intp] | slice = slice(0)
        self._place: npt.NDArray[np.intp] | slice = slice(0)
        self._to: npt.NDArray[np.intp] = np.zeros(0, dtype=np.intp)

    def update(
        self,
        names: Sequence[str],
        position: Sequence[float] | npt.NDArray[np.float64],
        velocity: Sequence[float] | npt.NDArray[np.float64],
        effort: Sequence[float] | npt.NDArray[np.float64],
        *,
        now: float,
        stamp: float = 0.0,
    ) -> bool:
        """Take in a message.

        Args:
            names: Its joints, in any order.
            position: Their positions, one each, or empty.
            velocity: Their velocities, one each, or empty.
            effort: Their efforts, one each, or empty.
            now: The time it came, s, on a clock that never jumps.
            stamp: Its time stamp, s.

        Returns:
            Whether it held one of the joints wanted.

        Raises:
            ArgumentError: An array is neither empty nor as long as ``names``, or a joint comes
                twice. Nothing has been taken in.
        """
        # One publisher repeats one layout, so the search by name is done once.
        if names != self._layout:
            self._learn_layout(names)
        given = (position, velocity, effort)
        for field, values in zip(FIELDS, given, strict=True):
            if len(values) not in (0, len(names)):
                raise ArgumentError(
                    f"a joint state names {len(names)} joints but has {len(values)} values of "
                    f"{field}; expected none or one for each joint"
                )
        if not len(self._to):
            return False
        for field, values in zip(FIELDS, given, strict=True):
            if len(values):
                self._store(field, np.asarray(values, dtype=np.float64), now)
        self.stamp = stamp
        return True

    def missing(self, fields: Sequence[str], joints: Sequence[int] | None = None) -> list[str]:
        """Joints that have not yet been heard with all of the fields.

        Args:
            fields: Names out of :data:`FIELDS`.
            joints: Indices of the joints that matter; all by default.
        """
        lacking = np.zeros(len(self.names), dtype=bool)
        for field in fields:
            lacking |= np.isneginf(self._times[field])
        return self._named(lacking, joints)

    def stale(
        self,
        fields: Sequence[str],
        now: float,
        timeout: float,
        joints: Sequence[int] | None = None,
    ) -> list[str]:
        """Joints of which some field has not been heard for longer than the timeout.

        Args:
            fields: Names out of :data:`FIELDS`.
            now: The time, s, on the clock of :meth:`update`.
            timeout: s.
            joints: Indices of the joints that matter; all by default.
        """
        late = np.zeros(len(self.names), dtype=bool)
        for field in fields:
            late |= self._times[field] < now - timeout
        return self._named(late, joints)

    def complete(self, field: str) -> bool:
        """Whether the field of every joint has been heard."""
        return self._oldest[field] > -np.inf

    def age(self, fields: Sequence[str], now: float) -> float:
        """Age of the oldest value among the fields, s; infinite if one was never heard."""
        return now - min((self._oldest[f] for f in fields if self.names), default=now)

    def forget(self) -> None:
        """Forget everything heard."""
        for field in FIELDS:
            self._values[field].fill(np.nan)
            self._times[field].fill(-np.inf)
            self._oldest[field] = -np.inf

    def _learn_layout(self, names: Sequence[str]) -> None:
        wanted = [(k, self._index[name]) for k, name in enumerate(names) if name in self._index]
        targets = [t for _, t in wanted]
        if len(set(targets)) != len(targets):
            twice = next(self.names[t] for t in targets if targets.count(t) > 1)
            raise ArgumentError(f"a joint state names joint {twice!r} twice")
        self._from = np.array([s for s, _ in wanted], dtype=np.intp)
        self._to = np.array(targets, dtype=np.intp)
        everything = targets == list(range(len(self.names)))
        self._place = slice(None) if everything else self._to
        if everything and len(names) == len(targets):
            self._from = slice(None)
        self._layout = list(names)

    def _store(self, field: str, values: npt.NDArray[np.float64], now: float) -> None:
        taken, times = values[self._from], self._times[field]
        # The cheapest look at all of them: what is not finite stays so in a sum of squares.
        if math.isfinite(taken.dot(taken)):
            self._values[field][self._place] = taken
            times[self._place] = now
            self._oldest[field] = now if len(self._to) == len(times) else float(times.min())
            return
        finite = np.isfinite(taken)
        self._values[field][self._to[finite]] = taken[finite]
        times[self._to[finite]] = now
        self._oldest[field] = float(times.min())

    def _named(self, mask: npt.NDArray[np.bool_], joints: Sequence[int] | None) -> list[str]:
        chosen = range(len(self.names)) if joints is None else joints
        return [self.names[k] for k in chosen if mask[k]]
