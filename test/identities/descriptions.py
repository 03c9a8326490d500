"""Descriptions that differ and say the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from backends import RobotUnderTest
from random_trees import Case, moved_base, permuted, random_inertia, random_transform

from dynamics_core import Robot
from dynamics_core.model import JointType
from dynamics_core.spatial import Inertia, Vector

from .tools import (
    Array,
    agree,
    identity,
)


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
