"""Data sets: what is in them, and that an interrupted run loses and repeats nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from simulation.textbook_robots import double_chain

from dynamics_core import ArgumentError, Robot
from dynamics_core.simulation import Physics, Stepper
from dynamics_core.simulation.dataset import DatasetSettings, make_dataset
from dynamics_core.simulation.domains import Randomisation
from dynamics_core.spatial import Inertia

parquet = pytest.importorskip("pyarrow.parquet")

CHECKOUT = Path(__file__).resolve().parents[2]
ARM = str(CHECKOUT / "urdf" / "planar_2r.urdf.xacro")
SMALL = {"episode": 10, "episodes_per_part": 16, "robots_per_part": 4, "substeps": 3, "dt": 0.02}


def table(folder):
    """Columns as arrays."""
    content = parquet.read_table(folder)
    return {
        name: np.stack(content[name].to_numpy(zero_copy_only=False))
        for name in content.schema.names
    }


def test_rows_are_transitions_of_the_robot(tmp_path):
    robot, physics = double_chain(), Physics(damping=0.2)
    settings = DatasetSettings(350, seed=4, **SMALL)
    assert make_dataset(robot, tmp_path / "d", settings, physics) == 0
    rows = table(tmp_path / "d")
    assert len(rows["q"]) == 350
    stepper = Stepper(robot, 0.02 / 3, physics)
    q, v = rows["q"], rows["v"]
    for _ in range(3):
        q, v = stepper.step(q, v, rows["action"])[:2]
    assert rows["q_next"] == pytest.approx(q, abs=1e-12)
    assert rows["v_next"] == pytest.approx(v, abs=1e-12)
    follows = np.flatnonzero(rows["step"][1:] > 0)
    assert rows["q"][follows + 1].tobytes() == rows["q_next"][follows].tobytes()
    assert len(np.unique(rows["episode"] * 10 + rows["step"])) == 350
    assert np.ptp(rows["action"], axis=0).min() > 1.0
    # No part repeats another one.
    assert len(np.unique(rows["action"][:, 0])) == 350


def test_random_robots_are_those_that_the_folder_names(tmp_path):
    differ = Randomisation(0.3, 0.1, 0.1, 2.0, "l1")
    robot = double_chain()
    settings = DatasetSettings(160, seed=1, randomisation=differ, **SMALL)
    make_dataset(robot, tmp_path / "d", settings)
    rows = table(tmp_path / "d")
    domains = table(tmp_path / "d" / "_domains" / "part-00000.parquet")
    assert sorted(set(rows["domain"])) == [0, 1, 2, 3]
    factors = domains["inertia_factor"]
    assert np.abs(factors - 1.0).max() <= 0.3
    assert np.ptp(factors) > 0.05
    assert 0.0 < domains["payload"].min() < domains["payload"].max() <= 2.0
    for k in range(4):
        row = int(np.flatnonzero(rows["domain"] == k)[0])
        inertias = {
            i: Inertia.of(f * p for p in b.inertia.parameters())
            for i, (b, f) in enumerate(zip(robot.model.bodies, factors[k], strict=True))
        }
        other = Robot(robot.model.with_inertias(inertias)).with_payload(
            "l1", domains["payload"][k], domains["payload_com"][k]
        )
        physics = Physics(damping=domains["damping"][k], friction=domains["friction"][k])
        stepper = Stepper(other, 0.02 / 3, physics)
        q, v = rows["q"][row], rows["v"][row]
        for _ in range(3):
            q, v = stepper.step(q, v, rows["action"][row])[:2]
        assert rows["v_next"][row] == pytest.approx(v, rel=1e-9, abs=1e-9)


def test_metadata_names_seed_and_model(tmp_path):
    make_dataset(double_chain(), tmp_path / "d", DatasetSettings(20, seed=11, **SMALL))
    schema = parquet.read_schema(tmp_path / "d" / "part-00000.parquet")
    facts = json.loads(schema.metadata[b"urdf_dynamics"])
    assert facts["settings"]["seed"] == 11
    assert facts["robot"] == "chain2"
    assert facts["joints"] == ["j0", "j1"]
    assert len(facts["model_sha256"]) == 64


def test_missing_parts_come_back_as_they_were(tmp_path):
    settings = DatasetSettings(800, seed=2, **SMALL)
    for name in ("whole", "torn"):
        make_dataset(double_chain(), tmp_path / name, settings)
    torn = tmp_path / "torn"
    (torn / "part-00001.parquet").unlink()
    (torn / "part-00004.parquet").unlink()
    (torn / ".part-00004.parquet.99").write_bytes(b"half")
    counted = []
    assert make_dataset(double_chain(), torn, settings, progress=counted.append) == 480
    assert sum(counted) == 800
    files = sorted(p.name for p in (tmp_path / "whole").iterdir())
    assert files == sorted(p.name for p in torn.iterdir())
    for file in files:
        assert (torn / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def test_killed_and_resumed_from_the_command_line(tmp_path):
    command = [sys.executable, "-m", "dynamics_core", "dataset", ARM]
    command += ["--transitions", "600000", "--substeps", "20", "--seed", "3", "-o"]
    folder = tmp_path / "data.parquet"
    process = subprocess.Popen(
        [*command, str(folder)], cwd=CHECKOUT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60.0
    while len(list(folder.glob("part-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    there = len(list(folder.glob("part-*")))
    assert 2 <= there < 12
    done = subprocess.run(
        [*command, str(folder)], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert f"{there * 51200} of them from an earlier run" in done.stdout
    rows = parquet.read_table(folder, columns=["episode", "step"])
    keys = rows["episode"].to_numpy() * 100 + rows["step"].to_numpy()
    assert len(keys) == 600000
    assert np.array_equal(np.sort(keys), np.arange(600000))


def test_another_data_set_is_not_overwritten(tmp_path):
    make_dataset(double_chain(), tmp_path / "d", DatasetSettings(20, seed=1, **SMALL))
    with pytest.raises(ArgumentError, match="another data set: settings"):
        make_dataset(double_chain(), tmp_path / "d", DatasetSettings(20, seed=2, **SMALL))
    heavier = double_chain().with_payload("l1", 1.0)
    with pytest.raises(ArgumentError, match="model_sha256"):
        make_dataset(heavier, tmp_path / "d", DatasetSettings(20, seed=1, **SMALL))
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "thesis.tex").write_text("x")
    with pytest.raises(ArgumentError, match="is not empty"):
        make_dataset(double_chain(), tmp_path / "e", DatasetSettings(20, **SMALL))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"transitions": 0}, "transitions is 0"),
        ({"transitions": 5, "episodes_per_part": 10, "robots_per_part": 3}, "shared among"),
        ({"transitions": 5, "seed": -1}, "seed"),
    ],
)
def test_bad_settings_are_named(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        DatasetSettings(**arguments)


def test_payload_needs_a_frame():
    with pytest.raises(ArgumentError, match="payload_frame"):
        Randomisation(payload=1.0)


def test_robot_with_an_unknown_limit_gets_actions_that_can_lift_it(tmp_path):
    robot = double_chain()
    assert np.isinf(robot.effort_limits).all()
    make_dataset(robot, tmp_path / "d", DatasetSettings(40, **SMALL))
    assert np.abs(table(tmp_path / "d")["action"]).max() > 10.0
    assert isinstance(robot, Robot)
