"""What goes into a model and what comes out: checked tokens, padded batches, random images, the output."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.algorithms import Context
from regard.attention import Documents, Places, Sequence, Shape
from regard.attention.positions.reach import readable

Lengths = Tensor | tuple[int, ...] | list[int]
Cuts = Lengths | Documents  # how many tokens of each row are real, or the documents that it is packed with


@dataclass(frozen=True, kw_only=True)
class Maps:
    """Which attention maps a model returns: of these layers and heads, counted from 0, or back from −1; None: of all.

    >>> Maps(layers=(0, -1), heads=(3,))
    Maps(layers=(0, -1), heads=(3,))
    """

    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("layers", "heads"):
            numbers = getattr(self, name)
            if numbers is not None and (
                not isinstance(numbers, tuple) or any([type(number) is not int for number in numbers])
            ):
                raise ValueError(f"{name} of maps must be a tuple of whole numbers: got {numbers!r}; use (0,)")

    @classmethod
    def of(cls, wanted: "bool | Maps") -> "Maps":
        if not isinstance(wanted, bool | Maps):
            raise ValueError(f"maps must be True, False or Maps(…): got {wanted!r}; use Maps(layers=(0,), heads=(1,))")
        return wanted if isinstance(wanted, Maps) else cls()

    def kept(self, kinds: tuple[str, ...], depth: int, num_heads: int) -> "KeptMaps":
        """Where the maps of one pass through `depth` layers are put, by their kinds."""
        layers = None if self.layers is None else _counted("layers", self.layers, depth)
        if self.heads is not None:
            _counted("heads", self.heads, num_heads)
        return KeptMaps(kinds, layers, self.heads)


def _counted(name: str, wanted: tuple[int, ...], count: int) -> tuple[int, ...]:
    for number in wanted:
        if not -count <= number < count:
            raise ValueError(f"{name} of maps must lie in 0…{count - 1}: got {number}; name those of this model")
    return tuple([number % count for number in wanted])


class KeptMaps:
    """The maps of one pass, by their kinds: those that were asked for, in the order of the layers."""

    def __init__(self, kinds: tuple[str, ...], layers: tuple[int, ...] | None, heads: tuple[int, ...] | None) -> None:
        self.layers, self.heads = layers, heads
        self.maps: dict[str, list[Tensor]] = {kind: [] for kind in kinds}

    def wants(self, layer: int) -> bool:
        return self.layers is None or layer in self.layers

    def add(self, kind: str, map: Float[Tensor, "B H T S"]) -> None:
        chosen = None if self.heads is None else _counted("heads", self.heads, map.shape[1])
        self.maps[kind].append(map if chosen is None else map[:, list(chosen)])

    def all(self) -> dict[str, tuple[Tensor, ...]]:
        return {kind: tuple(maps) for kind, maps in self.maps.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Output:
    """What a model returns: the tokens after the last block, and the outputs of its heads.

    `maps` has a map for each block under "self", of a decoder with a memory under "cross" too, and of its encoder under
    "encoder"; of dual blocks under "window" and "channel". At pads nothing is of meaning. Where targets are given there
    are no logits, but `loss`, `nats` and `guesses`: see `regard.models.cross_entropy.Scored`.
    """

    hidden: Float[Tensor, "B T C"]
    logits: Float[Tensor, "B *T classes"] | None = None
    maps: dict[str, tuple[Tensor, ...]] | None = None
    pooled: Float[Tensor, "B C"] | None = None
    next_sentence: Float[Tensor, "B 2"] | None = None
    memory: Float[Tensor, "B S C"] | None = None
    loss: Float[Tensor, ""] | None = None
    nats: Float[Tensor, "B T"] | None = None
    guesses: Int[Tensor, "B T"] | None = None


torch.export.register_dataclass(Output, serialized_type_name="regard.models.Output")  # an exported model gives one


def real_tokens(
    tokens: Int[Tensor, "B T"], vocabulary: int, lengths: Cuts | None = None, context: Context | None = None
) -> Int[Tensor, "B T"]:
    """Checked tokens, with token 0 in place of pads, so that nothing there can matter: B rows of `lengths` real ones.

    With a `context` they are one process's part of the rows.

    >>> real_tokens(torch.tensor([[5, 6, -100]]), 10, (2,))
    tensor([[5, 6, 0]])
    """
    if tokens.ndim != 2 or tokens.dtype not in (torch.int64, torch.int32) or not tokens.shape[1]:
        raise ValueError(
            f"tokens must be whole numbers (B, T) with a token or more: got {tokens.dtype} of shape "
            f"{tuple(tokens.shape)}; a single sequence is tokens[None]"
        )
    B, T = tokens.shape
    if context is not None and context.held() != T:
        raise ValueError(
            f"tokens must be the {context.held()} that process {context.rank} of {context.count} holds: got {T}; "
            "use context.split(tokens)"
        )
    N = T if context is None else context.tokens
    at = torch.arange(T, device=tokens.device) if context is None else context.indices(tokens.device)
    if isinstance(lengths, Documents):
        lengths.check(Shape(B, 1, 1, N, N, 1, 1), Places(Sequence(N), Sequence(N)))
        tokens = torch.where(lengths.numbers(N, tokens.device)[:, at] >= 0, tokens, 0)
    elif lengths is not None:
        rows = lengths.shape[0] if isinstance(lengths, Tensor) else len(lengths)
        if rows != B:
            raise ValueError(f"lengths must have one number for each row: got {rows} for B={B}")
        count = lengths if isinstance(lengths, Tensor) else torch.tensor(lengths)
        tokens = torch.where(at < count.to(tokens.device)[:, None], tokens, 0)
    if readable(tokens):  # elsewhere the embedding itself complains
        low, high = (int(n) for n in tokens.aminmax())
        if low < 0 or high >= vocabulary:
            raise ValueError(
                f"tokens must lie in 0…{vocabulary - 1}: got {low if low < 0 else high}; use the tokenizer of this "
                "model, and lengths for pads"
            )
    return tokens


def last_real(hidden: Float[Tensor, "B T C"], lengths: tuple[int, ...] | None) -> Float[Tensor, "B C"]:
    """The last real token of each row."""
    if lengths is None:
        return hidden[:, -1]
    rows = torch.arange(len(lengths), device=hidden.device)
    return hidden[rows, torch.tensor(lengths, device=hidden.device) - 1]


class ReadsImages:
    """What configurations of models that read images share: something to call the model with."""

    def inputs(self: Any, batch: int = 1, tokens: int | None = None) -> tuple[Float[Tensor, "B channels h w"]]:
        """Random images to call the model with; the configuration says how many tokens they are."""
        if tokens not in (None, self.num_tokens):
            where = "in the last stage" if hasattr(self, "depths") else f"in patches of {self.patch}"
            raise ValueError(
                f"images of {self.image} pixels are {self.num_tokens} tokens {where}: got tokens={tokens}; "
                "use vary(config, image=…)"
            )
        return (torch.randn(batch, getattr(self, "channels", 3), self.image, self.image),)
