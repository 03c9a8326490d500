"""Simulated robots: from a single step to a robot that a controller takes for a real one."""

from .commands import CommandPolicy, Commands
from .feedback import Feedback
from .joint_forces import EndStops
from .physics import Physics
from .rollout import rollout, simulate
from .scene import Scene
from .sensors import Measurement, Sensors, SensorSettings
from .simulator import GroundTruth, Simulator
from .step import INTEGRATORS
from .stepper import Step, Stepper
from .trajectory import Trajectory

__all__ = [
    "INTEGRATORS",
    "CommandPolicy",
    "Commands",
    "EndStops",
    "Feedback",
    "GroundTruth",
    "Measurement",
    "Physics",
    "Scene",
    "SensorSettings",
    "Sensors",
    "Simulator",
    "Step",
    "Stepper",
    "Trajectory",
    "rollout",
    "simulate",
]
