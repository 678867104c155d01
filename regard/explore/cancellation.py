"""Work in threads, away from the event loop, that stops when nobody waits for it any more."""

import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


class Cancelled(Exception):  # noqa: N818 - named by what happened
    """Nobody waits for the response any more."""


def check_cancelled() -> None:
    """Raise `Cancelled` if nobody waits for what is being computed; long work calls it between its steps."""
    stop = _stop.get()
    if stop is not None and stop.is_set():
        raise Cancelled


async def run_cancellable(
    work: Callable[[], T], disconnected: Callable[[], Awaitable[None]], limiter: anyio.CapacityLimiter
) -> T:
    """The result of `work` in a thread; when `disconnected` returns, waiting work is dropped and running work told."""
    stop, results = threading.Event(), list[T]()

    async def watch() -> None:
        await disconnected()
        stop.set()
        tasks.cancel_scope.cancel()

    def run() -> None:
        _stop.set(stop)
        try:
            check_cancelled()
            results.append(work())
        except Cancelled:
            pass  # there is no result, which is raised below

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            # Not abandoned when cancelled: the limiter counts a thread until it has come to its next check.
            await anyio.to_thread.run_sync(run, limiter=limiter)
            tasks.cancel_scope.cancel()
    finally:
        stop.set()  # a server that is told to end does not wait for it
    if not results:
        raise Cancelled
    return results[0]
