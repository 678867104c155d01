"""Weights that follow each other in memory, so that one product reads them all."""

import torch
from torch import Tensor

from regard.layers.multihead import MultiHead


def lay_side_by_side(attention: MultiHead) -> None:
    """Put the weights of queries, keys and values behind each other in memory; they stay three parameters.

    >>> layer = MultiHead(8, 2)
    >>> lay_side_by_side(layer)
    >>> beside([layer.query.weight, layer.key.weight, layer.value.weight]).shape
    torch.Size([24, 8])
    """
    three = (attention.query, attention.key, attention.value)
    _join([layer.weight for layer in three])
    _join([layer.bias for layer in three if layer.bias is not None])


def _join(parameters: list[Tensor]) -> None:
    if not parameters or len({parameter.shape[1:] for parameter in parameters}) > 1:
        return
    with torch.no_grad():
        pieces = torch.cat([parameter.detach() for parameter in parameters]).split([len(p) for p in parameters])
        for parameter, piece in zip(parameters, pieces, strict=True):
            parameter.data = piece


def beside(tensors: list[Tensor]) -> Tensor | None:
    """All of them as one tensor without a copy; None where they don't follow each other in memory."""
    if not tensors or any([not tensor.is_contiguous() or tensor.is_meta for tensor in tensors]):
        return None
    first, at = tensors[0], tensors[0].data_ptr()
    storage = first.untyped_storage().data_ptr()
    for tensor in tensors:
        alike = tensor.dtype == first.dtype and tensor.shape[1:] == first.shape[1:]
        if not alike or tensor.untyped_storage().data_ptr() != storage or tensor.data_ptr() != at:
            return None
        at += tensor.nbytes
    shape = (sum([len(tensor) for tensor in tensors]), *first.shape[1:])
    return first.detach().as_strided(shape, first.stride())
