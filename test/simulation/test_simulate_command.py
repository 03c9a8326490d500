"""``python -m dynamics_core simulate``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynamics_core import Robot
from dynamics_core.__main__ import main
from dynamics_core.simulation import simulate

ARM = str(Path(__file__).resolve().parents[2] / "urdf" / "planar_2r.urdf.xacro")


def test_table_and_picture_hold_what_was_simulated(tmp_path, capsys):
    table, picture = tmp_path / "run.csv", tmp_path / "run.png"
    arguments = ["simulate", ARM, "--seconds", "0.5", "--torque", "joint_2=3", "--position"]
    arguments += ["0.3", "0.2", "--csv", str(table), "--plot", str(picture)]
    assert main(arguments) == 0
    rows = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
    robot = Robot.from_urdf(ARM)
    run = simulate(robot, [0.3, 0.2], seconds=0.5, tau=[0.0, 3.0])
    assert rows["q.joint_2"] == pytest.approx(run.q[:, 1], abs=1e-14)
    assert rows["tau.joint_2"][:-1] == pytest.approx(3.0)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "joint_1" in capsys.readouterr().out


def test_robot_floats_when_the_torque_is_its_weight(tmp_path):
    table = tmp_path / "run.csv"
    arguments = ["simulate", ARM, "--seconds", "0.2", "--torque", "gravity", "--position", "0.4"]
    assert main([*arguments, "--csv", str(table)]) == 0
    rows = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
    assert rows["q.joint_1"][-1] == pytest.approx(0.4, abs=1e-12)
    assert rows["tau.joint_1"][0] > 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--torque", "elbow=1"], "names 'elbow'; known are joint_1, joint_2"),
        (["--torque", "1", "x"], "expected numbers or name=number"),
        (["--position", "1", "2", "3"], "3 values"),
        (["--seconds", "0.0005"], "whole number of steps"),
        (["--restitution", "2"], "restitution"),
    ],
)
def test_mistakes_are_named(arguments, message, capsys):
    assert main(["simulate", ARM, *arguments]) == 2
    assert message in capsys.readouterr().err
