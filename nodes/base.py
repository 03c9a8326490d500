"""What every node of this package is: :class:`DynamicsNode`.

A subclass says what is its own:

    class Pendulum(DynamicsNode):
        parameters = (Parameter("damping", 0.1, "Damping of the hinge.", unit="N m s/rad"),)

        def configured(self) -> None: ...    # self.robot is there; make publishers and objects
        def activated(self) -> None: ...     # the loop starts
        def cycle(self, now, dt) -> None: ...  # once a period, seconds on self.loop_time()
        def deactivated(self) -> None: ...   # leave the robot safe; may block for a second
        def cleaned_up(self) -> None: ...    # drop what configured() made
        def settings_changed(self, names) -> None: ...   # parameters changed, all checked
        def check_settings(self, values) -> None: ...    # raise ParameterError to refuse
        def diagnose(self) -> Iterator[DiagnosticStatus]: ...

    def main(args=None) -> int:
        return run(Pendulum, "pendulum", args)

The base gives: lifecycle with ``autostart``; the robot from the parameter or the latched topic
``robot_description``; ``self.settings``; ``self.poll(type, topic, qos)`` for fast inputs and
``self.advertise(type, topic, qos)`` for outputs, both overridable; the loop at ``rate`` on wall or
simulated time; diagnostics at 1 Hz; ``self.fault(key, text)`` and ``self.recovered(key, text)`` to
say something once; an end that is clean on SIGINT and SIGTERM.
"""

from __future__ import annotations

import copy
import gc
import traceback
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from dynamics_core import DynamicsError, Robot

from .loop import POLLED, LoopTimer, PolledSubscription, monotonic, wait_for_message
from .parameters import Parameter, ParameterError, Settings
from .process import StopRequest, run
from .qos import LATCHED, QUEUE
from .reporting import Reporting, loop_status, status
from .requests import Requests
from .robot_parameters import ROBOT_PARAMETERS, build_robot, check_robot_settings, with_settings

__all__ = ["DynamicsNode", "run", "status"]

#: How long to wait for a request where there is nothing else to do, s.
IDLE_PERIOD = 0.02

#: Longest time between two cycles when simulated time stands still, s.
STILL_CLOCK_PERIOD = 0.05


class DynamicsNode(Reporting, LifecycleNode):
    """A lifecycle node with a robot, checked parameters, a loop and diagnostics."""

    #: Parameters of the node besides those of every node.
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    #: Functions of the robot that the loop calls: compiled beforehand, since it cannot wait.
    functions: ClassVar[tuple[str, ...]] = ()
    batch_functions: ClassVar[tuple[str, ...]] = ()

    #: Whether the loop always runs on wall time, as a source of /clock must.
    wall_time: ClassVar[bool] = False

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.robot: Robot | None = None
        self._bare_robot: Robot | None = None
        self._description = ""
        self._state = "unconfigured"
        self._timer: LoopTimer | None = None
        self.settings = Settings(
            self,
            self.parameter_table(),
            self._check_settings,
            lambda: self._state == "unconfigured",
            self._settings_changed,
        )
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", QUEUE)
        self._reporting = self._report()
        self._description_topic = self.create_subscription(
            String, "robot_description", self._hear_description, LATCHED
        )
        self._start_pending = bool(self.settings["autostart"])
        self._last_cycle = 0.0
        self._waiting_since = monotonic()

    # What a subclass may define ------------------------------------------------------------

    def configured(self) -> None:
        """The robot is known: make what the node needs. Raise to refuse."""

    def activated(self) -> None:
        """The loop is about to start."""

    def cycle(self, now: float, dt: float) -> None:
        """One period: ``now`` is the loop's time, ``dt`` the time since the last cycle, s."""

    def deactivated(self) -> None:
        """The loop has ended: leave the robot safe."""

    def cleaned_up(self) -> None:
        """Drop what :meth:`configured` made."""

    def check_settings(self, values: dict[str, Any]) -> None:
        """Raise :class:`ParameterError` if the values do not fit together."""

    def settings_changed(self, names: set[str]) -> None:
        """Parameters have changed; ``self.robot`` already follows them."""

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """The node's own diagnostics; see :func:`status`. A cycle may run between two of them."""
        yield from ()

    def time_jumped(self) -> None:
        """Simulated time went backwards: forget what depends on time."""

    # What a subclass uses ------------------------------------------------------------------

    @classmethod
    def parameter_table(cls) -> tuple[Parameter, ...]:
        """All parameters of the node."""
        return ROBOT_PARAMETERS + cls.parameters

    @property
    def active(self) -> bool:
        """Whether the loop runs."""
        return self._state == "active"

    @property
    def model(self) -> Robot:
        """The robot, which a configured node has."""
        if self.robot is None:
            raise RuntimeError(f"{self.get_name()} is not configured and has no robot")
        return self.robot

    def poll(self, kind: Any, topic: str, qos: QoSProfile, raw: bool = False) -> PolledSubscription:
        """Subscribe to a topic that :meth:`cycle` reads by itself, ``raw`` as bytes."""
        return PolledSubscription(self, kind, topic, qos, raw)

    def advertise(self, kind: Any, topic: str, qos: QoSProfile) -> Publisher:
        """A publisher whose quality of service parameters can override."""
        return self.create_publisher(
            kind,
            topic,
            copy.copy(qos),  # rclpy writes into it what parameters override
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def loop_time(self) -> float:
        """The loop's clock: wall time that never jumps, or simulated time, s."""
        if self._simulated_time():
            return self.get_clock().now().nanoseconds * 1e-9
        return monotonic()

    def stamp_to_loop_time(self, stamp: Time) -> float:
        """A stamp on the loop's clock, s."""
        now = self.get_clock().now().nanoseconds
        return self.loop_time() + (stamp.sec * 1_000_000_000 + stamp.nanosec - now) * 1e-9

    # Lifecycle -----------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check the parameters, build the robot, let the node make what it needs."""
        try:
            self.settings.verify()
            text = self.settings["robot_description"] or self._description
            if not text:
                self.fault(
                    "description",
                    f"no robot description: parameter robot_description is empty and nothing "
                    f"came on {self._description_topic.topic_name}",
                )
                return TransitionCallbackReturn.FAILURE
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._bare_robot = build_robot(text)
                self.robot = with_settings(self._bare_robot, self.settings)
                self.robot.compile(*self.functions)
                self.robot.compile(*self.batch_functions, batch=True)
                self.configured()
            for warning in caught:
                self.get_logger().warning(f"robot description: {warning.message}")
        except (ParameterError, DynamicsError, ValueError, OSError) as error:
            self.get_logger().error(f"cannot configure: {error}")
            self._drop()
            return TransitionCallbackReturn.FAILURE
        except Exception:
            self.get_logger().error(f"cannot configure:\n{traceback.format_exc()}")
            self._drop()
            return TransitionCallbackReturn.FAILURE
        self._timer = LoopTimer(self.settings["rate"], self.loop_time())
        self._state = "inactive"
        robot = self.model
        self.get_logger().info(
            f"robot {robot.name!r}: {robot.nv} joints, {robot.total_mass:.3f} kg, gravity "
            f"{np.array2string(np.asarray(self.settings['gravity']), separator=', ')} m/s2"
        )
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the loop."""
        try:
            self.activated()
        except Exception as error:
            self.get_logger().error(f"cannot activate: {error}")
            return TransitionCallbackReturn.FAILURE
        self._state = "active"
        # What is there now stays: the collector, which stops everything for as long as it takes
        # to look through it, has only what is made from now on to look through.
        gc.collect()
        gc.freeze()
        if self._timer is not None:
            self._timer.restart(self.loop_time())
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End the loop, leave the robot safe."""
        self._state = "inactive"
        self._leave_safe()
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Go back to where parameters can change."""
        self._drop()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End for good, leave the robot safe."""
        if self._state == "active":
            self._leave_safe()
        self._state = "finalized"
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """A transition failed badly: leave the robot safe and start over."""
        if self._state == "active":
            self._leave_safe()
        self._drop()
        return TransitionCallbackReturn.SUCCESS

    def _leave_safe(self) -> None:
        try:
            self.deactivated()
        except Exception:
            self.get_logger().error(f"could not end cleanly:\n{traceback.format_exc()}")

    def _drop(self) -> None:
        try:
            self.cleaned_up()
        finally:
            self.robot = self._bare_robot = None
            self._state = "unconfigured"
            gc.unfreeze()

    # Parameters and description ------------------------------------------------------------

    def _check_settings(self, values: dict[str, Any]) -> None:
        check_robot_settings(values)
        self.check_settings(values)
        if self._bare_robot is not None:
            with_settings(self._bare_robot, values)

    def _settings_changed(self, names: set[str]) -> None:
        if self._bare_robot is not None:
            if any(n == "gravity" or n.startswith("payload.") for n in names):
                self.robot = with_settings(self._bare_robot, self.settings)
            self.settings_changed(names)
        elif self.settings["autostart"]:
            self._start_pending = True

    def _hear_description(self, message: String) -> None:
        if self.settings["robot_description"] or not message.data:
            return
        if self._state == "unconfigured":
            self._description = message.data
            self._start_pending = self._start_pending or bool(self.settings["autostart"])
        elif message.data != self._description:
            self.get_logger().warning(
                f"another robot description came on {self._description_topic.topic_name}; clean "
                "this node up and configure it again to use it"
            )

    def _autostart(self) -> None:
        if self.settings["robot_description"] or self._description or self.settings.startup_errors:
            self._start_pending = False
            if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
                self.trigger_activate()
        elif monotonic() - self._waiting_since > 2.0:
            self.warn(
                "description",
                f"waiting for a robot description on {self._description_topic.topic_name} "
                "(or set the parameter robot_description)",
            )

    # The loop ------------------------------------------------------------------------------

    def _simulated_time(self) -> bool:
        return not self.wall_time and bool(self.get_clock().ros_time_is_active)

    def spin(self, stop: StopRequest, requests: Requests) -> None:
        """Run until asked to stop."""
        clock = self._find_clock()
        while not stop.requested:
            next(self._reporting)
            if self._start_pending and self._state == "unconfigured":
                self._autostart()
            if not self.active or self._timer is None:
                served = self._serve(requests, IDLE_PERIOD)
                if clock is not None:
                    self._hear_clock(clock)
            elif clock is not None and not self.wall_time:
                served = self._step_on_simulated_time(self._timer, requests, clock)
            else:
                if clock is not None:
                    self._hear_clock(clock)
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
        if self._serve(requests, 0.0):
            return True
        if wait_for_message(self, min(timer.period, IDLE_PERIOD), clock):
            self._hear_clock(clock)
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

    def cycle_failed(self, now: float, dt: float) -> None:
        """A cycle raised: command what is safe."""

    def _report(self) -> Iterator[None]:
        """Publish diagnostics once a second, a piece at a time: no cycle waits for all of it."""
        name = self.get_fully_qualified_name().lstrip("/")
        while True:
            due = monotonic() + 1.0
            while monotonic() < due:
                yield
            message, state = DiagnosticArray(), self._state
            message.header.stamp = self.get_clock().now().to_msg()
            message.status = [self._loop_status()]
            yield
            for entry in self.diagnose() if state == self._state else ():
                message.status.append(entry)
                yield
                if self._state != state:  # what would come next may be gone
                    break
            for entry in message.status:
                entry.name = f"{name}: {entry.name}"
                entry.hardware_id = self.robot.name if self.robot else ""
            self._diagnostics.publish(message)

    def _loop_status(self) -> DiagnosticStatus:
        if not self.active or self._timer is None:
            return status("loop", DiagnosticStatus.OK, self._state, {})
        return loop_status(self._timer, self.loop_time(), float(self.settings["rate"]))
