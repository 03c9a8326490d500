"""Real time where the machine keeps up with it, else simulated time in lockstep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .recording import LoopRecord

__all__ = ["REAL", "SIMULATED", "Timing", "TooBusyError", "lagging"]

#: A loop keeps up if it reaches this share of its rate ...
RATE_SHARE = 0.8
#: ... and is never left alone for longer than this, s: half the age at which states are stale.
LONGEST_CYCLE = 0.05


@dataclass(frozen=True)
class Timing:
    """How the nodes' clocks run.

    Attributes:
        name: For the command line.
        words: For people.
        simulated: Whether all nodes follow the simulated robot's /clock.
        overrides: Parameters by node, on top of the package's configuration.
    """

    name: str
    words: str
    simulated: bool = False
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


#: A push ends when it is said to; a busy machine may be late to repeat it.
_LONG_PUSH = {"wrench_timeout": 2.0}

REAL = Timing("real", "in real time, as on a robot", overrides={"forward_dynamics_sim": _LONG_PUSH})

#: Each sample of the robot waits for the command that answers the one before. A busy machine then
#: makes the demonstration slow instead of wrong. Steps are as long as in real time.
SIMULATED = Timing(
    "simulated",
    "in simulated time: the robot waits for its controller at every step, and the controllers' "
    "and the estimator's rates count simulated seconds",
    simulated=True,
    overrides={
        "forward_dynamics_sim": {
            **_LONG_PUSH,
            "rate": 500.0,
            "substeps": 2,
            "lockstep": True,
            "lockstep_timeout": 2.0,
        },
        # Staleness is told by wall time, which says nothing of a robot that waits.
        "gravity_compensation": {"stale_timeout": 5.0},
        "inverse_dynamics_feedforward": {"stale_timeout": 5.0},
        "external_wrench_estimator": {"stale_timeout": 5.0},
    },
)


class TooBusyError(RuntimeError):
    """The machine does not keep up with real time; the message names the loop."""


def lagging(loops: Sequence[LoopRecord]) -> str:
    """Which loop does not keep up with its rate, in words; empty if all do."""
    for loop in loops:
        if loop.rate < RATE_SHARE * loop.wanted:
            return f"{loop.node} ran at {loop.rate:.0f} of {loop.wanted:.0f} Hz"
        if loop.worst_cycle > LONGEST_CYCLE:
            return f"{loop.node} was left alone for {1e3 * loop.worst_cycle:.0f} ms"
    return ""
