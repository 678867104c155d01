"""What a claim can afford: numbers from a seed, and small trainings by a loop of a dozen lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

from regard.claims.experiments import Result

Model = TypeVar("Model", bound=nn.Module)
Batch = TypeVar("Batch")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Random numbers from this seed inside, such as those that a model begins with; outside nothing has changed.

    >>> with seeded(0):
    ...     a = nn.Linear(2, 2)
    >>> with seeded(0):
    ...     b = nn.Linear(2, 2)
    >>> torch.equal(a.weight, b.weight)
    True
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # the CPU's alone: that of a GPU would not be put back
        yield


def drawn(*shape: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Draw standard normal numbers from a generator of their own."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def sizes(found: Result, prefix: str) -> list[int]:
    """What a run was repeated over: the whole numbers at the end of the names that begin so, rising.

    >>> sizes(Result({"ViT on 50": 0.5, "ViT on 1437": 0.8, "loss": 0.1}, "run a"), "ViT on ")
    [50, 1437]
    """
    ends = sorted(int(name.removeprefix(prefix)) for name in found.numbers if name.startswith(prefix))
    if len(ends) < 2:
        raise ValueError(
            f"{found.source} must have recorded '{prefix}…' at two sizes or more: got {ends}; train it again"
        )
    return ends


def fit(
    model: Model,
    batches: Iterator[Batch],
    loss: Callable[[Model, Batch], Tensor],
    steps: int,
    rate: float,
) -> list[float]:
    """Train by Adam on the next `steps` batches, gradients clipped to the norm 1; the loss of each step.

    The model is left in evaluation mode. Its dropout has a seed of its own, 0.

    >>> with seeded(0):
    ...     model = nn.Linear(3, 1)
    >>> data = torch.eye(3), torch.tensor([[1.0], [2.0], [3.0]])
    >>> losses = fit(model, iter(lambda: data, None), lambda m, d: (m(d[0]) - d[1]).square().mean(), 200, 0.1)
    >>> losses[-1] < 1e-4 < losses[0]
    True
    """
    optimizer = torch.optim.Adam(model.parameters(), rate)
    losses = []
    with seeded(0):
        model.train()
        for _ in range(steps):
            value = loss(model, next(batches))
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(value.item())
    model.eval()
    return losses
