"""What lies in a folder of Hugging Face: config.json, safetensors, a tokenizer; nothing is ever unpickled."""

import json
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.checks import MissingExtra
from regard.models.hugging_face.names import Family

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
POINTER = b"version https://git-lfs."  # the beginning of what git leaves in place of a large file
# What a folder may have besides, and a saved model takes along.
COMPANIONS = (
    "added_tokens.json",
    "chat_template.jinja",
    "generation_config.json",
    "merges.txt",
    "preprocessor_config.json",
    "special_tokens_map.json",
    "spiece.model",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a model was loaded from: the folder, its config.json as it was, and the files that a saved copy keeps."""

    folder: Path
    config: dict[str, Any]
    companions: tuple[str, ...]
    generation: dict[str, Any] = field(default_factory=dict)  # of generation_config.json


class Tokenizer:
    """The `tokenizers.Tokenizer` of a tokenizer.json, which is parsed when it is first used."""

    def __init__(self, path: Path) -> None:
        self.path, self.written = path, path.read_bytes()  # the folder may be gone when it is needed

    @cached_property
    def loaded(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra("a tokenizer", "tokenizers", "models") from error
        try:
            tokenizer = Tokenizer.from_buffer(self.written)
        except Exception as error:  # all that tokenizers raises has this type
            raise ValueError(f"a tokenizer is read from whole files: got {self.path}, {error}; save it anew") from error
        tokenizer.no_padding()  # files often say to pad, and to cut long texts without a word
        tokenizer.no_truncation()
        return tokenizer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "written":  # copying and pickling ask for these before they are there
            raise AttributeError(name)
        return getattr(self.loaded, name)


def some(names: Collection[str]) -> str:
    """How many names there are, and the first three.

    >>> some(["d", "c", "b", "a"])
    '4 (a, b, c, …)'
    """
    return f"{len(names)} ({', '.join([*sorted(names)[:3], *(['…'] if len(names) > 3 else [])])})"


def read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no JSON, or no text at all
        raise ValueError(f"{path.name} must be JSON: got {path}, {error}; download it again") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} must be an object of JSON: got {type(found).__name__} in {path}")
    return found


def read_config(folder: Path) -> dict[str, Any]:
    if not (folder / CONFIG).is_file():
        raise ValueError(
            f"a model is loaded from a folder with {CONFIG}: got {str(folder)!r} without; download the model's files, "
            "and use their folder"
        )
    return read_json(folder / CONFIG)


def weight_files(folder: Path) -> dict[str, set[str] | None]:
    """The files of a folder that hold its weights, and the names that each must hold where an index says so."""
    if (folder / WEIGHTS).exists():  # which transformers takes too where there are both
        return {WEIGHTS: None}
    if not (folder / INDEX).exists():
        found = sorted(
            [path.name for path in folder.iterdir() if path.suffix in (".bin", ".pt", ".pth", ".h5", ".msgpack")]
        )
        raise ValueError(
            f"weights are read from {WEIGHTS} or {INDEX}, and nothing is unpickled: got {found or 'neither'} in "
            f"{folder}; save it anew with transformers' save_pretrained"
        )
    files: dict[str, set[str] | None] = {}
    weight_map = read_json(folder / INDEX).get("weight_map")
    for name, file in weight_map.items() if isinstance(weight_map, dict) else [("weight_map", weight_map)]:
        if not isinstance(file, str) or Path(file).name != file or Path(file).suffix != ".safetensors":
            raise ValueError(
                f"{INDEX} must name safetensors files of its folder: got {file!r} for {name}; save it anew"
            )
        files[file] = (files.get(file) or set()) | {name}
    return files


class Files(dict[str, tuple[Any, str]]):
    """The tensors of a folder by their names without prefix, read one by one; a file that is not whole is an error.

    What is held of each is its file, and its name there.
    """

    def __init__(self, folder: Path, family: Family, stack: ExitStack) -> None:
        from safetensors import SafetensorError, safe_open

        super().__init__()
        for file, names in weight_files(folder).items():
            try:
                opened = stack.enter_context(safe_open(folder / file, framework="pt"))
            except (SafetensorError, OSError) as error:
                path = folder / file
                whole = f"weights are read from whole safetensors files: got {path}"
                if path.is_file() and path.stat().st_size < 1024 and path.read_bytes().startswith(POINTER):
                    raise ValueError(f"{whole}, which only points to one; use git lfs pull") from error
                raise ValueError(f"{whole}, {error}; download it again") from error
            metadata = opened.metadata()
            if metadata is not None and metadata.get("format") != "pt":
                raise ValueError(f"safetensors must have format 'pt': got {metadata} in {folder / file}; convert it")
            found = set(opened.keys())
            if names is not None and found != names:
                raise ValueError(f"{INDEX} must name what is in {file}: got {some(found ^ names)} in one of them alone")
            for name in sorted(found):
                self._add(name, opened, family)

    def _add(self, name: str, file: Any, family: Family) -> None:
        short = name.removeprefix(family.prefix)
        for old, new in family.spellings.items():
            short = short.removesuffix(old) + new if short.endswith(old) else short
        if short in self:
            raise ValueError(f"a weight must be there once: got {self[short][1]} and {name}; remove one")
        self[short] = (file, name)

    def full_name(self, name: str) -> str:
        return self[name][1]

    def shape_and_type(self, name: str) -> tuple[tuple[int, ...], str]:
        file, full = self[name]
        found = file.get_slice(full)
        return tuple(found.get_shape()), found.get_dtype()

    def tensor(self, name: str) -> Tensor:
        file, full = self[name]
        return file.get_tensor(full)

    def same(self, one: str, other: str) -> bool:
        return self.shape_and_type(one) == self.shape_and_type(other) and torch.equal(
            self.tensor(one), self.tensor(other)
        )
