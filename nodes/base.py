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
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from std_msgs.msg import String

from dynamics_core import DynamicsError, Robot

from .loop import LoopTimer, monotonic
from .parameters import Parameter, ParameterError, Settings
from .polling import PolledSubscription
from .process import run
from .qos import LATCHED, QUEUE
from .reporting import Reporting, loop_status, status
from .robot_parameters import ROBOT_PARAMETERS, build_robot, check_robot_settings, with_settings
from .spinning import Spinning

__all__ = ["DynamicsNode", "run", "status"]


class DynamicsNode(Spinning, Reporting, LifecycleNode):
    """A lifecycle node with a robot, checked parameters, a loop and diagnostics."""

    #: Parameters of the node besides those of every node.
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    #: Functions of the robot that the loop calls: compiled beforehand, since it cannot wait.
    functions: ClassVar[tuple[str, ...]] = ()
    batch_functions: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.robot: Robot | None = None
        self._bare_robot: Robot | None = None
        self._description = ""
        self.settings = Settings(
            self,
            self.parameter_table(),
            self._check_settings,
            lambda: self._state == "unconfigured",
            self._settings_changed,
        )
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", QUEUE)
        self._description_topic = self.create_subscription(
            String, "robot_description", self._hear_description, LATCHED
        )
        self._start_pending = bool(self.settings["autostart"])
        self._waiting_since = monotonic()
        self._reporting = self._report()

    # What a subclass may define ------------------------------------------------------------

    def configured(self) -> None:
        """The robot is known: make what the node needs. Raise to refuse."""

    def activated(self) -> None:
        """The loop is about to start."""

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

    # What a subclass uses ------------------------------------------------------------------

    @classmethod
    def parameter_table(cls) -> tuple[Parameter, ...]:
        """All parameters of the node."""
        return ROBOT_PARAMETERS + cls.parameters

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

    def _start(self) -> None:
        if self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def _autostart(self) -> None:
        if self.settings["robot_description"] or self._description or self.settings.startup_errors:
            self._start_pending = False
            self.executor.create_task(self._start)
        elif monotonic() - self._waiting_since > 2.0:
            self.warn(
                "description",
                f"waiting for a robot description on {self._description_topic.topic_name} "
                "(or set the parameter robot_description)",
            )

    def between_cycles(self) -> None:
        """Go on with the diagnostics; start by itself once everything is there."""
        next(self._reporting)
        if self._start_pending and self._state == "unconfigured":
            self._autostart()

    # Diagnostics ---------------------------------------------------------------------------

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
