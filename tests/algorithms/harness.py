"""The check that every algorithm goes through, and every deliberately broken one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from regard import attend, plan
from regard.algorithms import Refused
from regard.algorithms.catalogue import PLANNER
from regard.attention import Attention, Kernel
from regard.attention.reference import reference
from tests.algorithms.cases import Call
from tests.tolerances import Results, Sizes, mismatches

REFUSED = "refused"
EQUAL = "equal"


def verdicts(call: Call, names: list[str] | None = None) -> dict[str, str]:
    """For each algorithm, and for the planner's choice, `EQUAL`, `REFUSED`, or what is wrong."""
    own, exact, sizes = defined(call)
    if names is None:
        names = [*(algorithm.name for algorithm in PLANNER.algorithms), "the planner's choice"]
    refusals = _refusals(call)
    return {name: _verdict(name, call, exact, own, sizes, refusals) for name in names}


def defined(call: Call) -> tuple[Results, Results, Sizes]:
    """What the reference gives in the type of the call and in float64, and how large its numbers are."""
    wide = call.widened()
    return _define(call), _define(wide), _sizes(wide)


def wrong(call: Call, names: list[str] | None = None) -> dict[str, str]:
    """The verdicts that are neither of the two that are right."""
    return {name: verdict for name, verdict in verdicts(call, names).items() if verdict not in (EQUAL, REFUSED)}


def _verdict(name: str, call: Call, exact: Results, own: Results, sizes: Sizes, refusals: dict[str, str | None]) -> str:
    algorithm = name if name in [known.name for known in PLANNER.algorithms] else None

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> Any:
        return attend(q, k, v, attention, algorithm=algorithm, return_lse=call.return_lse)

    refusal = refusals[algorithm] if algorithm else None
    if refusal is None:
        return "; ".join(mismatches(results(run, call), own, exact, sizes)) or EQUAL
    try:
        run(call.q, call.k, call.v, call.attention)
    except Refused as error:
        return REFUSED if refusal.strip() and refusal in str(error) else f"refuses without its reason: {error}"
    return f"runs although it refuses: {refusal}"


def _refusals(call: Call) -> dict[str, str | None]:
    """What the plan says of each algorithm."""
    planned = plan(call.q, call.k, call.v, call.attention, return_lse=call.return_lse)
    return {candidate.name: candidate.refusal for candidate in planned.candidates}


def results(run: Callable[..., Any], call: Call) -> Results:
    """All that a call gives: output, log-sum-exp when wanted, and the gradient of everything that learns."""
    outputs = run(call.q, call.k, call.v, call.attention)
    outputs = outputs if call.return_lse else (outputs,)
    leaves = {"q": call.q, "k": call.k, "v": call.v}
    leaves |= {f"term {n}": x for n, x in enumerate(call.attention.flatten()[1]) if x.is_floating_point()}
    leaves = {name: x for name, x in leaves.items() if x.requires_grad}
    pairs = [(out, grad) for out, grad in zip(outputs, call.grads, strict=True) if out.requires_grad]
    grads = [torch.zeros_like(x) for x in leaves.values()]
    if leaves and pairs:
        heads, seeds = zip(*pairs, strict=True)
        grads = torch.autograd.grad(heads, list(leaves.values()), seeds, materialize_grads=True)
    found = {name: x.detach() for name, x in zip(("out", "lse"), outputs, strict=False)}
    return found | {f"gradient of {name}": grad for name, grad in zip(leaves, grads, strict=True)}


def _sizes(call: Call) -> Sizes:
    """Of a call in float64."""
    return Sizes(max(float(grad.abs().max()) for grad in call.grads), _depth(call), _parts(call))


def _parts(call: Call) -> float:
    """The largest gradient through a kernel's numerators alone, as large as that through its denominators."""
    kernel = call.attention.weighting
    leaves = [x for x in (call.q, call.k, *call.attention.flatten()[1]) if x.requires_grad]
    if not (isinstance(kernel, Kernel) and kernel.normalise and leaves):
        return 0.0
    sums = replace(call.attention, weighting=Kernel(kernel.features, normalise=False)).on(call.q.device)
    numerators, _ = reference(call.q, call.k, call.v, sums)
    with torch.no_grad():
        denominators, _ = reference(call.q, call.k, torch.ones_like(call.v[..., :1]), sums)
    seeds = torch.where(denominators == 0, 0, call.grads[0] / denominators)
    grads = torch.autograd.grad(numerators, leaves, seeds, materialize_grads=True)
    return max(float(grad.abs().max()) for grad in grads)


def _depth(call: Call) -> float:
    """How far below zero, or above, the largest logits of the rows lie."""
    with torch.no_grad():
        lse = reference(call.q, call.k, call.v, call.attention)[1]
    if lse is None:  # features are no logits
        return 0.0
    return float(lse.masked_fill(lse.isinf(), 0).abs().max())


def _define(call: Call) -> Results:
    """The results by the reference, the output in the type of v."""

    def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> Any:
        out, lse = reference(q, k, v, attention.on(q.device))
        return (out.to(v.dtype), lse) if call.return_lse else out.to(v.dtype)

    return results(run, call)
