"""End stops neither explode nor sink, whatever the step, and give no energy."""

from __future__ import annotations

import numpy as np
import pytest
from simulation.textbook_robots import double_chain, pendulum

from dynamics_core import ArgumentError
from dynamics_core.model import Limits
from dynamics_core.simulation import INTEGRATORS, EndStops, Physics, simulate

#: Behind its limit a joint gets by torque over stiffness, and by this speed for one step at most.
EXTRA = 0.5


def dropped(integrator: str, dt: float, restitution: float = 0.0):
    """The double chain let go at its upper limits in ten times gravity, for 4 s."""
    robot = double_chain((Limits(-0.6, 0.8), Limits(-0.5, 0.5)))
    robot = robot.with_gravity(10.0 * robot.gravity)
    physics = Physics(integrator, 0.0, 0.0, stops=EndStops(restitution=restitution))
    return robot, simulate(robot, [0.8, 0.5], seconds=4.0, dt=dt, physics=physics)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "heun", "rk4"])
def test_dropped_onto_its_stops_in_ten_times_gravity(integrator, dt, restitution):
    robot, run = dropped(integrator, dt, restitution)
    assert deepest(robot, run) <= EXTRA * dt
    scale = run.kinetic.max()
    assert scale > 300.0
    assert (run.energy - run.energy[0]).max() <= 1e-3 * scale
    assert run.kinetic[-40:].max() < 1e-3 * scale
    assert run.q[-1] == pytest.approx([-0.6, -0.5], abs=5e-3)


@pytest.mark.parametrize("dt", [1e-3, 2e-3, 5e-3])
def test_explicit_euler_gains_energy_in_free_fall_but_none_from_its_stops(dt):
    robot, run = dropped("explicit_euler", dt)
    assert deepest(robot, run) <= EXTRA * dt
    scale = run.kinetic.max()
    assert (run.energy - run.energy[0]).max() <= 10.0 * dt * scale
    assert run.kinetic[-40:].max() < 5e-3 * scale


def deepest(robot, run) -> float:
    """How far joints got behind their limits, less where they stand at rest, rad."""
    lower, upper = np.array([[-0.6, -0.5], [0.8, 0.5]])
    behind = np.maximum(run.q - upper, lower - run.q).max(axis=0)
    return float((behind - np.abs(robot.gravity_torque(lower)) / 1e5).max())


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_upper_stops_are_the_mirror_image_of_lower_ones(integrator):
    runs = []
    for sign in (1.0, -1.0):
        lower, upper = np.sort([[-0.6 * sign, 0.8 * sign], [-0.5 * sign, 0.5 * sign]]).T
        robot = double_chain(tuple(Limits(*pair) for pair in zip(lower, upper, strict=True)))
        robot = robot.with_gravity([0.0, -98.1 * sign, 0.0])
        runs.append(
            simulate(
                robot, [0.8 * sign, 0.5 * sign], seconds=1.0, dt=2e-3, physics=Physics(integrator)
            )
        )
    assert runs[1].q == pytest.approx(-runs[0].q, abs=1e-9)
    assert runs[1].stops == pytest.approx(-runs[0].stops, rel=1e-6, abs=1e-3)
    assert np.abs(runs[0].stops).max() > 100.0


def test_joint_at_rest_stands_where_the_spring_carries_it():
    robot, run = dropped("semi_implicit_euler", 1e-3)
    lower = np.array([-0.6, -0.5])
    torque = robot.gravity_torque(run.q[-1])
    assert run.v[-1] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert lower - run.q[-1] == pytest.approx(torque / 1e5, rel=1e-6)
    assert run.stops[-1] == pytest.approx(torque, rel=1e-6)


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_blow_returns_its_share_of_the_speed(restitution):
    robot = pendulum(Limits(-1.0, 1.0), gravity=0.0)
    physics = Physics(stops=EndStops(restitution=restitution))
    run = simulate(robot, [0.0], [2.0], seconds=1.0, physics=physics)
    assert run.v[-1] == pytest.approx([-2.0 * restitution], rel=1e-4)
    assert run.q.max() <= 1.0 + 1e-4


def test_blow_reaches_the_other_joint_through_the_mass_matrix():
    """The elbow meets its stop: shoulder speed jumps by the impulse, M dv = (0, impulse)."""
    robot = double_chain((Limits(), Limits(-2.0, 0.2))).with_gravity([0.0, 0.0, 0.0])
    run = simulate(robot, [0.0, 0.0], [0.0, 3.0], seconds=0.2, dt=1e-4, physics=Physics())
    hit = int(np.flatnonzero(np.abs(run.stops[:, 1]) > 100.0)[0])
    jump = run.v[hit + 1] - run.v[hit]
    momentum = robot.mass_matrix(run.q[hit]) @ jump
    assert abs(momentum[0]) < 1e-2 * abs(momentum[1])
    assert run.v[hit + 1, 1] == pytest.approx(0.0, abs=1e-3)


def test_joint_behind_its_limit_comes_back_without_a_jump():
    robot = pendulum(Limits(-0.5, 0.5), gravity=0.0)
    run = simulate(robot, [0.6], seconds=2.0, physics=Physics())
    assert np.abs(np.diff(run.q[:, 0])).max() < 0.05
    assert np.isfinite(run.v).all()
    assert run.q.min() >= -0.5 - 1e-3


def test_without_stops_joints_move_through_their_limits():
    robot = pendulum(Limits(-0.5, 0.5), gravity=0.0)
    run = simulate(robot, [0.0], [1.0], seconds=1.0, physics=Physics(stops=None))
    assert run.q[-1] == pytest.approx([1.0], abs=1e-9)


@pytest.mark.parametrize(
    "arguments", [{"restitution": 1.0}, {"stiffness": 0.0}, {"relaxation": -1.0}]
)
def test_stops_that_make_no_sense_are_refused(arguments):
    with pytest.raises(ArgumentError, match="EndStops"):
        EndStops(**arguments)
