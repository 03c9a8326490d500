"""What the pages say of the nodes is what the nodes declare."""

from __future__ import annotations

from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

pytest.importorskip("rclpy", reason="the nodes need ROS 2")


def test_the_parameter_tables_are_those_of_the_nodes():
    from dynamics_nodes.parameter_tables import NODES, renewed

    page = (CHECKOUT / "docs" / "nodes.md").read_text(encoding="utf-8")
    assert renewed(page) == page, "run: python -m dynamics_nodes.parameter_tables docs/nodes.md"
    for name in NODES:
        assert f"<!-- parameters of {name} -->" in page


def test_every_parameter_of_the_configuration_files_is_declared():
    import yaml
    from dynamics_nodes.parameter_tables import NODES

    for path in (CHECKOUT / "config").glob("*.yaml"):
        for key, content in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            name = key.rpartition("/")[2]
            if name not in NODES:
                continue
            declared = {p.name: p for p in NODES[name].parameter_table()}
            for parameter, value in _flat(content["ros__parameters"]):
                assert parameter in declared, f"{path.name}: {name} has no {parameter}"
                declared[parameter].checked(value)


def _flat(values, prefix=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
