"""The numbers behind patterns and cost, beside the library's own."""

import json
from typing import Any

import numpy as np
import pytest
import torch

from regard.algorithms import plan
from regard.analysis import picture, reach
from regard.attention import Attention, Grid, Places, Sequence
from regard.attention.notation import parse_mask, placeholder
from regard.claims.eecs.costs import counted
from regard.explore.api import Binary, find_endpoint, to_json
from regard.explore.requests import CHOICES
from regard.explore.views.patterns import PRESETS
from regard.explore.workspace import Workspace


def ask(name: str, **asked: Any) -> Any:
    found = find_endpoint(name)
    return found.answer(Workspace(), found.parse(asked))


def cells(found: Binary, *shape: int) -> np.ndarray:
    return np.frombuffer(found.data, np.uint8).reshape(shape)


@pytest.mark.parametrize(
    ("mask", "grid"),
    [("causal & (window(3) | strided(5))", None), ("tiles(4, 4, down=2, right=2)", (9, 7)), ("padding(20, 50)", None)],
)
def test_a_pattern_is_the_librarys(mask: str, grid: tuple[int, int] | None):
    found = ask("pattern", mask=mask, tokens=60, grid=grid, block=16)
    places = Attention().places(60, 60) if grid is None else Places(Grid(*grid), Grid(*grid))
    theirs = picture(parse_mask(mask), places, block=16)
    head = found.header
    counts = theirs.counts
    assert (head.visible, max(head.most), head.blocks, head.visited, head.visited_pairs, head.pairs) == (
        counts.visible, counts.most, counts.blocks, counts.visited, counts.visited_pairs, theirs.pairs
    )  # fmt: skip
    assert head.cell == theirs.cell == 1
    assert np.array_equal(cells(found, head.rows, head.columns), np.array(theirs.cells))
    assert head.fewest == head.most == (np.array(theirs.cells) > 0).sum(1).tolist()


def test_a_large_map_is_pooled_and_its_counts_are_exact():
    head = (found := ask("pattern", mask="causal & window(256)", tokens=100_000)).header
    assert head.visible == sum(min(i, 256) + 1 for i in range(100_000))
    assert (head.cell, head.rows) == (256, 391)
    levels = cells(found, head.rows, head.columns)
    assert (set(levels.diagonal()), set(levels.diagonal(-1))) == ({1}, {1})
    assert levels.sum() == 2 * head.rows - 1


def test_every_machine_that_is_offered_has_a_plan_that_says_what_was_measured():
    for device in ask("presets").devices:
        found = ask("plan", tokens=64, device=device)
        assert (found.device, "not measured" in found.basis) == (device, device not in ("cpu", "h200"))


def test_a_plan_is_the_librarys():
    found = ask("plan", mask="causal & window(64)", tokens=2048, heads=4, width=32, batch=2, backward=True)
    assert (
        found.value
        == "Attention(scores=Content(beta=None), mask=Causal() & Window(before=64, after=0), weighting=Softmax())"
    )
    q = placeholder((2, 4, 2048, 32), torch.bfloat16, learns=True)
    theirs = json.loads(plan(q, q, q, Attention(mask=parse_mask("causal & window(64)")), device="h200").json())
    assert (found.chosen, found.device, found.dtype, found.shape) == (
        theirs["chosen"], theirs["device"], theirs["dtype"], theirs["shape"]
    )  # fmt: skip
    assert found.basis == theirs["table"]["basis"] == "measured on an H200"
    by_name = {one.name: one for one in found.candidates}
    assert found.candidates[0].name == theirs["chosen"]
    for one in theirs["candidates"]:
        ours = by_name[one["name"]]
        assert (ours.seconds, ours.refusal) == (one["seconds"], one["refusal"])
        assert (ours.flops, ours.bytes, ours.memory) == tuple(
            (one["cost"] or {}).get(key) for key in ("flops", "bytes", "memory")
        )
    known = [one.seconds for one in found.candidates if one.seconds is not None]
    assert known == sorted(known)
    assert all(one.refusal for one in found.candidates[len(known) :])
    assert found.full.name == "fused"


def test_heads_share_keys_and_values():
    found = ask("plan", mask="causal", tokens=2048, heads=8, groups=2, width=32)
    q, k = (placeholder((1, heads, 2048, 32), torch.bfloat16, learns=False) for heads in (8, 2))
    theirs = json.loads(plan(q, k, k, Attention(mask=parse_mask("causal")), device="h200").json())
    assert (found.chosen, found.shape) == (theirs["chosen"], theirs["shape"])
    assert found.inputs == 2048 * 32 * 2 * (8 + 2 * 2)
    wrong = ask("mechanism", heads=8, groups=3).wrong
    assert wrong == {"groups": "groups must divide heads: got heads=8, groups=3; use 1, 2 or 4"}
    alone, shared = (
        {curve.name: curve for curve in ask("growth", heads=8, groups=groups, width=32).curves}["projections"].flops
        for groups in (8, 2)
    )
    assert shared == [flops * (2 + 2 * 2 / 8) / 4 for flops in alone]  # W_Q and W_O as before, W_K and W_V a quarter


def test_an_address_may_name_the_machines_and_types_that_there_are():
    assert sorted(CHOICES["patterns"]["device"]) == sorted(ask("presets").devices)
    found = {name: ask("plan", dtype=name or None).dtype for name in CHOICES["patterns"]["dtype"]}
    assert found == {name: name or "bfloat16" for name in found}


def test_costs_cross_where_the_formulas_say():
    """`eecs.2d`: at twice the width of all heads, with a causal mask at four times it, less one."""
    full, causal = (ask("growth", mask=mask, heads=4, width=32) for mask in ("everything", "causal"))
    crossings = {(one.left, one.right): one.tokens for one in causal.crossings if one.quantity == "flops"}
    assert crossings == {("this mechanism", "projections"): 4 * 128 - 1, ("full attention", "projections"): 2 * 128}
    curves = {curve.name: curve for curve in full.curves}
    parts = counted("self").modules[0]
    for place in (0, 5, -1):
        N = full.tokens[place]
        assert curves["projections"].flops[place] == parts.rest(N=N, D=128)
        assert curves["full attention"].flops[place] == parts.attention(N=N, D=128)
    assert curves["projections"].exponent["flops"] == pytest.approx(1)
    assert curves["full attention"].exponent["flops"] == pytest.approx(2)


def test_a_crossing_is_exact_to_a_token():
    growth = ask("growth", mask="window(64, 64)", device="cpu")
    (crossing,) = [one for one in growth.crossings if (one.quantity, one.right) == ("seconds", "full attention")]

    def is_less(tokens: int) -> bool:
        found = ask("plan", mask="window(64, 64)", device="cpu", tokens=tokens)
        return found.candidates[0].seconds < found.full.seconds

    assert (is_less(crossing.tokens - 1), is_less(crossing.tokens), crossing.more) == (False, True, False)


@pytest.mark.parametrize(
    ("mask", "quantity", "reaches", "is_exact"),
    [
        pytest.param("window(64, 64) | global_tokens(4)", "flops", [479, 515, 557], False, marks=pytest.mark.slow),
        ("causal & window(256)", "seconds", [1535, 1538, 1580], True),
        pytest.param("causal & (window(64) | strided(64))", "flops", [222, 258, 402], False, marks=pytest.mark.slow),
    ],
)
def test_a_crossing_is_the_last_though_costs_have_jumps(mask: str, quantity: str, reaches: list[int], is_exact: bool):
    """Sizes after the first crossing at which the mechanism costs more again are before the one that is told, which is
    exact where no cost drops: `blockwise` goes by another kernel where there is more to do.
    """
    crossings = ask("growth", mask=mask).crossings
    (found,) = [one for one in crossings if (one.quantity, one.right) == (quantity, "full attention")
                and one.left == "this mechanism"]  # fmt: skip

    def is_less(tokens: int) -> bool:
        plan = ask("plan", mask=mask, tokens=tokens)
        return getattr(plan.candidates[0], quantity) < getattr(plan.full, quantity)

    assert not all(is_less(tokens) for tokens in reaches)
    assert found.tokens > reaches[-1]
    assert not is_less(found.tokens - 1)
    edges = [edge + by for edge in range(128, 2 * found.tokens, 128) for by in (0, 1)]
    sizes = [*range(found.tokens, found.tokens + 60, 3), *[tokens for tokens in edges if tokens >= found.tokens]]
    assert [tokens for tokens in sizes if not is_less(tokens)] == []
    assert found.exact == is_exact


def test_a_mask_with_lengths_of_its_own_has_no_growth():
    for mask in ("documents(40, 24)", "padding(64, 30) & causal"):
        with pytest.raises(ValueError, match=r"does not grow with the tokens: got .* which holds 64 tokens"):
            ask("growth", mask=mask)
        assert ask("mechanism", mask=mask, tokens=100).length == 64
    assert ask("mechanism", mask="causal").length is None


def test_a_mask_that_looks_back_is_beside_causal_attention():
    own, causal = ask("plan", mask="window(64)", tokens=2048), ask("plan", mask="causal", tokens=2048)
    assert (own.causal.flops, own.causal.seconds) == (causal.candidates[0].flops, causal.candidates[0].seconds)
    assert causal.causal is None
    assert ask("plan", mask="window(64, 64)", tokens=2048).causal is None


@pytest.mark.parametrize(
    ("masks", "grid"),
    [(["causal & window(5)"], None), (["tiles(4, 4)", "tiles(4, 4, down=2, right=2)"], [8, 12]), (["axial"], [6, 5])],
)
def test_a_receptive_field_is_the_librarys(masks: list[str], grid: list[int] | None):
    found = ask("reach", masks=masks, tokens=40, grid=grid, layers=4)
    tokens = Sequence(40) if grid is None else Grid(grid[0], grid[1])
    theirs = reach([parse_mask(mask) for mask in masks], tokens, 4)
    assert to_json(found.header)["depths"] == json.loads(theirs.json())["depths"]
    assert (found.header.output, found.header.settled) == (theirs.output, theirs.settled)
    assert np.array_equal(cells(found, 4, tokens.count), theirs.reached.numpy())
    assert (found.header.formula is None) == (theirs.formula is None)


def test_what_is_wrong_with_the_words_is_said_by_field():
    wrong = ask("mechanism", mask="causl", scores="row_table", weighting="softmaks").wrong
    assert "got 'causl' at character 1; did you mean causal?" in wrong["mask"]
    assert "needs a grid" in wrong["scores"]
    assert "softmax" in wrong["weighting"]
    needs = {"axial": None, "causal": (8, 8)}
    for mask, grid in needs.items():
        there, here = ("on a grid", "in a line")[:: 1 if grid is None else -1]
        said = f"{mask} is for tokens {there}: got tokens {here}; change the mask or the grid"
        assert ask("mechanism", mask=mask, grid=grid).wrong == {"mask": said}
    assert "0…S=40: got 50" in ask("mechanism", mask="padding(30, 50)", tokens=40).wrong["mask"]
    assert "use Content() alone" in ask("mechanism", scores="gaussian", weighting="elu").wrong["weighting"]
    assert "needs tokens in a line" in ask("mechanism", scores="content + slopes", grid=(4, 4)).wrong["scores"]
    fine = ask("mechanism", mask="axial", grid=(8, 8))
    assert (fine.wrong, "Axial()" in fine.value) == ({}, True)


def test_what_cannot_be_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"tokens must be at most 4,096 here: got 4,097"):
        ask("reach", tokens=4097)
    with pytest.raises(ValueError, match=r"row must be one of the 2 .* got 2; use 0"):
        ask("pattern", mask="padding(3, 4)", tokens=4, row=2)
    with pytest.raises(ValueError, match="got 'causl' at character 1"):
        ask("growth", mask="causl")
    with pytest.raises(ValueError, match="tokens: Input should be less than or equal to 131072"):
        ask("plan", tokens=131_073)


def test_every_preset_can_be_asked():
    assert [preset.name for preset in ask("presets").presets] == [preset.name for preset in PRESETS]
    for preset in PRESETS:
        asked = preset.model_dump(include={"mask", "scores", "weighting", "grid"})
        assert ask("mechanism", **asked).wrong == {}
        assert ask("mechanism", **asked | {"mask": preset.second or preset.mask}).wrong == {}
        assert ask("plan", **asked).chosen
