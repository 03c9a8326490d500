"""Every robot of example-robot-data loads, with the masses that Pinocchio reads."""

from __future__ import annotations

from pathlib import Path

import pinocchio as pin
import pytest
from peers import corpus

from dynamics_core import DescriptionError
from dynamics_core.urdf import load_urdf

ROBOTS = [p for p in corpus() if p.name != "ur3.urdf"]


def test_the_corpus_is_whole() -> None:
    assert len(ROBOTS) == 68
    assert len(corpus()) == 69


@pytest.mark.filterwarnings("ignore::dynamics_core.ModelWarning")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda p: p.stem)
def test_masses(path: Path) -> None:
    model = load_urdf(path)
    fixed = pin.buildModelFromUrdf(str(path))
    free = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    for body in model.bodies:
        inertia = fixed.inertias[fixed.getJointId(body.joint.name)]
        assert body.inertia.mass == pytest.approx(inertia.mass, rel=1e-12, abs=1e-15)
    assert fixed.njoints - 1 == len(model.bodies)
    assert model.total_mass == pytest.approx(pin.computeTotalMass(free), rel=1e-12)


def test_the_unexpanded_xacro_file_is_refused() -> None:
    (path,) = (p for p in corpus() if p.name == "ur3.urdf")
    with pytest.raises(DescriptionError, match="unexpanded xacro file"):
        load_urdf(path)
