"""A simulated robot on topics: efforts or targets in, joint states out.

Hears ``effort_commands`` (Float64MultiArray in the order of ``joints``), ``joint_commands``
(JointState with positions, velocities or efforts by name) and ``external_wrench`` (WrenchStamped:
what the environment exerts on the link ``frame_id``, about its origin, in its axes). Says
``joint_states``, ``~/ground_truth/...`` and, where asked, ``/clock``. Serves ``~/reset`` and
``~/step`` (Trigger) and ``~/pause`` (SetBool).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_srvs.srv import SetBool, Trigger

from dynamics_core import DynamicsError
from dynamics_core.simulation import Simulator

from .base import DynamicsNode, run, status
from .loop import monotonic
from .parameters import Parameter
from .sim_input import SimInput
from .sim_output import SimOutput
from .sim_pace import Pace
from .sim_parameters import (
    SIM_PARAMETERS,
    build_simulator,
    check_sim_settings,
    commanded_joints,
    scaled,
    state_of,
)
from .sim_recorder import Recorder

__all__ = ["ForwardDynamicsSim", "main"]


class ForwardDynamicsSim(DynamicsNode):
    """The node."""

    parameters = SIM_PARAMETERS
    wall_time = True

    @classmethod
    def parameter_table(cls) -> tuple[Parameter, ...]:
        """All parameters; the rate is that of the samples."""
        own = {p.name for p in cls.parameters}
        return tuple(p for p in super().parameter_table() if p.name not in own) + cls.parameters

    def check_settings(self, values: dict[str, Any]) -> None:
        """Refuse values that do not fit together."""
        check_sim_settings(values)

    # Lifecycle -----------------------------------------------------------------------------

    def configured(self) -> None:
        """Make the simulator, its topics and services."""
        robot, values = self.model, self.settings
        self.joints = commanded_joints(robot, values)
        description = values["robot_description"] or self._description
        self.simulator: Simulator = build_simulator(robot, self.joints, values, description)
        self.simulator.reset(state_of(robot, self.joints, values, "initial"))
        self.paused = bool(values["start_paused"])
        self._pace = Pace(values["realtime_factor"])
        self._read_settings()
        self._stamp_offset = (
            self.get_clock().now().nanoseconds if not values["publish_clock"] else 0
        )
        self._late = 0
        self._sample_sent: float | None = None  # when lockstep began to wait for its answer
        self._ground_truth_due = 0.0
        self._clock_due = 0.0
        self._recorder = Recorder(values["record"]) if values["record"] else None
        self._input = SimInput(self, self.simulator, self.joints, self._record)
        self._output = SimOutput(
            self, self.simulator, values["locked_joints"], values["publish_clock"], self._recorder
        )
        self._own_services = [
            self.create_service(Trigger, "~/reset", self._reset),
            self.create_service(Trigger, "~/step", self._step),
            self.create_service(SetBool, "~/pause", self._pause),
        ]

    def activated(self) -> None:
        """Say the first state."""
        self._sample_sent = None
        self._pace.restart(monotonic(), self.simulator.time)
        self._publish()

    def deactivated(self) -> None:
        """The robot stops where it is: its brakes close."""
        self.simulator.reset(self.simulator.ground_truth().q)

    def cleaned_up(self) -> None:
        """Drop topics and services."""
        for name in ("_input", "_output"):
            if hasattr(self, name):
                getattr(self, name).destroy()
                delattr(self, name)
        self._end_recording()
        for service in getattr(self, "_own_services", ()):
            self.destroy_service(service)
        self._own_services = []

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End for good; what was recorded is complete."""
        result = super().on_shutdown(state)
        self._end_recording()
        return result

    _recorder: Recorder | None = None

    def _record(self, topic: str, kind: Any, message: Any) -> None:
        """Keep a message that was heard."""
        if self._recorder is not None:
            self._recorder.write(topic, kind, message, self._stamp())

    def _end_recording(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            if self._recorder.error:
                self.fault("record", self._recorder.error)
            else:
                self.get_logger().info(f"recorded to {self._recorder.path}")
            self._recorder = None

    def settings_changed(self, names: set[str]) -> None:
        """Follow a new payload, gravity, pace."""
        if any(n == "gravity" or n.startswith(("payload.", "effort_limit")) for n in names):
            self.simulator.robot = scaled(self.model, self.settings["effort_limit_scale"])
        self._read_settings()
        self._pace.factor = self.settings["realtime_factor"]
        self._pace.restart(monotonic(), self.simulator.time)

    def _read_settings(self) -> None:
        """Settings that the loop looks at in every cycle."""
        self._lockstep = bool(self.settings["lockstep"])
        self._is_clock = bool(self.settings["publish_clock"])

    # The loop ------------------------------------------------------------------------------

    def cycle(self, now: float, dt: float) -> None:
        """Advance simulated time to where wall time wants it."""
        if self.paused:
            self._sample_sent = None
            self._hear()
            self._pace.restart(monotonic(), self.simulator.time)
            return
        simulator, pace = self.simulator, self._pace
        pace.begin(monotonic(), simulator.time, dt)
        while pace.goes_on(monotonic(), simulator.time + simulator.period):
            self._hear()
            if self._lockstep and not self._input.fresh and not self._waited():
                if not self._input.wait(simulator.period):
                    return
                continue
            self._advance()

    def _advance(self) -> None:
        try:
            sample = self.simulator.step()
        except (FloatingPointError, DynamicsError) as error:
            self.paused = True
            self.fault("physics", f"paused: {error}")
            return
        self._input.fresh = False
        self._sample_sent = None
        self._publish_sample(sample)

    def _publish(self) -> None:
        self._publish_sample(self.simulator.measure())

    def _publish_sample(self, sample: Any) -> None:
        simulator = self.simulator
        now = simulator.time
        stamp = self._stamp()
        if sample is not None:
            lag = 0 if simulator.delay == 0.0 else round((now - sample.time) * 1e9)
            self._output.sample(sample, stamp - lag)
        if self._is_clock and now >= self._clock_due - 1e-9:
            # On a grid of its own, so that the rate holds even if it is no divisor of the samples'.
            period = 1.0 / self.settings["clock_rate"]
            self._clock_due = period * (math.floor(now / period + 1e-6) + 1.0)
            self._output.clock(stamp)
        if now >= self._ground_truth_due - 1e-9:
            self._ground_truth_due = now + 1.0 / self.settings["ground_truth_rate"]
            if self._output.truth_wanted:
                self._output.ground_truth(simulator.ground_truth(), stamp)

    def _stamp(self) -> int:
        """Now in ns: simulated time where this node is the clock, else the node's own."""
        if self._is_clock:
            return self._stamp_offset + round(self.simulator.time * 1e9)
        clock = self.get_clock()
        return int(clock.now().nanoseconds) if clock.ros_time_is_active else time.time_ns()

    def _hear(self) -> None:
        self._input.hear(thoroughly=self.paused or self._lockstep)

    def _waited(self) -> bool:
        """Whether the wait for a command has taken too long; said each time."""
        now = monotonic()
        if self._sample_sent is None:
            self._sample_sent = now
        if now - self._sample_sent < self.settings["lockstep_timeout"]:
            return False
        self._late += 1
        self.warn(
            "lockstep",
            f"no command within {self.settings['lockstep_timeout']} s of the sample at "
            f"{self.simulator.time:.4f} s; went on without",
        )
        return True

    # Services ------------------------------------------------------------------------------

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        name = self.settings["reset_state"]
        try:
            q = state_of(self.model, self.joints, self.settings, name)
        except (DynamicsError, ValueError) as error:
            response.success, response.message = False, f"not reset: {error}"
            return response
        # Time goes on, so that /clock never runs backwards.
        self._stamp_offset += round(self.simulator.time * 1e9)
        self.simulator.reset(q)
        self._clock_due = self._ground_truth_due = 0.0
        self._input.fresh = False
        self._sample_sent = None
        self._pace.restart(monotonic(), 0.0)
        if self.active:
            self._publish()
        response.success, response.message = True, f"reset to {name}"
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if not (self.active and self.paused):
            response.success = False
            response.message = "not paused: call ~/pause with data true before ~/step"
            return response
        late = self._late
        for _ in range(self.settings["step_count"]):
            self._hear()
            while self._lockstep and not self._input.fresh and not self._waited():
                self._input.wait(self.simulator.period)
                self._hear()
            self._advance()
        response.success = True
        response.message = f"at {self.simulator.time:.9f} s" + (
            f"; {self._late - late} without a command in time" if self._late > late else ""
        )
        return response

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.paused = bool(request.data)
        self._pace.restart(monotonic(), self.simulator.time)
        if not self.paused:
            self.recovered("physics", "running again")
        response.success = True
        response.message = (
            f"{'paused' if self.paused else 'running'} at {self.simulator.time:.6f} s"
        )
        return response

    # Diagnostics ---------------------------------------------------------------------------

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """How simulated time keeps up, and what commands come."""
        if not hasattr(self, "_output"):
            return
        if self._recorder is not None and self._recorder.error:
            self.fault("record", self._recorder.error)
        commands, simulator = self.simulator.commands, self.simulator
        factor, skipped = self._pace.report(monotonic(), simulator.time)
        wanted = self.settings["realtime_factor"]
        level, text = DiagnosticStatus.OK, f"{factor:.3f} times real time"
        if self.paused:
            text = "paused"
        elif wanted and not self._lockstep and factor < 0.95 * wanted:
            level, text = DiagnosticStatus.WARN, text + f", {wanted:g} wanted"
        yield status(
            "time",
            level,
            text,
            {
                "simulated time [s]": f"{simulator.time:.6f}",
                "samples [Hz]": f"{factor * self.settings['rate']:.1f}",
                "real time factor": f"{factor:.4f}",
                "real time factor wanted": f"{wanted:g}",
                "time given up [s]": f"{skipped:.6f}",
                "lockstep timeouts": str(self._late),
            },
        )
        level, text = DiagnosticStatus.OK, "commanded"
        if not commands.ever:
            text = f"no command yet; joints: {self.settings['start_mode']}"
        elif commands.silent:
            level, text = DiagnosticStatus.WARN, f"silence; joints: {self.settings['silence']}"
        age = simulator.time - commands.last_time if commands.ever else math.inf
        saturated = self._saturated()
        yield status(
            "commands",
            level,
            text,
            {
                "age [s]": f"{age:.3f}",
                "messages ignored": str(self._input.rejected),
                "saturated joints": ", ".join(saturated) or "none",
            },
        )

    def _saturated(self) -> Sequence[str]:
        limits = self.simulator.robot.effort_limits
        drive = abs(self.simulator.ground_truth().drive)
        return [
            joint
            for joint in self.joints
            if 0.0 < limits[k := self.model.model.joint(joint).v_index] <= drive[k] * (1 + 1e-9)
        ]


def main(args: Sequence[str] | None = None) -> int:
    """Run the node as a process; ``--record FILE`` is short for the parameter ``record``."""
    words = list(sys.argv if args is None else args)
    if "--record" in words:
        at = words.index("--record")
        file = words[at + 1 : at + 2]
        if not file:
            print("error: --record needs the name of a file", file=sys.stderr)
            return 2
        words[at : at + 2] = []
        words += ["--ros-args", "-p", f"record:={file[0]}"]
    return run(ForwardDynamicsSim, "forward_dynamics_sim", words)


if __name__ == "__main__":
    raise SystemExit(main())
