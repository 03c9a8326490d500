"""Joint friction as a smooth function of velocity, to be compensated or subtracted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError

__all__ = ["JointFriction"]

Array = npt.NDArray[np.float64]


class JointFriction:
    """Viscous and Coulomb friction: ``tau_f = d v + c tanh(v / v0)``.

    The hyperbolic tangent stands for the sign, which would chatter around rest.

    Args:
        viscous: d of each joint, (n,), N m s/rad or N s/m.
        coulomb: c of each joint, (n,), N m or N.
        transition_velocity: v0, rad/s or m/s: where Coulomb friction has reached 76 %.

    Source: Siciliano et al., Robotics, section 7.2; de Wit et al., IEEE TAC 40 (1995) 419, for
    the smoothing.
    """

    def __init__(
        self, viscous: npt.ArrayLike, coulomb: npt.ArrayLike, transition_velocity: float = 0.01
    ) -> None:
        self.viscous = np.array(viscous, dtype=np.float64)
        self.coulomb = np.array(coulomb, dtype=np.float64)
        self.transition_velocity = float(transition_velocity)
        if self.viscous.shape != self.coulomb.shape or self.viscous.ndim != 1:
            raise ArgumentError(
                f"viscous friction has shape {self.viscous.shape} and Coulomb friction "
                f"{self.coulomb.shape}; expected one number a joint in each"
            )
        both = np.concatenate([self.viscous, self.coulomb])
        if not (np.isfinite(both).all() and (both >= 0.0).all()):
            raise ArgumentError("friction coefficients must be finite and 0 or more")
        if not self.transition_velocity > 0.0:
            raise ArgumentError(
                f"transition_velocity is {transition_velocity}; expected more than 0"
            )

    def torque(self, velocity: npt.ArrayLike) -> Array:
        """Torque that moves the joints against their friction, (n,), N m or N."""
        v = np.asarray(velocity, dtype=np.float64)
        return self.viscous * v + self.coulomb * np.tanh(v / self.transition_velocity)
