"""Iterative learning control."""

import numpy as np
import pytest
from arms import arm, simulate

from dynamics_core import ArgumentError
from dynamics_core.control import InverseDynamicsControl, IterativeLearning, JointSelection


def test_repeats_of_a_motion_get_better_although_the_model_lacks_friction():
    robot = arm(2)
    control = InverseDynamicsControl(robot, JointSelection(robot))
    control.set_gains(200.0, 20.0)
    period, samples = 0.002, 400
    times = period * np.arange(samples)
    q_d = np.array([0.3, 0.2]) * (1.0 - np.cos(4.0 * times))[:, None]
    v_d = np.gradient(q_d, period, axis=0)
    a_d = np.gradient(v_d, period, axis=0)
    learning = IterativeLearning(
        samples, 2, position_gain=100.0, velocity_gain=15.0, lead=2, smoothing=2
    )

    def torque(t, q, v):
        k = round(t / period)
        return control.step(q, v, q_d[k], v_d[k], a_d[k]) + learning.torque[k]

    for _ in range(8):
        q, v, _ = simulate(
            robot,
            q_d[0],
            v_d[0],
            torque,
            samples * period,
            period=period,
            resistance=lambda v: 1.5 * v + 2.0 * np.tanh(v / 0.05),
        )
        learning.learn(q_d - q, v_d - v)
    assert learning.errors[-1] < 0.15 * learning.errors[0]


def test_what_is_learnt_is_limited_and_bad_errors_are_refused():
    learning = IterativeLearning(5, 2, position_gain=100.0, limit=[3.0, 1.0])
    learning.learn(np.ones((5, 2)))
    assert learning.torque.tolist() == [[3.0, 1.0]] * 5
    with pytest.raises(ArgumentError, match="all finite"):
        learning.learn(np.full((5, 2), np.nan))
    with pytest.raises(ArgumentError, match=r"expected \(5, 2\)"):
        learning.learn(np.ones((4, 2)))
    assert learning.torque.tolist() == [[3.0, 1.0]] * 5
    with pytest.raises(ArgumentError, match="velocity_error is needed"):
        IterativeLearning(5, 2, position_gain=1.0, velocity_gain=1.0).learn(np.ones((5, 2)))


def test_the_filter_has_no_delay_and_keeps_constants():
    learning = IterativeLearning(101, 1, position_gain=1.0, lead=0, smoothing=5)
    pulse = np.zeros((101, 1))
    pulse[50] = 11.0
    learnt = learning.learn(pulse)
    assert learnt[:, 0] == pytest.approx(np.where(np.abs(np.arange(101) - 50) <= 5, 1.0, 0.0))
    flat = IterativeLearning(50, 1, position_gain=1.0, smoothing=5).learn(np.full((50, 1), 2.0))
    assert flat == pytest.approx(np.full((50, 1), 2.0))
