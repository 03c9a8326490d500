"""The parameters that the nodes share which command a robot, or know its friction."""

from __future__ import annotations

from .parameters import Parameter

__all__ = ["CONTROLLER_PARAMETERS", "FRICTION_PARAMETERS"]

CONTROLLER_PARAMETERS = (
    Parameter(
        "enable_on_start",
        True,
        "Whether the node commands as soon as it is active; otherwise the service ~/enable "
        "switches it on.",
        fixed=True,
    ),
    Parameter(
        "stale_timeout",
        0.1,
        "Age of a joint's state from which on it is stale and the safe command is sent.",
        unit="s",
        minimum=0.002,
        maximum=10.0,
    ),
    Parameter(
        "safe_command",
        "gravity",
        "What is sent when the law must not command: the gravity torque at the last position "
        "heard, the last command held, or zero.",
        choices=("gravity", "hold", "zero"),
    ),
    Parameter(
        "ramp_time",
        0.5,
        "Time in which the command goes over from one law to another.",
        unit="s",
        minimum=0.0,
        maximum=2.0,
    ),
    Parameter(
        "start_from_measured_effort",
        True,
        "Whether the first ramp starts from the effort in joint_states, where there is one, "
        "and not from the last command. Switch off where that effort is a current or lacks "
        "gravity.",
    ),
    Parameter(
        "robot_compensates_gravity",
        False,
        "Whether the robot adds the gravity torque by itself; the node then leaves it out.",
    ),
    Parameter(
        "effort_limits",
        (),
        "Effort limits used instead of the description's: one a joint, 0 for none. Empty: the "
        "description's.",
        unit="N m or N",
        minimum=0.0,
    ),
    Parameter(
        "effort_rate_limits",
        (),
        "Largest change of effort: one for all joints or one a joint. Empty: none.",
        unit="N m/s or N/s",
        minimum=0.0,
    ),
)

FRICTION_PARAMETERS = (
    Parameter(
        "friction.viscous",
        (),
        "Viscous friction, one a joint. Empty: <dynamics damping> of the description.",
        unit="N m s/rad or N s/m",
        minimum=0.0,
    ),
    Parameter(
        "friction.coulomb",
        (),
        "Coulomb friction, one a joint. Empty: <dynamics friction> of the description.",
        unit="N m or N",
        minimum=0.0,
    ),
    Parameter(
        "friction.transition_velocity",
        0.01,
        "Velocity at which Coulomb friction has reached 76 %; smaller is steeper.",
        unit="rad/s or m/s",
        minimum=1e-6,
        maximum=10.0,
    ),
)
