"""Node ``gravity_compensation``: lets an arm float, so that it can be moved by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dynamics_core.control import GravityCompensation

from .base import run
from .controller import (
    CONTROLLER_PARAMETERS,
    FRICTION_PARAMETERS,
    Array,
    ControllerNode,
    friction_of,
)
from .effort_output import JointEfforts
from .parameters import Parameter

__all__ = ["GravityCompensationNode", "main"]


class GravityCompensationNode(ControllerNode):
    """Hears joint_states, says effort_commands and ~/gravity_torque."""

    functions = ("gravity_torque",)
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *CONTROLLER_PARAMETERS,
        Parameter(
            "gravity_scale",
            (1.0,),
            "Fraction of the gravity torque that is sent: one for all joints or one a joint.",
            minimum=-2.0,
            maximum=2.0,
        ),
        Parameter(
            "damping",
            (0.0,),
            "Damping added, so that the arm comes to rest when let go: one for all joints or one "
            "a joint.",
            unit="N m s/rad or N s/m",
            minimum=0.0,
            maximum=1e4,
        ),
        Parameter(
            "friction.scale",
            0.0,
            "Fraction of the joints' friction that is compensated; keep it below 1.",
            minimum=0.0,
            maximum=1.0,
        ),
        *FRICTION_PARAMETERS,
    )
    needs = ("position",)

    def make_law(self) -> None:
        """Make the controller."""
        self._control = GravityCompensation(self.model, self.joints)

    def set_law(self) -> None:
        """Bring the settings to the controller."""
        s, control = self.settings, self._control
        control.robot = self.model
        control.set_gains(s["gravity_scale"], s["damping"])
        control.friction = friction_of(self)
        control.friction_scale = s["friction.scale"]
        # Velocity matters only to these two, so robots that do not report it can float too.
        moving = np.any(control.damping) or control.friction_scale
        self.needs = ("position", "velocity") if moving else ("position",)

    def configured(self) -> None:
        """Add the topic of the gravity torque."""
        super().configured()
        self._torque_out = JointEfforts(self, self.joints.names, "~/gravity_torque")

    def cleaned_up(self) -> None:
        """End the topic of the gravity torque."""
        super().cleaned_up()
        if hasattr(self, "_torque_out"):
            self._torque_out.destroy()
            del self._torque_out

    def check_settings(self, values: dict[str, Any]) -> None:
        """Check gains by number of joints."""
        super().check_settings(values)
        if self.robot is not None and hasattr(self, "joints"):
            self.check_per_joint(values, "gravity_scale", "damping")

    def law(self, now: float, dt: float) -> Array:
        """Gravity torque, less what damping takes."""
        tau = self._control.step(self.joints.q, self.joints.v)
        if self.settings["robot_compensates_gravity"]:
            tau = tau - self._control.scale * self._control.gravity
        return tau

    def say(self, now: float) -> None:
        """Publish g(q), whether or not it is commanded."""
        if self._torque_out.wanted:
            self._torque_out.publish(self.gravity_torque(), self.input.stamp)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(GravityCompensationNode, "gravity_compensation", args)


if __name__ == "__main__":
    sys.exit(main())
