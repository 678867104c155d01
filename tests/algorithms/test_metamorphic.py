"""What must hold between two calls, whatever the numbers: permute, split, merge, spoil the pads, drop out."""

import math

import pytest
import torch
from torch import Tensor

from regard import attend, plan
from regard.attention import (
    Attention,
    Bias,
    Causal,
    Content,
    Dense,
    Hard,
    KeyPadding,
    Mask,
    Padding,
    Sequence,
    Slopes,
    Window,
)
from regard.attention.reference import reference

B, H, G, N, D = 3, 4, 2, 40, 16

# Two ways through one sum of 40 float32 numbers of size 1.
CLOSE = {"rtol": 0, "atol": 2e-6}


def tensors(device: torch.device, dtype: torch.dtype = torch.float32, T: int = N, S: int = N) -> list[Tensor]:
    sizes = ((B, H, T, D), (B, G, S, D), (B, G, S, D))
    return [torch.randn(*size, device=device).to(dtype) for size in sizes]


def willing(*args, **options) -> list[str]:
    """The algorithms that do not refuse such a call; the reference never does."""
    names = [candidate.name for candidate in plan(*args, **options).candidates if candidate.refusal is None]
    assert "reference" in names
    return names


def test_permuted_tokens_permute_the_output(device):
    q, k, v = tensors(device)
    order = torch.randperm(N, device=device)
    for name in willing(q, k, v):
        out = attend(q, k, v, algorithm=name)
        torch.testing.assert_close(attend(q[:, :, order], k, v, algorithm=name), out[:, :, order], **CLOSE)
        torch.testing.assert_close(attend(q, k[:, :, order], v[:, :, order], algorithm=name), out, **CLOSE)


@pytest.mark.parametrize("mask", ["padding", "key padding", "causal padding"])
def test_permuted_rows_permute_the_output(mask: str, device):
    lengths = torch.tensor([N, 13, 0], device=device)
    q, k, v = tensors(device, torch.bfloat16)
    rows = torch.tensor([2, 0, 1], device=device)

    def value(lengths: Tensor) -> Attention:
        masks = {"padding": Padding(lengths), "key padding": KeyPadding(lengths)}
        return Attention(mask=masks.get(mask, Causal() & Padding(lengths)))

    for name in willing(q, k, v, value(lengths)):
        out = attend(q, k, v, value(lengths), algorithm=name)
        permuted = attend(q[rows], k[rows], v[rows], value(lengths[rows]), algorithm=name)
        assert torch.equal(permuted, out[rows]), name


@pytest.mark.parametrize("mask", [Causal(), Window(6, 2), Causal() & Window(5)], ids=repr)
def test_split_queries_give_the_whole(mask: Mask, device):
    """Each part says where it starts; the last may leave that out, since the last query stands at the last key."""
    q, k, v = tensors(device)
    whole = attend(q, k, v, Attention(mask=mask), algorithm="reference")
    for first, last in ((0, 1), (1, 18), (18, N)):
        value = Attention(mask=mask, queries=Sequence(last - first, start=first))
        part = q[:, :, first:last]
        for name in willing(part, k, v, value):
            out = attend(part, k, v, value, algorithm=name)
            torch.testing.assert_close(out, whole[:, :, first:last], **CLOSE)
            if last == N:
                assert torch.equal(attend(part, k, v, Attention(mask=mask), algorithm=name), out), name


def test_ragged_caches_start_where_their_row_starts(device):
    """One new token per row, after 7, 0 and 20 others, equals the last row of each sequence on its own."""
    past = [7, 0, 20]
    q, k, v = tensors(device, T=1)
    start = torch.tensor(past, device=device)
    scores = Content() + Slopes.geometric(H, device)
    mask = Causal() & Window(4) & KeyPadding(start + 1)
    value = Attention(scores, mask, queries=Sequence(1, start=start))
    for name in willing(q, k, v, value):
        out = attend(q, k, v, value, algorithm=name)
        for row, n in enumerate(past):
            alone = (q[row : row + 1], k[row : row + 1, :, : n + 1], v[row : row + 1, :, : n + 1])
            expected = attend(*alone, Attention(scores, Causal() & Window(4)), algorithm="reference")
            torch.testing.assert_close(out[row : row + 1], expected, **CLOSE)


@pytest.mark.parametrize("mask", ["key padding", "causal key padding"])
def test_one_token_decodes_over_a_padded_cache(mask: str, device):
    """The newest query sees all real keys of its row, whichever algorithm runs: a causal mask then hides nothing."""
    lengths = torch.tensor([N, 13, 1], device=device)
    q, k, v = tensors(device, T=1)
    value = Attention(mask=KeyPadding(lengths) if mask == "key padding" else Causal() & KeyPadding(lengths))
    for name in willing(q, k, v, value):
        out = attend(q, k, v, value, algorithm=name)
        for row, n in enumerate(lengths.tolist()):
            alone = (q[row : row + 1], k[row : row + 1, :, :n], v[row : row + 1, :, :n])
            torch.testing.assert_close(out[row : row + 1], attend(*alone, algorithm="reference"), **CLOSE)


@pytest.mark.parametrize("scores", ["content", "bias"])
def test_two_halves_of_the_keys_merge_by_their_log_sum_exp(scores: str, device):
    q, k, v = tensors(device)
    bias = torch.randn(H, N, N, device=device)

    def value(keys: slice) -> Attention:
        return Attention(Content() + Bias(bias[..., keys].contiguous())) if scores == "bias" else Attention()

    for name in willing(q, k, v, value(slice(N)), return_lse=True):
        whole, lse = attend(q, k, v, value(slice(N)), algorithm=name, return_lse=True)
        halves = [
            attend(q, k[:, :, keys], v[:, :, keys], value(keys), algorithm=name, return_lse=True)
            for keys in (slice(0, 15), slice(15, N))
        ]
        shares = torch.softmax(torch.stack([part for _, part in halves]), 0)
        merged = sum(share[..., None] * out for share, (out, _) in zip(shares, halves, strict=True))
        torch.testing.assert_close(merged, whole, **CLOSE)
        torch.testing.assert_close(torch.logaddexp(*(part for _, part in halves)), lse, **CLOSE)


LENGTHS = [N, 13, 0]
PADDED = {
    "key lengths": lambda device: KeyPadding(torch.tensor(LENGTHS, device=device)),
    "lengths": lambda device: Padding(torch.tensor(LENGTHS, device=device)),
    "lengths as sizes": lambda device: Padding(LENGTHS),
    "map": lambda device: Padding(torch.arange(N, device=device) < torch.tensor(LENGTHS, device=device)[:, None]),
    "causal lengths": lambda device: Causal() & Padding(torch.tensor(LENGTHS, device=device)),
    "dense": lambda device: Dense(
        (torch.arange(N, device=device) < torch.tensor(LENGTHS, device=device)[:, None])[:, None, None].expand(
            B, 1, N, N
        )
    ),
    "window of lengths": lambda device: Window(5, 3) & Padding(LENGTHS),
}


def spoilt(x: Tensor, filling: float | None) -> Tensor:
    """X with a number, or noise, in its pads."""
    pads = torch.arange(N, device=x.device) >= torch.tensor(LENGTHS, device=x.device)[:, None]
    fill = torch.randn_like(x) * 100 if filling is None else torch.full_like(x, filling)
    return torch.where(pads[:, None, :, None], fill, x)


def unchanged(before: list[Tensor], after: list[Tensor], exactly: bool) -> bool:
    """Bit by bit; a GPU kernel that adds gradients in any order promises only their sum."""
    if exactly:
        return all(torch.equal(x, y) for x, y in zip(before, after, strict=True))
    return all(torch.allclose(x, y, rtol=1e-2, atol=1e-2) for x, y in zip(before, after, strict=True))


@pytest.mark.parametrize("mask", PADDED)
@pytest.mark.parametrize("filling", [None, math.inf, -math.inf, math.nan], ids=["noise", "inf", "-inf", "nan"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
def test_pads_change_nothing(mask: str, filling: float | None, dtype: torch.dtype, device):
    """Not one bit of an output or gradient: what nobody sees is never read, or blanked before it is."""
    q, k, v = tensors(device, dtype)
    pads_ask = mask in ("key lengths", "dense")
    dirty = [q if pads_ask else spoilt(q, filling), spoilt(k, filling), spoilt(v, filling)]
    value = Attention(mask=PADDED[mask](device))
    grad = torch.randn(B, H, N, D, device=device).to(dtype)

    def results(name: str, *inputs: Tensor) -> list[Tensor]:
        leaves = [x.detach().requires_grad_() for x in inputs]
        out = attend(*leaves, value, algorithm=name)
        return [out, *torch.autograd.grad(out, leaves, grad)]

    for name in willing(q, k, v, value):
        before, after = results(name, q, k, v), results(name, *dirty)
        assert all(x.isfinite().all() for x in before), name
        assert unchanged(before[:1], after[:1], exactly=True), name
        assert unchanged(before[1:], after[1:], exactly=device.type == "cpu"), name


def test_an_empty_row_gives_exact_zeros(device):
    q, k, v = (x.requires_grad_() for x in tensors(device))
    allowed = torch.rand(N, N, device=device) < 0.5
    allowed[7], allowed[:, 9] = False, False
    bias = torch.randn(N, N, device=device, requires_grad=True)
    scores = (Content(), Content() + Bias(bias))
    values = [Attention(term, Dense(allowed)) for term in scores]
    for name, value in ((name, x) for x in values for name in willing(q, k, v, x, return_lse=True)):
        out, lse = attend(q, k, v, value, algorithm=name, return_lse=True)
        grads = (torch.randn_like(out), torch.randn_like(lse))
        dq, dk, dv, db = torch.autograd.grad((out, lse), (q, k, v, bias), grads, materialize_grads=True)
        zeros = (out[:, :, 7], dq[:, :, 7], dk[:, :, 9], dv[:, :, 9], db[7], db[:, 9])
        assert all((x == 0).all() for x in zeros), name
        assert (lse[:, :, 7] == -math.inf).all(), name
        assert all(x.isfinite().all() for x in (out, dq, dk, dv, db)), name


def test_hard_gives_ties_to_the_first_key_and_its_gradient_to_v(device):
    q, k, v = (x.requires_grad_() for x in tensors(device))
    ties = torch.ones_like(k)
    ties[:, :, :3] = -1  # below all others, whatever the query
    q_positive = q.detach().abs().requires_grad_()
    out = attend(q_positive, ties.requires_grad_(), v, Attention(weighting=Hard()))
    first = v[:, :, 3].repeat_interleave(H // G, 1)[:, :, None].expand_as(out)
    assert torch.equal(out, first)
    dq, dk, dv = torch.autograd.grad(out, (q_positive, ties, v), torch.ones_like(out), materialize_grads=True)
    assert (dq == 0).all()
    assert (dk == 0).all()
    expected = torch.zeros_like(v)
    expected[:, :, 3] = N * H / G
    assert torch.equal(dv, expected)


def test_hard_is_the_limit_of_a_large_beta(device):
    q, k, v = tensors(device)
    out = attend(q, k, v, Attention(weighting=Hard()))
    torch.testing.assert_close(out, attend(q, k, v, Attention(Content(beta=1e5))), **CLOSE)


def dropped(name: str, q: Tensor, k: Tensor, v: Tensor, p: float, num_seeds: int) -> Tensor:
    maps = []
    for seed in range(num_seeds):
        torch.manual_seed(seed)
        maps.append(attend(q, k, v, Attention(mask=Causal()), dropout=p, algorithm=name).double())
    return torch.stack(maps)


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_dropout_drops_the_right_share_and_keeps_the_mean(p: float, device):
    """One-hot values, so that outputs show the weights."""
    num_seeds, size = 200, 64
    gpu = device.type == "cuda"
    q, k = (torch.randn(1, 2, size, size, device=device, dtype=torch.bfloat16 if gpu else None) for _ in range(2))
    v = torch.eye(size, device=device, dtype=q.dtype).expand(1, 2, size, size)
    exact, _ = reference(q.double(), k.double(), v.double(), Attention(mask=Causal()))
    visible = exact > 1e-6
    num_draws = int(visible.sum()) * num_seeds
    for name in willing(q, k, v, Attention(mask=Causal()), dropout=p):
        maps = dropped(name, q, k, v, p, num_seeds)
        share = float((maps[:, visible] == 0).double().mean())
        # Five standard deviations of independent draws; a GPU kernel draws p in 256 steps.
        assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / num_draws) + gpu / 256, name
        kept = maps[:, visible] * (1 - p) / exact[visible]
        assert (kept[kept > 0] - 1).abs().max() < (0.02 if gpu else 1e-4), name
        # A weight's mean strays by √(p/(1−p)/n) of itself; 5.5 deviations leave a chance of 1e-4 over all of them.
        strays = (maps.mean(0)[visible] / exact[visible] - 1).abs()
        assert strays.max() < 5.5 * math.sqrt(p / (1 - p) / num_seeds) + gpu * 0.02, name


def test_dropout_differs_from_draw_to_draw_and_repeats_with_its_seed(device):
    q, k, v = tensors(device)
    draws = []
    for seed in (0, 1, 0):
        torch.manual_seed(seed)
        draws.append(attend(q, k, v, Attention(), dropout=0.5, algorithm="reference"))
    assert not torch.equal(draws[0], draws[1])
    assert torch.equal(draws[0], draws[2])


def test_dropout_of_zero_changes_nothing(device):
    q, k, v = tensors(device)
    value = Attention(mask=Causal())
    assert torch.equal(attend(q, k, v, value, dropout=0.0), attend(q, k, v, value))
