"""URDF to :class:`Model`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping

from .description import build_model, read_description, read_elements, read_source
from .errors import ModelWarning
from .lint import find_doubts, refuse
from .model import Model


def load_urdf(
    source: str | os.PathLike[str],
    *,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    floating_base: bool = False,
    strict: bool = False,
    armature: float | Mapping[str, float] | None = None,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> Model:
    """Read a robot description.

    Args:
        source: Path of a URDF or xacro file, or URDF text (it starts with ``<``).
        gravity: Free-fall acceleration in the base frame, m/s2.
        floating_base: Let the root link move freely.
        strict: Make every physical doubt an error instead of a warning.
        armature: Rotor inertia seen at the joints, kg m2 or kg: one value for every joint with
            one degree of freedom, or values by joint name.
        xacro: Expand the file with xacro (a ``.xacro`` file always is). xacro runs code.
        xacro_args: Arguments for xacro.

    Returns:
        The tree of moving bodies; joints depth first from the root, siblings in the file's order.

    Warns:
        ModelWarning: For each thing that is tolerable but suspicious.

    Raises:
        DescriptionError: What is wrong, in which file, element and line, and what to do.
    """
    text, name = read_source(source, xacro=xacro, xacro_args=xacro_args)
    description = read_description(read_elements(text, name))
    doubts = find_doubts(description)
    if strict:
        refuse(doubts, description)
    for doubt in doubts:
        if doubt.severity == "warning":
            warnings.warn(str(doubt), ModelWarning, stacklevel=2)
    return build_model(
        description,
        floating_base=floating_base,
        gravity=gravity,
        armature=0.0 if armature is None else armature,
    )
