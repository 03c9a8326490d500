"""Identities of poses, Jacobians, velocities and accelerations."""

from __future__ import annotations

import numpy as np
from random_trees import Case

from .tools import (
    NUMERIC,
    REFERENCES,
    agree,
    along_motion,
    identity,
    over_coordinates,
    rate_of_pose,
    spatial_block,
)


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
