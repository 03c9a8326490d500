"""The parameters of the nodes as Markdown tables: ``python -m dynamics_nodes.parameter_tables``.

Run on a page, it renews what stands between ``<!-- parameters of NODE -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from .base import DynamicsNode
from .external_wrench_estimator import ExternalWrenchEstimatorNode
from .forward_dynamics_sim import ForwardDynamicsSim
from .gravity_compensation import GravityCompensationNode
from .inverse_dynamics_feedforward import InverseDynamicsFeedforwardNode
from .parameters import Parameter

__all__ = ["NODES", "renewed", "table"]

#: The nodes whose parameters a page may show.
NODES: dict[str, type[DynamicsNode]] = {
    "gravity_compensation": GravityCompensationNode,
    "inverse_dynamics_feedforward": InverseDynamicsFeedforwardNode,
    "external_wrench_estimator": ExternalWrenchEstimatorNode,
    "forward_dynamics_sim": ForwardDynamicsSim,
}

_PLACE = re.compile(r"(<!-- parameters of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(node: type[DynamicsNode]) -> str:
    """The parameters of a node; an asterisk marks those that change only while unconfigured."""
    lines = [
        "| parameter | type | default | unit | range | meaning |",
        "|---|---|---|---|---|---|",
        *(_row(p) for p in node.parameter_table()),
    ]
    return "\n".join(lines) + "\n\n`*` changes only while the node is unconfigured.\n"


def renewed(page: str) -> str:
    """A page with its tables as the nodes declare them."""
    return _PLACE.sub(lambda m: m[1] + "\n" + table(NODES[m[2]]) + "\n" + m[3], page)


def _row(parameter: Parameter) -> str:
    default = parameter.default
    if parameter.is_array:
        shown = "[" + ", ".join(str(x) for x in default) + "]"
    else:
        shown = str(default).lower() if isinstance(default, bool) else str(default)
    cells = [
        f"`{parameter.name}`" + (" *" if parameter.fixed else ""),
        parameter.type_name,
        f"`{shown}`" if shown else "empty",
        parameter.unit,
        parameter.range_text,
        parameter.description.replace("|", "\\|"),
    ]
    return "| " + " | ".join(cells) + " |"


def main(paths: list[str]) -> int:
    """Renew the pages given, or print all tables."""
    for path in map(Path, paths):
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
    if not paths:
        for name, node in NODES.items():
            print(f"## {name}\n\n{table(node)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
