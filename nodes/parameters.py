"""Parameters of a node as a table: declared, checked as a whole, and documented from one place.

    class MyNode(DynamicsNode):
        parameters = (
            Parameter("ramp_time", 0.5, "Time of a change of torque.", unit="s", minimum=0.0),
        )

The node reads ``self.settings["ramp_time"]``, always the latest values that passed every check.
A parameter with ``fixed=True`` may change only while the node is unconfigured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterException, ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

__all__ = ["Parameter", "ParameterError", "Settings"]

#: Values of the parameters by name; arrays are tuples.
Values = dict[str, Any]

_TYPES = {
    bool: RosParameter.Type.BOOL,
    int: RosParameter.Type.INTEGER,
    float: RosParameter.Type.DOUBLE,
    str: RosParameter.Type.STRING,
}
_ARRAY_TYPES = {
    bool: RosParameter.Type.BOOL_ARRAY,
    int: RosParameter.Type.INTEGER_ARRAY,
    float: RosParameter.Type.DOUBLE_ARRAY,
    str: RosParameter.Type.STRING_ARRAY,
}


class ParameterError(ValueError):
    """A parameter that cannot be used; the message names it and says what is expected."""


@dataclass(frozen=True)
class Parameter:
    """One row of a node's parameter table.

    Attributes:
        name: Name, with dots for groups.
        default: Default value; its type is the parameter's. A tuple is an array.
        description: What it means, one sentence or two.
        unit: Unit of the value; empty for none.
        minimum: Smallest value allowed, of every entry of an array.
        maximum: Largest value allowed, of every entry of an array.
        choices: The strings allowed, of every entry of an array; empty for any.
        fixed: Whether it may change only while the node is unconfigured.
        length: Length of an array; 0 for any.
        item: Type of an array's entries; needed only where the default is empty.
    """

    name: str
    default: Any
    description: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    fixed: bool = False
    length: int = 0
    item: type = float

    @property
    def is_array(self) -> bool:
        """Whether the value is an array."""
        return isinstance(self.default, tuple)

    @property
    def ros_type(self) -> RosParameter.Type:
        """The type as ROS knows it."""
        if not self.is_array:
            return _TYPES[type(self.default)]
        return _ARRAY_TYPES[type(self.default[0]) if self.default else self.item]

    @property
    def type_name(self) -> str:
        """The type for people: ``double``, ``string array``, ..."""
        return self.ros_type.name.lower().replace("_", " ")

    @property
    def range_text(self) -> str:
        """The allowed values for people; empty for any."""
        if self.choices:
            return ", ".join(self.choices)
        low = "" if self.minimum is None else f"{self.minimum:g}"
        high = "" if self.maximum is None else f"{self.maximum:g}"
        return {
            (True, True): f"{low} to {high}",
            (True, False): f"{low} or more",
            (False, True): f"{high} or less",
        }.get((bool(low), bool(high)), "")

    def describe(self) -> ParameterDescriptor:
        """The descriptor that ``ros2 param describe`` shows."""
        text = self.description + (f" Unit: {self.unit}." if self.unit else "")
        text += " Changes only while the node is unconfigured." if self.fixed else ""
        descriptor = ParameterDescriptor(
            name=self.name, description=text, additional_constraints=self.range_text
        )
        bounded = self.minimum is not None or self.maximum is not None
        if bounded and not self.is_array:
            low, high = _finite(self.minimum, -1.0), _finite(self.maximum, 1.0)
            if isinstance(self.default, float):
                descriptor.floating_point_range = [
                    FloatingPointRange(from_value=float(low), to_value=float(high), step=0.0)
                ]
            else:
                descriptor.integer_range = [
                    IntegerRange(from_value=int(low), to_value=int(high), step=0)
                ]
        return descriptor

    def checked(self, value: Any) -> Any:
        """The value in the parameter's type, arrays as tuples; :class:`ParameterError` if bad."""
        if not self.is_array:
            return self._checked_item(value, type(self.default))
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            raise ParameterError(f"parameter {self.name} is {value!r}; expected {self._wanted()}")
        item = type(self.default[0]) if self.default else self.item
        values = tuple(self._checked_item(v, item) for v in value)
        if self.length and len(values) not in (0, self.length):
            raise ParameterError(
                f"parameter {self.name} has {len(values)} entries; expected {self._wanted()}"
            )
        return values

    def _checked_item(self, value: Any, kind: type) -> Any:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            raise ParameterError(f"parameter {self.name} is {value!r}; expected {self._wanted()}")
        if kind is float and not math.isfinite(value):
            raise ParameterError(f"parameter {self.name} is {value}; expected a finite number")
        if kind in (int, float) and not (
            _finite(self.minimum, -1.0) <= value <= _finite(self.maximum, 1.0)
        ):
            unit = f" {self.unit}" if self.unit else ""
            raise ParameterError(
                f"parameter {self.name} is {value:g}{unit}; expected {self.range_text}{unit}"
            )
        if self.choices and value not in self.choices:
            raise ParameterError(
                f"parameter {self.name} is {value!r}; expected one of {', '.join(self.choices)}"
            )
        return value

    def _wanted(self) -> str:
        count = f" of {self.length}" if self.length else ""
        article = "an" if self.type_name[0] in "aeio" else "a"
        return f"{article} {self.type_name}{count}" + (f" in {self.unit}" if self.unit else "")


class Settings(Mapping[str, Any]):
    """The parameters of a node: declared on it, checked, kept up to date.

    Args:
        node: The node that owns them.
        table: The parameters.
        check: Looks at a whole set of values; raises :class:`ParameterError` to refuse it.
        may_change_fixed: Says whether the node is unconfigured.
        changed: Called after a change, with the names.
    """

    def __init__(
        self,
        node: Node,
        table: Sequence[Parameter],
        check: Callable[[Values], None],
        may_change_fixed: Callable[[], bool],
        changed: Callable[[set[str]], None],
    ) -> None:
        self._table = {p.name: p for p in table}
        self._check, self._may_change_fixed, self._changed = check, may_change_fixed, changed
        #: What was wrong with the values given at start, by parameter.
        self.startup_errors: dict[str, str] = {}
        self._values: Values = {}
        for parameter in table:
            self._values[parameter.name] = self._declare(node, parameter)
        node.add_on_set_parameters_callback(self._on_set)
        node.add_post_set_parameters_callback(self._after_set)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def verify(self) -> None:
        """Check everything; raise :class:`ParameterError` with all that is wrong at start."""
        if self.startup_errors:
            raise ParameterError("; ".join(self.startup_errors.values()))
        self._check(dict(self._values))

    def _declare(self, node: Node, parameter: Parameter) -> Any:
        """Declare one parameter; a bad value given at start is noted, the default taken."""
        # Declared with a free type first, so that a whole number given for a real one is accepted
        # and anything else is refused in the words of this table.
        free = ParameterDescriptor(dynamic_typing=True)
        default = list(parameter.default) if parameter.is_array else parameter.default
        value = parameter.default
        try:
            given = node.declare_parameter(parameter.name, default, free).value
            if given is not None and list_or(given) != default:
                value = parameter.checked(given)
        except ParameterError as error:
            self.startup_errors[parameter.name] = str(error)
        except (InvalidParameterException, ParameterException) as error:
            self.startup_errors[parameter.name] = f"parameter {parameter.name}: {error}"
        if node.has_parameter(parameter.name):
            node.undeclare_parameter(parameter.name)
        stored = list(value) if parameter.is_array else value
        if stored == []:
            node.declare_parameter(
                parameter.name, parameter.ros_type, parameter.describe(), ignore_override=True
            )
            node.set_parameters([RosParameter(parameter.name, parameter.ros_type, [])])
        else:
            node.declare_parameter(
                parameter.name, stored, parameter.describe(), ignore_override=True
            )
        return value

    def _on_set(self, parameters: list[RosParameter]) -> SetParametersResult:
        candidate = dict(self._values)
        try:
            for given in parameters:
                row = self._table.get(given.name)
                if row is None:
                    continue
                candidate[row.name] = row.checked(given.value)
                differs = candidate[row.name] != self._values[row.name]
                if row.fixed and differs and not self._may_change_fixed():
                    raise ParameterError(
                        f"parameter {row.name} can change only while the node is unconfigured: "
                        "deactivate it, clean it up, then set it"
                    )
            self._check(candidate)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _after_set(self, parameters: list[RosParameter]) -> None:
        names = set()
        for given in parameters:
            row = self._table.get(given.name)
            if row is not None:
                self.startup_errors.pop(row.name, None)
                self._values[row.name] = row.checked(given.value)
                names.add(row.name)
        if names:
            self._changed(names)


def list_or(value: Any) -> Any:
    """Arrays and tuples as lists, anything else as it is."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return list(value)


def _finite(bound: float | None, sign: float) -> float:
    return sign * 1e300 if bound is None else bound
