"""A decode step as a program: the model's own modules, recorded once on fixed memory, and replayed for every token.

What a GPU does for one token takes less time than Python takes to ask for it. A CUDA graph asks once. Where the tokens
of a row end is a tensor, which the kernels read and the program counts on.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.algorithms import plan
from regard.attention import Attention, Cache, Content
from regard.attention.torch_private import has_global_hooks
from regard.layers import Buckets, LearnedPositions, Rotary
from regard.layers.feed_forward import is_heard
from regard.layers.positions import LongScaling

if TYPE_CHECKING:
    from regard.models.architectures.decoder import Decoder

WARM_UPS = 2  # runs before the recording, in which kernels are compiled and memory is found
PATIENCE = 4  # tokens that modules read one by one before a recording, which takes as long as some of them


class Captured:
    """One more token of each row through a decoder, in eval mode and without gradients.

    It gives what the modules give. `Captured.of` gives None for a model whose modules do more than compute, or ask the
    host: hooks, a forward of somebody's own, dropout, scores of buckets.
    """

    def __init__(self, model: "Decoder") -> None:
        self.model = model
        self.program: Program | None = None
        self.patience = PATIENCE

    @classmethod
    def of(cls, model: "Decoder") -> "Captured | None":
        weight, positions = model.embedding.weight, model.stack.positions
        if not weight.is_cuda or has_global_hooks() or any([is_heard(part) for part in model.modules()]):
            return None
        mechanism = model.config.block.mechanism
        is_long = isinstance(positions, Rotary) and isinstance(positions.scaling, LongScaling)  # a choice of lists
        if model.training or isinstance(positions, Buckets) or is_long:
            return None
        return None if mechanism.weighting is not None or mechanism.cap is not None else cls(model)

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
        """Whether attention is by the kernel that reads lengths itself."""
        if self.program is not None and self.program.is_of(cache):
            return True
        block = self.model.config.block
        cache.count_by(torch.zeros(cache.batch, dtype=torch.int64, device=cache.device))
        try:
            attention = Attention(Content(block.mechanism.beta), self.model.stack.mask)
            placed = cache.locate(attention, 1).place(attention)
        finally:
            cache.count_by(None)
        q = torch.empty(cache.batch, block.num_heads, 1, block.head_width, dtype=cache.dtype, device=cache.device)
        return plan(q, *cache.buffers, placed).chosen == "decode"

    def __call__(self, caches: tuple[Cache, ...], tokens: Int[Tensor, "B 1"]) -> Float[Tensor, "B V"]:
        if self.program is None or not self.program.is_of(caches[0]):
            self.program = Program(self.model, caches)
        return self.program(tokens)


class Program:
    """The recorded step of one batch, on the memory of its caches."""

    def __init__(self, model: "Decoder", caches: tuple[Cache, ...]) -> None:
        self.model, self.caches, self.memory = model, caches, caches[0].buffers
        with torch.inference_mode(False):
            self.tokens = torch.zeros(caches[0].batch, 1, dtype=torch.int64, device=caches[0].device)
            self.slots = self.tokens[:, 0].clone()
        self.counted: tuple[int, ...] = ()
        self.replay, self.scores = self._record()

    def is_of(self, cache: Cache) -> bool:
        return cache.buffers[0] is self.memory[0]

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

    def _record(self) -> tuple[Callable[[], None], Tensor]:
        """Something that runs the step again, and where it leaves the scores. On the CPU the modules themselves run."""
        self._count()
        if not self.tokens.is_cuda:
            scores = self._step()
            return lambda: _copy(self._step(), scores), scores
        graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream(self.tokens.device)
        side.wait_stream(torch.cuda.current_stream(self.tokens.device))
        with torch.cuda.stream(side):
            for _ in range(WARM_UPS):  # they write where the next token will
                self._step()
                self._count()
        torch.cuda.current_stream(self.tokens.device).wait_stream(side)
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # other threads may copy meanwhile
            scores = self._step()
        return graph.replay, scores

    def _step(self) -> Tensor:
        """The scores of what follows the tokens, which are then counted."""
        for cache in self.caches:
            cache.count_by(self.slots)
        try:
            model = self.model
            hidden, _ = model.stack(model.embedding(self.tokens), caches=self.caches)
            scores = model.scores(hidden[:, -1])
            self.slots += 1
        finally:
            for cache in self.caches:
                cache.count_by(None)
        return scores


def _copy(x: Tensor, to: Tensor) -> None:
    to.copy_(x)
