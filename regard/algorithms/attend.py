"""`attend`, `plan` and `weights`: the value in, the result out."""

import functools
from typing import Literal, overload

import torch
from jaxtyping import Float
from torch import Tensor

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.plain_map import is_plain, plain_map
from regard.algorithms.planning.kept import Prepared
from regard.algorithms.planning.planner import Plan
from regard.algorithms.planning.problem import check_options, check_tensors, check_types, pose, without_content
from regard.algorithms.sharded.attend import attend_sharded, plan_sharded
from regard.algorithms.sharded.context import Context
from regard.attention import Attention, Content, Kernel, Sum
from regard.attention.reference import weight_map
from regard.attention.torch_private import is_autocast

PLAIN = Attention()


@overload
def attend(
    q: Tensor | None,
    k: Tensor | None,
    v: Tensor,
    attention: Attention = PLAIN,
    *,
    dropout: float = 0.0,
    algorithm: str | None = None,
    prepared: Prepared | None = None,
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
    prepared: Prepared | None = None,
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
    prepared: Prepared | None = None,
    return_lse: bool = False,
) -> Float[Tensor, "B H T E"] | tuple[Float[Tensor, "B H T E"], Float[Tensor, "B H T"]]:
    """Attention, by the cheapest algorithm that is exact for it.

        o_i = Σ_j softmax_j(scores_ij where the mask allows) · v_j

    Grouped heads: G divides H. A row that may see nothing gives zeros, and so do its gradients. `dropout` acts on the
    weights; kernels round it, on the CPU to a multiple of 2⁻¹⁶, and scale by what they drew. `algorithm` names one,
    which raises `Refused` where it is not exact. `prepared` is where calls with one mask share what they make for it;
    with a context it says that q, k and v are this process's tokens of longer sequences, and `attention` is of these.
    `return_lse` gives the log-sum-exp of each row's logits too, shape (B, H, T), in at least float32. Scores without
    `Content` need no q and k: give None, and the terms say H, the positions T.

    >>> q, k, v = (torch.ones(1, 1, 2, 4) for _ in range(3))
    >>> attend(q, k, v).shape
    torch.Size([1, 1, 2, 4])
    """
    if type(attention) is not Attention or type(dropout) is not float or dropout != 0.0 or return_lse is not False:
        check_options(attention, dropout, return_lse)
    content, context = attention.content, None if prepared is None else _context(prepared)
    if content is None:
        q, k = without_content(q, k, v, attention, None if context is None else context.held())
    if q is None or k is None:
        missing = "q" if q is None else "k"
        raise ValueError(
            f"{content!r} needs q and k: got {missing}=None; give both, or remove Content() from the scores"
        )
    # Whatever autocast would say, q, k and v say the type of the result, and logits are never narrowed.
    if is_autocast() and not q.is_meta and torch.is_autocast_enabled(q.device.type):
        options = {"dropout": dropout, "algorithm": algorithm, "prepared": prepared, "return_lse": return_lse}
        with torch.autocast(q.device.type, enabled=False):
            return attend(q, k, v, attention, **options)  # pyright: ignore[reportArgumentType, reportCallIssue]
    if content is not None and content.beta is not None:
        q, attention = _with_positive_beta(q, attention)
    if algorithm is None and prepared is not None:
        algorithm = prepared.algorithm
    if algorithm is not None and not isinstance(algorithm, str):
        PLANNER.named(algorithm)  # refuses what is no name, which may be no key either
    solve = PLANNER.solve if context is None else functools.partial(attend_sharded, context=context)
    out, lse = solve(q, k, v, attention, dropout=dropout, return_lse=return_lse, name=algorithm, prepared=prepared)  # pyright: ignore[reportArgumentType]
    if not return_lse:
        return out
    assert lse is not None
    return out, lse


def plan(
    q: Tensor | None,
    k: Tensor | None,
    v: Tensor,
    attention: Attention = PLAIN,
    *,
    dropout: float = 0.0,
    return_lse: bool = False,
    device: str | None = None,
    prepared: Prepared | None = None,
) -> Plan:
    """What `attend` would do with these tensors, and why. Meta tensors are fine.

    `device` names another machine ("h200", "t4"), or the file of a table that `regard calibrate` wrote. With the
    context of `prepared` the plan is of the process that has most to do, and says what it receives from the others.
    """
    check_options(attention, dropout, return_lse)
    context = None if prepared is None else _context(prepared)
    q, k = without_content(q, k, v, attention, None if context is None else context.held())
    q, attention = _with_positive_beta(q, attention)
    if context is not None:
        options = {"dropout": dropout, "return_lse": return_lse, "device": device}
        return plan_sharded(q, k, v, attention, context, **options)  # pyright: ignore[reportArgumentType]
    return PLANNER.plan(pose(q, k, v, attention, dropout=dropout, return_lse=return_lse, device=device))


def _context(prepared: Prepared) -> Context | None:
    """Where the tokens of other processes are to be had."""
    if not isinstance(prepared, Prepared):
        raise ValueError(f"prepared must be a Prepared: got {prepared!r}; use Prepared()")
    context = prepared.context
    if context is not None and not isinstance(context, Context):
        raise ValueError(f"the context of a Prepared must be a Context: got {context!r}; leave it out")
    return context


def _with_positive_beta(q: Tensor, attention: Attention) -> tuple[Tensor, Attention]:
    """The same logits with β > 0: kernels hide a pair by −∞ before they scale, and −∞·β must stay −∞."""
    content = attention.content
    if content is None or content.beta is None or content.beta > 0 or isinstance(attention.weighting, Kernel):
        return q, attention
    terms = []
    for term in attention.scores.terms:
        if type(term) is Content:
            assert term.beta is not None
            q, term = (-q, Content(-term.beta, term.cap)) if term.beta < 0 else (0 * q, Content(1.0, term.cap))
        terms.append(term)
    scores = terms[0] if len(terms) == 1 else Sum(tuple(terms))
    return q, Attention(scores, attention.mask, attention.weighting, attention.queries, attention.keys)


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
    empty = isinstance(k, Tensor) and k.ndim == 4 and k.shape[3] == 0
    attention.check(check_tensors(q, k, k.new_empty(*k.shape[:3], 1) if empty else k))
    check_types(q, attention)
    if is_autocast() and not q.is_meta and torch.is_autocast_enabled(q.device.type):
        with torch.autocast(q.device.type, enabled=False):
            return weights(q, k, attention)
    if is_plain(q, k, attention):
        return plain_map(q, k, attention)
    return weight_map(q, k, attention).to(q.dtype)


def _placed(q: Tensor | None, k: Tensor | None, attention: Attention) -> tuple[Tensor, Tensor]:
    """Queries and keys of width zero for a map that needs none: as many as the value's positions."""
    keys = attention.queries if attention.keys is None else attention.keys
    if keys is None:
        raise ValueError("a map without q and k needs positions: got none; use keys=Sequence(n) or Grid(h, w)")
    tensors = attention.flatten()[1]
    floating = [x for x in tensors if x.is_floating_point()]
    rows = attention.batch or 1
    sizes = (rows, 1, keys.count, 1)
    like = (
        floating[0].new_empty(sizes) if floating else torch.empty(sizes, device=tensors[0].device if tensors else "cpu")
    )
    return without_content(q, k, like, attention)
