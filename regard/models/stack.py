"""Everything between the embedding and the heads of a model: positions, blocks, norms."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.algorithms import Context, Prepared
from regard.attention import Cache, Causal, Documents, KeyPadding, Mask, Padding, Sequence, Term
from regard.attention.masks.documents import check_alike
from regard.checks import check_known, check_sizes
from regard.layers import Buckets, LearnedPositions, Packing, Rotary, Rotation, SinusoidalPositions
from regard.layers.positions import RotaryScaling, check_scaling
from regard.layers.relative_positions import check_buckets
from regard.models.block import EVERYTHING, Around, Block, BlockConfig, Heads
from regard.models.tokens import Cuts, Lengths, Maps

Caches = tuple[Cache, ...] | list[Cache]
KINDS = ("learned", "sinusoidal", "rotary", "buckets", "none")
# A layer's copies cost the host of a GPU 1.4 ms of a training step (blocks of BERT in everyday-h200.json), in which the
# GPU goes over so many pads, times their width squared.
PADS_ON_GPU = 1.2e10


@dataclass(frozen=True, kw_only=True)
class PositionConfig:
    """How a model encodes the positions of its tokens.

    "learned" and "sinusoidal" are added to the tokens, "rotary" turns queries and keys, "buckets" adds a learned number
    for each offset to the scores. `context` is the length of the sequences that a model is made for; learned positions
    take none that are longer.

    >>> PositionConfig(kind="rotary", base=500000, context=8192)
    PositionConfig(kind='rotary', context=8192, base=500000, num_buckets=32, most=128, scaling=None, offset=0)
    """

    kind: str = "learned"
    context: int = 512
    base: float | int = 10000  # of waves: sinusoidal and rotary
    num_buckets: int = 32
    most: int = 128  # the distance from which all is one bucket
    scaling: RotaryScaling | None = None  # of rotary positions
    offset: int = 0  # rows of learned positions before the first: RoBERTa's, for pads

    def __post_init__(self) -> None:
        check_known("positions", self.kind, KINDS)
        check_sizes(self, "context", "num_buckets", "most")
        if self.kind == "buckets":
            check_buckets(self.num_buckets, self.most, both=True)
        if not self.base > 1:
            raise ValueError(f"base must be above 1: got base={self.base}; use 10000")
        check_scaling(self.scaling)
        if self.scaling is not None and self.kind != "rotary":
            raise ValueError(f"rotary positions alone are scaled: got kind={self.kind!r}; use kind='rotary'")

    def make(self, block: BlockConfig, causal: bool) -> nn.Module | None:
        if self.kind == "learned":
            return LearnedPositions(self.context, block.width, self.offset)
        if self.kind == "sinusoidal":
            return SinusoidalPositions(block.width, self.base)
        if self.kind == "rotary":
            return Rotary(block.head_width, self.base, self.scaling)
        if self.kind == "buckets":
            return Buckets(block.num_heads, self.num_buckets, self.most, both=not causal)
        return None


class Stack(nn.Module):
    """Positions, blocks, and the norms around them; `causal` hides what comes after a token.

    A stack of pre-norm blocks ends with a norm. `entry_norm` begins with one.

    >>> stack = Stack(BlockConfig(width=64, num_heads=4), 2, PositionConfig(kind="rotary"), causal=True)
    >>> stack(torch.randn(2, 5, 64))[0].shape
    torch.Size([2, 5, 64])
    """

    def __init__(
        self,
        block: BlockConfig,
        depth: int,
        positions: PositionConfig,
        *,
        causal: bool = False,
        cross: bool = False,
        entry_norm: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.mask: Mask = block.mechanism.mask & Causal() if causal else block.mechanism.mask
        self.cross, self.dropout, self.num_heads = cross, dropout, block.num_heads
        self.positions = positions.make(block, causal)
        self.entry_norm = block.norm.make(block.width) if entry_norm else None
        self.blocks = nn.ModuleList([Block(block, cross=cross, dropout=dropout) for _ in range(depth)])
        self.norm = block.norm.make(block.width) if block.norm.first else None

    def forward(
        self,
        x: Float[Tensor, "B T C"],
        *,
        lengths: Cuts | None = None,
        caches: Caches | None = None,
        memory: Float[Tensor, "B S C"] | tuple[Heads, ...] | None = None,
        memory_lengths: Lengths | None = None,
        maps: bool | Maps = False,
        context: Context | None = None,
    ) -> tuple[Float[Tensor, "B T C"], dict[str, tuple[Tensor, ...]] | None]:
        """The tokens after the last block, and the maps of all blocks, or of some, when they are asked for.

        `memory` is what blocks attend to besides: tokens, or what `remember` made of them. In rows that are packed with
        `Documents` each of these is read as if it were alone, and goes to a row of its own of caches that are empty.
        With a `context` x is this process's part of the rows, of which `lengths` are the whole.
        """
        if context is not None and (caches is not None or maps or self.cross):
            raise ValueError(
                "parts of sequences are read by a stack alone: got a context with caches, maps or a memory; leave "
                "these out, or read whole sequences"
            )
        if isinstance(lengths, Documents):
            if self.cross:
                raise ValueError(f"a decoder with a memory takes a row for each text: got {lengths!r}; give lengths")
            check_alike(self.mask)
        if caches is not None:
            _check_caches(caches, len(self.blocks), bool(maps))
        x, term, rotation = self._placed(x, lengths, caches, context)
        counted = caches is not None and caches[0].slots is not None and x.is_cuda  # by a kernel that reads lengths
        packing = None if caches is not None or context is not None else Packing.of(lengths, x, _fewest_pads(x))
        x = x if packing is None else packing.pack(x)
        around = Around(
            mask=self.mask if lengths is None or caches is not None else self.mask & _real(lengths),
            term=term,
            rotation=rotation,
            lengths=None if caches is None else lengths,  # pyright: ignore[reportArgumentType] - a cache refuses tensors
            packing=packing,
            memory_mask=EVERYTHING if memory_lengths is None else KeyPadding(memory_lengths),
            prepared=Prepared(context, "decode" if counted else None),
        )
        kinds = ("self", "cross") if self.cross else ("self",)
        kept = Maps.of(maps).kept(kinds, len(self.blocks), self.num_heads) if maps else None
        for number, block in enumerate(self.blocks):
            x = block(
                x,
                around,
                cache=None if caches is None else caches[number],
                memory=memory[number] if isinstance(memory, tuple) else self._heads(number, memory, memory_lengths),
                maps=kept if kept is not None and kept.wants(number) else None,
            )
        x = x if self.norm is None else self.norm(x)
        return x if packing is None else packing.unpack(x), None if kept is None else kept.all()

    def remember(self, memory: Float[Tensor, "B S C"], lengths: Lengths | None = None) -> tuple[Heads, ...]:
        """Project a memory for every block once, so that tokens can attend to it one by one."""
        heads = [self._heads(number, memory, lengths) for number in range(len(self.blocks))]
        return tuple([each for each in heads if each is not None])

    def _heads(self, number: int, memory: Tensor | None, lengths: Lengths | None) -> Heads | None:
        block = self.blocks[number]
        assert isinstance(block, Block)
        if memory is None or block.cross is None:
            return None
        packing = Packing.of(lengths, memory, _fewest_pads(memory))
        return block.cross.remember(memory if packing is None else packing.pack(memory), packing=packing)

    def _placed(
        self, x: Float[Tensor, "B T C"], lengths: Cuts | None, caches: Caches | None, context: Context | None
    ) -> tuple[Float[Tensor, "B T C"], Term | None, Rotation | None]:
        """The input of the first block: tokens with positions added, and positions for the scores or as a rotation."""
        places, term, rotation = self._places(x, lengths, caches, context), None, None
        if isinstance(self.positions, LearnedPositions):
            x = x + self.positions(places)
        elif isinstance(self.positions, SinusoidalPositions):
            x = x + self.positions(places, x)
        elif isinstance(self.positions, Rotary):
            longest = None if context is None else context.tokens  # of the rows, or of the documents in them
            if context is not None and isinstance(lengths, Documents):
                longest = lengths.positions(context.tokens, x.device).max() + 1
            rotation = self.positions(places, x, longest)
        elif isinstance(self.positions, Buckets):
            n = x.shape[1] if context is None else context.tokens
            term = self.positions.term(n - 1 + (0 if caches is None else max(caches[0].lengths)))
        x = x if self.entry_norm is None else self.entry_norm(x)
        return functional.dropout(x, self.dropout, self.training), term, rotation

    def _places(
        self, x: Tensor, lengths: Cuts | None, caches: Caches | None, context: Context | None
    ) -> Sequence | Tensor:
        """The positions of the tokens: from 0 on, from 0 in each document, or after what the caches hold."""
        n, learned = x.shape[1], self.positions
        if isinstance(lengths, Documents):
            whole = lengths.positions(n if context is None else context.tokens, x.device)
            return whole if context is None else context.split(whole)
        if context is not None:
            return context.indices(x.device)
        if caches is None:
            return Sequence(n)
        if caches[0].slots is not None:
            return Sequence(n, caches[0].slots)
        held = caches[0].lengths
        if len(set(held)) == 1:
            return Sequence(n, held[0])
        if isinstance(learned, LearnedPositions):
            counts = (n,) * len(held) if lengths is None or isinstance(lengths, Tensor) else lengths
            most = max([length + count for length, count in zip(held, counts, strict=False)])
            if most > learned.count:
                raise ValueError(
                    f"positions must lie among the {learned.count} that are learned: got rows of {most} "
                    "tokens; use shorter sequences, or a model of more positions"
                )
        return Sequence(n, torch.tensor(held))


def _fewest_pads(x: Tensor) -> int:
    """Which it pays to leave out of layers."""
    return math.ceil(PADS_ON_GPU / x.shape[2] ** 2) if x.is_cuda else 1


def _real(lengths: Cuts) -> Mask:
    return lengths if isinstance(lengths, Documents) else Padding(lengths)


def _check_caches(caches: Caches, depth: int, maps: bool) -> None:
    if len(caches) != depth:
        raise ValueError(f"each block needs a cache: got {len(caches)} for {depth} blocks; use model.caches(…)")
    if maps:
        raise ValueError("maps are of whole sequences: got maps=True with caches; leave out one of them")
    if len({cache.lengths for cache in caches}) > 1:
        raise ValueError(
            f"caches must hold the same tokens: got lengths {sorted({cache.lengths for cache in caches})}; "
            "use those of one model(…, caches=caches) after the other"
        )
