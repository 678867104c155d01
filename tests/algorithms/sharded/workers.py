"""Processes that speak by gloo: each runs the same calls on its part of the tokens, and one of them compares."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, distributed, multiprocessing

from regard import attend
from regard.algorithms import Context, Prepared
from regard.algorithms.sharded import ring
from regard.algorithms.sharded.pairs import Pair
from regard.attention import Attention, Causal, Documents, KeyPadding, Mask, Places, Sequence
from regard.attention.positions.positions import Cut
from tests.algorithms.cases import Call, Case, build
from tests.algorithms.harness import defined
from tests.algorithms.sharded.models import differences
from tests.tolerances import Results, mismatches

Todo = list[tuple[Case, str | None, bool]]  # a case, the route or None for the cheaper, and whether it is balanced


def spawn(count: int, work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work(*arguments)` returns in the first of `count` processes."""
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(_start, (count, folder, work, arguments), nprocs=count)
        return torch.load(Path(folder) / "result", weights_only=True)


def _start(rank: int, count: int, folder: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    torch.set_num_threads(1)
    store = distributed.FileStore(f"{folder}/store", count)
    distributed.init_process_group("gloo", store=store, rank=rank, world_size=count)
    found = work(*arguments)
    if rank == 0:
        torch.save(found, Path(folder) / "result")
    distributed.barrier()
    distributed.destroy_process_group()


def everything(cases: Todo, rows: list[str]) -> dict[str, Any]:
    """All that the tests ask, of one start of the processes."""
    return {"wrong": compare(cases), "models": differences(rows), "nan": not_numbers(), "broken": broken()}


def compare(cases: Todo) -> list[str]:
    """What is wrong with these cases, whose tokens lie on all processes."""
    count, wrong = distributed.get_world_size(), []
    for case, route, balanced in cases:
        call = build(case, torch.device("cpu"))
        T, S = call.q.shape[2], call.k.shape[2]
        if min(T, S) < count:
            continue
        context = Context.of(distributed.group.WORLD, T, balanced=balanced, memory=None if T == S else S)
        got = results(call, context, route)
        if context.rank == 0:
            where = f"{case} by {route}, balanced={balanced}, {count} processes"
            wrong += [f"{where}: {problem}" for problem in mismatches(got, *defined(call))]
    return wrong


def results(call: Call, context: Context, route: str | None) -> Results:
    """All that a call gives, from the parts of all processes: outputs joined, gradients added up."""
    q = context.split(call.q, 2)
    k, v = (
        torch.cat([x[:, :, run.start : run.stop] for run in context.runs(memory=True)], 2) for x in (call.k, call.v)
    )
    found: Any = attend(
        q, k, v, call.attention, algorithm=route, return_lse=call.return_lse, prepared=Prepared(context)
    )
    outputs = found if call.return_lse else (found,)
    leaves = {"q": call.q, "k": call.k, "v": call.v}
    leaves |= {f"term {n}": x for n, x in enumerate(call.attention.flatten()[1]) if x.is_floating_point()}
    leaves = {name: x for name, x in leaves.items() if x.requires_grad}
    seeds = [context.split(grad, 2) for grad in call.grads]
    pairs = [(out, seed) for out, seed in zip(outputs, seeds, strict=True) if out.requires_grad]
    grads = [torch.zeros_like(x) for x in leaves.values()]
    if leaves and pairs:
        heads, seeds = zip(*pairs, strict=True)
        grads = [*torch.autograd.grad(heads, list(leaves.values()), seeds, materialize_grads=True)]
    for grad in grads:
        wide = grad.to(torch.promote_types(grad.dtype, torch.float32))
        distributed.all_reduce(wide, group=context.group)
        grad.copy_(wide)
    joined = {name: context.join(x.detach(), 2) for name, x in zip(("out", "lse"), outputs, strict=False)}
    return joined | {f"gradient of {name}": grad for name, grad in zip(leaves, grads, strict=True)}


def not_numbers() -> dict[str, float]:
    """The largest difference that NaN makes in keys and values that nobody sees."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 2, 21, 8, generator=generator, dtype=torch.float64)
    hidden = torch.zeros(2, 21, dtype=torch.bool)
    hidden[0, 15:], hidden[1, 4:] = True, True
    masks: dict[str, Mask] = {
        "padding": KeyPadding((15, 4)) & Causal(),
        "padding as data": KeyPadding(torch.tensor([15, 4])),
        "documents": Documents(((9, 6), (2, 2))) & Causal(),
    }
    context = Context.of(distributed.group.WORLD, 21)
    found = {}
    for name, mask in masks.items():
        for route in ("ring", "gathered"):
            outs = []
            for bad in (x, x.masked_fill(hidden[:, None, :, None], torch.nan)):
                parts = [context.split(part, 2).requires_grad_() for part in (x, bad, bad)]
                out = attend(*parts, Attention(mask=mask), algorithm=route, prepared=Prepared(context))
                outs.append((out, *torch.autograd.grad(out.sum(), parts)))
            gaps = [(one - other).abs().max() for one, other in zip(*outs, strict=True)]
            found[f"{name} by {route}"] = float(max(gaps))
    return found


CONTROLS = [
    (Case(mask="causal", scores="slopes"), "ring", True),
    (Case(mask="causal", weighting="sink"), "ring", False),
]


def broken() -> dict[str, list[str]]:
    """What the comparison says of routes that are wrong on purpose."""

    def start_at_0(cut: Cut) -> Places:
        return Places(Sequence(len(cut.queries)), Sequence(len(cut.keys)))

    def see_own_keys(around: ring.Round, source: int) -> tuple[Pair, ...]:
        return pieces(around, source) if source == around.context.rank else ()

    def forget_rows(grad: Tensor, grad_lse: Tensor | None, out: Tensor, lse: Tensor) -> ring.Back:
        return ring.Back(grad, torch.zeros_like(lse), out, lse, by_output=False)

    pieces, found = ring.Round.pieces, {}
    for name, owner, attribute, instead in (
        ("all pieces stand at 0", Cut, "places", property(start_at_0)),
        ("shards weigh alike", ring, "_share", lambda part, total: torch.full_like(part, 0.5)),
        ("only own keys are seen", ring.Round, "pieces", see_own_keys),
        ("gradients without their row sums", ring.Back, "of", forget_rows),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, attribute, instead)
            found[name] = compare(CONTROLS)
    return found
