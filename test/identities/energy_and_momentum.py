"""Identities of energy, centre of mass and momentum."""

from __future__ import annotations

import numpy as np
from random_trees import Case, transform

from dynamics_core.spatial import Force, Motion

from .tools import (
    NUMERIC,
    agree,
    along_motion,
    identity,
    of_free_robots,
    over_coordinates,
)


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
