"""Where a description comes from: a file, text, or a xacro file expanded on request."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import DescriptionError
from .elements import MAX_BYTES


def read_source(
    source: str | os.PathLike[str],
    *,
    xacro: bool = False,
    xacro_args: Mapping[str, str] | None = None,
) -> tuple[bytes | str, str]:
    """The description's text, and a name for messages.

    Args:
        source: A path, or text that starts with ``<``.
        xacro: Expand the file with xacro first. xacro evaluates Python expressions and opens the
            files that it is told to include: only ask for it with files that you trust.
        xacro_args: Arguments of the xacro file; they imply ``xacro``.
    """
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        if xacro or xacro_args is not None:
            raise DescriptionError("xacro expands files only; save the text to a file first")
        return source, "<text>"
    if not isinstance(source, (str, os.PathLike)):
        raise DescriptionError(
            f"the description is a {type(source).__name__}; expected a path or URDF text"
        )
    if isinstance(source, str) and not source.strip("\ufeff \t\r\n"):
        raise DescriptionError("<text>: the description is empty; expected a <robot> element")
    try:
        path = Path(source)
        if not path.exists():
            raise DescriptionError(f"{path}: no such file; give the path of a URDF, or its text")
        if not path.is_file():
            raise DescriptionError(f"{path}: not a regular file; give the path of a URDF")
        if path.suffix == ".xacro" or xacro or xacro_args is not None:
            return _expand(path, dict(xacro_args or {})), str(path)
        if path.stat().st_size > MAX_BYTES:
            raise DescriptionError(f"{path}: more than {MAX_BYTES} bytes are refused")
        return path.read_bytes(), str(path)
    except (OSError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(f"{source!s}: cannot be read: {error}") from None


def _expand(path: Path, arguments: dict[str, str]) -> str:
    try:
        import xacro
    except ImportError:
        raise DescriptionError(
            f"{path}: expanding a xacro file needs the package xacro; install it, or expand the "
            "file beforehand"
        ) from None
    try:
        text: str = xacro.process_file(str(path), mappings=arguments).toxml()
    except Exception as error:  # xacro lets through whatever the file's expressions raise
        raise DescriptionError(f"{path}: xacro cannot expand this file: {error}") from error
    return text
