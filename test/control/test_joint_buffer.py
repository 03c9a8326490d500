"""Joint states from messages of any shape."""

import numpy as np
import pytest

from dynamics_core import ArgumentError
from dynamics_core.joint_buffer import JointBuffer

NAN = float("nan")


def test_values_go_to_their_joints_whatever_the_order():
    buffer = JointBuffer(["a", "b", "c"])
    buffer.update(["c", "a", "b"], [3.0, 1.0, 2.0], [30.0, 10.0, 20.0], [-3.0, -1.0, -2.0], now=0.0)
    assert buffer.position.tolist() == [1.0, 2.0, 3.0]
    assert buffer.velocity.tolist() == [10.0, 20.0, 30.0]
    assert buffer.effort.tolist() == [-1.0, -2.0, -3.0]
    buffer.update(["b", "c", "a"], [5.0, 6.0, 4.0], [], [], now=0.1)
    assert buffer.position.tolist() == [4.0, 5.0, 6.0]
    assert buffer.velocity.tolist() == [10.0, 20.0, 30.0]


def test_partial_messages_merge_and_foreign_joints_are_ignored():
    buffer = JointBuffer(["a", "b"])
    assert buffer.update(["left_wheel", "a"], [9.0, 1.0], [], [], now=0.0)
    assert buffer.missing(["position"]) == ["b"]
    assert not buffer.update(["left_wheel", "right_wheel"], [9.0, 9.0], [], [], now=0.0)
    assert buffer.update(["b"], [2.0], [], [], now=0.0)
    assert buffer.missing(["position"]) == []
    assert buffer.position.tolist() == [1.0, 2.0]
    assert buffer.missing(["position", "velocity"]) == ["a", "b"]


def test_what_is_not_finite_counts_as_not_sent():
    buffer = JointBuffer(["a", "b"])
    buffer.update(["a", "b"], [1.0, NAN], [NAN, NAN], [float("inf"), 2.0], now=0.0)
    assert buffer.missing(["position"]) == ["b"]
    assert buffer.missing(["effort"]) == ["a"]
    buffer.update(["a", "b"], [NAN, 2.0], [], [], now=5.0)
    assert buffer.position.tolist() == [1.0, 2.0]
    assert buffer.stale(["position"], now=5.05, timeout=0.1) == ["a"]


def test_a_joint_that_stops_is_named():
    buffer = JointBuffer(["a", "b", "c"])
    buffer.update(["a", "b", "c"], [0.0] * 3, [0.0] * 3, [], now=1.0)
    buffer.update(["a", "c"], [0.0] * 2, [0.0] * 2, [], now=2.0)
    assert buffer.stale(["position", "velocity"], now=2.05, timeout=0.1) == ["b"]
    assert buffer.stale(["position"], now=2.05, timeout=0.1, joints=[0, 2]) == []
    assert buffer.age(["position"], now=2.5) == pytest.approx(1.5)


def test_a_message_that_contradicts_itself_changes_nothing():
    buffer = JointBuffer(["a", "b"])
    buffer.update(["a", "b"], [1.0, 2.0], [], [], now=0.0)
    with pytest.raises(ArgumentError, match="2 joints but has 1 values of velocity"):
        buffer.update(["a", "b"], [7.0, 8.0], [1.0], [], now=1.0)
    with pytest.raises(ArgumentError, match="'a' twice"):
        buffer.update(["a", "a"], [7.0, 8.0], [], [], now=1.0)
    assert buffer.position.tolist() == [1.0, 2.0]
    assert buffer.stale(["position"], now=1.0, timeout=0.5) == ["a", "b"]


def test_forgetting_makes_every_joint_missing():
    buffer = JointBuffer(["a"])
    buffer.update(["a"], [1.0], [], [], now=0.0)
    buffer.forget()
    assert buffer.missing(["position"]) == ["a"]
    assert np.isnan(buffer.position).all()
