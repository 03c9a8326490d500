"""Steps on the configuration manifold, against Pinocchio and closed forms."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from dynamics_core import ArgumentError, Robot, manifold
from dynamics_core.model import Body, Joint, JointType, Limits, Model
from dynamics_core.spatial import Inertia, Transform

#: From rounding to almost a full turn, across the point where series give way to quotients.
ANGLES = (0.0, 1e-12, 1e-6, 1e-3, 0.0099, 0.0101, 0.3, 1.0, 3.0, 6.0)


def robot(kind: JointType, limits: Limits = Limits()) -> Robot:
    """One massless body on one joint."""
    joint = Joint("joint", kind, 0, 0, limits)
    body = Body("body", -1, joint, Transform.identity(), Inertia.zero())
    return Robot(Model("robot", (body,), ()))


def random_pose(rng: np.random.Generator) -> np.ndarray:
    """Position and unit quaternion."""
    quaternion = rng.normal(size=4)
    return np.concatenate((rng.normal(size=3), quaternion / np.linalg.norm(quaternion)))


@pytest.mark.parametrize("angle", ANGLES)
def test_floating_steps_are_those_of_se3(angle: float) -> None:
    """The exponential, and its inverse where it has one."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, xi = random_pose(rng), rng.normal(size=6)
        xi[3:] *= angle / np.linalg.norm(xi[3:])
        moved = manifold.floating_step(q, xi)
        expected = pin.XYZQUATToSE3(q) * pin.exp6(xi)
        np.testing.assert_allclose(
            pin.XYZQUATToSE3(moved).homogeneous, expected.homogeneous, atol=3e-15
        )
        assert np.linalg.norm(moved[3:]) == pytest.approx(1.0, abs=1e-15)
        if angle < np.pi:
            np.testing.assert_allclose(manifold.floating_difference(q, moved), xi, atol=1e-13)


def test_half_a_turn_is_the_most_that_a_difference_turns() -> None:
    """Either sign of a quaternion is the same place."""
    rng = np.random.default_rng(1)
    q0, q1 = random_pose(rng), random_pose(rng)
    other = np.concatenate((q1[:3], -q1[3:]))
    step = manifold.floating_difference(q0, q1)
    np.testing.assert_allclose(manifold.floating_difference(q0, other), step, atol=1e-14)
    assert np.linalg.norm(step[3:]) <= np.pi


def test_a_planar_body_drives_in_a_circle() -> None:
    """Forwards at 2 m/s while turning at 0.5 rad/s: radius 4 m."""
    car = robot(JointType.PLANAR)
    quarter = np.pi / 2 / 0.5
    q = car.integrate([1.0, 2.0, 0.0], [2.0, 0.0, 0.5], quarter)
    np.testing.assert_allclose(q, [5.0, 6.0, np.pi / 2], atol=1e-14)
    step = car.difference([1.0, 2.0, 0.0], q)
    np.testing.assert_allclose(step, np.array([2.0, 0.0, 0.5]) * quarter, atol=1e-14)


@pytest.mark.parametrize("angle", ANGLES[:-1])
def test_planar_difference_undoes_step(angle: float) -> None:
    """In batches, from any heading."""
    rng = np.random.default_rng(2)
    q0, xi = rng.normal(size=(2, 50, 3))
    xi[:, 2] = angle * rng.choice([-1.0, 1.0], 50)
    q1 = manifold.planar_step(q0, xi)
    np.testing.assert_allclose(manifold.planar_difference(q0, q1), xi, atol=1e-13)


def test_one_coordinate_adds() -> None:
    """Angles are not wrapped, and durations may differ by row."""
    joint = robot(JointType.CONTINUOUS)
    q = joint.integrate([[3.0], [3.0]], [10.0], [1.0, 2.0])
    np.testing.assert_allclose(q, [[13.0], [23.0]])
    np.testing.assert_allclose(joint.difference([3.0], [13.0]), [10.0])


def test_random_states_are_within_the_limits() -> None:
    """And everything stays finite where one side is open."""
    rng = np.random.default_rng(3)
    slider = robot(JointType.PRISMATIC, Limits(0.2, 0.5, velocity=0.1))
    q, v = slider.random_state(rng, 200)
    assert q.shape == v.shape == (200, 1)
    assert 0.2 <= q.min() < 0.25
    assert 0.45 < q.max() <= 0.5
    assert np.abs(v).max() <= 0.1
    assert slider.neutral() == pytest.approx([0.2])
    for limits in (Limits(lower=5.0), Limits(upper=-5.0), Limits()):
        open_ended = robot(JointType.REVOLUTE, limits)
        q, v = open_ended.random_state(rng)
        assert q.shape == v.shape == (1,)
        assert limits.lower <= q[0] <= limits.upper
        assert np.isfinite(q).all()
    free = robot(JointType.FLOATING)
    q, _ = free.random_state(rng, 50)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:], axis=1), 1.0)
    np.testing.assert_allclose(free.neutral(), [0, 0, 0, 0, 0, 0, 1])


def test_misuse_is_explained() -> None:
    """Shapes, numbers that are not finite, quaternions that are not of norm 1."""
    free = robot(JointType.FLOATING)
    with pytest.raises(ArgumentError, match="norm"):
        free.integrate(np.ones(7), np.zeros(6))
    with pytest.raises(ArgumentError, match=r"\(7,\)"):
        free.integrate(np.zeros(6), np.zeros(6))
    with pytest.raises(ArgumentError, match="finite"):
        free.integrate(free.neutral(), np.zeros(6), np.nan)
    with pytest.raises(ArgumentError, match="nan"):
        free.difference(free.neutral(), np.full(7, np.nan))
    with pytest.raises(ArgumentError, match="rows"):
        free.difference(np.tile(free.neutral(), (2, 1)), np.tile(free.neutral(), (3, 1)))
