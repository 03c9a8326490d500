"""Commands stay finite, within limits, and free of jumps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamics_core import ArgumentError
from dynamics_core.control import CommandGuard

ANY = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(st.tuples(ANY, ANY, st.booleans()), min_size=1, max_size=20))
def test_whatever_the_law_wants_the_command_is_finite_and_within_limits(wishes):
    guard = CommandGuard([5.0, 2.0])
    for first, second, switch in wishes:
        if switch:
            guard.switch(0.1)
        command = guard.apply([first, second], 0.01)
        assert np.isfinite(command).all()
        assert (np.abs(command) <= [5.0, 2.0]).all()


def test_a_value_that_is_not_finite_keeps_the_last_command_of_its_joint():
    guard = CommandGuard([10.0, 10.0])
    guard.apply([1.0, 2.0], 0.01)
    assert guard.apply([float("nan"), 3.0], 0.01).tolist() == [1.0, 3.0]
    assert guard.rejected.tolist() == [True, False]


def test_a_switch_is_a_ramp_that_ends_exactly_at_the_law():
    guard = CommandGuard([100.0])
    guard.apply([10.0], 0.01)
    guard.switch(0.5)
    commands = [guard.apply([-30.0], 0.01)[0] for _ in range(60)]
    steps = np.diff([10.0, *commands])
    assert np.abs(steps).max() == pytest.approx(40.0 * 0.01 / 0.5)
    assert commands[48] > -30.0
    assert commands[50:] == [-30.0] * 10
    assert not guard.ramping


def test_a_law_that_moves_during_the_ramp_is_followed():
    guard = CommandGuard([100.0])
    guard.switch(0.1)
    for k in range(20):
        command = guard.apply([float(k)], 0.01)[0]
    assert command == 19.0


def test_the_first_ramp_starts_from_the_effort_given():
    guard = CommandGuard([100.0, 20.0, 5.0])
    guard.start([40.0, float("nan"), 50.0])
    guard.switch(1.0)
    assert guard.apply([40.0, 10.0, 5.0], 0.001) == pytest.approx([40.0, 0.01, 5.0])


def test_saturation_is_reported_by_name():
    guard = CommandGuard([1.0, 1.0])
    guard.apply([0.5, -3.0], 0.01)
    assert guard.command.tolist() == [0.5, -1.0]
    assert guard.saturated_names(["a", "b"]) == ["b"]


def test_the_rate_of_change_is_limited_where_asked():
    guard = CommandGuard([100.0, 100.0], [50.0, np.inf])
    assert guard.apply([10.0, 10.0], 0.1).tolist() == [5.0, 10.0]


def test_limits_that_make_no_sense_are_refused():
    with pytest.raises(ArgumentError, match="effort limits"):
        CommandGuard([1.0, float("nan")])
    with pytest.raises(ArgumentError, match="effort limits"):
        CommandGuard([-1.0])
    with pytest.raises(ArgumentError, match="2 joints"):
        CommandGuard([1.0, 1.0]).set_limits([1.0])


def test_it_is_ramping_as_long_as_a_rate_limit_holds_it_back():
    guard = CommandGuard([100.0], [10.0])
    guard.switch(0.1)
    steps = 0
    while True:
        guard.apply([5.0], 0.01)
        steps += 1
        if not guard.ramping:
            break
    assert steps in (50, 51)
    assert guard.command[0] == pytest.approx(5.0)
