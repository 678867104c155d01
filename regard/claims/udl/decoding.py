"""Problem 12.7: what one more token costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import attend, next_token
from regard.analysis import cost
from regard.analysis.cost.count import count_next_token
from regard.attention import Attention, Cache, Causal, Mask, Shape
from regard.attention.masks.mask import Everything
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.layers import MultiHead

HEADS, EXACT = 2, 1e-12
LENGTHS = [{"N": N} for N in (6, 1, 33)]
SIZES = [{"N": N, "D": D} for N, D in ((6, 8), (33, 16), (500, 64), (2000, 64))]


@dataclass(frozen=True)
class OneMore:
    """What token N + 1 brings with a causal mask: logits, outputs that change or are new, multiply-adds."""

    logits: Callable[[int], int]
    outputs: Callable[[int], int]
    work: Callable[[int, int], int]  # of N and D: one whole layer, projections included


def one_more(stated: OneMore) -> Sequence[Finding]:
    """Append a token to random sequences, by the cache and by computing everything again."""
    return [
        agrees("outputs that are new or change", stated.outputs, lambda N: changed(N, Causal()), LENGTHS),
        agrees("logits for one more token", stated.logits, pairs, LENGTHS),
        agrees("multiply-adds of the layer", stated.work, layer_work, SIZES),
        cached(),
        unmasked(),
    ]


def sequence(N: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of N tokens; more tokens of the same seed begin with these."""
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, 1, HEADS, 64, 4, generator=generator, dtype=torch.float64)[..., :N, :]
    return q, k, v


def changed(N: int, mask: Mask) -> int:
    """Outputs of N + 1 tokens that N tokens did not have."""
    value = Attention(mask=mask)
    before, after = (attend(*sequence(n, seed=0), value) for n in (N, N + 1))
    same = (after[:, :, :N] - before).abs().amax((0, 1, 3)) <= EXACT
    return N + 1 - int(same.sum())


def pairs(N: int) -> int:
    """Pairs of a query and a key that the plan of one more token counts, in one head."""
    shape = Shape(B=1, H=HEADS, G=HEADS, T=1, S=N + 1, D=4, E=4)
    return next_token(shape, Attention(mask=Causal())).flops[0] // (2 * HEADS * (4 + 4))


@cache
def layer_work(N: int, D: int) -> int:
    """Multiply-adds of a layer that reads one token behind a cache of N, counted."""

    def prepared(layer: Any) -> tuple[Callable[[], Tensor], int]:
        kept = Cache(1, HEADS, D // HEADS, capacity=N + 1)
        layer(torch.empty(1, N, D), causal=True, cache=kept)
        return lambda: layer(torch.empty(1, 1, D), causal=True, cache=kept), kept.bytes

    return count_next_token(MultiHead(D, HEADS, device="meta"), N, 1, prepared, "cpu").cost.forward.flops // 2


def again_work(N: int, D: int) -> int:
    """Multiply-adds of the same layer that reads all N + 1 tokens."""
    layer, x = MultiHead(D, HEADS, device="meta"), torch.empty(1, N + 1, D, device="meta")
    return cost(layer, x, causal=True, backward=False).forward.flops // 2


def cached() -> Finding:
    """Tokens one by one through a cache against all of them at once."""
    q, k, v = sequence(12, seed=1)
    value, kept, rows = Attention(mask=Causal()), Cache(1, HEADS, 4, capacity=12, dtype=torch.float64), []
    for t in range(12):
        here = slice(t, t + 1)
        keys, values, placed = kept.append(k[:, :, here], v[:, :, here], value)
        rows.append(attend(q[:, :, here], keys, values, placed))
    return equals("12 tokens one by one by the cache", attend(q, k, v, value), torch.cat(rows, 2), EXACT)


def unmasked() -> Finding:
    """Where the document would be right: without a mask every query sees the new key."""
    found = changed(6, Everything())
    return Finding("outputs that change without a mask", found == 7, f"without a mask {found} of 7 outputs change")


def chart() -> Lines:
    """One more token against computing all again, and the bounds that they grow by."""
    D, lengths = 64, [16, 64, 256, 1024, 4096]
    return Lines(
        title=f"Multiply-adds of one layer for one more token (D = {D}), counted",
        x=lengths,
        y={
            "by the cache": [layer_work(N, D) for N in lengths],
            "all tokens again": [again_work(N, D) for N in lengths],
        },
        x_label="tokens so far N",
        y_label="multiply-adds",
        log_x=True,
        log_y=True,
        marks={"N = 2D: attention = projections": 2 * D},
    )


CLAIMS = (
    Claim(
        id="udl.7",
        title="One more token",
        texts=Texts(
            asks="Masked self-attention has been computed for N tokens. What must be computed for token N + 1?",
            derivation="With the causal mask token $t$ sees keys $1, \\ldots, t$. The new key lies behind all old "
            "queries, so their weights and outputs stay as they are. New are one query, one key and one value, "
            "$N + 1$ logits of that query, *one* row of the softmax and one output: the map gains a row, and above it "
            "only entries that are masked.\n\n"
            "With keys and values kept, one layer takes $4D^2$ multiply-adds for the four projections of one token and "
            "$2(N+1)D$ for its logits and its mixture: $O(ND + D^2)$. All again would be $O(N^2D + ND^2)$.\n\n"
            "Without a mask the document's picture holds: every old query sees the new key, and all outputs change.",
            quantities={"N": "tokens so far", "D": "width of a token"},
            method="float64, tolerance 1e-12; counts are exact, the layer's at four sizes",
            code=(
                "regard.attention.cache.cache:Cache",
                "regard.algorithms.next_token:next_token",
                "regard.analysis.cost.count:count_next_token",
            ),
        ),
        document=Version(
            "the new key against all queries: (N + 1)² logits, and all outputs again",
            r"(N+1)^2",
            OneMore(
                logits=lambda N: (N + 1) ** 2,
                outputs=lambda N: N + 1,
                work=lambda N, D: 4 * (N + 1) * D * D + 2 * (N + 1) ** 2 * D,
            ),
        ),
        ours=Version(
            "the new query against N + 1 keys, one output; 4D² + 2(N + 1)D multiply-adds",
            r"4D^2 + 2(N+1)D",
            OneMore(
                logits=lambda N: N + 1,
                outputs=lambda N: 1,
                work=lambda N, D: 4 * D * D + 2 * (N + 1) * D,
            ),
        ),
        twin=Version(
            "the new query against N keys, itself left out; 4D² + 2ND multiply-adds",
            r"4D^2 + 2ND",
            OneMore(logits=lambda N: N, outputs=lambda N: 1, work=lambda N, D: 4 * D * D + 2 * N * D),
        ),
        check=one_more,
        expected=Verdict.REFUTED,
        chart=chart,
    ),
)
