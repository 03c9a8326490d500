"""The launch files under ROS 2's own launch, where that is installed."""

from __future__ import annotations

import importlib.util

import pytest
from dynamics_nodes.launch_plan import NODES, PLANS
from dynamics_nodes.resources import share

launch = pytest.importorskip("launch", reason="ROS 2's launch is not installed")
pytest.importorskip("launch_ros", reason="ROS 2's launch_ros is not installed")

from launch.actions import DeclareLaunchArgument, OpaqueFunction  # noqa: E402

from launch import LaunchContext  # noqa: E402


def description(name):
    path = share() / "launch" / f"{name}.launch.py"
    spec = importlib.util.spec_from_file_location(f"{name}_launch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def perform(name, **arguments):
    """The actions of a launch file once its arguments are known."""
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    actions = []
    for entity in description(name).entities:
        assert isinstance(entity, (DeclareLaunchArgument, OpaqueFunction))
        actions += entity.execute(context) or []
    return context, actions


@pytest.mark.parametrize("name", PLANS)
def test_arguments_are_declared_with_words(name):
    declared = description(name).get_launch_arguments()
    assert [a.name for a in declared] == [a.name for a in PLANS[name].arguments]
    assert all(a.description for a in declared)


def test_demo_starts_the_nodes_in_their_namespace():
    context, actions = perform("demo", namespace="cell_1")
    assert len(actions) == len(NODES)
    for name, action in zip(NODES, actions, strict=True):
        action._perform_substitutions(context)
        assert action.node_name == f"/cell_1/{name}"
        assert action.node_package == "urdf_dynamics"
        assert action.node_executable == name


def test_a_choice_outside_the_list_is_refused():
    with pytest.raises(RuntimeError, match="controller"):
        perform("demo", controller="nobody")
