"""Where the package's own robots and configuration are, installed or in a checkout."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

__all__ = ["PACKAGE", "ROBOTS", "config_files", "describe", "description_file", "share"]

PACKAGE = "urdf_dynamics"

#: The robots that the package ships.
ROBOTS = ("panda", "planar_2r", "pendulum")


def share() -> Path:
    """The folder that holds ``urdf``, ``config`` and ``launch``.

    Raises:
        FileNotFoundError: The package's data is not installed.
    """
    candidates = [Path(__file__).resolve().parent.parent, *_installed()]
    for folder in candidates:
        if (folder / "urdf" / "panda.urdf.xacro").is_file():
            return folder
    places = ", ".join(str(c) for c in candidates)
    raise FileNotFoundError(f"the data of package {PACKAGE} is in none of {places}; install it")


def _installed() -> list[Path]:
    """Where colcon and pip install the data."""
    pip = Path(sys.prefix) / "share" / PACKAGE
    try:
        from ament_index_python.packages import get_package_share_directory

        return [Path(get_package_share_directory(PACKAGE)), pip]
    except (ImportError, LookupError, OSError):  # no ament; not this package; no workspace sourced
        return [pip]


def description_file(robot: str) -> Path:
    """The URDF or xacro file of a robot.

    Args:
        robot: Name of a shipped robot, or the path of a file.

    Raises:
        FileNotFoundError: Neither.
    """
    if robot in ROBOTS:
        return share() / "urdf" / f"{robot}.urdf.xacro"
    path = Path(robot).expanduser()
    if not path.is_file():
        raise FileNotFoundError(
            f"robot {robot!r} is neither a shipped robot ({', '.join(ROBOTS)}) nor a file"
        )
    return path


def describe(robot: str, arguments: str = "") -> str:
    """The URDF of a robot as text, xacro expanded.

    Args:
        robot: Name of a shipped robot, or the path of a URDF or xacro file.
        arguments: Arguments for xacro, as on its command line: ``prefix:=left_ xyz:="0 0 1"``.

    Raises:
        FileNotFoundError: No such robot.
        ValueError: The arguments are not of the form ``name:=value``, or xacro refuses the file.
    """
    path = description_file(robot)
    mappings = {}
    for item in shlex.split(arguments):
        name, separator, value = item.partition(":=")
        if not separator or not name:
            raise ValueError(f"xacro argument {item!r} is not of the form name:=value")
        mappings[name] = value
    import xacro

    try:
        return str(xacro.process_file(str(path), mappings=mappings).toprettyxml(indent="  "))
    except Exception as error:
        # xacro raises exceptions of many kinds, some of which do not name the file.
        raise ValueError(f"xacro cannot expand {path}: {error}") from error


def config_files(executable: str, robot: str) -> list[Path]:
    """Parameter files of a node, later ones going first: the node's, then the robot's if any."""
    files = [share() / "config" / f"{executable}.yaml"]
    if robot in ROBOTS:
        files.append(share() / "config" / f"{robot}.yaml")
    return files
