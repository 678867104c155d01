"""One call as the planner sees it: sizes, types, kinds, flags and facts, never the contents of a tensor."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.algorithms.planning.kept import Prepared, recall_from
from regard.algorithms.planning.machines import Machine, table, table_of
from regard.attention import (
    Attention,
    Content,
    Facts,
    Hard,
    Kernel,
    Mask,
    Places,
    Shape,
    Softmax,
    Term,
    TermFacts,
)
from regard.attention.captured import captured, own_parts
from regard.attention.eager import may_keep
from regard.attention.positions.sizes import is_open, surely
from regard.attention.torch_private import stream_of
from regard.attention.value import unflatten
from regard.checks import check_probability, check_tensor

M = TypeVar("M")


@dataclass(frozen=True)
class Flags:
    """What is wanted of a call."""

    dropout: bool
    return_lse: bool
    backward: bool  # q, k, v, a score term, a feature map or a sink needs a gradient
    bias_backward: bool  # a score term or a feature map does
    sink: bool = False
    learns_elsewhere: bool = False  # a score term learns from what is none of its fields


@dataclass(frozen=True, eq=False)
class Outline:
    """All that a choice is made from: it holds no tensor, and may be kept."""

    shape: Shape
    dtype: torch.dtype
    machine: Machine
    flags: Flags
    places: Places | None  # None where rows start at places that are data
    hiding: tuple[int, ...]  # which conjuncts of the mask may hide something
    masks: tuple[Facts, ...]  # of these
    mask: Facts  # of the whole
    terms: tuple[TermFacts, ...]  # of the score terms but content
    holds_tensors: bool  # the value has some, whose contents are checked in every call


@dataclass(frozen=True, eq=False)
class Problem:
    """What `refuses`, `cost` and `run` may know: an outline that may be kept, and this call's value, which may not.

    A sink is no part of the value here: the planner joins it to the output by the log-sum-exp, or the algorithm does.
    """

    outline: Outline
    attention: Attention
    places: Places
    masks: tuple[Mask, ...]  # the conjuncts of the mask that may hide something
    dropout: float
    prepared: Prepared | None = None  # where what is made for the call is to be found again
    sink: Tensor | None = None  # (H,)

    @property
    def shape(self) -> Shape:
        return self.outline.shape

    @property
    def stated(self) -> Attention:
        """The value as it was given, with its sink."""
        value = self.attention
        if self.sink is None:
            return value
        return Attention(value.scores, value.mask, Softmax(self.sink), value.queries, value.keys)

    @property
    def dtype(self) -> torch.dtype:
        return self.outline.dtype

    @property
    def machine(self) -> Machine:
        return self.outline.machine

    @property
    def facts(self) -> tuple[Facts, ...]:
        """What is known of each of the masks."""
        return self.outline.masks

    @property
    def terms(self) -> tuple[TermFacts, ...]:
        """What is known of each score term but the content."""
        return self.outline.terms

    @property
    def return_lse(self) -> bool:
        """Whether the algorithm is to give the log-sum-exp: it is wanted, or a sink is joined by it."""
        flags = self.outline.flags
        return flags.return_lse or flags.sink

    @property
    def sink_alone(self) -> bool:
        """Whether there is a sink, and the log-sum-exp is wanted for nothing else."""
        return self.outline.flags.sink and not self.outline.flags.return_lse

    @property
    def backward(self) -> bool:
        return self.outline.flags.backward

    @property
    def bias_backward(self) -> bool:
        return self.outline.flags.bias_backward

    @property
    def softmax(self) -> bool:
        return type(self.attention.weighting) is Softmax

    @property
    def hard(self) -> bool:
        return type(self.attention.weighting) is Hard

    @property
    def kernel(self) -> Kernel | None:
        weighting = self.attention.weighting
        return weighting if isinstance(weighting, Kernel) else None

    @property
    def content_alone(self) -> bool:
        return isinstance(self.attention.scores, Content)

    @property
    def beta(self) -> float:
        """The scale of the content; 0 without content."""
        content = self.attention.content
        return 0.0 if content is None else content.scale(self.shape.D)

    @property
    def cap(self) -> float | None:
        """The soft cap of the content, where there is one."""
        content = self.attention.content
        return None if content is None or content.cap is None else float(content.cap)

    @property
    def has_positive_beta(self) -> bool:
        """Whether there is content whose scale is positive, as kernels that hide a pair before they scale it need."""
        content = self.attention.content
        return content is not None and (content.beta is None or content.beta > 0)

    @property
    def on_cuda(self) -> bool:
        return self.machine.kind == "cuda"

    @property
    def is_open(self) -> bool:
        """Whether a compiler keeps some size open."""
        shape = self.shape
        sizes = (shape.B, shape.H, shape.G, shape.T, shape.S, shape.D, shape.E)
        return any([is_open(size) for size in sizes])

    @property
    def has_open_length(self) -> bool:
        """Whether a compiler keeps the number of queries or of keys open."""
        return is_open(self.shape.T) or is_open(self.shape.S)

    @property
    def item(self) -> int:
        """Bytes of one number."""
        return self.dtype.itemsize

    @property
    def wide(self) -> torch.dtype:
        """The type of logits and sums."""
        return torch.promote_types(self.dtype, torch.float32)

    def on_machine(self, machine: Machine) -> "Problem":
        """The same problem on another machine."""
        return replace(self, outline=replace(self.outline, machine=machine))

    def within(self, shape: Shape, attention: Attention, return_lse: bool) -> "Problem":
        """The problem of a part of the tensors, under another value."""
        outline = self.outline
        flags = replace(outline.flags, return_lse=return_lse, sink=False)
        inner = outlined(shape, attention, outline.dtype, outline.machine, flags, outline.holds_tensors)
        return bind(inner, attention, self.dropout, self.prepared)

    def made(self, kind: Hashable, device: torch.device, make: Callable[[], M]) -> M:
        """What the mask needs on the device, made once for these sizes and for the tensors that the mask holds."""
        if torch.compiler.is_compiling():
            return make()
        attention, shape = self.attention, self.outline.shape
        structure, tensors = attention.mask.flatten()
        if attention.queries is not None or attention.keys is not None:
            for side in (attention.queries, attention.keys):
                found, more = (None, ()) if side is None else side.flatten()
                structure, tensors = (structure, found), tensors + more
        own = own_parts(structure)
        if own:  # a mask of one's own may read what is none of its fields
            read = captured(own)
            if read is None:
                return make()
            structure, tensors = (structure, read[0]), tensors + read[1]
        stream = stream_of(device) if device.type == "cuda" else None
        key = (kind, structure, shape.B, shape.H, shape.T, shape.S, device, stream)
        # Of numbers alone it is the same in the next pass too.
        shares = self.prepared is not None and (len(tensors) > 0 or not may_keep())
        find = self.prepared.recall_from if shares else recall_from  # pyright: ignore[reportOptionalMemberAccess]
        return find(tensors, key, make)


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
    biases, sink = check_types(q, attention), attention.sink
    grads = torch.is_grad_enabled()
    bias_backward = grads and any([bias.requires_grad for bias in (biases if sink is None else biases[:-1])])
    learnt = (q, k, v) if sink is None else (q, k, v, sink)
    backward = bias_backward or (grads and any([x.requires_grad for x in learnt]))
    machine = table_of(q.device) if device is None else table(device)
    elsewhere = grads and _learns_elsewhere(attention, attention.places(shape.T, shape.S), q.device)
    flags = Flags(dropout > 0, return_lse, backward or elsewhere, bias_backward, sink is not None, elsewhere)
    outline = outlined(shape, attention, q.dtype, machine, flags, len(attention.flatten()[1]) > 0)
    return bind(outline, attention, dropout)


def _learns_elsewhere(attention: Attention, places: Places, device: torch.device) -> bool:
    """Whether a term of one's own wants a gradient though none of its fields does: it reads a module, or a variable."""
    if torch.compiler.is_compiling() or device.type == "meta":
        return False
    for term in attention.biases:
        facts = term.facts()
        if facts.given or facts.slopes or facts.table or facts.quadratic is not None:  # its fields are all
            continue
        structure, tensors = term.flatten()
        still: Term = unflatten([x.detach() for x in tensors], structure)
        first = torch.zeros(1, dtype=torch.int64, device=device)
        with torch.inference_mode(False), torch.enable_grad():
            if still.on(device).slab(first, first, first, first, places).requires_grad:
                return True
    return False


def outlined(
    shape: Shape, attention: Attention, dtype: torch.dtype, machine: Machine, flags: Flags, holds_tensors: bool
) -> Outline:
    """The outline of a problem; sizes may be symbols."""
    places = attention.places(shape.T, shape.S)
    hiding, masks = [], []
    for n, part in enumerate(attention.mask.conjuncts):
        facts = part.facts(places)
        if not facts.full:
            hiding.append(n)
            masks.append(facts)
    return Outline(
        shape=shape,
        dtype=dtype,
        machine=machine,
        flags=flags,
        places=places if places.is_static else None,
        hiding=tuple(hiding),
        masks=tuple(masks),
        mask=attention.mask.facts(places),
        terms=tuple([term.facts() for term in attention.biases]),
        holds_tensors=holds_tensors,
    )


def bind(outline: Outline, attention: Attention, dropout: float, prepared: Prepared | None = None) -> Problem:
    """The outline with the value of one call."""
    sink = attention.sink
    if sink is not None:
        attention = Attention(attention.scores, attention.mask, Softmax(), attention.queries, attention.keys)
    places = outline.places
    if places is None:
        places = attention.places(outline.shape.T, outline.shape.S)
    conjuncts = attention.mask.conjuncts if outline.hiding else ()
    masks = tuple([conjuncts[n] for n in outline.hiding])
    return Problem(outline, attention, places, masks, dropout, prepared, sink)


def traits(q: Tensor, k: Tensor, v: Tensor, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sizes, types, devices and whether gradients are wanted: all that a choice may depend on beside the structure of
    the value, whose tensors are given.
    """
    grads = torch.is_grad_enabled()
    wanted = (grads, grads and (q.requires_grad or k.requires_grad or v.requires_grad))
    of_value = [(x.shape, x.dtype, x.device, grads and x.requires_grad) for x in tensors] if tensors else ()
    sizes = (q.shape, k.shape, v.shape)
    return (wanted, sizes, q.dtype, k.dtype, v.dtype, q.device, k.device, v.device, *of_value)


def length_class(T: int, S: int) -> tuple[int, int]:
    """Lengths that one choice may serve: of a decode step, whose keys grow by one, all S of as many binary digits.

    Times change little within a class, but exactness may: whoever takes a kept choice asks whether it still refuses
    nothing.

    >>> length_class(64, 100), length_class(1, 100), length_class(1, 127), length_class(1, 128)
    ((64, 100), (1, 7), (1, 7), (1, 8))
    """
    return (T, S) if T > 1 else (T, S.bit_length())


def without_content(
    q: Tensor | None, k: Tensor | None, v: Tensor, attention: Attention, T: int | None = None
) -> tuple[Tensor, Tensor]:
    """Queries and keys for a value that reads none: of width zero, as many as its terms and positions say, or T."""
    if q is not None and k is not None:
        # What they hold is not read: a NaN in it must not reach anything.
        unread = attention.content is None and all([isinstance(x, Tensor) and x.ndim == 4 for x in (q, k)])
        return (q[..., :0], k[..., :0]) if unread else (q, k)
    if attention.content is not None:
        missing = "q" if q is None else "k"
        raise ValueError(f"{attention.content!r} needs q and k: got {missing}=None; leave it out of the scores")
    if q is not None or k is not None:
        raise ValueError("q and k must both be given or both be None: got one of them; give None for both")
    check_dense("v", v)
    if v.ndim != 4 or not v.is_floating_point():
        raise ValueError(
            f"v must be floating point (B, G, S, E): got {v.dtype} of shape {tuple(v.shape)}; use .float()"
        )
    B, G, S, _ = v.shape
    H = attention.heads
    if H is None:
        raise ValueError(f"the score terms must say the number of heads: got {attention.scores!r}; add one per head")
    return v.new_empty(B, H, attention.num_queries(S) if T is None else T, 0), v.new_empty(B, G, S, 0)


def check_dense(name: str, x: object) -> None:
    """Raise unless this is a tensor with a number at every place."""
    if not isinstance(x, Tensor):
        check_tensor(name, x)
    elif x.layout is not torch.strided or x.is_nested:
        raise ValueError(
            f"{name} must be a dense tensor: got a {'nested' if x.is_nested else x.layout} one; use .to_dense(), or "
            "torch.nested.to_padded_tensor and KeyPadding for rows of different lengths"
        )


def check_tensors(q: Tensor, k: Tensor, v: Tensor) -> Shape:
    """The sizes of q (B,H,T,D), k (B,G,S,D), v (B,G,S,E), or the first thing that does not fit. D is 0 without q, k."""
    for name, x, layout in (("q", q, "(B, H, T, D)"), ("k", k, "(B, G, S, D)"), ("v", v, "(B, G, S, E)")):
        check_dense(name, x)
        if x.ndim != 4:
            raise ValueError(
                f"{name} must be {layout}: got shape {tuple(x.shape)}; add dimensions of size 1 by unsqueeze"
            )
        if not x.is_floating_point() or x.dtype.itemsize == 1:
            raise ValueError(f"{name} must be floating point, of 16 bits or more: got {x.dtype}; use {name}.float()")
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
    if any([surely(size < 1) for size in (B, H, G, T, S, E)]):
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
    check_probability("dropout", dropout)
    if not isinstance(return_lse, bool):
        raise ValueError(f"return_lse must be True or False: got {return_lse!r}; use True for the log-sum-exp too")
    if return_lse and not isinstance(attention.weighting, Softmax):
        raise ValueError(f"{attention.weighting!r} has no log-sum-exp: got return_lse=True; use weighting=Softmax()")


def check_types(q: Tensor, attention: Attention) -> list[Tensor]:
    """The tensors of scores, features and sinks: no wider than the logits, and like all that is large, where q is."""
    biases = [tensor for term in attention.biases for tensor in term.flatten()[1]]
    biases += attention.weighting.flatten()[1]
    widest = torch.promote_types(q.dtype, torch.float32)
    for bias in biases:
        if torch.promote_types(bias.dtype, widest) != widest:
            raise ValueError(
                f"score terms, features and sinks may be at most {widest} for q of {q.dtype}: got {bias.dtype}; "
                "cast them explicitly"
            )
    for tensor in attention.flatten()[1]:
        if tensor.is_meta and not q.is_meta:
            raise ValueError(
                f"masks, biases and features must hold numbers: got a meta tensor {tuple(tensor.shape)} for q on "
                f"{q.device}; make it there"
            )
        # Lengths, slopes and starts are small and may come from the host; a map over pairs may not.
        if tensor.ndim > 1 and tensor.device != q.device and not q.is_meta:
            raise ValueError(
                f"masks, biases and features must be on the device of q: got {tensor.device} and {q.device}; "
                "use .to(device)"
            )
    return biases
