"""The parameters of ``external_wrench_estimator``."""

from __future__ import annotations

from dynamics_core.estimation import COMPONENTS
from dynamics_core.estimation.external_torque import METHODS

from .controller import FRICTION_PARAMETERS
from .parameters import Parameter

__all__ = ["WRENCH_PARAMETERS"]

WRENCH_PARAMETERS = (
    Parameter(
        "stale_timeout",
        0.1,
        "Age of a joint's state from which on it is stale and no wrench is published.",
        unit="s",
        minimum=0.002,
        maximum=10.0,
    ),
    Parameter("frame", "", "Link that the environment touches. Empty: the last link.", fixed=True),
    Parameter(
        "frame_id",
        "",
        "Link in whose axes the wrench is expressed, and the frame_id of the message. Empty: "
        "frame.",
        fixed=True,
    ),
    Parameter(
        "reference_point",
        "",
        "Link about whose origin the moment is taken. Empty: frame.",
        fixed=True,
    ),
    Parameter(
        "sign",
        "environment_on_robot",
        "Who exerts the wrench.",
        choices=("environment_on_robot", "robot_on_environment"),
    ),
    Parameter(
        "components",
        COMPONENTS,
        "Components that may act, in the axes of frame; those left out are taken as zero. An "
        "arm with fewer than six joints cannot tell six apart.",
        choices=COMPONENTS,
        fixed=True,
    ),
    Parameter(
        "method",
        "momentum",
        "momentum: right in motion, with a lag of 1 / (2 pi bandwidth). static: right while "
        "the robot does not accelerate, without lag.",
        choices=METHODS,
        fixed=True,
    ),
    Parameter(
        "bandwidth",
        20.0,
        "Bandwidth of the momentum observer.",
        unit="Hz",
        minimum=0.1,
        maximum=500.0,
    ),
    Parameter(
        "effort_includes_gravity",
        True,
        "Whether the effort in joint_states holds the gravity torque. Some robots report it "
        "without.",
    ),
    Parameter(
        "effort_scale",
        (1.0,),
        "What one unit of effort in joint_states is worth; negative where it counts the other "
        "way. One for all joints or one a joint.",
        unit="N m or N",
    ),
    Parameter(
        "subtract_friction", True, "Whether the joints' friction is taken out of the effort."
    ),
    *FRICTION_PARAMETERS,
    Parameter(
        "filter_cutoff",
        0.0,
        "Cut-off of a low-pass filter on the wrench; 0 for none.",
        unit="Hz",
        minimum=0.0,
        maximum=500.0,
    ),
    Parameter(
        "deadband.force",
        0.0,
        "Forces up to this, on each axis, count as zero; larger ones lose as much.",
        unit="N",
        minimum=0.0,
        maximum=1e4,
    ),
    Parameter(
        "deadband.torque",
        0.0,
        "Moments up to this, on each axis, count as zero; larger ones lose as much.",
        unit="N m",
        minimum=0.0,
        maximum=1e4,
    ),
    Parameter(
        "observability.threshold",
        0.05,
        "Singular value of the scaled Jacobian below which a direction of the wrench counts "
        "as not observable.",
        unit="m",
        minimum=1e-6,
        maximum=10.0,
        fixed=True,
    ),
    Parameter(
        "observability.damping",
        0.05,
        "Damping of directions that are not observable.",
        unit="m",
        minimum=1e-6,
        maximum=10.0,
        fixed=True,
    ),
    Parameter(
        "observability.length",
        0.3,
        "Length by which moments are made comparable with forces.",
        unit="m",
        minimum=1e-3,
        maximum=100.0,
        fixed=True,
    ),
    Parameter(
        "tare.window",
        0.5,
        "Time over which ~/tare takes the mean.",
        unit="s",
        minimum=0.05,
        maximum=10.0,
        fixed=True,
    ),
    Parameter(
        "tare.max_speed",
        0.02,
        "Joint speed above which ~/tare refuses.",
        unit="rad/s or m/s",
        minimum=1e-4,
        maximum=10.0,
        fixed=True,
    ),
)
