"""What a posture can hold within the effort limits."""

from __future__ import annotations

import numpy as np
import pytest
from identities.tools import agree
from known_robots import planar_2r, states, with_referee

from dynamics_core import ArgumentError


def test_stretched_arm_by_hand() -> None:
    """Own weight takes 3 m g at the shoulder, a load of mass M another 2 M g, of 100 N m."""
    found = planar_2r().payload_capacity([0.0, 0.0], "tip")
    assert found.joint == "shoulder"
    assert found.overloaded == ()
    agree(found.mass, (100.0 - 3.0 * 9.81) / (2.0 * 9.81))
    agree(found.torque[0], 100.0)


def test_holding_it_takes_just_the_limit() -> None:
    """With that payload, some joint is at its limit and none beyond."""
    robot, _ = with_referee("panda.urdf", False)
    com = (0.02, -0.01, 0.1)
    for q in states(robot, 8)[0]:
        found = robot.payload_capacity(q, "panda_hand", com=com, scale=2.0)
        tau = robot.with_payload("panda_hand", found.mass, com).gravity_torque(q)
        share = np.abs(tau) / (2.0 * robot.effort_limits)
        agree(found.torque, tau)
        agree(share.max(), 1.0)
        assert robot.joint_names[int(share.argmax())] == found.joint


def test_a_load_that_relieves_is_bounded_on_the_other_side() -> None:
    """Pulling the tip up: 3 m g of own weight helps before the limit is reached."""
    found = planar_2r().payload_capacity([0.0, 0.0], "tip", direction=(0.0, 5.0, 0.0))
    agree(found.force, (100.0 + 3.0 * 9.81) / 2.0)
    agree(found.torque[0], -100.0)


def test_an_arm_that_cannot_hold_itself() -> None:
    found = planar_2r().payload_capacity([0.0, 0.0], "tip", limits=[20.0, 5.0])
    assert found.mass == 0.0
    assert found.overloaded == ("shoulder", "elbow")


def test_no_limit_and_no_lever_bound_nothing() -> None:
    robot = planar_2r()
    assert robot.payload_capacity([0.0, 0.0], "tip", limits=[np.inf, np.inf]).mass == np.inf
    hanging = robot.payload_capacity([0.0, 0.0], "tip", direction=(1.0, 0.0, 0.0))
    assert hanging.force == np.inf
    assert hanging.joint is None


def test_misuse() -> None:
    robot = planar_2r()
    with pytest.raises(ArgumentError, match="expected 2 numbers"):
        robot.payload_capacity([0.0, 0.0], "tip", limits=[1.0])
    with pytest.raises(ArgumentError, match="there is no gravity"):
        robot.with_gravity((0, 0, 0)).payload_capacity([0.0, 0.0], "tip")
    with pytest.raises(ArgumentError, match="one position"):
        robot.payload_capacity(np.zeros((3, 2)), "tip")
    with pytest.raises(ArgumentError, match="scale"):
        robot.payload_capacity([0.0, 0.0], "tip", scale=0.0)
