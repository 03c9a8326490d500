"""Robot: what users hold. A model and the functions of its dynamics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..functions import Parametrisation
from ..locking import Position, locked
from ..model import Model
from ..spatial import Inertia, Matrix, Vector
from .arguments import Array
from .centroidal import Centroidal
from .configuration import Configuration
from .coriolis import Coriolis
from .derivatives import Derivatives
from .dynamics import Dynamics
from .friction import Friction
from .identification import Identification
from .kinematics import Kinematics
from .loads import Loads
from .newton_euler import NewtonEuler
from .operational_space import OperationalSpaceDynamics

if TYPE_CHECKING:
    from ..dh import DHLink

__all__ = ["Robot"]


class Robot(
    Dynamics,
    NewtonEuler,
    Coriolis,
    Derivatives,
    Identification,
    OperationalSpaceDynamics,
    Loads,
    Friction,
    Kinematics,
    Centroidal,
    Configuration,
):
    """A robot's dynamics and kinematics.

    Arrays of joint quantities follow :attr:`joint_names`. A state may be one row, ``(nq,)`` and
    ``(nv,)``, or a batch of them, ``(N, nq)`` and ``(N, nv)``.
    """

    @classmethod
    def from_urdf(cls, source: str | os.PathLike[str], **options: Any) -> Robot:
        """Build a robot from a URDF.

        Args:
            source: Path of a URDF or xacro file, or URDF text.
            **options: Those of :func:`dynamics_core.urdf.load_urdf`: ``gravity``,
                ``floating_base``, ``strict``, ``armature``, ``xacro_args``.

        Raises:
            DescriptionError: The description cannot be used; the message names file, element,
                line and remedy.
        """
        from ..urdf import load_urdf

        return cls(load_urdf(source, **options))

    @classmethod
    def from_dh(cls, links: Sequence[DHLink], **options: Any) -> Robot:
        """Build a robot from a table of Denavit-Hartenberg parameters with link inertias.

        Args:
            links: One row per joint, base first.
            **options: Those of :func:`dynamics_core.dh.model_from_dh`: ``convention``
                (``"standard"`` or ``"modified"``), ``name``, ``base_name``, ``gravity``.

        Raises:
            ArgumentError: A row that is no joint or no rigid body.

        Source: Craig, *Introduction to Robotics*, section 3.4 (modified); Paul, *Robot
        Manipulators*, section 2.8 (standard).
        """
        from ..dh import model_from_dh

        return cls(model_from_dh(links, **options))

    def locked(self, positions: Mapping[str, Position]) -> Robot:
        """The robot that is left when some joints are held: an arm without its hand's joints.

        What a held joint carries becomes part of the body that it is held to. The new robot has
        fewer coordinates; :attr:`joint_names` says which.

        Args:
            positions: Joint name to its position, rad or m (for planar and floating joints all
                its coordinates).

        Raises:
            UnknownNameError: The robot has no such joint.
            ArgumentError: A position of the wrong size.
        """
        return type(self)(locked(self._model, positions))

    @property
    def position_limits(self) -> tuple[Array, Array]:
        """Lowest and highest position of each coordinate of q; infinite where unbounded."""
        low, high = [], []
        for joint in self._model.joints:
            n = joint.type.nq
            low += [joint.limits.lower if n == 1 else -np.inf] * n
            high += [joint.limits.upper if n == 1 else np.inf] * n
        return self._array(low), self._array(high)

    @property
    def name(self) -> str:
        """The robot's name."""
        return self._model.name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints in the order of every joint array."""
        return self._model.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The links, each usable as a frame."""
        return tuple(f.name for f in self._model.frames)

    @property
    def nq(self) -> int:
        """Length of q."""
        return self._model.nq

    @property
    def nv(self) -> int:
        """Length of v, a and tau."""
        return self._model.nv

    @property
    def gravity(self) -> Array:
        """Free-fall acceleration in the base frame, (3,), m/s2."""
        return np.array(list(self._model.gravity))

    @property
    def total_mass(self) -> float:
        """Mass of all links, kg."""
        return self._model.total_mass

    @property
    def effort_limits(self) -> Array:
        """Largest torque of each coordinate, (nv,), N m or N; infinite where unknown."""
        return self._array([j.limits.effort for j in self._model.joints for _ in j.type.axes])

    @property
    def velocity_limits(self) -> Array:
        """Largest speed of each coordinate, (nv,), rad/s or m/s; infinite where unknown."""
        return self._array([j.limits.velocity for j in self._model.joints for _ in j.type.axes])

    def with_gravity(self, gravity: npt.ArrayLike) -> Robot:
        """The same robot in another field of gravity.

        Args:
            gravity: Free-fall acceleration in the base frame, (3,), m/s2.
        """
        g = np.asarray(gravity, dtype=np.float64)
        if g.shape != (3,) or not np.isfinite(g).all():
            raise ArgumentError(f"with_gravity: gravity is {gravity!r}; expected 3 finite numbers")
        p = replace(self._parametrisation, gravity=True)
        return self._variant(self._model.with_gravity(Vector(*map(float, g))), p)

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: npt.ArrayLike = (0.0, 0.0, 0.0),
        inertia: npt.ArrayLike | None = None,
    ) -> Robot:
        """The same robot with a rigid load on a frame.

        Args:
            frame: The link that carries the load.
            mass: kg.
            com: Centre of mass in that frame, (3,), m.
            inertia: Rotational inertia about the load's centre of mass in the frame's axes,
                (3, 3), kg m2; zero (a point mass) by default.

        Raises:
            ArgumentError: Not a rigid body: negative mass, inertia not symmetric or not positive.
        """
        f = self._model.frame(frame)
        load = _rigid_body("with_payload", mass, com, inertia).to_parent(f.placement)
        if f.body < 0:
            return self
        body = self._model.bodies[f.body]
        bodies = tuple(sorted({*self._parametrisation.bodies, f.body}))
        p = replace(self._parametrisation, bodies=bodies)
        return self._variant(self._model.with_inertias({f.body: body.inertia + load}), p)

    def _variant(self, model: Model, parametrisation: Parametrisation) -> Robot:
        """A robot that differs from this one in the values of parameters only."""
        variant = type(self)(model, parametrisation)
        variant._family = self._family
        return variant


def _rigid_body(
    function: str, mass: float, com: npt.ArrayLike, inertia: npt.ArrayLike | None
) -> Inertia:
    c = np.asarray(com, dtype=np.float64)
    i = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=np.float64)
    if c.shape != (3,) or i.shape != (3, 3):
        raise ArgumentError(
            f"{function}: com has shape {c.shape} and inertia {i.shape}; expected (3,) and (3, 3)"
        )
    if not (np.isfinite(mass) and np.isfinite(c).all() and np.isfinite(i).all()):
        raise ArgumentError(f"{function}: mass, com and inertia must be finite")
    if mass < 0.0:
        raise ArgumentError(f"{function}: mass is {mass} kg; expected 0 or more")
    scale = max(1e-12, float(np.abs(i).max()))
    if np.abs(i - i.T).max() > 1e-9 * scale or np.linalg.eigvalsh(i).min() < -1e-9 * scale:
        raise ArgumentError(
            f"{function}: inertia is not symmetric and positive; give it about the centre of mass"
        )
    return Inertia.from_com(float(mass), Vector(*map(float, c)), Matrix(i.tolist()))
