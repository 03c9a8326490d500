"""The demonstration's figures as a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .measurement import Figure, mean_wrench
from .recording import Recording

__all__ = ["show"]


def show(console: Console, recording: Recording, figures: Sequence[Figure]) -> None:
    """Print the figures, the wrench and the loops."""
    console.print(_figures(figures), _wrench(recording), _loops(recording))
    console.print(f"All of it {recording.timing}.", markup=False)


def _figures(figures: Sequence[Figure]) -> Table:
    table = Table("figure", title="Figures", title_justify="left")
    table.add_column("measured", justify="right")
    table.add_column("expected", justify="right")
    table.add_column("")
    for figure in figures:
        mark = Text("ok", "green") if figure.ok else Text("OFF", "bold red")
        verdict = mark if figure.bounded or not figure.ok else Text("")
        table.add_row(Text(figure.name), Text(figure.text), Text(figure.bound), verdict)
    return table


def _wrench(recording: Recording) -> Table:
    frame = recording.push.frame
    table = Table("push", title=f"Wrench on {frame}, its axes", title_justify="left")
    for name in ("fx", "fy", "fz", "nx", "ny", "nz"):
        table.add_column(
            f"{name} [{'N' if name[0] == 'f' else 'N m'}]".replace("[", r"\["), justify="right"
        )
    table.add_row("exerted", *(f"{x:.2f}" for x in recording.push.wrench))
    table.add_row("estimated", *(f"{x:.2f}" for x in mean_wrench(recording)))
    return table


def _loops(recording: Recording) -> Table:
    table = Table("node", title="Loops", title_justify="left")
    for column in ("wanted Hz", "rate Hz", "longest cycle ms", "longest work ms", "missed"):
        table.add_column(column, justify="right")
    for loop in recording.loops:
        table.add_row(
            Text(loop.node),
            f"{loop.wanted:.0f}",
            f"{loop.rate:.0f}",
            f"{1e3 * loop.worst_cycle:.2f}",
            f"{1e3 * loop.worst_work:.2f}",
            str(loop.missed),
        )
    return table
