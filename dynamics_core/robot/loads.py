"""What the joints carry, and what more they could."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from ..algorithms.joint_wrenches import WRENCH_AXES, moving_joints
from ..errors import ArgumentError
from ..payload import PayloadCapacity, payload_capacity
from .arguments import Array, gather_wrenches
from .evaluation import Evaluation

if TYPE_CHECKING:
    from . import Robot


class Loads(Evaluation):
    """Loads of the joints' bearings and drives."""

    @property
    def wrench_joint_names(self) -> tuple[str, ...]:
        """Joints in the order of the rows of :meth:`joint_wrenches`.

        Those of ``joint_names``, then the mimic joints.
        """
        return tuple(self._model.bodies[i].joint.name for i in moving_joints(self._model))

    def joint_wrenches(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        reference: str = "joint",
        *,
        f_ext: Mapping[str, npt.ArrayLike] | None = None,
        out: Array | None = None,
    ) -> Array:
        """Wrench that each joint transmits, to choose its bearing by.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            reference: Axes. ``"joint"``: z is the joint's axis, so that the z entries are axial
                force and drive torque, the others radial force and tilting moment. ``"local"``:
                those of the link that the joint carries. ``"local_world_aligned"``: base axes.
            f_ext: Wrenches of the environment, as for :meth:`inverse_dynamics`.
            out: Array to write to, (n, 6) or (N, n, 6), float64.

        Returns:
            (n, 6) or (N, n, 6), one row for each joint of :attr:`wrench_joint_names`: force in N,
            then moment in N m about the joint's origin, that the part before the joint exerts on
            the part behind it.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, an unknown reference.
            UnknownNameError: A frame that the robot does not have.

        Source: Featherstone, RBDA, section 5.3.
        """
        if reference not in WRENCH_AXES:
            known = ", ".join(map(repr, WRENCH_AXES))
            raise ArgumentError(
                f"joint_wrenches: unknown reference {reference!r}; known are {known}"
            )
        frames, wrenches = gather_wrenches("joint_wrenches", f_ext)
        inputs: dict[str, Any] = {"q": q, "v": v, "a": a, "wrenches": wrenches}
        options = {"frames": frames, "reference": reference}
        return self._evaluate("joint_wrenches", inputs, options, out)

    def payload_capacity(
        self,
        q: npt.ArrayLike,
        frame: str,
        *,
        com: npt.ArrayLike = (0.0, 0.0, 0.0),
        direction: npt.ArrayLike | None = None,
        limits: npt.ArrayLike | None = None,
        scale: float = 1.0,
    ) -> PayloadCapacity:
        """The largest mass that a frame can hold still within the effort limits.

        Args:
            q: Position, (nq,), rad or m.
            frame: The link that carries the load.
            com: The load's centre of mass in the frame, (3,), m.
            direction: Where the load pulls, (3,), base axes; the direction of gravity by default.
            limits: Effort limits, (nv,), N m or N, in place of the robot's.
            scale: Share of the limits that may be used.

        Returns:
            ``mass`` in kg, ``force`` in N, the ``joint`` that limits, the ``torque`` (nv,) with
            that load, and the joints that are ``overloaded`` without any.

        Raises:
            ArgumentError: A wrong shape, a number that is not finite, no direction of the pull.
            UnknownNameError: The robot has no such frame.

        Source: Featherstone, RBDA, section 5.3, with v = a = 0.
        """
        return payload_capacity(
            cast("Robot", self), q, frame, com=com, direction=direction, limits=limits, scale=scale
        )
