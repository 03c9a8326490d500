"""The demonstration's report as one web page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from . import plots
from .measurement import Figure, mean_wrench, peak, rms
from .page_template import TEMPLATE
from .recording import Recording

__all__ = ["page"]


def page(recording: Recording, figures: Sequence[Figure]) -> str:
    """The page as HTML. Names are escaped; there is no script and nothing is loaded."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(TEMPLATE).render(
        robot=recording.robot,
        joints=recording.joints,
        figures=figures,
        failed=[f for f in figures if not f.ok],
        runs=[_run(recording, name) for name in recording.runs],
        push=_push(recording),
        loops=recording.loops,
        timing=recording.timing,
        # Matplotlib escapes the text that it writes into SVG.
        drift=Markup(plots.drift_plot(recording)),
        tracking=Markup(plots.tracking_plot(recording)),
        torques=Markup(plots.torque_plot(recording)),
        wrench=Markup(plots.wrench_plot(recording)),
    )


def _run(recording: Recording, name: str) -> dict[str, Any]:
    run = recording.runs[name]
    return {"name": run.name, "rms": f"{1e3 * rms(run):.3g}", "peak": f"{1e3 * peak(run):.3g}"}


def _push(recording: Recording) -> list[dict[str, str]]:
    axes = ("force x", "force y", "force z", "moment x", "moment y", "moment z")
    units = ("N",) * 3 + ("N m",) * 3
    rows = zip(axes, units, recording.push.wrench, mean_wrench(recording), strict=True)
    return [
        {"axis": axis, "unit": unit, "exerted": f"{exerted:.2f}", "estimated": f"{estimated:.2f}"}
        for axis, unit, exerted, estimated in rows
    ]
