"""Timing calls against each other so that a busy machine hurts both alike.

A round is short, about a millisecond a contender: on a machine that has other things to do, most
rounds then pass without being interrupted, and medians over many rounds mean something.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from timeit import Timer

Call = Callable[[], object]


def interleaved(
    calls: Mapping[str, tuple[str, Mapping[str, object]] | Call],
    seconds: float = 0.001,
    rounds: int = 41,
) -> dict[str, list[float]]:
    """Seconds per call of each, in every round.

    Args:
        calls: By name, either (statement, its names), which is timed as it stands, or a function.
        seconds: About how long each is run in each round.
        rounds: Each round runs them all, one after the other.
    """
    timers = {
        name: Timer(call[0], globals=dict(call[1])) if isinstance(call, tuple) else Timer(call)
        for name, call in calls.items()
    }
    numbers = {}
    for name, timer in timers.items():
        timer.timeit(1)
        number = 1
        while (taken := timer.timeit(number)) < seconds / 4:
            number *= 4
        numbers[name] = max(1, round(number * seconds / taken))
    times: dict[str, list[float]] = {name: [] for name in timers}
    gc.collect()
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer.timeit(numbers[name]) / numbers[name])
    return times


def ratio(times: Mapping[str, list[float]], slow: str, fast: str) -> float:
    """How many times faster: median over the rounds of the ratios within a round."""
    return statistics.median(a / b for a, b in zip(times[slow], times[fast], strict=True))


def median(times: Mapping[str, list[float]], name: str) -> float:
    """Median seconds per call."""
    return statistics.median(times[name])


def once(call: Call) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
