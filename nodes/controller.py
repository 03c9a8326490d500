"""What the nodes that command a robot share: :class:`ControllerNode`.

Such a node is always in one of these modes.

``waiting``   No command yet: some joint has not been heard.
``enabled``   The control law commands.
``stale``     Joint states have stopped: the safe command is sent until they are back.
``disabled``  Switched off: the safe command was sent last, and now nothing is.

Every change between them is a ramp from the last command. A robot keeps the last command it got,
so the safe command is sent, not implied: on stale input, on disabling, deactivating, and ending.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from diagnostic_msgs.msg import DiagnosticStatus
from std_srvs.srv import SetBool

from dynamics_core.control import CommandGuard, JointFriction, JointSelection
from dynamics_core.control.gravity_compensation import per_joint

from .base import DynamicsNode, status
from .controller_parameters import CONTROLLER_PARAMETERS, FRICTION_PARAMETERS
from .effort_output import EffortCommands
from .joint_state_input import JointStateInput
from .loop import monotonic
from .parameters import ParameterError

__all__ = ["CONTROLLER_PARAMETERS", "FRICTION_PARAMETERS", "ControllerNode", "friction_of"]

Array = npt.NDArray[np.float64]

#: Time in which the safe command has to be reached at the end, s: whoever asked a process to end
#: kills it after five seconds or so.
LONGEST_END = 3.0


class ControllerNode(DynamicsNode):
    """A node that commands efforts, and never leaves a robot with an unsafe one."""

    #: The fields of joint_states without which the law cannot command.
    needs: tuple[str, ...] = ("position", "velocity")

    # What a subclass defines ---------------------------------------------------------------

    def make_law(self) -> None:
        """Make the control law from ``self.model``, ``self.joints`` and the settings."""

    def law(self, now: float, dt: float) -> Array:
        """The torque of ``self.joints`` for the state in ``self.joints``, (n,)."""
        raise NotImplementedError

    def law_starts(self, now: float) -> None:
        """The law is about to command, at first or after an interruption."""

    def set_law(self) -> None:
        """Bring the settings and the robot to the law."""

    def say(self, now: float) -> None:
        """Publish what is not a command; every cycle in which the state is known."""

    # Lifecycle -----------------------------------------------------------------------------

    def configured(self) -> None:
        """Make inputs, outputs, guard and law."""
        s = self.settings
        self.joints = JointSelection(
            self.model, s["joints"], s["locked_joints"], s["locked_positions"]
        )
        self.guard = CommandGuard(*self._limits())
        self.enabled = bool(s["enable_on_start"])
        self.mode = "waiting"
        self._held = self.guard.command.copy()
        self._gravity = np.zeros(self.model.nv)
        self.make_law()
        self.set_law()
        self.input = JointStateInput(self, self.joints.heard)
        self.output = EffortCommands(self, self.joints.names, "effort_commands")
        self._enable_service = self.create_service(SetBool, "~/enable", self._serve_enable)
        self._explain()

    def cleaned_up(self) -> None:
        """End inputs and outputs."""
        if hasattr(self, "input"):
            self.input.destroy()
            del self.input
        if hasattr(self, "output"):
            self.output.destroy()
            self.destroy_service(self._enable_service)
            del self.output

    def activated(self) -> None:
        """Start without a command, until every joint has been heard."""
        self.mode = "waiting"
        self.input.forget()

    def deactivated(self) -> None:
        """Send the safe command, at the end of a ramp."""
        if self.mode in ("enabled", "stale"):
            self._enter("disabled", self.loop_time())
        elif not (self.mode == "disabled" and self.guard.ramping):
            return
        period = 1.0 / self.settings["rate"]
        last, end = monotonic(), monotonic() + LONGEST_END
        while self.guard.ramping and monotonic() < end:
            time.sleep(period)
            self.input.hear()
            self.joints.read(self.input.buffer)
            now = monotonic()
            self.output.publish(self.guard.apply(self.safe_torque(), now - last))
            last = now
        self.output.publish(self.guard.apply(self.safe_torque(), period))
        self.output.flush()
        if self.guard.ramping:
            self.get_logger().error(
                f"effort_rate_limits left no time to reach the safe command in {LONGEST_END:g} s"
            )
            return
        self.get_logger().info(f"left the robot with its safe command: {self._safe_words()}")

    def check_settings(self, values: dict[str, Any]) -> None:
        """Check what depends on the number of joints."""
        if self.robot is None or not hasattr(self, "joints"):
            return
        n = len(self.joints)
        for name in ("effort_limits", "friction.viscous", "friction.coulomb"):
            if values.get(name) and len(values[name]) != n:
                raise ParameterError(
                    f"parameter {name} has {len(values[name])} entries for {n} joints: "
                    f"{', '.join(self.joints.names)}"
                )
        self.check_per_joint(values, "effort_rate_limits")

    def check_per_joint(self, values: dict[str, Any], *names: str) -> None:
        """Refuse arrays that have neither one entry nor one a joint."""
        for name in names:
            if values[name]:
                per_joint(f"parameter {name}", values[name], len(self.joints))

    def settings_changed(self, names: set[str]) -> None:
        """Use the new settings, without a jump of the command."""
        self.guard.set_limits(*self._limits())
        self.set_law()
        if self.mode in ("enabled", "stale"):
            self.guard.switch(self.settings["ramp_time"])

    # The loop ------------------------------------------------------------------------------

    def cycle(self, now: float, dt: float) -> None:
        """Hear, decide what commands, send."""
        self.input.hear()
        problem = self.input.problem(self.needs, self.settings["stale_timeout"])
        if self.mode == "waiting" and not self.input.complete(self.needs):
            self.warn("input", problem)
            return
        self.joints.read(self.input.buffer)
        wanted_mode = "disabled" if not self.enabled else "stale" if problem else "enabled"
        if wanted_mode != self.mode:
            self._enter(wanted_mode, now, problem)
        if problem and self.mode == "stale":
            self.fault("input", f"{problem}; commanding {self._safe_words()}")
        elif not problem:
            self.recovered("input", f"joint states on {self.input.topic} are fresh")
        self.say(now)
        if self.mode == "disabled" and not self.guard.ramping:
            return
        wanted = self.law(now, dt) if self.mode == "enabled" else self.safe_torque()
        self._send(wanted, dt)

    def cycle_failed(self, now: float, dt: float) -> None:
        """Send the safe command instead of what could not be computed."""
        if self.mode in ("enabled", "stale"):
            self.guard.switch(self.settings["ramp_time"])
            self._send(self.safe_torque(), dt)

    def safe_torque(self) -> Array:
        """The safe command for the last state heard, (n,)."""
        kind = self.settings["safe_command"]
        if kind == "hold":
            return self._held
        if kind == "zero" or self.settings["robot_compensates_gravity"]:
            return np.zeros(len(self.joints))
        return self.gravity_torque()

    def gravity_torque(self) -> Array:
        """g(q) of the joints at the last state heard, (n,)."""
        self.model.gravity_torque(self.joints.q, out=self._gravity)
        return self.joints.pick(self._gravity)

    def _send(self, wanted: Array, dt: float) -> None:
        # After a stall the ramp goes on where it was, instead of jumping over the gap.
        longest = 5.0 / self.settings["rate"]
        self.output.publish(self.guard.apply(wanted, min(dt, longest)))
        if self.guard.rejected.any():
            names = [
                n for n, bad in zip(self.joints.names, self.guard.rejected, strict=True) if bad
            ]
            self.fault(
                "law", f"the law gave no finite effort for {', '.join(names)}; kept the last"
            )
        else:
            self.recovered("law", "the law gives finite efforts again")
        if self.guard.saturated.any():
            names = self.guard.saturated_names(self.joints.names)
            self.warn("limits", f"effort at its limit: {', '.join(names)}")
        else:
            self.recovered("limits", "efforts are within their limits")

    def _enter(self, mode: str, now: float, problem: str = "") -> None:
        before, self.mode = self.mode, mode
        self.get_logger().info(f"{before} -> {mode}")
        self._held = self.guard.command.copy()
        if mode == "disabled" and before == "waiting":
            return
        if mode == "enabled":
            if before != "stale":
                self.guard.start(self._starting_effort())
            self.law_starts(now)
        if mode == "stale" and before != "enabled":
            self.guard.start(self._starting_effort())
        self.guard.switch(self.settings["ramp_time"])

    def _starting_effort(self) -> Array:
        """What the robot's motors do now, as far as known, (n,)."""
        s, buffer = self.settings, self.input.buffer
        if s["start_from_measured_effort"] and not s["robot_compensates_gravity"]:
            own = self.joints.in_heard
            if not buffer.stale(("effort",), monotonic(), s["stale_timeout"], own.tolist()):
                return np.asarray(buffer.effort[own])
        return self.guard.command

    def _serve_enable(self, request: SetBool.Request, response: SetBool.Response) -> Any:
        if not self.active:
            response.success = False
            response.message = "the node is not active; activate it first"
            return response
        self.enabled = bool(request.data)
        response.success = True
        if self.enabled:
            problem = self.input.problem(self.needs, self.settings["stale_timeout"])
            response.message = f"enabled; {problem}" if problem else "enabled"
        else:
            response.message = f"disabled; last command: {self._safe_words()}"
        return response

    # Words ---------------------------------------------------------------------------------

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Input and output."""
        if self.active:
            yield self.input.diagnose(self.needs)
            yield self._output_status()

    def _output_status(self) -> DiagnosticStatus:
        saturated = self.guard.saturated_names(self.joints.names)
        level, text = DiagnosticStatus.OK, self.mode
        if saturated:
            level, text = DiagnosticStatus.WARN, f"effort at its limit: {', '.join(saturated)}"
        if self.mode == "stale":
            level, text = DiagnosticStatus.ERROR, f"stale input: commanding {self._safe_words()}"
        commands = zip(self.joints.names, self.guard.command, strict=True)
        values = {f"effort {n}": f"{e:.3f}" for n, e in commands}
        values |= {"mode": self.mode, "ramping": str(self.guard.ramping)}
        return status("command", level, text, values)

    def _safe_words(self) -> str:
        kind = self.settings["safe_command"]
        if kind == "gravity":
            if self.settings["robot_compensates_gravity"]:
                return "zero (the robot compensates gravity)"
            return "the gravity torque at the last position"
        return {"hold": "the last effort, held", "zero": "zero effort"}[kind]

    def _limits(self) -> tuple[Array, Array]:
        s, n = self.settings, len(self.joints)
        limits = np.array(s["effort_limits"] or self.joints.pick(self.model.effort_limits))
        if len(limits) != n:
            raise ParameterError(
                f"parameter effort_limits has {len(limits)} entries for {n} joints"
            )
        # 0 stands for "unknown" in many descriptions; a limit of 0 would disarm the joint.
        # A scale of 0 allows nothing, even where the limit is unknown.
        scale = s["effort_limit_scale"]
        limits = np.where(limits == 0.0, np.inf, limits) * scale if scale else np.zeros(n)
        rates = np.full(n, np.inf)
        if s["effort_rate_limits"]:
            rates = per_joint("parameter effort_rate_limits", s["effort_rate_limits"], n)
        return np.where(np.isnan(limits), np.inf, limits), rates

    def _explain(self) -> None:
        limits = self._limits()[0]
        pairs = zip(self.joints.names, limits, strict=True)
        shown = ", ".join(f"{n} {x:.4g}" for n, x in pairs if np.isfinite(x))
        log = self.get_logger()
        log.info(f"effort limits: {shown or 'none'}; safe command: {self._safe_words()}")
        unknown = [n for n, x in zip(self.joints.names, limits, strict=True) if np.isinf(x)]
        if unknown:
            log.warning(
                f"no effort limit known for {', '.join(unknown)}; set the parameter effort_limits"
            )
        robot = "does" if self.settings["robot_compensates_gravity"] else "does not"
        log.info(f"taken as given: the robot {robot} compensate gravity by itself")


def friction_of(node: ControllerNode) -> JointFriction:
    """The friction of the node's joints by its parameters, else by the description."""
    s, joints = node.settings, [node.model.model.joint(n) for n in node.joints.names]
    viscous = s["friction.viscous"] or [j.damping for j in joints]
    coulomb = s["friction.coulomb"] or [j.friction for j in joints]
    return JointFriction(viscous, coulomb, s["friction.transition_velocity"])
