"""Arms for the tests of controllers and estimators: general in everything, and reproducible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from dynamics_core import Robot
from dynamics_core.model import Body, Frame, Joint, JointType, Limits, Model
from dynamics_core.spatial import Inertia, Matrix, Transform, Vector

Control = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


def arm(
    joints: int = 6,
    *,
    kind: JointType = JointType.REVOLUTE,
    limits: Limits = Limits(-3.0, 3.0, 2.0, 300.0),
    seed: int = 1,
) -> Robot:
    """A chain of links of 0.3 m that turn in all directions; the frame ``tool`` at its end."""
    rng = np.random.default_rng(seed)
    bodies, frames = [], [Frame("base", -1, Transform.identity())]
    for k in range(joints):
        turn = rotation(rng.normal(size=3))
        placement = Transform(Matrix(turn.tolist()), Vector(0.05, 0.1, 0.3 if k else 0.0))
        mass, com = 3.0 - 0.3 * k, Vector(*(0.1 * rng.normal(size=3)).tolist())
        axes = rotation(rng.normal(size=3))
        about_com = axes @ np.diag([0.02, 0.03, 0.04]) @ axes.T
        inertia = Inertia.from_com(mass, com, Matrix(about_com.tolist()))
        joint = Joint(f"joint_{k + 1}", kind, k, k, limits)
        bodies.append(Body(f"link_{k + 1}", k - 1, joint, placement, inertia))
        frames.append(Frame(f"link_{k + 1}", k, Transform.identity()))
    tool = Transform(Matrix(rotation(rng.normal(size=3)).tolist()), Vector(0.1, 0.05, 0.2))
    frames.append(Frame("tool", joints - 1, tool))
    return Robot(Model("arm", tuple(bodies), tuple(frames)))


def rotation(vector: Sequence[float]) -> np.ndarray:
    """The rotation by a rotation vector, (3, 3): Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    x, y, z = np.asarray(vector) / angle
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k)


def simulate(
    robot: Robot,
    q: np.ndarray,
    v: np.ndarray,
    control: Control,
    duration: float,
    *,
    period: float = 0.001,
    push: Callable[[float], dict[str, np.ndarray]] | None = None,
    resistance: Callable[[np.ndarray], np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and torques of a controlled robot, one row a period.

    The torque holds over a period, as that of a real controller does; the motion within is by
    the classical Runge-Kutta method. ``push`` gives wrenches by frame at a time; ``resistance``
    the friction torque at a velocity.
    """
    rows = []
    for k in range(round(duration / period)):
        t = k * period
        tau = control(t, q, v)
        rows.append((q.copy(), v.copy(), np.array(tau)))

        def rate(q: np.ndarray, v: np.ndarray, tau: np.ndarray = tau, t: float = t) -> np.ndarray:
            friction = resistance(v) if resistance else 0.0
            wrenches = push(t) if push else None
            return robot.forward_dynamics(q, v, tau - friction, f_ext=wrenches)

        h = period
        a1 = rate(q, v)
        a2 = rate(q + 0.5 * h * v, v + 0.5 * h * a1)
        a3 = rate(q + 0.5 * h * v + 0.25 * h * h * a1, v + 0.5 * h * a2)
        a4 = rate(q + h * v + 0.5 * h * h * a2, v + h * a3)
        q = q + h * v + h * h / 6.0 * (a1 + a2 + a3)
        v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return tuple(np.array(x) for x in zip(*rows, strict=True))  # type: ignore[return-value]
