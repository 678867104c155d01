"""What models have read, in caches that grow with it; see `regard.generation.Reader`."""

from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.algorithms.planning.kept import lay_by, take
from regard.attention import Attention, Cache, Content, Window
from regard.attention.cache.rules import check_cacheable
from regard.models.block import BlockConfig, Heads
from regard.models.stack import Stack
from regard.models.tokens import last_real, real_tokens
from regard.models.writing.captured import Captured, Program

if TYPE_CHECKING:
    from regard.models.architectures.decoder import Decoder
    from regard.models.architectures.encoder_decoder import EncoderDecoder

FIRST = 256  # tokens that there is room for at the beginning
AT_ONCE = 1 << 28  # bytes of caches that a GPU gives at the beginning, so that nothing moves
WHOLE = 4 << 30  # up to which all tokens are kept there, even where a window sees but the last
PIECE = 4096  # tokens of a prompt that are read at once


def make_caches(
    stack: Stack, block: BlockConfig, batch: int, capacity: int, like: Tensor, first: int | None = None
) -> tuple[Cache, ...]:
    """Empty caches, one for each block; see `Decoder.caches`. Under autocast they have its type.

    With `first` they have room for so many tokens, if not for a window, and can grow.
    """
    kind, mask = like.device.type, block.mechanism.mask
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else like.dtype
    token = 2 * len(stack.blocks) * batch * block.groups * block.head_width * dtype.itemsize  # bytes
    keeps_all = False
    if first is not None and kind == "cuda":
        first, keeps_all = max(first, AT_ONCE // token), capacity * token <= WHOLE
    room = {"capacity": min(capacity, first or capacity)}
    if type(mask) is Window and mask.before is not None and 2 * (mask.before + 1) < capacity and not keeps_all:
        room = {"window": mask.before + 1}
    sizes: dict[str, Any] = room | {"dtype": dtype, "device": like.device}
    return tuple([Cache(batch, block.groups, block.head_width, **sizes) for _ in stack.blocks])


class CachedReader:
    """Rows in caches, of up to `most` tokens; their memory grows as they are read."""

    def __init__(
        self, stack: Stack, block: BlockConfig, batch: int, most: int, like: Tensor, program: Program | None = None
    ) -> None:
        self.most = most
        self.caches = make_caches(stack, block, batch, most, like, FIRST) if program is None else program.caches

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens that all blocks have read, of each row."""
        return tuple([min(each) for each in zip(*[cache.lengths for cache in self.caches], strict=True)])

    def make_room(self, count: int) -> None:
        """Let the caches grow if `count` more tokens would not fit."""
        capacity, needed = self.caches[0].capacity, max(self.caches[0].lengths) + count
        if capacity is not None and capacity < needed <= self.most:
            for cache in self.caches:
                cache.grow(min(self.most, max(needed, 2 * capacity)))

    def reorder(self, index: Int[Tensor, " n"]) -> None:
        for cache in self.caches:
            cache.reorder(index)

    def rewind(self) -> None:
        """Forget the last token of every row."""
        for cache in self.caches:
            cache.rollback(1)

    def keep(self, length: int) -> int:
        """Forget all but the first tokens of the only row; return how many are left, 0 if a window must begin again.

        Blocks that somebody stopped in the middle of a token have read the same again.
        """
        if self.caches[0].window is not None and any([cache.lengths[0] > length for cache in self.caches]):
            for cache in self.caches:
                cache.reset()
            return 0
        for cache in self.caches:
            cache.truncate(min(length, cache.lengths[0]))
        return min(length, *self.lengths)


class DecoderReader(CachedReader):
    """Rows that a decoder has read."""

    def __init__(self, model: "Decoder", batch: int, most: int) -> None:
        self.model, self.step, weight = model, None, model.embedding.weight
        program: Program | None = take(model, ("program", batch))
        if program is not None and (not program.fits(model) or torch.is_autocast_enabled(weight.device.type)):
            program = None
        super().__init__(model.stack, model.config.block, batch, most, weight, program)
        self.refresh(program)

    def refresh(self, program: Program | None = None) -> None:
        """Look at the model again: hooks or other weights may have come since the last step, or since the program."""
        if program is None and self.step is not None:
            program = self.step.program
        self.step = Captured.of(self.model)
        if self.step is not None:
            self.step.adopt(program)

    def release(self) -> None:
        """Leave the caches and the recorded step to the next reader of so many rows; this one reads no more."""
        program = None if self.step is None else self.step.program
        if program is not None and program.is_of(self.caches[0]):
            for cache in self.caches:
                cache.reset()
            size = sum([buffer.nbytes for cache in self.caches for buffer in cache.buffers])
            if self.caches[0].device.type == "cuda":  # whoever takes it may use another stream
                torch.cuda.current_stream(self.caches[0].device).synchronize()
            lay_by(self.model, ("program", self.caches[0].batch), program, size)
        self.step = None

    @property
    def is_ahead(self) -> bool:
        """Whether a token should be read before anybody has looked at it: a GPU works while the host looks."""
        return self.step is not None and self.caches[0].window is None

    def read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None = None) -> Float[Tensor, "B V"]:
        self.make_room(tokens.shape[1])
        if self.step is not None and lengths is None and self.step.fits(self.caches, tokens):
            return self.step(self.caches, tokens)
        scores = self._read(tokens[:, :PIECE], _within(lengths, 0, tokens.shape[1]))
        for start in range(PIECE, tokens.shape[1], PIECE):
            own = _within(lengths, start, tokens.shape[1])
            more = self._read(tokens[:, start : start + PIECE], own)
            ends = torch.tensor([own is None or count > 0 for count in own or (1,)], device=more.device)
            scores = torch.where(ends[:, None], more, scores)
        return scores

    def _read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None) -> Float[Tensor, "B V"]:
        model = self.model
        words = real_tokens(tokens, model.config.vocabulary, lengths)
        hidden, _ = model.stack(model.embedding(words), lengths=lengths, caches=self.caches)
        return model.scores(last_real(hidden, lengths))


def _within(lengths: tuple[int, ...] | None, start: int, whole: int) -> tuple[int, ...] | None:
    """How many tokens of a piece are real, of rows of these lengths."""
    count = min(PIECE, whole - start)
    return None if lengths is None else tuple([min(max(length - start, 0), count) for length in lengths])


class WholeReader:
    """Rows of a decoder whose mechanism no cache can keep: everything is computed again for each token."""

    def __init__(self, model: "Decoder", batch: int) -> None:
        self.model, self.rows = model, [torch.empty(0, dtype=torch.int64)] * batch

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple([len(row) for row in self.rows])

    def read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None = None) -> Float[Tensor, "B V"]:
        counts = lengths or (tokens.shape[1],) * len(self.rows)
        self.rows = [
            torch.cat((row.to(tokens.device), more[:count]))
            for row, more, count in zip(self.rows, tokens, counts, strict=True)
        ]
        alike = len(set(self.lengths)) == 1
        words = torch.nn.utils.rnn.pad_sequence(self.rows, batch_first=True)
        hidden = self.model(words, lengths=None if alike else self.lengths).hidden
        return self.model.scores(last_real(hidden, None if alike else self.lengths))

    def reorder(self, index: Int[Tensor, " n"]) -> None:
        self.rows = [self.rows[row] for row in index.tolist()]

    def keep(self, length: int) -> int:
        self.rows = [row[:length] for row in self.rows]
        return min(self.lengths)

    def refresh(self) -> None:
        """Nothing of the model is kept."""


def make_reader(model: "Decoder", batch: int, most: int) -> DecoderReader | WholeReader:
    """A reader with caches if they can hold the model's mechanism, else one that computes everything again."""
    mechanism = model.config.block.mechanism
    try:
        check_cacheable(Attention(Content(), model.stack.mask, mechanism.weighting), None)
    except ValueError:
        return WholeReader(model, batch)
    return DecoderReader(model, batch, most)


class EncoderDecoderReader(CachedReader):
    """Rows of targets that a decoder has read, and its heads of their sources."""

    def __init__(
        self, model: "EncoderDecoder", memory: Float[Tensor, "B S C"], lengths: tuple[int, ...] | None, most: int
    ) -> None:
        super().__init__(model.decoder, model.config.block, memory.shape[0], most, model.embedding.weight)
        self.model, self.memory_lengths = model, lengths
        self.memory: tuple[Heads, ...] = model.decoder.remember(memory, lengths)
        self.sources = list(range(memory.shape[0]))  # of each row, as they first were

    def read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None = None) -> Float[Tensor, "B V"]:
        model = self.model
        self.make_room(tokens.shape[1])
        hidden, _ = model.decoder(
            model.embed_tokens(tokens, lengths),
            lengths=lengths,
            caches=self.caches,
            memory=self.memory,
            memory_lengths=self.memory_lengths,
        )
        return model.scores(last_real(hidden, lengths))

    def reorder(self, index: Int[Tensor, " n"]) -> None:
        super().reorder(index)
        rows = index.tolist()
        sources = [self.sources[row] for row in rows]
        if sources != self.sources:  # beams of one source swap rows often, and need no copies of it
            self.memory = tuple([(k.index_select(0, index), v.index_select(0, index)) for k, v in self.memory])
            if self.memory_lengths is not None:
                self.memory_lengths = tuple([self.memory_lengths[row] for row in rows])
            self.sources = sources
