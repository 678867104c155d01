"""Scores of all words against the one that came: nats, guess and gradient while the scores are read once.

A training step of GPT-2 with 32,768 tokens has 1.65·10⁹ scores, 3.3 GB in bfloat16: read and written once, 1.5 ms of an
H200's memory. What a program reads again lies in the cache by then, 100 kB for each row that is under way.
"""

# Triton states no types of launches.
# pyright: reportCallIssue=false, reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportGeneralTypeIssues=false, reportInvalidTypeForm=false

import torch
import triton
import triton.language as tl
from torch import Tensor

from regard.algorithms.kernels.launch import current

MULTIPLE = 64  # of which the width of a row of scores should be, for products and for loads
EIGHT = 8  # scores that a thread has at once: of bfloat16, as much as it loads in one instruction
WARPS = 32  # of a program, so many that few rows are under way: what is read again must still lie in the cache


def judge(
    scores: Tensor, targets: Tensor, words: int, smoothing: float, ignored: int, learns: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Of scores (n, P), of which the first `words` of a row are such: loss and nats of each target, and the guess.

    They are float32 or less, in rows of numbers side by side. With `learns` they become the gradients of the sum of
    losses. A target that is no word has a loss of NaN.
    """
    n = len(scores)
    each, nats = (torch.empty(n, dtype=torch.float32, device=scores.device) for _ in range(2))
    guesses = torch.empty(n, dtype=torch.int64, device=scores.device)
    warps = min(WARPS, triton.next_power_of_2(max(1, scores.shape[1] // (32 * EIGHT))))
    with current(scores.device):
        _judge[(n,)](
            scores, targets.contiguous(), each, nats, guesses,
            scores.stride(0), scores.shape[1], words, smoothing, ignored,
            learns, smoothing > 0, 32 * warps, EIGHT, num_warps=warps,
        )  # fmt: skip
    return each, nats, guesses


@triton.jit(do_not_specialize=["V", "ignored"])
def _judge(
    z, t, each, nats, guesses, z_row, P: tl.int32, V: tl.int32, smoothing: tl.float32, ignored: tl.int64,
    LEARNS: tl.constexpr, SMOOTHED: tl.constexpr, THREADS: tl.constexpr, EIGHT: tl.constexpr,
):  # fmt: skip
    """One row. A thread has a maximum and a sum of its own, which meet at the end."""
    row = tl.program_id(0).to(tl.int64)
    z += row * z_row
    target = tl.load(t + row)
    is_asked = target != ignored
    own = tl.load(z + target, (target >= 0) & (target < V), float("nan")).to(tl.float32)
    first = tl.arange(0, THREADS) * EIGHT
    k = first[:, None] + tl.arange(0, EIGHT)[None, :]
    top, total = tl.full((THREADS,), float("-inf"), tl.float32), tl.zeros((THREADS,), tl.float32)
    sums, at = tl.zeros((THREADS,), tl.float32), tl.zeros((THREADS,), tl.int32)
    for start in range(0, P, THREADS * EIGHT):
        # A thread loads eight at once if all or none of them are inside, as of P, a multiple of eight, Triton knows.
        x = tl.load(z + start + k, start + k < P, float("-inf")).to(tl.float32)
        x = tl.where(start + k < V, x, float("-inf"))
        here = tl.max(x, 1)
        at = tl.where(here > top, start + first, at)
        new = tl.maximum(top, here)
        pivot = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(top - pivot) + tl.sum(tl.exp(x - pivot[:, None]), 1)
        top = new
        if SMOOTHED:
            sums += tl.sum(tl.where(start + k < V, x, 0.0), 1)
    most = tl.max(top, 0)
    lse = most + tl.log(tl.sum(total * tl.exp(tl.where(top == float("-inf"), 0.0, top) - most), 0))
    some = tl.min(tl.where(top == most, at, P), 0) + tl.arange(0, EIGHT)  # among these is the likeliest
    best = tl.min(tl.where(tl.load(z + some, some < V, float("-inf")).to(tl.float32) == most, some, P), 0)
    loss = lse - own
    if SMOOTHED:
        loss = lse - (1 - smoothing) * own - smoothing * (tl.sum(sums, 0) / V)
    tl.store(each + row, tl.where(is_asked, loss, 0.0))
    tl.store(nats + row, tl.where(is_asked, lse - own, 0.0))
    tl.store(guesses + row, tl.where(is_asked, best.to(tl.int64), -1))
    if LEARNS:
        tl.debug_barrier()  # the guess is read before it is written over
        for start in range(0, P, THREADS * EIGHT):
            column = start + k
            x = tl.load(z + column, column < P, float("-inf")).to(tl.float32)
            gradient = tl.exp(x - lse) - tl.where(column == target, 1 - smoothing, 0.0)
            if SMOOTHED:
                gradient -= smoothing / V
            gradient = tl.where(is_asked & (column < V), gradient, 0.0)
            tl.store(z + column, gradient.to(z.dtype.element_ty), column < P)
