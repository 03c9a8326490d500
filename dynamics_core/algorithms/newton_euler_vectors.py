"""The Newton-Euler recursion in its original form: three-vectors about centres of mass.

Source: J. Y. S. Luh, M. W. Walker, R. P. C. Paul, *On-line computational scheme for mechanical
manipulators*, ASME J. Dynamic Systems, Measurement, and Control 102(2), 1980, equations 29 to 36;
gravity enters as an upward acceleration of the base, as there. What they write for sliding and
turning joints of a chain is applied here to trees and to joints with several degrees of freedom.

This is a second way to the torques of :mod:`.inverse_dynamics`, and shares no step with it: joint
rotations, accelerations of centres of mass, and moments about them are all its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..functions import function
from ..model import Joint, JointType, Model
from ..spatial import Inertia, Matrix, Scalar, Vector, cos, sin
from .cholesky import is_zero


@function("q", "v", "a", tau=("nv",))
def newton_euler_vectors(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Joint torques of a motion; the same as those of inverse dynamics."""
    number = range(len(model.bodies))
    turn: list[Matrix] = []  # rotation from link axes to the previous link's axes
    reach: list[Vector] = []  # p*: from the previous link's origin to the link's, in its axes
    w: list[Vector] = []  # angular velocity
    dw: list[Vector] = []  # angular acceleration
    dv: list[Vector] = []  # acceleration of the link's origin
    center: list[Vector] = []  # s*: centre of mass from the link's origin
    force: list[Vector] = []  # F: what accelerates the link's centre of mass
    moment: list[Vector] = []  # N: what turns the link about it
    for i in number:
        body = model.bodies[i]
        p, joint = body.parent, body.joint
        rotation, shift = _displacement(joint, q)
        placed = body.placement.rotation.matrix()
        turn.append(placed @ rotation)
        back = turn[i].T
        reach.append(back @ (body.placement.position + placed @ shift))
        w0 = back @ w[p] if p >= 0 else Vector()
        dw0 = back @ dw[p] if p >= 0 else Vector()
        dv0 = back @ (dv[p] if p >= 0 else -model.gravity)
        sliding, turning = _rates(joint, v)
        sliding_change, turning_change = _rates(joint, a)
        w.append(w0 + turning)
        dw.append(dw0 + turning_change + w0.cross(turning))
        carried = dv0 + dw0.cross(reach[i]) + w0.cross(w0.cross(reach[i]))
        # The rates of a sliding joint are in axes that turn with the link itself.
        slid = sliding_change + w0.cross(sliding) * 2.0 + turning.cross(sliding)
        dv.append(carried + slid)
        s, about_center = _about_center(body.inertia)
        center.append(s)
        at_center = dv[i] + dw[i].cross(s) + w[i].cross(w[i].cross(s))
        force.append(at_center * body.inertia.mass)
        moment.append(about_center @ dw[i] + w[i].cross(about_center @ w[i]))
    tau: list[Scalar] = [0.0] * model.nv
    f = [Vector() for _ in number]  # exerted on the link by the previous one
    n = [Vector() for _ in number]
    for i in reversed(number):
        body = model.bodies[i]
        f[i] = f[i] + force[i]
        n[i] = n[i] + moment[i] + center[i].cross(force[i])
        if body.parent >= 0:
            p = body.parent
            f[p] = f[p] + turn[i] @ f[i]
            n[p] = n[p] + turn[i] @ (n[i] + reach[i].cross(f[i]))
        joint = body.joint
        for k, axis in enumerate(joint.type.axes, start=joint.v_index):
            along = f[i][axis] if axis < 3 else n[i][axis - 3]
            tau[k] = tau[k] + joint.multiplier * along
            tau[k] = tau[k] + joint.multiplier**2 * joint.armature * a[k]
    return tau


def _displacement(joint: Joint, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
    """Rotation and shift of a joint at position q, from where it is zero."""
    k = joint.q_index
    if joint.type is JointType.FLOATING:
        x, y, z, s = q[k + 3 : k + 7]
        u = Matrix.skew(Vector(x, y, z))
        # Rodrigues' formula in the quaternion (u, s).
        return Matrix.identity() + u * (2.0 * s) + u @ u * 2.0, Vector(*q[k : k + 3])
    if joint.type is JointType.PLANAR:
        return _about_z(q[k + 2]), Vector(q[k], q[k + 1], 0.0)
    position = joint.multiplier * q[k] + joint.offset
    if joint.type is JointType.PRISMATIC:
        return Matrix.identity(), Vector(0.0, 0.0, position)
    return _about_z(position), Vector()


def _about_z(angle: Scalar) -> Matrix:
    c, s = cos(angle), sin(angle)
    return Matrix(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def _rates(joint: Joint, v: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Sliding and turning rate of a joint, in link axes."""
    rate: list[Scalar] = [0.0] * 6
    for k, axis in enumerate(joint.type.axes, start=joint.v_index):
        rate[axis] = joint.multiplier * v[k]
    return Vector(*rate[:3]), Vector(*rate[3:])


def _about_center(inertia: Inertia) -> tuple[Vector, Matrix]:
    """Centre of mass, and the inertia about it (Steiner's theorem backwards)."""
    if is_zero(inertia.mass):
        return Vector(), inertia.second
    s = inertia.first * (1.0 / inertia.mass)
    c = Matrix.skew(s)
    return s, inertia.second + c @ c * inertia.mass
