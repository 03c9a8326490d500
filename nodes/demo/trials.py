"""The three trials: floating, a fast motion with and without the model, a push on the tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bench import Bench
from .measurement import PD_ALONE, PD_GRAVITY, WITH_MODEL
from .recording import Array, PushTrial, Recording, TrackingTrial
from .scene import Scene
from .timing import HOPELESS_CYCLE, HOPELESS_SHARE, Timing, TooBusyError, lagging

__all__ = ["NODES", "Progress", "run"]

SIMULATOR = "forward_dynamics_sim"
GRAVITY = "gravity_compensation"
FEEDFORWARD = "inverse_dynamics_feedforward"
ESTIMATOR = "external_wrench_estimator"

#: The nodes that the trials need.
NODES = (SIMULATOR, GRAVITY, FEEDFORWARD, ESTIMATOR)

#: What is in front of the same gains, run by run. Without the model the arm sags, so that the
#: motion starts away from where the arm is.
RUNS: dict[str, dict[str, Any]] = {
    PD_ALONE: {"feedforward": False, "start_tolerance": 1.0},
    PD_GRAVITY: {"feedforward": True, "feedforward_terms": ["gravity"]},
    WITH_MODEL: {"feedforward": True, "feedforward_terms": ["inertia", "coriolis", "gravity"]},
}

#: Time for nodes to start and compile, s; far more than they need on an idle machine.
START_TIMEOUT = 60.0
#: Time for the arm to come to rest after a change of controller, s.
REST = 1.5
#: Time between sending a motion and its start, s.
LEAD = 0.3

#: Told what is going on, and what share of it is done.
Progress = Callable[[str, float], None]


@dataclass
class _Trials:
    bench: Bench
    scene: Scene
    progress: Progress

    def wait(self, what: str, duration: float) -> None:
        self.bench.wait(duration, lambda share: self.progress(what, share))


def run(
    bench: Bench, scene: Scene, timing: Timing, effort_limits: Array, progress: Progress
) -> Recording:
    """Put the arm through all trials.

    Args:
        bench: Connected to the nodes, which have just been started.
        scene: What to do.
        timing: How clocks run.
        effort_limits: Of the arm's joints, (n,), N m.
        progress: Told how far it is.

    Raises:
        DemoError: A node ends, refuses, or does not answer.
        TooBusyError: Real time was wanted, and the machine does not keep up.
    """
    trials = _Trials(bench, scene, progress)
    _wait_for_nodes(trials)
    _rehearse(trials)
    if not timing.simulated and (lag := lagging(bench.loops(), HOPELESS_SHARE, HOPELESS_CYCLE)):
        raise TooBusyError(lag)
    bench.forget_loops()
    floating = _float(trials)
    bench.enable(FEEDFORWARD, True)
    bench.enable(GRAVITY, False)
    runs = {name: _follow(trials, name, settings) for name, settings in RUNS.items()}
    push = _push(trials)
    return Recording(
        scene.robot,
        scene.joints,
        effort_limits,
        floating,
        runs,
        push,
        bench.loops(),
        NODES,
        timing=timing.words,
    )


def _wait_for_nodes(trials: _Trials) -> None:
    bench, what = trials.bench, "starting four nodes"
    trials.progress(what, 0.0)
    bench.wait_for(
        "joint_states of the simulated robot", lambda: bench.heard_states > 0, START_TIMEOUT
    )
    trials.progress(what, 0.4)
    bench.wait_for("a wrench of the estimator", lambda: bench.heard_wrenches > 0, START_TIMEOUT)
    trials.progress(what, 0.7)
    bench.wait_for(
        "diagnostics of all nodes", lambda: set(NODES) <= bench.heard_loops, START_TIMEOUT
    )


def _rehearse(trials: _Trials) -> None:
    """What a node does for the first time may take it longer: code is compiled for the robot."""
    bench, scene = trials.bench, trials.scene
    bench.follow(scene.motion, bench.now())  # annotated, not followed: the controller is disabled
    with bench.pushing(scene.tool, np.zeros(6)):
        trials.wait("getting ready", 2.0)
    bench.forget_loops()
    trials.wait("watching the clocks", 2.5)


def _float(trials: _Trials) -> Any:
    start = trials.bench.now()
    trials.wait("floating under gravity compensation", trials.scene.float_time + 0.1)
    return trials.bench.states(start, start + trials.scene.float_time)


def _follow(trials: _Trials, name: str, settings: dict[str, Any]) -> TrackingTrial:
    bench, motion = trials.bench, trials.scene.motion
    bench.set_parameters(FEEDFORWARD, settings)
    trials.wait(f"fast motion, {name}: coming to rest", REST)
    start = bench.now() + LEAD
    bench.follow(motion, start)
    trials.wait(f"fast motion, {name}", LEAD + motion.duration + 0.3)
    track = bench.states(start - LEAD, start + motion.duration)
    return TrackingTrial(name, start, motion, track)


def _push(trials: _Trials) -> PushTrial:
    bench, scene = trials.bench, trials.scene
    trials.wait("pushing the tool: coming to rest", REST)
    start = bench.now()
    with bench.pushing(scene.tool, scene.push):
        trials.wait("pushing the tool", scene.push_time)
        end = bench.now()
    trials.wait("letting go", 1.2)
    estimate = bench.wrenches(start - 0.8, end + 1.0)
    return PushTrial(
        scene.tool, np.array(scene.push), start, start + scene.settle_time, end, estimate
    )
