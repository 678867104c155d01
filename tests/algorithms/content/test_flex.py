"""FlexAttention's inputs, checked where it cannot run: which blocks to visit, and the value told as functions."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, create_block_mask

from regard.algorithms.kernels import block_lists, flex, slabs
from regard.algorithms.planning import kept
from regard.algorithms.planning.problem import Problem, pose
from regard.attention import (
    Attention,
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Documents,
    GlobalTokens,
    KeyPadding,
    Mask,
    Padding,
    Prefix,
    Sequence,
    Slopes,
    Strided,
    Window,
)
from regard.attention.reference import reference
from tests.tolerances import TORCH_EAGER_FLEX

CPU = torch.device("cpu")
B, H = 2, 4


def problem_of(attention: Attention, T: int, S: int) -> Problem:
    q, k = torch.empty(B, H, T, 16), torch.empty(B, H, S, 16)
    return pose(q, k, k, attention)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """FlexAttention's own definition; what is compiled, or is not, is kept."""
    kept.forget()
    monkeypatch.setattr(flex, "_compiled", lambda: flex._attend)
    yield
    kept.forget()


def by_flex(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[Tensor, Tensor]:
    out, lse = flex.attend_by_flex(pose(q, k, v, attention, return_lse=True), q, k, v)
    assert lse is not None
    return out, lse


def masks(T: int, S: int) -> dict[str, Mask]:
    rare = torch.rand(H, T, S) < 2e-5
    found = {
        "causal": Causal(),
        "causal key padding": Causal() & KeyPadding(torch.tensor([5, S // 2])),
        "window": Window(20, 200),
        "dense per head": Dense(rare),
        "dense per row": Dense(rare[:B, None]),
        "strided or window": Strided(7) | Window(2),
        "not causal": ~Causal(),
    }
    found |= {
        "prefix": Prefix(S // 2),
        "prefix per row": Prefix((S // 2, 3)),
        "prefix data": Prefix(torch.tensor([9, S])),
    }
    if T != S:
        return found
    ids = torch.arange(S) // 70
    ids[S // 4 : S // 3] = -1
    return found | {
        "padding": Padding(torch.tensor([0, S // 3])),
        "documents": Documents((S // 5, 0, S // 2)),
        "documents per row": Documents(((S,), (S // 3, S // 4))) & Window(60, 5),
        "documents as data": Documents(torch.tensor([S // 4, S // 2])) & Causal(),
        "documents by ids": Documents(ids=ids),
        "not documents": ~Documents(ids=torch.stack((ids, ids.flip(0)))),
    }


@pytest.mark.parametrize(("T", "S"), [(300, 300), (300, 520), (600, 200), (1, 300)])
def test_the_blocks_to_visit_are_those_of_the_dense_map(T: int, S: int):
    for name, mask in masks(T, S).items():
        problem = problem_of(Attention(mask=mask), T, S)
        places = problem.places

        def allows(b, h, i, j, mask=mask, places=places):
            return mask.allows(b, h, i, j, places)

        lists = flex._listed_blocks(problem, CPU)
        assert all(entry.is_contiguous() for entry in lists), name  # the kernel reads neighbouring numbers
        ours = BlockMask((T, S), *lists, BLOCK_SIZE=(flex.SIZE, flex.SIZE), mask_mod=allows)
        rows, heads = lists[0].shape[:2]
        theirs = create_block_mask(allows, rows, heads, T, S, device="cpu")
        if "|" in repr(mask):  # what is known of a union may err on the safe side
            assert (ours.to_dense() >= theirs.to_dense()).all(), name
        else:
            assert torch.equal(ours.to_dense(), theirs.to_dense()), name
        by_key = BlockMask((T, S), *lists, BLOCK_SIZE=(flex.SIZE, flex.SIZE), mask_mod=allows).q_num_blocks
        assert by_key is not None
        assert by_key.sum() == lists[0].sum(), name


@dataclass(frozen=True, eq=False)
class Own(Mask):
    """Documents that nothing is known of; token 5 is in none."""

    ids: Tensor

    def allows(self, b, h, i, j, places):
        return (self.ids[i] == self.ids[j]) & (j <= i) & (i != 5) & (j != 5)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.usefixtures("uncompiled")
def test_a_mask_of_ones_own_is_asked_once_for_its_blocks():
    ids = torch.arange(300) // 140
    mask = Own(ids)
    attention = Attention(Content() + Slopes.geometric(H), mask)
    problem = problem_of(attention, 300, 300)
    lists, (live, seen) = flex._decided(problem, CPU)
    expected = create_block_mask(lambda b, h, i, j: mask.allows(b, h, i, j, None), 1, 1, 300, 300, device="cpu")
    ours = BlockMask((300, 300), *lists, BLOCK_SIZE=(flex.SIZE, flex.SIZE))
    assert torch.equal(ours.to_dense(), expected.to_dense())
    assert lists[2].sum() == expected.full_kv_num_blocks.sum()
    assert live is not None
    assert seen is not None
    assert live.flatten().nonzero().flatten().tolist() == [i for i in range(300) if i != 5]
    assert torch.equal(live, seen)
    q, k, v = (torch.randn(B, H, 300, 16) for _ in range(3))
    wanted = reference(q, k, v, attention)[0]
    for x in (q, k, v):
        x[:, :, 5] = float("nan")
    torch.testing.assert_close(by_flex(q, k, v, attention)[0], wanted, **TORCH_EAGER_FLEX)


@pytest.mark.compiled  # torch traces the value's functions even where it does not compile them
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.slow  # the interpreter of FlexAttention; smaller parts of it are tested by the others here
@pytest.mark.parametrize(("T", "S"), [(150, 150), (40, 150)])
@pytest.mark.usefixtures("uncompiled")
def test_flex_is_given_the_whole_value(T: int, S: int):
    q, k, v = torch.randn(B, H, T, 20), torch.randn(B, 2, S, 20), torch.randn(B, 2, S, 12)
    biased = Content(0.3) + Bias(torch.randn(H, T, S)) + Slopes.geometric(H)
    for name, mask in masks(T, S).items():
        for scores in (Content(cap=1.5), biased):
            attention = Attention(scores, mask)
            out, lse = by_flex(q, k, v, attention)
            expected, expected_lse = reference(q.double(), k.double(), v.double(), attention)
            torch.testing.assert_close(out.double(), expected, **TORCH_EAGER_FLEX, msg=name)
            torch.testing.assert_close(lse.double(), expected_lse, **TORCH_EAGER_FLEX, msg=name)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*", "ignore::UserWarning:torch.*")
def test_the_operators_keep_their_promises_to_the_compiler():
    """Shapes without data agree with the real ones, at dynamic sizes too, and nothing is changed in place."""
    mask = Causal() & KeyPadding(torch.tensor([5, 100]))
    problem = problem_of(Attention(mask=mask), 300, 300)
    some, every = (x.expand(B, 1, 3, 3).contiguous() for x in mask.blocks(problem.places, flex.SIZE, CPU))
    torch.library.opcheck(block_lists.list_blocks, (some, every))
    q, k, v = (torch.randn(B, heads, 140, 16, requires_grad=True) for heads in (H, 2, 2))
    problem = problem_of(Attention(mask=mask), 140, 140)
    maps = [x.contiguous() for x in mask.blocks(problem.places, slabs.SIZE, CPU)]
    allowed = mask.slab(*(torch.arange(n) for n in (B, H, 140, 140)), problem.places).contiguous()
    for bias in (None, torch.rand(1, H, 140, 140, requires_grad=True)):
        given = (q, k, v, maps, allowed, bias)
        torch.library.opcheck(slabs._operator, (*given, None, [0.25, 0.0, 1.5], [False, False, True]))
        torch.library.opcheck(slabs._operator, (*given, torch.tensor(7), [0.25, 0.5, 0.0], [False, False, True]))


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("mask", [Blocks(20), GlobalTokens(9), Causal() & Blocks(20, shift=3), Window(5, 5)], ids=repr)
@pytest.mark.usefixtures("uncompiled")
def test_flex_knows_where_the_keys_begin(mask: Mask):
    """Masks of absolute places, with keys and queries that do not begin at 0, all rows alike or each elsewhere."""
    q, k, v = (torch.randn(B, H, 150, 20) for _ in range(3))
    for queries, keys in (
        (Sequence(150, start=3), Sequence(150, start=7)),
        (None, Sequence(150, start=7)),
        (Sequence(150, start=2**40 + 3), Sequence(150, start=2**40)),
        (Sequence(150, start=torch.tensor([2, 30])), Sequence(150, start=torch.tensor([4, 11]))),
    ):
        attention = Attention(mask=mask, queries=queries, keys=keys)
        got = by_flex(q, k, v, attention)[0]
        torch.testing.assert_close(got, reference(q, k, v, attention)[0], **TORCH_EAGER_FLEX)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.usefixtures("uncompiled")
def test_flex_caps_the_content_and_nothing_else():
    q, k, v = (torch.randn(B, H, 20, 16) for _ in range(3))
    attention = Attention(Content(cap=0.5) + Slopes.geometric(H), Causal())
    out, lse = by_flex(q, k, v, attention)
    expected, expected_lse = reference(q, k, v, attention)
    torch.testing.assert_close(out, expected, **TORCH_EAGER_FLEX)
    torch.testing.assert_close(lse, expected_lse, **TORCH_EAGER_FLEX)
