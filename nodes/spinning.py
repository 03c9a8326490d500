"""The thread of a node: cycles at their time, which may be simulated, and requests in between."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from builtin_interfaces.msg import Time
from rclpy.executors import ExternalShutdownException
from rclpy.subscription import Subscription
from rosgraph_msgs.msg import Clock

from .loop import LoopTimer, monotonic
from .polling import POLLED, wait_for_message
from .process import StopRequest
from .requests import Requests

__all__ = ["Spinning"]

#: How long to wait for a request where there is nothing else to do, s.
IDLE_PERIOD = 0.02

#: Longest time between two cycles when simulated time stands still, s.
STILL_CLOCK_PERIOD = 0.05


class Spinning:
    """Mixin of a node: its loop, which owns the thread.

    What the node is, it says by ``self._state``; the loop runs in the state "active".
    """

    #: Whether the loop always runs on wall time, as a source of /clock must.
    wall_time: ClassVar[bool] = False

    get_logger: Callable[[], Any]  # those of the node
    get_clock: Callable[[], Any]
    subscriptions: Iterator[Subscription]
    fault: Callable[[str, str], None]
    recovered: Callable[[str, str], None]

    def __init__(self, *args: Any, **options: Any) -> None:
        self._state = "unconfigured"
        self._timer: LoopTimer | None = None
        self._last_cycle = 0.0
        super().__init__(*args, **options)

    # What a node may define ----------------------------------------------------------------

    def cycle(self, now: float, dt: float) -> None:
        """One period: ``now`` is the loop's time, ``dt`` the time since the last cycle, s."""

    def cycle_failed(self, now: float, dt: float) -> None:
        """A cycle raised: command what is safe."""

    def time_jumped(self) -> None:
        """Simulated time went backwards: forget what depends on time."""

    def between_cycles(self) -> None:
        """Do a piece of what takes time: called between any two cycles and requests."""

    # What a node uses ----------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the loop runs."""
        return self._state == "active"

    def loop_time(self) -> float:
        """The loop's clock: wall time that never jumps, or simulated time, s."""
        if not self.wall_time and self.get_clock().ros_time_is_active:
            return float(self.get_clock().now().nanoseconds * 1e-9)
        return monotonic()

    def stamp_to_loop_time(self, stamp: Time) -> float:
        """A stamp on the loop's clock, s."""
        now = self.get_clock().now().nanoseconds
        return self.loop_time() + (stamp.sec * 1_000_000_000 + stamp.nanosec - now) * 1e-9

    # The loop ------------------------------------------------------------------------------

    def spin(self, stop: StopRequest, requests: Requests) -> None:
        """Run until asked to stop."""
        clock = self._find_clock()
        while not stop.requested:
            self.between_cycles()
            if clock is not None:
                self._hear_clock(clock)
            if not self.active or self._timer is None:
                served = self._serve(requests, IDLE_PERIOD)
            elif clock is not None and not self.wall_time:
                served = self._step_on_simulated_time(self._timer, requests, clock)
            else:
                served = self._step_on_wall_time(self._timer, requests)
            if served:
                clock = self._find_clock()

    def _find_clock(self) -> Subscription | None:
        """The subscription to /clock that rclpy has made, if any; from now on the loop reads it."""
        if not self.get_clock().ros_time_is_active:
            return None
        for subscription in self.subscriptions:
            if subscription.msg_type is Clock:
                # Its events, too: an executor that waits for them is woken by every message.
                for entity in (subscription, *subscription.event_handlers):
                    entity.callback_group = POLLED
                return subscription
        return None

    @staticmethod
    def _hear_clock(clock: Subscription) -> None:
        with clock.handle:
            taken = clock.handle.take_message(clock.msg_type, False)
        if taken is not None:
            clock.callback(taken[0])

    def _serve(self, requests: Requests, timeout: float) -> bool:
        """Serve a request; one that fails, such as an impossible transition, ends nothing."""
        try:
            return requests.serve(timeout)
        except ExternalShutdownException:
            raise
        except Exception as error:
            self.get_logger().error(f"a request failed: {error}")
            return True

    def _step_on_wall_time(self, timer: LoopTimer, requests: Requests) -> bool:
        served = self._serve(requests, max(0.0, timer.deadline - monotonic()))
        now = monotonic()
        if self.active and now >= timer.deadline:
            self._run_cycle(timer, now)
        return served

    def _step_on_simulated_time(
        self, timer: LoopTimer, requests: Requests, clock: Subscription
    ) -> bool:
        now, wall = self.loop_time(), monotonic()
        if now < timer.deadline - 2.0 * timer.period:
            self.get_logger().warning("simulated time went backwards; starting over")
            timer.restart(now)
            self.time_jumped()
        # A tick may be the deadline itself but for rounding, and the next one may wait for us.
        if now >= timer.deadline - 1e-3 * timer.period:
            self._run_cycle(timer, now)
            self._last_cycle = wall
        elif wall - self._last_cycle > STILL_CLOCK_PERIOD:
            # The clock stands still. What has to be noticed and answered goes on: inputs that
            # have stopped, commands that have to be made safe.
            self._run_cycle(timer, now, wall - self._last_cycle)
            self._last_cycle = wall
        if self._serve(requests, 0.0):
            return True
        wait_for_message(self, min(timer.period, IDLE_PERIOD), clock)
        return False

    def _run_cycle(self, timer: LoopTimer, now: float, still: float | None = None) -> None:
        """One cycle; ``still`` is the wall time since the last one if the clock stands still."""
        dt = timer.begin(now) if still is None else still
        start = monotonic()
        try:
            self.cycle(now, dt)
            self.recovered("cycle", "the cycle runs again")
        except Exception:
            self.fault(
                "cycle",
                f"a cycle failed; the robot gets no new command from it:\n{traceback.format_exc()}",
            )
            self.cycle_failed(now, dt)
        timer.end(monotonic() - start)
