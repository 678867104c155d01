"""`attend` and `weights`: the value in, the result out."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, overload

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from regard.algorithms.planning.planner import choose
from regard.algorithms.planning.problem import check_options, check_tensors, check_types, pose, without_content
from regard.attention import Attention, Content, Kernel, Sum
from regard.attention.reference import weight_map
from regard.attention.value import check_state

PLAIN = Attention()
_choices: dict[Any, Any] = {}
Watcher = Callable[[str, Tensor, Tensor, Tensor, Attention], tuple[str, AbstractContextManager[None]]]
_watchers: list[Watcher] = []
parts: list[str] = []


@overload
def attend(
    q: Tensor | None,
    k: Tensor | None,
    v: Tensor,
    attention: Attention = PLAIN,
    *,
    dropout: float = 0.0,
    algorithm: str | None = None,
    return_lse: Literal[False] = False,
) -> Tensor: ...


@overload
def attend(
    q: Tensor | None,
    k: Tensor | None,
    v: Tensor,
    attention: Attention = PLAIN,
    *,
    dropout: float = 0.0,
    algorithm: str | None = None,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...


def attend(
    q: Float[Tensor, "B H T D"] | None,
    k: Float[Tensor, "B G S D"] | None,
    v: Float[Tensor, "B G S E"],
    attention: Attention = PLAIN,
    *,
    dropout: float = 0.0,
    algorithm: str | None = None,
    return_lse: bool = False,
) -> Float[Tensor, "B H T E"] | tuple[Float[Tensor, "B H T E"], Float[Tensor, "B H T"]]:
    """Attention, by the cheapest algorithm that is exact for it.

        o_i = Σ_j softmax_j(scores_ij where the mask allows) · v_j

    Grouped heads: G divides H. A row that may see nothing gives zeros, and so do its gradients. `dropout` acts on the
    weights. `algorithm` names one, which raises `Refused` where it is not exact. `return_lse` gives the log-sum-exp of
    each row's logits too, shape (B, H, T), in at least float32. Scores without `Content` need no q and k: give None,
    and the terms say H, the positions T.

    >>> q, k, v = (torch.ones(1, 1, 2, 4) for _ in range(3))
    >>> attend(q, k, v).shape
    torch.Size([1, 1, 2, 4])
    """
    check_options(attention, dropout, return_lse)
    if q is None or k is None:
        q, k = without_content(q, k, v, attention)
    # Whatever autocast would say, q, k and v say the type of the result, and logits are never narrowed.
    if not q.is_meta and torch.is_autocast_enabled(q.device.type):
        with torch.autocast(q.device.type, enabled=False):
            return attend(q, k, v, attention, dropout=dropout, algorithm=algorithm, return_lse=return_lse)  # pyright: ignore[reportCallIssue, reportArgumentType]
    content = attention.content
    signed = content is not None and content.beta is not None and content.beta <= 0
    if signed and not isinstance(attention.weighting, Kernel):
        q, attention = _with_positive_beta(q, attention)
    if _watchers and not torch.compiler.is_compiling():
        chosen = _choose(q, k, v, attention, dropout, algorithm, return_lse)
        with _disable_current_modes():
            name, watching = _watchers[-1](chosen.NAME, q, k, v, attention)
            if name != chosen.NAME:
                chosen = _choose(q, k, v, attention, dropout, name, return_lse)
        with watching:
            out, lse = chosen.run(q, k, v, attention, dropout=dropout, return_lse=return_lse)
        return (out, lse) if return_lse else out
    chosen = _choose(q, k, v, attention, dropout, algorithm, return_lse)
    out, lse = chosen.run(q, k, v, attention, dropout=dropout, return_lse=return_lse)
    return (out, lse) if return_lse else out


@contextmanager
def part(name: str) -> Iterator[None]:
    """Tell who watches what products are for: "mixing" of values, or their "projection"."""
    parts.append(name)
    try:
        yield
    finally:
        parts.pop()


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Tell `by` of every call of `attend`: the algorithm's name and the operands.

    It gives the name of the algorithm to run, mostly the same, and what the call runs in.
    """
    _watchers.append(by)
    try:
        yield
    finally:
        _watchers.pop()


def _with_positive_beta(q: Tensor, attention: Attention) -> tuple[Tensor, Attention]:
    """The same logits with β > 0: kernels hide a pair by −∞ before they scale, and −∞·β must stay −∞."""
    terms = []
    for term in attention.scores.terms:
        if isinstance(term, Content):
            assert term.beta is not None
            q, term = (-q, Content(-term.beta)) if term.beta < 0 else (0 * q, Content(1.0))
        terms.append(term)
    scores = terms[0] if len(terms) == 1 else Sum(tuple(terms))
    return q, Attention(scores, attention.mask, attention.weighting, attention.queries, attention.keys)


def _choose(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float, algorithm: str | None, return_lse: bool
) -> Any:
    """The choice for such a call, remembered by everything that it depends on. Contents are checked every time."""
    if torch.compiler.is_compiling():
        return choose(pose(q, k, v, attention, dropout=dropout, return_lse=return_lse), algorithm)
    key = (*traits(q, k, v, attention), dropout > 0, algorithm, return_lse)
    return remembered(
        key,
        lambda: choose(pose(q, k, v, attention, dropout=dropout, return_lse=return_lse), algorithm),
        q,
        k,
        v,
        attention,
    )


def remembered(key: Any, decide: Callable[[], Any], q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> Any:
    """What was decided for this key, or is now; tensors inside the value are checked in any case."""
    chosen = _choices.get(key)
    if chosen is None:
        with _disable_current_modes():  # a choice is made from sizes alone, whatever mode watches the arithmetic
            chosen = decide()
        if len(_choices) > 10_000:
            _choices.clear()
        _choices[key] = chosen
    elif attention.__dict__["flat"][1]:
        attention.check(check_tensors(q, k, v))
    return chosen


def traits(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[Any, ...]:
    """Sizes, types, devices, kinds and whether gradients are wanted: all that a choice may depend on."""
    flat = attention.__dict__.get("flat")
    if flat is None:  # a value never changes: take it apart once
        check_state(attention)
        flat = attention.__dict__["flat"] = attention.flatten()
    structure, tensors = flat
    grads = torch.is_grad_enabled()
    sizes = (q.shape, k.shape, v.shape, q.dtype, k.dtype, v.dtype, q.device, k.device, v.device)
    wanted = grads and (q.requires_grad or k.requires_grad or v.requires_grad)
    return sizes, wanted, structure, *[(x.shape, x.dtype, x.device, grads and x.requires_grad) for x in tensors]


def weights(
    q: Float[Tensor, "B H T D"] | None, k: Float[Tensor, "B G S D"] | None, attention: Attention = PLAIN
) -> Float[Tensor, "#B H T S"]:
    """The attention map, quadratic in memory: computed when, and only when, somebody asks.

    Without content it is one map for every batch, (1, H, T, S), unless a bias or the mask has rows of its own; q and k
    may be None where the value has positions.

    >>> weights(torch.zeros(1, 1, 1, 4), torch.zeros(1, 1, 2, 4))
    tensor([[[[0.5000, 0.5000]]]])
    """
    check_options(attention, 0.0, return_lse=False)
    if q is None or k is None:
        q, k = _placed(q, k, attention)
    attention.check(check_tensors(q, k, k if k.shape[3] else k.new_empty(*k.shape[:3], 1)))
    check_types(q, attention)
    if not q.is_meta and torch.is_autocast_enabled(q.device.type):
        with torch.autocast(q.device.type, enabled=False):
            return weights(q, k, attention)
    return weight_map(q, k, attention).to(q.dtype)


def _placed(q: Tensor | None, k: Tensor | None, attention: Attention) -> tuple[Tensor, Tensor]:
    """Queries and keys of width zero for a map that needs none: as many as the value's positions."""
    keys = attention.queries if attention.keys is None else attention.keys
    if keys is None:
        raise ValueError("a map without q and k needs positions: got none; use keys=Sequence(n) or Grid(h, w)")
    tensors = attention.flatten()[1]
    floating = [x for x in tensors if x.is_floating_point()]
    like = floating[0] if floating else torch.empty(0)
    return without_content(q, k, like.new_empty(1, 1, keys.count, 1), attention)
