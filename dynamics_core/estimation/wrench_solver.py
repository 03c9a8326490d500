"""A wrench on one link from joint torques, and which part of it can be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["COMPONENTS", "WrenchEstimate", "WrenchSolver"]

Array = npt.NDArray[np.float64]

#: Components of a wrench, in the axes of the estimate's frame.
COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")


@dataclass(frozen=True)
class WrenchEstimate:
    """A wrench, and how well it is known.

    Attributes:
        wrench: Force then moment, (6,), N and N m.
        singular_values: Of the scaled Jacobian's transpose, falling; one for each component that
            is estimated. A force along a direction of singular value s moves the joints by
            s N m per N.
        observable: How many directions are known: singular values of at least the threshold.
        wanted: How many components are estimated.
        unobservable: Directions that are known badly or not at all, (k, 6), unit wrenches; the
            estimate holds little or nothing of them.
    """

    wrench: Array
    singular_values: Array
    observable: int
    wanted: int
    unobservable: Array

    @property
    def complete(self) -> bool:
        """Whether every component is known."""
        return self.observable == self.wanted


class WrenchSolver:
    """Solves ``tau = J' w`` for w by least squares, damped only where it must be.

    Where all singular values of J' are above the threshold the answer is exact. A direction whose
    singular value s falls below it is damped by ``lambda^2 = (1 - (s / threshold)^2) damping^2``,
    and fades out instead of blowing up; it is reported, never passed off as zero.

    Moments are divided by a characteristic length, so that the singular values of forces and
    moments can be compared.

    Args:
        components: The components that may act; those left out are taken as zero. An arm with
            fewer than six joints cannot tell six apart.
        threshold: Singular value below which a direction counts as not observable, m.
        damping: Largest damping, m.
        length: Characteristic length, m.

    Source: Nakamura, Hanafusa, J. Dyn. Sys. Meas. Control 108 (1986) 163; Chiaverini, IEEE Trans.
    Robotics and Automation 13 (1997) 398, for damping by direction.
    """

    def __init__(
        self,
        components: Sequence[str] = COMPONENTS,
        *,
        threshold: float = 0.05,
        damping: float = 0.05,
        length: float = 0.3,
    ) -> None:
        unknown = [c for c in components if c not in COMPONENTS]
        if unknown or not components or len(set(components)) != len(components):
            raise ArgumentError(
                f"wrench components are {', '.join(components) or 'none'}; expected some of "
                f"{', '.join(COMPONENTS)}, each once"
            )
        if not (threshold > 0.0 and damping > 0.0 and length > 0.0):
            raise ArgumentError("threshold, damping and length must be more than 0")
        self._columns = [k for k, c in enumerate(COMPONENTS) if c in components]
        self._threshold, self._damping = threshold, damping
        # w = scale * w_scaled: moments in units of length, comparable with forces.
        self._scale = np.array([1.0, 1.0, 1.0, length, length, length])[self._columns]

    def solve(self, jacobian: Array, torque: Array) -> WrenchEstimate:
        """The wrench that causes joint torques.

        Args:
            jacobian: J, (6, n), of the point and in the axes of the wrench.
            torque: tau_ext, (n,), N m or N.
        """
        transposed = jacobian.T[:, self._columns] * self._scale
        u, s, vt = np.linalg.svd(transposed, full_matrices=True)
        wanted = len(self._columns)
        values = np.zeros(wanted)
        values[: len(s)] = s[:wanted]
        lack = np.clip(1.0 - (s / self._threshold) ** 2, 0.0, None) * self._damping**2
        gains = np.divide(s, s**2 + lack, out=np.zeros_like(s), where=s**2 + lack > 0.0)
        k = len(s)
        scaled = vt[:k].T @ (gains * (u[:, :k].T @ torque))
        wrench = np.zeros(6)
        wrench[self._columns] = self._scale * scaled
        weak = values < self._threshold
        directions = np.zeros((int(weak.sum()), 6))
        directions[:, self._columns] = vt[weak] * self._scale
        norms = np.linalg.norm(directions, axis=1, keepdims=True)
        return WrenchEstimate(
            wrench, values, int((~weak).sum()), wanted, directions / np.maximum(norms, 1e-300)
        )


def moved_to(wrench: Array, offset: Array) -> Array:
    """The same wrench about another point.

    Args:
        wrench: Force then moment about a point, (6,), N and N m.
        offset: Position of the new point as seen from the old one, (3,), m, in the same axes.
    """
    force, moment = wrench[:3], wrench[3:]
    return np.concatenate([force, moment - np.cross(offset, force)])


def expressed_in(wrench: Array, rotation: Array) -> Array:
    """The same wrench, about the same point, in other axes.

    Args:
        wrench: Force then moment in base axes, (6,).
        rotation: Orientation of the new axes in the base, (3, 3).
    """
    return np.concatenate([rotation.T @ wrench[:3], rotation.T @ wrench[3:]])
