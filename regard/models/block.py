"""The block of which every transformer is a stack: attention, perhaps to a memory too, and a feed-forward."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.algorithms import Prepared
from regard.attention import Attention, Cache, Content, Documents, Everything, Mask, Softmax, Term, Weighting
from regard.checks import check_divides, check_known, check_sizes
from regard.layers import FeedForward, MultiHead, Packing, Rotation, Widths
from regard.layers.feed_forward import ACTIVATIONS, has_kernel, is_plain
from regard.models.tokens import KeptMaps

EVERYTHING = Everything()
Heads = tuple[Tensor, Tensor]  # of the keys and values of a memory


@dataclass(frozen=True, kw_only=True)
class NormConfig:
    """LayerNorm or RMSNorm, before each part of a block (pre-norm) or after its sum with the residual (post-norm)."""

    rms: bool = False
    eps: float = 1e-5
    first: bool = True  # pre-norm

    def __post_init__(self) -> None:
        if not self.eps > 0:
            raise ValueError(f"eps must be positive: got eps={self.eps}; use 1e-5")

    def make(self, width: int) -> nn.Module:
        return nn.RMSNorm(width, eps=self.eps) if self.rms else nn.LayerNorm(width, eps=self.eps)


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """How tokens attend to each other: what the model's own mask (causal, pads) is composed with, the weighting, and β.

    Attention to a memory takes the weighting, β and the cap. With `sink` each layer learns one for every head, from 0.

    >>> from regard.attention import Window
    >>> Mechanism(mask=Window(before=255), sink=True)
    Mechanism(mask=Window(before=255, after=0), weighting=None, beta=None, cap=None, sink=True)
    """

    mask: Mask = EVERYTHING
    weighting: Weighting | None = None  # None: Softmax()
    beta: float | int | None = None  # None: 1/√D
    cap: float | int | None = None  # of the scores of content
    sink: bool = False

    def __post_init__(self) -> None:
        Attention(self.content, self.mask, self.weighting)  # refuses what is no mask, no weighting, not finite
        if self.sink and self.weighting is not None:
            raise ValueError(f"a sink is the softmax's: got weighting={self.weighting!r} too; leave one of them out")

    @property
    def content(self) -> Content:
        return Content(self.beta, self.cap)

    def weigh(self, num_heads: int) -> Weighting | None:
        """The weighting of one layer, with a sink of its own."""
        return Softmax(nn.Parameter(torch.zeros(num_heads))) if self.sink else self.weighting


@dataclass(frozen=True, kw_only=True)
class BlockConfig:
    """The sizes of a block, and what it is made of.

    >>> BlockConfig(width=768, num_heads=12).hidden_width
    3072
    """

    width: int
    num_heads: int
    num_groups: int | None = None  # heads of keys and values; None: as many as num_heads
    head: int | None = None  # D; None: width / num_heads
    hidden: int | None = None  # of the feed-forward; None: 4·width
    activation: str = "gelu"
    gated: bool = False
    bias: bool = True
    projection_bias: bool | None = None  # of queries, keys and values; None: as bias
    head_norm: bool = False  # queries and keys of each head have norms
    norm: NormConfig = field(default_factory=NormConfig)
    mechanism: Mechanism = field(default_factory=Mechanism)

    def __post_init__(self) -> None:
        check_sizes(self, "width", "num_heads")
        check_sizes(self, "num_groups", "head", "hidden", optional=True)
        if self.head is None:
            check_divides("width", self.width, "num_heads", self.num_heads)
        check_divides("num_heads", self.num_heads, "num_groups", self.groups)
        check_known("activation", self.activation, ACTIVATIONS)

    @property
    def groups(self) -> int:
        return self.num_heads if self.num_groups is None else self.num_groups

    @property
    def head_width(self) -> int:
        return self.width // self.num_heads if self.head is None else self.head

    @property
    def hidden_width(self) -> int:
        return 4 * self.width if self.hidden is None else self.hidden

    def attention(self, dropout: float) -> MultiHead:
        layer = MultiHead(
            Widths(query=self.width, head=self.head_width),
            self.num_heads,
            num_groups=self.num_groups,
            bias=self.bias if self.projection_bias is None else self.projection_bias,
            out_bias=self.bias,
            beta=self.mechanism.content,
            dropout=dropout,
            weighting=self.mechanism.weigh(self.num_heads),
        )
        return layer.norm_heads(self.norm.make) if self.head_norm else layer


@dataclass(frozen=True, eq=False, kw_only=True)
class Around:
    """What is the same for all blocks of one forward pass."""

    mask: Mask
    term: Term | None = None
    rotation: Rotation | None = None
    lengths: tuple[int, ...] | list[int] | Documents | None = None  # of a piece that goes to a cache
    packing: Packing | None = None  # of the tokens, which come without pads then
    memory_mask: Mask = EVERYTHING
    prepared: Prepared | None = None


class Block(nn.Module):
    """Attention, then with `cross` attention to a memory, then a feed-forward, each added to what came in.

        x ← x + part(norm(x))        pre-norm
        x ← norm(x + part(x))        post-norm

    Dropout acts on the attention weights, the hidden features, and what each part adds.

    >>> import torch
    >>> block = Block(BlockConfig(width=64, num_heads=4))
    >>> block(torch.randn(2, 5, 64), Around(mask=EVERYTHING)).shape
    torch.Size([2, 5, 64])
    """

    def __init__(self, config: BlockConfig, *, cross: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm_first, self.dropout = config.norm.first, dropout
        self.norm = config.norm.make(config.width)
        self.attention = config.attention(dropout)
        self.cross_norm = config.norm.make(config.width) if cross else None
        self.cross = config.attention(dropout) if cross else None
        self.feed_forward_norm = config.norm.make(config.width)
        self.feed_forward = FeedForward(
            config.width,
            config.hidden_width,
            config.activation,
            gated=config.gated,
            bias=config.bias,
            dropout=dropout,
        )

    def forward(
        self,
        x: Float[Tensor, "B T C"],
        around: Around,
        *,
        cache: Cache | None = None,
        memory: Heads | None = None,
        maps: KeptMaps | None = None,
    ) -> Float[Tensor, "B T C"]:
        """The tokens after this block; `memory` is what its `cross.remember` gave, and `maps` where maps are put."""
        if maps is None and self._is_step(x):
            return self._step(x, around, cache, memory)
        x = self._added(self.norm, x, lambda y: self._attend(y, around, cache, maps))
        if self.cross is not None and self.cross_norm is not None:
            x = self._added(self.cross_norm, x, lambda y: self._recall(y, around, memory, maps))
        return self._added(self.feed_forward_norm, x, self.feed_forward)

    def _added(self, norm: nn.Module, x: Tensor, part: Callable[[Tensor], Tensor]) -> Tensor:
        y = part(norm(x) if self.norm_first else x)
        y = functional.dropout(y, self.dropout) if self.training and self.dropout else y
        return x + y if self.norm_first else norm(x + y)

    def _is_step(self, x: Tensor) -> bool:
        """Whether these are tokens that are being written on a GPU, and nobody listens to what the parts add."""
        if not has_kernel(x) or self.training or not self.norm_first:
            return False
        parts = (
            (self.attention, self.feed_forward)
            if self.cross is None
            else (self.attention, self.cross, self.feed_forward)
        )
        return all([is_plain(part, (MultiHead, FeedForward)) for part in parts])

    def _step(self, x: Tensor, around: Around, cache: Cache | None, memory: Heads | None) -> Tensor:
        """The same, with norms and sums as parts of the products, which may be one kernel each."""
        how = {"mask": around.mask, "term": around.term, "rotation": around.rotation, "packing": around.packing}
        cached = {"cache": cache, "lengths": around.lengths, "prepared": around.prepared}
        x = self.attention(x, **how, **cached, norm=self.norm, add=x)
        if self.cross is not None:
            assert memory is not None
            recalled = {"mask": around.memory_mask, "packing": around.packing, "prepared": around.prepared}
            x = self.cross.recall(x, memory, **recalled, norm=self.cross_norm, add=x)
        return self.feed_forward(x, norm=self.feed_forward_norm, add=x)

    def _attend(self, y: Tensor, around: Around, cache: Cache | None, maps: KeptMaps | None) -> Tensor:
        how = {"mask": around.mask, "term": around.term, "rotation": around.rotation, "packing": around.packing}
        if maps is not None:
            maps.add("self", self.attention.weights(y, **how))
        return self.attention(y, **how, cache=cache, lengths=around.lengths, prepared=around.prepared)

    def _recall(self, y: Tensor, around: Around, memory: Heads | None, maps: KeptMaps | None) -> Tensor:
        assert self.cross is not None
        assert memory is not None
        if maps is not None:
            maps.add("cross", self.cross.recall_weights(y, memory, mask=around.memory_mask, packing=around.packing))
        return self.cross.recall(y, memory, mask=around.memory_mask, packing=around.packing, prepared=around.prepared)
