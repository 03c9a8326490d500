"""The errors and warnings of the library.

All errors derive from :class:`DynamicsError`, so that one ``except`` catches what this library
refuses; most also derive from the built-in error that a Python user would expect.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DynamicsError(Exception):
    """Base of every error of this library."""


class DescriptionError(DynamicsError, ValueError):
    """A robot description that cannot be used: file, element and line are in the message."""


class ArgumentError(DynamicsError, ValueError):
    """An argument of the wrong shape, type or value: what was expected and what came."""


class UnknownNameError(DynamicsError, KeyError):
    """A joint or frame that the robot does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str], robot: str) -> None:
        near = difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.4)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        self.message = f"robot {robot!r} has no {kind} {name!r}{hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class SingularMassError(DynamicsError, ArithmeticError):
    """The mass matrix is singular, so that forward dynamics has no answer; names the joint."""


class SingularityError(DynamicsError, ArithmeticError):
    """A frame that cannot move in some direction, where the answer needs that it can."""


class ModelWarning(UserWarning):
    """Something in a model that is tolerable but suspicious; names the link or joint."""
