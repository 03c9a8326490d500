"""Model from a table of Denavit-Hartenberg parameters, in either convention.

Standard (J. Denavit, R. S. Hartenberg, 1955; frame i at the far end of link i):
``A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)``.

Modified (J. J. Craig, *Introduction to Robotics*, 1986; frame i in joint i):
``A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)``, with the alpha and a of Craig's row i, that is
``alpha_(i-1)`` and ``a_(i-1)``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from .description.records import rotation
from .errors import ArgumentError
from .model import Body, Frame, Joint, JointType, Limits, Model
from .spatial import Inertia, Matrix, Transform, Vector


@dataclass(frozen=True)
class DHLink:
    """One row of the table: a joint and the link that it moves.

    Attributes:
        a: Length along x, m.
        alpha: Twist about x, rad.
        d: Offset along z, m; for a prismatic joint the offset at q = 0.
        theta: Angle about z, rad; for a revolute joint the angle at q = 0.
        joint: Kind of joint.
        mass: kg.
        com: Centre of mass in the link's DH frame, (3,), m.
        inertia: About the centre of mass in the axes of the link's DH frame, kg m2: (3, 3), or
            the moments (3,) if those are its principal axes.
        armature: Rotor inertia seen at the joint, kg m2 or kg.
        damping: N m s/rad or N s/m.
        friction: Coulomb friction, N m or N.
        limits: Of the joint.
        joint_name: ``joint1``, ``joint2``, ... if not given.
        link_name: ``link1``, ``link2``, ... if not given.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: Literal["revolute", "prismatic"] = "revolute"
    mass: float = 0.0
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: npt.ArrayLike = (0.0, 0.0, 0.0)
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    limits: Limits = field(default_factory=Limits)
    joint_name: str | None = None
    link_name: str | None = None


def model_from_dh(
    links: Sequence[DHLink],
    *,
    convention: Literal["standard", "modified"] = "standard",
    name: str = "robot",
    base_name: str = "base",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Model:
    """A serial arm from its table.

    Args:
        links: Rows from the base to the tip.
        convention: Which product of elementary motions a row stands for; see the module.
        name: Robot name.
        base_name: Name of frame 0.
        gravity: Free-fall acceleration in the base frame, (3,), m/s2.

    Returns:
        A model with the DH frame of each link as the frame ``link_name``.

    Raises:
        ArgumentError: A value is not finite or of the wrong shape; names the row.
    """
    if convention not in ("standard", "modified"):
        raise ArgumentError(f"convention is {convention!r}; expected 'standard' or 'modified'")
    g = _numbers("gravity", gravity, (3,))
    bodies: list[Body] = []
    frames = [Frame(base_name, -1, Transform.identity())]
    for k, link in enumerate(links):
        joint, link_name = _joint(link, k), link.link_name or f"link{k + 1}"
        row = f"row {k + 1} ({joint.name!r})"
        a, alpha, d, theta = (
            float(_numbers(f"{row}: {key}", getattr(link, key), ()))
            for key in ("a", "alpha", "d", "theta")
        )
        along_z = Transform(rotation((0.0, 0.0, theta)), Vector(0.0, 0.0, d))
        along_x = Transform(rotation((alpha, 0.0, 0.0)), Vector(a, 0.0, 0.0))
        before, after = (
            (Transform.identity(), along_z @ along_x)
            if convention == "standard"
            else (along_x, along_z)
        )
        placement = frames[-1].placement @ before
        bodies.append(Body(link_name, k - 1, joint, placement, _inertia(link, row, after)))
        frames.append(Frame(link_name, k, after))
    _check_names("joint", [b.joint.name for b in bodies])
    _check_names("link", [f.name for f in frames])
    return Model(name, tuple(bodies), tuple(frames), gravity=Vector(*g.tolist()), source="DH table")


def _joint(link: DHLink, k: int) -> Joint:
    name = link.joint_name or f"joint{k + 1}"
    if link.joint not in ("revolute", "prismatic"):
        raise ArgumentError(
            f"row {k + 1} ({name!r}): joint is {link.joint!r}; expected 'revolute' or 'prismatic'"
        )
    for key in ("armature", "damping", "friction"):
        value = getattr(link, key)
        if not (math.isfinite(value) and value >= 0.0):
            raise ArgumentError(f"row {k + 1} ({name!r}): {key} is {value}; expected 0 or more")
    return Joint(
        name, JointType(link.joint), k, k, link.limits, link.damping, link.friction, link.armature
    )


def _inertia(link: DHLink, row: str, frame: Transform) -> Inertia:
    mass = float(_numbers(f"{row}: mass", link.mass, ()))
    if mass < 0.0:
        raise ArgumentError(f"{row}: mass is {mass} kg; expected 0 or more")
    com = _numbers(f"{row}: com", link.com, (3,))
    tensor = np.asarray(link.inertia, dtype=np.float64)
    if tensor.shape == (3,):
        tensor = np.diag(tensor)
    tensor = _numbers(f"{row}: inertia", tensor, (3, 3))
    if np.abs(tensor - tensor.T).max() > 1e-9 * max(1e-12, float(np.abs(tensor).max())):
        raise ArgumentError(f"{row}: inertia is not symmetric")
    about_com = Matrix(tensor.tolist())
    return Inertia.from_com(mass, Vector(*com.tolist()), about_com).to_parent(frame)


def _numbers(what: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} is {value!r}; expected numbers") from None
    if array.shape != shape or not np.isfinite(array).all():
        expected = f"finite numbers of shape {shape}" if shape else "a finite number"
        raise ArgumentError(f"{what} is {value!r}; expected {expected}")
    return array


def _check_names(kind: str, names: list[str]) -> None:
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ArgumentError(f"{kind} names must differ; given twice: {', '.join(twice)}")
