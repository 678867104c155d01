"""Any mask decided once, and attention over its listed blocks: in Triton's interpreter on the CPU, or on the GPU."""

import sys
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.algorithms.content import blockwise
from regard.algorithms.kernels import block_sparse
from regard.algorithms.planning import kept
from regard.algorithms.planning.problem import pose
from regard.attention import Attention, Causal, Content, Dense, KeyPadding, Mask, Places, Prefix, Window
from regard.attention.masks import visibility
from regard.attention.masks.facts import Index
from regard.attention.reference import reference

SIZE = block_sparse.SIZE
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3}  # of norms: of a type's rounding, some units
ASKED: list[int] = []

# What is masked afterwards may overflow before: Triton's interpreter computes with numpy, which warns.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@dataclass(frozen=True, eq=False)
class Own(Mask):
    """Documents of one's own, causal; it tells how many pairs it is asked about."""

    ids: Tensor

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        allowed = (self.ids[i] == self.ids[j]) & (j <= i)
        sys.modules[__name__].ASKED.append(allowed.numel())  # what is made from a variable that it reads is not kept
        return allowed


@pytest.fixture
def device(request: pytest.FixtureRequest) -> torch.device:
    return torch.device(str(request.config.getoption("--device")))


def draw(*shape: int, dtype: torch.dtype, device: torch.device, transposed: bool = False) -> Tensor:
    B, H, T, D = shape
    x = torch.randn(B, T, H, D, device=device).transpose(1, 2) if transposed else torch.randn(shape, device=device)
    return x.to(dtype)


def sparse(*shape: int, device: torch.device) -> Mask:
    """Most pairs hidden, so that tokens take no part."""
    return Dense(torch.rand(shape, device=device) < 0.01)


def decided(mask: Mask, B: int, H: int, T: int, S: int, device: torch.device, compact: bool = False) -> Any:
    found = block_sparse.decide(mask, Attention(mask=mask).places(T, S), B, H, device, 1 << 27, compact)
    assert found is not None
    return found


@pytest.mark.parametrize(("T", "S", "tiles", "compact"), [(130, 260, 1, True), (128, 130, 1 << 22, False)])
def test_the_definition_decides_blocks_bits_and_tokens(
    tiles: int, T: int, S: int, compact: bool, device: torch.device, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(visibility, "TILES", tiles)
    B, H = 2, 3
    masks = [Causal(), Window(20, 5) | Prefix(130), KeyPadding(torch.tensor([5, S], device=device))]
    all_but_one = torch.ones(T, S, dtype=torch.bool, device=device)
    all_but_one[5, 7] = False
    masks += [
        Dense(all_but_one),
        sparse(H, T, S, device=device),
        sparse(B, 1, T, S, device=device),
        ~sparse(B, H, T, S, device=device),
    ]
    for mask in masks:
        places = Attention(mask=mask).places(T, S)
        pairs = mask.slab(*(torch.arange(n, device=device) for n in (B, H, T, S)), places)
        rows, heads = pairs.shape[:2]
        found = decided(mask, B, H, T, S, device, compact)
        whole = torch.nn.functional.pad(pairs, (0, -S % SIZE, 0, -T % SIZE))
        blocks = whole.unflatten(3, (-1, SIZE)).unflatten(2, (-1, SIZE)).transpose(3, 4)
        part = blocks.flatten(4).any(4) & ~blocks.flatten(4).all(4)
        bits = found.bits[found.slots[part].long()][..., None] >> torch.arange(32, device=device) & 1
        by_query, by_key = bits.flatten(3).bool().unbind(1)
        assert torch.equal(by_query, blocks[part]), mask
        assert torch.equal(by_key, blocks[part].mT), mask
        assert len(found.bits) == (part.sum() if compact else part.numel())
        assert torch.equal(found.live.bool(), pairs.any(3)), mask
        assert torch.equal(found.seen.bool(), pairs.any(2)), mask
        part_count, _, full_count, _ = found.lists[:4]
        assert torch.equal(full_count, blocks.all(5).all(4).sum(3).int())
        assert torch.equal(part_count + full_count, blocks.any(5).any(4).sum(3).int())
        plain = visibility.decide(mask, places, B, H, SIZE, device)
        assert torch.equal(plain.live, pairs.any(3))
        assert torch.equal(plain.seen, pairs.any(2))
        some, every = plain.blocks
        assert torch.equal(some, blocks.any(5).any(4))
        inside = torch.nn.functional.pad(torch.ones_like(pairs), (0, -S % SIZE, 0, -T % SIZE))
        inside = inside.unflatten(3, (-1, SIZE)).unflatten(2, (-1, SIZE)).transpose(3, 4)
        assert torch.equal(every, (blocks | ~inside).all(5).all(4))
        assert plain.live.shape[:2] == (rows, heads)


def check(
    mask: Mask,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    hidden: float | None = None,
    compact: bool = False,
    lse_grad: bool = True,
) -> None:
    """Output, log-sum-exp and gradients against the definition in float64; tokens without a part hold `hidden`."""
    (B, H, T, _), (G, S) = q.shape, v.shape[1:3]
    found, beta = decided(mask, B, H, T, S, q.device, compact), 0.3
    if hidden is not None:
        q.masked_fill_(found.live.expand(B, H, T)[..., None] == 0, hidden)
        unseen = (found.seen.expand(B, H, S).unflatten(1, (G, H // G)) == 0).all(2)
        k.masked_fill_(unseen[..., None], hidden)
        v.masked_fill_(unseen[..., None], hidden)
    exact = tuple([x.double().nan_to_num(0.0).requires_grad_() for x in (q, k, v)])
    given = tuple([x.requires_grad_() for x in (q, k, v)])
    got = block_sparse.attend_by_blocks(q, k, v, found, beta)
    out, lse = reference(exact[0], exact[1], exact[2], Attention(Content(beta), mask))
    assert lse is not None
    wanted = (out, lse)
    seeds = [torch.randn_like(wanted[0]), torch.randn_like(wanted[1]) if lse_grad else torch.zeros_like(wanted[1])]
    empty = wanted[1] == float("-inf")
    assert torch.equal(got[1] == float("-inf"), empty)
    assert (got[0][empty] == 0).all()
    sums = [(o.double() * seeds[0]).sum() + (lse.double() * seeds[1])[~empty].sum() for o, lse in (got, wanted)]
    grads = [torch.autograd.grad(total, leaves) for total, leaves in zip(sums, (given, exact), strict=True)]
    results = (got[0], got[1][~empty], *grads[0]), (wanted[0], wanted[1][~empty], *grads[1])
    for name, one, other in zip(("out", "lse", "dq", "dk", "dv"), *results, strict=True):
        error = (one.double() - other).norm() / other.norm().clamp(min=1e-9)
        assert error < TOLERANCE[q.dtype], (name, float(error))


@pytest.mark.parametrize(
    ("B", "H", "G", "T", "S", "D", "E", "transposed", "dtype"),
    [
        (1, 2, 1, 130, 270, 16, 16, False, torch.float16),
        (2, 1, 1, 200, 200, 20, 12, True, torch.float32),
        (1, 2, 2, 130, 129, 33, 70, False, torch.float32),
    ],
)
def test_it_is_the_definition(
    B: int, H: int, G: int, T: int, S: int, D: int, E: int, transposed: bool, dtype: torch.dtype, device: torch.device
):
    q, k, v = (
        draw(*shape, dtype=dtype, device=device, transposed=transposed)
        for shape in ((B, H, T, D), (B, G, S, D), (B, G, S, E))
    )
    check(Prefix(40), q, k, v, compact=transposed)


@pytest.mark.parametrize(("of", "hidden"), [("row", float("nan")), ("head", float("inf")), ("both", float("nan"))])
def test_what_nobody_sees_influences_nothing(of: str, hidden: float, device: torch.device):
    B, H, T, S = 2, 2, 70, 140
    rows, heads = (B if of != "head" else 1), (H if of != "row" else 1)
    mask = sparse(rows, heads, T, S, device=device) & KeyPadding(torch.tensor([100, 0], device=device))
    q, k, v = (draw(B, n, t, 16, dtype=torch.float32, device=device) for n, t in ((H, T), (1, S), (1, S)))
    check(mask, q, k, v, hidden)


def test_the_log_sum_exp_needs_no_gradient(device: torch.device):
    q, k, v = (draw(1, 1, 140, 16, dtype=torch.float32, device=device) for _ in range(3))
    check(Window(10), q, k, v, lse_grad=False)


def test_a_mask_is_asked_once_and_about_few_pairs_at_a_time(device: torch.device, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visibility, "TILES", SIZE * 200)
    kept.forget()
    T = 200
    q, k, v = (draw(1, 2, T, 16, dtype=torch.float32, device=device) for _ in range(3))
    ids = torch.arange(T, device=device) // 70

    def attended() -> Tensor:
        attention = Attention(mask=Own(ids))
        ASKED.clear()
        out, lse = blockwise._run_on_cuda(pose(q, k, v, attention), q, k, v)
        assert lse is None
        asked = list(ASKED)
        torch.testing.assert_close(out, reference(q, k, v, attention)[0], atol=1e-5, rtol=1e-5)
        ASKED[:] = asked
        return out

    attended()
    assert sum(ASKED) == T * T + 1  # and one pair, to see what it varies with
    assert max(ASKED) <= SIZE * 200
    attended()
    assert not ASKED, "a fresh value with the same tensor"
    ids[100:] += 1
    attended()
    assert ASKED, "the tensor was written to"
    kept.forget()


def test_too_many_bits_are_left_to_flex_attention(device: torch.device):
    most = 2 * SIZE * SIZE // 4
    assert block_sparse.decide(Causal(), Attention().places(140, 140), 1, 2, device, most) is None
    assert block_sparse.decide(Causal(), Attention().places(128, 200), 1, 2, device, most) is not None
