"""Integrators keep energy, periods and momenta to their order."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics_core.simulation import INTEGRATORS, Physics, simulate
from simulation.textbook_robots import double_chain, free_body, pendulum

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
