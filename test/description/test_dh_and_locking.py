"""Models from DH tables, and models with frozen joints."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from peers import corpus_file

from dynamics_core import ArgumentError, Robot, UnknownNameError
from dynamics_core.dh import DHLink, model_from_dh
from dynamics_core.locking import locked
from dynamics_core.urdf import load_urdf

CASES = json.loads((Path(__file__).parents[1] / "data" / "numeric_cases.json").read_text())
PUMA = next(c for c in CASES if c["name"].startswith("puma560"))
H = math.pi / 2

#: B. Armstrong, O. Khatib, J. Burdick, "The explicit dynamic model and inertial parameters of the
#: PUMA 560 arm", ICRA 1986; standard DH frames.
ROWS = [
    DHLink(d=0.67183, alpha=H, inertia=(0.0, 0.35, 0.0)),
    DHLink(a=0.4318, mass=17.4, com=(-0.3638, 0.006, 0.2275), inertia=(0.13, 0.524, 0.539)),
    DHLink(d=0.15005, a=0.0203, alpha=-H, mass=4.8, com=(-0.0203, -0.0141, 0.07),
           inertia=(0.066, 0.086, 0.0125)),
    DHLink(d=0.4318, alpha=H, mass=0.82, com=(0, 0.019, 0), inertia=(1.8e-3, 1.3e-3, 1.8e-3)),
    DHLink(alpha=-H, mass=0.34, inertia=(0.3e-3, 0.4e-3, 0.3e-3)),
    DHLink(mass=0.09, com=(0, 0, 0.032), inertia=(0.15e-3, 0.15e-3, 0.04e-3)),
]  # fmt: skip


def test_puma_560_from_its_dh_table() -> None:
    robot = Robot(model_from_dh(ROWS))
    q, v, a = (np.array(PUMA[k]) for k in ("q", "qd", "qdd"))
    np.testing.assert_allclose(robot.gravity_torque(q), PUMA["grav"], rtol=1e-10, atol=1e-12)
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau, PUMA["tau_rigid"], rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
def test_puma_560_from_urdf_with_armature() -> None:
    armature = {f"joint{k + 1}": x for k, x in enumerate(PUMA["armature_Jm_G2"])}
    robot = Robot.from_urdf(PUMA["urdf"], armature=armature)
    tau = robot.inverse_dynamics(*(np.array(PUMA[k]) for k in ("q", "qd", "qdd")))
    expected = PUMA["tau_with_armature_no_friction"]
    np.testing.assert_allclose(tau, expected, rtol=1e-9, atol=1e-12)


def elementary(axis: int, angle: float, shift: float) -> np.ndarray:
    """Turn about and shift along x (0) or z (2), as a 4 x 4 matrix."""
    t = np.eye(4)
    i, j = (1, 2) if axis == 0 else (0, 1)
    t[i, i] = t[j, j] = np.cos(angle)
    t[i, j], t[j, i] = -np.sin(angle), np.sin(angle)
    t[axis, 3] = shift
    return t


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_frames_are_the_product_of_the_rows(convention: str) -> None:
    rows = [
        DHLink(a=0.3, alpha=0.7, d=0.2, theta=0.4),
        DHLink(a=-0.1, alpha=-1.1, d=0.5, theta=-0.3, joint="prismatic"),
        DHLink(a=0.2, alpha=0.5, d=-0.1, theta=1.2),
    ]
    robot = Robot(model_from_dh(rows, convention=convention))  # type: ignore[arg-type]
    q = np.array([0.3, -0.2, 0.9])
    expected = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        turning = row.joint == "revolute"
        along_z = elementary(2, row.theta + x * turning, row.d + x * (not turning))
        along_x = elementary(0, row.alpha, row.a)
        pair = (along_z, along_x) if convention == "standard" else (along_x, along_z)
        expected = expected @ pair[0] @ pair[1]
    np.testing.assert_allclose(robot.frame_pose(q, "link3"), expected, atol=1e-14)


@pytest.mark.parametrize(
    ("link", "match"),
    [
        (DHLink(mass=-1.0), "mass is -1"),
        (DHLink(a=math.nan), "a is nan"),
        (DHLink(com=(0.0, 1.0)), "com"),
        (DHLink(inertia=np.triu(np.ones((3, 3)))), "not symmetric"),
        (DHLink(joint="ball"), "'ball'"),  # type: ignore[arg-type]
        (DHLink(armature=-1.0), "armature"),
        (DHLink(link_name="base"), "given twice: base"),
    ],
)
def test_wrong_rows_are_refused(link: DHLink, match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        model_from_dh([link])


def test_locked_joints_leave_the_rest_of_the_mass_matrix() -> None:
    model = load_urdf(corpus_file("panda.urdf"))
    rng = np.random.default_rng(1)
    q = rng.uniform(-1.0, 1.0, model.nq)
    names = model.joint_names
    frozen = {names[k]: float(q[k]) for k in (0, 2, 5, 7)}
    kept = [k for k, name in enumerate(names) if name not in frozen]
    whole, part = Robot(model), Robot(locked(model, frozen))
    assert part.joint_names == tuple(names[k] for k in kept)
    assert len(part.model.bodies) == 4  # the finger that mimics is frozen as well
    assert part.total_mass == pytest.approx(whole.total_mass, rel=1e-14)
    m, g = whole.mass_matrix(q), whole.gravity_torque(q)
    np.testing.assert_allclose(part.mass_matrix(q[kept]), m[np.ix_(kept, kept)], rtol=1e-10)
    np.testing.assert_allclose(part.gravity_torque(q[kept]), g[kept], rtol=1e-10, atol=1e-12)
    for frame in ("panda_link4", "panda_rightfinger"):
        expected = whole.frame_pose(q, frame)
        np.testing.assert_allclose(part.frame_pose(q[kept], frame), expected, atol=1e-13)


def test_a_locked_floating_base_is_a_placed_robot() -> None:
    path = corpus_file("ur5_robot.urdf")
    free = load_urdf(path, floating_base=True)
    base = (0.1, 0.2, 0.3, 0.0, math.sin(0.2), 0.0, math.cos(0.2))
    part, whole = Robot(locked(free, {free.joint_names[0]: base})), Robot(free)
    q = np.linspace(-1.0, 1.0, 6)
    both = np.concatenate((base, q))
    expected = whole.frame_pose(both, "tool0")
    np.testing.assert_allclose(part.frame_pose(q, "tool0"), expected, atol=1e-13)
    g = whole.gravity_torque(both)[6:]
    np.testing.assert_allclose(part.gravity_torque(q), g, rtol=1e-10, atol=1e-10)


def test_wrong_locks_are_refused() -> None:
    model = load_urdf(corpus_file("panda.urdf"))
    with pytest.raises(UnknownNameError, match="did you mean 'panda_joint"):
        locked(model, {"panda_joint": 0.0})
    with pytest.raises(ArgumentError, match="lock 'panda_finger_joint1'"):
        locked(model, {"panda_finger_joint2": 0.0})
    for wrong in (math.nan, (0.0, 1.0), "here"):
        with pytest.raises(ArgumentError, match="panda_joint1"):
            locked(model, {"panda_joint1": wrong})  # type: ignore[dict-item]
