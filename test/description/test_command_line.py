"""The commands check, info and plot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers import corpus_file

from dynamics_core.__main__ import main

DOUBTFUL = """<robot name="r">
<link name="a"/>
<link name="b"><inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".5"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>
</robot>"""


def test_check_lists_masses_limits_and_doubts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(DOUBTFUL)
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    for text in (f"{path}:3: warning: no body has", "triangle", f"{path}:4: warning:", "2 doubts"):
        assert text in out
    assert main(["check", "--strict", str(path)]) == 1
    assert main(["check", "--strict", str(corpus_file("panda.urdf"))]) == 0
    assert "17.4519 kg" in capsys.readouterr().out


def test_a_description_that_cannot_be_read_is_exit_status_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", "/no/such.urdf"]) == 2
    assert "error: /no/such.urdf: no such file" in capsys.readouterr().err


def test_info_lists_joints_and_frames(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(corpus_file("ur5_robot.urdf"))]) == 0
    out = capsys.readouterr().out
    for text in ("nq = 6", "wrist_3_joint", "tool0"):
        assert text in out


def test_plot_draws_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    urdf, picture = str(corpus_file("ur5_robot.urdf")), tmp_path / "p.png"
    assert main(["plot", urdf, "--joint", "elbow_joint", "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    t = np.linspace(0.0, 1.0, 20)
    np.savez(tmp_path / "t.npz", t=t, q=np.sin(t)[:, None] * np.ones(6))
    motion = str(tmp_path / "t.npz")
    assert main(["plot", urdf, "--trajectory", motion, "-o", str(picture)]) == 0
    assert "20 samples of 6 joints" in capsys.readouterr().out
    np.savez(tmp_path / "t.npz", t=t, q=np.ones((20, 5)))
    assert main(["plot", urdf, "--trajectory", motion, "-o", str(picture)]) == 2
    assert "expected finite numbers of shape (20, 6)" in capsys.readouterr().err
