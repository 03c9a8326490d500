"""Which joints of a robot a controller works on, in which order, and which stand still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, UnknownNameError
from ..joint_buffer import JointBuffer
from ..model import JointType
from ..robot import Robot

__all__ = ["JointSelection"]

Array = npt.NDArray[np.float64]


class JointSelection:
    """Some of a robot's joints, by name.

    A joint is worked on (``names``), locked (reported by nobody, standing still at a given
    position), or only heard: its state matters to the dynamics but it gets no command.

    Args:
        robot: The robot; every joint has one scalar position.
        names: The joints to work on, in the order of the arrays exchanged with them. Empty: all
            that are not locked.
        locked: Names of the locked joints.
        locked_positions: Their positions, rad or m; zero by default.

    Attributes:
        names: The joints worked on.
        index: Their places in the robot's order, (n,).
        heard: The joints whose state is needed, in the robot's order.
        q, v, effort: The robot's state as :meth:`read` left it, (nv,) each, robot order.

    Raises:
        UnknownNameError: The robot has no such joint.
        ArgumentError: A joint that mimics another one, a joint named twice, or positions that do
            not match the joints.
    """

    def __init__(
        self,
        robot: Robot,
        names: Sequence[str] = (),
        locked: Sequence[str] = (),
        locked_positions: Sequence[float] = (),
    ) -> None:
        order = robot.joint_names
        if locked_positions and len(locked_positions) != len(locked):
            raise ArgumentError(
                f"{len(locked_positions)} locked positions for {len(locked)} locked joints"
            )
        self._locked = _indices(robot, locked)
        chosen = tuple(names) or tuple(n for n in order if n not in set(locked))
        if not chosen:
            raise ArgumentError("every joint is locked; nothing is left to work on")
        self.names = chosen
        self.index = _indices(robot, chosen)
        if overlap := set(chosen) & set(locked):
            raise ArgumentError(f"joint {min(overlap)!r} is both locked and worked on")
        self.heard = tuple(n for n in order if n not in set(locked))
        self._heard = _indices(robot, self.heard)
        #: Places of ``names`` in ``heard``, (n,).
        self.in_heard = np.array([self.heard.index(n) for n in chosen], dtype=np.intp)
        kinds = [robot.model.joint(n).type for n in chosen]
        #: Which of the joints turn without end, (n,): their positions differ by whole turns.
        self.continuous = np.array([k is JointType.CONTINUOUS for k in kinds])
        self.q = np.zeros(robot.nq)
        self.v = np.zeros(robot.nv)
        self.effort = np.zeros(robot.nv)
        self.q[self._locked] = locked_positions or 0.0

    def __len__(self) -> int:
        return len(self.names)

    def read(self, buffer: JointBuffer) -> None:
        """Copy the state of ``heard`` joints to q, v and effort; a value never heard counts as 0.

        Args:
            buffer: A buffer whose joints are ``heard``.
        """
        for field, target, source in (
            ("position", self.q, buffer.position),
            ("velocity", self.v, buffer.velocity),
            ("effort", self.effort, buffer.effort),
        ):
            target[self._heard] = source if buffer.complete(field) else np.nan_to_num(source)

    def pick(self, values: Array) -> Array:
        """Entries of an array in the robot's order that belong to ``names``, (n,)."""
        return values[self.index]

    def difference(self, target: Array, actual: Array) -> Array:
        """``target - actual`` of positions in the order of ``names``, (n,), rad or m.

        The error of a continuous joint is the short way round, in [-pi, pi].
        """
        error = np.asarray(target - actual)
        turns = np.round(error / (2.0 * np.pi))
        return error - np.where(self.continuous, 2.0 * np.pi * turns, 0.0)


def _indices(robot: Robot, names: Sequence[str]) -> npt.NDArray[np.intp]:
    known = robot.joint_names
    places = []
    for name in names:
        if name not in known:
            joint = robot.model.joint(name)  # names the nearest ones if there is none
            if joint.mimics is not None:
                raise ArgumentError(
                    f"joint {name!r} mimics {joint.mimics!r} and takes no command of its own"
                )
            raise UnknownNameError("joint", name, known, robot.name)
        if robot.model.joint(name).type.nq != 1:
            raise ArgumentError(f"joint {name!r} has more than one coordinate")
        places.append(known.index(name))
    if len(set(places)) != len(places):
        raise ArgumentError(f"a joint is named twice in {', '.join(names)}")
    return np.array(places, dtype=np.intp)
