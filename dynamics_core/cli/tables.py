"""Tables on a terminal: with ``rich`` where it is installed, else in plain columns."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence


def number(value: float) -> str:
    """A number in few digits; a dash for what is unlimited."""
    return "-" if math.isinf(value) else f"{value:.6g}"


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text; ``rich`` is used on a terminal only, so that pipes get plain columns."""
    if sys.stdout.isatty():
        try:
            from rich.console import Console
            from rich.table import Table
            from rich.text import Text
        except ImportError:
            pass
        else:
            table = Table(*columns)
            for row in rows:
                table.add_row(*map(Text, row))  # Text: no markup in names from files
            Console().print(table)
            return
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, ["-" * w for w in widths], *rows):
        print("  ".join(f"{c:{w}}" for c, w in zip(row, widths, strict=True)).rstrip())
