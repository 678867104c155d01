"""A cache on disk: a safetensors file that is written whole or not at all, and read only when it is whole."""

import json
import os
import uuid
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

KEY = "regard.cache.1"  # in the metadata of the file; another layout gets another number


def write(path: str | PathLike[str], tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Tensors and facts, under another name until all is on the disk."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    path = Path(path)
    tensors = {name: x.contiguous() for name, x in tensors.items()}
    text = json.dumps(facts)
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        unfinished.touch()  # a folder that is missing or closed is an error of Python's own
        save_file(tensors, unfinished, metadata={KEY: text, "checksum": _checksum(tensors, text)})
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except SafetensorError as error:
        raise OSError(f"a cache could not be written to {path}: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: str | PathLike[str], *names: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What was written, with tensors of these names, or what is wrong with the file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            found = sorted(file.keys())
            tensors = {name: file.get_tensor(name) for name in found if name in names}
    except SafetensorError as error:
        raise ValueError(
            f"a cache is loaded from a whole safetensors file: got {path}, {error}; save it again"
        ) from error
    if KEY not in metadata or found != sorted(names):
        raise ValueError(f"a cache is loaded from what Cache.save wrote: got {path} with {found}; load it elsewhere")
    if metadata.get("checksum") != _checksum(tensors, metadata[KEY]):
        raise ValueError(f"a cache must be as it was saved: got {path}, whose checksum is wrong; save it again")
    return tensors, json.loads(metadata[KEY])


def _checksum(tensors: dict[str, Tensor], text: str) -> str:
    total = zlib.crc32(text.encode())
    for name, x in sorted(tensors.items()):
        total = zlib.crc32(f"{name} {x.dtype} {tuple(x.shape)}".encode(), total)
        total = zlib.crc32(x.flatten().view(torch.uint8).numpy().data, total)
    return str(total)
