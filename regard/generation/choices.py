"""The next token of each row from its scores."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.generation.settings import Settings


def choose(
    scores: Float[Tensor, "B V"],
    settings: Settings,
    seen: Bool[Tensor, "B V"] | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, " B"]:
    """One token for each row; `seen` marks those that were read or written before.

    >>> choose(torch.tensor([[0.1, 2.0, 1.9]]), Settings())
    tensor([1])
    >>> choose(torch.tensor([[0.1, 2.0, 1.9]]), Settings(repetition_penalty=2), torch.tensor([[False, True, False]]))
    tensor([2])
    """
    scores = penalised(scores.float(), settings.repetition_penalty, seen)
    if not settings.draws:
        return scores.argmax(1)
    return torch.multinomial(probabilities(scores, settings), 1, generator=generator)[:, 0]


def penalised(
    scores: Float[Tensor, "B V"], penalty: float | int, seen: Bool[Tensor, "B V"] | None
) -> Float[Tensor, "B V"]:
    if penalty == 1 or seen is None:
        return scores
    return torch.where(seen, torch.where(scores > 0, scores / penalty, scores * penalty), scores)


def probabilities(scores: Float[Tensor, "B V"], settings: Settings) -> Float[Tensor, "B V"]:
    """Those by which tokens are drawn.

    >>> probabilities(torch.tensor([[0.0, 0.0, 1.0]]), Settings(temperature=1, top_k=1))
    tensor([[0., 0., 1.]])
    """
    scores = (scores - scores.amax(1, keepdim=True)) / settings.temperature  # which no temperature makes infinite
    if settings.top_k is not None and settings.top_k < scores.shape[1]:
        scores = scores.masked_fill(scores < scores.topk(settings.top_k).values[:, -1:], -torch.inf)
    if settings.top_p is not None and settings.top_p < 1:
        rising, order = scores.sort(1)
        left_out = rising.softmax(1).cumsum(1) <= 1 - settings.top_p
        left_out[:, -1] = False  # the likeliest stays, whatever the sums were rounded to
        scores = scores.masked_fill(left_out.scatter(1, order, left_out), -torch.inf)
    shares = scores.softmax(1)
    if settings.min_p is not None:
        shares = scores.masked_fill(shares < settings.min_p * shares.amax(1, keepdim=True), -torch.inf).softmax(1)
    return shares


def mark(seen: Bool[Tensor, "B V"], tokens: Int[Tensor, "B n"]) -> Bool[Tensor, "B V"]:
    """What was seen, and these tokens."""
    return seen.scatter(1, tokens, True)
