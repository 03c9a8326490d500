"""Requests to a node whose thread belongs to its loop.

An executor that the loop would poll costs more than the loop itself. This one waits in a thread of
its own, asleep as long as nobody wants anything; what it finds, the loop's thread handles between
two cycles. So services, parameters and slow topics are served at once, and yet nothing changes in
the midst of a cycle.

While a request is handled nobody waits. That is the only time, until :meth:`Requests.close`, to
destroy publishers and the like: the middleware may crash if what it waits for goes away. What a
node wants by itself (to start, say) it makes a request as well, by ``create_task``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Semaphore, Thread
from typing import Any

from rclpy.context import Context
from rclpy.executors import ConditionReachedException, Executor, ShutdownException

__all__ = ["Requests"]

#: How long to wait after an error of the middleware, s, lest it be reported a thousand times.
ERROR_PERIOD = 0.5

#: How long the end of the wait may take at most, s: a matter of milliseconds but on a busy machine.
END_PERIOD = 5.0


class Requests(Executor):
    """An executor whose callbacks run where :meth:`serve` is called.

    Args:
        context: Its context; by default the process's own.
    """

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._task: Callable[[], Any] | Exception = RuntimeError("no request")
        # A lock, held while there is no request. A queue is no way to wait for one: its `get` waits
        # for ever if a signal comes at the very end of its time (CPython 3.10 to 3.12).
        self._ready = Lock()
        self._ready.acquire()
        self._handled = Semaphore(0)
        self._closing = False
        self._thread = Thread(target=self._wait, name="requests", daemon=True)

    def start(self) -> None:
        """Begin to wait for requests, once the nodes have been added."""
        self._thread.start()

    def serve(self, timeout: float) -> bool:
        """Handle the next request.

        Args:
            timeout: How long to wait for it, s.

        Returns:
            Whether there was one.

        Raises:
            Exception: What its callback raises, or ExternalShutdownException.
        """
        if not self._ready.acquire(timeout=timeout):
            return False
        task = self._task
        try:
            if isinstance(task, Exception):
                raise task
            task()
            task.result()  # type: ignore[attr-defined]
        finally:
            self._handled.release()
        return True

    def close(self) -> None:
        """Stop waiting, and return when nobody waits; requests that come later have no answer."""
        self._closing = True
        self._handled.release()
        self.wake()
        self._thread.join(timeout=END_PERIOD)
        self.shutdown(timeout_sec=0.5)

    def _is_closing(self) -> bool:
        return self._closing

    def _wait(self) -> None:
        while not self._closing:
            try:
                self._task, _, _ = self.wait_for_ready_callbacks(None, None, self._is_closing)
            except (ConditionReachedException, ShutdownException):
                return
            except Exception as error:  # the loop has to know
                time.sleep(ERROR_PERIOD)
                self._task = error
            # One at a time: the executor offers a task again until it has been run.
            self._ready.release()
            self._handled.acquire()
