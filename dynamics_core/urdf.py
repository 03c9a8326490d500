"""URDF to :class:`Model`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .description import build_model, read_description, read_elements, read_source
from .model import Model


def load_urdf(
    source: str | os.PathLike[str],
    *,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    floating_base: bool = False,
    strict: bool = False,
    armature: float | Mapping[str, float] = 0.0,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> Model:
    """Read a robot description.

    Args:
        source: Path of a URDF or xacro file, or URDF text (it starts with ``<``).
        gravity: Free-fall acceleration in the base frame, m/s2.
        floating_base: Let the root link move freely.
        strict: Make every physical doubt an error instead of a warning.
        armature: Rotor inertia seen at the joints, kg m2 or kg: one value, or by joint name.
        xacro: Expand the file with xacro (a ``.xacro`` file always is). xacro runs code.
        xacro_args: Arguments for xacro.

    Raises:
        DescriptionError: What is wrong, in which file, element and line, and what to do.
    """
    text, name = read_source(source, xacro=xacro, xacro_args=xacro_args)
    description = read_description(read_elements(text, name))
    return build_model(
        description, floating_base=floating_base, gravity=gravity, armature=armature
    )
