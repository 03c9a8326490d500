"""Controllers: objects with a step of plain arrays and times, usable with or without ROS."""

from .command_guard import CommandGuard
from .friction import JointFriction
from .gravity_compensation import GravityCompensation
from .inverse_dynamics_control import InverseDynamicsControl
from .iterative_learning import IterativeLearning
from .joint_selection import JointSelection
from .trajectory import JointTrajectory, TrajectoryError, TrajectoryPoint
from .trajectory_annotation import AnnotatedTrajectory, annotate

__all__ = [
    "AnnotatedTrajectory",
    "CommandGuard",
    "GravityCompensation",
    "InverseDynamicsControl",
    "IterativeLearning",
    "JointFriction",
    "JointSelection",
    "JointTrajectory",
    "TrajectoryError",
    "TrajectoryPoint",
    "annotate",
]
