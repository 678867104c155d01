"""Multi-head attention: project, attend in every head, concatenate, project."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.algorithms import Prepared, attend, weights
from regard.attention import Attention, Cache, Content, Documents, Mask, Positions, Term, Weighting
from regard.attention.value import Value, unflatten
from regard.checks import check_divides, check_probability, check_sizes, check_whole
from regard.layers.feed_forward import apply_linear, draw_weights, has_kernel, project
from regard.layers.packing import Packing
from regard.layers.positions import Rotation
from regard.layers.scaled_dot_product import EVERYTHING, check_sequence, compose


@dataclass(frozen=True, kw_only=True)
class Widths:
    """The widths of a layer's inputs, of one head, and of its output.

    >>> Widths(query=512, key=768, head=32)
    Widths(query=512, key=768, value=None, head=32, head_value=None, out=None)
    """

    query: int
    key: int | None = None  # None: as query
    value: int | None = None  # None: as key
    head: int | None = None  # D, None: query / num_heads
    head_value: int | None = None  # E, None: as head
    out: int | None = None  # None: as query

    def __post_init__(self) -> None:
        check_sizes(self, "query")
        check_sizes(self, "key", "value", "head", "head_value", "out", optional=True)


class MultiHead(nn.Module):
    """Multi-head attention, self- or cross-, with grouped heads and any mask.

        o_h = softmax(β·(q W_hᵠ)(k W_hᵏ)ᵀ where the mask allows) · v W_hᵛ        β = 1/√D unless given
        y   = [o_1, …, o_H] Wᵒ + b

    `width` is the model's, C, or each width by its name. `num_groups` heads of keys and values (G) are shared by
    `num_heads` heads of queries (H). `bias` is for queries, keys and values, `out_bias` for the output. Dropout acts on
    the attention weights, in training only. `weighting` is the softmax unless given: `Kernel(Elu())` is linear
    attention, `Softmax(nn.Parameter(torch.zeros(num_heads)))` has a sink that learns. `beta` may be a `Content`, with
    its cap.

    >>> layer = MultiHead(512, 8)
    >>> layer(torch.randn(2, 5, 512), causal=True).shape
    torch.Size([2, 5, 512])
    >>> cross = MultiHead(Widths(query=512, key=768), 8, num_groups=2, bias=False)
    >>> image, text = torch.randn(2, 49, 768), torch.randn(2, 5, 512)
    >>> cross(text, image).shape, cross.weights(text, image).shape
    (torch.Size([2, 5, 512]), torch.Size([2, 8, 5, 49]))

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017: their d_model, h, d_k, d_v are our C, H, D, E, and their
    W_i^Q is W_hᵠ: columns hD…(h+1)D of `query.weight.T`.
    """

    def __init__(
        self,
        width: int | Widths,
        num_heads: int,
        *,
        num_groups: int | None = None,
        bias: bool = True,
        out_bias: bool = True,
        beta: float | Content | None = None,
        dropout: float = 0.0,
        weighting: Weighting | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        widths = width if isinstance(width, Widths) else Widths(query=width)
        H, G = num_heads, num_heads if num_groups is None else num_groups
        check_whole("num_heads", H, 1)
        if widths.head is None:
            check_divides("width", widths.query, "num_heads", H)
        check_divides("num_heads", H, "num_groups", G)
        check_probability("dropout", dropout)
        D = widths.head or widths.query // H
        E = widths.head_value or D
        key = widths.key or widths.query
        value = widths.value or key
        out = widths.out or widths.query

        self.num_heads, self.num_groups = H, G
        self.content = beta if isinstance(beta, Content) else Content(beta)  # refuses what is not finite
        self.dropout = dropout
        hold(self, "weighting", weighting)
        self.query = nn.Linear(widths.query, H * D, bias, device, dtype)
        self.key = nn.Linear(key, G * D, bias, device, dtype)
        self.value = nn.Linear(value, G * E, bias, device, dtype)
        self.out = nn.Linear(H * E, out, out_bias, device, dtype)
        self.query_norm: nn.Module | None = None
        self.key_norm: nn.Module | None = None
        self.reset_parameters()

    def norm_heads(self, make: Callable[[int], nn.Module]) -> "MultiHead":
        """Norm the queries and keys of each head, before any rotation; `make` gives a norm of a width.

        >>> MultiHead(8, 2).norm_heads(nn.RMSNorm)(torch.randn(1, 3, 8)).shape
        torch.Size([1, 3, 8])

        Henry et al., *Query-Key Normalization for Transformers*, EMNLP Findings 2020; by RMSNorm in Qwen3.
        """
        self.query_norm, self.key_norm = (
            make(layer.out_features // heads)
            for layer, heads in ((self.query, self.num_heads), (self.key, self.num_groups))
        )
        return self

    @property
    def weighting(self) -> Weighting | None:
        """How logits become weights."""
        return held(self, "weighting")

    @property
    def beta(self) -> float | int | None:
        """β, None for 1/√D."""
        return self.content.beta

    def reset_parameters(self) -> None:
        """Xavier uniform weights, each projection by its own sizes, and biases of zero."""
        draw_weights(self.query, self.key, self.value, self.out)

    def forward(
        self,
        q: Float[Tensor, "B T Cq"],
        k: Float[Tensor, "B S Ck"] | None = None,
        v: Float[Tensor, "B S Cv"] | None = None,
        key_padding_mask: Bool[Tensor, "B S"] | None = None,
        causal: bool = False,
        *,
        mask: Mask = EVERYTHING,
        queries: Positions | None = None,
        keys: Positions | None = None,
        cache: Cache | None = None,
        lengths: tuple[int, ...] | list[int] | Documents | None = None,
        start: int | tuple[int, ...] | list[int] | None = None,
        term: Term | None = None,
        rotation: Rotation | None = None,
        packing: Packing | None = None,
        prepared: Prepared | None = None,
        norm: nn.Module | None = None,
        add: Float[Tensor, "B T Co"] | None = None,
    ) -> Float[Tensor, "B T Co"]:
        """Attend from q to k and v; k defaults to q, v to k. True in `key_padding_mask` marks a pad key.

        A pair is visible when `key_padding_mask`, `causal` and `mask` all allow it. `queries` and `keys` say where the
        tokens stand, for masks and layers that ask. `term` is added to the scores, `rotation` turns the heads of
        queries and keys of tokens that attend to themselves: positions that all layers of a model share.

        With a `cache` q is a piece of a sequence, which goes on from what the cache holds; the mask must hide the
        future. `lengths` says how many of its tokens are real in each row, or that rows are packed `Documents`, each
        with a row of its own in an empty cache; `start` where it begins, as in `Cache.append`.

        With a `packing` q is its real tokens alone (1, N, C), and so is the output; all else is as for the padded rows.
        Layers with one mask share in `prepared` what they make for it. With a `norm` the layer attends from the norm of
        q, to itself, and with `add` the output is added to that: the residual stream of a block.
        """
        _check_packed(packing, {"k": k, "v": v, "cache": cache})
        given = {"k": k, "v": v, "key_padding_mask": key_padding_mask, "queries": queries, "keys": keys}
        _check_cached(cache, given, {"lengths": lengths, "start": start})
        for name, given in (("rotation", rotation), ("norm", norm)):
            if given is not None and k is not None:
                raise ValueError(f"a {name} is for tokens that attend to themselves: got k; leave one of them out")
        heads = self._projected(q, k, v, norm, packing)
        k = q if k is None else k
        attention = self._attention(compose(k, key_padding_mask, causal, mask), queries, keys, term)
        if cache is None:
            q_BHTD, k_BGSD = _turned(*heads[:2], rotation)
            v_BGSE = heads[2]
        else:
            piece = (lengths, start)
            q_BHTD, k_BGSD, v_BGSE, attention = self._cached(heads, attention, cache, piece, rotation, prepared)
        o_BHTE = self.mix(q_BHTD, k_BGSD, v_BGSE, attention, self.dropout if self.training else 0.0, prepared)
        return self._merged(o_BHTE, packing, add)

    def remember(
        self,
        k: Float[Tensor, "B S Ck"],
        v: Float[Tensor, "B S Cv"] | None = None,
        *,
        packing: Packing | None = None,
    ) -> tuple[Float[Tensor, "_ G _ D"], Float[Tensor, "_ G _ E"]]:
        """Project a memory to the heads of its keys and values once, so that `recall` can attend to them many times.

        >>> layer, x, memory = MultiHead(8, 2), torch.randn(1, 3, 8), torch.randn(1, 5, 8)
        >>> layer.recall(x, layer.remember(memory)).equal(layer(x, memory))
        True
        """
        v = k if v is None else v
        check_sequence("k", k, "S", self.key.in_features)
        check_sequence("v", v, "S", self.value.in_features)
        return self._keys(k, packing), _heads(apply_linear(self.value, v), self.num_groups, packing)

    def recall(
        self,
        q: Float[Tensor, "B T Cq"],
        memory: tuple[Tensor, Tensor],
        *,
        mask: Mask = EVERYTHING,
        packing: Packing | None = None,
        prepared: Prepared | None = None,
        norm: nn.Module | None = None,
        add: Float[Tensor, "B T Co"] | None = None,
    ) -> Float[Tensor, "B T Co"]:
        """Attend from q, or its norm, to what `remember` returned; `packing` is that of q."""
        check_sequence("q", q, "T", self.query.in_features)
        q_BHTD = self._queries(q, packing, norm)
        attention = self._attention(mask, None, None, None)
        o_BHTE = self.mix(q_BHTD, *memory, attention, self.dropout if self.training else 0.0, prepared)
        return self._merged(o_BHTE, packing, add)

    def recall_weights(
        self,
        q: Float[Tensor, "B T Cq"],
        memory: tuple[Tensor, Tensor],
        *,
        mask: Mask = EVERYTHING,
        packing: Packing | None = None,
    ) -> Float[Tensor, "_ H _ S"]:
        """The maps of `recall`."""
        q_BHTD = self._queries(q, packing)
        return self.map(q_BHTD, memory[0], self._attention(mask, None, None, None))

    def _queries(self, q: Tensor, packing: Packing | None, norm: nn.Module | None = None) -> Tensor:
        heads = _heads(project(q, (self.query,), norm=norm)[0], self.num_heads, packing)
        return heads if self.query_norm is None else self.query_norm(heads)

    def _keys(self, k: Tensor, packing: Packing | None) -> Tensor:
        heads = _heads(apply_linear(self.key, k), self.num_groups, packing)
        return heads if self.key_norm is None else self.key_norm(heads)

    def _merged(self, o_BHTE: Tensor, packing: Packing | None, add: Tensor | None = None) -> Tensor:
        if add is not None:
            check_sequence("add", add, "T", self.out.out_features)
        merged = merge_heads(o_BHTE)
        return project(merged if packing is None else packing.pack(merged), (self.out,), add=add)[0]

    def weights(
        self,
        q: Float[Tensor, "B T Cq"],
        k: Float[Tensor, "B S Ck"] | None = None,
        key_padding_mask: Bool[Tensor, "B S"] | None = None,
        causal: bool = False,
        *,
        mask: Mask = EVERYTHING,
        queries: Positions | None = None,
        keys: Positions | None = None,
        term: Term | None = None,
        rotation: Rotation | None = None,
        packing: Packing | None = None,
    ) -> Float[Tensor, "_ H _ S"]:
        """The maps by which `forward` mixes the values, without dropout."""
        _check_packed(packing, {"k": k})
        if rotation is not None and k is not None:
            raise ValueError("a rotation is for tokens that attend to themselves: got k; leave one of them out")
        k = q if k is None else k
        check_sequence("q", q, "T", self.query.in_features)
        check_sequence("k", k, "S", self.key.in_features)
        q_BHTD, k_BGSD = _turned(self._queries(q, packing), self._keys(k, packing), rotation)
        mask = compose(k, key_padding_mask, causal, mask)
        return self.map(q_BHTD, k_BGSD, self._attention(mask, queries, keys, term))

    def attention(self, mask: Mask, queries: Positions | None, keys: Positions | None) -> Attention:
        """The mechanism of one forward pass. A layer with more score terms overrides this."""
        return Attention(self.content, mask, self.weighting, queries, keys)

    def _attention(self, mask: Mask, queries: Positions | None, keys: Positions | None, term: Term | None) -> Attention:
        own = self.attention(mask, queries, keys)
        return own if term is None else Attention(own.scores + term, own.mask, own.weighting, own.queries, own.keys)

    def _projected(
        self, q: Tensor, k: Tensor | None, v: Tensor | None, norm: nn.Module | None, packing: Packing | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The heads of queries, keys and values."""
        of_keys = q if k is None else k
        of_values = of_keys if v is None else v
        check_sequence("q", q, "T", self.query.in_features)
        check_sequence("k", of_keys, "S", self.key.in_features)
        check_sequence("v", of_values, "S", self.value.in_features)
        if of_keys is q and of_values is q:
            parts = project(q, (self.query, self.key, self.value), norm=norm)
        else:
            given = ((self.query, q), (self.key, of_keys), (self.value, of_values))
            parts = tuple([apply_linear(layer, x) for layer, x in given])
        numbers = (self.num_heads, self.num_groups, self.num_groups)
        q_BHTD, k_BGSD, v_BGSE = (_heads(x, number, packing) for x, number in zip(parts, numbers, strict=True))
        if self.query_norm is not None and self.key_norm is not None:
            q_BHTD, k_BGSD = self.query_norm(q_BHTD), self.key_norm(k_BGSD)
        return q_BHTD, k_BGSD, v_BGSE

    def _cached(
        self,
        heads: tuple[Tensor, Tensor, Tensor],
        attention: Attention,
        cache: Cache,
        piece: tuple[Any, Any],
        rotation: Rotation | None,
        prepared: Prepared | None,
    ) -> tuple[Tensor, Tensor, Tensor, Attention]:
        """The heads of the queries, and all that the cache holds after the `piece` of these lengths and this start."""
        q, k, v = heads
        if isinstance(piece[0], Documents):
            q, k = _turned(q, k, rotation)
            return q, *cache.append(k, v, attention, *piece)
        n = k.shape[2]
        if prepared is None:
            location = cache.locate(attention, n, *piece)
        else:  # the same for all layers that keep the same tokens
            key = ("location", *cache.state, n, *piece, attention.mask)
            location = prepared.recall_from((), key, lambda: cache.locate(attention, n, *piece))
        attention = location.place(attention)
        if location.slots is not None and has_kernel(q):
            from regard.algorithms.kernels.tokens.rows import enter

            waves = (None, None) if rotation is None else (rotation.cos, rotation.sin)
            return enter(q, k, v, *waves, location.slots, *cache.buffers), *cache.buffers, attention
        q, k = _turned(q, k, rotation)
        return q, *cache.store(location, k, v), attention

    def mix(
        self, q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float, prepared: Prepared | None
    ) -> Tensor:
        """What the heads do between the projections. A layer with several softmaxes overrides this, and `map`."""
        return attend(q, k, v, attention, dropout=dropout, prepared=prepared)

    def map(self, q: Tensor, k: Tensor, attention: Attention) -> Tensor:
        """The map of `mix`."""
        return weights(q, k, attention)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHead":
        """A layer with the weights of torch's, giving the same results.

        Ours takes the batch first, whatever `module.batch_first` says, and gives the output alone.

        >>> theirs = nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = torch.randn(1, 3, 8)
        >>> torch.allclose(MultiHead.from_torch(theirs)(x), theirs(x, x, x)[0], atol=1e-6)
        True
        """
        for name, used in (("add_bias_kv", module.bias_k is not None), ("add_zero_attn", module.add_zero_attn)):
            if used:
                raise ValueError(f"MultiHead attends to the given keys alone: got {name}=True; use a module without it")
        bias = module.in_proj_bias is not None
        layer = cls(
            Widths(query=module.embed_dim, key=module.kdim, value=module.vdim),
            module.num_heads,
            bias=bias,
            out_bias=bias,
            dropout=module.dropout,
            device=module.out_proj.weight.device,
            dtype=module.out_proj.weight.dtype,
        )
        parts = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        if module.in_proj_weight is not None:  # all widths are equal: torch packs the three into one
            parts = module.in_proj_weight.chunk(3)
        biases = module.in_proj_bias.chunk(3) if bias else (None, None, None)
        with torch.no_grad():
            for ours, weight, offset in zip((layer.query, layer.key, layer.value), parts, biases, strict=True):
                ours.weight.copy_(weight)
                if offset is not None:
                    ours.bias.copy_(offset)
        layer.out.load_state_dict(module.out_proj.state_dict())
        return layer.train(module.training)

    def extra_repr(self) -> str:
        cap = "" if self.content.cap is None else f", cap={self.content.cap}"
        weighting = "" if self.weighting is None else f", weighting={self.weighting!r}"
        sizes = f"num_heads={self.num_heads}, num_groups={self.num_groups}"
        return f"{sizes}, beta={self.beta}{cap}, dropout={self.dropout}{weighting}"


def split_heads(x: Float[Tensor, "B T HD"], num_heads: int) -> Float[Tensor, "B H T D"]:
    """One view per head, no copy."""
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)  # (B, T, H·D) → (B, T, H, D) → (B, H, T, D)


def merge_heads(x: Float[Tensor, "B H T E"]) -> Float[Tensor, "B T HE"]:
    """The heads side by side, in order."""
    return x.transpose(1, 2).flatten(2)  # (B, H, T, E) → (B, T, H, E) → (B, T, H·E)


def hold(module: nn.Module, name: str, value: Any) -> None:
    """Keep a value on a module; its tensors become the module's parameters or buffers `name_0`, `name_1`, …"""
    structure, tensors = value.flatten() if isinstance(value, Value) else (None, [])
    for n, x in enumerate(tensors):
        if isinstance(x, nn.Parameter):
            module.register_parameter(f"{name}_{n}", x)
        else:
            module.register_buffer(f"{name}_{n}", x)
    module.__dict__[f"_{name}"] = (structure, len(tensors)) if tensors else (value, 0)


def held(module: nn.Module, name: str) -> Any:
    """The value that `hold` kept, with the tensors that the module has now."""
    kept, count = module.__dict__[f"_{name}"]
    return unflatten([getattr(module, f"{name}_{n}") for n in range(count)], kept) if count else kept


def _turned(q: Tensor, k: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor]:
    if rotation is not None and not isinstance(rotation, Rotation):
        raise ValueError(f"rotation must be a Rotation: got {rotation!r}; use Rotary(width)(Sequence(n))")
    return (q, k) if rotation is None else (rotation.turn(q), rotation.turn(k))


def _heads(x: Tensor, num_heads: int, packing: Packing | None) -> Tensor:
    return split_heads(x if packing is None else packing.unpack(x), num_heads)


INSTEAD = {
    "k": "it is for tokens that attend to themselves; leave k out",
    "v": "it is for tokens that attend to themselves; leave v out",
    "key_padding_mask": "it counts real tokens; give the lengths of the piece",
    "queries": "it counts positions itself; leave queries out",
    "keys": "it counts positions itself; leave keys out",
}


def _check_cached(cache: Cache | None, given: dict[str, object], of_piece: dict[str, object]) -> None:
    """Raise if an argument for a piece comes without a cache, or an argument for whole sequences with one."""
    if cache is not None and not isinstance(cache, Cache):
        raise ValueError(f"cache must be a Cache: got {cache!r}; use Cache(batch, num_groups, width, capacity=…)")
    for name, value in of_piece.items():
        if cache is None and value is not None:
            raise ValueError(f"{name} is for a piece of a sequence: got {name} without a cache; give cache=…")
    for name, value in given.items():
        if cache is not None and value is not None:
            raise ValueError(f"a cache takes q alone: got {name}, but {INSTEAD[name]}")


def _check_packed(packing: Packing | None, given: dict[str, object]) -> None:
    if packing is not None and not isinstance(packing, Packing):
        raise ValueError(f"packing must be a Packing: got {packing!r}; use Packing(lengths, tokens)")
    for name, value in given.items():
        if packing is not None and value is not None:
            raise ValueError(
                f"a packing is of tokens that attend to themselves, all at once: got {name} too; leave one of them out"
            )
