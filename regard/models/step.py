"""One more token through a stack of blocks, with as little around the products as can be.

A token of one row is a few hundred small calls, and what is checked around each of them takes as long as the products
of a small model. All of it is the same for every token, so it is checked once.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from regard.algorithms import attend
from regard.attention import Attention, Cache, Causal, Content, Softmax
from regard.layers import Buckets, FeedForward, MultiHead, Rotation
from regard.layers.feed_forward import ACTIVATIONS
from regard.models.block import Block
from regard.models.memory import beside

Function = Callable[[Tensor], Tensor]


class Step:
    """What a stack of causal blocks does to the next token of rows of one length, in eval mode.

    It gives what the stack gives. `Step.of` gives None for blocks that it does not know, which go the general way.
    """

    def __init__(self, blocks: list["StepOfBlock"], norm: Function | None) -> None:
        self.blocks, self.norm = blocks, norm

    @classmethod
    def of(cls, stack: nn.Module) -> "Step | None":
        blocks, last = list(getattr(stack, "blocks", ())), getattr(stack, "norm", None)
        if type(getattr(stack, "mask", None)) is not Causal or stack.training or any(map(_unusual, stack.modules())):
            return None
        if isinstance(getattr(stack, "positions", None), Buckets):  # which are added to the scores
            return None
        if not blocks or not all([_known(block) for block in blocks]):
            return None
        return cls([StepOfBlock(block) for block in blocks], None if last is None else _norm(last))

    def __call__(
        self, x: Float[Tensor, "B C"], caches: tuple[Cache, ...], rotation: Rotation | None
    ) -> Float[Tensor, "B C"]:
        """The token after the last block; x itself is written over."""
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache, rotation)
        return x if self.norm is None else self.norm(x)


class StepOfBlock:
    """`Block.forward` for one token in each row: the weights by hand, in the same order."""

    def __init__(self, block: Block) -> None:
        attention = block.attention
        self.norm_first = block.norm_first
        self.norm, self.feed_forward_norm = _norm(block.norm), _norm(block.feed_forward_norm)
        self.heads, self.groups = attention.num_heads, attention.num_groups
        self.beta, self.attention = attention.beta, Attention(Content(attention.beta))
        self.project, self.out = _projections(attention), _linear(attention.out)
        self.feed_forward = _feed_forward(block.feed_forward)

    def __call__(self, x: Tensor, cache: Cache, rotation: Rotation | None) -> Tensor:
        if self.norm_first:
            x += self._attend(self.norm(x), cache, rotation)
            x += self.feed_forward(self.feed_forward_norm(x))
            return x
        x = self.norm(x + self._attend(x, cache, rotation))
        return self.feed_forward_norm(x + self.feed_forward(x))

    def _attend(self, y: Tensor, cache: Cache, rotation: Rotation | None) -> Tensor:
        B, G = y.shape[0], self.groups
        q, k, v = self.project(y)
        k, v = k.view(B, G, 1, -1), v.view(B, G, 1, -1)  # (B, G·D) → (B, G, 1, D)
        if rotation is not None:
            q, k = rotation.turn(q.view(B, self.heads, 1, -1)), rotation.turn(k)
        keys, values = cache.extend(k, v)
        # The heads that share keys are as many queries of one token; nothing that is kept is hidden from it.
        q = q.view(B, G, -1, k.shape[3])
        if q.is_cuda:  # where the choice of a kernel matters: some plan for long at each new length
            o = attend(q, keys, values, self.attention)
        else:
            o = scaled_dot_product_attention(q, keys, values, scale=self.beta)
        return self.out(o.reshape(B, -1))  # (B, G, H/G, E) → (B, H·E)


def _projections(attention: MultiHead) -> Callable[[Tensor], tuple[Tensor, ...]]:
    """Queries, keys and values of tokens: one product where the weights lie side by side."""
    three = (attention.query, attention.key, attention.value)
    weight = beside([layer.weight for layer in three])
    bias = beside([layer.bias for layer in three if layer.bias is not None])
    if weight is None or (bias is None and attention.query.bias is not None):
        query, key, value = (_linear(layer) for layer in three)
        return lambda x: (query(x), key(x), value(x))
    sizes, joint = [layer.out_features for layer in three], _product(weight, bias)
    return lambda x: joint(x).split(sizes, 1)


def _feed_forward(layer: FeedForward) -> Function:
    activate, inner, out = ACTIVATIONS[layer.activation], _linear(layer.inner), _linear(layer.out)
    if layer.gate is None:
        return lambda x: out(activate(inner(x)))
    gate = _linear(layer.gate)
    return lambda x: out(activate(gate(x)) * inner(x))


def _linear(layer: nn.Linear) -> Function:
    return _product(layer.weight, layer.bias)


def _product(weight: Tensor, bias: Tensor | None) -> Function:
    """X Wᵀ + b, with Wᵀ made once."""
    turned = weight.detach().T
    if bias is None:
        return lambda x: x @ turned
    offset = bias.detach()
    return lambda x: torch.addmm(offset, x, turned)


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
    softmax = block.attention.weighting is None or type(block.attention.weighting) is Softmax
    inside = [module for module in block.modules() if module is not block]
    return softmax and all([type(module) in (*PLAIN, MultiHead, FeedForward) for module in inside])


def _unusual(module: nn.Module) -> bool:
    """Whether somebody listens to a module, or it trains."""
    return bool(module.training or module._forward_hooks or module._forward_pre_hooks)


def fits(caches: tuple[Cache, ...], tokens: Tensor) -> bool:
    """Whether it is one token for rows of one length that keep all."""
    return tokens.shape[1] == 1 and caches[0].window is None and len(set(caches[0].lengths)) == 1
