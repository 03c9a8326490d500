"""Collecting and printing results."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Report:
    """Rows of results, each with the goal it is held against, if any."""

    rounds: int
    rows: list[tuple[str, str, str, bool | None]] = field(default_factory=list)

    def add(self, what: str, value: float, detail: str, goal: float | None = None) -> None:
        """Add a ratio: how many times faster than the other."""
        met = None if goal is None else value >= goal
        aim = "" if goal is None else f"{goal:g}"
        self._row(what, f"{value:.1f} x  {detail}", aim, met)

    def limit(self, what: str, value: float, unit: str, goal: float) -> None:
        """Add an amount that should not exceed a goal."""
        self._row(what, f"{value:.3g} {unit}", f"at most {goal:g} {unit}", value <= goal)

    def note(self, what: str, text: str) -> None:
        """Add something that has no goal."""
        self._row(what, text, "", None)

    def _row(self, what: str, value: str, aim: str, met: bool | None) -> None:
        self.rows.append((what, value, aim, met))
        mark = {None: " ", True: "+", False: "-"}[met]
        print(f"{mark} {what:58s} {value:52s} {aim}", flush=True)

    @property
    def goals(self) -> int:
        """Number of rows with a goal."""
        return sum(met is not None for *_, met in self.rows)

    def missed(self) -> list[str]:
        """Rows whose goal was not met."""
        return [
            f"{what}: {value} (goal {aim})" for what, value, aim, met in self.rows if met is False
        ]

    def markdown(self) -> str:
        """The rows as a table."""
        lines = ["| | measured | goal | |", "|---|---|---|---|"]
        words = {None: "", True: "met", False: "missed"}
        lines += [f"| {a} | {b} | {c} | {words[m]} |" for a, b, c, m in self.rows]
        return "\n".join(lines) + "\n"
