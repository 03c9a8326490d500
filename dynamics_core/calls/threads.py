"""Sharing the rows of a batch among threads. Compiled code runs without Python's lock."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from ..compiler.batch import LANES

#: Work (operations times rows) below which another thread does not pay.
_WORTH_A_THREAD = 20_000_000
#: Work for which one thread may keep Python's lock: some milliseconds.
_WITHOUT_A_PAUSE = 100_000_000

_pool: ThreadPoolExecutor | None = None
_limit: int | None = None
#: Work from which on compiled code leaves a batch to :func:`share`, where it can see it.
_work_at_once = ctypes.c_int64(0)


def _forget_pool() -> None:
    global _pool
    _pool = None  # threads do not survive a fork


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def set_threads(count: int | None) -> None:
    """Let batches use so many threads; None for all CPUs that this process may run on."""
    global _limit, _pool
    if count is not None and count < 1:
        raise ValueError(f"set_threads: count is {count}; expected 1 or more, or None")
    _limit, _pool = count, None
    _work_at_once.value = 2 * _WORTH_A_THREAD if get_threads() > 1 else _WITHOUT_A_PAUSE


def work_at_once() -> int:
    """Address of the work from which on a batch takes the way through :func:`share`."""
    return ctypes.addressof(_work_at_once)


def get_threads() -> int:
    """How many threads batches may use."""
    if _limit is not None:
        return _limit
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(run: Callable[[int, int], int], rows: int, work_per_row: int) -> int:
    """Call ``run(first, last)`` over all rows, in several threads where it pays.

    Returns:
        The smallest of the results that is not negative, or -1.
    """
    parts = min(rows * work_per_row // _WORTH_A_THREAD, rows // LANES)
    if parts > 1:  # to count the CPUs takes longer than a small batch
        parts = min(parts, get_threads())
    if parts <= 1:
        return run(0, rows)
    global _pool
    pool = _pool
    if pool is None:
        pool = _pool = ThreadPoolExecutor(get_threads(), thread_name_prefix="urdf_dynamics")
    blocks = -(-rows // LANES)
    bounds = [LANES * (blocks * k // parts) for k in range(parts)] + [rows]
    jobs = [pool.submit(run, a, b) for a, b in pairwise(bounds[1:])]
    results = [run(bounds[0], bounds[1]), *(job.result() for job in jobs)]
    return min((r for r in results if r >= 0), default=-1)


set_threads(None)
