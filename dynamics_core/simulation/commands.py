"""What a robot is told, joint by joint, and what it does when it is told nothing.

A command may be a torque, or a target for the servo inside the robot. A value that is not a finite
number is no command: the joint keeps the one it has. A joint that has never had one is held by its
brake (or floats, or is free, as the policy says), and after a silence the policy decides again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, UnknownNameError
from ..robot import Robot
from .physics import Array

__all__ = ["INTERFACES", "SILENCES", "STARTS", "CommandPolicy", "Commands", "Drive"]

#: What to do with a joint until its first command.
STARTS = ("hold", "gravity", "free")
#: What to do once commands have stopped coming.
SILENCES = ("hold_last", "zero", "gravity", "brake")
#: The fields of a command.
INTERFACES = ("position", "velocity", "effort")
#: Impedance of a brake, N m s/rad: so large that nothing turns the joint within a step.
BRAKE = 1e9

_BRAKED, _EFFORT, _VELOCITY, _POSITION, _GRAVITY, _FREE = range(6)
_AT_START = {"hold": _BRAKED, "gravity": _GRAVITY, "free": _FREE}


@dataclass(frozen=True)
class CommandPolicy:
    """How commands become torques.

    Attributes:
        start: One of :data:`STARTS`, for each joint until its first command.
        silence: One of :data:`SILENCES`, once no command has come for ``timeout``.
        timeout: s; 0 for none, a command is then kept for ever.
        kp: Gain of the position servo, N m/rad, a number or one for each joint.
        kd: Gain of the velocity servo, N m s/rad, a number or one for each joint.
        servo_gravity: Whether the servo carries the arm's weight by itself.
    """

    start: str = "hold"
    silence: str = "hold_last"
    timeout: float = 0.0
    kp: npt.ArrayLike = 100.0
    kd: npt.ArrayLike = 20.0
    servo_gravity: bool = True

    def __post_init__(self) -> None:
        for name, known in (("start", STARTS), ("silence", SILENCES)):
            if getattr(self, name) not in known:
                raise ArgumentError(
                    f"CommandPolicy: {name} is {getattr(self, name)!r}; expected one of "
                    + ", ".join(map(repr, known))
                )
        if not self.timeout >= 0.0:
            raise ArgumentError(f"CommandPolicy: timeout is {self.timeout} s; expected 0 or more")


@dataclass(frozen=True)
class Drive:
    """What the drives are asked for during a step.

    Attributes:
        tau: Torque, (n,), N m or N.
        impedance: How it falls with speed, (n,), N m s/rad or N s/m.
        braked: Joints that stand still, (n,).
        any_braked: Whether there are any.
    """

    tau: Array
    impedance: Array
    braked: npt.NDArray[np.bool_]
    any_braked: bool


class Commands:
    """The latest command of every joint.

    Args:
        names: The joints, in the order of every array here.
        policy: What to do with commands and without them.
        continuous: Joints whose position error is wrapped to half a turn.
        ignored: Names that a message may hold without being a mistake (mimic joints).
        interface_joints: Which joints the entries of an array stand for when it is shorter than
            the list of names: interface to joint names, as the ros2_control tag has them.
    """

    def __init__(
        self,
        names: Sequence[str],
        policy: CommandPolicy = CommandPolicy(),
        *,
        continuous: Sequence[str] = (),
        ignored: Sequence[str] = (),
        interface_joints: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.names, self.policy = tuple(names), policy
        n = len(self.names)
        self._index = {name: k for k, name in enumerate(self.names)}
        self._ignored = frozenset(ignored)
        self._interface_joints = {k: tuple(v) for k, v in (interface_joints or {}).items()}
        self._wrapped = np.array([name in set(continuous) for name in self.names], dtype=bool)
        self._kp, self._kd = (
            np.broadcast_to(np.asarray(g, float), (n,)) for g in (policy.kp, policy.kd)
        )
        self._none, self._nowhere = np.zeros(n), np.zeros(n, dtype=bool)
        self._locked = np.zeros(n, dtype=bool)
        self.reset()

    def lock(self, names: Sequence[str]) -> None:
        """Put brakes on joints for good: they take no commands."""
        for name in names:
            self._locked[self._index[name]] = True
        self._mode[self._locked] = _BRAKED

    def reset(self) -> None:
        """Forget every command."""
        n = len(self.names)
        self._mode = np.where(self._locked, _BRAKED, _AT_START[self.policy.start])
        self._told = np.zeros(n, dtype=bool)
        self._last = -np.inf
        self._silent = False
        self._all_efforts = False
        self._position, self._velocity, self._effort = (np.zeros(n) for _ in range(3))

    @property
    def ever(self) -> bool:
        """Whether any command has come."""
        return self._last > -np.inf

    @property
    def last_time(self) -> float:
        """When the latest command came, s; minus infinity for never."""
        return self._last

    @property
    def silent(self) -> bool:
        """Whether the silence policy is in force."""
        return self._silent

    def offer_effort(self, values: npt.ArrayLike, now: float) -> bool:
        """Take torques of all joints in order; say whether any was finite.

        Raises:
            ArgumentError: The wrong number of values; nothing is changed.
        """
        given = np.asarray(values, dtype=np.float64)
        if given.shape != (len(self.names),):
            raise ArgumentError(
                f"command has {given.size} values for {len(self.names)} joints; expected one for "
                f"each of [{', '.join(self.names)}]"
            )
        if self._all_efforts and np.isfinite(given).all():
            self._effort[:] = given
            self._last = now
            return True
        return self._take({"effort": given}, now)

    def offer(
        self,
        names: Sequence[str],
        position: Sequence[float] = (),
        velocity: Sequence[float] = (),
        effort: Sequence[float] = (),
        *,
        now: float,
    ) -> bool:
        """Take a command by joint names, as in sensor_msgs/JointState.

        An array may be empty. One that is shorter than ``names`` is understood only if the
        ``interface_joints`` say which joints its entries stand for.

        Returns:
            Whether any value was finite.

        Raises:
            ArgumentError: An array of another length, or a name twice; nothing is changed.
            UnknownNameError: A joint that the robot does not have; nothing is changed.
        """
        if len(set(names)) != len(names):
            twice = sorted({n for n in names if list(names).count(n) > 1})
            raise ArgumentError(f"command names joints twice: {', '.join(twice)}")
        for name in names:
            if name not in self._index and name not in self._ignored:
                raise UnknownNameError("joint", name, self._index, "command")
        fields = {}
        for field, values in zip(INTERFACES, (position, velocity, effort), strict=True):
            if len(values):
                fields[field] = self._scattered(field, names, values)
        return self._take(fields, now)

    def drive(
        self,
        q: Array,
        v: Array,
        now: float,
        dt: float,
        gravity_torque: Callable[[], Array],
    ) -> Drive:
        """Torques for the next step.

        Args:
            q: Positions of the joints, (n,).
            v: Velocities, (n,).
            now: s.
            dt: Length of the step, s.
            gravity_torque: Gives the torque that carries the robot's weight, (n,).
        """
        p = self.policy
        self._silent = bool(p.timeout and self.ever and now - self._last > p.timeout + 1e-9)
        mode = self._mode
        if self._all_efforts and (not self._silent or p.silence == "hold_last"):
            return Drive(self._effort.copy(), self._none, self._nowhere, False)
        if self._silent and p.silence != "hold_last":
            instead = {"zero": _FREE, "gravity": _GRAVITY, "brake": _BRAKED}[p.silence]
            mode = np.where(self._told, instead, mode)
        servo = (mode == _POSITION) | (mode == _VELOCITY)
        tau = np.where(servo | (mode == _EFFORT), self._effort, 0.0)
        impedance = np.where(servo, self._kd, 0.0)
        if servo.any():
            error = np.where(mode == _POSITION, self._position - q - dt * v, 0.0)
            error = np.where(self._wrapped, np.remainder(error + np.pi, 2 * np.pi) - np.pi, error)
            kp = np.where(mode == _POSITION, self._kp, 0.0)
            tau = tau + np.where(servo, kp * error + self._kd * (self._velocity - v), 0.0)
            impedance = impedance + dt * kp
        carried = (mode == _GRAVITY) | (servo & p.servo_gravity)
        if carried.any():
            tau = tau + np.where(carried, gravity_torque(), 0.0)
        braked = mode == _BRAKED
        impedance = np.where(braked, BRAKE, impedance)
        return Drive(tau, impedance, braked, bool(braked.any()))

    def _scattered(self, field: str, names: Sequence[str], values: Sequence[float]) -> Array:
        """Values by joint, NaN where there is none."""
        listed: Sequence[str] = names
        if len(values) != len(names):
            tagged = self._interface_joints.get(field, ())
            listed = [n for n in names if n in tagged]
            if len(values) != len(listed):
                raise ArgumentError(
                    f"command has {len(values)} values of {field} for {len(names)} names; expected "
                    f"none, or one for each name"
                    + (f", or one for each of [{', '.join(listed)}]" if listed else "")
                )
        row = np.full(len(self.names), np.nan)
        for name, value in zip(listed, values, strict=True):
            if name in self._index:
                row[self._index[name]] = value
        return row

    def _take(self, fields: Mapping[str, Array], now: float) -> bool:
        finite = {field: np.isfinite(row) for field, row in fields.items()}
        told = np.zeros(len(self.names), dtype=bool)
        for mask in finite.values():
            told |= mask
        told &= ~self._locked
        if not told.any():
            return False
        nothing = np.zeros(len(self.names), dtype=bool)
        by_position = finite.get("position", nothing)
        by_velocity = finite.get("velocity", nothing)
        targets = (self._position, self._velocity, self._effort)
        for field, target in zip(INTERFACES, targets, strict=True):
            mask = finite.get(field, nothing) & told
            target[told] = 0.0
            target[mask] = fields[field][mask] if field in fields else 0.0
        mode = np.where(by_position, _POSITION, np.where(by_velocity, _VELOCITY, _EFFORT))
        self._mode = np.where(told, mode, self._mode)
        self._told |= told
        self._all_efforts = bool((self._mode == _EFFORT).all())
        self._last = now
        return True


def servo_gains(robot: Robot, bandwidth: float) -> tuple[Array, Array]:
    """Gains of a critically damped position servo for each joint.

    ``kp = w^2 m`` and ``kd = 2 w m`` with ``w = 2 pi bandwidth`` and m the inertia that the joint
    moves at the neutral position, the others held.

    Args:
        robot: The robot.
        bandwidth: Hz.

    Returns:
        kp and kd, (n,) each, for the joints of one coordinate.
    """
    model = robot.model
    inertia = np.diag(robot.mass_matrix(robot.neutral()))
    m = inertia[[j.v_index for j in model.joints if j.type.nv == 1]]
    w = 2.0 * np.pi * bandwidth
    return w * w * m, 2.0 * w * m


def interface_joints(description: str) -> dict[str, list[str]]:
    """Which joints have which command interface, from the ros2_control tags of a URDF.

    Args:
        description: URDF text.
    """
    found: dict[str, list[str]] = {}
    for joint in ElementTree.fromstring(description).iterfind("ros2_control/joint"):
        for interface in joint.iterfind("command_interface"):
            found.setdefault(interface.get("name", ""), []).append(joint.get("name", ""))
    return found
