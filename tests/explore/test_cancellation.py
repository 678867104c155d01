"""Work in threads that ends when nobody waits for it."""

import threading
from functools import partial

import anyio
import pytest

from regard.explore.cancellation import Cancelled, check_cancelled, run_cancellable


async def never() -> None:
    await anyio.sleep_forever()


async def when(event: threading.Event) -> None:
    while not event.is_set():
        await anyio.sleep(0.002)


def run(work):
    """The result of a coroutine function in a thread: the browser's loop may run in this one."""
    found = []

    def inside() -> None:
        try:
            found.append(anyio.run(work))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join(20)
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def test_without_an_asker_check_does_nothing():
    check_cancelled()


def test_the_result_comes_back():
    async def main():
        return await run_cancellable(lambda: 6 * 7, never, anyio.CapacityLimiter(1))

    assert run(main) == 42


def test_a_mistake_comes_back():
    async def main():
        await run_cancellable(lambda: 1 // 0, never, anyio.CapacityLimiter(1))

    with pytest.raises(ExceptionGroup) as raised:
        run(main)
    assert raised.group_contains(ZeroDivisionError)


def test_work_that_runs_is_told():
    began, steps = threading.Event(), []

    def work():
        began.set()
        for step in range(10_000):
            check_cancelled()
            steps.append(step)
            threading.Event().wait(0.002)

    async def main():
        limiter = anyio.CapacityLimiter(1)
        with pytest.raises(Cancelled):
            await run_cancellable(work, partial(when, began), limiter)
        return limiter.borrowed_tokens

    assert run(main) == 0
    assert len(steps) < 1_000


def test_work_that_waits_is_dropped():
    release, gone, ran = threading.Event(), threading.Event(), []

    async def main():
        limiter = anyio.CapacityLimiter(1)

        async def first():
            ran.append(await run_cancellable(lambda: release.wait(10) and "first", never, limiter))

        async def second():
            with pytest.raises(Cancelled):
                await run_cancellable(lambda: ran.append("second"), partial(when, gone), limiter)
            release.set()  # the second is over while the first still runs

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first)
            while not limiter.borrowed_tokens:
                await anyio.sleep(0.002)
            tasks.start_soon(second)
            while not limiter.statistics().tasks_waiting:
                await anyio.sleep(0.002)
            gone.set()

    run(main)
    assert ran == ["first"]


def test_each_work_hears_of_its_own_asker_alone():
    gone, steps = threading.Event(), []

    def until_told():
        gone.set()
        while True:
            check_cancelled()

    def on():
        for step in range(20):
            check_cancelled()
            steps.append(step)
            threading.Event().wait(0.002)
        return "done"

    async def main():
        limiter, found = anyio.CapacityLimiter(2), []

        async def stays():
            found.append(await run_cancellable(on, never, limiter))

        async def leaves():
            with pytest.raises(Cancelled):
                await run_cancellable(until_told, partial(when, gone), limiter)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stays)
            tasks.start_soon(leaves)
        return found

    assert run(main) == ["done"]
    assert len(steps) == 20
