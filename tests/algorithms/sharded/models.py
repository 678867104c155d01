"""Models whose tokens lie on several processes, against the same models in one."""

from typing import Any

import torch
from torch import distributed, nn

from regard.algorithms import Context
from regard.attention import Documents, Window
from regard.layers import DynamicScaling
from regard.models import (
    BlockConfig,
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    Mechanism,
    NormConfig,
    PositionConfig,
)

N = 23
BLOCK = BlockConfig(width=16, num_heads=4, num_groups=2, hidden=24)
WINDOW = BlockConfig(width=16, num_heads=4, mechanism=Mechanism(mask=Window(before=5), sink=True))
ROTARY = PositionConfig(kind="rotary", context=16, scaling=DynamicScaling(factor=2, original=8))


def decoder(positions: PositionConfig, block: BlockConfig = BLOCK) -> Decoder:
    return Decoder(DecoderConfig(vocabulary=29, depth=2, block=block, positions=positions))


MODELS = {
    "rotary": lambda: decoder(ROTARY),
    "learned": lambda: decoder(PositionConfig(context=32)),
    "sinusoidal": lambda: decoder(PositionConfig(kind="sinusoidal"), WINDOW),
    "buckets": lambda: decoder(PositionConfig(kind="buckets")),
    "encoder": lambda: Encoder(
        EncoderConfig(
            vocabulary=29,
            depth=2,
            block=BlockConfig(width=16, num_heads=2, norm=NormConfig(first=False)),
            heads=("words",),
        )
    ),
}
LENGTHS = {
    "whole rows": None,
    "lengths": (23, 9),
    "lengths as data": torch.tensor([11, 23]),
    "documents": Documents(((9, 8, 3), (4, 19))),
    "documents by ids": Documents(ids=torch.tensor([[0] * 7 + [1] * 16, [3] * 13 + [-1] * 10])),
}


def differences(rows: list[str]) -> dict[str, float]:
    """The largest relative difference of logits and of gradients, for each model and these kinds of rows."""
    found: dict[str, float] = {}
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model = make().double()
        tokens = torch.randint(29, (2, N))
        for kind in rows:
            found[f"{name}, {kind}"] = _difference(model, tokens, LENGTHS[kind], Context.of(distributed.group.WORLD, N))
    return found


def _difference(model: nn.Module, tokens: torch.Tensor, lengths: Any, context: Context) -> float:
    whole, grads = _read(model, tokens, lengths, None)
    part, part_grads = _read(model, tokens, lengths, context)
    for grad in part_grads:
        distributed.all_reduce(grad, group=context.group)
    pairs = [(context.join(part), whole), *zip(part_grads, grads, strict=True)]
    return max([float((one - other).abs().max() / other.abs().max().clamp(min=1e-6)) for one, other in pairs])


def _read(model: nn.Module, tokens: torch.Tensor, lengths: Any, context: Context | None) -> Any:
    """Logits, zero at pads, and the gradients of their sum, weighed by fixed numbers."""
    numbers = torch.randn(2, N, 29, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    real = torch.ones(2, N, dtype=torch.bool)
    if isinstance(lengths, Documents):
        real = lengths.numbers(N, real.device) >= 0
    elif lengths is not None:
        real = torch.arange(N) < torch.as_tensor(lengths)[:, None]
    if context is not None:
        tokens, numbers, real = context.split(tokens), context.split(numbers), context.split(real)
    how = {} if context is None else {"context": context}
    logits = torch.where(real[..., None], model(tokens, lengths, **how).logits, 0)
    parameters = [p for p in model.parameters() if p.requires_grad]
    grads = torch.autograd.grad((logits * numbers).sum(), parameters, allow_unused=True, materialize_grads=True)
    return logits.detach(), [grad.clone() for grad in grads]
