"""A decode step as a program: the model's own modules, recorded once on fixed memory, and replayed for every token.

What a GPU does for one token takes less time than Python takes to ask for it. A CUDA graph asks once. Where the tokens
of a row end is a tensor, which the kernels read and the program counts on.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.algorithms import plan
from regard.attention import Attention, Cache
from regard.attention.torch_private import has_global_hooks
from regard.attention.value import Value
from regard.layers import Buckets, LearnedPositions, Rotary
from regard.layers.feed_forward import is_heard
from regard.layers.positions import LongScaling

if TYPE_CHECKING:
    from regard.models.architectures.decoder import Decoder

PATIENCE = 1  # tokens that modules read one by one before a recording, which takes as long as some of them


class Captured:
    """One more token of each row through a decoder, in eval mode and without gradients.

    It gives what the modules give. `Captured.of` gives None for a model whose modules do more than compute, or ask the
    host: hooks, a forward of somebody's own, dropout, scores of buckets.
    """

    def __init__(self, model: "Decoder") -> None:
        self.model = model
        self.program: Program | None = None
        self.patience = PATIENCE

    def adopt(self, program: "Program | None") -> None:
        """Go on with a program, if the model is still what that was recorded of."""
        if program is not None and program.fits(self.model):
            self.program, self.patience = program, 0

    @classmethod
    def of(cls, model: "Decoder") -> "Captured | None":
        weight, positions = model.embedding.weight, model.stack.positions
        if not weight.is_cuda or has_global_hooks() or any([is_heard(part) for part in model.modules()]):
            return None
        mechanism = model.config.block.mechanism
        is_long = isinstance(positions, Rotary) and isinstance(positions.scaling, LongScaling)  # a choice of lists
        if model.training or isinstance(positions, Buckets) or is_long:
            return None
        return None if mechanism.weighting is not None else cls(model)

    def fits(self, caches: tuple[Cache, ...], tokens: Tensor) -> bool:
        """Whether this is one token per row for caches that keep everything, without gradients and without autocast."""
        positions, lengths = self.model.stack.positions, caches[0].lengths
        if tokens.shape[1] != 1 or caches[0].capacity is None or max(lengths) >= caches[0].capacity:
            return False
        if isinstance(positions, LearnedPositions) and max(lengths) >= positions.count:
            return False
        if torch.is_grad_enabled() or torch.is_autocast_enabled(tokens.device.type):
            return False
        self.patience -= 1
        alike = all([cache.lengths == lengths for cache in caches])
        return self.patience < 0 and alike and self._decodes(caches[0])

    def _decodes(self, cache: Cache) -> bool:
        """Whether attention can be by the kernel that reads lengths itself."""
        if self.program is not None and self.program.is_of(cache):
            return True
        block = self.model.config.block
        cache.count_by(torch.zeros(cache.batch, dtype=torch.int64, device=cache.device))
        try:
            attention = Attention(block.mechanism.content, self.model.stack.mask)
            placed = cache.locate(attention, 1).place(attention)
        finally:
            cache.count_by(None)
        q = torch.empty(cache.batch, block.num_heads, 1, block.head_width, dtype=cache.dtype, device=cache.device)
        return any([one.name == "decode" and one.refusal is None for one in plan(q, *cache.buffers, placed).candidates])

    def __call__(self, caches: tuple[Cache, ...], tokens: Int[Tensor, "B 1"]) -> Float[Tensor, "B V"]:
        if self.program is None or not self.program.is_of(caches[0]):
            self.program = Program(self.model, caches)
        return self.program(tokens)


def described(model: torch.nn.Module) -> tuple[Any, ...]:
    """All that a recording has of a model: its tensors, where they lie, and what else its modules say."""
    tensors = [(x.data_ptr(), x.dtype, x.shape, x.stride()) for x in (*model.parameters(), *model.buffers())]
    return *tensors, *[(type(part), *map(_said, part.__dict__.items())) for part in model.modules()]


def _said(attribute: tuple[str, Any]) -> tuple[str, Any]:
    """A number, a text or a value of attention as it is, which holds no model; of others which it is."""
    name, held = attribute
    return name, held if isinstance(held, int | float | str | Value) else id(held)


class Program:
    """The recorded step of one batch, on the memory of its caches, and of the model, which it does not hold."""

    def __init__(self, model: "Decoder", caches: tuple[Cache, ...]) -> None:
        self.caches, self.memory, self.described = caches, caches[0].buffers, described(model)
        with torch.inference_mode(False):
            self.tokens = torch.zeros(caches[0].batch, 1, dtype=torch.int64, device=caches[0].device)
            self.slots = self.tokens[:, 0].clone()
        self.counted: tuple[int, ...] = ()
        self.replay, self.scores = self._record(model)

    def is_of(self, cache: Cache) -> bool:
        return cache.buffers[0] is self.memory[0]

    def fits(self, model: "Decoder") -> bool:
        """Whether this is the model that it was recorded of, as it was and where it was."""
        return self.described == described(model)

    def __call__(self, tokens: Int[Tensor, "B 1"]) -> Float[Tensor, "B V"]:
        self.tokens.copy_(tokens)
        if self.caches[0].lengths != self.counted:  # after a prompt, or when rows were reordered or forgotten
            self._count()
        self.replay()
        for cache in self.caches:
            cache.advance(1)
        self.counted = self.caches[0].lengths
        return self.scores.clone()  # the next run writes there again

    def _count(self) -> None:
        self.slots.copy_(torch.tensor(self.caches[0].lengths))

    def _record(self, model: "Decoder") -> tuple[Callable[[], None], Tensor]:
        """Something that runs the step again, and where it leaves the scores. On the CPU the modules themselves run."""
        self._count()
        if not self.tokens.is_cuda:
            scores, of = self._step(model), ref(model)
            return lambda: _copy(self._step(of()), scores), scores  # pyright: ignore[reportArgumentType]
        graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream(self.tokens.device)
        side.wait_stream(torch.cuda.current_stream(self.tokens.device))
        with torch.cuda.stream(side):
            self._step(model)  # in which kernels are compiled; it writes where the next token will
            self._count()
        torch.cuda.current_stream(self.tokens.device).wait_stream(side)
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # other threads may copy meanwhile
            scores = self._step(model)
        return graph.replay, scores

    def _step(self, model: "Decoder") -> Tensor:
        """The scores of what follows the tokens, which are then counted."""
        for cache in self.caches:
            cache.count_by(self.slots)
        try:
            hidden, _ = model.stack(model.embedding(self.tokens), caches=self.caches)
            scores = model.scores(hidden[:, -1])
            self.slots += 1
        finally:
            for cache in self.caches:
                cache.count_by(None)
        return scores


def _copy(x: Tensor, to: Tensor) -> None:
    to.copy_(x)
