"""Pads left out of whole layers: the real tokens of a padded batch go through a model's stack as one packed row.

Attention is a small share of a layer at usual lengths; its products compute pads too. The first layer of a stack takes
the real tokens out, each layer attends within documents, and the last layer puts the tokens back, zeros at pads.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import Cache
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.utils.output_capturing import _active_collector

from regard.attention import Causal, Documents, Padding, Sequence, Window
from regard.checks import check_known
from regard.integrations.transformers.masks import ModelMask, intersection

# Families whose models do nothing to hidden states between their layers.
FAMILIES = (
    *("bert", "camembert", "distilbert", "electra", "gemma", "gemma2", "gemma3_text", "gpt2", "gpt_neox", "gpt_oss"),
    *("llama", "mistral", "mixtral", "modernbert", "olmo2", "opt", "phi3", "qwen2", "qwen3", "qwen3_moe", "roberta"),
    "xlm-roberta",
)
PER_TOKEN = ("hidden_states", "position_embeddings", "position_ids")  # (B|1, T, …), or tuples of such


class Packing(NamedTuple):
    """Where the real tokens of a batch are, and the mask of the row that they make."""

    real: Tensor  # their numbers among the B·T tokens
    batch: int
    tokens: int
    mask: ModelMask

    def pack(self, x: Any) -> Any:
        """(B|1, T, …) → (1, N, …)."""
        if x is None or isinstance(x, tuple):
            return x and tuple([self.pack(part) for part in x])
        return x.expand(self.batch, *x.shape[1:]).flatten(0, 1).index_select(0, self.real.to(x.device))[None]

    def unpack(self, x: Tensor) -> Tensor:
        """(1, N, …) → (B, T, …), zeros at pads."""
        whole = x.new_zeros(self.batch * self.tokens, *x.shape[2:])
        return whole.index_copy(0, self.real.to(x.device), x[0]).unflatten(0, (self.batch, self.tokens))

    def is_packed(self, x: Tensor) -> bool:
        return x.shape[0] == 1 and x.shape[1] == len(self.real)


def leave_out_pads(model: nn.Module) -> None:
    """Let the layers of a model compute real tokens alone, wherever a padded batch goes through them without a cache.

    Layers that are asked for maps or hidden states, or that write a cache for later, compute the batch as it is.
    Where gradients are taken while it trains, a model leaves its cache empty. A second call changes nothing, but where
    layers were taken away or added: the last one is looked for again.
    """
    config: Any = model.config
    check_known("family whose pads can be left out", config.model_type, FAMILIES)
    if config._attn_implementation != "regard":
        raise ValueError(
            "pads are left out by masks of regard: "
            f'got attn_implementation={config._attn_implementation!r}; use "regard"'
        )
    if getattr(config, "layerdrop", 0):
        raise ValueError(
            f"the last layer puts the pads back, and must run: got layerdrop={config.layerdrop}; use layerdrop=0"
        )
    stacks = [part for part in model.modules() if isinstance(part, nn.ModuleList) and len(part) > 0]
    for stack in stacks:
        if not all([isinstance(layer, GradientCheckpointingLayer) for layer in stack]):
            continue
        for layer in stack:
            _remove(layer._forward_pre_hooks, _take_in)
            _remove(layer._forward_hooks, _give_back)
            layer.register_forward_pre_hook(_take_in, with_kwargs=True)
        stack[-1].register_forward_hook(_give_back, with_kwargs=True)


def _remove(hooks: dict[int, Any], hook: Any) -> None:
    for key in [key for key, known in hooks.items() if known is hook]:
        del hooks[key]


def find_packing(mask: ModelMask) -> Packing | None:
    """The real tokens, where each row's are neighbours and offsets decide all else: looked for once in a pass."""
    return mask.prepared.recall_from((), "packing", lambda: _found(mask))


def _found(mask: ModelMask) -> Packing | None:
    pads = [part for part in mask.mask.conjuncts if isinstance(part, Padding)]
    others = [part for part in mask.mask.conjuncts if not isinstance(part, Padding)]
    if len(pads) != 1 or not all([isinstance(part, Causal | Window) for part in others]) or mask.device.type == "meta":
        return None
    B, _, T, _ = mask.shape
    real = pads[0].real
    assert isinstance(real, Tensor)
    if real.ndim == 1:
        lengths, real = real, torch.arange(T, device=mask.device) < real[:, None]
    elif bool((real[:, 1:] >= real[:, :-1]).all()):  # pads first, then all real tokens
        lengths = real.sum(1)
    else:
        return None
    index = real.flatten().nonzero()[:, 0]
    N = len(index)
    if N == 0:
        return None
    row = Sequence(N)
    packing = Packing(
        index, B, T, ModelMask(intersection([*others, Documents(lengths)]), row, row, (1, 1, N, N), mask.device)
    )
    return packing.mask.prepared.recall_from((), "packing", lambda: packing)  # where the last layer finds it


def _take_in(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], Any] | None:
    """Before a layer: all that it gets per token as one row; as a batch again, where it wants that."""
    packing = _packing(args, kwargs)
    if packing is None:
        return None
    hidden, others = (args[0], args[1:]) if args else (kwargs["hidden_states"], ())
    kwargs = {name: value for name, value in kwargs.items() if name != "hidden_states"}
    if not _can_be_packed(layer, others, kwargs):
        return (packing.unpack(hidden) if packing.is_packed(hidden) else hidden, *others), kwargs
    hidden = hidden if packing.is_packed(hidden) else packing.pack(hidden)
    kwargs = {name: packing.pack(x) if name in PER_TOKEN else _replaced(packing, x) for name, x in kwargs.items()}
    return (hidden, *[_replaced(packing, x) for x in others]), kwargs


def _replaced(packing: Packing, value: Any) -> Any:
    if isinstance(value, ModelMask):
        return packing.mask
    return None if isinstance(value, Cache) else value


def _give_back(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
    """Behind the last layer: the batch as it was."""
    packing = _packing(args, kwargs)
    hidden = output[0] if isinstance(output, tuple) else output
    if packing is None or not packing.is_packed(hidden):
        return None
    whole = packing.unpack(hidden)
    return (whole, *output[1:]) if isinstance(output, tuple) else whole


def _packing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Packing | None:
    masks = [value for value in (*args, *kwargs.values()) if isinstance(value, ModelMask)]
    return find_packing(masks[0]) if len(masks) == 1 and not torch.compiler.is_compiling() else None


def _can_be_packed(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether all that a layer gets is known per token or for all, and nobody asks for what is in between."""
    others = [*args, *[value for name, value in kwargs.items() if name not in PER_TOKEN]]
    if _active_collector.get() or any([_has_sizes(value) for value in others]):
        return False
    if getattr(layer, "chunk_size_feed_forward", 0):  # it must divide the tokens, of which there are others now
        return False
    trains = layer.training and torch.is_grad_enabled()  # `generate` writes its cache in whatever mode a model is
    return trains or not any([isinstance(value, Cache) for value in others])


def _has_sizes(value: Any) -> bool:
    """Tensors of more than one number, which may be per token in a way of their own."""
    if isinstance(value, tuple | list | dict):
        return any([_has_sizes(part) for part in (value.values() if isinstance(value, dict) else value)])
    return isinstance(value, Tensor) and value.ndim > 0
