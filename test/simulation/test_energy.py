"""Integrators keep energy, periods and momenta to their order; power balances.

Published values: energy errors of RBDL's double chain example; the pendulum's period by the
complete elliptic integral; a free body by integrating Euler's equations.
"""

from __future__ import annotations

import numpy as np
import pytest
from simulation.textbook_robots import double_chain, free_body, pendulum

from dynamics_core import ArgumentError
from dynamics_core.simulation import INTEGRATORS, Physics, rollout, simulate

ORDERS = {"explicit_euler": 1, "semi_implicit_euler": 1, "heun": 2, "rk4": 4}


def worst_energy(integrator: str, dt: float) -> float:
    """Largest energy error of the double chain in 10 s, J."""
    run = simulate(
        double_chain(), [0.3, -0.4], seconds=10.0, dt=dt, physics=Physics.ideal(integrator)
    )
    return float(np.abs(run.energy - run.energy[0]).max())


@pytest.mark.parametrize(
    ("integrator", "dt", "error"),
    [
        ("explicit_euler", 1e-2, 10.37),
        ("explicit_euler", 1e-3, 1.15),
        ("semi_implicit_euler", 1e-2, 1.26),
        ("semi_implicit_euler", 1e-3, 0.148),
        ("rk4", 1e-2, 1.8e-6),
        ("rk4", 1e-3, 2.2e-10),
    ],
)
def test_double_chain_energy_error_is_the_published_one(integrator, dt, error):
    assert worst_energy(integrator, dt) == pytest.approx(error, rel=0.05)


def test_double_chain_energy_at_the_start():
    run = simulate(double_chain(), [0.3, -0.4], seconds=0.0, physics=Physics.ideal())
    assert run.energy[0] == pytest.approx(4.818740637390097, abs=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_energy_error_falls_with_the_order_of_the_integrator(integrator):
    errors = np.array([final_energy_error(integrator, dt) for dt in (4e-3, 2e-3, 1e-3)])
    observed = np.log2(errors[:-1] / errors[1:])
    assert observed == pytest.approx([ORDERS[integrator]] * 2, abs=0.45)


def final_energy_error(integrator: str, dt: float) -> float:
    """Energy error of the double chain over a swing of 0.8 s, the largest, J."""
    run = simulate(
        double_chain(), [0.3, -0.4], seconds=0.8, dt=dt, physics=Physics.ideal(integrator)
    )
    return float(np.abs(run.energy - run.energy[0]).max())


@pytest.mark.parametrize(("start", "period"), [(np.pi / 2, 2.3678419475762), (3.0, 5.158066754268)])
@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [("semi_implicit_euler", 1e-4), ("heun", 1e-4), ("rk4", 1e-9)],
)
def test_period_of_the_pendulum(integrator, tolerance, start, period):
    run = simulate(pendulum(), [start], seconds=12.0, dt=2e-3, physics=Physics.ideal(integrator))
    measured = np.diff(falling_zeros(run.time, run.q[:, 0], run.v[:, 0]))
    assert len(measured) >= 1
    # Near the top the period depends on energy without bound, and so does its error.
    assert measured[0] == pytest.approx(period, abs=tolerance * (1.0 if start < 2.0 else 3.0))


def test_period_of_the_pendulum_with_explicit_euler_is_right_to_first_order():
    errors = []
    for dt in (4e-3, 2e-3):
        run = simulate(
            pendulum(), [np.pi / 2], seconds=5.0, dt=dt, physics=Physics.ideal("explicit_euler")
        )
        measured = np.diff(falling_zeros(run.time, run.q[:, 0], run.v[:, 0]))
        errors.append(measured[0] - 2.3678419475762)
    assert errors[0] == pytest.approx(2.0 * errors[1], rel=0.1)
    assert 0.0 < errors[1] < 0.02


def falling_zeros(t, x, v):
    """Times at which x falls through zero, by cubic Hermite interpolation."""
    times = []
    for k in np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0)):
        h = t[k + 1] - t[k]
        a, b, c, d = x[k], v[k] * h, x[k + 1], v[k + 1] * h
        roots = np.roots([2 * a + b - 2 * c + d, -3 * a - 2 * b + 3 * c - d, b, a])
        real = roots[np.abs(roots.imag) < 1e-9].real
        times.append(t[k] + h * real[(real >= -1e-9) & (real <= 1.0 + 1e-9)][0])
    return np.array(times)


@pytest.mark.parametrize(
    ("integrator", "dt", "tolerance"),
    [
        ("explicit_euler", 1e-4, 1e-3),
        ("semi_implicit_euler", 1e-4, 1e-3),
        ("heun", 1e-3, 1e-5),
        ("rk4", 1e-2, 1e-7),
    ],
)
def test_free_body_tumbles_as_euler_says(integrator, dt, tolerance):
    run = simulate(
        free_body(), v=[0, 0, 0, 2, 0, 3], seconds=1.0, dt=dt, physics=Physics.ideal(integrator)
    )
    rates = run.v[-1, 3:]
    assert rates == pytest.approx([0.1414744, -1.9949900, 3.0], abs=tolerance)
    assert run.energy[-1] == pytest.approx(run.energy[0], rel=tolerance)
    assert np.linalg.norm(run.q[-1, 3:]) == pytest.approx(1.0, abs=1e-14)


def test_free_body_turns_its_momentum_nowhere():
    run = simulate(
        free_body(), v=[0.3, 0, 0, 2, 0, 3], seconds=1.0, dt=1e-3, physics=Physics.ideal("rk4")
    )
    inertia = np.diag([0.04, 0.04, 0.02])
    momenta = []
    for q, v in ((run.q[0], run.v[0]), (run.q[-1], run.v[-1])):
        pose = free_body().frame_pose(q, "body")
        momenta.append(pose[:3, :3] @ inertia @ v[3:])
    assert momenta[1] == pytest.approx(momenta[0], abs=1e-10)
    # And its centre moves straight on.
    assert run.q[-1, :3] == pytest.approx([0.3, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_power_balances_with_friction_rotors_drives_and_pushes(integrator):
    robot = double_chain()
    physics = Physics(integrator, damping=[0.8, 0.3], friction=[0.2, 0.1], rotor=[0.3, 0.1])
    push = np.array([3.0, -2.0, 0.0, 0.0, 0.0, 0.5])
    run = simulate(
        robot,
        [0.3, -0.4],
        [0.5, 0.2],
        seconds=1.0,
        dt=2e-4,
        tau=lambda t, q, v: [2.0 * np.cos(3.0 * t), 1.0],
        f_ext={"l1": push},
        physics=physics,
    )
    middle_v = 0.5 * (run.v[1:] + run.v[:-1])
    middle_q = 0.5 * (run.q[1:] + run.q[:-1])
    external = np.array([robot.jacobian(q, "l1", "local").T @ push for q in middle_q])
    power = np.sum((run.tau + run.friction + external) * middle_v, axis=1)
    gained = run.energy - run.energy[0]
    work = np.concatenate([[0.0], np.cumsum(power) * 2e-4])
    assert np.abs(gained).max() > 1.0
    assert gained == pytest.approx(work, abs=2e-2 if ORDERS[integrator] == 1 else 5e-4)
    # Friction only ever takes.
    assert np.sum(run.friction * middle_v, axis=1).max() <= 1e-6


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_friction_takes_what_the_description_says(integrator):
    """Damping 0.7 and Coulomb friction 0.3 at 1 rad/s: 1 N m."""
    physics = Physics(integrator, damping=0.7, friction=0.3)
    run = simulate(pendulum(gravity=0.0), [0.0], [1.0], seconds=1e-4, dt=1e-4, physics=physics)
    assert run.friction[0, 0] == pytest.approx(-1.0, rel=2e-4)
    assert (run.v[1, 0] - 1.0) / 1e-4 == pytest.approx(-1.0, rel=2e-4)


def test_dry_friction_holds_what_it_can_and_lets_go_of_more():
    for torque, moves in ((0.2, False), (0.4, True)):
        run = simulate(
            pendulum(gravity=0.0), seconds=1.0, tau=[torque], physics=Physics(friction=0.3)
        )
        assert (abs(run.v[-1, 0]) > 0.05) == moves
        # It creeps at the speed at which tanh carries the torque.
        if not moves:
            assert run.v[-1, 0] == pytest.approx(0.01 * np.arctanh(torque / 0.3), rel=1e-3)


def test_gravity_may_be_absent_or_turned():
    weightless = pendulum(gravity=0.0)
    run = simulate(weightless, [0.4], seconds=0.5, physics=Physics.ideal())
    assert run.q[-1] == pytest.approx([0.4], abs=1e-14)
    # A base tilted by 30 degrees is a field of gravity turned by as much: the pendulum that hangs
    # still is tilted too.
    tilt = np.radians(30.0)
    turned = pendulum().with_gravity([9.81 * np.sin(tilt), -9.81 * np.cos(tilt), 0.0])
    run = simulate(turned, [tilt], seconds=0.5, physics=Physics.ideal())
    assert run.q[-1] == pytest.approx([tilt], abs=1e-12)


def test_payload_changes_the_swing_as_a_point_mass_does():
    # A second kilogram at half the length: (1 + 1/4) a = -g (1 + 1/2) sin q.
    loaded = pendulum().with_payload("l0", 1.0, (0.0, -0.5, 0.0))
    run = simulate(loaded, [0.7], seconds=1e-3, dt=1e-3, physics=Physics.ideal())
    assert run.v[-1, 0] / 1e-3 == pytest.approx(-9.81 * 1.5 / 1.25 * np.sin(0.7), rel=1e-12)


def test_armature_adds_to_the_inertia():
    run = simulate(
        pendulum(), [0.7], seconds=1e-3, dt=1e-3, physics=Physics("rk4", 0.0, 0.0, rotor=1.0)
    )
    assert run.v[-1, 0] / 1e-3 == pytest.approx(-9.81 / 2.0 * np.sin(0.7), rel=1e-5)


def test_robots_of_a_rollout_do_not_mix():
    light, heavy = pendulum(), pendulum().with_payload("l0", 3.0, (0.0, 0.5, 0.0))
    starts = [[0.3], [0.9], [0.3]]
    together = rollout([light, heavy, light], starts, seconds=0.3, physics=Physics.ideal())
    for row, (robot, start) in enumerate(zip((light, heavy, light), starts, strict=True)):
        alone = simulate(robot, start, seconds=0.3, physics=Physics.ideal())
        assert together.q[row] == pytest.approx(alone.q, abs=1e-13)
        assert together.kinetic[row] == pytest.approx(alone.kinetic, abs=1e-12)
    assert np.abs(together.q[0] - together.q[1]).max() > 0.1


def test_diverging_simulation_is_an_error_that_says_what_to_do():
    stiff = Physics("explicit_euler", damping=1e5)
    with pytest.raises(FloatingPointError, match="shorter steps"):
        simulate(pendulum(), [0.7], seconds=1.0, physics=stiff)
    calm = simulate(pendulum(), [0.7], seconds=1.0, physics=Physics(damping=1e5))
    assert np.abs(calm.v).max() < 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": [0.1, 0.2]}, "q has shape"),
        ({"seconds": 0.00015}, "whole number of steps"),
        ({"tau": np.zeros((3, 2))}, "tau has shape"),
        ({"dt": 0.0}, "expected positive"),
        ({"substeps": 0}, "substeps"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        simulate(pendulum(), **{"seconds": 0.01, **arguments})


def test_unknown_integrator_is_named():
    with pytest.raises(ArgumentError, match="unknown integrator 'rk5'"):
        Physics("rk5")
