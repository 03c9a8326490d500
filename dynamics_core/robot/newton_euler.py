"""Inverse dynamics as other toolboxes call it, and by the original three-vector recursion."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .arguments import Array, gather_wrenches
from .evaluation import Evaluation


class NewtonEuler(Evaluation):
    """Other ways to the torques of a motion."""

    def newton_euler_vectors(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Joint torques by the three-vector recursion of Luh, Walker and Paul.

        The result is that of :meth:`inverse_dynamics` without external wrenches; the way to it has
        no step in common, so that each checks the other.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            out: Array to write to, (nv,) or (N, nv), float64.

        Returns:
            tau, (nv,) or (N, nv), N m or N.

        Raises:
            ArgumentError: A wrong shape, or a number that is not finite.

        Source: J. Luh, M. Walker, R. Paul, ASME J. Dyn. Syst. Meas. Control 102(2), 1980.
        """
        return self._evaluate("newton_euler_vectors", {"q": q, "v": v, "a": a}, out=out)

    def rne(
        self,
        q: npt.ArrayLike,
        qd: npt.ArrayLike,
        qdd: npt.ArrayLike,
        gravity: npt.ArrayLike | None = None,
        fext: npt.ArrayLike | None = None,
        *,
        frame: str | None = None,
    ) -> Array:
        """Inverse dynamics with the arguments that the robotics toolboxes have.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            qd: Velocity, (nv,) or (N, nv), rad/s or m/s.
            qdd: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            gravity: Free-fall acceleration in the base frame, (3,), m/s2, in place of the robot's;
                (0, 0, -9.81) on a floor. The Robotics Toolbox for MATLAB writes it with the other
                sign.
            fext: Wrench (fx, fy, fz, nx, ny, nz) that the tip exerts on its surroundings, (6,) or
                (N, 6), N and N m, about the tip's origin in its axes. That is the toolboxes' sign:
                pressing on something costs torque. It is the opposite of ``f_ext`` elsewhere.
            frame: The tip; where the tree has a single end, that is the default.

        Returns:
            tau, (nv,) or (N, nv), N m or N: the inertia of rotors (armature) counts, friction does
            not.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, or several ends to choose
                from.
            UnknownNameError: The robot has no such frame.

        Source: P. Corke, *Robotics, Vision and Control*, Springer 2023, section 9.2.
        """
        robot: Any = self if gravity is None else self._under(gravity)
        if fext is None:
            return robot.inverse_dynamics(q, qd, qdd)
        tip = self._tip() if frame is None else self._model.frame(frame).name
        _, wrench = gather_wrenches("rne", {tip: fext})
        return robot.inverse_dynamics(q, qd, qdd, f_ext={tip: -np.asarray(wrench)})

    def _under(self, gravity: npt.ArrayLike) -> Any:
        """The robot in another field of gravity; the last one is kept."""
        g = np.asarray(gravity, dtype=np.float64)
        kept = self.__dict__.get("_last_gravity")
        if kept is None or not np.array_equal(kept[0], g):
            kept = (g.copy(), self.with_gravity(g))  # type: ignore[attr-defined]
            self.__dict__["_last_gravity"] = kept
        return kept[1]

    def _tip(self) -> str:
        """The link at the end of the only chain: the last frame of the only body without child."""
        parents = {b.parent for b in self._model.bodies}
        ends = [i for i in range(len(self._model.bodies)) if i not in parents]
        if len(ends) != 1:
            names = ", ".join(repr(self._model.bodies[i].name) for i in ends)
            raise ArgumentError(
                f"rne: robot {self._model.name!r} has several ends ({names}); name one with frame="
            )
        return [f.name for f in self._model.frames if f.body == ends[0]][-1]
