"""Keeping the demonstration away from other robots, and other robots from the demonstration."""

from __future__ import annotations

import os
import random
import time

__all__ = ["DOMAINS", "free_domain", "isolate"]

#: Ports of ROS domains up to 101 stay clear of those that Linux gives to clients.
DOMAINS = range(1, 102)

#: How long nodes on the same machine may take to find one another, s.
DISCOVERY_TIME = 0.7


def isolate(domain: int) -> None:
    """Keep this process and those it starts to a ROS domain of their own, on this machine."""
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.pop("ROS_LOCALHOST_ONLY", None)  # the older way, which would warn


def free_domain() -> int:
    """A ROS domain in which no node of this machine is found.

    Not that of $ROS_DOMAIN_ID, where a real robot may listen to the same topics.
    """
    own = os.environ.get("ROS_DOMAIN_ID", "0")
    candidates = [d for d in DOMAINS if str(d) != own]
    random.SystemRandom().shuffle(candidates)
    for domain in candidates[:10]:
        isolate(domain)
        if not _others(domain):
            return domain
    return candidates[0]


def _others(domain: int) -> list[str]:
    """The nodes found in a domain."""
    import rclpy
    from rclpy.node import Node

    context = rclpy.Context()
    context.init(domain_id=domain)
    try:
        node = Node("demo_lookout", context=context)
        time.sleep(DISCOVERY_TIME)
        names = node.get_node_names()
        node.destroy_node()
    finally:
        context.try_shutdown()
    return [name for name in names if name != "demo_lookout"]
