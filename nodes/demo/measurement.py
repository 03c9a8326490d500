"""From recordings to the figures that say whether all is well."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .recording import Recording, TrackingTrial

__all__ = ["PD_ALONE", "PD_GRAVITY", "WITH_MODEL", "Figure", "figures", "peak", "rms"]

#: The names of the runs of the fast motion.
PD_ALONE = "PD alone"
PD_GRAVITY = "PD and gravity"
WITH_MODEL = "PD and inverse dynamics"

DRIFT_LIMIT = 0.01
RATIO_LIMIT = 10.0
FORCE_LIMIT = 0.5
MOMENT_LIMIT = 0.3


@dataclass(frozen=True)
class Figure:
    """A measured number and what is expected of it.

    Attributes:
        name: What it is.
        value: The number; NaN where nothing could be measured.
        unit: Its unit; empty for none.
        at_most: Bound from above, if any.
        at_least: Bound from below, if any.
        in_front: Whether it is one of those that the demonstration is about.
    """

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    in_front: bool = True

    @property
    def bounded(self) -> bool:
        """Whether something is expected of it."""
        return self.at_most is not None or self.at_least is not None

    @property
    def ok(self) -> bool:
        """Whether it is a number within its bounds."""
        if not math.isfinite(self.value):
            return False
        if self.at_most is not None and self.value > self.at_most:
            return False
        return self.at_least is None or self.value >= self.at_least

    @property
    def bound(self) -> str:
        """What is expected, in words."""
        parts = []
        if self.at_most is not None:
            parts.append(f"at most {self.at_most:g}")
        if self.at_least is not None:
            parts.append(f"at least {self.at_least:g}")
        return " and ".join(parts) + (f" {self.unit}" if parts and self.unit else "")

    @property
    def text(self) -> str:
        """The number with its unit."""
        shown = "not measured" if math.isnan(self.value) else f"{self.value:.3g}"
        return f"{shown} {self.unit}".rstrip() if not math.isnan(self.value) else shown


def rms(trial: TrackingTrial) -> float:
    """Root mean square of the tracking error over all joints and the whole motion."""
    error = trial.error()
    return float(np.sqrt(np.mean(error**2))) if error.size else math.nan


def peak(trial: TrackingTrial) -> float:
    """Largest tracking error of any joint."""
    error = trial.error()
    return float(np.abs(error).max()) if error.size else math.nan


def wrench_errors(recording: Recording) -> tuple[float, float]:
    """Largest error of the estimated force, N, and moment, N m, once settled: their norms."""
    push = recording.push
    settled = push.estimate.between(push.settled, push.end).wrench
    if not settled.size:
        return math.nan, math.nan
    error = settled - push.wrench
    force = np.linalg.norm(error[:, :3], axis=1).max()
    return float(force), float(np.linalg.norm(error[:, 3:], axis=1).max())


def mean_wrench(recording: Recording) -> list[float]:
    """Mean estimate once settled, (6,), N and N m."""
    push = recording.push
    settled = push.estimate.between(push.settled, push.end).wrench
    return [float(x) for x in settled.mean(axis=0)] if settled.size else [math.nan] * 6


def figures(recording: Recording) -> list[Figure]:
    """The figures of a recording, those with bounds first in each trial."""
    drift = recording.largest_drift()
    floated = np.ptp(recording.floating.time) if drift.size else math.nan
    result = [
        Figure(
            "drift while floating",
            float(drift.max()) if drift.size else math.nan,
            "rad",
            at_most=DRIFT_LIMIT,
        ),
        Figure("time floated", float(floated), "s", at_least=9.9, in_front=False),
    ]
    for name, run in recording.runs.items():
        result.append(Figure(f"RMS tracking error, {name}", rms(run), "rad"))
        result.append(Figure(f"peak tracking error, {name}", peak(run), "rad"))
    ratio = rms(recording.runs[PD_ALONE]) / rms(recording.runs[WITH_MODEL])
    result.append(
        Figure("RMS of PD alone over RMS with inverse dynamics", ratio, at_least=RATIO_LIMIT)
    )
    force, moment = wrench_errors(recording)
    result.append(Figure("error of the estimated force", force, "N", at_most=FORCE_LIMIT))
    result.append(Figure("error of the estimated moment", moment, "N m", at_most=MOMENT_LIMIT))
    reported = {loop.node for loop in recording.loops}
    silent = [node for node in recording.nodes if node not in reported]
    result.append(
        Figure(
            "nodes without diagnostics" + (f" ({', '.join(silent)})" if silent else ""),
            float(len(silent)),
            at_most=0.0,
            in_front=False,
        )
    )
    result.append(
        Figure(
            "nodes that ended badly"
            + (f" ({'; '.join(recording.troubles)})" if recording.troubles else ""),
            float(len(recording.troubles)),
            at_most=0.0,
            in_front=False,
        )
    )
    return result
