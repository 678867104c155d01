"""Whole models, wired from the layers; each is a configuration and a module that takes it."""

from regard.models.block import Block, BlockConfig, Mechanism, NormConfig
from regard.models.configuration import vary
from regard.models.decoder import Decoder, DecoderConfig
from regard.models.encoder import Encoder, EncoderConfig
from regard.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from regard.models.grid import GridConfig, GridModel
from regard.models.presets import PRESETS, Config, build
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Output
from regard.models.vision import ViT, ViTConfig
from regard.models.weights import load, save

__all__ = [
    "PRESETS",
    "Block",
    "BlockConfig",
    "Config",
    "Decoder",
    "DecoderConfig",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "GridConfig",
    "GridModel",
    "Mechanism",
    "NormConfig",
    "Output",
    "PositionConfig",
    "Stack",
    "ViT",
    "ViTConfig",
    "build",
    "load",
    "save",
    "vary",
]
