"""From recordings with known errors to figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dynamics_nodes.demo.measurement import Figure, figures
from dynamics_nodes.demo.recording import JointTrack, WrenchTrack
from dynamics_nodes.demo.scene import PANDA
from dynamics_nodes.demo.timing import lagging
from dynamics_nodes.resources import describe

from demo.recordings import recording
from dynamics_core import Robot
from dynamics_core.control import JointSelection, JointTrajectory, TrajectoryPoint


def value(rec, name):
    return next(f for f in figures(rec) if f.name.startswith(name)).value


def off(rec):
    return [f.name for f in figures(rec) if not f.ok]


def test_known_errors_are_measured():
    rec = recording()
    assert value(rec, "drift") == pytest.approx(0.004)
    assert value(rec, "RMS tracking error, PD alone") == pytest.approx(0.1)
    assert value(rec, "peak tracking error, PD and inverse dynamics") == pytest.approx(0.001)
    assert value(rec, "RMS of PD alone over") == pytest.approx(100.0)
    assert value(rec, "error of the estimated force") == pytest.approx(0.1)
    assert value(rec, "error of the estimated moment") == pytest.approx(0.1)
    assert off(rec) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"drift": 0.011}, "drift while floating"),
        ({"model": 0.011}, "RMS of PD alone over RMS with inverse dynamics"),
        ({"wrench_error": (0.4, 0.4, 0, 0, 0, 0)}, "error of the estimated force"),
        ({"wrench_error": (0, 0, 0, 0, 0, 0.31)}, "error of the estimated moment"),
        ({"reported": ("sim",)}, "nodes without diagnostics (gravity_compensation)"),
        ({"troubles": ["sim had to be killed"]}, "nodes that ended badly (sim had to be killed)"),
    ],
)
def test_what_is_off_is_named(change, name):
    assert off(recording(**change)) == [name]


def test_nothing_measured_is_off_not_well():
    nothing = JointTrack(np.zeros(0), np.zeros((0, 7)), np.zeros((0, 7)))
    rec = recording()
    silent = replace(rec.push, estimate=WrenchTrack(np.zeros(0), np.zeros((0, 6))))
    rec = replace(rec, floating=nothing, push=silent)
    assert off(rec) == [
        "drift while floating",
        "time floated",
        "error of the estimated force",
        "error of the estimated moment",
    ]


def test_a_figure_that_is_no_number_is_never_ok():
    assert not Figure("x", float("nan"), at_most=1.0).ok
    assert not Figure("x", float("inf"), at_least=1.0).ok


def test_the_motion_is_the_one_that_controllers_interpolate():
    robot = Robot.from_urdf(describe(PANDA.robot))
    joints, zero = JointSelection(robot, PANDA.joints), (0.0,) * 7
    points = [
        TrajectoryPoint(t, pose, zero, zero)
        for t, pose in zip(PANDA.motion.times, PANDA.motion.poses, strict=True)
    ]
    start = (np.array(PANDA.ready), np.zeros(7), np.zeros(7))
    trajectory = JointTrajectory(robot, joints, PANDA.joints, points, start)
    times = np.linspace(0.0, PANDA.motion.duration, 501)
    np.testing.assert_allclose(
        PANDA.motion.position(times), trajectory.samples(times)[0], atol=1e-12
    )


def test_the_motion_is_fast_but_within_the_joints_limits():
    robot = Robot.from_urdf(describe(PANDA.robot))
    share = PANDA.motion.fastest() / robot.velocity_limits
    assert 0.8 < share.max() < 0.95  # the simulated drives fade out above 0.95
    limits = [robot.model.joint(j).limits for j in PANDA.joints]
    for pose in PANDA.motion.poses:
        assert all(x.lower < q < x.upper for x, q in zip(limits, pose, strict=True))


def test_a_loop_that_does_not_keep_up_is_named():
    loops = recording().loops
    assert lagging(loops) == ""
    assert "sim ran at 300 of 500 Hz" in lagging([replace(loops[0], rate=300.0)])
    assert "sim was left alone for 60 ms" in lagging([replace(loops[0], worst_cycle=0.06)])
