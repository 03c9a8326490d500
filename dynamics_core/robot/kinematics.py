"""Where frames are, and how joint velocities move them."""

from __future__ import annotations

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
    """Poses and Jacobians of frames. Every link of the URDF is a frame."""

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
            reference: ``"local_world_aligned"``: the frame's origin, in base axes.
                ``"local"``: the frame's origin, in the frame's axes. ``"world"``: the point of the
                frame's body that is at the base's origin, in base axes.
            out: Array to write to, (6, nv) or (N, 6, nv), float64.

        Returns:
            J, (6, nv) or (N, 6, nv).

        Raises:
            UnknownNameError: The robot has no such frame.
            ArgumentError: Unknown reference.

        Source: Featherstone, RBDA, section 4.5.
        """
        self._model.frame(frame)
        options = {"frame": frame, "reference": check_reference("jacobian", reference)}
        return self._evaluate("jacobian", {"q": q}, options, out)
