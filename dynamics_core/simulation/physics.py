"""What a simulation takes into account: friction, rotors, limits, and how it integrates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..model import Model
from .joint_forces import EndStops
from .step import INTEGRATORS, Bounds

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Physics:
    """Choices of a simulation. By default, all that the description of the robot says.

    Joint arrays are in the order of v, shape (nv,), or (N, nv) for a batch of different robots;
    a single number serves all joints.

    Attributes:
        integrator: One of :data:`~dynamics_core.simulation.step.INTEGRATORS`.
        damping: Viscous friction, N m s/rad or N s/m; None for the description's.
        friction: Coulomb friction, N m or N; None for the description's.
        rotor: Rotor inertia on top of the model's armature, kg m2 or kg.
        effort_limits: Whether drives saturate.
        velocity_limits: Whether drives fade out at the velocity limit.
        stops: The end stops at position limits; None for joints that move through them.
    """

    integrator: str = "semi_implicit_euler"
    damping: npt.ArrayLike | None = None
    friction: npt.ArrayLike | None = None
    rotor: npt.ArrayLike = 0.0
    effort_limits: bool = True
    velocity_limits: bool = True
    stops: EndStops | None = EndStops()  # noqa: RUF009 - immutable

    def __post_init__(self) -> None:
        if self.integrator not in INTEGRATORS:
            known = ", ".join(map(repr, INTEGRATORS))
            raise ArgumentError(
                f"Physics: unknown integrator {self.integrator!r}; known are {known}"
            )

    @staticmethod
    def ideal(integrator: str = "semi_implicit_euler") -> Physics:
        """Rigid bodies and nothing else: no friction, no limits."""
        return Physics(integrator, 0.0, 0.0, 0.0, False, False, None)

    @property
    def bounds(self) -> Bounds:
        """The limits that hold."""
        return Bounds(self.effort_limits, self.velocity_limits, stops=self.stops)

    def joint_arrays(self, model: Model) -> dict[str, Array]:
        """Damping, friction and rotor inertia of every entry of v."""
        own = {
            "damping": [j.damping for j in model.joints for _ in j.type.axes],
            "friction": [j.friction for j in model.joints for _ in j.type.axes],
            "rotor": 0.0,
        }
        arrays = {}
        for name, default in own.items():
            given = getattr(self, name)
            value = np.asarray(default if given is None else given, dtype=np.float64)
            try:
                shape = np.broadcast_shapes(value.shape, (model.nv,))
            except ValueError:
                raise ArgumentError(
                    f"Physics: {name} has shape {value.shape}; robot {model.name!r} has "
                    f"{model.nv} joint coordinates"
                ) from None
            if not np.isfinite(value).all() or (value < 0.0).any():
                raise ArgumentError(f"Physics: {name} must be finite and not negative")
            arrays[name] = np.ascontiguousarray(np.broadcast_to(value, shape))
        return arrays
