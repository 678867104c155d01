"""The cutting of padded and packed rows for the variable-length kernel, which here is its definition."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard.algorithms.content import packed
from regard.algorithms.kernels import varlen
from regard.algorithms.planning.problem import pose
from regard.attention import Attention, Causal, Documents, KeyPadding, Mask, Padding
from regard.attention.reference import reference

SCATTERED = torch.tensor([[True, False, True, True, False, True, False], [False] * 7, [True] * 7])
LENGTHS = torch.tensor([3, 0, 7])
MASKS: dict[str, Callable[[], Mask]] = {
    "lengths": lambda: KeyPadding(LENGTHS),
    "lengths of both": lambda: Padding(LENGTHS),
    "scattered": lambda: KeyPadding(SCATTERED),
    "scattered of both": lambda: Padding(SCATTERED),
    "causal lengths": lambda: Causal() & Padding((3, 0, 7)),
    "causal keys": lambda: Causal() & KeyPadding(LENGTHS),
    "causal keys of numbers": lambda: KeyPadding((3, 0, 7)) & Causal(),
    "causal scattered": lambda: Causal() & Padding(SCATTERED),
    "documents": lambda: Documents((3, 2)),
    "causal documents of rows": lambda: Causal() & Documents(((3, 2), (7,), (0, 1))),
    "documents of ids": lambda: Documents(ids=torch.tensor([[-1, 4, 4, -1, 5, 5, 5]] * 3), most=4),
}


def by_definition(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    ends_q: Tensor,
    ends_k: Tensor,
    T: int,
    S: int,
    causal: bool,
    scale: float,
    _: float,
) -> Tensor:
    """What the kernel promises, segment by segment; what it does not promise to write is NaN."""
    assert ends_q.dtype == ends_k.dtype == torch.int32
    assert len(ends_q) - 1 <= varlen.MOST_SEGMENTS
    assert int(ends_q[-1]) == len(q)
    assert int(ends_k[-1]) == len(k)
    out = torch.full((*q.shape[:2], v.shape[2]), torch.nan)
    for (a, b), (c, d) in zip(itertools.pairwise(ends_q.tolist()), itertools.pairwise(ends_k.tolist()), strict=True):
        assert b - a <= T
        assert d - c <= S or b == a
        if c == d:
            out[a:b] = 0
        elif a < b:
            keys, values = (x[c:d].repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
            logits = scale * torch.einsum("ihd,jhd->hij", q[a:b], keys)
            if causal:
                logits = logits.masked_fill(torch.ones(b - a, d - c).triu(1).bool(), -torch.inf)
            out[a:b] = torch.einsum("hij,jhe->ihe", logits.softmax(2), values)
    return out


def by_top_left(
    q: Tensor, k: Tensor, v: Tensor, bias: None, ends_q: Tensor, ends_k: Tensor, T: int, S: int, dropout: float,
    kind: int, learns: bool, scale: float,
) -> tuple[Tensor]:  # fmt: skip
    """What the other kernel promises: a segment's first query at its first key, and nothing where there are no keys."""
    assert kind == 1
    out = by_definition(q[0], k[0], v[0], ends_q, ends_k, T, S, True, scale, dropout)
    return (out.masked_fill((out == 0).all(2, keepdim=True), torch.nan)[None],)


@pytest.mark.parametrize("short", [0, 1024])
@pytest.mark.parametrize("heads_innermost", [False, True])
@pytest.mark.parametrize("groups", [4, 2])
@pytest.mark.parametrize("name", MASKS)
def test_segments_are_the_mask(
    name: str, groups: int, heads_innermost: bool, short: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(varlen, "_kernel", by_definition)
    monkeypatch.setattr(varlen, "efficient_segments", by_top_left)
    monkeypatch.setattr(packed, "SHORT", short)
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(3, n, 7, width, generator=generator) for n, width in ((4, 8), (groups, 8), (groups, 5)))
    if heads_innermost:
        q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
    value = Attention(mask=MASKS[name]())
    problem = pose(q, k, v, value.on(q.device))
    _, facts = packed._cut(problem)
    out = packed._by_segments(problem, facts, q, k, v, len(problem.masks) > 1)
    torch.testing.assert_close(out, reference(q, k, v, value)[0])


def test_lengths_of_any_type_and_beyond_the_keys():
    wanted = varlen.of_lengths(torch.tensor([3, 300]), 300, "real", 300, heads=2)
    for lengths in (
        torch.tensor([3, 300], dtype=torch.int32),
        torch.tensor([3, 999]),
        torch.tensor([3.0, 300]).short(),
    ):
        found = varlen.of_lengths(lengths, 300, "real", 300, heads=2)
        assert torch.equal(found.ends_q, wanted.ends_q)
        assert torch.equal(found.ends_k, wanted.ends_k)
    assert varlen.of_lengths(torch.tensor([3], dtype=torch.uint8), 300, "real", 300, 1).ends_q.tolist() == [
        0,
        3,
        300,
        300,
    ]


def test_many_segments_are_not_cut_by_head(monkeypatch: pytest.MonkeyPatch):
    """A side of CUDA's grid ends at 65,535: then the heads of a row share their segments."""
    monkeypatch.setattr(varlen, "_kernel", by_definition)
    monkeypatch.setattr(varlen, "MOST_SEGMENTS", 20)
    q = torch.randn(3, 4, 7, 8, generator=torch.Generator().manual_seed(0))
    value = Attention(mask=Padding(LENGTHS))
    problem = pose(q, q, q, value)
    out = packed._by_segments(problem, packed._cut(problem)[1], q, q, q, causal=False)
    torch.testing.assert_close(out, reference(q, q, q, value)[0])
    many = torch.empty(7, 4, 7, 8, dtype=torch.bfloat16, device="meta")
    reason = packed.Packed().refuses(pose(many, many, many, Attention(mask=Padding((7,) * 7)), device="h200"))
    assert reason == "the variable-length kernel takes no more than 65,535 segments"
