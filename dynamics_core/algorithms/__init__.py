"""One textbook algorithm a file, for numbers and for symbols.

Importing this package registers every algorithm in :data:`dynamics_core.functions.FUNCTIONS`.
"""

from . import (
    center_of_mass,
    centroidal_momentum,
    cholesky,
    coriolis,
    coriolis_matrix,
    energy,
    forward_dynamics,
    forward_dynamics_derivatives,
    frame_motion,
    friction,
    gravity,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    jacobian,
    jacobian_derivative,
    joint_wrenches,
    kinematics,
    mass_matrix,
    newton_euler_vectors,
    operational_space,
    regressor,
)

__all__ = [
    "center_of_mass",
    "centroidal_momentum",
    "cholesky",
    "coriolis",
    "coriolis_matrix",
    "energy",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_motion",
    "friction",
    "gravity",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_derivative",
    "joint_wrenches",
    "kinematics",
    "mass_matrix",
    "newton_euler_vectors",
    "operational_space",
    "regressor",
]
