"""What the launch files start, with which parameters, as plain data.

The launch files (through :mod:`.launch_actions`) and the demo both start what :func:`resolve` says.
Nothing here imports ROS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .resources import ROBOTS, config_files, describe

__all__ = ["DEMO", "PLANS", "Argument", "LaunchPlan", "ResolvedNode", "resolve"]


@dataclass(frozen=True)
class Argument:
    """An argument of a launch file.

    Attributes:
        name: Its name.
        description: What it means.
        default: Its value where it is not given. An empty one leaves a parameter to the files.
        choices: The values allowed; empty for any.
    """

    name: str
    description: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodePlan:
    """One node of a launch file.

    Attributes:
        executable: Its executable, which is also the node's name and its module.
        numbers: Arguments that set a number, with the parameter they set.
        parameters: Parameters that this launch file sets itself.
        clock: Whether it publishes the /clock that the other nodes follow, if they follow one.
    """

    executable: str
    numbers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    clock: bool = False


@dataclass(frozen=True)
class LaunchPlan:
    """A launch file: its nodes and its own arguments, beside those of every launch file."""

    nodes: tuple[NodePlan, ...]
    own_arguments: tuple[Argument, ...] = ()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All its arguments."""
        return COMMON_ARGUMENTS + self.own_arguments


@dataclass(frozen=True)
class ResolvedNode:
    """A node with nothing left open.

    Attributes:
        executable: Its executable, and the module in ``dynamics_nodes``.
        name: Node name.
        namespace: Node namespace; empty for the root.
        parameter_files: Parameter files; the later one wins.
        parameters: Parameters that win over the files.
    """

    executable: str
    name: str
    namespace: str
    parameter_files: tuple[Path, ...]
    parameters: Mapping[str, Any]


COMMON_ARGUMENTS = (
    Argument(
        "robot",
        f"A shipped robot ({', '.join(ROBOTS)}), or the path of a URDF or xacro file. 'topic' "
        "waits for the latched topic robot_description.",
        "panda",
    ),
    Argument(
        "robot_arguments", "Arguments for the robot's xacro file: 'prefix:=left_ hand:=true'."
    ),
    Argument("namespace", "Namespace of every node."),
    Argument("use_sim_time", "Whether to follow /clock.", "false", ("true", "false")),
    Argument("parameters", "Path of one more parameter file, which wins over the package's."),
)

_RATE = "Rate of the loop, Hz; empty for that of the parameter files."

CONTROLLERS = ("gravity_compensation", "inverse_dynamics_feedforward")
NODES = ("forward_dynamics_sim", *CONTROLLERS, "external_wrench_estimator")


def _alone(executable: str) -> LaunchPlan:
    return LaunchPlan((NodePlan(executable, {"rate": "rate"}),), (Argument("rate", _RATE),))


#: The four nodes together: the simulated robot, both controllers, one of which commands it, and
#: the estimator.
DEMO = LaunchPlan(
    (
        NodePlan("forward_dynamics_sim", {"sim_rate": "rate"}, clock=True),
        NodePlan("gravity_compensation", {"control_rate": "rate"}),
        NodePlan("inverse_dynamics_feedforward", {"control_rate": "rate"}),
        NodePlan("external_wrench_estimator", {"estimator_rate": "rate"}),
    ),
    (
        Argument("sim_rate", "Rate of the simulator, Hz; empty for that of the parameter files."),
        Argument("control_rate", "Rate of the controllers, Hz; empty likewise."),
        Argument("estimator_rate", "Rate of the estimator, Hz; empty likewise."),
        Argument(
            "controller",
            "The controller that commands the robot at first; services ~/enable change it.",
            "gravity_compensation",
            (*CONTROLLERS, "none"),
        ),
    ),
)

#: Every launch file by its name, ``<name>.launch.py``.
PLANS: Mapping[str, LaunchPlan] = {**{name: _alone(name) for name in NODES}, "demo": DEMO}


def resolve(plan: LaunchPlan, given: Mapping[str, str]) -> list[ResolvedNode]:
    """The nodes of a launch file for given arguments.

    Args:
        plan: The launch file.
        given: Values of its arguments; those left out have their defaults.

    Raises:
        ValueError: An unknown argument, or a value that it does not allow; the message names it.
        FileNotFoundError: The robot or the parameter file does not exist.
    """
    values = _checked(plan.arguments, given)
    parameters: dict[str, Any] = {"use_sim_time": values["use_sim_time"] == "true"}
    if values["robot"] != "topic":
        parameters["robot_description"] = describe(values["robot"], values["robot_arguments"])
    extra: list[Path] = []
    if values["parameters"]:
        extra.append(Path(values["parameters"]).expanduser())
        if not extra[0].is_file():
            raise FileNotFoundError(f"argument parameters: there is no file {extra[0]}")
    nodes = []
    for node in plan.nodes:
        own = dict(node.parameters)
        for argument, parameter in node.numbers.items():
            if values[argument]:
                own[parameter] = _number(argument, values[argument])
        if node.clock:
            own["publish_clock"] = parameters["use_sim_time"]
        if node.executable in CONTROLLERS and "controller" in values:
            own["enable_on_start"] = values["controller"] == node.executable
        files = (*config_files(node.executable, values["robot"]), *extra)
        nodes.append(
            ResolvedNode(
                node.executable, node.executable, values["namespace"], files, {**parameters, **own}
            )
        )
    return nodes


def _checked(arguments: Sequence[Argument], given: Mapping[str, str]) -> dict[str, str]:
    names = [a.name for a in arguments]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise ValueError(f"unknown argument {unknown[0]!r}; known are {', '.join(names)}")
    values = {a.name: given.get(a.name, a.default) for a in arguments}
    for argument in arguments:
        value = values[argument.name]
        if argument.choices and value not in argument.choices:
            raise ValueError(
                f"argument {argument.name} is {value!r}; expected one of "
                f"{', '.join(argument.choices)}"
            )
    return values


def _number(argument: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"argument {argument} is {text!r}; expected a number") from None
