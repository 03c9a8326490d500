"""A second referee: ten robots against MuJoCo, which shares no code with the first."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from backends import RobotUnderTest
from mujoco_peer import MujocoPeer
from peers import corpus_file, random_state, relative_error

#: Arms, legs, dogs and people. MuJoCo loads no inertia that breaks the triangle inequality (as
#: those of the Allegro hand and of iCub do), and no moving body without mass.
ROBOTS = (
    "ur5_robot",
    "ur10_robot",
    "panda",
    "kinova",
    "xarm7",
    "z1",
    "baxter",
    "talos_full_v2",
    "solo12",
    "go2",
    "simple_humanoid",
)
STATES = 5
TOLERANCE = 1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_agrees(name: str) -> None:
    """Torques, mass matrix, accelerations, poses and Jacobians."""
    path = corpus_file(f"{name}.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = RobotUnderTest.from_urdf(path)
    peer = MujocoPeer(robot, path.read_text(encoding="utf-8"))
    q, v, a = random_state(robot, STATES, np.random.default_rng(1))
    frame = robot.frame_names[-1]
    for k in range(STATES):
        state = (q[k], v[k], a[k])
        for method, inputs, ndim in (
            ("inverse_dynamics", state, 1),
            ("bias_torque", state[:2], 1),
            ("gravity_torque", state[:1], 1),
            ("mass_matrix", state[:1], 2),
            ("frame_pose", (q[k], frame), 2),
            ("jacobian", (q[k], frame), 2),
        ):
            actual = getattr(robot, method)(*inputs)
            expected = getattr(peer, method)(*inputs)
            error = relative_error(actual, expected, ndim, floor=1e-6)
            assert error < TOLERANCE, f"{method}: relative error {error:.2g}"
        condition = np.linalg.cond(robot.mass_matrix(q[k]))
        error = relative_error(robot.forward_dynamics(*state), peer.forward_dynamics(*state))
        assert error < max(TOLERANCE, 1e-13 * condition)


def test_there_are_ten() -> None:
    """At least."""
    assert len(set(ROBOTS)) >= 10
