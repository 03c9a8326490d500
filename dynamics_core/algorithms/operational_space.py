"""Operational-space inertia and the dynamically consistent inverse of the Jacobian.

Source: O. Khatib, *A unified approach for motion and force control of robot manipulators: the
operational space formulation*, IEEE J. Robotics and Automation 3(1), 1987, equations 16 and 51:

    Lambda = (J M^-1 J')^-1    J# = M^-1 J' Lambda

M^-1 is applied by the branch-sparse factors of M, J M^-1 J' is inverted by its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import SingularityError
from ..functions import function
from ..model import Model
from ..spatial import Scalar
from .cholesky import is_zero, ltdl, ltdl_solve
from .jacobian import jacobian
from .mass_matrix import mass_matrix

#: Names of the directions of a twist, for messages.
DIRECTIONS = ("x", "y", "z", "rotation x", "rotation y", "rotation z")

Rows = list[list[Scalar]]


@function("q", inertia=(6, 6), inverse=("nv", 6), mobility=(6, 6))
def operational_space(
    model: Model,
    q: Sequence[Scalar],
    *,
    frame: str,
    reference: str = "local_world_aligned",
    directions: tuple[int, ...] = (0, 1, 2, 3, 4, 5),
) -> tuple[Rows, Rows, Rows]:
    """Lambda, J# and J M^-1 J' of a frame, for some directions of its twist.

    Args:
        model: The robot.
        q: Position.
        frame: Name of the frame.
        reference: Axes and point of the twist, as for the Jacobian.
        directions: Rows of the Jacobian that count. What belongs to other ones is zero.

    Raises:
        SingularityError: The frame can never move in one of the directions.
    """
    j = jacobian(model, q, frame=frame, reference=reference)
    stuck = [DIRECTIONS[d] for d in directions if all(is_zero(x) for x in j[d])]
    if stuck:
        raise SingularityError(
            f"operational space: frame {frame!r} cannot move along {', '.join(stuck)}; leave that "
            "out of directions"
        )
    lower, reciprocal = ltdl(mass_matrix(model, q))
    columns = [ltdl_solve(lower, reciprocal, j[d]) for d in directions]  # M^-1 J'
    m = range(len(directions))
    upper = {
        (r, c): sum((a * b for a, b in zip(j[directions[r]], columns[c], strict=True)), start=0.0)
        for r in m
        for c in m
        if r <= c
    }
    mobility = [[upper[min(r, c), max(r, c)] for c in m] for r in m]
    factors = ltdl(mobility)
    solved = [ltdl_solve(*factors, [1.0 if r == c else 0.0 for r in m]) for c in m]
    inertia = [[solved[max(r, c)][min(r, c)] for c in m] for r in m]
    inverse = [
        [sum((columns[r][k] * inertia[r][c] for r in m), start=0.0) for c in m]
        for k in range(model.nv)
    ]
    return (
        _spread(inertia, directions, directions, 6),
        _spread(inverse, range(model.nv), directions, model.nv),
        _spread(mobility, directions, directions, 6),
    )


def _spread(table: Rows, rows: Sequence[int], columns: Sequence[int], height: int) -> Rows:
    """A table with rows and columns put in their places; (height, 6), zero elsewhere."""
    wide: Rows = [[0.0] * 6 for _ in range(height)]
    for r, values in zip(rows, table, strict=True):
        for c, value in zip(columns, values, strict=True):
            wide[r][c] = value
    return wide
