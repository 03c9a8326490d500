"""What the simulated robot hears: commands, and pushes."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from dynamics_core import DynamicsError
from dynamics_core.simulation import Simulator

from .base import DynamicsNode
from .polling import wait_for_message
from .qos import LATEST, QUEUE
from .wire import array_reader, joint_state_reader

__all__ = ["SimInput"]


class SimInput:
    """The topics that a simulated robot follows.

    Args:
        node: The node that hears them.
        simulator: What is commanded and pushed.
        joints: The joints of effort_commands, in its order.
        record: Called with topic, type and message of all that comes.
    """

    def __init__(
        self,
        node: DynamicsNode,
        simulator: Simulator,
        joints: Sequence[str],
        record: Callable[[str, Any, Any], None],
    ) -> None:
        self._node, self._simulator, self._joints = node, simulator, tuple(joints)
        self._record = record
        self._efforts = node.poll(Float64MultiArray, "effort_commands", LATEST, raw=True)
        self._targets = node.poll(JointState, "joint_commands", LATEST, raw=True)
        self._wrenches = node.poll(WrenchStamped, "external_wrench", QUEUE)
        self._read_efforts, self._read_targets = array_reader().read, joint_state_reader().read
        #: Whether a command has come since this was last set to False.
        self.fresh = False
        #: How many messages could not be used.
        self.rejected = 0
        self._refusals: dict[str, set[str]] = {}

    def hear(self, thoroughly: bool) -> None:
        """Take in what has come; ``thoroughly`` even where nobody seemed to publish just now."""
        for source, kind, take in (
            (self._efforts, Float64MultiArray, self._offer_efforts),
            (self._targets, JointState, self._offer_targets),
            (self._wrenches, WrenchStamped, self._offer_wrench),
        ):
            if source.quiet and not thoroughly:
                continue
            for message in source.take_all():
                self._offer(source.topic, take, message)
                self._record(source.topic, kind, message)
        self._say_silence()

    def wait(self, timeout: float) -> bool:
        """Sleep until a command comes, at most so long, s; return whether one has come."""
        sources = self._efforts.subscription, self._targets.subscription
        return wait_for_message(self._node, timeout, *sources)

    def _say_silence(self) -> None:
        node, commands = self._node, self._simulator.commands
        if commands.silent and node.settings["silence"] != "hold_last":
            node.warn(
                "silence",
                f"no command for more than {node.settings['command_timeout']} s of simulated time; "
                f"silence policy in force: {node.settings['silence']}",
            )
        elif commands.ever:
            node.recovered("silence", "commands come again")

    def _offer(self, topic: str, take: Callable[[Any], None], message: Any) -> None:
        try:
            take(message)
        except (DynamicsError, ValueError, struct.error) as error:
            self.rejected += 1
            # A kind of mistake each, so that a second one is not kept quiet by the first.
            key = f"{topic} {type(error).__name__}"
            self._refusals.setdefault(topic, set()).add(key)
            self._node.warn(key, f"{topic}: message ignored: {error}")
            return
        for key in self._refusals.pop(topic, ()):
            self._node.recovered(key, f"{topic}: messages can be used again")

    def _offer_efforts(self, message: bytes) -> None:
        _, _, (efforts,) = self._read_efforts(message)
        if len(efforts) != len(self._joints):
            raise DynamicsError(
                f"{len(efforts)} values for {len(self._joints)} joints; expected one for each "
                f"of [{', '.join(self._joints)}]"
            )
        commands, now = self._simulator.commands, self._simulator.time
        if (
            commands.offer_effort(efforts, now)
            if self._joints == commands.names
            else commands.offer(self._joints, effort=efforts, now=now)
        ):
            self.fresh = True

    def _offer_targets(self, message: bytes) -> None:
        named, _, (position, velocity, effort) = self._read_targets(message)
        commands, now = self._simulator.commands, self._simulator.time
        if commands.offer(named.name, position, velocity, effort, now=now):
            self.fresh = True

    def _offer_wrench(self, message: WrenchStamped) -> None:
        f, t = message.wrench.force, message.wrench.torque
        timeout = self._node.settings["wrench_timeout"]
        self._simulator.push(
            message.header.frame_id.lstrip("/"),
            (f.x, f.y, f.z, t.x, t.y, t.z),
            timeout if timeout > 0.0 else math.inf,
        )

    def destroy(self) -> None:
        """End all subscriptions."""
        for source in (self._efforts, self._targets, self._wrenches):
            source.destroy()
