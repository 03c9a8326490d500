"""Several robots on one clock."""

from __future__ import annotations

import pytest
from simulation.textbook_robots import double_chain, pendulum

from dynamics_core import ArgumentError, UnknownNameError
from dynamics_core.simulation import Scene, Simulator


def test_robots_of_a_scene_move_as_they_do_alone():
    slow, fine = Simulator(pendulum(), 1e-3), Simulator(double_chain(), 5e-4, substeps=2)
    scene = Scene({"a": slow, "b": fine})
    scene.reset({"a": [0.4], "b": [0.1, 0.2]})
    scene["a"].commands.offer_effort([0.5], now=0.0)
    for _ in range(100):
        samples = scene.step()
    alone = Simulator(pendulum(), 1e-3)
    alone.reset([0.4])
    alone.commands.offer_effort([0.5], now=0.0)
    for _ in range(100):
        sample = alone.step()
    assert samples["a"].position.tolist() == sample.position.tolist()
    assert samples["b"].position.tolist() == [0.1, 0.2]  # no command: held
    assert scene.time == pytest.approx(0.1)
    assert scene.time == pytest.approx(scene["b"].time)
    scene.reset()
    assert scene.time == scene["a"].time == 0.0


def test_mistakes_are_named():
    with pytest.raises(ArgumentError, match="different periods"):
        Scene({"a": Simulator(pendulum(), 1e-3), "b": Simulator(pendulum(), 2e-3)})
    with pytest.raises(ArgumentError, match="no robot"):
        Scene({})
    scene = Scene({"left": Simulator(pendulum(), 1e-3)})
    with pytest.raises(UnknownNameError, match="did you mean 'left'"):
        scene.reset({"lefty": [0.0]})
