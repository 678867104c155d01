"""Problem 12.7: what one more token costs."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import attend, next_token
from regard.analysis import cost
from regard.analysis.cost.count import count_next_token
from regard.attention import Attention, Cache, Causal, Everything, Mask, Shape
from regard.claims.chart import Lines
from regard.claims.claim import REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.layers import MultiHead

HEADS, EXACT, TOKENS = 2, 1e-12, 12
LENGTHS = [{"N": N} for N in (6, 1, 33)]
SIZES = [{"N": N, "D": D} for N, D in ((6, 8), (33, 16), (500, 64), (2000, 64))]


@cache
def layer_work(N: int, D: int) -> int:
    """Multiply-adds of a layer that reads one token behind a cache of N, counted."""

    def prepared(layer: Any) -> tuple[Callable[[], Tensor], int]:
        kept = Cache(1, HEADS, D // HEADS, capacity=N + 1)
        layer(torch.empty(1, N, D), causal=True, cache=kept)
        return lambda: layer(torch.empty(1, 1, D), causal=True, cache=kept), kept.bytes

    return count_next_token(MultiHead(D, HEADS, device="meta"), N, 1, prepared, "cpu").cost.forward.flops // 2


def draw_work() -> Lines:
    """One more token against computing all again, and the bounds that they grow by."""
    D, lengths = 64, [16, 64, 256, 1024, 4096]
    layer, meta = MultiHead(D, HEADS, device="meta"), torch.device("meta")
    again = [cost(layer, torch.empty(1, N + 1, D, device=meta), causal=True, backward=False) for N in lengths]
    return Lines(
        title=f"Multiply-adds of one layer for one more token (D = {D}), counted",
        x=lengths,
        y={
            "by the cache": [layer_work(N, D) for N in lengths],
            "all tokens again": [found.forward.flops // 2 for found in again],
        },
        x_label="tokens so far N",
        y_label="multiply-adds",
        log_x=True,
        log_y=True,
        marks={"N = 2D: attention = projections": 2 * D},
    )


@claim(
    "udl.7",
    REFUTED,
    document={
        "logits": lambda N: (N + 1) ** 2,
        "outputs": lambda N: N + 1,
        "work": lambda N, D: 4 * (N + 1) * D * D + 2 * (N + 1) ** 2 * D,
    },
    twin={"logits": lambda N: N, "work": lambda N, D: 4 * D * D + 2 * N * D},
    chart=draw_work,
    view=View("patterns", "See what causal attention costs as texts grow", {"mask": "causal", "heads": 1}),
)
def one_more(
    logits: Count = lambda N: N + 1,
    outputs: Count = lambda N: 1,
    work: Count = lambda N, D: 4 * D * D + 2 * (N + 1) * D,
) -> Findings:
    """Append a token to random sequences, by the cache and by computing everything again.

    Stated is what token N + 1 brings with a causal mask: logits, outputs that change or are new, and the multiply-adds
    of one whole layer, projections included.
    """

    def sequence(N: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of N tokens; more tokens of the same seed begin with these."""
        generator = torch.Generator().manual_seed(seed)
        q, k, v = torch.randn(3, 1, HEADS, 64, 4, generator=generator, dtype=torch.float64)[..., :N, :]
        return q, k, v

    def changed(N: int, mask: Mask) -> int:
        """Outputs of N + 1 tokens that N tokens did not have."""
        before, after = (attend(*sequence(n, seed=0), Attention(mask=mask)) for n in (N, N + 1))
        same = (after[:, :, :N] - before).abs().amax((0, 1, 3)) <= EXACT
        return N + 1 - int(same.sum())

    def pairs(N: int) -> int:
        """Pairs of a query and a key that the plan of one more token counts, in one head."""
        shape = Shape(B=1, H=HEADS, G=HEADS, T=1, S=N + 1, D=4, E=4)
        return next_token(shape, causal).flops[0] // (2 * HEADS * (4 + 4))

    causal = Attention(mask=Causal())
    yield agrees("outputs that are new or change", outputs, lambda N: changed(N, Causal()), LENGTHS)
    yield agrees("logits for one more token", logits, pairs, LENGTHS)
    yield agrees("multiply-adds of the layer", work, layer_work, SIZES)
    q, k, v = sequence(TOKENS, seed=1)
    kept, rows = Cache(1, HEADS, 4, capacity=TOKENS, dtype=torch.float64), []
    for t in range(TOKENS):
        here = slice(t, t + 1)
        keys, values, placed = kept.append(k[:, :, here], v[:, :, here], causal)
        rows.append(attend(q[:, :, here], keys, values, placed))
    yield equals(f"{TOKENS} tokens one by one by the cache", attend(q, k, v, causal), torch.cat(rows, 2), EXACT)
    own = (rows[0] - v[:, :, :1]).abs().max().item()
    yield Finding(
        "the first token", own <= EXACT, f"the first token sees itself alone: its value comes out, to {own:.0e}"
    )
    free = changed(6, Everything())
    yield Finding("outputs that change without a mask", free == 7, f"without a mask {free} of 7 outputs change")
