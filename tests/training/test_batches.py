"""Batches are the same ones, whoever makes them, and from wherever they are taken up."""

import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.tasks import reversal
from regard.training import Order, Position
from regard.training.batches import make_batches, move
from regard.training.task import take_rows
from tests.training.learner import Digits, alive, until

ORDER = Order(count=20, size=4, seed=3)  # five batches in an epoch
META = torch.device("meta")


@dataclass(frozen=True)
class Pair:
    images: Tensor
    name: str


def taken(workers: int, start: Position, count: int, order: Order = ORDER) -> list[Any]:
    return list(islice(make_batches(Digits(), order, start, workers), count))


def same(a: Any, b: Any) -> bool:
    return (
        a.after == b.after
        and a.examples.equal(b.examples)
        and all(x.equal(y) for x, y in zip(a.content, b.content, strict=True))
    )


@pytest.mark.parametrize("start", [Position(), Position(epoch=1, batch=3)], ids=str)
def test_workers_make_the_same_batches_in_the_same_order(start: Position):
    alone, helped = taken(0, start, 7), taken(2, start, 7)
    assert all(map(same, alone, helped))
    assert [one.examples.tolist() for one in alone[:2]] == ORDER.epoch(start.epoch)[start.batch :][:2].tolist()
    assert not any(same(one, other) for one, other in zip(alone, alone[1:], strict=False))
    other = taken(2, start, 1, Order(count=20, size=4, seed=4))[0]
    assert not other.content[0].equal(alone[0].content[0]), "another seed gives other ones"


def test_a_batch_is_a_function_of_its_place():
    """Two from the middle on are the two that come there: noise included, workers or not."""
    whole = taken(0, Position(), 8)
    for workers in (0, 1):
        assert all(map(same, whole[6:], taken(workers, whole[5].after, 2)))
    again = taken(0, Position(epoch=7), 1)[0]
    assert sorted(whole[0].examples.tolist()) != sorted(again.examples.tolist())


@pytest.mark.parametrize("workers", [0, 2])
def test_random_numbers_of_others_are_theirs(workers: int):
    before = torch.get_rng_state()
    taken(workers, Position(), 2)
    assert torch.get_rng_state().equal(before)


def test_everything_that_is_a_tensor_moves():
    content = {"pair": Pair(torch.ones(2), "a"), "rest": (torch.ones(3, dtype=torch.uint8), [torch.ones(1), None], 5)}
    there = move(content, META)
    assert there["pair"].images.is_meta
    assert there["pair"].name == "a"
    first, (second, none), number = there["rest"]
    assert (first.is_meta, first.dtype, second.is_meta, none, number) == (True, torch.uint8, True, None, 5)
    assert isinstance(there["rest"], tuple)
    assert isinstance(there["rest"][1], list)
    assert not content["pair"].images.is_meta, "and what was given stays"
    assert move(content, torch.device("cpu")) is content


# Kills itself as soon as its first worker is there, before that has looked for its parent.
DIES = """
import os, signal
from regard.training import Order, Position
from regard.training.batches import make_batches
from tests.training.learner import Digits, alive, until
batches = make_batches(Digits(), Order(count=20, size=4, seed=3), Position(), 2)
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGKILL))
next(batches)
"""


def test_no_worker_outlives_a_parent_that_dies_at_once():
    with subprocess.Popen([sys.executable, "-c", DIES], start_new_session=True) as process:
        assert process.wait() == -signal.SIGKILL
    assert until(lambda: not alive(process.pid), 10)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_workers_outlive_a_signal_that_reaches_all_processes(number: int):
    """A training that is ended by it needs batches until the end of its step."""
    batches = make_batches(Digits(), ORDER, Position(), 2)
    for _ in range(2):
        next(batches)  # one of each worker
    workers = multiprocessing.active_children()
    for worker in workers:
        os.kill(worker.pid or 0, number)
    for _ in range(8):  # more than are made ahead
        next(batches)
    batches.close()
    assert until(lambda: not any(worker.is_alive() for worker in workers), 10)


def test_workers_begin_when_a_batch_is_asked_for():
    batches = make_batches(Digits(), ORDER, Position(), 2)
    assert not multiprocessing.active_children()
    next(batches)
    assert len(multiprocessing.active_children()) == 2
    del batches
    assert until(lambda: not multiprocessing.active_children(), 10)


def test_every_index_comes_once_an_epoch():
    order = Order(count=103, size=5, seed=9)
    epochs = [order.epoch(number).flatten() for number in range(3)]
    for epoch in epochs:
        assert len(epoch) == len(epoch.unique()) == 100
    assert not epochs[0].equal(epochs[1])
    assert order.epoch(1).equal(Order(count=103, size=5, seed=9).epoch(1))
    assert not order.epoch(0).equal(Order(count=103, size=5, seed=10).epoch(0))
    taken = [batch for _, (_, batch) in zip(range(47), order.take(), strict=False)]
    late = [batch for _, (_, batch) in zip(range(25), order.take(Position(1, 2)), strict=False)]
    assert all(a.equal(b) for a, b in zip(taken[22:], late, strict=True))


def test_the_rows_of_all_processes_are_the_batch():
    """What is drawn for a batch is drawn once, however many share it; loader processes or not."""
    whole = next(make_batches(Digits(), ORDER, Position(2, 1), 0))
    for workers in (0, 1):
        parts = [next(make_batches(Digits(), ORDER, Position(2, 1), workers, part=(one, 3))) for one in range(3)]
        assert sum(part.share.rows for part in parts if part.share is not None) == ORDER.size
        assert all(part.examples.equal(whole.examples) and part.after == whole.after for part in parts)
        for number, content in enumerate(whole.content):
            assert torch.cat([part.content[number] for part in parts]).equal(content)


def test_rows_of_anything():
    batch = reversal.batch_of(["abc", "d", "ab", "cc"])
    part = take_rows({"batch": batch, "scale": torch.tensor(2.0)}, slice(1, 3), 4)
    assert part["batch"].source.tolist() == [[3, 0, 0], [0, 1, 0]]
    assert part["batch"].lengths == (1, 2)
    assert part["scale"] == 2
    with pytest.raises(
        ValueError, match=r"must have a row for each of its 4 examples .* got 3; write the task's `part`"
    ):
        take_rows((torch.zeros(4), torch.zeros(3)), slice(0, 2), 4)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ({"count": 9, "size": 10}, "must fit into the data: got 10 for 9; lower the batch size"),
        ({"count": 9, "size": 0}, "size must be"),
    ],
)
def test_orders_that_cannot_be(sizes: dict[str, int], says: str):
    with pytest.raises(ValueError, match=says):
        Order(seed=0, **sizes)
