"""Where frames are, and how joint velocities move them."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ..algorithms.jacobian import REFERENCES
from ..errors import ArgumentError
from .arguments import Array
from .evaluation import Evaluation


def check_reference(function: str, reference: str) -> str:
    """The reference itself, or an error that lists the known ones."""
    if reference not in REFERENCES:
        known = ", ".join(map(repr, REFERENCES))
        raise ArgumentError(f"{function}: unknown reference {reference!r}; known are {known}")
    return reference


class Kinematics(Evaluation):
    """Poses, Jacobians and rates of frames. Every link of the URDF is a frame.

    The references of twists, accelerations and Jacobians:

    * ``"local_world_aligned"``: of the frame's origin, in base axes;
    * ``"local"``: of the frame's origin, in the frame's axes;
    * ``"world"``: of the point of the frame's body that is at the base's origin, in base axes.
    """

    def frame_pose(self, q: npt.ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """Pose of a frame in the base frame.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            frame: Name of a link.
            out: Array to write to, (4, 4) or (N, 4, 4), float64.

        Returns:
            Homogeneous matrix, (4, 4) or (N, 4, 4); lengths in m.

        Raises:
            UnknownNameError: The robot has no such frame.

        Source: Featherstone, RBDA, section 4.4.
        """
        self._model.frame(frame)
        return self._evaluate("frame_pose", {"q": q}, {"frame": frame}, out)

    def jacobian(
        self,
        q: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Geometric Jacobian: ``J v`` is the frame's twist (linear, angular).

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            frame: Name of a link.
            reference: ``"local_world_aligned"``, ``"local"`` or ``"world"``, see the class.
            out: Array to write to, (6, nv) or (N, 6, nv), float64.

        Returns:
            J, (6, nv) or (N, 6, nv).

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, section 4.5.
        """
        run = self._fast.get(("jacobian", frame, reference))  # called at every step of a controller
        if run is None:
            options = self._frame_options("jacobian", frame, reference)
            return self._evaluate("jacobian", {"q": q}, options, out)
        return run(q) if out is None else run(q, out=out)

    def jacobian_derivative(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Time derivative of the Jacobian in a reference, along the velocity v.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            frame: Name of a link.
            reference: ``"local_world_aligned"``, ``"local"`` or ``"world"``, see the class.
            out: Array to write to, (6, nv) or (N, 6, nv), float64.

        Returns:
            dJ/dt, (6, nv) or (N, 6, nv).

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, example 2.3 and section 4.5.
        """
        options = self._frame_options("jacobian_derivative", frame, reference)
        return self._evaluate("jacobian_derivative", {"q": q, "v": v}, options, out)

    def jacobian_bias(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """``dJ/dt v``: what the frame's acceleration has beside ``J a``.

        In ``"local_world_aligned"`` it completes the classical acceleration, in ``"local"`` and
        ``"world"`` the spatial one. Cheaper than the product of the matrix and v.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            frame: Name of a link.
            reference: ``"local_world_aligned"``, ``"local"`` or ``"world"``, see the class.
            out: Array to write to, (6,) or (N, 6), float64.

        Returns:
            (linear, angular), (6,) or (N, 6), m/s2 and rad/s2.

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, section 4.5.
        """
        options = self._frame_options("jacobian_bias", frame, reference)
        return self._evaluate("jacobian_bias", {"q": q, "v": v}, options, out)

    def frame_velocity(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        out: Array | None = None,
    ) -> Array:
        """Twist of a frame: ``J v``, without the matrix.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            frame: Name of a link.
            reference: ``"local_world_aligned"``, ``"local"`` or ``"world"``, see the class.
            out: Array to write to, (6,) or (N, 6), float64.

        Returns:
            (linear, angular), (6,) or (N, 6), m/s and rad/s.

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, equation 4.8.
        """
        options = self._frame_options("frame_velocity", frame, reference)
        return self._evaluate("frame_velocity", {"q": q, "v": v}, options, out)

    def frame_acceleration(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        frame: str,
        reference: str = "local_world_aligned",
        *,
        classical: bool = True,
        out: Array | None = None,
    ) -> Array:
        """Acceleration of a frame, of the motion alone: gravity is no part of it.

        An ideal accelerometer in the frame shows the classical acceleration minus gravity.

        Args:
            q: Position, (nq,) or (N, nq), rad or m.
            v: Velocity, (nv,) or (N, nv), rad/s or m/s.
            a: Acceleration, (nv,) or (N, nv), rad/s2 or m/s2.
            frame: Name of a link.
            reference: ``"local_world_aligned"``, ``"local"`` or ``"world"``, see the class.
            classical: True for the acceleration of the point at the origin; False for the spatial
                acceleration, which lacks the linear term ``omega x v``.
            out: Array to write to, (6,) or (N, 6), float64.

        Returns:
            (linear, angular), (6,) or (N, 6), m/s2 and rad/s2.

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, equation 2.48 and section 5.3.
        """
        options = self._frame_options("frame_acceleration", frame, reference)
        options["classical"] = bool(classical)
        return self._evaluate("frame_acceleration", {"q": q, "v": v, "a": a}, options, out)

    def _frame_options(self, function: str, frame: str, reference: str) -> dict[str, Any]:
        self._model.frame(frame)
        return {"frame": frame, "reference": check_reference(function, reference)}
