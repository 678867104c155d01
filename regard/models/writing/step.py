"""One more token through a stack of blocks, with as little work around the matrix products as possible.

A token of one row is a few hundred small calls, and what is checked around each of them takes as long as the products
of a small model. All of it is the same for every token, so it is checked once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from regard.algorithms import attend
from regard.attention import Attention, Cache, Causal, Content, KeyPadding, Softmax
from regard.attention.torch_private import has_global_hooks
from regard.layers import Buckets, FeedForward, MultiHead, Rotation
from regard.layers.feed_forward import ACTIVATIONS
from regard.models.block import Block

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False, kw_only=True)
class Slot:
    """Where the next token of each row goes in the caches, and what it sees; the same for all blocks."""

    rotation: Rotation | None
    slots: Int[Tensor, " B"] | None = None  # in the caches, of rows of different lengths
    seen: Bool[Tensor, "B 1 1 S"] | None = None  # keys, of rows of different lengths, on the CPU
    mask: KeyPadding | None = None  # the same on a GPU

    @classmethod
    def of(cls, cache: Cache, rotation: Rotation | None) -> "Slot":
        lengths = cache.lengths
        if lengths.count(lengths[0]) == len(lengths):
            return cls(rotation=rotation)
        slots = torch.tensor(lengths, device=cache.device)
        if slots.is_cuda:
            return cls(rotation=rotation, slots=slots, mask=KeyPadding(slots + 1))
        seen = torch.arange(max(lengths) + 1, device=cache.device) <= slots[:, None]
        return cls(rotation=rotation, slots=slots, seen=seen[:, None, None])


class Step:
    """What a stack of causal blocks does to the next token of each row, in eval mode and without gradients.

    It gives what the stack gives. `Step.of` gives None for blocks that it does not know, which go the general way.
    """

    def __init__(self, blocks: list["StepOfBlock"], norm: Function | None) -> None:
        self.blocks, self.norm = blocks, norm

    @classmethod
    def of(cls, stack: nn.Module) -> "Step | None":
        blocks, last = list(getattr(stack, "blocks", ())), getattr(stack, "norm", None)
        if type(getattr(stack, "mask", None)) is not Causal or any(map(_unusual, stack.modules())):
            return None
        if isinstance(getattr(stack, "positions", None), Buckets):  # which are added to the scores
            return None
        if has_global_hooks():
            return None
        if not blocks or not all([_known(block) for block in blocks]):
            return None
        return cls([StepOfBlock(block) for block in blocks], None if last is None else _norm(last))

    def fits(self, caches: tuple[Cache, ...], tokens: Tensor) -> bool:
        """Whether this is one token per row for caches that keep everything, without gradients and without autocast."""
        one = tokens.shape[1] == 1 and caches[0].window is None and len({cache.lengths for cache in caches}) == 1
        return one and not torch.is_grad_enabled() and not torch.is_autocast_enabled(tokens.device.type)

    def __call__(
        self, x: Float[Tensor, "B C"], caches: tuple[Cache, ...], rotation: Rotation | None
    ) -> Float[Tensor, "B C"]:
        """The token after the last block; x is overwritten."""
        slot = Slot.of(caches[0], rotation)
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache, slot)
        return x if self.norm is None else self.norm(x)


class StepOfBlock:
    """`Block.forward` for one token in each row: the weights by hand, in the same order."""

    def __init__(self, block: Block) -> None:
        attention = block.attention
        self.norm_first = block.norm_first
        self.norm, self.feed_forward_norm = _norm(block.norm), _norm(block.feed_forward_norm)
        self.heads, self.groups = attention.num_heads, attention.num_groups
        self.beta, self.content = attention.beta, Content(attention.beta)
        self.query, self.key, self.value = (
            _linear(layer) for layer in (attention.query, attention.key, attention.value)
        )
        self.query_norm, self.key_norm = (
            None if norm is None else _norm(norm) for norm in (attention.query_norm, attention.key_norm)
        )
        self.add_attended, self.add_fed = _adding(attention.out), _adding(block.feed_forward.out)
        self.hidden = _hidden(block.feed_forward)

    def __call__(self, x: Tensor, cache: Cache, slot: Slot) -> Tensor:
        if self.norm_first:
            self.add_attended(x, self._attend(self.norm(x), cache, slot))
            self.add_fed(x, self.hidden(self.feed_forward_norm(x)))
            return x
        attended = self._attend(x, cache, slot)
        self.add_attended(x, attended)
        x = self.norm(x)
        hidden = self.hidden(x)
        self.add_fed(x, hidden)
        return self.feed_forward_norm(x)

    def _attend(self, y: Tensor, cache: Cache, slot: Slot) -> Tensor:
        B, G = y.shape[0], self.groups
        q, k, v = self.query(y), self.key(y).view(B, G, 1, -1), self.value(y).view(B, G, 1, -1)
        if self.query_norm is not None and self.key_norm is not None:
            q, k = self.query_norm(q.view(B, self.heads, 1, -1)), self.key_norm(k)
        if slot.rotation is not None:
            q, k = slot.rotation.turn(q.view(B, self.heads, 1, -1)), slot.rotation.turn(k)
        keys, values = cache.extend(k, v, slot.slots)
        if q.is_cuda:
            o = attend(q.view(B, self.heads, 1, -1), keys, values, Attention(self.content, slot.mask))
        else:  # the heads that share keys are as many queries of one token
            q = q.view(B, G, -1, k.shape[3])
            o = scaled_dot_product_attention(q, keys, values, attn_mask=slot.seen, scale=self.beta)
        return o.reshape(B, -1)  # (B, G, H/G, E) → (B, H·E)


def _hidden(layer: FeedForward) -> Function:
    activate, inner = ACTIVATIONS[layer.activation], _linear(layer.inner)
    if layer.gate is None:
        return lambda x: activate(inner(x))
    gate = _linear(layer.gate)
    return lambda x: activate(gate(x)) * inner(x)


def _linear(layer: nn.Linear) -> Function:
    """To x Wᵀ + b, with Wᵀ made once."""
    turned = layer.weight.detach().T
    if layer.bias is None:
        return lambda x: x @ turned
    offset = layer.bias.detach()
    return lambda x: torch.addmm(offset, x, turned)


def _adding(layer: nn.Linear) -> Callable[[Tensor, Tensor], None]:
    """To x ← x + y Wᵀ + b, in place."""
    turned, offset = layer.weight.detach().T, None if layer.bias is None else layer.bias.detach()

    def add(x: Tensor, y: Tensor) -> None:
        if offset is not None:
            x += offset
        x.addmm_(y, turned)

    return add


def _norm(norm: nn.Module) -> Function:
    if isinstance(norm, nn.RMSNorm):
        shape, weight, eps = norm.normalized_shape, norm.weight, norm.eps
        return lambda x: torch.rms_norm(x, shape, weight, eps)
    assert isinstance(norm, nn.LayerNorm)
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x: torch.layer_norm(x, shape, weight, bias, eps)


PLAIN = (nn.Linear, nn.LayerNorm, nn.RMSNorm)


def _known(block: nn.Module) -> bool:
    """Whether a block is made of nothing but what `StepOfBlock` does by hand."""
    if type(block) is not Block or type(block.attention) is not MultiHead or block.cross is not None:
        return False
    weighting = block.attention.weighting
    softmax = weighting is None or (type(weighting) is Softmax and weighting.sink is None)
    softmax = softmax and block.attention.content.cap is None
    inside = [module for module in block.modules() if module is not block]
    return softmax and all([type(module) in (*PLAIN, MultiHead, FeedForward) for module in inside])


def _unusual(module: nn.Module) -> bool:
    """Whether a module has hooks or a forward of its own, or is in training mode."""
    listened = module._forward_hooks or module._forward_pre_hooks
    return bool(module.training or listened or "forward" in vars(module))
