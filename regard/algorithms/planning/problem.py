"""One call as the planner sees it: sizes, types, kinds and flags, never the contents of a tensor."""

import difflib
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms.planning.machines import Ceilings, table, table_of
from regard.attention import Attention, Mask, Places, Shape, Softmax, Term


@dataclass(frozen=True, eq=False)
class Problem:
    """What `refuses` and `cost` may know."""

    shape: Shape
    dtype: torch.dtype
    ceilings: Ceilings
    attention: Attention
    places: Places
    masks: tuple[Mask, ...]  # the conjuncts of the mask that may hide something
    dropout: bool
    return_lse: bool
    backward: bool  # q, k, v, a score term or a feature map needs a gradient
    bias_backward: bool  # a score term or a feature map does

    @property
    def on_cuda(self) -> bool:
        return self.ceilings.kind == "cuda"

    @property
    def item(self) -> int:
        """Bytes of one number."""
        return self.dtype.itemsize


def pose(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    *,
    dropout: float = 0.0,
    return_lse: bool = False,
    device: str | None = None,
) -> Problem:
    """Check the input and state the problem. Raises before any arithmetic."""
    check_options(attention, dropout, return_lse)
    shape = check_tensors(q, k, v)
    attention.check(shape)
    biases = check_types(q, attention)
    places = attention.places(shape.T, shape.S)
    grads = torch.is_grad_enabled()
    bias_backward = grads and any([bias.requires_grad for bias in biases])
    return Problem(
        shape=shape,
        dtype=q.dtype,
        ceilings=table_of(q.device) if device is None else table(device),
        attention=attention,
        places=places,
        masks=tuple([mask for mask in attention.mask.conjuncts if not mask.is_full(places)]),
        dropout=dropout > 0,
        return_lse=return_lse,
        backward=bias_backward or (grads and (q.requires_grad or k.requires_grad or v.requires_grad)),
        bias_backward=bias_backward,
    )


def within(problem: Problem, shape: Shape, attention: Attention, return_lse: bool) -> Problem:
    """The problem of a part of the tensors, under another value."""
    places = attention.places(shape.T, shape.S)
    return Problem(
        shape=shape,
        dtype=problem.dtype,
        ceilings=problem.ceilings,
        attention=attention,
        places=places,
        masks=tuple([mask for mask in attention.mask.conjuncts if not mask.is_full(places)]),
        dropout=problem.dropout,
        return_lse=return_lse,
        backward=problem.backward,
        bias_backward=problem.bias_backward,
    )


def without_content(q: Tensor | None, k: Tensor | None, v: Tensor, attention: Attention) -> tuple[Tensor, Tensor]:
    """Queries and keys for a value that reads none: of width zero, as many as its terms and positions say."""
    if q is not None and k is not None:
        return q, k
    if attention.content is not None:
        missing = "q" if q is None else "k"
        raise ValueError(f"{attention.content!r} needs q and k: got {missing}=None; leave it out of the scores")
    if q is not None or k is not None:
        raise ValueError("q and k must both be given or both be None: got one of them; give None for both")
    if v.ndim != 4 or not v.is_floating_point():
        raise ValueError(
            f"v must be floating point (B, G, S, E): got {v.dtype} of shape {tuple(v.shape)}; use .float()"
        )
    B, G, S, _ = v.shape
    H = attention.scores.heads
    if H is None:
        raise ValueError(f"the score terms must say the number of heads: got {attention.scores!r}; add one per head")
    return v.new_empty(B, H, attention.num_queries(S), 0), v.new_empty(B, G, S, 0)


def check_tensors(q: Tensor, k: Tensor, v: Tensor) -> Shape:
    """The sizes of q (B,H,T,D), k (B,G,S,D), v (B,G,S,E), or the first thing that does not fit. D is 0 without q, k."""
    for name, x, layout in (("q", q, "(B, H, T, D)"), ("k", k, "(B, G, S, D)"), ("v", v, "(B, G, S, E)")):
        if x.ndim != 4:
            raise ValueError(
                f"{name} must be {layout}: got shape {tuple(x.shape)}; add dimensions of size 1 by unsqueeze"
            )
        if not x.is_floating_point():
            raise ValueError(f"{name} must be floating point: got {x.dtype}; use {name}.float()")
    B, H, T, D = q.shape
    G, S, E = k.shape[1], k.shape[2], v.shape[3]
    if k.shape[0] != B or v.shape[0] != B:
        raise ValueError(
            f"q, k and v must have one batch size: got B={B}, {k.shape[0]} and {v.shape[0]}; expand those of 1"
        )
    if k.shape[3] != D:
        raise ValueError(f"q and k must have one width: got D={D} and {k.shape[3]}; project both to one width")
    if v.shape[2] != S:
        raise ValueError(f"k and v must have one length: got S={S} and {v.shape[2]}; give each key its value")
    if v.shape[1] != G:
        raise ValueError(f"k and v must have one number of heads: got G={G} and {v.shape[1]}; expand one of them")
    if min(B, H, G, T, S, E) < 1:
        raise ValueError(
            "attention needs at least one of everything: "
            f"got q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}; leave out what is empty"
        )
    if H % G:
        raise ValueError(f"key-value heads must divide heads: got H={H}, G={G}; use a divisor of {H}")
    if not (q.dtype == k.dtype == v.dtype):
        raise ValueError(f"q, k and v must have one type: got {q.dtype}, {k.dtype} and {v.dtype}; cast them explicitly")
    if not (q.device == k.device == v.device):
        raise ValueError(
            f"q, k and v must be on one device: got {q.device}, {k.device} and {v.device}; use .to(device)"
        )
    return Shape(B, H, G, T, S, D, E)


def check_options(attention: Attention, dropout: float, return_lse: bool) -> None:
    if not isinstance(attention, Attention):
        use = "Attention()"
        if isinstance(attention, Mask | Term):
            use = f"Attention({'mask' if isinstance(attention, Mask) else 'scores'}={attention!r})"
        raise ValueError(f"attention must be an Attention: got {attention!r}; use {use}")
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout is a probability below 1: got dropout={dropout}; use 0.0 for none")
    if return_lse and not isinstance(attention.weighting, Softmax):
        raise ValueError(f"{attention.weighting!r} has no log-sum-exp: got return_lse=True; use weighting=Softmax()")


def check_types(q: Tensor, attention: Attention) -> list[Tensor]:
    """The tensors of score terms and features: no wider than the logits, and like all that is large, where q is."""
    biases = [tensor for term in attention.biases for tensor in term.flatten()[1]]
    biases += attention.weighting.flatten()[1]
    widest = torch.promote_types(q.dtype, torch.float32)
    for bias in biases:
        if torch.promote_types(bias.dtype, widest) != widest:
            raise ValueError(
                f"score terms and features may be at most {widest} for q of {q.dtype}: got {bias.dtype}; "
                "cast them explicitly"
            )
    for tensor in attention.flatten()[1]:
        # Lengths, slopes and starts are small and may come from the host; a map over pairs may not.
        if tensor.ndim > 1 and tensor.device != q.device and not tensor.is_meta and not q.is_meta:
            raise ValueError(
                f"masks, biases and features must be on the device of q: got {tensor.device} and {q.device}; "
                "use .to(device)"
            )
    return biases


def nearest(name: str, known: list[str]) -> str:
    """The tail of an error about an unknown name: its neighbours, or all there are."""
    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(known)}"
