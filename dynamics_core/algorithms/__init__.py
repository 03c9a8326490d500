"""One textbook algorithm a file, for numbers and for symbols.

Importing this package registers every algorithm in :data:`dynamics_core.functions.FUNCTIONS`.
"""

from . import (
    cholesky,
    coriolis,
    forward_dynamics,
    gravity,
    inverse_dynamics,
    jacobian,
    kinematics,
    mass_matrix,
)

__all__ = [
    "cholesky",
    "coriolis",
    "forward_dynamics",
    "gravity",
    "inverse_dynamics",
    "jacobian",
    "kinematics",
    "mass_matrix",
]
