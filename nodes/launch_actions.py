"""The launch plans as actions of ROS 2 launch."""

from __future__ import annotations

from typing import Any

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext, LaunchDescription

from .launch_plan import PLANS, LaunchPlan, ResolvedNode, resolve
from .resources import PACKAGE

__all__ = ["launch_description"]


def launch_description(name: str) -> LaunchDescription:
    """The launch description of ``<name>.launch.py``."""
    plan = PLANS[name]
    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=argument.description,
            choices=list(argument.choices) or None,
        )
        for argument in plan.arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_start, args=[plan])])


def _start(context: LaunchContext, plan: LaunchPlan) -> list[Node]:
    given = {a.name: LaunchConfiguration(a.name).perform(context) for a in plan.arguments}
    return [_action(node) for node in resolve(plan, given)]


def _action(node: ResolvedNode) -> Node:
    # A description is text, even where it happens to read like YAML.
    parameters: dict[str, Any] = {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in node.parameters.items()
    }
    return Node(
        package=PACKAGE,
        executable=node.executable,
        name=node.name,
        namespace=node.namespace,
        parameters=[*map(str, node.parameter_files), parameters],
        output="screen",
    )
