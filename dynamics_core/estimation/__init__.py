"""Estimators: what the environment does to a robot, from joint measurements."""

from .external_torque import ExternalTorqueObserver
from .signal_filters import LowPass, soft_deadband
from .tare import Tare, TareError
from .wrench_solver import COMPONENTS, WrenchEstimate, WrenchSolver, expressed_in, moved_to

__all__ = [
    "COMPONENTS",
    "ExternalTorqueObserver",
    "LowPass",
    "Tare",
    "TareError",
    "WrenchEstimate",
    "WrenchSolver",
    "expressed_in",
    "moved_to",
    "soft_deadband",
]
