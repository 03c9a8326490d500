"""Rigid-body dynamics of robots from their URDF, as a library that knows nothing of ROS."""

from .errors import (
    ArgumentError,
    DescriptionError,
    DynamicsError,
    ModelWarning,
    SingularityError,
    SingularMassError,
    UnknownNameError,
)
from .model import Model
from .robot import Robot

__all__ = [
    "ArgumentError",
    "DescriptionError",
    "DynamicsError",
    "Model",
    "ModelWarning",
    "Robot",
    "SingularMassError",
    "SingularityError",
    "UnknownNameError",
]
