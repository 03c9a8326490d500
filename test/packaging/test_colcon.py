"""The package builds with colcon, and every installed executable starts as a node."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ros_domains import reserved_domain

ROOT = Path(__file__).resolve().parents[2]
EXECUTABLES = (
    "external_wrench_estimator",
    "forward_dynamics_sim",
    "gravity_compensation",
    "inverse_dynamics_feedforward",
)
START_LIMIT = 60.0  # seconds; generous, since it only bounds a failure


@pytest.fixture(scope="module", params=["copied", "symlinked"])
def install(request, tmp_path_factory):
    """An install space made by colcon from a copy of the sources, with this interpreter."""
    top = tmp_path_factory.mktemp(request.param)
    source = top / "src" / "urdf_dynamics"
    hidden = shutil.ignore_patterns(
        ".*", "build", "install", "log", "__pycache__", "*.egg-info", "demo_output", "_build"
    )
    shutil.copytree(ROOT, source, ignore=hidden)
    options = ["--symlink-install"] if request.param == "symlinked" else []
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    environment.pop("PYTHONPATH", None)
    subprocess.run(
        [sys.executable, "-m", "colcon", "build", *options],
        cwd=top, env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return top / "install"


@pytest.fixture
def domain():
    """A ROS domain of the test's own."""
    with reserved_domain() as number:
        yield number


def sourced(install: Path, command: str) -> list[str]:
    """A command in the environment that the install space sets up, away from the checkout."""
    return ["bash", "-c", f'. "{install}/setup.bash" && {command}']


def test_the_executables_are_where_ros2_run_looks(install):
    folder = install / "urdf_dynamics" / "lib" / "urdf_dynamics"
    assert set(EXECUTABLES) <= {p.name for p in folder.iterdir()}


def test_data_is_installed(install):
    share = install / "urdf_dynamics" / "share" / "urdf_dynamics"
    for folder in ("launch", "config", "urdf", "urdf/macros"):
        wanted = {p.name for p in (ROOT / folder).iterdir() if p.is_file()}
        assert wanted <= {p.name for p in (share / folder).iterdir()}, folder


@pytest.mark.parametrize("executable", EXECUTABLES)
def test_executable_starts(install, executable, domain, tmp_path):
    """The node comes up, asks for its robot by topic name, and ends on Ctrl-C."""
    path = install / "urdf_dynamics" / "lib" / "urdf_dynamics" / executable
    environment = dict(os.environ, ROS_DOMAIN_ID=str(domain))
    environment.pop("PYTHONPATH", None)
    log = tmp_path / "log.txt"
    with log.open("w") as sink:
        process = subprocess.Popen(
            sourced(install, f'exec timeout -k 5 {START_LIMIT:.0f} "{path}"'),
            cwd=tmp_path, env=environment, stdout=sink, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + START_LIMIT
            while "robot_description" not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) in (0, 130), log.read_text()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    assert "Traceback" not in log.read_text(), log.read_text()
