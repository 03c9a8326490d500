"""Simulations agree with MuJoCo's, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from simulation.mujoco_comparison import ROBOTS, Experiment


@pytest.fixture(scope="module", params=ROBOTS)
def experiment(request):
    return Experiment(request.param, 1.0)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_same_motion_as_in_mujoco(experiment, integrator):
    assert np.ptp(experiment.ours(integrator), axis=0).max() > 0.1
    # Right angles that a description gives with ten digits are read as right angles here and as
    # written there, and the Kinova's swings magnify that.
    assert experiment.difference(integrator).max() < 1e-6
