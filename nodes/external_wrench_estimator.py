"""Node ``external_wrench_estimator``: feels what the environment does to the arm.

From the motors' efforts and the joints' motion it observes the joint torques that neither gravity
nor motion explain, and the wrench on one link that would cause them. Sign: what the environment
exerts on the robot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from std_srvs.srv import Trigger

from dynamics_core.control import JointFriction, JointSelection
from dynamics_core.control.gravity_compensation import per_joint
from dynamics_core.estimation import (
    COMPONENTS,
    ExternalTorqueObserver,
    LowPass,
    Tare,
    TareError,
    WrenchEstimate,
    WrenchSolver,
    expressed_in,
    moved_to,
    soft_deadband,
)

from .audience import Audience
from .base import DynamicsNode, run, status
from .controller import Array
from .effort_output import JointEfforts
from .joint_state_input import JointStateInput
from .loop import monotonic
from .parameters import ParameterError
from .qos import LATEST
from .robot_parameters import last_link
from .wire import MessageWriter, marks
from .wrench_parameters import WRENCH_PARAMETERS

__all__ = ["ExternalWrenchEstimatorNode", "main"]

#: A measured effort above this fraction of its limit may have been cut, and tell too little.
AT_LIMIT = 0.98


class ExternalWrenchEstimatorNode(DynamicsNode):
    """Hears joint_states with effort, says ~/wrench and ~/external_torque."""

    functions = ("gravity_torque", "bias_torque", "coriolis_torque", "mass_matrix")
    parameters = WRENCH_PARAMETERS

    needs = ("position", "velocity", "effort")

    # Lifecycle -----------------------------------------------------------------------------

    def configured(self) -> None:
        """Make observer, solver, filters, topics."""
        s = self.settings
        self.joints = JointSelection(
            self.model, s["joints"], s["locked_joints"], s["locked_positions"]
        )
        self._frame = s["frame"] or last_link(self.model)
        if not s["frame"]:
            self.get_logger().info(
                f"parameter frame is empty; taking the last link {self._frame!r}"
            )
        self._axes = s["frame_id"] or self._frame
        self._point = s["reference_point"] or self._frame
        for name in (self._frame, self._axes, self._point):
            self.model.model.frame(name)
        self._observer = ExternalTorqueObserver(self.model, s["method"], s["bandwidth"])
        self._solver = WrenchSolver(
            s["components"],
            threshold=s["observability.threshold"],
            damping=s["observability.damping"],
            length=s["observability.length"],
        )
        self._tare = Tare(len(self.joints), s["tare.window"], s["tare.max_speed"])
        self._estimate: WrenchEstimate | None = None
        self._use_settings()
        if len(s["components"]) > len(self.joints):
            self.get_logger().warning(
                f"{len(self.joints)} joints cannot tell {len(s['components'])} components of a "
                "wrench apart; name those that can act in the parameter components"
            )
        own = self.joints.in_heard.tolist()
        self.input = JointStateInput(self, self.joints.heard, own)
        self._wrench_out = self.advertise(WrenchStamped, "~/wrench", LATEST)
        self._torque_out = JointEfforts(self, self.joints.names, "~/external_torque")
        self._observability_out = self.advertise(Float64MultiArray, "~/observability", LATEST)
        self._tare_service = self.create_service(Trigger, "~/tare", self._serve_tare)
        self._observability_audience = Audience(self._observability_out)
        places = marks(6)
        wrench = WrenchStamped()
        wrench.header.frame_id = self._axes
        force, moment = wrench.wrench.force, wrench.wrench.torque
        force.x, force.y, force.z, moment.x, moment.y, moment.z = places
        self._message = MessageWriter(wrench)
        self._message_wrench = self._message.numbers(places)
        self._singular = Float64MultiArray()
        self._singular.layout.dim = [
            MultiArrayDimension(
                label="singular_values", size=len(s["components"]), stride=len(s["components"])
            )
        ]

    def cleaned_up(self) -> None:
        """End the topics."""
        if hasattr(self, "input"):
            self.input.destroy()
            del self.input
        if hasattr(self, "_tare_service"):
            self.destroy_publisher(self._wrench_out)
            self.destroy_publisher(self._observability_out)
            self._torque_out.destroy()
            self.destroy_service(self._tare_service)
            del self._tare_service

    def activated(self) -> None:
        """Start with nothing known."""
        self.input.forget()
        self._restart()

    def check_settings(self, values: dict[str, Any]) -> None:
        """Check what depends on the number of joints."""
        if self.robot is None or not hasattr(self, "joints"):
            return
        n = len(self.joints)
        if values["effort_scale"]:
            per_joint("parameter effort_scale", values["effort_scale"], n)
        for name in ("friction.viscous", "friction.coulomb"):
            if values[name] and len(values[name]) != n:
                raise ParameterError(
                    f"parameter {name} has {len(values[name])} entries for {n} joints: "
                    f"{', '.join(self.joints.names)}"
                )

    def settings_changed(self, names: set[str]) -> None:
        """Use the new settings."""
        self._use_settings()

    def time_jumped(self) -> None:
        """Time went backwards: start anew."""
        self._restart()

    def _use_settings(self) -> None:
        s, observer = self.settings, self._observer
        observer.robot = self.model
        observer.set_bandwidth(s["bandwidth"])
        observer.effort_includes_gravity = s["effort_includes_gravity"]
        observer.friction = self._friction() if s["subtract_friction"] else None
        self._scale = per_joint(
            "parameter effort_scale", s["effort_scale"] or (1.0,), len(self.joints)
        )
        self._deadband = np.repeat([s["deadband.force"], s["deadband.torque"]], 3)
        self._sign = 1.0 if s["sign"] == "environment_on_robot" else -1.0
        self._filter = LowPass(s["filter_cutoff"])
        limits = self.joints.pick(self.model.effort_limits) * s["effort_limit_scale"]
        self._limits = np.where(limits == 0.0, np.inf, limits)

    def _friction(self) -> JointFriction:
        """Friction of all joints: the parameters' for those worked on, else the description's."""
        joints = [self.model.model.joint(n) for n in self.model.joint_names]
        viscous = np.array([j.damping for j in joints])
        coulomb = np.array([j.friction for j in joints])
        for values, name in ((viscous, "friction.viscous"), (coulomb, "friction.coulomb")):
            if self.settings[name]:
                values[self.joints.index] = self.settings[name]
        return JointFriction(viscous, coulomb, self.settings["friction.transition_velocity"])

    def _restart(self) -> None:
        self._observer.reset()
        self._filter.reset()
        self._tare.forget()
        self._last_stamp = self._last_time = 0.0
        self._heard_all = False

    # The loop ------------------------------------------------------------------------------

    def cycle(self, now: float, dt: float) -> None:
        """Estimate from what is new; say nothing where nothing is known."""
        new = self.input.hear()
        problem = self.input.problem(self.needs, self.settings["stale_timeout"])
        if problem:
            self.fault("input", f"{problem}; no wrench is published")
            if self._heard_all:
                self._restart()
            return
        self.recovered("input", f"joint states on {self.input.topic} are fresh")
        if new:
            self._step()

    def _step(self) -> None:
        dt = self._elapsed()
        joints, heard_before = self.joints, self._heard_all
        if heard_before and dt <= 0.0:
            return
        self._heard_all = True
        joints.read(self.input.buffer)
        effort = joints.effort
        effort[joints.index] *= self._scale
        torque = joints.pick(self._observer.step(joints.q, joints.v, effort, dt))
        speed = float(np.max(np.abs(joints.v)))
        torque = self._tare.add(torque, speed, monotonic())
        self._report_limits(effort)
        wrench = self._wrench(torque, dt)
        if not (np.isfinite(wrench).all() and np.isfinite(torque).all()):
            self.fault("finite", "the estimate is not finite; starting over")
            self._restart()
            return
        self._publish(wrench, torque)

    def _wrench(self, torque: Array, dt: float) -> Array:
        """The wrench on ``frame``, in the axes and about the point asked for, (6,)."""
        q, model, index = self.joints.q, self.model, self.joints.index
        jacobian = model.jacobian(q, self._frame, "local")
        self._estimate = estimate = self._solver.solve(jacobian[:, index], torque)
        if estimate.complete:
            self.recovered("observability", "every component of the wrench is observable")
        else:
            self.warn(
                "observability",
                f"only {estimate.observable} of {estimate.wanted} directions of the wrench are "
                f"observable here (smallest singular value {estimate.singular_values[-1]:.3g} m); "
                "the rest is not in the estimate",
            )
        wrench = estimate.wrench
        if self._point != self._frame or self._axes != self._frame:
            pose = model.frame_pose(q, self._frame)
            wrench = expressed_in(wrench, pose[:3, :3].T)
            if self._point != self._frame:
                offset = model.frame_pose(q, self._point)[:3, 3] - pose[:3, 3]
                wrench = moved_to(wrench, offset)
            wrench = expressed_in(wrench, model.frame_pose(q, self._axes)[:3, :3])
        filtered = self._filter.step(wrench, dt)
        return self._sign * soft_deadband(filtered, self._deadband)

    def _elapsed(self) -> float:
        """Time since the last measurement, s: by its stamp, or by its arrival."""
        stamp, arrival = self.input.buffer.stamp, monotonic()
        by_stamp, by_arrival = stamp - self._last_stamp, arrival - self._last_time
        stamped = stamp > 0.0 and self._last_stamp > 0.0
        self._last_stamp, self._last_time = stamp, arrival
        if not stamped:
            return by_arrival
        if by_stamp < 0.0 or by_stamp > 1.0:
            # The sender's clock jumped, or another sender's stamp came in between.
            self._observer.reset()
            return 0.0 if by_stamp < 0.0 else by_arrival
        return by_stamp

    def _publish(self, wrench: Array, torque: Array) -> None:
        stamp = self.input.stamp
        self._message.stamp(*stamp)
        self._message_wrench[:] = wrench
        self._wrench_out.publish(self._message.data())
        self._torque_out.publish(torque, stamp)
        if self._estimate is not None and self._observability_audience.present:
            self._singular.data = self._estimate.singular_values.tolist()
            self._observability_out.publish(self._singular)

    def _report_limits(self, effort: Array) -> None:
        cut = np.abs(self.joints.pick(effort)) >= AT_LIMIT * self._limits
        if cut.any():
            names = [n for n, c in zip(self.joints.names, cut, strict=True) if c]
            self.warn("limits", f"effort at its limit: {', '.join(names)}; the wrench is uncertain")
        else:
            self.recovered("limits", "efforts are below their limits")

    def _serve_tare(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        try:
            if not self.active:
                raise TareError("the node is not active")
            problem = self.input.problem(self.needs, self.settings["stale_timeout"])
            if problem:
                raise TareError(problem)
            count = self._tare.take()
        except TareError as error:
            response.success, response.message = False, f"not tared: {error}"
            return response
        self._filter.reset()
        offsets = zip(self.joints.names, self._tare.offset, strict=True)
        shown = ", ".join(f"{n} {x:.4g}" for n, x in offsets)
        response.success = True
        response.message = f"tared over {count} samples, valid near this posture: {shown}"
        self.get_logger().info(response.message)
        return response

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Input and observability."""
        if not self.active:
            return
        yield self.input.diagnose(self.needs)
        estimate = self._estimate
        if estimate is not None and self._heard_all:
            values = {
                "observable directions": f"{estimate.observable} of {estimate.wanted}",
                "smallest singular value [m]": f"{estimate.singular_values[-1]:.4g}",
                "largest singular value [m]": f"{estimate.singular_values[0]:.4g}",
                "frame": self._frame,
                "reference point": self._point,
                "expressed in": self._axes,
            }
            level = DiagnosticStatus.OK if estimate.complete else DiagnosticStatus.WARN
            text = "every direction is observable"
            if not estimate.complete:
                hidden = "; ".join(_direction(d) for d in estimate.unobservable)
                text = f"not observable: {hidden}"
            yield status("observability", level, text, values)


def _direction(wrench: Array) -> str:
    """A unit wrench in words, its small parts left out."""
    parts = zip(wrench, COMPONENTS, strict=True)
    return " ".join(f"{x:+.2f} {name}" for x, name in parts if abs(x) > 0.1)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(ExternalWrenchEstimatorNode, "external_wrench_estimator", args)


if __name__ == "__main__":
    sys.exit(main())
