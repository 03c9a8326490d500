"""What must be true of any robot in any state, whatever the numbers.

Each function takes a :class:`random_trees.Case` and raises AssertionError where the law does not
hold. Exact laws are held to 1e-9, those that need a numerical derivative to 1e-6, both relative.

``test_identities.py`` tries them on random trees; ``test_mutations.py`` shows of each that it
fails when an algorithm is broken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from backends import RobotUnderTest
from peers import relative_error
from random_trees import Case, moved_base, permuted, random_inertia, random_transform, transform

from dynamics_core import Robot
from dynamics_core.model import JointType
from dynamics_core.spatial import Force, Inertia, Motion, Vector

Array = np.ndarray
EXACT = 1e-9
NUMERIC = 1e-6
REFERENCES = ("local", "world", "local_world_aligned")

#: Every identity by name.
IDENTITIES: dict[str, Callable[[Case], None]] = {}
#: Those that need a floating joint at the root.
OF_FREE_ROBOTS: dict[str, Callable[[Case], None]] = {}


def identity(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """Register an identity for all robots."""
    IDENTITIES[check.__name__] = check
    return check


def of_free_robots(check: Callable[[Case], None]) -> Callable[[Case], None]:
    """Register an identity for robots on a floating base."""
    OF_FREE_ROBOTS[check.__name__] = check
    return check


def agree(actual: Array, expected: Array, tolerance: float = EXACT, floor: float = 1e-2) -> None:
    """Equal but for rounding; ``floor`` is the magnitude below which the error is absolute."""
    error = relative_error(np.ravel(actual), np.ravel(expected), floor=floor)
    assert error < tolerance, f"relative error {error:.2g}\n{actual}\n{expected}"


def derivative(f: Callable[[Array], Array], n: int = 1, h: float = 1e-3) -> Array:
    """df/ds at s = 0 by central differences, extrapolated to fourth order.

    Args:
        f: Takes steps of shape (4 n, n): multiples of the n unit vectors. Returns (4 n, ...).
        n: Number of directions.
        h: Step.

    Returns:
        (n, ...): the derivative in each direction.
    """
    steps = np.array([h, -h, 2.0 * h, -2.0 * h])
    values = f(np.concatenate([s * np.eye(n) for s in steps]))
    near = (values[:n] - values[n : 2 * n]) / (2.0 * h)
    far = (values[2 * n : 3 * n] - values[3 * n :]) / (4.0 * h)
    return (4.0 * near - far) / 3.0


def along_motion(case: Case, f: Callable[[Array, Array], Array], a: Array | None = None) -> Array:
    """Rate of ``f(q, v)`` while the robot moves with velocity v and acceleration ``a`` (or 0)."""
    a = np.zeros(case.robot.nv) if a is None else a

    def g(steps: Array) -> Array:
        q = case.robot.integrate(case.q, np.broadcast_to(case.v, (4, len(case.v))), steps[:, 0])
        return f(q, case.v + steps * a)

    return derivative(g)[0]


def over_coordinates(case: Case, f: Callable[[Array], Array]) -> Array:
    """Derivative of ``f(q)`` along each velocity coordinate, on the last axis."""
    rates = derivative(lambda s: f(case.robot.integrate(case.q, s)), case.robot.nv)
    return np.moveaxis(rates, 0, -1)


def rate_of_pose(pose: Array, dpose: Array) -> Array:
    """Twist (linear, angular) of the frame's origin in base axes from d(pose)/dt."""
    skew = dpose[:3, :3] @ pose[:3, :3].T
    assert np.abs(skew + skew.T).max() < 1e-6
    return np.array([*dpose[:3, 3], skew[2, 1], skew[0, 2], skew[1, 0]])


def spatial_block(pose: Array, reference: str) -> Array:
    """The matrix that takes a twist in base axes at the frame's origin to a reference."""
    r = pose[:3, :3].T if reference == "local" else np.eye(3)
    block = np.kron(np.eye(2), r)
    if reference == "world":
        x, y, z = pose[:3, 3]
        block[:3, 3:] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return block


def weightless(robot: Robot) -> Robot:
    """Without gravity."""
    return robot.with_gravity((0.0, 0.0, 0.0))


# The equation of motion.


@identity
def mass_matrix_is_symmetric_and_positive(c: Case) -> None:
    m = c.robot.mass_matrix(c.q)
    agree(m, m.T)
    assert np.linalg.eigvalsh(m).min() > 0.0


@identity
def columns_of_rnea_are_those_of_crba(c: Case) -> None:
    nv = c.robot.nv
    q, still = np.tile(c.q, (nv, 1)), np.zeros((nv, nv))
    agree(weightless(c.robot).inverse_dynamics(q, still, np.eye(nv)).T, c.robot.mass_matrix(c.q))


@identity
def torque_is_the_sum_of_its_terms(c: Case) -> None:
    tau = c.robot.inverse_dynamics(c.q, c.v, c.a)
    inertial = c.robot.mass_matrix(c.q) @ c.a
    bias = c.robot.coriolis_torque(c.q, c.v) + c.robot.gravity_torque(c.q)
    agree(tau, inertial + bias)
    agree(c.robot.bias_torque(c.q, c.v), bias)


@identity
def forward_dynamics_undoes_inverse_dynamics(c: Case) -> None:
    tau = c.robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    a = c.robot.forward_dynamics(c.q, c.v, tau, f_ext=c.f_ext)
    condition = np.linalg.cond(c.robot.mass_matrix(c.q))
    agree(a, c.a, tolerance=max(EXACT, 1e-13 * condition))


@identity
def coriolis_torque_is_quadratic_in_velocity(c: Case) -> None:
    once, twice = c.robot.coriolis_torque(np.tile(c.q, (2, 1)), np.stack((c.v, -2.0 * c.v)))
    agree(twice, 4.0 * once)


@identity
def coriolis_torque_is_that_of_lagrange(c: Case) -> None:
    """``C v = dM/dt v - dT/dq``, on trees whose coordinates are independent lengths and angles."""
    if any(j.type.nv > 1 for j in c.robot.model.joints):
        return
    rate = along_motion(c, lambda q, v: c.robot.mass_matrix(q) @ c.v)
    slope = over_coordinates(c, lambda q: c.robot.kinetic_energy(q, np.tile(c.v, (len(q), 1))))
    agree(c.robot.coriolis_torque(c.q, c.v), rate - slope, NUMERIC)


@identity
def external_torque_is_jacobian_transposed_times_wrench(c: Case) -> None:
    free = c.robot.inverse_dynamics(c.q, c.v, c.a)
    loaded = c.robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    external = sum(c.robot.jacobian(c.q, f, "local").T @ w for f, w in c.f_ext.items())
    agree(free - loaded, external)


# Energy.


@identity
def kinetic_energy_is_half_v_m_v(c: Case) -> None:
    agree(c.robot.kinetic_energy(c.q, c.v), 0.5 * c.v @ c.robot.mass_matrix(c.q) @ c.v)


@identity
def gravity_is_the_gradient_of_potential_energy(c: Case) -> None:
    agree(c.robot.gravity_torque(c.q), over_coordinates(c, c.robot.potential_energy), NUMERIC)


@identity
def power_balances(c: Case) -> None:
    """Energy grows by what the joints and the wrenches bring in."""
    robot = c.robot
    tau = robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    power = tau @ c.v
    for frame, wrench in c.f_ext.items():
        power = power + wrench @ robot.frame_velocity(c.q, c.v, frame, "local")
    rate = along_motion(c, lambda q, v: robot.kinetic_energy(q, v) + robot.potential_energy(q), c.a)
    agree(rate, power, NUMERIC)


@identity
def coriolis_torque_does_half_the_work_of_changing_inertia(c: Case) -> None:
    """``v' C v = v' dM/dt v / 2``."""
    rate = along_motion(c, lambda q, v: c.robot.mass_matrix(q) @ c.v @ c.v)
    agree(c.v @ c.robot.coriolis_torque(c.q, c.v), 0.5 * rate, NUMERIC)


# Kinematics.


@identity
def jacobian_is_the_derivative_of_the_pose(c: Case) -> None:
    pose = c.robot.frame_pose(c.q, c.tip)
    rates = over_coordinates(c, lambda q: c.robot.frame_pose(q, c.tip))
    columns = [rate_of_pose(pose, rates[..., k]) for k in range(c.robot.nv)]
    for reference in REFERENCES:
        expected = spatial_block(pose, reference) @ np.array(columns).T
        agree(c.robot.jacobian(c.q, c.tip, reference), expected, NUMERIC)


@identity
def frame_velocity_is_jacobian_times_v(c: Case) -> None:
    for reference in REFERENCES:
        expected = c.robot.jacobian(c.q, c.tip, reference) @ c.v
        agree(c.robot.frame_velocity(c.q, c.v, c.tip, reference), expected)


@identity
def jacobian_derivative_is_that(c: Case) -> None:
    for reference in REFERENCES:
        f = c.tip
        rate = along_motion(c, lambda q, v, r=reference, f=f: c.robot.jacobian(q, f, r))
        agree(c.robot.jacobian_derivative(c.q, c.v, f, reference), rate, NUMERIC)


@identity
def jacobian_bias_is_jacobian_derivative_times_v(c: Case) -> None:
    for reference in REFERENCES:
        expected = c.robot.jacobian_derivative(c.q, c.v, c.tip, reference) @ c.v
        agree(c.robot.jacobian_bias(c.q, c.v, c.tip, reference), expected)


@identity
def acceleration_is_the_derivative_of_velocity(c: Case) -> None:
    """The twist's derivative is spatial in ``local`` and ``world``, else classical."""
    for reference in REFERENCES:
        f, classical = c.tip, reference == "local_world_aligned"
        rate = along_motion(
            c, lambda q, v, r=reference, f=f: c.robot.frame_velocity(q, v, f, r), c.a
        )
        a = c.robot.frame_acceleration(c.q, c.v, c.a, f, reference, classical=classical)
        agree(a, rate, NUMERIC)
        bias = c.robot.jacobian_bias(c.q, c.v, f, reference)
        agree(a, c.robot.jacobian(c.q, f, reference) @ c.a + bias)


@identity
def classical_acceleration_adds_omega_cross_v(c: Case) -> None:
    for reference in REFERENCES:
        state = (c.q, c.v, c.a, c.tip, reference)
        v = c.robot.frame_velocity(c.q, c.v, c.tip, reference)
        expected = c.robot.frame_acceleration(*state, classical=False)
        expected[:3] += np.cross(v[3:], v[:3])
        agree(c.robot.frame_acceleration(*state, classical=True), expected)


@identity
def difference_undoes_integrate(c: Case) -> None:
    step = 0.5 * c.v / max(1.0, float(np.linalg.norm(c.v)))
    there = c.robot.integrate(c.q, step)
    agree(c.robot.difference(c.q, there), step)
    back = c.robot.integrate(there, -step)
    agree(c.robot.frame_pose(back, c.tip), c.robot.frame_pose(c.q, c.tip))


# Centre of mass and momentum.


@identity
def com_jacobian_is_the_derivative_of_the_com(c: Case) -> None:
    agree(c.robot.com_jacobian(c.q), over_coordinates(c, c.robot.center_of_mass), NUMERIC)
    agree(c.robot.com_velocity(c.q, c.v), c.robot.com_jacobian(c.q) @ c.v)


@identity
def momentum_is_that_of_the_bodies(c: Case) -> None:
    """Sum over all bodies, each by its own frame's pose and twist."""
    total, com = Force(), c.robot.center_of_mass(c.q)
    for i, body in enumerate(c.robot.model.bodies):
        pose = c.robot.frame_pose(c.q, f"link{i}")
        x = transform(pose[:3, :3], pose[:3, 3] - com)
        twist = c.robot.frame_velocity(c.q, c.v, f"link{i}", "local")
        total = total + x.force_to_parent(body.inertia.times(Motion.of(twist)))
    agree(c.robot.centroidal_momentum(c.q, c.v), list(total))


@identity
def momentum_matrix_times_v_is_momentum(c: Case) -> None:
    a = c.robot.centroidal_momentum_matrix(c.q)
    agree(a @ c.v, c.robot.centroidal_momentum(c.q, c.v))
    mass = sum(b.inertia.mass for b in c.robot.model.bodies)
    agree(a[:3], mass * c.robot.com_jacobian(c.q))


@identity
def momentum_bias_is_its_rate_without_acceleration(c: Case) -> None:
    rate = along_motion(c, c.robot.centroidal_momentum)
    agree(c.robot.centroidal_momentum_bias(c.q, c.v), rate, NUMERIC)


@of_free_robots
def rate_of_momentum_is_the_outside_force(c: Case) -> None:
    """Weight, wrenches, and what the root joint is driven with."""
    robot = c.robot
    tau = robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    armature = robot.model.bodies[0].joint.armature
    root = tau[:6] - armature * c.a[:6]
    mass, com = robot.total_mass, robot.center_of_mass(c.q)
    outside = np.concatenate((mass * robot.gravity, np.zeros(3)))
    for frame, wrench in [("link0", root), *c.f_ext.items()]:
        pose = robot.frame_pose(c.q, frame)
        force, moment = pose[:3, :3] @ wrench[:3], pose[:3, :3] @ wrench[3:]
        outside += np.concatenate((force, moment + np.cross(pose[:3, 3] - com, force)))
    rate = robot.centroidal_momentum_matrix(c.q) @ c.a
    agree(rate + robot.centroidal_momentum_bias(c.q, c.v), outside)


@of_free_robots
def locked_robot_has_the_momentum_of_its_centroidal_inertia(c: Case) -> None:
    robot, v = c.robot, np.zeros(c.robot.nv)
    v[:6] = c.v[:6]
    twist = robot.frame_velocity(c.q, v, "link0")
    arm = robot.center_of_mass(c.q) - robot.frame_pose(c.q, "link0")[:3, 3]
    twist[:3] += np.cross(twist[3:], arm)
    agree(robot.centroidal_momentum(c.q, v), robot.centroidal_inertia(c.q) @ twist)


@of_free_robots
def free_fall_takes_no_torque(c: Case) -> None:
    """A robot at rest that falls as one: every torque is zero but for rotors, which lag."""
    robot = c.robot
    pose = robot.frame_pose(c.q, "link0")
    a = np.zeros(robot.nv)
    a[:3] = pose[:3, :3].T @ robot.gravity
    tau = robot.inverse_dynamics(c.q, np.zeros(robot.nv), a)
    tau[:6] -= robot.model.bodies[0].joint.armature * a[:6]
    agree(tau, np.zeros(robot.nv))


# Descriptions that differ and say the same.


@identity
def nothing_depends_on_the_base_frame(c: Case) -> None:
    pose = random_transform(c.rng)
    other = RobotUnderTest(moved_base(c.robot.model, pose))
    state = (c.q, c.v, c.a)
    f_ext = c.f_ext
    agree(
        other.inverse_dynamics(*state, f_ext=f_ext), c.robot.inverse_dynamics(*state, f_ext=f_ext)
    )
    agree(other.forward_dynamics(*state), c.robot.forward_dynamics(*state), 1e-8)
    moved = pose.point(Vector(*c.robot.center_of_mass(c.q)))
    agree(other.center_of_mass(c.q), list(moved))
    agree(other.jacobian(c.q, c.tip, "local"), c.robot.jacobian(c.q, c.tip, "local"))


@identity
def nothing_depends_on_the_order_of_joints(c: Case) -> None:
    model, iq, iv = permuted(c.robot.model, c.rng)
    other, state = RobotUnderTest(model), (c.q[iq], c.v[iv], c.a[iv])
    tau = c.robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    agree(other.inverse_dynamics(*state, f_ext=c.f_ext), tau[iv])
    agree(other.mass_matrix(state[0]), c.robot.mass_matrix(c.q)[np.ix_(iv, iv)])
    a = c.robot.forward_dynamics(c.q, c.v, tau)
    agree(other.forward_dynamics(*state[:2], tau[iv]), a[iv], 1e-8)


@identity
def nothing_depends_on_how_a_link_is_cut(c: Case) -> None:
    """A body is the sum of two others joined rigidly, wherever the cut is."""
    i = int(c.rng.integers(len(c.robot.model.bodies)))
    model, name = c.robot.model, f"tool{i}"
    half, other = random_inertia(c.rng), model.bodies[i].inertia
    joined = other + half.to_parent(model.frame(name).placement)
    whole = RobotUnderTest(model.with_inertias({i: joined}))
    glued = c.robot.with_payload(name, *_central(half))
    state = (c.q, c.v, c.a)
    agree(glued.inverse_dynamics(*state), whole.inverse_dynamics(*state))
    agree(glued.mass_matrix(c.q), whole.mass_matrix(c.q))


@identity
def mimic_joints_reduce_the_tree(c: Case) -> None:
    """``M = G' M0 G`` and ``tau = G' tau0`` with the tree whose joints are all free."""
    tree, g, q0 = _without_mimic(c)
    v0, a0 = g @ c.v, g @ c.a
    agree(c.robot.mass_matrix(c.q), g.T @ tree.mass_matrix(q0) @ g)
    tau = g.T @ tree.inverse_dynamics(q0, v0, a0)
    agree(c.robot.inverse_dynamics(c.q, c.v, c.a), tau)
    agree(c.robot.jacobian(c.q, c.tip), tree.jacobian(q0, c.tip) @ g)
    agree(c.robot.center_of_mass(c.q), tree.center_of_mass(q0))


def _central(inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass, and inertia about it."""
    com = np.array(list(inertia.first)) / inertia.mass
    second = np.array([list(r) for r in inertia.second.rows])
    shift = inertia.mass * (com @ com * np.eye(3) - np.outer(com, com))
    return float(inertia.mass), com, second - shift


def _without_mimic(c: Case) -> tuple[Robot, Array, Array]:
    """The tree with mimic joints set free, G, and its position."""
    model = c.robot.model
    bodies, rows, q0 = [], [], []
    for b in model.bodies:
        j = b.joint
        free = replace(
            j, q_index=len(q0), v_index=len(rows), mimics=None, multiplier=1.0, offset=0.0
        )
        bodies.append(replace(b, joint=free))
        for k in range(j.type.nv):
            row = np.zeros(model.nv)
            row[j.v_index + k] = j.multiplier
            rows.append(row)
        values = c.q[j.q_index : j.q_index + j.type.nq]
        q0 += list(values if j.type is JointType.FLOATING else j.multiplier * values + j.offset)
    return RobotUnderTest(replace(model, bodies=tuple(bodies))), np.array(rows), np.array(q0)
