"""Node ``inverse_dynamics_feedforward``: follows trajectories with the torque the model predicts.

It commands by itself (``effort_commands``), and it writes that torque into the points of a
trajectory (``annotated_trajectory``) for a joint_trajectory_controller to add to its feedback.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from dynamics_core import DynamicsError
from dynamics_core.control import (
    InverseDynamicsControl,
    JointTrajectory,
    TrajectoryError,
    TrajectoryPoint,
    annotate,
)
from dynamics_core.control.inverse_dynamics_control import LAWS, TERMS

from .annotated_output import AnnotatedTrajectories
from .base import run, status
from .controller import (
    CONTROLLER_PARAMETERS,
    FRICTION_PARAMETERS,
    Array,
    ControllerNode,
    friction_of,
)
from .effort_output import JointEfforts
from .parameters import Parameter
from .qos import QUEUE

__all__ = ["InverseDynamicsFeedforwardNode", "main"]

#: A motion that begins farther than this from where the last one is gets a ramp, rad or m.
SMOOTH_START = 0.02


class InverseDynamicsFeedforwardNode(ControllerNode):
    """Hears joint_states and joint_trajectory, says efforts and annotated trajectories."""

    functions = ("inverse_dynamics", "mass_matrix", "coriolis_torque", "gravity_torque")
    batch_functions = ("inverse_dynamics",)
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *CONTROLLER_PARAMETERS,
        Parameter(
            "law",
            "feedforward",
            "feedforward: tau_ID(q_d, v_d, a_d) + Kp e + Kd de. computed_torque: "
            "M(q)(a_d + Kp e + Kd de) + C v + g(q), whose gains are in 1/s2 and 1/s.",
            choices=LAWS,
        ),
        Parameter("feedforward", True, "Whether the model's torque is added."),
        Parameter(
            "feedforward_terms",
            ("inertia", "coriolis", "gravity"),
            "The terms of the model's torque.",
            choices=TERMS,
        ),
        Parameter("feedback", True, "Whether Kp e + Kd de is added."),
        Parameter(
            "kp",
            (0.0,),
            "Position gain: one for all joints or one a joint.",
            unit="N m/rad or N/m; 1/s2 for computed_torque",
            minimum=0.0,
            maximum=1e6,
        ),
        Parameter(
            "kd",
            (0.0,),
            "Velocity gain: one for all joints or one a joint.",
            unit="N m s/rad or N s/m; 1/s for computed_torque",
            minimum=0.0,
            maximum=1e6,
        ),
        *FRICTION_PARAMETERS,
        Parameter(
            "start_tolerance",
            0.2,
            "How far from the present position a trajectory may begin; 0 for any distance.",
            unit="rad or m",
            minimum=0.0,
            maximum=10.0,
        ),
        Parameter(
            "allow_end_velocity",
            False,
            "Whether a trajectory may end with a velocity, as streamed points do.",
        ),
        Parameter(
            "annotation.period",
            0.01,
            "Longest time between the points of annotated_trajectory.",
            unit="s",
            minimum=0.001,
            maximum=1.0,
        ),
        Parameter(
            "annotation.strip_effort",
            False,
            "Leave effort out of annotated_trajectory, for controllers that refuse it.",
        ),
    )

    # Making --------------------------------------------------------------------------------

    def configured(self) -> None:
        """Add the trajectory's topics."""
        self._trajectory: JointTrajectory | None = None
        #: A trajectory that starts later, and when; until then the present one goes on.
        self._next: tuple[JointTrajectory, float] | None = None
        self._start = 0.0
        self._goal = np.zeros(0)
        super().configured()
        names = self.joints.names
        self._trajectory_in = self.poll(JointTrajectoryMessage, "joint_trajectory", QUEUE)
        self._annotated_out = AnnotatedTrajectories(self, names, "annotated_trajectory")
        self._efforts_out = JointEfforts(self, names, "~/joint_efforts")

    def cleaned_up(self) -> None:
        """End the trajectory's topics."""
        super().cleaned_up()
        if hasattr(self, "_efforts_out"):
            self._trajectory_in.destroy()
            self._annotated_out.destroy()
            self._efforts_out.destroy()
            del self._efforts_out

    def make_law(self) -> None:
        """Make the controller."""
        self._control = InverseDynamicsControl(self.model, self.joints)
        #: The same model for annotation, whose terms do not depend on what is commanded.
        self._planner = InverseDynamicsControl(self.model, self.joints)

    def set_law(self) -> None:
        """Bring the settings to the controller."""
        s = self.settings
        terms = set(s["feedforward_terms"])
        if s["robot_compensates_gravity"]:
            terms.discard("gravity")
        for control in (self._control, self._planner):
            control.robot = self.model
            control.set_gains(s["kp"], s["kd"])
            control.friction = friction_of(self)
            control.terms = frozenset(terms)
        if not s["feedforward"]:
            self._control.terms = frozenset()
        self._control.law = s["law"] if s["feedforward"] else "feedforward"
        self._control.feedback = s["feedback"]

    def check_settings(self, values: dict[str, Any]) -> None:
        """Check gains by number of joints."""
        super().check_settings(values)
        if self.robot is not None and hasattr(self, "joints"):
            self.check_per_joint(values, "kp", "kd")

    # Running -------------------------------------------------------------------------------

    def activated(self) -> None:
        """Start without a command; what came before is not carried out by surprise."""
        super().activated()
        self._refuse_waiting("the node was not active")

    def cycle(self, now: float, dt: float) -> None:
        """Hear, decide what commands, send."""
        super().cycle(now, dt)
        if self.mode == "waiting":
            self._refuse_waiting("not every joint has been heard")

    def _refuse_waiting(self, reason: str) -> None:
        for _ in self._trajectory_in.take_all():
            self.get_logger().error(
                f"trajectory on {self._trajectory_in.topic} refused: {reason} when it came"
            )

    def law_starts(self, now: float) -> None:
        """Hold where the robot is; a motion that was interrupted is not taken up again."""
        if self._trajectory is not None and now - self._start < self._trajectory.end:
            self.get_logger().warning("the trajectory was interrupted; holding the position")
        self._trajectory = self._next = None
        self._goal = self.joints.pick(self.joints.q)

    def law(self, now: float, dt: float) -> Array:
        """The torque for where the trajectory wants the robot now."""
        if self._next is not None and now >= self._next[1]:
            self._take_up(*self._next, now)
        desired = self._desired(now)
        return self._control.step(self.joints.q, self.joints.v, *desired)

    def say(self, now: float) -> None:
        """Take in trajectories; publish the effort by name."""
        for message in self._trajectory_in.take_all():
            self._hear_trajectory(message, now)
        if self.mode in ("enabled", "stale"):
            self._efforts_out.publish(self.guard.command, self.input.stamp)

    def time_jumped(self) -> None:
        """Time went backwards: hold where the robot is."""
        if self.mode == "enabled":
            self.law_starts(self.loop_time())

    def _take_up(self, trajectory: JointTrajectory, start: float, now: float) -> None:
        """Follow a trajectory from now on, without a jump of the command."""
        before = self._desired(now)[0]
        self._trajectory, self._start, self._next = trajectory, start, None
        gap = self.joints.difference(self._desired(now)[0], before)
        if np.max(np.abs(gap)) > SMOOTH_START:
            self.guard.switch(self.settings["ramp_time"])

    def _desired(self, now: float) -> tuple[Array, Array, Array]:
        if self._trajectory is None:
            rest = np.zeros(len(self.joints))
            return self._goal, rest, rest
        return self._trajectory.sample(now - self._start)

    def _hear_trajectory(self, message: JointTrajectoryMessage, now: float) -> None:
        try:
            start = self._start_of(message, now)
            trajectory = self._read_trajectory(message, start, now)
            self._annotate(message, trajectory)
            if self.mode != "enabled":
                self.get_logger().info(f"trajectory annotated, not followed: node is {self.mode}")
                return
            self._check_start(trajectory, start, now)
        except DynamicsError as error:
            self.get_logger().error(
                f"trajectory on {self._trajectory_in.topic} refused: {error}; "
                "the robot goes on as before"
            )
            return
        if start > now:
            self._next = trajectory, start
        else:
            self._take_up(trajectory, start, now)
        for line in trajectory.too_fast(self.model, self.joints):
            self.get_logger().warning(f"the trajectory exceeds a velocity limit: {line}")
        self.get_logger().info(f"following a trajectory of {trajectory.end:.3f} s")

    def _start_of(self, message: JointTrajectoryMessage, now: float) -> float:
        stamp = message.header.stamp
        return self.stamp_to_loop_time(stamp) if stamp.sec or stamp.nanosec else now

    def _read_trajectory(
        self, message: JointTrajectoryMessage, start: float, now: float
    ) -> JointTrajectory:
        points = [
            TrajectoryPoint(
                p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec,
                tuple(p.positions),
                tuple(p.velocities),
                tuple(p.accelerations),
            )
            for p in message.points
        ]
        if points and start + points[-1].time < now:
            raise TrajectoryError(
                f"it ended {now - start - points[-1].time:.3g} s ago by its header.stamp"
            )
        # Where the motion sets out from: what is wanted now if we follow something, else where
        # the robot is.
        if self.mode == "enabled":
            origin = self._desired(max(now, start))
        else:
            rest = np.zeros(len(self.joints))
            origin = (self.joints.pick(self.joints.q), rest, rest)
        return JointTrajectory(
            self.model,
            self.joints,
            message.joint_names,
            points,
            origin,
            allow_end_velocity=self.settings["allow_end_velocity"],
        )

    def _check_start(self, trajectory: JointTrajectory, start: float, now: float) -> None:
        tolerance = self.settings["start_tolerance"]
        if not tolerance:
            return
        begin = trajectory.sample(max(now - start, float(trajectory.times[0])))[0]
        # For a later start, what counts is where the robot will be by then.
        there = self._desired(start)[0] if start > now else self.joints.pick(self.joints.q)
        gap = self.joints.difference(begin, there)
        k = int(np.argmax(np.abs(gap)))
        if abs(gap[k]) > tolerance:
            raise TrajectoryError(
                f"it begins with joint {self.joints.names[k]!r} at {begin[k]:.4g}, but the joint "
                f"is {abs(gap[k]):.4g} away (start_tolerance {tolerance:g})"
            )

    def _annotate(self, message: JointTrajectoryMessage, trajectory: JointTrajectory) -> None:
        dense = annotate(
            trajectory,
            self._planner,
            self.joints.q,
            self._limits()[0],
            self.settings["annotation.period"],
        )
        if dense.clipped.any():
            names = [n for n, c in zip(self.joints.names, dense.clipped, strict=True) if c]
            self.get_logger().warning(f"the trajectory takes more than the effort limit of {names}")
        strip_effort = self.settings["annotation.strip_effort"]
        self._annotated_out.publish(message.header, dense, strip_effort)

    def between_cycles(self) -> None:
        """Go on with annotations, too."""
        super().between_cycles()
        if hasattr(self, "_efforts_out"):
            self._annotated_out.go_on()

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Add the tracking error."""
        yield from super().diagnose()
        if self.active and self.mode == "enabled":
            worst = int(np.argmax(np.abs(self._control.error)))
            values = {
                f"error {n}": f"{e:.6f}"
                for n, e in zip(self.joints.names, self._control.error, strict=True)
            }
            text = f"largest error {self._control.error[worst]:.4g} ({self.joints.names[worst]})"
            yield status("tracking", DiagnosticStatus.OK, text, values)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(InverseDynamicsFeedforwardNode, "inverse_dynamics_feedforward", args)


if __name__ == "__main__":
    sys.exit(main())
