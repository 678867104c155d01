"""Whole layers in training on half padded batches, forward and backward, with the same weights as their peers.

`MultiHead` stands beside `nn.MultiheadAttention`, a post-norm block as BERT's beside `nn.TransformerEncoderLayer` and
transformers' `BertLayer`. Dropout is that of the attention weights alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.contest import TOLERANCES, distance
from benchmarks.everyday_calls import half_padded
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting
from benchmarks.timing import explain, over
from benchmarks.wall import Contender, clocks, take_turns
from regard.attention import Padding
from regard.layers import MultiHead, Packing
from regard.models.block import Block, BlockConfig, NormConfig
from regard.models.stack import PositionConfig, Stack

WIDTH, HEADS = 768, 12  # BERT-base's
EPS = 1e-12
NUMBERS, ON_DEVICE = "regard, numbers", "regard, tensor"  # what the lengths are
Forward = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Case:
    """A kind of layer at one size."""

    kind: str  # "MultiHead" or "block"
    N: int
    dropout: float
    compiled: bool
    B: int = 16

    @property
    def label(self) -> str:
        return f"{self.kind} {self.B}×{self.N}, dropout {self.dropout:g}, {'compiled' if self.compiled else 'eager'}"


def cases(compiled: bool) -> list[Case]:
    """Every kind, size and dropout, eager; then compiled."""
    return [
        Case(kind, N, dropout, late)
        for late in ((False, True) if compiled else (False,))
        for kind in ("MultiHead", "block")
        for N in (128, 512)
        for dropout in (0.0, 0.1)
    ]


class Batch:
    """Tokens, the gradient of the output, zero at pads, and the lengths in every form that a layer takes."""

    def __init__(self, case: Case, setting: Setting) -> None:
        device = setting.device
        generator = torch.Generator(device).manual_seed(0)
        size = (case.B, case.N, WIDTH)
        x, grad = (torch.randn(size, generator=generator, device=device).to(setting.dtype) for _ in range(2))
        self.numbers = half_padded(case.B, case.N)
        self.lengths = torch.tensor(self.numbers, device=device)
        self.real = torch.arange(case.N, device=device) < self.lengths[:, None]
        self.pads = ~self.real
        self.seen = self.real[:, None, None, :].expand(-1, 1, case.N, -1).contiguous()  # as BertModel gives it
        self.x, self.grad = x.requires_grad_(), grad * self.real[..., None]


def layers(setting: Setting, case: Case) -> list[Row]:
    """A row for each way to give regard the lengths; a compiled graph takes them as a tensor, numbers are its own."""
    batch = Batch(case, setting)
    torch.manual_seed(0)
    make = _multi_heads if case.kind == "MultiHead" else _blocks
    modules = make(setting, batch)
    if case.compiled:
        modules.pop(NUMBERS)
        torch.compiler.reset()
    against = list(modules)[-1]
    steps = {name: torch.compile(forward) if case.compiled else forward for name, (_, forward) in modules.items()}
    # A compiled step is what is checked, but where dropout comes later and would compile it once more.
    checked = {name: forward for name, (_, forward) in modules.items()} if case.dropout else steps
    failed = {name: wrong(checked[name], checked[against], batch) for name in modules if name != against}
    contenders = {}
    for name, (module, _) in modules.items():
        if failed.get(name) is None:
            _drop(module, case.dropout)
            contenders[name] = Contender(_step(module, steps[name], batch))
    times = take_turns(contenders, setting.device, setting.effort)
    rows = []
    for clock in clocks(setting.device):
        found: dict[str, Cell] = {}
        for name in modules:
            result = times.get(name) or failed[name] or ""
            found[name] = result if isinstance(result, str) else result.on(clock)
        for number, ours in enumerate([name for name in modules if name.startswith("regard")]):
            cells = found if number == 0 else {name: found[name] for name in (ours, against)}
            row = Row("layers", case.label, f"{ours.removeprefix('regard, ')}, {clock}", dict(cells), against=against)
            row.ratio, row.bar = over(found[against], found[ours]), _bar(case, setting)
            rows.append(row)
    return rows


def _bar(case: Case, setting: Setting) -> Bar | None:
    if case.kind != "block":
        return None
    if not setting.on_cuda:
        return Bar("≥", 1.6)
    return Bar("≥", 1.2 if case.compiled else 1.0)


def _step(module: nn.Module, forward: Forward, batch: Batch) -> Callable[[], object]:
    parameters = list(module.parameters())
    return lambda: torch.autograd.grad(forward(batch.x), [batch.x, *parameters], batch.grad)


def wrong(ours: Forward, peer: Forward, batch: Batch) -> str | None:
    """None when output and gradient of the input are equal at the real tokens, without dropout."""
    try:
        got, wanted = _results(ours, batch), _results(peer, batch)
    except Exception as error:  # one that fails does not hide the others
        return explain(error)
    off = max(distance(a, b.double()) for a, b in zip(got, wanted, strict=True))
    # Both round, and a block has six products one after the other.
    return None if off <= 4 * TOLERANCES[batch.x.dtype] else f"wrong: off by {off:.1e}"


def _results(forward: Forward, batch: Batch) -> tuple[Tensor, Tensor]:
    out = forward(batch.x)
    (gradient,) = torch.autograd.grad(out, batch.x, batch.grad)
    return (out * batch.real[..., None]).detach(), gradient * batch.real[..., None]


def _drop(module: nn.Module, dropout: float) -> None:
    """Dropout of the attention weights alone, under whatever name each has it."""
    layers: list[Any] = list(module.modules())
    for layer in layers:
        if isinstance(layer, MultiHead | nn.MultiheadAttention):
            layer.dropout = dropout
        elif type(layer).__name__ == "BertSelfAttention":
            layer.dropout.p = dropout


def _multi_heads(setting: Setting, batch: Batch) -> dict[str, tuple[nn.Module, Forward]]:
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, device=setting.device, dtype=batch.x.dtype)
    ours = MultiHead.from_torch(theirs)
    pads = batch.pads

    def by_numbers(x: Tensor) -> Tensor:
        packing = Packing.of(batch.numbers, x)
        if packing is None:
            return ours(x, mask=Padding(batch.numbers))
        return packing.unpack(ours(packing.pack(x), mask=Padding(batch.numbers), packing=packing))

    return {
        NUMBERS: (ours, by_numbers),
        ON_DEVICE: (ours, lambda x: ours(x, mask=Padding(batch.lengths))),
        "nn.MultiheadAttention": (theirs, lambda x: theirs(x, x, x, key_padding_mask=pads, need_weights=False)[0]),
    }


def _blocks(setting: Setting, batch: Batch) -> dict[str, tuple[nn.Module, Forward]]:
    """BERT's block three times; ours in a stack of one, which packs what its user's lengths let it pack."""
    options: Any = {"device": setting.device, "dtype": batch.x.dtype}
    config = BlockConfig(width=WIDTH, num_heads=HEADS, norm=NormConfig(first=False, eps=EPS))
    ours = Stack(config, 1, PositionConfig(kind="none")).to(**options)
    block: Any = ours.blocks[0]
    modules: dict[str, tuple[nn.Module, Forward]] = {
        NUMBERS: (ours, lambda x: ours(x, lengths=batch.numbers)[0]),
        ON_DEVICE: (ours, lambda x: ours(x, lengths=batch.lengths)[0]),
    }
    torchs = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", batch_first=True, layer_norm_eps=EPS, **options
    )
    _load_torch(torchs, block)
    modules["nn.TransformerEncoderLayer"] = (torchs, lambda x: torchs(x, src_key_padding_mask=batch.pads))
    try:
        import transformers
        from transformers.models.bert.modeling_bert import BertLayer
    except ImportError:
        return modules
    sizes: Any = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "intermediate_size": 4 * WIDTH}
    kind: Any = {"hidden_dropout_prob": 0.0, "layer_norm_eps": EPS, "attn_implementation": "sdpa"}
    bert: Any = BertLayer(transformers.BertConfig(**sizes, **kind)).to(**options).train()
    _load_bert(bert, block)
    _drop(bert, 0.0)

    def by_bert(x: Tensor) -> Tensor:
        out = bert(x, batch.seen)
        return out[0] if isinstance(out, tuple) else out

    modules["BertLayer"] = (bert, by_bert)
    return modules


def _load_torch(layer: Any, block: Block) -> None:
    """Give torch's layer the weights of the block."""
    own = block.attention
    with torch.no_grad():
        for name in ("weight", "bias"):
            parts = [getattr(linear, name) for linear in (own.query, own.key, own.value)]
            getattr(layer.self_attn, f"in_proj_{name}").copy_(torch.cat(parts))
    _copy(
        {
            layer.self_attn.out_proj: own.out,
            layer.linear1: block.feed_forward.inner,
            layer.linear2: block.feed_forward.out,
            layer.norm1: block.norm,
            layer.norm2: block.feed_forward_norm,
        }
    )


def _load_bert(layer: Any, block: Block) -> None:
    """Give BERT's layer the weights of the block."""
    heads, own = layer.attention.self, block.attention
    _copy(
        {
            heads.query: own.query,
            heads.key: own.key,
            heads.value: own.value,
            layer.attention.output.dense: own.out,
            layer.attention.output.LayerNorm: block.norm,
            layer.intermediate.dense: block.feed_forward.inner,
            layer.output.dense: block.feed_forward.out,
            layer.output.LayerNorm: block.feed_forward_norm,
        }
    )


def _copy(pairs: dict[nn.Module, nn.Module]) -> None:
    for to, source in pairs.items():
        to.load_state_dict(source.state_dict())
