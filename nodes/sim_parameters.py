"""The parameters of ``forward_dynamics_sim``, and the simulator they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynamics_core import Robot
from dynamics_core.description.source import read_source
from dynamics_core.simulation import (
    INTEGRATORS,
    CommandPolicy,
    EndStops,
    Physics,
    SensorSettings,
    Simulator,
)
from dynamics_core.simulation.commands import SILENCES, STARTS, interface_joints, servo_gains
from dynamics_core.simulation.simulator import EFFORT_KINDS

from .parameters import Parameter, ParameterError

__all__ = ["RUN_TIME", "SIM_PARAMETERS", "build_simulator", "check_sim_settings", "state_of"]

SIM_PARAMETERS = (
    Parameter(
        "rate",
        1000.0,
        "Rate of joint_states, in simulated time.",
        unit="Hz",
        minimum=1.0,
        maximum=10000.0,
        fixed=True,
    ),
    Parameter(
        "substeps", 1, "Integration steps for each sample.", minimum=1, maximum=1000, fixed=True
    ),
    Parameter("integrator", INTEGRATORS[0], "Integrator.", choices=INTEGRATORS, fixed=True),
    Parameter(
        "realtime_factor",
        1.0,
        "Simulated seconds in a second. 0: as fast as possible.",
        minimum=0.0,
        maximum=1000.0,
    ),
    Parameter("start_paused", False, "Whether to begin paused.", fixed=True),
    Parameter("step_count", 1, "Samples that a call of ~/step advances.", minimum=1),
    Parameter(
        "lockstep",
        False,
        "Whether each sample waits for a command that came after the sample before it. With "
        "start_paused and ~/step, the same commands then give the same states to the bit.",
    ),
    Parameter(
        "lockstep_timeout",
        0.1,
        "How long to wait for that command before going on without it, wall time.",
        unit="s",
        minimum=0.0,
        maximum=3600.0,
    ),
    Parameter("publish_clock", False, "Whether to publish /clock.", fixed=True),
    Parameter(
        "clock_rate",
        1000.0,
        "Rate of /clock in simulated time, at most that of the samples.",
        unit="Hz",
        minimum=1.0,
        fixed=True,
    ),
    Parameter(
        "record",
        "",
        "MCAP file to record states, ground truth and all inputs to; also --record FILE. Empty: "
        "none.",
        fixed=True,
    ),
    Parameter(
        "initial_positions",
        (),
        "Positions of the joints at the start, in the order of joints; the reset state "
        "'initial'. Empty: zero, or the limit nearest to it.",
        unit="rad or m",
    ),
    Parameter(
        "reset_state",
        "initial",
        "State that ~/reset goes to: initial, or one of named_states.",
    ),
    Parameter(
        "named_states",
        (),
        "More states to reset to, each as 'name: q1, q2, ...' with positions in the order of "
        "joints.",
        item=str,
    ),
    Parameter("damping", (), "Viscous friction, one for each of joints. Empty: the "
              "description's.", unit="N m s/rad or N s/m", minimum=0.0, fixed=True),
    Parameter("friction", (), "Coulomb friction, one for each of joints. Empty: the "
              "description's.", unit="N m or N", minimum=0.0, fixed=True),
    Parameter("armature", (), "Inertia of the rotors at the joint, one for each of joints. "
              "Empty: none.", unit="kg m2 or kg", minimum=0.0, fixed=True),
    Parameter("effort_limits", True, "Whether drives saturate at the effort limits.", fixed=True),
    Parameter(
        "velocity_limits",
        True,
        "Whether drives fade out at the velocity limits.",
        fixed=True,
    ),
    Parameter("joint_stops", True, "Whether position limits are end stops.", fixed=True),
    Parameter("stop.stiffness", 1e5, "Stiffness of the end stops.", unit="N m/rad or N/m",
              minimum=1.0, maximum=1e9, fixed=True),
    Parameter("stop.relaxation", 0.005, "Damping of the end stops over their stiffness.", unit="s",
              minimum=0.0, maximum=10.0, fixed=True),
    Parameter("stop.restitution", 0.0, "Share of the speed that an end stop returns.",
              minimum=0.0, maximum=0.9, fixed=True),
    Parameter(
        "start_mode",
        "hold",
        "What a joint does until its first command: hold (brake), gravity (float), free.",
        choices=STARTS,
        fixed=True,
    ),
    Parameter(
        "silence",
        "hold_last",
        "What joints do when commands stop coming: hold_last (as most drives), zero, gravity, "
        "brake.",
        choices=SILENCES,
        fixed=True,
    ),
    Parameter(
        "command_timeout",
        0.2,
        "Simulated time without a command after which it is silence. 0: never.",
        unit="s",
        minimum=0.0,
        fixed=True,
    ),
    Parameter("servo.bandwidth", 5.0, "Bandwidth of the position servo where no gains are given: "
              "kp = w^2 m, kd = 2 w m, with w = 2 pi bandwidth and m the joint's inertia.",
              unit="Hz", minimum=0.01, maximum=1000.0, fixed=True),
    Parameter("servo.kp", (), "Position gains, one for each of joints.", unit="N m/rad or N/m",
              minimum=0.0, fixed=True),
    Parameter("servo.kd", (), "Velocity gains, one for each of joints.",
              unit="N m s/rad or N s/m", minimum=0.0, fixed=True),
    Parameter("servo.gravity", True, "Whether the servo carries the arm's weight.", fixed=True),
    Parameter("effort_kind", EFFORT_KINDS[0], "What is reported as effort: motor (torque of the "
              "drives), joint (what reaches the link), gravity_free (the same less gravity).",
              choices=EFFORT_KINDS, fixed=True),
    Parameter("sensor.position_noise", 0.0, "Standard deviation.", unit="rad or m", minimum=0.0,
              fixed=True),
    Parameter("sensor.velocity_noise", 0.0, "Standard deviation.", unit="rad/s or m/s",
              minimum=0.0, fixed=True),
    Parameter("sensor.effort_noise", 0.0, "Standard deviation.", unit="N m or N", minimum=0.0,
              fixed=True),
    Parameter("sensor.position_resolution", 0.0, "Size of a count. 0: none.", unit="rad or m",
              minimum=0.0, fixed=True),
    Parameter("sensor.velocity_resolution", 0.0, "Size of a count. 0: none.",
              unit="rad/s or m/s", minimum=0.0, fixed=True),
    Parameter("sensor.effort_resolution", 0.0, "Size of a count. 0: none.", unit="N m or N",
              minimum=0.0, fixed=True),
    Parameter("sensor.delay", 0.0, "Age of a sample when it comes out.", unit="s", minimum=0.0,
              maximum=10.0, fixed=True),
    Parameter("sensor.dropout", 0.0, "Share of samples that are lost.", minimum=0.0, maximum=1.0,
              fixed=True),
    Parameter("seed", 0, "Seed of noise and lost samples.", minimum=0, fixed=True),
    Parameter("wrench_timeout", 0.1, "Simulated time after which a push ends that is not "
              "repeated. 0: never.", unit="s", minimum=0.0),
    Parameter("ground_truth_rate", 100.0, "Rate of ~/ground_truth topics in simulated time, sent "
              "while somebody listens.", unit="Hz", minimum=1.0, maximum=10000.0, fixed=True),
)  # fmt: skip

#: Parameters that take effect while the node runs, without a new simulator.
RUN_TIME = ("realtime_factor", "step_count", "lockstep", "lockstep_timeout", "wrench_timeout")


def check_sim_settings(values: Mapping[str, Any]) -> None:
    """Raise :class:`ParameterError` where the values contradict one another."""
    if bool(values["servo.kp"]) != bool(values["servo.kd"]):
        raise ParameterError("give servo.kp and servo.kd together, or neither")
    states = named_states(values)
    if values["reset_state"] not in states:
        raise ParameterError(
            f"reset_state is {values['reset_state']!r}; known are {', '.join(states)}"
        )
    joints = values["joints"]
    for name, state in states.items():
        if joints and state and len(state) != len(joints):
            raise ParameterError(
                f"state {name!r} has {len(state)} positions for {len(joints)} joints"
            )


def named_states(values: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """The states that ~/reset knows; an empty one is the neutral position."""
    states = {"initial": tuple(values["initial_positions"])}
    for text in values["named_states"]:
        name, _, numbers = text.partition(":")
        try:
            positions = tuple(float(x) for x in numbers.replace(",", " ").split())
        except ValueError:
            positions = ()
        if not positions or not np.isfinite(positions).all():
            raise ParameterError(f"named_states: {text!r} is not of the form 'name: q1, q2, ...'")
        states[name.strip()] = positions
    return states


def commanded_joints(robot: Robot, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The joints of Float64MultiArray messages, in their order."""
    for name in (*values["joints"], *values["locked_joints"]):
        if robot.model.joint(name).mimics is not None:
            raise ParameterError(f"joint {name!r} follows another one; it cannot be commanded")
    locked = set(values["locked_joints"])
    return tuple(values["joints"]) or tuple(j for j in robot.joint_names if j not in locked)


def state_of(robot: Robot, joints: Sequence[str], values: Mapping[str, Any], name: str) -> Any:
    """Position q of a named state, (nq,)."""
    q = robot.neutral()
    for joint, position in zip(values["locked_joints"], values["locked_positions"], strict=False):
        q[robot.model.joint(joint).q_index] = position
    state = named_states(values)[name]
    if state and len(state) != len(joints):
        raise ParameterError(f"state {name!r} has {len(state)} positions for {len(joints)} joints")
    for joint, position in zip(joints, state, strict=False):
        q[robot.model.joint(joint).q_index] = position
    return q


def build_simulator(
    robot: Robot, joints: Sequence[str], values: Mapping[str, Any], description: str
) -> Simulator:
    """The simulator that the parameters ask for."""
    dt = 1.0 / (values["rate"] * values["substeps"])
    per_joint = {
        name: _by_joint(robot, joints, name, values[name], default)
        for name, default in (
            ("damping", [j.damping for j in robot.model.joints]),
            ("friction", [j.friction for j in robot.model.joints]),
            ("armature", [0.0] * robot.nv),
        )
    }
    stops = EndStops(
        values["stop.stiffness"], values["stop.relaxation"], values["stop.restitution"]
    )
    physics = Physics(
        values["integrator"],
        per_joint["damping"],
        per_joint["friction"],
        per_joint["armature"],
        values["effort_limits"],
        values["velocity_limits"],
        stops if values["joint_stops"] else None,
    )
    kp, kd = servo_gains(robot, values["servo.bandwidth"])
    policy = CommandPolicy(
        values["start_mode"],
        values["silence"],
        values["command_timeout"],
        _by_joint(robot, joints, "servo.kp", values["servo.kp"], kp),
        _by_joint(robot, joints, "servo.kd", values["servo.kd"], kd),
        values["servo.gravity"],
    )
    sensors = SensorSettings(
        *(
            values[f"sensor.{name}"]
            for name in (
                "position_noise", "velocity_noise", "effort_noise", "position_resolution",
                "velocity_resolution", "effort_resolution", "delay", "dropout",
            )
        ),
        seed=values["seed"],
    )  # fmt: skip
    simulator = Simulator(
        scaled(robot, values["effort_limit_scale"]),
        dt,
        physics=physics,
        policy=policy,
        sensors=sensors,
        effort_kind=values["effort_kind"],
        substeps=values["substeps"],
        interface_joints=interface_joints(_text(description)),
    )
    simulator.commands.lock(values["locked_joints"])
    return simulator


def _text(description: str) -> str:
    """The URDF itself where the parameter is a path."""
    content, _ = read_source(description)
    return content.decode() if isinstance(content, bytes) else content


def scaled(robot: Robot, scale: float) -> Robot:
    """The robot with a part of its effort limits."""
    if scale == 1.0:
        return robot
    model = robot.model
    bodies = tuple(
        replace(
            b,
            joint=replace(
                b.joint, limits=replace(b.joint.limits, effort=scale * b.joint.limits.effort)
            ),
        )
        for b in model.bodies
    )
    return robot._variant(replace(model, bodies=bodies), robot._parametrisation)


def _by_joint(
    robot: Robot, joints: Sequence[str], name: str, given: Sequence[float], default: Any
) -> Any:
    row = np.array(default, dtype=np.float64)
    if given and len(given) != len(joints):
        raise ParameterError(
            f"parameter {name} has {len(given)} entries; expected one for each of "
            f"[{', '.join(joints)}]"
        )
    for joint, value in zip(joints, given, strict=False):
        row[robot.model.joint(joint).v_index] = value
    return row
