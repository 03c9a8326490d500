"""How heavy a frame feels, and how to move it without disturbing anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms.operational_space import DIRECTIONS
from ..errors import ArgumentError, SingularityError
from .arguments import Array
from .evaluation import Evaluation
from .kinematics import check_reference

#: How far Lambda times its inverse may be from one.
_TOLERANCE = 1e-6

ALL_DIRECTIONS = (0, 1, 2, 3, 4, 5)


class OperationalSpace(NamedTuple):
    """Lambda, (m, m) or (N, m, m), and J#, (nv, m) or (N, nv, m)."""

    inertia: Array
    inverse: Array


class OperationalSpaceDynamics(Evaluation):
    """Dynamics of a frame: ``Lambda(q) dV/dt + ... = F``."""

    def operational_space(
        self,
        q: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        directions: Sequence[int] = ALL_DIRECTIONS,
    ) -> OperationalSpace:
        """Operational-space inertia and the dynamically consistent inverse of the Jacobian.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            frame: Name of a link.
            reference: Axes and point of the twist, as for :meth:`jacobian`.
            directions: Which m rows of the Jacobian make the task, out of 0 to 5 for (x, y, z,
                rotation x, y, z); a robot with fewer than six joints needs fewer.

        Returns:
            ``inertia``: ``Lambda = (J M^-1 J')^-1``, kg, kg m and kg m2. ``inverse``:
            ``J# = M^-1 J' Lambda``, with which ``J J# = 1`` and torques ``(1 - J' J#') tau``
            accelerate the task not at all.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, an unknown reference.
            UnknownNameError: The robot has no such frame.
            SingularityError: The frame cannot move in some of the directions there. Damping is
                the caller's choice: ``inv(J M^-1 J' + damping)``.
            SingularMassError: Some joint moves no inertia; the message names it.

        Source: O. Khatib, IEEE J. Robotics and Automation 3(1), 1987, equations 16 and 51.
        """
        name = "operational_space"
        self._model.frame(frame)
        chosen = _check_directions(name, directions)
        options: dict[str, Any] = {
            "frame": frame,
            "reference": check_reference(name, reference),
            "directions": chosen,
        }
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inertia, inverse, mobility = self._evaluate(name, {"q": q}, options)
        rows = list(chosen)
        inertia, inverse = inertia[..., rows, :][..., rows], inverse[..., rows]
        unity = inertia @ mobility[..., rows, :][..., rows]
        off = np.abs(unity - np.eye(len(rows))).max(axis=(-2, -1))
        if not np.all(off < _TOLERANCE):
            at = f" in row {int(np.argmax(~(off < _TOLERANCE)))}" if np.ndim(off) else ""
            raise SingularityError(
                f"{name}: frame {frame!r} cannot move in all of "
                f"({', '.join(DIRECTIONS[d] for d in rows)}){at}: singular position; choose fewer "
                "directions, or damp J M^-1 J'"
            )
        return OperationalSpace(inertia, inverse)

    def operational_space_inertia(
        self,
        q: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        directions: Sequence[int] = ALL_DIRECTIONS,
    ) -> Array:
        """Operational-space inertia Lambda alone; see :meth:`operational_space`.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            frame: Name of a link.
            reference: Axes and point of the twist, as for :meth:`jacobian`.
            directions: Which m rows of the Jacobian make the task.

        Returns:
            Lambda, (m, m) or (N, m, m), symmetric positive definite; kg, kg m and kg m2.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, an unknown reference.
            UnknownNameError: The robot has no such frame.
            SingularityError: The frame cannot move in some of the directions there.
            SingularMassError: Some joint moves no inertia; the message names it.

        Source: O. Khatib, IEEE J. Robotics and Automation 3(1), 1987, equation 16.
        """
        return self.operational_space(q, frame, reference, directions=directions).inertia


def _check_directions(function: str, directions: Sequence[int]) -> tuple[int, ...]:
    try:
        chosen = tuple(int(d) for d in directions)
    except (TypeError, ValueError):
        chosen = ()
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(ALL_DIRECTIONS):
        raise ArgumentError(
            f"{function}: directions are {directions!r}; expected different numbers from 0 to 5 "
            "for (x, y, z, rotation x, rotation y, rotation z)"
        )
    return chosen
