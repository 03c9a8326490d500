"""The plots of the demonstration's page, as SVG that takes its colours from the page.

Matplotlib draws with stand-in colours, which are then replaced by CSS variables, so that one page
serves light and dark themes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Drawing

from .measurement import DRIFT_LIMIT
from .recording import Recording

__all__ = ["drift_plot", "torque_plot", "tracking_plot", "wrench_plot"]

#: Stand-in colours and the CSS variables that take their place.
_INK, _MUTED, _GRID, _SURFACE = "#010101", "#020202", "#030303", "#040404"
_SERIES = ("#050505", "#060606", "#070707")
_VARIABLES = {
    _INK: "--ink",
    _MUTED: "--muted",
    _GRID: "--grid",
    _SURFACE: "--surface",
    **{colour: f"--series-{k + 1}" for k, colour in enumerate(_SERIES)},
}

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": _INK,
    "axes.labelcolor": _MUTED,
    "axes.edgecolor": _GRID,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "grid.color": _GRID,
    "grid.linewidth": 0.8,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
}

#: Height of the legend above the axes, inches.
_LEGEND_HEIGHT = 0.35

#: Points of a line that a page of this size can show.
_SHOWN = 700


def drift_plot(recording: Recording) -> str:
    """Largest joint displacement while floating, against what is allowed."""
    time = recording.floating.time - recording.floating.time[:1]
    end = max(time, default=1.0)
    # Zero has no place on a logarithmic scale; below this is rounding.
    drift = np.maximum(recording.largest_drift() * 1e3, 1e-12)
    with _drawing("drift", 3.0) as (drawing, result):
        axes = drawing.subplots()
        axes.semilogy(*_thin(time, drift), color=_SERIES[0])
        axes.axhline(DRIFT_LIMIT * 1e3, color=_MUTED, linestyle=(0, (4, 3)), linewidth=1.2)
        axes.annotate(
            "allowed",
            (end, DRIFT_LIMIT * 1e3),
            (0, -14),
            textcoords="offset points",
            ha="right",
            color=_MUTED,
        )
        axes.set(xlabel="time afloat, s", ylabel="largest joint drift, mrad")
        axes.set_xlim(0.0, end)
        axes.set_ylim(1e-12, 10.0 * drift.max(initial=DRIFT_LIMIT * 1e3))
    return result[0]


def tracking_plot(recording: Recording) -> str:
    """Largest tracking error of any joint over the motion, on a logarithmic scale."""
    with _drawing("tracking", 3.6) as (drawing, result):
        axes = drawing.subplots()
        for colour, run in zip(_SERIES, recording.runs.values(), strict=False):
            time = run.during().time - run.start
            error = np.maximum(np.abs(run.error()).max(axis=1) * 1e3, 1e-3)
            axes.semilogy(*_thin(time, error), color=colour, label=run.name)
        axes.set(xlabel="time into the motion, s", ylabel="largest tracking error, mrad")
        axes.set_xlim(left=0.0)
        _legend(drawing, ncols=3, handlelength=1.4)
    return result[0]


def torque_plot(recording: Recording) -> str:
    """Largest torque of each joint in each run: bars, as a share of the joint's limit."""
    runs = list(recording.runs.values())
    n, limits = len(recording.joints), recording.effort_limits
    height = 0.8 / len(runs)
    with _drawing("torques", 1.3 + 0.25 * n * len(runs)) as (drawing, result):
        axes = drawing.subplots()
        for k, (colour, run) in enumerate(zip(_SERIES, runs, strict=False)):
            torque = np.abs(run.during().effort).max(axis=0, initial=0.0)
            at = np.arange(n) - 0.4 + (k + 0.5) * height
            bars = axes.barh(
                at, 100.0 * torque / limits, height * 0.86, color=colour, label=run.name
            )
            axes.bar_label(
                bars, [f"{t:.3g} N m" for t in torque], padding=4, color=_MUTED, fontsize=9
            )
        axes.set_yticks(np.arange(n), recording.joints)
        axes.tick_params(axis="y", length=0, labelcolor=_INK)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        axes.margins(x=0.16)
        axes.set(xlabel="largest torque, % of the joint's limit")
        _legend(drawing, ncols=3, handlelength=1.0)
    return result[0]


def wrench_plot(recording: Recording) -> str:
    """Estimated wrench over time, and the one exerted."""
    push = recording.push
    time = push.estimate.time - push.start
    with _drawing("wrench", 4.6) as (drawing, result):
        panels = drawing.subplots(2, 1, sharex=True)
        titles = (("Force, N", 0), ("Moment, N m", 3))
        for axes, (title, first) in zip(panels, titles, strict=True):
            _wrench_panel(axes, recording, time, first)
            axes.set_title(title)
        panels[1].set_xlabel("time since the push began, s")
        _legend(drawing, *panels[0].get_legend_handles_labels(), ncols=4, handlelength=1.6)
    return result[0]


def _wrench_panel(axes: Any, recording: Recording, time: Any, first: int) -> None:
    push = recording.push
    end = push.end - push.start
    for k, axis in enumerate("xyz"):
        estimate = push.estimate.wrench[:, first + k]
        axes.plot(*_thin(time, estimate), color=_SERIES[k], label=f"estimated {axis}")
        level = float(push.wrench[first + k])
        axes.plot(
            [0.0, 0.0, end, end],
            [0.0, level, level, 0.0],
            color=_INK,
            linewidth=1.0,
            linestyle=(0, (3, 3)),
            label="exerted" if k == 0 else None,
        )
    axes.axvspan(push.settled - push.start, end, color=_GRID, alpha=0.45, linewidth=0)
    if len(time):
        axes.set_xlim(time[0], time[-1])


def _legend(drawing: Drawing, *entries: Any, **options: Any) -> None:
    """A legend above everything, as ``loc="outside upper left"`` of Matplotlib 3.7 places it."""
    left = 1.0 - _LEGEND_HEIGHT / drawing.get_figheight()
    drawing.get_layout_engine().set(rect=(0.0, 0.0, 1.0, left))
    drawing.legend(*entries, loc="upper left", **options)


def _thin(x: Any, y: Any) -> tuple[Any, Any]:
    """At most :data:`_SHOWN` points of a line, keeping the largest of each stretch."""
    if len(x) <= _SHOWN:
        return x, y
    edges = np.linspace(0, len(x), _SHOWN + 1).astype(int)
    picked = np.array([a + int(np.argmax(np.abs(y[a:b]))) for a, b in pairwise(edges)])
    return x[picked], y[picked]


@contextmanager
def _drawing(name: str, height: float) -> Iterator[tuple[Drawing, list[str]]]:
    """A drawing to fill; its SVG is in the list afterwards."""
    result: list[str] = []
    ids = {key: name for key in ("svg.hashsalt", "svg.id") if key in matplotlib.rcParams}
    with matplotlib.rc_context({**_STYLE, **ids}):  # svg.id came with Matplotlib 3.10
        drawing = Drawing(figsize=(9.0, height), layout="constrained")
        canvas = FigureCanvasSVG(drawing)
        yield drawing, result
        text = io.StringIO()
        canvas.print_svg(text, metadata={"Date": None, "Creator": None})
    result.append(_themed(text.getvalue(), name))


def _themed(svg: str, name: str) -> str:
    """The drawing's element alone, in the page's colours and font, with ids of its own."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'id="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font:\s*([^;\"']*?)'[^\"]*?(?=[;\"])", r"font: \1inherit", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    return svg
