"""One textbook algorithm a file, for numbers and for symbols.

Importing this package registers every algorithm in :data:`dynamics_core.functions.FUNCTIONS`.
"""

from . import (
    center_of_mass,
    centroidal_momentum,
    cholesky,
    coriolis,
    energy,
    forward_dynamics,
    frame_motion,
    gravity,
    inverse_dynamics,
    jacobian,
    jacobian_derivative,
    kinematics,
    mass_matrix,
)

__all__ = [
    "center_of_mass",
    "centroidal_momentum",
    "cholesky",
    "coriolis",
    "energy",
    "forward_dynamics",
    "frame_motion",
    "gravity",
    "inverse_dynamics",
    "jacobian",
    "jacobian_derivative",
    "kinematics",
    "mass_matrix",
]
