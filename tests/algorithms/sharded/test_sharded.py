"""Tokens on several processes give what they give on one: outputs, gradients and models, or a reason why not."""

import json
import zlib
from dataclasses import fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard import Attention, attend, plan
from regard.algorithms import Context, Prepared, Refused
from regard.algorithms.sharded.pairs import Schedule, schedule
from regard.attention import (
    Causal,
    Content,
    Documents,
    Elu,
    Grid,
    Hard,
    Kernel,
    KeyPadding,
    Mask,
    Neighbours,
    Softmax,
    Window,
)
from regard.models import BlockConfig, Decoder, DecoderConfig, PositionConfig
from tests.algorithms.cases import Case, cases
from tests.algorithms.sharded.models import LENGTHS
from tests.algorithms.sharded.workers import everything, spawn
from tests.budget import examples

ROUTES = ("gathered", "ring")


def num_moved(case: Case) -> int:
    return len([field for field in fields(case) if getattr(case, field.name) != field.default])


def number(case: Case) -> int:
    return zlib.crc32(str(case).encode())


def todo(one_in: int, count: int) -> list[tuple[Case, str | None, bool]]:
    """Every move alone and one of so many combinations; route and layout by turns, others for other counts."""
    chosen = []
    for case in cases():
        n = number(case) + count
        if num_moved(case) > 1 and n % one_in:
            continue
        route = None if n % 5 == 0 or case.weighting == "hard" else ROUTES[n % 2]
        chosen.append((case, route, (n >> 3) % 2 == 0))
    return chosen


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """One start of three processes."""
    return spawn(3, everything, todo(10**9, 3)[::8], ["documents"])


def test_parts_give_what_the_whole_gives(found: dict[str, Any]):
    assert found["wrong"] == []


def test_models_read_their_part(found: dict[str, Any]):
    assert len(found["models"]) == 5
    assert {name: gap for name, gap in found["models"].items() if not gap < 1e-8} == {}


def test_what_nobody_sees_may_be_nan(found: dict[str, Any]):
    assert {name: gap for name, gap in found["nan"].items() if not gap < 1e-12} == {}


def test_a_wrong_route_would_be_caught(found: dict[str, Any]):
    assert len(found["broken"]) == 4
    assert [name for name, problems in found["broken"].items() if not problems] == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_all_moves_pairs_of_them_and_all_rows(count: int):
    found = spawn(count, everything, todo(16, count), list(LENGTHS))
    assert found["wrong"] == []
    assert {name: gap for name, gap in found["models"].items() if not gap < 1e-8} == {}
    assert {name: gap for name, gap in found["nan"].items() if not gap < 1e-12} == {}
    assert [name for name, problems in found["broken"].items() if not problems] == []


@settings(max_examples=examples(100))
@given(tokens=st.integers(1, 200), count=st.integers(1, 12), balanced=st.booleans())
def test_runs_are_the_sequence(tokens: int, count: int, balanced: bool):
    if tokens < count:
        with pytest.raises(ValueError, match=f"each process needs a token: got tokens={tokens} for {count} processes"):
            Context(tokens, count, balanced=balanced)
        return
    parts = [Context(tokens, count, rank, balanced=balanced) for rank in range(count)]
    assert sorted([i for part in parts for run in part.runs() for i in run]) == list(range(tokens))
    x = torch.arange(tokens)[None]
    assert all(part.split(x)[0].tolist() == part.indices().tolist() for part in parts)
    held = [part.held() for part in parts]
    assert min(held) >= 1
    assert max(held) - min(held) <= 2


def of_mask(mask: Mask, tokens: int = 4096, count: int = 8, balanced: bool = True) -> Schedule:
    value = Attention(mask=mask)
    return schedule(mask, value.places(tokens, tokens), Context(tokens, count, balanced=balanced))


def work(found: Schedule) -> list[int]:
    """Pairs of each process, in the runs that it computes."""
    return [sum([pair.size for pairs in steps for pair in pairs]) for steps in found.pairs]


def test_causal_work_is_balanced():
    balanced, in_order = work(of_mask(Causal())), work(of_mask(Causal(), balanced=False))
    assert max(balanced) < 1.07 * min(balanced)  # the last has one longer run, of which half is hidden
    assert max(in_order) == 8 * min(in_order)


def test_what_nobody_needs_is_neither_sent_nor_computed():
    assert of_mask(Window(before=64), balanced=False).steps == (0, 1)
    assert of_mask(Window(before=600) & Causal(), balanced=False).steps == (0, 1, 2)
    assert of_mask(Documents((1024, 3072)), balanced=False).steps == (0, 1, 2, 3, 4, 5, 6, 7)
    assert len([pair for step in of_mask(Documents((1024, 3072)), balanced=False).pairs[0] for pair in step]) == 2
    assert of_mask(KeyPadding((512, 100)), balanced=False).pairs[7][0] == ()
    on_grid = Attention(mask=Neighbours(3, 3), queries=Grid(64, 64), keys=Grid(64, 64))
    found = schedule(on_grid.mask, on_grid.places(4096, 4096), Context(4096, 8, balanced=False))
    assert found.steps == (0, 1, 7)
    # Lengths that are data are not read: all processes must agree without waiting for a device.
    assert len(of_mask(Documents(torch.tensor([1024, 3072])), balanced=False).steps) == 8


def shape(tokens: int, count: int) -> torch.Tensor:
    held = Context(tokens, count).held()
    return torch.empty(1, 32, held, 128, device="meta", dtype=torch.bfloat16, requires_grad=True)


def planned(tokens: int, value: Attention, **options: Any) -> Any:
    q = shape(tokens, 8)
    return plan(q, q[:, :8], q[:, :8], value, device="h200", prepared=Prepared(Context(tokens, 8)), **options)


def test_the_plan_says_which_route_and_what_is_received():
    causal = Attention(mask=Causal())
    short, long = planned(512, causal), planned(1 << 17, causal)
    assert (short.chosen, long.chosen) == ("gathered", "ring")
    gathered, ring = json.loads(long.json())["candidates"]
    shard = 8 * (128 + 128) * (1 << 17) // 8 * 2  # heads of keys, both widths, tokens of one process, bytes of a number
    assert gathered["cost"]["sent"] == 2 * 7 * shard  # keys and values there, their gradients back
    assert ring["cost"]["sent"] == 3 * 7 * shard  # keys and values twice
    assert "received" in str(long)
    assert "received" not in str(plan(shape(64, 1), shape(64, 1), shape(64, 1)))


def test_the_link_decides_and_so_does_a_name():
    """A link of which arithmetic hides the time is for the ring, one that all wait for is for what receives less."""
    q, causal = shape(1 << 16, 8), Attention(mask=Causal())
    for options, chosen in (
        ({"link": 50e9}, "ring"),
        ({"link": 1e9}, "gathered"),
        ({"route": "gathered"}, "gathered"),
        ({"route": "ring", "link": 1e9}, "ring"),
    ):
        prepared = Prepared(Context(1 << 16, 8, **options))
        assert plan(q, q[:, :8], q[:, :8], causal, device="h200", prepared=prepared).chosen == chosen


@pytest.mark.parametrize(("balanced", "neighbours"), [(False, 1), (True, 2)])
def test_a_window_is_not_sent_round_the_whole_ring(balanced: bool, neighbours: int):
    q, context = shape(1 << 16, 8), Context(1 << 16, 8, balanced=balanced)
    value = Attention(mask=Causal() & Window(before=1000))
    cost = plan(q, q, q, value, device="h200", prepared=Prepared(context)).candidates[1].cost
    assert cost is not None
    assert cost.sent == 3 * neighbours * 32 * (128 + 128) * (1 << 13) * 2


def test_refusals_have_reasons():
    x = torch.randn(1, 2, 6, 4)
    alone = Prepared(Context(6, 1))
    with pytest.raises(
        Refused, match=r"'ring' refuses: shards are joined by their log-sum-exps, and Hard\(\) has none"
    ):
        attend(x, x, x, Attention(weighting=Hard()), algorithm="ring", prepared=alone)
    with pytest.raises(Refused, match="'ring' refuses: goes back by computing each shard again"):
        attend(x, x, x, dropout=0.5, algorithm="ring", prepared=alone)
    with pytest.raises(ValueError, match="unknown algorithm 'rings' for tokens on several processes: did you mean"):
        attend(x, x, x, algorithm="rings", prepared=alone)
    with pytest.raises(ValueError, match="unknown algorithm 'reference' for tokens on several processes"):
        attend(x, x, x, algorithm="reference", prepared=alone)
    hard = planned(1 << 14, Attention(weighting=Hard()))
    assert hard.chosen == "gathered"
    assert hard.candidates[1].refusal.startswith("shards are joined")


def test_bad_input():
    x = torch.randn(1, 2, 6, 4)
    with pytest.raises(
        ValueError, match=r"q must have the 4 tokens that process 1 of 2 holds of 8: got 6; use context"
    ):
        attend(x, x, x, prepared=Prepared(Context(8, 2, 1, group=Any)))  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="the parts are on 2 processes: got a Context without a group"):
        attend(x, x, x, prepared=Prepared(Context(12, 2)))
    with pytest.raises(ValueError, match="x must have the 12 tokens of the sequence along dimension 2: got shape"):
        Context(12, 2).split(x, 2)
    with pytest.raises(ValueError, match=r"rank must lie in 0…1: got rank=2"):
        Context(12, 2, 2)
    with pytest.raises(ValueError, match="this process's 6 tokens along dimension 1: got shape"):
        Context(6, 1).join(x)
    with pytest.raises(ValueError, match="lengths must lie in 0…S=6: got 7 in row 0"):  # of the whole
        attend(x, x, x, Attention(mask=KeyPadding((7,))), prepared=Prepared(Context(6, 1)))


def decoder() -> Decoder:
    block = BlockConfig(width=16, num_heads=2)
    positions = PositionConfig(kind="rotary", context=16)
    return Decoder(DecoderConfig(vocabulary=11, depth=1, block=block, positions=positions))


def test_a_model_refuses_what_is_of_whole_sequences():
    model, tokens, context = decoder(), torch.randint(11, (1, 6)), Context(6, 1)
    assert torch.allclose(model(tokens, context=context).logits, model(tokens).logits, atol=1e-6)
    with pytest.raises(ValueError, match="got a context with caches, maps or a memory"):
        model(tokens, maps=True, context=context)
    with pytest.raises(ValueError, match="got a context with caches, maps or a memory"):
        model(tokens, caches=model.caches(1, 8), context=context)
    with pytest.raises(ValueError, match=r"tokens must be the 3 that process 0 of 2 holds: got 6; use context.split"):
        model(tokens, context=Context(6, 2))


def test_one_process_is_the_whole_too():
    """Both routes, every weighting, and dropout that keeps the mean."""
    x = torch.randn(1, 2, 9, 4, generator=torch.Generator().manual_seed(0))
    alone = Prepared(Context(9, 1))
    for scores, weighting in (
        (Content(beta=-0.3), Softmax()),
        (Content(cap=2), Softmax(torch.tensor([0.5, -torch.inf]))),
        (Content(), Kernel(Elu())),
    ):
        value = Attention(scores, Causal(), weighting)
        whole = attend(x, x, x, value)
        for route in ROUTES:
            assert torch.allclose(attend(x, x, x, value, algorithm=route, prepared=alone), whole, atol=1e-5)
    many = x[:, :1].expand(4000, -1, -1, -1)
    dropped = attend(many, many, torch.ones_like(many), dropout=0.5, prepared=Prepared(Context(9, 1)))
    assert abs(float(dropped.mean()) - 1) < 0.02


def test_there_is_no_second_derivative():
    x = torch.randn(1, 2, 6, 4, requires_grad=True)
    out = attend(x, x, x, algorithm="ring", prepared=Prepared(Context(6, 1)))
    (grad,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivative"):
        grad.sum().backward()


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")  # of torch's compiler itself
def test_a_compiled_model_stops_where_processes_speak():
    model, tokens = decoder(), torch.randint(11, (1, 6))
    compiled = torch.compile(model, backend="eager")
    found = compiled(tokens, context=Context(6, 1)).logits
    assert torch.allclose(found, model(tokens).logits, atol=1e-6)
