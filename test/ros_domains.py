"""ROS domains that no other test, and nothing else on this machine, uses."""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["reserved_domain"]

#: The ports of higher domains are among those that Linux gives to clients.
HIGHEST = 101

#: A file for each domain; whoever holds its lock has the domain. A lock ends with its process.
LOCKS = Path(tempfile.gettempdir()) / f"urdf_dynamics_ros_domains_{os.getuid()}"

#: How many participants of a domain are looked for.
PARTICIPANTS = 8

# One after the other: the nodes of the test before may still be on their way out.
_CANDIDATES = itertools.cycle(random.SystemRandom().sample(range(1, HIGHEST + 1), HIGHEST))


@contextmanager
def reserved_domain() -> Iterator[int]:
    """A ROS domain for as long as the context lasts."""
    LOCKS.mkdir(exist_ok=True)
    for domain in itertools.islice(_CANDIDATES, HIGHEST):
        with (LOCKS / str(domain)).open("w") as file:
            if _locked(file) and not _inhabited(domain):
                yield domain
                return
    raise RuntimeError(f"all ROS domains from 1 to {HIGHEST} are in use")


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _inhabited(domain: int) -> bool:
    """Whether a DDS participant of the domain listens on this machine.

    The ports are those of the DDS interoperability protocol (DDSI-RTPS 2.3, section 9.6.1.1):
    7400 + 250 domain + 10 + 2 participant.
    """
    for participant in range(PARTICIPANTS):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", 7410 + 250 * domain + 2 * participant))
            except OSError:
                return True
    return False
