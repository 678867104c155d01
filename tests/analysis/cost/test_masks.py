"""What a mask leaves is what is needed, however it is written: fused, eager in many ways, FlexAttention."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import B, Call, D, H, S, T, floats, mixed, triangle

E = 16  # width of values
Q, K, V = (floats(B, H, n, width, grad=True) for n, width in ((T, D), (S, D), (S, D)))
SHOWN = torch.tensor([[(3 * i + j) % 4 != 0 for j in range(S)] for i in range(T)])  # (T, S), irregular
VISIBLE = int(SHOWN.sum())
assert 0 < VISIBLE < T * S


def check(function: Callable[..., Any], pairs: int, *inputs: Tensor, E: int = D, **options: Any):
    """Forward 2·pairs·(D + E), backward twice that."""
    c = cost(Call(function), *inputs, **options)
    needed = mixed(pairs, D, E)
    assert (c.forward.flops, c.backward.flops) == (needed, 2 * needed)
    assert c.unknown == {}
    assert [note for note in c.notes if not note.startswith("no CUDA here")] == []
    return c


def test_causal_with_as_many_more_or_fewer_keys_than_queries():
    for keys in (T, S, T + 4):  # the first query sees the first key
        k = floats(B, H, keys, D, grad=True)
        check(lambda q, k, v: sdpa(q, k, v, is_causal=True), B * H * triangle(T, keys), Q, k, k)
    assert triangle(T, S) == 15 + 2 * 5


@pytest.mark.parametrize("device", [None, "h200"])
def test_sdpa_with_a_mask(device: str | None):
    float_mask = torch.zeros(T, S).masked_fill(~SHOWN, -torch.inf)
    for mask in (SHOWN, float_mask):
        check(lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), B * H * VISIBLE, Q, K, V, mask, device=device)
    by_row = torch.stack([SHOWN, torch.ones(T, S).bool()])[:, None]
    check(lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), H * (VISIBLE + T * S), Q, K, V, by_row, device=device)
    # A bias of finite numbers hides nothing.
    check(lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), B * H * T * S, Q, K, V, torch.randn(T, S), device=device)


def test_a_mask_of_unknown_contents_is_noted():
    mask = torch.empty(T, S, dtype=torch.bool, device="meta")
    c = cost(Call(lambda q, k, v, m: sdpa(q, k, v, attn_mask=m)), Q, K, V, mask)
    assert c.forward.flops == mixed(B * H * T * S)
    assert len(c.notes) == 1
    assert "contents are not known, all pairs count as visible" in c.notes[0]


@pytest.mark.parametrize("device", [None, "h200"])
def test_dropout_widths_and_grouped_heads(device: str | None):
    everything = B * H * T * S
    check(lambda q, k, v: sdpa(q, k, v, dropout_p=0.1), everything, Q, K, V, device=device)
    v = floats(B, H, S, E, grad=True)
    check(lambda q, k, v: sdpa(q, k, v), everything, Q, K, v, E=E, device=device)
    k = floats(B, 2, S, D, grad=True)  # two heads of keys and values
    check(lambda q, k, v: sdpa(q, k, v, enable_gqa=True), everything, Q, k, k, device=device)
    causal = B * H * triangle(T, S)
    check(lambda q, k, v: sdpa(q, k, v, is_causal=True, enable_gqa=True), causal, Q, k, k, device=device)
    check(lambda q, k, v: sdpa(q, k, v, is_causal=True, dropout_p=0.1), causal, Q, K, V, device=device)


def test_the_unfused_backend_needs_the_same_and_executes_the_square():
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return sdpa(q, k, v, is_causal=True)

    c = check(attend, B * H * triangle(T, S), Q, K, V)
    square = mixed(B * H * T * S)
    assert (c.forward.executed, c.backward.executed) == (square, 2 * square)


def test_fused_kernels_execute_whole_blocks_and_the_logits_again():
    n = 64  # the CPU's kernel takes 32 queries, then 32 more against 64 keys
    q = floats(B, H, n, D, grad=True)
    c = check(lambda q, k, v: sdpa(q, k, v, is_causal=True), B * H * n * (n + 1) // 2, q, q, q)
    blocks = B * H * (32 * 32 + 32 * 64)
    assert c.forward.executed == mixed(blocks)
    assert c.backward.executed == 2 * mixed(blocks) + 2 * blocks * D


@pytest.mark.parametrize("asking", ["q", "k", "v", "qk", "kv", ""])
def test_gradients_that_nobody_asks_for(asking: str):
    """For q dP and dQ, for k dP and dK, for v dV alone; fused or not."""
    q, k, v = (floats(B, H, n, D, grad=name in asking) for name, n in (("q", T), ("k", S), ("v", S)))
    scores = 1 if "q" in asking or "k" in asking else 0
    products = scores + ("q" in asking) + ("k" in asking) + ("v" in asking)
    for function in (sdpa, lambda q, k, v: (q @ k.mT).softmax(-1) @ v):
        assert cost(Call(function), q, k, v).backward.flops == products * 2 * B * H * T * S * D


MASKED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "added −∞": lambda x, m: x + torch.zeros(T, S).masked_fill(~m, -torch.inf),
    "added −∞ by where": lambda x, m: x + torch.where(m, 0.0, -torch.inf),
    "masked_fill": lambda x, m: x.masked_fill(~m, -torch.inf),
    "masked_fill in place": lambda x, m: x.mul_(1.0).masked_fill_(~m, -torch.inf),
    "where": lambda x, m: torch.where(m, x, -torch.inf),
    "where of a tensor": lambda x, m: torch.where(m, x, torch.tensor(torch.finfo(x.dtype).min)),
    "where the other way round": lambda x, m: torch.where(~m, torch.full((), -torch.inf), x),
    "the smallest number": lambda x, m: x + (1.0 - m.float()) * torch.finfo(x.dtype).min,
    "minus a billion": lambda x, m: x.masked_fill(m.logical_not(), -1e9),
    "subtracted": lambda x, m: x - (1.0 - m.to(x.dtype)) * 1e10,
    "scaled after": lambda x, m: x.masked_fill(~m, -torch.inf) / D**0.5,
    "a row of keys": lambda x, m: x + torch.zeros(S).masked_fill(~m[0], -torch.inf),
}


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("product", ["matmul", "einsum"])
def test_eager_attention_masked_in_any_way(name: str, product: str):
    def attend(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        if product == "matmul":
            return MASKED[name](q @ k.mT, m).softmax(-1) @ v
        weights = MASKED[name](torch.einsum("bhtd,bhsd->bhts", q, k), m).softmax(-1)
        return torch.einsum("bhts,bhse->bhte", nn.functional.dropout(weights, 0.1), v)

    pairs = T * int(SHOWN[0].sum()) if name == "a row of keys" else VISIBLE
    c = check(attend, B * H * pairs, Q, K, V, SHOWN)
    square = mixed(B * H * T * S)
    assert (c.forward.executed, c.backward.executed) == (square, 2 * square)


def test_eager_attention_masked_inside_of_its_product():
    def attend(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        bias = torch.zeros(T, S).masked_fill(~m, -torch.inf)
        logits = torch.baddbmm(bias.expand(B * H, T, S), q.flatten(0, 1), k.flatten(0, 1).mT, alpha=D**-0.5)
        return torch.bmm(logits.softmax(-1), v.flatten(0, 1))

    check(attend, B * H * VISIBLE, Q, K, V, SHOWN)


def test_a_causal_mask_that_a_module_keeps():
    """Made when the module is, from sizes alone, as a buffer or a plain tensor; tril or triu; float softmax."""

    class Causal(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.ones(16, 16).tril()[None, None])
            self.hidden = torch.full((16, 16), -torch.inf).triu(1)

        def forward(self, x: Tensor) -> Tensor:
            n = x.shape[-2]
            logits = (x @ x.mT).masked_fill(self.seen[:, :, :n, :n] == 0, -torch.inf)
            y = logits.softmax(-1) @ x
            return torch.softmax(y @ y.mT + self.hidden[:n, :n], -1, dtype=torch.float32).type_as(y) @ y

    c = cost(Causal(), Q)
    needed = 2 * mixed(B * H * triangle(T))
    assert (c.forward.flops, c.backward.flops) == (needed, 2 * needed)


def test_two_masks_hide_what_either_hides():
    rows = torch.ones(B, 1, 1, S).bool()
    rows[1, ..., 3:] = False

    def attend(q: Tensor, k: Tensor, v: Tensor, m: Tensor, rows: Tensor) -> Tensor:
        logits = (q @ k.mT).masked_fill(~m, -torch.inf)
        return torch.where(rows, logits, -torch.inf).softmax(-1) @ v

    check(attend, H * (VISIBLE + int(SHOWN[:, :3].sum())), Q, K, V, SHOWN, rows)


def test_a_masked_map_of_which_a_part_is_used():
    def attend(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        return (q @ k.mT).masked_fill(~m, -torch.inf)[..., :3].softmax(-1) @ v[..., :3, :]

    c = cost(Call(attend), Q, K, V, SHOWN)
    seen = 2 * B * H * int(SHOWN[:, :3].sum()) * D  # of one product over the pairs that are used
    assert 2 * seen <= c.forward.flops <= seen + 2 * B * H * T * S * D


def test_words_that_may_not_be_said_are_still_scored():
    """Attention alone has pairs: a head's masked classes are products that were needed to be there."""
    head, hidden = nn.Parameter(torch.zeros(D, 31)), torch.arange(31) < 10
    scores = lambda x, hidden, head: (x @ head).masked_fill(hidden, -torch.inf).softmax(-1)  # noqa: E731
    c = cost(Call(scores, head), floats(B, T, D), hidden)
    assert c.forward.flops == 2 * B * T * D * 31


def test_what_is_no_attention_mask_hides_nothing():
    """Zeros in place of logits hide nothing."""

    def gate(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        return (q @ k.mT).masked_fill(~m, 0.0).softmax(-1) @ v

    check(gate, B * H * T * S, Q, K, V, SHOWN)


def test_linear_attention_has_no_pairs():
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k = nn.functional.elu(q) + 1, nn.functional.elu(k) + 1
        state = torch.einsum("bhsd,bhse->bhde", k, v)
        return torch.einsum("bhtd,bhde->bhte", q, state) / torch.einsum("bhtd,bhd->bht", q, k.sum(2))[..., None]

    v = floats(B, H, S, E, grad=True)
    c = cost(Call(attend), Q, K, v)
    # (D, S)·(S, E), (T, D)·(D, E) and (T, D)·(D, 1) in each head
    assert c.forward.flops == B * H * 2 * (D * S * E + T * D * E + T * D)
    assert c.backward.flops == 2 * c.forward.flops


FLEX = {"plain": flex_attention, "compiled": torch.compile(flex_attention, backend="eager")}


@pytest.mark.parametrize("name", FLEX)
def test_flex_attention(name: str):
    call = FLEX[name]
    check(lambda q, k, v: call(q, k, v), B * H * T * S, Q, K, V)
    causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, T, S, device="cpu")
    check(lambda q, k, v: call(q, k, v, block_mask=causal), B * H * triangle(T, S), Q, K, V)
    # Only the first row is causal, and a number is added to each logit, which needs no product.
    first = create_block_mask(lambda b, h, i, j: (i >= j) | (b > 0), B, None, T, S, device="cpu")
    slopes = lambda s, b, h, i, j: s + (j - i)  # noqa: E731
    check(lambda q, k, v: call(q, k, v, slopes, block_mask=first), H * (triangle(T, S) + T * S), Q, K, V)
    k = floats(B, 2, S, D, grad=True)
    check(lambda q, k, v: call(q, k, v, block_mask=causal, enable_gqa=True), B * H * triangle(T, S), Q, k, k)


def test_flex_attention_executes_the_blocks_of_its_mask():
    n = 256
    q = floats(1, 1, n, D, grad=True)
    causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device="cpu")
    c = check(lambda q, k, v: flex_attention(q, k, v, block_mask=causal), n * (n + 1) // 2, q, q, q)
    blocks = 3 * 128 * 128  # of the four, one is all hidden
    assert c.forward.executed == mixed(blocks)
    assert c.backward.executed == 2 * mixed(blocks) + 2 * blocks * D
