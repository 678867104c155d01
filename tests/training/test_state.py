"""A training that is taken up again goes on bit for bit."""

from pathlib import Path

import pytest
import torch
from torch import nn

from regard.training import Checkpoints, Order, Position, restore, snapshot
from regard.training.state import weights_of


class Tied(nn.Module):
    """A model with dropout, a batch norm's counts, and one matrix under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.norm, self.dropout = nn.BatchNorm1d(8), nn.Dropout(0.3)
        self.head = nn.Linear(8, 12, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.norm(self.embedding(x))))


def made(kind: str) -> tuple[Tied, torch.optim.Optimizer]:
    model = Tied()
    if kind == "sgd":
        return model, torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    return model, torch.optim.AdamW(model.parameters(), 0.01, amsgrad=True)


def step(model: Tied, optimizer: torch.optim.Optimizer, batch: torch.Tensor) -> float:
    loss = nn.functional.cross_entropy(model(batch % 12), (batch + 1) % 12)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
def test_a_resumed_run_is_the_run_that_never_stopped(tmp_path: Path, kind: str):
    order, checkpoints = Order(count=50, size=7, seed=3), Checkpoints(tmp_path)
    torch.manual_seed(1)
    model, optimizer = made(kind)
    losses, stopped = [], Position()
    for number, (after, batch) in zip(range(20), order.take(), strict=False):
        losses.append(step(model, optimizer, batch))
        if number == 8:
            tensors, facts = snapshot(model, optimizer)
            checkpoints.save(number, tensors, facts | {"position": vars(after)})
    torch.manual_seed(2)
    again, optimizer = made(kind)
    saved = checkpoints.last()
    assert saved is not None
    restore(saved, again, optimizer)
    stopped = Position(**saved.facts["position"])
    resumed = [step(again, optimizer, batch) for _, (_, batch) in zip(range(11), order.take(stopped), strict=False)]
    assert resumed == losses[9:]
    for name, tensor in weights_of(model).items():
        assert tensor.equal(weights_of(again)[name]), name
    assert again.head.weight is again.embedding.weight


def test_another_model_is_refused(tmp_path: Path):
    model, optimizer = made("adamw")
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(0, *snapshot(model, optimizer))
    saved = checkpoints.last()
    assert saved is not None
    other = Tied()
    other.norm = nn.BatchNorm1d(9)
    with pytest.raises(ValueError, match=r"norm.weight must be \(9,\) torch.float32: got \(8,\) torch.float32 in"):
        restore(saved, other, optimizer)
    other.extra = nn.Linear(1, 1)
    with pytest.raises(ValueError, match=r"must hold this model: got 'extra.bias' in one of the two alone"):
        restore(saved, other, optimizer)


def test_every_index_comes_once_an_epoch_from_one_of_the_shards():
    shards = [Order(count=103, size=5, seed=9, shard=shard, shards=4) for shard in range(4)]
    epochs = [torch.cat([shard.epoch(number).flatten() for shard in shards]) for number in range(3)]
    for epoch in epochs:
        assert len(epoch) == len(epoch.unique()) == 100
    assert not epochs[0].equal(epochs[1])
    assert shards[0].epoch(1).equal(Order(count=103, size=5, seed=9, shards=4).epoch(1))
    assert not shards[0].epoch(0).equal(Order(count=103, size=5, seed=10, shards=4).epoch(0))
    taken = [batch for _, (_, batch) in zip(range(12), shards[2].take(), strict=False)]
    late = [batch for _, (_, batch) in zip(range(5), shards[2].take(Position(1, 2)), strict=False)]
    assert all(a.equal(b) for a, b in zip(taken[7:], late, strict=True))


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ({"count": 9, "size": 5, "shards": 2}, "must fit into the data: got 2 × 5 for 9; lower the batch size"),
        ({"count": 9, "size": 2, "shard": 2, "shards": 2}, "shard must be one of 0…1: got shard=2"),
        ({"count": 9, "size": 0}, "size must be"),
    ],
)
def test_orders_that_cannot_be(sizes: dict[str, int], says: str):
    with pytest.raises(ValueError, match=says):
        Order(seed=0, **sizes)
