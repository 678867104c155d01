"""Masks of transformers as values: what a model's mask function is told, read instead of evaluated on T × S pairs.

transformers describes a mask by nested functions of (batch, head, query, key). Those that it makes itself are known by
the code that they run, and what they close over are the fields of our masks. A function that nobody knows is evaluated
by transformers, and becomes `Dense`.
"""

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import masking_utils

from regard.algorithms.planning.kept import Prepared, recall
from regard.attention import (
    Attention,
    Blocks,
    Causal,
    Dense,
    Documents,
    Everything,
    Facts,
    KeyPadding,
    Mask,
    Padding,
    Places,
    Sequence,
    Window,
)
from regard.attention.eager import may_keep
from regard.attention.masks.mask import leaves

# Families whose bidirectional masks are of self-attention alone, unless the configuration says that they decode: there
# pad queries may be left out with the pad keys. Elsewhere the mask may be one of cross-attention, whose queries are
# other tokens, and transformers does not say which.
ENCODERS = frozenset(
    [
        "albert",
        "bert",
        "camembert",
        "data2vec-text",
        "distilbert",
        "electra",
        "ernie",
        "esm",
        "eurobert",
        "jina_embeddings_v3",
        "mobilebert",
        "modernbert",
        "mt5",
        "nomic_bert",
        "roberta",
        "roberta-prelayernorm",
        "roc_bert",
        "t5",
        "umt5",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    ]
)


@dataclass(frozen=True, eq=False)
class ModelMask:
    """What a model hands to its layers in place of a boolean (B, 1, T, S) tensor; all layers share what is prepared.

    `keys` may be fewer than the model's: those behind the last query of a static cache are cut off. It is no tensor,
    and says so to models that compute with their masks: whether True hides or shows would be theirs to guess.
    """

    mask: Mask
    queries: Sequence
    keys: Sequence
    shape: tuple[int, int, int, int]
    device: torch.device
    prepared: Prepared = field(default_factory=Prepared)
    moved: dict[torch.device, "ModelMask"] = field(default_factory=dict)  # itself on other devices

    ndim = 5  # to models, fewer than 4 is a map of pads, and 4 a tensor to compute with

    @property
    def places(self) -> Places:
        return Places(self.queries, self.keys)

    def attention(self, scores: Any, weighting: Any) -> Attention:
        """The value of one layer; places are left out where none matters, or a value has them anyway."""
        T, S = self.queries.n, self.keys.n
        if isinstance(self.mask, Everything):
            return Attention(scores, self.mask, weighting)
        first, start = self.queries.start, self.keys.start
        if isinstance(first, int) and isinstance(start, int) and start == 0 and first == S - T:
            return Attention(scores, self.mask, weighting)
        return Attention(scores, self.mask, weighting, self.queries, self.keys)

    def to(self, device: Any = None, *_: Any, **__: Any) -> "ModelMask":
        """On another device, as libraries that spread a model's layers over devices ask; types are none of its own."""
        if device is None or isinstance(device, torch.dtype) or torch.device(device) == self.device:
            return self
        device = torch.device(device)
        if device not in self.moved:  # layers that follow on that device share what is prepared there
            queries, keys = self.queries.on(device), self.keys.on(device)
            self.moved[device] = ModelMask(self.mask.on(device), queries, keys, self.shape, device)
        return self.moved[device]

    def contiguous(self) -> "ModelMask":
        return self

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise ValueError(_no_tensor(getattr(function, "__name__", str(function))))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_no_tensor(name))

    def __getitem__(self, index: Any) -> Any:
        raise ValueError(_no_tensor("[…]"))


def _refuse(operation: str) -> Callable[..., Any]:
    def refuse(self: ModelMask, *others: Any) -> Any:
        raise ValueError(_no_tensor(operation))

    return refuse


# What Python would otherwise answer by itself: that a mask is not equal to 0, or true.
OPERATIONS = {
    "+": ("add", "radd"), "-": ("sub", "rsub", "neg"), "*": ("mul", "rmul"), "/": ("truediv",), "~": ("invert",),
    "&": ("and", "rand"), "|": ("or", "ror"), "==": ("eq",), "!=": ("ne",), "<": ("lt",), "<=": ("le",), ">": ("gt",),
    ">=": ("ge",), "bool": ("bool",), "len": ("len",), "iter": ("iter",),
}  # fmt: skip
for operation, methods in OPERATIONS.items():
    for method in methods:
        setattr(ModelMask, f"__{method}__", _refuse(operation))
ModelMask.__hash__ = object.__hash__  # pyright: ignore[reportAttributeAccessIssue] - defining == took it away


def _no_tensor(operation: str) -> str:
    return (
        f"a mask of regard is for layers that call the attention function: got {operation} of a model that computes "
        'attention itself; use attn_implementation="eager" or "sdpa" for it'
    )


@dataclass(frozen=True, eq=False)
class SameBlock(Mask):
    """Tokens of one block of a row, by number (B, n); a negative number is no block. Counted by position."""

    numbers: Tensor

    @property
    def batch(self) -> int | None:
        return self.numbers.shape[0]

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        queries, keys = places.line(self)
        own, other = self.numbers[b, queries.at(b, i)], self.numbers[b, keys.at(b, j)]
        return (own == other) & (own >= 0)

    def facts(self, places: Places) -> Facts:
        return Facts(heads=False)


class Unknown(Exception):  # noqa: N818 - what the function is
    """A mask function that is none of those that transformers makes."""


def make_mask(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int | Tensor = 0,
    kv_offset: int = 0,
    mask_function: Callable[..., Any] = masking_utils.causal_mask_function,
    attention_mask: Tensor | ModelMask | None = None,
    *,
    config: Any = None,
    device: torch.device | str = "cpu",
    use_vmap: bool = False,
    allow_is_causal_skip: bool = True,
    **_: Any,
) -> ModelMask:
    """The mask of a model's layers, from what transformers' masking tells its mask functions.

    The rest (types, and permissions to leave a mask out) says how to make a tensor, of which there is none here.
    """
    if isinstance(attention_mask, ModelMask):  # made before, by `generate`
        return attention_mask
    device = torch.device(device)
    # Where a static cache may not skip its mask, a compiler may see it: places stay data, and its graph one.
    stays = torch.compiler.is_compiling() or (q_length == 1 and not allow_is_causal_skip)
    if isinstance(q_offset, Tensor):  # the cache's own counter, which goes on when the layers append
        q_offset = q_offset.clone() if stays else int(q_offset)
    shape = (batch_size, 1, q_length, kv_length)
    try:
        parts, left = _conjuncts(mask_function, kv_offset + kv_length), _left_padding(mask_function)
        if left is not None and any([isinstance(leaf, SameBlock) for part in parts for leaf in leaves(part)]):
            raise Unknown(mask_function)  # chunks and blocks are counted from different tokens
    except Unknown:
        start: Any = q_offset
        made = masking_utils.sdpa_mask(
            batch_size, q_length, kv_length, start, kv_offset, mask_function, attention_mask,
            allow_is_causal_skip=False, use_vmap=use_vmap, device=device,
        )  # fmt: skip
        assert made is not None
        return ModelMask(Dense(made), Sequence(q_length), Sequence(kv_length), shape, device)
    causal = any([isinstance(part, Causal) or (isinstance(part, Window) and part.after == 0) for part in parts])
    num_keys = kv_length
    if causal and isinstance(q_offset, int):
        num_keys = min(kv_length, max(q_offset + q_length - kv_offset, 1))
    queries, keys = Sequence(q_length, _rows(q_offset, batch_size)), Sequence(num_keys, kv_offset)
    if q_length == num_keys == 1 and isinstance(q_offset, int) and q_offset == kv_offset:  # a token sees itself
        parts = [part for part in parts if not isinstance(part, Causal | Window)]
    if attention_mask is not None:
        own = isinstance(q_offset, int) and q_offset == kv_offset and q_length == num_keys
        own = own and (causal or _is_encoder(config))
        parts = parts + _padding(_real(attention_mask, kv_offset, num_keys), own)
    if left is not None and attention_mask is not None:  # chunks are counted from the first real token
        queries, keys = (Sequence(side.n, side.start - left) for side in (queries, keys))
    return ModelMask(intersection(parts), queries, keys, shape, device)


def _rows(offset: int | Tensor, batch: int) -> int | Tensor:
    """A start that is data: one for each row."""
    return offset.reshape(1).expand(batch) if isinstance(offset, Tensor) else offset


def _conjuncts(function: Any, end: int) -> list[Mask]:
    """The masks whose intersection a function is; `end` is behind the last key."""
    kind, held = _known(function)
    match kind:
        case "bidirectional_mask_function":
            return []
        case "and_masks":
            return _joined([part for inner in held["mask_functions"] for part in _conjuncts(inner, end)])
        case _:
            if (
                kind in COMPARED
                and may_keep()
                and not recall(("mask of", function.__code__), lambda: _is_same(function))
            ):
                raise Unknown(function)
            return [_leaf(kind, held, end)]


# Whose functions close over numbers alone: what they compute is compared with our mask, once for each of them.
COMPARED = ("causal_mask_function", "sliding_window_overlay", "sliding_window_bidirectional_overlay")


def _is_same(function: Any) -> bool:
    """Whether a function allows what our mask does, at all pairs of places about where it begins and ends."""
    kind, held = _known(function)
    sizes = {0, *[size for size in held.values() if isinstance(size, int)]}
    places = sorted({place + size for place in range(4) for size in sizes} | {2 * size + 1 for size in sizes})
    at = torch.tensor(places, device="cpu")
    line, zero = Sequence(places[-1] + 1), at.new_zeros(())
    theirs = torch.as_tensor(function(zero, zero, at[:, None], at[None, :]), device="cpu")
    ours = _leaf(kind, held, line.n).allows(zero, zero, at[:, None], at[None, :], Places(line, line))
    return bool((theirs == ours).all())


def _leaf(kind: str, held: dict[str, Any], end: int) -> Mask:
    match kind:
        case "causal_mask_function":
            return Causal()
        case "sliding_window_overlay":  # it says nothing of keys behind the query
            return Window(held["sliding_window"] - 1, after=end) if held["sliding_window"] > 0 else ~Everything()
        case "sliding_window_bidirectional_overlay":
            return Window(held["sliding_window"], held["sliding_window"])
        case "chunked_overlay":
            return Blocks(held["chunk_size"])
        case "blockwise_overlay":
            return SameBlock(held["block_sequence_ids"])
        case "packed_sequence_mask_function":
            return Documents(ids=held["packed_sequence_mask"])
        case "or_masks":
            return functools.reduce(
                operator.or_, [intersection(_conjuncts(inner, end)) for inner in held["mask_functions"]]
            )
        case _:
            raise Unknown(kind)


def intersection(parts: list[Mask]) -> Mask:
    return functools.reduce(operator.and_, parts, Everything())


def _joined(parts: list[Mask]) -> list[Mask]:
    """A window that is also causal is one window."""
    causal = any([isinstance(part, Causal) for part in parts])
    windows = [part for part in parts if isinstance(part, Window)]
    if not (causal and windows):
        return parts
    others = [part for part in parts if not isinstance(part, Causal | Window)]
    return [Window(min([window.before for window in windows])), *others]


def _known(function: Any) -> tuple[str, dict[str, Any]]:
    """Which function of transformers' this is, by the name of its maker, and what it closes over."""
    if getattr(function, "__module__", None) != masking_utils.__name__:
        raise Unknown(function)
    cells = function.__closure__ or ()
    held = dict(zip(function.__code__.co_freevars, [cell.cell_contents for cell in cells], strict=True))
    return function.__qualname__.split(".")[0], held


def _left_padding(function: Any) -> Tensor | None:
    """The pads before each row's first real token, where chunks are counted behind them."""
    kind, held = _known(function)
    if kind == "chunked_overlay":
        return held["left_padding"]
    if kind in ("and_masks", "or_masks"):
        found = [_left_padding(inner) for inner in held["mask_functions"]]
        return next((left for left in found if left is not None), None)
    return None


def _is_encoder(config: Any) -> bool:
    decodes = any([getattr(config, name, False) for name in ("is_decoder", "add_cross_attention")])
    return getattr(config, "model_type", None) in ENCODERS and not decodes


def _real(attention_mask: Tensor, first: int, count: int) -> Tensor:
    """Which of the keys from `first` on are real, (B, count); the model's map may end before a static cache does."""
    missing = first + count - attention_mask.shape[-1]
    real = attention_mask.bool()
    if missing > 0:
        real = torch.nn.functional.pad(real, (0, missing))
    return real if first == 0 and count == real.shape[-1] else real[:, first : first + count]


def _padding(real: Tensor, own: bool) -> list[Mask]:
    """The mask of pads: none if there are none; `own` if the queries are the same tokens, and pads among them too.

    Looking means to wait for a GPU, as transformers does for sdpa; it is not done where it cannot.
    """
    kind = Padding if own else KeyPadding
    if torch.compiler.is_compiling() or real.is_meta:
        return [kind(real)]
    if real.all():
        return []
    is_first = (real[:, 1:] <= real[:, :-1]).all()  # real tokens stand before pads
    return [kind(real.sum(1) if is_first else real)]
