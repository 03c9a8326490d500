"""The cache of object code: what is loaded, what is not, and who shares it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import robots

from dynamics_core import Robot
from dynamics_core.calls import compiled
from dynamics_core.compiler import cache, engine

KEY = cache.digest("a robot", b"and more")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    where = tmp_path / "cache"
    monkeypatch.setenv("URDF_DYNAMICS_CACHE", str(where))
    return where


def file_of(folder: Path) -> Path:
    (path,) = folder.glob("*.o")
    return path


def test_what_is_stored_is_loaded(folder):
    assert cache.load(KEY) is None
    cache.store(KEY, b"code")
    assert cache.load(KEY) == b"code"
    assert cache.load(cache.digest("another")) is None
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in folder.iterdir()] == [f"{KEY}.o"]
    cache.store(KEY, b"newer")
    assert cache.load(KEY) == b"newer"


def test_digests_tell_where_one_part_ends():
    assert cache.digest("ab", "c") != cache.digest("a", "bc")


@pytest.mark.parametrize("length", [0, 1, 30, 100, 127, -1])
def test_a_truncated_file_is_ignored(folder, length):
    cache.store(KEY, b"code")
    path = file_of(folder)
    path.write_bytes(path.read_bytes()[:length])
    assert cache.load(KEY) is None


def test_a_changed_or_foreign_file_is_ignored(folder):
    cache.store(KEY, b"code")
    path = file_of(folder)
    good = path.read_bytes()
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert cache.load(KEY) is None
    path.write_bytes(good)
    assert cache.load(KEY) == b"code"
    other = cache.digest("another")
    path.rename(folder / f"{other}.o")
    assert cache.load(other) is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_ignored(folder, mode):
    cache.store(KEY, b"code")
    file_of(folder).chmod(mode)
    assert cache.load(KEY) is None


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_not_used(folder, mode):
    cache.store(KEY, b"code")
    folder.chmod(mode)
    assert cache.load(KEY) is None
    other = cache.digest("another")
    cache.store(other, b"code")
    folder.chmod(0o700)
    assert cache.load(other) is None


def test_a_file_of_somebody_else_is_ignored(folder, monkeypatch):
    cache.store(KEY, b"code")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.load(KEY) is None


def test_a_link_is_ignored(folder, tmp_path):
    cache.store(KEY, b"code")
    path = file_of(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.load(KEY) is None


def test_a_folder_that_cannot_be_made_is_no_error(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        monkeypatch.setenv("URDF_DYNAMICS_CACHE", str(place))
        cache.store(KEY, b"code")
        assert cache.load(KEY) is None


def test_the_place_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("URDF_DYNAMICS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "urdf_dynamics"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "urdf_dynamics"
    monkeypatch.setenv("URDF_DYNAMICS_CACHE", "")
    assert cache.folder() is None
    cache.store(KEY, b"code")
    assert cache.load(KEY) is None


def test_the_oldest_files_go(folder, monkeypatch):
    monkeypatch.setattr(cache, "_MOST_FILES", 8)
    keys = [cache.digest(str(k)) for k in range(9)]
    for k, key in enumerate(keys):
        cache.store(key, b"code")
        if k < 8:
            os.utime(folder / f"{key}.o", (k, k))
    assert [cache.load(key) is not None for key in keys] == [False] * 2 + [True] * 7


def test_a_second_start_compiles_nothing(folder, monkeypatch):
    compiled._call_library.cache_clear()  # another test's cache folder may hold it
    model = robots.model("arm")
    q = robots.states(Robot(model), 1)[0][0]
    expected = Robot(model).gravity_torque(q)
    count = len(list(folder.glob("*.o")))
    assert count >= 1

    def never(*_):
        raise AssertionError("compiled or traced again")

    monkeypatch.setattr(compiled, "compile_ir", never)
    monkeypatch.setattr(compiled, "trace", never)
    compiled._call_library.cache_clear()
    np.testing.assert_array_equal(Robot(model).gravity_torque(q), expected)
    with pytest.raises(AssertionError, match="again"):
        Robot(robots.model("driving")).gravity_torque(np.zeros(5))


def test_what_the_code_depends_on_changes_the_key():
    def key(model, **options):
        from dynamics_core.functions import FUNCTIONS, Parametrisation

        choice = options.pop("choice", Parametrisation())
        name = options.pop("name", "gravity_torque")
        return compiled.CompiledFunction(model, choice, FUNCTIONS[name], options)._key

    from dynamics_core.functions import Parametrisation
    from dynamics_core.spatial import Vector

    model = robots.model("arm")
    same = robots.model("arm")
    assert key(model) == key(same)
    lighter = model.with_inertias({2: model.bodies[1].inertia})
    turned = model.with_gravity(Vector(0.0, 9.81, 0.0))
    frame = model.frames[-1].name
    keys = {
        key(model), key(lighter), key(turned), key(model, name="bias_torque"),
        key(model, choice=Parametrisation(gravity=True)),
        key(model, choice=Parametrisation(bodies=(2,))),
        key(model, name="jacobian", frame=frame), key(model, name="jacobian", frame="base"),
        key(model, name="jacobian", frame=frame, reference="local"),
    }  # fmt: skip
    assert len(keys) == 9
    choice = Parametrisation(gravity=True, bodies=(2,))
    assert key(model, choice=choice) == key(lighter.with_gravity(Vector()), choice=choice)


def test_the_cpu_is_part_of_the_key(folder, monkeypatch):
    assert engine.cpu()[0] in engine.identity()
    compiled.load("x", lambda: "define void @f() {\n ret void\n}")
    before = set(folder.glob("*.o"))
    monkeypatch.setattr(compiled, "identity", lambda: "another CPU")
    compiled.load("x", lambda: "define void @f() {\n ret void\n}")
    assert len(set(folder.glob("*.o")) - before) == 1


def test_two_processes_compile_the_same_robot_at_once(folder):
    here = Path(__file__).parent
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import numpy as np, robots\nfrom dynamics_core import Robot\n"
        "robot = Robot(robots.model('flying'))\n"
        "q, v, a = (np.ascontiguousarray(x[0]) for x in robots.states(robot, 1))\n"
        "for _ in range(2): tau = robot.inverse_dynamics(q, v, a)\n"
        "print(tau.tobytes().hex())\n"
    )
    command = [sys.executable, "-c", code, *map(str, [here, here.parent, here.parents[1]])]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    results = [process.communicate(timeout=120) for process in running]
    assert [error for _, error in results] == [""] * 4
    assert len({out for out, _ in results}) == 1
    assert not list(folder.glob(".new-*"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_compiles(folder):
    model = robots.model("arm")
    q, v, a = (np.ascontiguousarray(x[0]) for x in robots.states(Robot(model), 1))
    expected = Robot(model).inverse_dynamics(q, v, a)
    busy = threading.Thread(
        target=lambda: [Robot(model).compile(n) for n in ("mass_matrix", "forward_dynamics")]
    )
    busy.start()
    children = []
    while busy.is_alive() and len(children) < 20:
        pid = os.fork()
        if pid == 0:
            same = np.array_equal(Robot(model).inverse_dynamics(q, v, a), expected)
            os._exit(0 if same and Robot(model).gravity_torque(q) is not None else 1)
        children.append(pid)
    busy.join()
    assert children
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * len(
        children
    )


def test_threads_compile_the_same_function_at_once(folder):
    robot = Robot(robots.model("driving"))
    q, v, a = (np.ascontiguousarray(x[0]) for x in robots.states(robot, 1))
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(robot.forward_dynamics(q, v, a).copy()))
        for _ in range(6)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 6
    assert all(np.array_equal(r, results[0]) for r in results)
