"""What must be true of any robot in any state, whatever the numbers.

Each identity takes a :class:`random_trees.Case` and raises AssertionError where the law does not
hold. Exact laws are held to 1e-9, those that need a numerical derivative to 1e-6, both relative.

``algorithms/test_identities.py`` tries them on random trees; ``algorithms/test_mutations.py`` shows
of each that it fails when an algorithm is broken.
"""

from . import descriptions, energy_and_momentum, equation_of_motion, kinematics
from .tools import IDENTITIES, OF_FREE_ROBOTS

__all__ = [
    "IDENTITIES",
    "OF_FREE_ROBOTS",
    "descriptions",
    "energy_and_momentum",
    "equation_of_motion",
    "kinematics",
]
