"""Whole models, wired from the layers; each is a configuration and a module that takes it."""

from regard.models.block import Block, BlockConfig, Mechanism, NormConfig
from regard.models.configuration import vary
from regard.models.davit import DaViT, DaViTConfig
from regard.models.decoder import Decoder, DecoderConfig
from regard.models.embedding import embed
from regard.models.encoder import Encoder, EncoderConfig
from regard.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from regard.models.grid import GridConfig, GridModel
from regard.models.images import Preprocessing, labels, preprocess, preprocessing
from regard.models.presets import PRESETS, Config, build
from regard.models.recurrent import Recurrent, RecurrentConfig, RecurrentReader
from regard.models.resnet import ResNet, ResNetConfig
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Maps, Output
from regard.models.vision import ViT, ViTConfig
from regard.models.weights import load, save
from regard.models.writing import Session, Writer

__all__ = [
    "PRESETS",
    "Block",
    "BlockConfig",
    "Config",
    "DaViT",
    "DaViTConfig",
    "Decoder",
    "DecoderConfig",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "GridConfig",
    "GridModel",
    "Maps",
    "Mechanism",
    "NormConfig",
    "Output",
    "PositionConfig",
    "Preprocessing",
    "Recurrent",
    "RecurrentConfig",
    "RecurrentReader",
    "ResNet",
    "ResNetConfig",
    "Session",
    "Stack",
    "ViT",
    "ViTConfig",
    "Writer",
    "build",
    "embed",
    "labels",
    "load",
    "preprocess",
    "preprocessing",
    "save",
    "vary",
]
