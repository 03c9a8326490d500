"""The parameters that describe the robot to a node, and the robot they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dynamics_core import Robot

from .parameters import Parameter, ParameterError

__all__ = ["ROBOT_PARAMETERS", "build_robot", "check_robot_settings", "with_settings"]

ROBOT_PARAMETERS = (
    Parameter("autostart", True, "Whether the node configures and activates itself.", fixed=True),
    Parameter(
        "robot_description",
        "",
        "The robot's URDF as text, or the path of a URDF or xacro file. Empty: wait for the "
        "latched topic robot_description.",
        fixed=True,
    ),
    Parameter(
        "joints",
        (),
        "Joints to work on, in the order of Float64MultiArray messages. Empty: all joints that "
        "move and are not locked.",
        item=str,
        fixed=True,
    ),
    Parameter(
        "locked_joints",
        (),
        "Joints that nobody reports, such as those of a gripper: they count as standing still.",
        item=str,
        fixed=True,
    ),
    Parameter(
        "locked_positions",
        (),
        "Positions of the locked joints. Empty: zero.",
        unit="rad or m",
        fixed=True,
    ),
    Parameter(
        "rate", 500.0, "Rate of the loop.", unit="Hz", minimum=1.0, maximum=2000.0, fixed=True
    ),
    Parameter(
        "gravity",
        (0.0, 0.0, -9.81),
        "Free-fall acceleration in the base frame of the robot; turn it for a mounting that the "
        "description does not hold.",
        unit="m/s2",
        minimum=-100.0,
        maximum=100.0,
        length=3,
    ),
    Parameter("payload.frame", "", "Link that carries the payload. Empty: no payload.", fixed=True),
    Parameter("payload.mass", 0.0, "Mass of the payload.", unit="kg", minimum=0.0, maximum=1e5),
    Parameter(
        "payload.com",
        (0.0, 0.0, 0.0),
        "Centre of mass of the payload in payload.frame.",
        unit="m",
        length=3,
    ),
    Parameter(
        "payload.inertia",
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "Inertia (ixx, ixy, ixz, iyy, iyz, izz) of the payload about its centre of mass, in the "
        "axes of payload.frame.",
        unit="kg m2",
        length=6,
    ),
    Parameter(
        "effort_limit_scale",
        1.0,
        "Fraction of the description's effort limits that may be used.",
        minimum=0.0,
        maximum=1.0,
    ),
)


def build_robot(description: str) -> Robot:
    """The robot of a description; one scalar position a joint, as in JointState."""
    robot = Robot.from_urdf(description)
    for joint in robot.model.joints:
        if joint.type.nq != 1:
            raise ParameterError(
                f"joint {joint.name!r} is {joint.type.value}; these nodes take revolute, "
                "continuous and prismatic joints only"
            )
    if robot.nv == 0:
        raise ParameterError(f"robot {robot.name!r} has no joint that moves")
    return robot


def check_robot_settings(values: Mapping[str, Any]) -> None:
    """Raise :class:`ParameterError` where the values contradict one another."""
    if values["payload.mass"] > 0.0 and not values["payload.frame"]:
        raise ParameterError(
            "payload.mass is set but payload.frame is empty; name the link that carries it"
        )
    for name in ("gravity", "payload.com", "payload.inertia"):
        if len(values[name]) == 0:
            raise ParameterError(f"parameter {name} is empty")
    locked, positions = values["locked_joints"], values["locked_positions"]
    if positions and len(positions) != len(locked):
        raise ParameterError(
            f"locked_positions has {len(positions)} entries for {len(locked)} locked_joints"
        )
    for name in ("joints", "locked_joints"):
        twice = {j for j in values[name] if values[name].count(j) > 1}
        if twice:
            raise ParameterError(f"parameter {name} names {sorted(twice)[0]!r} twice")
    both = set(values["joints"]) & set(locked)
    if both:
        raise ParameterError(f"{sorted(both)[0]!r} is in joints and in locked_joints")


def with_settings(robot: Robot, values: Mapping[str, Any]) -> Robot:
    """The robot in the field of gravity and with the payload of the settings.

    Gravity and the load of the last link are inputs of the compiled code even where nothing is
    set, so that setting them while the robot moves compiles nothing.
    """
    ixx, ixy, ixz, iyy, iyz, izz = values["payload.inertia"]
    inertia = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    frame = values["payload.frame"] or last_link(robot)
    robot = robot.with_gravity(values["gravity"])
    return robot.with_payload(frame, values["payload.mass"], values["payload.com"], inertia)


def last_link(robot: Robot) -> str:
    """The last link behind the last joint: the tool, on most arms."""
    frames = robot.model.frames
    last = max(f.body for f in frames)
    return [f.name for f in frames if f.body == last][-1]
