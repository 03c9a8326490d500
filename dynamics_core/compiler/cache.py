"""Object code on disk, so that a robot is compiled once and for all.

Code that is loaded is run: a file is used only if it is ours alone (owned by this user, writable by
nobody else, no link), lies in a folder of which the same holds, and carries the key it is asked
for and a checksum that fits. Anything else counts as absent. Files appear under their name
complete or not at all. A folder that cannot be written costs a compilation at each start, nothing
more.

The folder is ``$URDF_DYNAMICS_CACHE``, else ``urdf_dynamics`` in ``$XDG_CACHE_HOME`` or
``~/.cache``. An empty ``$URDF_DYNAMICS_CACHE`` turns the cache off.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import tempfile
from pathlib import Path

_LOG = logging.getLogger(__name__)
_MAGIC = b"urdf_dynamics object code 1\n"
_DIGEST = 32
#: Files kept; beyond that the oldest are removed.
_MOST_FILES = 2000


def digest(*parts: str | bytes) -> str:
    """A key: hexadecimal digest of texts."""
    h = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()


def folder() -> Path | None:
    """Where files are kept; None if nowhere."""
    chosen = os.environ.get("URDF_DYNAMICS_CACHE")
    if chosen == "" or not hasattr(os, "geteuid"):
        return None
    if chosen is not None:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base or Path.home() / ".cache") / "urdf_dynamics"
    except RuntimeError:  # no home directory
        return None


def load(key: str) -> bytes | None:
    """The code stored under a key, if it can be trusted."""
    where = folder()
    if where is None:
        return None
    try:
        if not _ours(os.lstat(where), stat.S_ISDIR):
            return None
        file = os.open(where / f"{key}.o", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(file, "rb") as f:
            if not _ours(os.fstat(file), stat.S_ISREG):
                return None
            data = f.read()
    except OSError:
        return None
    header = _MAGIC + key.encode()
    code = data[len(header) + _DIGEST :]
    if data[: len(header) + _DIGEST] != header + _checksum(code):
        _LOG.warning("ignoring %s: not a complete file of this cache", where / f"{key}.o")
        return None
    return code


def store(key: str, code: bytes) -> None:
    """Keep code under a key, if there is a place for it."""
    where = folder()
    if where is None:
        return
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _ours(os.lstat(where), stat.S_ISDIR):
            _LOG.warning("not caching compiled code: others could write to %s", where)
            return
        file, name = tempfile.mkstemp(dir=where, prefix=".new-")
        try:
            with open(file, "wb") as f:
                f.write(_MAGIC + key.encode() + _checksum(code) + code)
            os.replace(name, where / f"{key}.o")
        except BaseException:
            os.unlink(name)
            raise
        _prune(where)
    except OSError as error:
        _LOG.info("not caching compiled code: %s", error)


def _ours(status: os.stat_result, kind: object) -> bool:
    return (
        kind(status.st_mode)  # type: ignore[operator]
        and status.st_uid == os.geteuid()
        and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _checksum(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST).digest()


def _prune(where: Path) -> None:
    files = list(where.glob("*.o"))
    if len(files) > _MOST_FILES:
        with contextlib.suppress(OSError):
            for old in sorted(files, key=lambda f: f.stat().st_mtime)[: _MOST_FILES // 4]:
                old.unlink(missing_ok=True)
