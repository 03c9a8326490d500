"""Body frames whose origins lie where positions have as many zeros as possible.

The origin of a body that turns may lie anywhere on its axis. Where it lies changes no torque and no
pose of a link, but each coordinate that is not zero costs every recursion some products. This is
the freedom that Denavit and Hartenberg use when they put an origin where the common normal meets
the axis; a URDF puts it where somebody drew it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .model import Body, JointType, Model
from .spatial import Transform, Vector

_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
#: Least share of an axis along a coordinate that sliding may bring to zero: a smaller one would
#: send the origin far away.
_LEAST_SHARE = 0.5


def with_simple_positions(model: Model) -> Model:
    """The same robot, with origins slid along their axes, base first, where that makes zeros.

    Bodies whose inertia is given by symbols stay: it would have to be moved at every call.
    """
    bodies = list(model.bodies)
    shifts = [0.0] * len(bodies)
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies):
        if body.parent >= 0:
            children[body.parent].append(i)
    for i, body in enumerate(bodies):
        if body.joint.type not in _TURNING or not body.inertia.is_constant():
            continue
        carried = [bodies[k].placement.position for k in children[i]]
        shifts[i] = _best(body, carried)
        bodies[i] = _slid(body, shifts[i])
        for k in children[i]:
            bodies[k] = replace(bodies[k], placement=_seen(bodies[k].placement, shifts[i]))
    frames = tuple(
        replace(f, placement=_seen(f.placement, shifts[f.body])) if f.body >= 0 else f
        for f in model.frames
    )
    return replace(model, bodies=tuple(bodies), frames=frames)


def _best(body: Body, carried: Sequence[Vector]) -> float:
    """The way along z that leaves the fewest coordinates; those of the children can slide on."""

    def cost(shift: float) -> tuple[int, int, float]:
        # A fixed base does not turn, so that positions in it have no effect.
        own = _count(_moved(body, shift)) if body.parent >= 0 else 0
        rest = sum(_count(p - Vector(0.0, 0.0, shift)) for p in carried)
        return own + rest, own, abs(shift)

    return min(_ways(body, carried), key=cost)


def _ways(body: Body, carried: Sequence[Vector]) -> Iterable[float]:
    yield 0.0
    for p, share in zip(body.placement.position, _axis(body), strict=True):
        if p != 0.0 and abs(share) >= _LEAST_SHARE:
            yield -p / share
    for child in carried:
        yield child.z


def _count(p: Vector) -> int:
    return sum(c != 0.0 for c in p)


def _axis(body: Body) -> Vector:
    """The joint's axis in the parent's axes."""
    return body.placement.rotation.matrix().column(2)


def _slid(body: Body, shift: float) -> Body:
    """The body with its origin moved along its z axis."""
    placement = Transform(body.placement.rotation, _moved(body, shift))
    return replace(
        body,
        placement=placement,
        inertia=body.inertia.to_parent(_seen(Transform.identity(), shift)),
    )


def _moved(body: Body, shift: float) -> Vector:
    """The position of a body after sliding; exactly zero where the way was chosen for that."""
    p, axis = body.placement.position, _axis(body)
    return Vector(
        *(
            0.0 if share != 0.0 and c == -shift * share else c + shift * share
            for c, share in zip(p, axis, strict=True)
        )
    )


def _seen(x: Transform, shift: float) -> Transform:
    """A pose in a body frame whose origin has moved along z."""
    return Transform(x.rotation, x.position - Vector(0.0, 0.0, shift))
