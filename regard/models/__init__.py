"""Whole models, wired from the layers; each is a configuration and a module that takes it."""

from regard.models.architectures.davit import DaViT, DaViTConfig
from regard.models.architectures.decoder import Decoder, DecoderConfig
from regard.models.architectures.encoder import Encoder, EncoderConfig
from regard.models.architectures.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from regard.models.architectures.grid import GridConfig, GridModel
from regard.models.architectures.recurrent import Recurrent, RecurrentConfig, RecurrentReader
from regard.models.architectures.resnet import ResNet, ResNetConfig
from regard.models.architectures.vision import ViT, ViTConfig
from regard.models.block import Block, BlockConfig, Mechanism, NormConfig
from regard.models.embedding import embed
from regard.models.hugging_face.images import Preprocessing, labels, preprocess, preprocessing
from regard.models.hugging_face.weights import load, save
from regard.models.presets import PRESETS, Config, build, vary
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Maps, Output
from regard.models.writing.writer import Session, Writer

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
