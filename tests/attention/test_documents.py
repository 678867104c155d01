"""Documents and prefixes: what they mean, what they refuse, and what is made of them without a map of pairs."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from regard import Attention, attend, plan, weights
from regard.algorithms.content.tiled import spans_of
from regard.attention import (
    Bias,
    Cache,
    Causal,
    Content,
    Documents,
    GlobalTokens,
    Mask,
    Places,
    Prefix,
    Sequence,
    Window,
)
from tests.budget import examples
from tests.strategies import documents
from tests.tolerances import PIECES

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

CPU = torch.device("cpu")


def pairs(mask: Mask, B: int, T: int, S: int, places: Places | None = None) -> Tensor:
    places = places or Attention().places(T, S)
    return mask.slab(*[torch.arange(n) for n in (B, 1, T, S)], places)[:, 0].expand(B, T, S)


THREE = torch.tensor([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]).bool()


@pytest.mark.parametrize(
    "mask",
    [
        Documents((2, 1)),
        Documents([2, 0, 1, 0]),
        Documents(((2, 1), (2, 0, 1))),
        Documents(torch.tensor([2, 1])),
        Documents(torch.tensor([[2, 1, 0], [0, 2, 1]], dtype=torch.int32)),
        Documents(ids=torch.tensor([4, 4, 0, -1, -7])),
        Documents(ids=torch.tensor([[4, 4, 0, -1, -7], [0, 0, 1, -1, -1]]), most=2),
    ],
    ids=repr,
)
def test_one_meaning_for_all_ways_to_say_it(mask: Documents):
    assert torch.equal(pairs(mask, 2, 5, 5), THREE.expand(2, 5, 5))
    assert mask.positions(5, CPU).expand(2, 5).tolist() == [[0, 1, 0, 0, 0]] * 2
    found = mask.documents(Attention().places(5, 5), CPU)
    assert (found.dtype, found.shape[1]) == (torch.int32, 5)
    placed = mask.placed(Attention().places(5, 5), CPU)
    assert placed.flatten()[1], "its map is a tensor that a kernel can read"
    assert torch.equal(pairs(placed, 2, 5, 5), pairs(mask, 2, 5, 5))


def test_pads_between_documents_end_them():
    mask = Documents(ids=torch.tensor([3, -1, 3, 3, 8]))
    assert mask.numbers(5, CPU).tolist() == [[0, -1, 1, 1, 2]]
    assert mask.positions(5, CPU).tolist() == [[0, 0, 0, 1, 0]]


@pytest.mark.compiled
def test_an_id_that_comes_back_is_a_new_document_where_nobody_reads_it():
    again = torch.tensor([0, 1, 0, 0])
    with pytest.raises(ValueError, match=r"a document is one run of tokens: got id 0 again after another in row 0"):
        Documents(ids=again)
    compiled = torch.compile(lambda ids: Documents(ids=ids).numbers(4, CPU), backend="eager", fullgraph=True)
    assert compiled(again).tolist() == [[0, 1, 2, 2]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Documents(), r"Documents takes lengths or ids: got lengths=None, ids=None; give one"),
        (lambda: Documents((2,), ids=torch.tensor([0])), r"takes lengths or ids: got lengths=\(2,\), ids=int64\[1\]"),
        (lambda: Documents(()), r"whole numbers from 0, of one row or a tuple for each row: got \(\); use Documents"),
        (lambda: Documents((2, -1)), r"got \(2, -1\)"),
        (lambda: Documents(((2, 1), 3)), r"got \(\(2, 1\), 3\)"),
        (lambda: Documents(5), r"got 5; use Documents"),
        (lambda: Documents((2, True)), r"got \(2, True\)"),
        (
            lambda: Documents(torch.tensor([2.0])),
            r"whole numbers \(n,\) or \(B, n\): got torch.float32 of shape \(1,\)",
        ),
        (lambda: Documents(torch.zeros(2, 0).long()), r"a row needs a document: got lengths of shape \(2, 0\)"),
        (lambda: Documents(ids=torch.tensor([True])), r"ids must be a tensor of whole numbers .*: got bool\[1\]"),
        (lambda: Documents(ids=torch.tensor([0]), most=0), r"how many documents ids tell apart, 1 or more: got 0"),
        (lambda: Documents((3,), most=2), r"most is how many documents ids tell apart, 1 or more: got 2"),
        (lambda: Prefix(-1), r"a whole number from 0, for all rows or for each: got -1; use Prefix\(5\)"),
        (lambda: Prefix(()), r"got \(\); use Prefix"),
        (lambda: Prefix(torch.tensor([0.5])), r"whole numbers \(B,\): got torch.float32 of shape \(1,\); use .long"),
    ],
)
@pytest.mark.usefixtures("unhooked")
def test_what_is_none(make: Any, message: str):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (Documents((3, 3)), r"documents must fit the S=5 tokens of a row: got 6 in row 0; cut the last one"),
        (Documents(((1,), (6,))), r"got 6 in row 1"),
        (Documents(torch.tensor([3, 3])), r"lengths from 0 and fit the S=5 tokens of a row: got \[3, 3\]"),
        (Documents(torch.tensor([3, -1])), r"got \[3, -1\]"),
        (Documents(((1,), (1,), (1,))), r"Documents must have one entry per row, B=2: got 3; give each row its own"),
        (Documents(ids=torch.zeros(4).long()), r"ids must name the document of each token, S=5: got 4"),
        (Documents(ids=torch.arange(5), most=3), r"a row has at most most=3 documents: got 5; give a larger number"),
        (Prefix((1, 2, 3)), r"Prefix must have one length per row, B=2: got 3; give each row its own"),
        (Prefix(torch.tensor([1, -2])), r"lengths of prefixes must be 0 or more: got \[1, -2\]; use 0 for none"),
    ],
    ids=repr,
)
def test_what_does_not_fit(mask: Mask, message: str):
    x = torch.randn(2, 1, 5, 4)
    with pytest.raises(ValueError, match=message):
        attend(x, x, x, Attention(mask=mask))


def test_documents_are_of_queries_and_keys_alike():
    x = torch.randn(2, 1, 5, 4)
    with pytest.raises(ValueError, match=r"one row, T = S: got T=3, S=5; use a cache for documents that go on"):
        attend(x[:, :, :3], x, x, Attention(mask=Documents((5,))))


def test_a_prefix_is_a_matter_of_positions():
    assert pairs(Prefix(2), 1, 2, 4)[0].tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]  # the last query at the last key
    stepped = Places(Sequence(3, start=0), Sequence(3, start=1, step=2))  # keys at 1, 3, 5
    assert pairs(Prefix(4), 1, 3, 3, stepped)[0].tolist() == [[1, 1, 0]] * 3
    own = pairs(Prefix((0, 3)), 2, 3, 3)
    assert torch.equal(own, torch.stack((torch.ones(3, 3).tril().bool(), torch.ones(3, 3).bool())))


def test_a_prefix_goes_on_in_a_cache():
    """Read whole under the prefix, kept under Causal, which is the same from its end on."""
    q, k, v = (torch.randn(2, 2, 9, 4, dtype=torch.float64) for _ in range(3))
    cache, causal = Cache(2, 2, 4, capacity=10, dtype=torch.float64), Attention(mask=Causal())
    parts = [attend(q[:, :, :5], k[:, :, :5], v[:, :, :5], Attention(mask=Prefix((3, 5))))]
    cache.append(k[:, :, :5], v[:, :, :5], causal)
    later = [x[:, :, 5:].split(1, 2) for x in (q, k, v)]
    parts += [attend(x, *cache.append(y, z, causal)) for x, y, z in zip(*later, strict=True)]
    whole = attend(q, k, v, Attention(mask=Prefix((3, 5))))
    torch.testing.assert_close(torch.cat(parts, 2), whole, **PIECES)
    with pytest.raises(ValueError, match=r"must not see tokens that are still to come: got mask=Prefix\(3\)"):
        cache.append(k[:, :, :1], v[:, :, :1], Attention(mask=Prefix(3)))


def test_a_cache_takes_each_document_apart():
    q, k, v = (torch.randn(1, 2, 9, 4, dtype=torch.float64) for _ in range(3))
    attention, cut = Attention(mask=Causal() & Window(3)), (4, 5)
    for limit in ({"capacity": 8}, {"window": 4}):
        cache = Cache(2, 2, 4, dtype=torch.float64, **limit)
        together = attend(q, *cache.append(k, v, attention, Documents(cut)))
        assert cache.lengths == cut
        more = [torch.randn(2, 2, 1, 4, dtype=torch.float64) for _ in range(3)]
        after = attend(more[0], *cache.append(more[1], more[2], attention))
        for row, place in enumerate((slice(0, 4), slice(4, 9))):
            whole = [torch.cat((x[:, :, place], y[row : row + 1]), 2) for x, y in zip((q, k, v), more, strict=True)]
            expected = attend(*whole, attention)
            torch.testing.assert_close(together[:, :, place], expected[:, :, :-1], **PIECES)
            torch.testing.assert_close(after[row], expected[0, :, -1:], **PIECES)


@pytest.mark.parametrize(
    ("attention", "message"),
    [
        (
            Attention(mask=Causal() & GlobalTokens(2)),
            r"need a mask of offsets.*: got Causal\(\) & GlobalTokens\(count=2\)",
        ),
        (
            Attention(mask=Causal() & Documents((9,))),
            r"a cache takes masks that positions decide: got Documents\(\(9,\)\)",
        ),
        (Attention(Content() + Bias(torch.zeros(9, 9)), Causal()), r"a cache takes scores of content and positions"),
        (Attention(), r"must not see tokens that are still to come"),
    ],
    ids=repr,
)
def test_what_a_cache_refuses_leaves_it_as_it_was(attention: Attention, message: str):
    k, cache = torch.randn(1, 2, 9, 4), Cache(2, 2, 4, capacity=8)
    with pytest.raises(ValueError, match=message):
        cache.append(k, k, attention, Documents((4, 5)))
    assert cache.lengths == (0, 0)


def test_the_longest_document_bounds_what_a_table_must_cover():
    band = Documents(((3, 9), (5,))).facts(Attention().places(12, 12)).band[0]
    assert band == (-8, 8)
    shifted = Documents((3, 9)).facts(Places(Sequence(12, 5, 2), Sequence(12, 1, 2))).band[0]
    assert shifted == (-4 - 16, -4 + 16)


@settings(max_examples=examples(200))
@given(mask=documents(11))
def test_spans_are_the_documents_and_leave_out_every_pad(mask: Documents):
    """What the kernel on the GPU is told: of each token the pairs of the mask and no others."""
    S, B = 11, 2
    numbers = mask.numbers(S, CPU)
    first, last = spans_of(numbers).expand(2, B, S)
    tokens = torch.arange(S)
    found = (first[:, :, None] <= tokens) & (tokens <= last[:, :, None])
    assert torch.equal(found, pairs(mask, B, S, S))


def test_who_computes_documents_on_a_gpu():
    q = torch.empty(2, 8, 4096, 64, dtype=torch.bfloat16, device="meta")

    def chosen(mask: Mask) -> str:
        return plan(q, q, q, Attention(mask=mask), device="h200").chosen

    lengths, ids = torch.tensor([[2000, 2000], [4000, 96]]), torch.zeros(2, 4096).long()
    assert chosen(Documents(((2000, 2000), (4000, 96))) & Causal()) == "tiled"
    assert chosen(Documents(lengths) & Causal()) == "tiled"
    assert chosen(Documents(ids=ids)) == "tiled"
    assert chosen(Documents(lengths) & Window(64)) == "tiled"


def test_maps_show_documents():
    x = torch.zeros(1, 1, 4, 2)
    found = weights(x, x, Attention(mask=Documents((1, 2)) & Causal()))[0, 0]
    assert found.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 0]]
