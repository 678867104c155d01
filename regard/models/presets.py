"""The shapes of well-known models by name, and how to vary and build one."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from torch import nn

from regard.attention import Window
from regard.checks import check_known, nearest
from regard.layers.positions import Llama3Scaling
from regard.models.architectures.davit import DaViT, DaViTConfig
from regard.models.architectures.decoder import Decoder, DecoderConfig
from regard.models.architectures.encoder import Encoder, EncoderConfig
from regard.models.architectures.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from regard.models.architectures.grid import GridConfig, GridModel
from regard.models.architectures.recurrent import Recurrent, RecurrentConfig
from regard.models.architectures.resnet import ResNet, ResNetConfig
from regard.models.architectures.vision import ViT, ViTConfig
from regard.models.block import BlockConfig, Mechanism, NormConfig
from regard.models.stack import PositionConfig

C = TypeVar("C")
Sequences = DecoderConfig | EncoderConfig | EncoderDecoderConfig | RecurrentConfig
Config = Sequences | ViTConfig | GridConfig | DaViTConfig | ResNetConfig
MODELS: dict[type, type[nn.Module]] = {
    DecoderConfig: Decoder,
    EncoderConfig: Encoder,
    EncoderDecoderConfig: EncoderDecoder,
    RecurrentConfig: Recurrent,
    ViTConfig: ViT,
    GridConfig: GridModel,
    DaViTConfig: DaViT,
    ResNetConfig: ResNet,
}


def vary(config: C, **changes: Any) -> C:
    """The same configuration with some fields changed, wherever in its parts the fields of these names are.

    >>> vary(PRESETS["gpt2"], depth=2, width=64, num_heads=4).block.width
    64
    """
    known = _names(config)
    for name in changes:
        if name not in known:
            raise ValueError(f"{type(config).__name__} has no {name!r}: {nearest(name, sorted(known))}")
    return _varied(config, changes)


def _names(config: object) -> set[str]:
    """All fields, of the parts too."""
    parts = [getattr(config, field.name) for field in fields(config)]  # pyright: ignore[reportArgumentType]
    inner = [_names(part) for part in parts if _is_part(part)]
    return {field.name for field in fields(config)}.union(*inner)  # pyright: ignore[reportArgumentType]


def _varied(config: Any, changes: dict[str, Any]) -> Any:
    values = {}
    for field in fields(config):
        part = getattr(config, field.name)
        if field.name in changes:
            values[field.name] = changes[field.name]
        elif _is_part(part):
            values[field.name] = _varied(part, changes)
    return replace(config, **values)


def _is_part(value: object) -> bool:
    """A configuration inside of one; values such as masks are dataclasses too, and are taken whole."""
    return is_dataclass(value) and type(value).__module__.startswith("regard.models.")


def _gpt2(depth: int, width: int, num_heads: int) -> DecoderConfig:
    return DecoderConfig(
        vocabulary=50257,
        depth=depth,
        block=BlockConfig(width=width, num_heads=num_heads, activation="gelu_approximate"),
        positions=PositionConfig(kind="learned", context=1024),
    )


def _llama(depth: int, width: int, num_heads: int, hidden: int, **changes: Any) -> DecoderConfig:
    """Llama 1, with changes for later versions and for kin."""
    how: dict[str, Any] = {"activation": "silu", "gated": True, "bias": False, "norm": NormConfig(rms=True)}
    block = BlockConfig(width=width, num_heads=num_heads, hidden=hidden, **how)
    positions = PositionConfig(kind="rotary", context=2048)
    config = DecoderConfig(vocabulary=32000, depth=depth, block=block, positions=positions, tied=False)
    return vary(config, **changes)


def _bert(depth: int, width: int, num_heads: int) -> EncoderConfig:
    norm = NormConfig(eps=1e-12, first=False)
    return EncoderConfig(vocabulary=30522, depth=depth, block=BlockConfig(width=width, num_heads=num_heads, norm=norm))


def _transformer(width: int, num_heads: int) -> EncoderDecoderConfig:
    """The original, with the vocabulary of its English-German."""
    norm = NormConfig(first=False)
    block = BlockConfig(width=width, num_heads=num_heads, activation="relu", norm=norm)
    return EncoderDecoderConfig(vocabulary=37000, depth=6, block=block)


def _t5(depth: int, width: int, num_heads: int, head: int = 64, hidden: int | None = None) -> EncoderDecoderConfig:
    """T5 v1.0."""
    return EncoderDecoderConfig(
        vocabulary=32128,
        depth=depth,
        block=BlockConfig(
            width=width,
            num_heads=num_heads,
            head=head,
            hidden=hidden,
            activation="relu",
            bias=False,
            norm=NormConfig(rms=True, eps=1e-6),
            mechanism=Mechanism(beta=1.0),
        ),
        positions=PositionConfig(kind="buckets"),
        scaled="head",
    )


def _vit(depth: int, width: int, num_heads: int, patch: int) -> ViTConfig:
    block = BlockConfig(width=width, num_heads=num_heads, norm=NormConfig(eps=1e-12))
    return ViTConfig(depth=depth, block=block, patch=patch)


def _davit(widths: tuple[int, ...], depths: tuple[int, ...]) -> DaViTConfig:
    return DaViTConfig(widths=widths, depths=depths, num_heads=tuple([width // 32 for width in widths]))


def _llama3(depth: int, width: int, num_heads: int, hidden: int, factor: int | None = None) -> DecoderConfig:
    """Llama 3; with a factor, 3.1 and 3.2."""
    config = _llama(depth, width, num_heads, hidden, num_groups=8, vocabulary=128256, base=500000, context=8192)
    return config if factor is None else vary(config, context=131072, scaling=Llama3Scaling(factor=factor))


def _qwen(depth: int, width: int, num_heads: int, hidden: int, **changes: Any) -> DecoderConfig:
    """Qwen2, with biases of queries, keys and values, and Qwen3, with norms of queries and keys."""
    return _llama(depth, width, num_heads, hidden, eps=1e-6, base=1000000, context=32768, **changes)


PRESETS: dict[str, Config] = {
    "gpt2": _gpt2(12, 768, 12),
    "gpt2-medium": _gpt2(24, 1024, 16),
    "gpt2-large": _gpt2(36, 1280, 20),
    "gpt2-xl": _gpt2(48, 1600, 25),
    "bert-base": _bert(12, 768, 12),
    "bert-large": _bert(24, 1024, 16),
    "distilbert-base": vary(_bert(6, 768, 12), num_types=0, heads=("words",), pooling="relu"),
    "roberta-base": vary(_bert(12, 768, 12), vocabulary=50265, num_types=1, eps=1e-5, offset=2, heads=("words",)),
    "transformer-base": _transformer(512, 8),
    "transformer-big": _transformer(1024, 16),
    "t5-small": _t5(6, 512, 8),
    "t5-base": _t5(12, 768, 12),
    "t5-large": _t5(24, 1024, 16),
    "t5-3b": _t5(24, 1024, 32, head=128, hidden=16384),
    "t5-11b": _t5(24, 1024, 128, head=128, hidden=65536),
    "vit-base": _vit(12, 768, 12, patch=16),
    "vit-large": _vit(24, 1024, 16, patch=16),
    "vit-huge": _vit(32, 1280, 16, patch=14),
    "attention-only": GridConfig(),
    "davit-tiny": _davit((96, 192, 384, 768), (1, 1, 3, 1)),
    "davit-small": _davit((96, 192, 384, 768), (1, 1, 9, 1)),
    "davit-base": _davit((128, 256, 512, 1024), (1, 1, 9, 1)),
    "resnet-18": ResNetConfig(),
    "llama-7b": _llama(32, 4096, 32, 11008, eps=1e-6),
    "llama-13b": _llama(40, 5120, 40, 13824, eps=1e-6),
    "llama-33b": _llama(60, 6656, 52, 17920, eps=1e-6),
    "llama-65b": _llama(80, 8192, 64, 22016),
    "llama2-70b": _llama(80, 8192, 64, 28672, num_groups=8, context=4096),
    "llama3-8b": _llama3(32, 4096, 32, 14336),
    "llama3-70b": _llama3(80, 8192, 64, 28672),
    "llama3.1-8b": _llama3(32, 4096, 32, 14336, factor=8),
    "llama3.1-405b": _llama3(126, 16384, 128, 53248, factor=8),
    "llama3.2-1b": vary(_llama3(16, 2048, 32, 8192, factor=32), tied=True),
    "llama3.2-3b": vary(_llama3(28, 3072, 24, 8192, factor=32), tied=True),
    "qwen2-7b": _qwen(28, 3584, 28, 18944, num_groups=4, vocabulary=152064, projection_bias=True),
    "qwen3-8b": _qwen(36, 4096, 32, 12288, num_groups=8, vocabulary=151936, head_norm=True),
    "mistral-7b": _llama(32, 4096, 32, 14336, num_groups=8, context=32768, mask=Window(before=4095)),
}


def build(config: Config | str) -> nn.Module:
    """The model of a configuration, or of a preset by its name, with random weights.

    >>> import torch
    >>> with torch.device("meta"):
    ...     model = build("gpt2")
    >>> sum(parameter.numel() for parameter in model.parameters())
    124439808
    """
    if isinstance(config, str):
        check_known("preset", config, PRESETS)
        config = PRESETS[config]
    if type(config) not in MODELS:
        raise ValueError(f"build takes a configuration or the name of a preset: got {config!r}; use build('gpt2')")
    return MODELS[type(config)](config)
