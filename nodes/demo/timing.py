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
#: Below this share, or when left alone for longer, the attempt is not worth finishing.
HOPELESS_SHARE, HOPELESS_CYCLE = 0.5, 0.1


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

#: Rates that leave two cores some air: four nodes and the recorder share them. Steps stay at 1 ms.
REAL = Timing(
    "real",
    "in real time, as on a robot",
    overrides={
        "forward_dynamics_sim": {**_LONG_PUSH, "rate": 500.0, "substeps": 2},
        "gravity_compensation": {"rate": 250.0},
        "external_wrench_estimator": {"rate": 200.0},
    },
)

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


def lagging(
    loops: Sequence[LoopRecord], share: float = RATE_SHARE, longest: float = LONGEST_CYCLE
) -> str:
    """Which loop does not keep up with its rate, in words; empty if all do.

    Args:
        loops: What the nodes report.
        share: Share of its rate that a loop has to reach.
        longest: Longest time that it may be left alone, s.
    """
    for loop in loops:
        if loop.rate < share * loop.wanted:
            return f"{loop.node} ran at {loop.rate:.0f} of {loop.wanted:.0f} Hz"
        if loop.worst_cycle > longest:
            return f"{loop.node} was left alone for {1e3 * loop.worst_cycle:.0f} ms"
    return ""
