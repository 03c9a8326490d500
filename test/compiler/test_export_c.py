"""Exported C: it compiles without a warning, agrees, and no name breaks out of its place."""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import peers
import pytest
import robots

from dynamics_core import ArgumentError, Robot, UnknownNameError
from dynamics_core.cli import export_c as command
from dynamics_core.compiler.export_c import comment_text, export_c, identifier, string_literal

COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]
DYNAMICS = {
    "inverse_dynamics": "qva", "forward_dynamics": "qva", "mass_matrix": "q",
    "gravity_torque": "q", "kinetic_energy": "qv",
}  # fmt: skip
EVIL = [
    "*/ int main(void) { return 1; } /*", '"; system("rm"); "', "a\\", "line\nbreak", "??/", "??'",
    "\\\n", "//", "%s%n", "Gelenk_ä", "0", "", "int", "*" + "/", "\x00\x07", "#define q 1",
]  # fmt: skip


def build(folder: Path, header: str, source: str, name: str) -> ctypes.CDLL:
    (folder / f"{name}.h").write_text(header, encoding="ascii")
    (folder / f"{name}.c").write_text(source, encoding="ascii")
    library = folder / f"{name}.so"
    arguments = ["-shared", "-fPIC", "-o", str(library), f"{name}.c", "-lm"]
    run = subprocess.run(
        [COMPILER, *FLAGS, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, name: str, *arrays: np.ndarray) -> None:
    getattr(library, name)(*(ctypes.c_void_p(x.ctypes.data) for x in arrays))


def assert_agrees(robot: Robot, library: ctypes.CDLL, prefix: str) -> None:
    q, v, a = robots.states(robot, 5)
    for row in range(5):
        state = {"q": q[row].copy(), "v": v[row].copy(), "a": a[row].copy()}
        for name, inputs in DYNAMICS.items():
            given = [state[k] for k in inputs]
            want = np.asarray(getattr(robot, name)(*given))
            got = np.full(want.shape, np.nan)
            call(library, f"{prefix}_{name}", *given, got)
            assert np.abs(got - want).max() <= 1e-12 * max(1.0, np.abs(want).max())


@needs_compiler
@pytest.mark.parametrize("urdf", ["panda.urdf", "talos_full_v2.urdf"])
def test_real_robots(tmp_path, urdf):
    robot = Robot.from_urdf(peers.corpus_file(urdf))
    texts = export_c(robot.model, [(name, {}) for name in DYNAMICS], "arm")
    assert_agrees(robot, build(tmp_path, *texts, "arm"), "arm")


@needs_compiler
@pytest.mark.parametrize("kind", robots.KINDS)
def test_every_joint_type(tmp_path, kind):
    robot = Robot(robots.model(kind))
    texts = export_c(robot.model, [(name, {}) for name in DYNAMICS], kind)
    assert_agrees(robot, build(tmp_path, *texts, kind), kind)


@needs_compiler
def test_an_output_may_be_an_input(tmp_path):
    robot = Robot(robots.model("arm"))
    library = build(tmp_path, *export_c(robot.model, [("inverse_dynamics", {})], "arm"), "arm")
    q, v, a = (x[0].copy() for x in robots.states(robot, 1))
    want = robot.inverse_dynamics(q, v, a).copy()
    call(library, "arm_inverse_dynamics", q, v, a, q)
    np.testing.assert_allclose(q, want, rtol=1e-12, atol=1e-12)


@needs_compiler
def test_names_stay_in_their_place(tmp_path):
    model = robots.model("arm")
    bodies = [
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, name=EVIL[k]))
        for k, b in enumerate(model.bodies)
    ]
    for k, name in enumerate(EVIL):
        renamed = [
            dataclasses.replace(b, joint=dataclasses.replace(b.joint, name=f"{name}{i}"))
            for i, b in enumerate(bodies)
        ]
        frames = (*model.frames[:-1], dataclasses.replace(model.frames[-1], name=name))
        evil = dataclasses.replace(model, name=name, bodies=tuple(renamed), frames=frames)
        functions = [("gravity_torque", {}), ("frame_pose", {"frame": name})]
        header, source = export_c(evil, functions, name)
        file = f"f{k}"
        source = re.sub(r'#include "[A-Za-z0-9_.-]*"', f'#include "{file}.h"', source, count=1)
        library = build(tmp_path, header, source, file)
        q = np.zeros(model.nq)
        tau = np.empty(model.nv)
        call(library, f"{identifier(name)}_gravity_torque", q, tau)
        np.testing.assert_allclose(tau, Robot(model).gravity_torque(q), rtol=1e-12, atol=1e-12)
        names = (ctypes.c_char_p * model.nv).in_dll(library, f"{identifier(name)}_joint_names")
        want = [f"{name}{i}".encode().split(b"\0")[0] for i in range(model.nv)]
        assert list(names) == want


@pytest.mark.parametrize("text", EVIL)
def test_escapes(text):
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", identifier(text))
    inner = string_literal(text)[1:-1]
    assert not re.search(r'["?\n]', inner)
    assert re.fullmatch(r"([A-Za-z0-9_ .:/@+-]|\\[0-3][0-7]{2})*", inner)
    shown = comment_text(text)
    assert not set(shown) & set("*\\?")
    assert shown.isprintable()


def test_unknown_functions_and_links_are_named():
    model = robots.model("arm")
    with pytest.raises(ArgumentError, match=r"no function 'fly'; known are .*inverse_dynamics"):
        export_c(model, [("fly", {})], "arm")
    with pytest.raises(UnknownNameError, match="no frame 'tip'"):
        export_c(model, [("jacobian", {"frame": "tip"})], "arm")


@needs_compiler
def test_the_command(tmp_path, capsys):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    urdf = str(peers.corpus_file("ur5_robot.urdf"))
    out = str(tmp_path / "ur")
    arguments = [urdf, "--functions", "inverse_dynamics", "jacobian", "-o", out]
    with pytest.raises(ArgumentError, match="--frames"):
        command.run(parser.parse_args(arguments))
    with pytest.raises(UnknownNameError, match="nowhere"):
        command.run(parser.parse_args([*arguments, "--frames", "nowhere"]))
    frames = ["--frames", "tool0", "wrist_3_link", "--reference", "local"]
    assert command.run(parser.parse_args([*arguments, *frames])) == 0
    assert "ur.c" in capsys.readouterr().out
    texts = [(tmp_path / f"ur{suffix}").read_text() for suffix in (".h", ".c")]
    library = build(tmp_path, *texts, "ur")
    robot = Robot.from_urdf(urdf)
    q = np.linspace(-1.0, 1.0, 6)
    for frame in ("tool0", "wrist_3_link"):
        got = np.empty((6, 6))
        call(library, f"ur_jacobian_{frame}_local", q, got)
        np.testing.assert_allclose(got, robot.jacobian(q, frame, "local"), rtol=0, atol=1e-12)
