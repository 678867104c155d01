"""A sequence in pieces: causal linear attention that goes on from a state, and gives the state to go on from."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.algorithms.linear.causal import attended
from regard.algorithms.linear.unordered import kernel_of, pads
from regard.algorithms.planning.planner import Refused
from regard.algorithms.planning.problem import check_options, check_tensors, check_types
from regard.attention import Attention, Content, Facts, Kernel, Shape
from regard.attention.cache.linear_state import LinearState
from regard.attention.positions.positions import LINE


def attend_linear(
    q: Float[Tensor, "B H N D"],
    k: Float[Tensor, "B G N D"],
    v: Float[Tensor, "B G N E"],
    attention: Attention,
    *,
    state: LinearState | None = None,
) -> tuple[Float[Tensor, "B H N E"], LinearState]:
    """The outputs of one piece of a sequence, of any length, and the state after it.

    Each query sees its own token, those before it in the piece, and all that the state has taken: pieces one after
    the other equal the whole, gradients included, which flow through the state. The mask is `Causal()`, with the
    paddings of the piece.

    >>> from regard.attention import Causal, Elu
    >>> value = Attention(mask=Causal(), weighting=Kernel(Elu()))
    >>> q, k, v = (torch.randn(1, 2, 10, 4) for _ in range(3))
    >>> first, state = attend_linear(q[:, :, :7], k[:, :, :7], v[:, :, :7], value)
    >>> last, state = attend_linear(q[:, :, 7:], k[:, :, 7:], v[:, :, 7:], value, state=state)
    >>> whole, _ = attend_linear(q, k, v, value)
    >>> torch.allclose(torch.cat((first, last), 2), whole, atol=1e-6), state.lengths
    (True, tensor([10]))
    """
    check_options(attention, 0.0, return_lse=False)
    shape = check_tensors(q, k, v)
    if not q.is_meta and torch.is_autocast_enabled(q.device.type):
        with torch.autocast(q.device.type, enabled=False):
            return attend_linear(q, k, v, attention, state=state)
    reason = _refuses(attention, shape)
    if reason is not None:
        raise Refused(f"attend_linear refuses: {reason}; use attend for the whole sequence")
    attention.check(shape)
    check_types(q, attention)
    attention = attention.on(q.device)
    kernel, content = kernel_of(attention)
    if state is None:
        lengths, sums = torch.zeros(shape.B, dtype=torch.int64, device=q.device), None
    else:
        _check_state(state, kernel, content, k, v)
        lengths, sums = state.lengths, state.sums
    places = attention.places(shape.T, shape.S)
    masks = attention.mask.conjuncts
    facts = tuple([mask.facts(places) for mask in masks])
    asks, real = pads(masks, facts, places, shape.B, q.device)
    live = None
    if real is not None:
        live = lengths[:, None] + real.cumsum(1) > 0
        live = live if asks is None else live & asks
    out, sums = attended(q, k, v, live, real, sums, kernel, content, wants_end=True)
    assert sums is not None
    lengths = lengths + (shape.T if real is None else real.sum(1))
    return out, LinearState.of(kernel, sums, lengths, content.beta)


def _refuses(attention: Attention, shape: Shape) -> str | None:
    """Why pieces would not equal the whole."""
    if not isinstance(attention.weighting, Kernel):
        return f"a state needs features that take queries and keys apart: Kernel, not {attention.weighting!r}"
    known = [(mask, mask.facts(LINE)) for mask in attention.mask.conjuncts]
    if not any([_is_causal(facts) for _, facts in known]):
        return f"without Causal() a query sees pieces that are yet to come: got mask={attention.mask!r}"
    for mask, facts in known:
        if facts.real is None and not _is_causal(facts):
            return f"a state keeps no single keys: takes Causal() and paddings, not {mask!r}"
    if attention.queries is not None or attention.keys is not None:
        return "a piece begins where the state ends: takes no positions"
    if shape.T != shape.S:
        return f"every token of a piece has a query and a key: got T={shape.T}, S={shape.S}"
    return None


def _is_causal(facts: Facts) -> bool:
    return facts.interval and facts.band[0] == (None, 0)


def _check_state(state: LinearState, kernel: Kernel, content: Content, k: Tensor, v: Tensor) -> None:
    """Raise unless the state was made by the same features of such keys and values."""
    if not isinstance(state, LinearState):
        raise ValueError(f"state must be a LinearState: got {state!r}; use what the last piece gave, or None")
    state.check_tokens(k, v)
    D = k.shape[3]
    if Content(state.beta).scale(D) != content.scale(D) or not _is_same(state.kernel, kernel):
        raise ValueError(
            f"the state must be of the same kernel and β: got {state!r} for {kernel!r} and {content!r}; "
            "start with state=None"
        )


def _is_same(one: Kernel, other: Kernel) -> bool:
    """Whether two kernels are the same function: of one kind, with equal numbers."""
    (kind, tensors), (other_kind, others) = one.flatten(), other.flatten()
    if kind != other_kind:
        return False
    for x, y in zip(tensors, others, strict=True):
        if x.shape != y.shape or x.dtype != y.dtype or x.device != y.device:
            return False
        # A layer gives the same tensor every time; others are read, where there is something to read.
        if x is not y and not (torch.compiler.is_compiling() or x.is_meta) and not torch.equal(x, y):
            return False
    return True
