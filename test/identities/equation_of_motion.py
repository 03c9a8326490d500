"""Identities of the equation of motion, its terms and its derivatives."""

from __future__ import annotations

import numpy as np
from random_trees import Case

from .tools import (
    EXACT,
    NUMERIC,
    Array,
    agree,
    along_motion,
    armature,
    derivative,
    identity,
    over_coordinates,
    weightless,
)


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


@identity
def coriolis_matrix_gives_torque_and_rate_of_mass_matrix(c: Case) -> None:
    """``C v`` is the Coriolis torque, and ``dM/dt = C + C'``, so that dM/dt - 2C is skew."""
    matrix = c.robot.coriolis_matrix(c.q, c.v)
    agree(matrix @ c.v, c.robot.coriolis_torque(c.q, c.v))
    rate = along_motion(c, lambda q, v: c.robot.mass_matrix(q))
    agree(matrix + matrix.T, rate, NUMERIC)


@identity
def coriolis_matrix_is_made_of_christoffel_symbols(c: Case) -> None:
    symbols = c.robot.christoffel_symbols(c.q)
    agree(symbols @ c.v, c.robot.coriolis_matrix(c.q, c.v))
    if all(j.type.nv == 1 for j in c.robot.model.joints):
        d = over_coordinates(c, c.robot.mass_matrix)  # dM_ij / dq_k
        expected = 0.5 * (d + d.transpose(0, 2, 1) - d.transpose(2, 0, 1))
        agree(symbols, expected, NUMERIC)


@identity
def regressor_times_parameters_is_the_torque(c: Case) -> None:
    torque = c.robot.inverse_dynamics(c.q, c.v, c.a) - armature(c.robot) * c.a
    y = c.robot.regressor(c.q, c.v, c.a)
    agree(y @ c.robot.inertial_parameters(), torque)


@identity
def vector_recursion_agrees(c: Case) -> None:
    state = (c.q, c.v, c.a)
    agree(c.robot.newton_euler_vectors(*state), c.robot.inverse_dynamics(*state))


@identity
def derivatives_of_inverse_dynamics_are_those(c: Case) -> None:
    n = 4 * c.robot.nv

    def torque(q: Array, v: Array, a: Array) -> Array:
        rows = (np.broadcast_to(x, (n, x.shape[-1])) for x in (q, v, a))
        return c.robot.inverse_dynamics(*rows, f_ext=c.f_ext)

    got = c.robot.inverse_dynamics_derivatives(c.q, c.v, c.a, f_ext=c.f_ext)
    agree(got.dtau_dq, over_coordinates(c, lambda q: torque(q, c.v, c.a)), NUMERIC)
    agree(got.dtau_dv, derivative(lambda s: torque(c.q, c.v + s, c.a), c.robot.nv).T, NUMERIC)
    agree(got.dtau_da, c.robot.mass_matrix(c.q))


@identity
def derivatives_of_forward_dynamics_follow_from_those_of_inverse(c: Case) -> None:
    """``da = -M^-1 dtau`` at the acceleration that the torques cause."""
    tau = c.robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext)
    got = c.robot.forward_dynamics_derivatives(c.q, c.v, tau, f_ext=c.f_ext)
    inverse = c.robot.inverse_dynamics_derivatives(c.q, c.v, c.a, f_ext=c.f_ext)
    m = c.robot.mass_matrix(c.q)
    tolerance = max(EXACT, 1e-13 * np.linalg.cond(m))
    agree(got.da_dtau @ m, np.eye(c.robot.nv), tolerance)
    agree(m @ got.da_dq, -inverse.dtau_dq, tolerance)
    agree(m @ got.da_dv, -inverse.dtau_dv, tolerance)


@identity
def joints_transmit_the_torque_and_carry_the_rest(c: Case) -> None:
    """A joint's wrench along its motion is its torque; at the base all wrenches balance."""
    robot = c.robot
    rows = robot.joint_wrenches(c.q, c.v, c.a, f_ext=c.f_ext)
    tau = armature(robot) * c.a
    joints = [robot.model.joint(n) for n in robot.wrench_joint_names]
    for joint, row in zip(joints, rows, strict=True):
        for k, axis in enumerate(joint.type.axes):
            tau[joint.v_index + k] += joint.multiplier * row[axis]
    agree(tau, robot.inverse_dynamics(c.q, c.v, c.a, f_ext=c.f_ext))
    aligned = robot.joint_wrenches(c.q, c.v, c.a, "local_world_aligned", f_ext=c.f_ext)
    carrier = {b.joint.name: i for i, b in enumerate(robot.model.bodies)}
    com = robot.center_of_mass(c.q)
    mass = sum(b.inertia.mass for b in robot.model.bodies)
    outside = np.concatenate((mass * robot.gravity, np.zeros(3)))
    for name, row in zip(robot.wrench_joint_names, aligned, strict=True):
        if robot.model.bodies[carrier[name]].parent < 0:
            arm = robot.frame_pose(c.q, f"link{carrier[name]}")[:3, 3] - com
            outside += np.concatenate((row[:3], row[3:] + np.cross(arm, row[:3])))
    for frame, wrench in c.f_ext.items():
        pose = robot.frame_pose(c.q, frame)
        force, moment = pose[:3, :3] @ wrench[:3], pose[:3, :3] @ wrench[3:]
        outside += np.concatenate((force, moment + np.cross(pose[:3, 3] - com, force)))
    rate = robot.centroidal_momentum_matrix(c.q) @ c.a
    agree(rate + robot.centroidal_momentum_bias(c.q, c.v), outside)
