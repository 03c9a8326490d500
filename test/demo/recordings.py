"""Recordings made up of known errors, so that what is measured from them is known too."""

from __future__ import annotations

import numpy as np
from dynamics_nodes.demo.measurement import PD_ALONE, PD_GRAVITY, WITH_MODEL
from dynamics_nodes.demo.recording import (
    JointTrack,
    LoopRecord,
    PushTrial,
    Recording,
    TrackingTrial,
    WrenchTrack,
)
from dynamics_nodes.demo.scene import PANDA

LIMITS = np.array([87.0] * 4 + [12.0] * 3)


def run(name, error, start=100.0):
    """The fast motion with every joint off by ``error`` rad; before and after it by far more."""
    time = np.arange(start - 0.5, start + 4.0, 0.002)
    inside = (time >= start) & (time <= start + PANDA.motion.duration)
    position = PANDA.motion.position(time - start) - np.where(inside, error, 9.0)[:, None]
    effort = np.sin(time)[:, None] * 0.3 * LIMITS
    return TrackingTrial(name, start, PANDA.motion, JointTrack(time, position, effort))


def recording(
    *,
    robot="panda",
    drift=0.004,
    alone=0.1,
    gravity=0.03,
    model=0.001,
    wrench_error=(0.1, 0, 0, 0, 0.1, 0),
    nodes=("sim", "gravity_compensation"),
    reported=("sim", "gravity_compensation"),
    troubles=(),
):
    """A demonstration in which all is well unless asked otherwise."""
    time = np.arange(0.0, 10.001, 0.002)
    ramp = np.outer(time / time[-1], np.r_[0.2 * drift, drift, np.zeros(5)])
    floating = JointTrack(time, np.array(PANDA.ready) + ramp, np.zeros_like(ramp))
    at = np.arange(199.2, 205.0, 0.004)
    pushed = ((at >= 200.0) & (at < 204.0))[:, None] * np.array(PANDA.push)
    estimate = WrenchTrack(at, pushed + np.array(wrench_error))
    # Before it has settled an estimate may be anything.
    estimate.wrench[(at >= 200.0) & (at < 201.0)] = 99.0
    return Recording(
        robot,
        PANDA.joints,
        LIMITS,
        floating,
        {
            PD_ALONE: run(PD_ALONE, alone),
            PD_GRAVITY: run(PD_GRAVITY, gravity),
            WITH_MODEL: run(WITH_MODEL, model),
        },
        PushTrial("tool0", np.array(PANDA.push), 200.0, 202.0, 204.0, estimate),
        tuple(LoopRecord(n, 500.0, 499.0, 0.004, 0.001, 2) for n in reported),
        nodes,
        tuple(troubles),
        "in real time",
    )
