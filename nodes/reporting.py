"""What a node tells people: log lines that do not repeat themselves, and diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from .loop import LoopTimer, monotonic

__all__ = ["Reporting", "loop_status", "status"]

#: How often a message that goes on being true is repeated, s.
REPEAT_PERIOD = 5.0


class Reporting:
    """Mixin of a node: says an error once, repeats it while it lasts, and says when it is over."""

    get_logger: Callable[[], Any]  # that of the node

    def __init__(self, *args: Any, **options: Any) -> None:
        self._said: dict[str, tuple[str, float]] = {}
        super().__init__(*args, **options)

    def fault(self, key: str, text: str) -> None:
        """Report an error: at once when it is new, every few seconds while it lasts."""
        if self._is_news(key, text):
            self.get_logger().error(text)

    def warn(self, key: str, text: str) -> None:
        """Report a warning: at once when it is new, every few seconds while it lasts."""
        if self._is_news(key, text):
            self.get_logger().warning(text)

    def recovered(self, key: str, text: str) -> None:
        """Report that a fault or warning is over, once; nothing if there was none."""
        if self._said.pop(key, None) is not None:
            self.get_logger().info(text)

    # The logger ties a severity to each line that calls it, so every severity has its own line.
    def _is_news(self, key: str, text: str) -> bool:
        said, when = self._said.get(key, ("", -np.inf))
        now = monotonic()
        if (text != said and now - when > 0.5) or now - when > REPEAT_PERIOD:
            self._said[key] = (text, now)
            return True
        return False


def status(name: str, level: bytes, message: str, values: dict[str, str]) -> DiagnosticStatus:
    """A diagnostic status; ``level`` is DiagnosticStatus.OK, WARN, ERROR or STALE."""
    pairs = [KeyValue(key=k, value=v) for k, v in values.items()]
    return DiagnosticStatus(name=name, level=level, message=message, values=pairs)


def loop_status(timer: LoopTimer, now: float, wanted: float) -> DiagnosticStatus:
    """How a loop keeps its rate; ``now`` in s on the loop's time, ``wanted`` in Hz."""
    report = timer.report(now)
    level, text = DiagnosticStatus.OK, f"{report.rate:.0f} Hz"
    if report.rate < 0.9 * wanted:
        level, text = DiagnosticStatus.WARN, f"{report.rate:.0f} of {wanted:.0f} Hz"
    values = {
        "rate [Hz]": f"{report.rate:.1f}",
        "rate wanted [Hz]": f"{wanted:.1f}",
        "worst cycle [ms]": f"{1e3 * report.worst_cycle:.3f}",
        "worst work [ms]": f"{1e3 * report.worst_work:.3f}",
        "missed deadlines": str(report.missed),
        "missed deadlines since start": str(timer.total_missed),
    }
    return status("loop", level, text, values)
