"""What small attention models cost, derived by hand: the truth that counters are held against.

Two FLOPs per multiply-add of a matrix product; products only. *Needed* attention is that of the visible (query, key)
pairs, T(T+1)/2 of them under a causal mask; *square* is that of all pairs. Backward needs two products per product of
the forward pass, less the gradients that nobody asks for; a recomputation is not needed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import nn

from benchmarks import counters_modules as m
from benchmarks.counters_modules import BUCKETS, IMAGE, PATCH, B, Built, C, D, F, G, H, L, N, P, S, T, V, on_numbers


@dataclass(frozen=True, kw_only=True)
class Truth:
    """FLOPs of the products that no mask touches, and of attention on visible and on all pairs.

    forward = products + attention, backward = 2·forward − unneeded

    >>> Truth(parameters=6, products=100, attention=10, square_attention=20, unneeded=30).backward
    190
    """

    parameters: int
    products: int
    attention: int = 0
    square_attention: int | None = None  # where it differs
    unneeded: int | None = 0  # of backward: gradients of inputs and of constants; None where nothing trains

    @property
    def forward(self) -> int:
        return self.products + self.attention

    @property
    def square(self) -> int:
        return self.products + (self.attention if self.square_attention is None else self.square_attention)

    @property
    def backward(self) -> int | None:
        return None if self.unneeded is None else 2 * self.forward - self.unneeded

    @property
    def square_backward(self) -> int | None:
        return None if self.unneeded is None else 2 * self.square - self.unneeded


@dataclass(frozen=True, kw_only=True)
class Model:
    """How a model is built, and its truth with the derivation in a line; one without a backward pass infers."""

    build: Callable[[], Built]
    truth: Truth
    why: str

    @property
    def trains(self) -> bool:
        return self.truth.unneeded is not None

    def make(self) -> Built:
        torch.manual_seed(0)
        module, inputs = self.build()
        return module.train(self.trains), inputs


def product(n: int, i: int, o: int) -> int:
    """FLOPs of an (n, i) by (i, o) product."""
    return 2 * n * i * o


def pairs(queries: int, keys: int) -> int:
    """FLOPs of logits and mixture in all heads: 2·D multiply-adds per pair and head, C = H·D."""
    return 4 * B * C * queries * keys


def triangle(n: int) -> int:
    """FLOPs of causal attention: n(n+1)/2 visible pairs."""
    return 4 * B * C * (n * (n + 1) // 2)


BARE = 4 * C * C  # projections of query, key, value and output
MHA = BARE + 4 * C
LAYER = MHA + (2 * C * F + F + C) + 4 * C  # and feed-forward and two norms
INPUTS = product(B * T, C, 3 * C)  # query, key and value from a sequence that needs no gradient
SELF = Truth(parameters=MHA, products=product(B * T, C, 4 * C), attention=pairs(T, T), unneeded=INPUTS)
PLAIN = replace(SELF, parameters=BARE)
CAUSAL = replace(PLAIN, attention=triangle(T), square_attention=pairs(T, T))
ENCODER = replace(SELF, parameters=LAYER, products=product(B * T, C, 4 * C + 2 * F))
FOUR = "four C×C projections of BT tokens; logits and mixture: 2·BT²C multiply-adds"
WHOLE = f"{FOUR}; feed-forward C→F→C"

BERT_TRUTH = Truth(
    parameters=V * C + P * C + 2 * C + 2 * C + L * LAYER,
    products=L * product(B * T, C, 4 * C + 2 * F),
    attention=L * pairs(T, T),
)

MODELS: dict[str, Model] = {
    "multi-head, training": Model(
        build=on_numbers(lambda: m.SelfAttention(need_weights=True)),
        truth=SELF,
        why=f"{FOUR}; biases; no gradient to x",
    ),
    "multi-head, no weights": Model(
        build=on_numbers(lambda: m.SelfAttention(need_weights=False)),
        truth=SELF,
        why="as with weights: the way of computing is the kernel's affair",
    ),
    "multi-head, fast path": Model(
        build=on_numbers(lambda: m.SelfAttention(need_weights=False)),
        truth=replace(SELF, unneeded=None),
        why="as in training, in one operation of torch; no backward pass",
    ),
    "sdpa, causal": Model(
        build=on_numbers(lambda: m.Projected(m.causal)),
        truth=CAUSAL,
        why="four C×C projections; T(T+1)/2 pairs for each of B·H maps, 2·D multiply-adds each",
    ),
    "sdpa, grouped heads": Model(
        build=on_numbers(lambda: m.Projected(m.grouped, G)),
        truth=Truth(
            parameters=2 * C * C + 2 * C * G * D,
            products=product(B * T, C, 2 * C + 2 * G * D),
            attention=pairs(T, T),
            unneeded=product(B * T, C, C + 2 * G * D),
        ),
        why="keys and values are G·D wide; every one of the H query heads still meets all keys",
    ),
    "cross-attention": Model(
        build=on_numbers(m.CrossAttention, T, S),
        truth=Truth(
            parameters=MHA,
            products=product(B * T, C, 2 * C) + product(B * S, C, 2 * C),
            attention=pairs(T, S),
            unneeded=product(B * T, C, C) + product(B * S, C, 2 * C),
        ),
        why="query and output of BT tokens, key and value of BS; T·S pairs",
    ),
    "encoder layer, training": Model(build=on_numbers(m.encoder_layer), truth=ENCODER, why=WHOLE),
    "encoder layer, fast path": Model(
        build=on_numbers(m.encoder_layer),
        truth=replace(ENCODER, unneeded=None),
        why="as in training, in one operation of torch; no backward pass",
    ),
    "encoder, checkpointed": Model(
        build=on_numbers(m.Checkpointed),
        truth=Truth(
            parameters=L * LAYER,
            products=L * product(B * T, C, 4 * C + 2 * F),
            attention=L * pairs(T, T),
            unneeded=INPUTS,
        ),
        why="L encoder layers; what is computed again is not needed; no gradient to the first layer's input",
    ),
    "BERT, sdpa": Model(build=m.bert("sdpa"), truth=BERT_TRUTH, why="embeddings are look-ups; L encoder layers"),
    "BERT, eager": Model(build=m.bert("eager"), truth=BERT_TRUTH, why="as with sdpa"),
    "GPT-2": Model(
        build=m.gpt2,
        truth=Truth(
            parameters=V * C + P * C + L * LAYER + 2 * C,
            products=L * product(B * T, C, 4 * C + 2 * F) + product(B * T, C, V),
            attention=L * triangle(T),
            square_attention=L * pairs(T, T),
        ),
        why="embedding tied to the head: V·C parameters once, one C×V product; F = 4C; causal",
    ),
    "Llama": Model(
        build=m.llama,
        truth=Truth(
            parameters=2 * V * C + L * (2 * C * C + 2 * C * G * D + 3 * C * F + 2 * C) + C,
            products=L * product(B * T, C, 2 * C + 2 * G * D + 3 * F) + product(B * T, C, V),
            attention=L * triangle(T),
            square_attention=L * pairs(T, T),
        ),
        why="grouped heads, three feed-forward products, an untied head, causal; rotations are elementwise",
    ),
    "T5": Model(
        build=m.t5,
        truth=Truth(
            parameters=V * C + 2 * BUCKETS * H + L * (BARE + 2 * C * F + 2 * C + 2 * BARE + 2 * C * F + 3 * C) + 2 * C,
            products=L * product(B * S, C, 4 * C + 2 * F)
            + L * (product(B * T, C, 6 * C + 2 * F) + product(B * S, C, 2 * C))
            + product(B * T, C, V),
            attention=L * (pairs(S, S) + triangle(T) + pairs(T, S)),
            square_attention=L * (pairs(S, S) + pairs(T, T) + pairs(T, S)),
        ),
        why="encoder of BS tokens; decoder: causal self-attention, cross-attention with keys of BS tokens; tied head",
    ),
    "ViT": Model(
        build=m.vit,
        truth=Truth(
            parameters=3 * PATCH**2 * C + C + C + N * C + L * LAYER + 2 * C,
            products=product(B * (N - 1), 3 * PATCH**2, C) + L * product(B * N, C, 4 * C + 2 * F),
            attention=L * pairs(N, N),
            unneeded=product(B * (N - 1), 3 * PATCH**2, C),
        ),
        why="patches are one 3·PATCH²×C product each, without a gradient to the image; N = patches + class token",
    ),
    "einsum, Linear": Model(build=on_numbers(lambda: m.Projected(m.by_einsum)), truth=PLAIN, why=FOUR),
    "einsum, parameters": Model(build=on_numbers(m.BareEinsum), truth=PLAIN, why=f"{FOUR}; weights are (C, H, D)"),
    "linear attention": Model(
        build=on_numbers(lambda: m.Projected(m.linear)),
        truth=Truth(
            parameters=BARE,
            products=product(B * T, C, 4 * C) + B * H * (product(D, T, D) + product(T, D, D) + product(T, D, 1)),
            unneeded=INPUTS,
        ),
        why="per head keysᵀ·values (D, T)·(T, D), queries times that, queries times the sum of keys",
    ),
    "FlexAttention, causal": Model(
        build=on_numbers(lambda: m.Projected(m.flex())),
        truth=replace(CAUSAL, unneeded=None),
        why="as sdpa causal; no backward pass on the CPU",
    ),
    "compiled": Model(
        build=m.compiled,
        truth=PLAIN,
        why=FOUR,
    ),
    "LSTM": Model(
        build=on_numbers(lambda: m.First(nn.LSTM(C, C, L, batch_first=True))),
        truth=Truth(
            parameters=L * (8 * C * C + 8 * C),
            products=L * product(B * T, 2 * C, 4 * C),
            unneeded=product(B * T, C, 4 * C) + L * product(B, C, 4 * C),
        ),
        why="four gates of input and state per token and layer; no gradient to x nor to the first states",
    ),
    "Conv2d": Model(
        build=m.convolutions,
        truth=Truth(
            parameters=32 * 3 * 9 + 32 + 64 * 8 * 9 + 64,
            products=product(B * (IMAGE - 2) ** 2, 3 * 9, 32) + 4 * product(B * 14**2, 8 * 9, 16),
            unneeded=product(B * (IMAGE - 2) ** 2, 3 * 9, 32),
        ),
        why="30² places of 3·9 taps into 32; stride 2: 14² places, 4 groups of 8·9 taps into 16; no gradient to x",
    ),
}
