"""Models from folders of Hugging Face and back, with the numbers that transformers gives."""

import json
import mmap
import os
import re
import shutil
import uuid
from collections.abc import Collection
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.checks import check_whole
from regard.models.architectures.decoder import Decoder
from regard.models.architectures.encoder import Encoder
from regard.models.architectures.encoder_decoder import EncoderDecoder
from regard.models.architectures.vision import ViT
from regard.models.hugging_face.configurations import (
    ELSEWHERE,
    KINDS,
    Published,
    check_kind,
    describe,
    family_of,
    read,
    same,
    write,
)
from regard.models.hugging_face.folder import (
    COMPANIONS,
    CONFIG,
    INDEX,
    WEIGHTS,
    Files,
    Source,
    Tokenizer,
    read_config,
    read_json,
    some,
    weight_files,
)
from regard.models.hugging_face.names import FAMILIES, Family, Stored, stored
from regard.models.presets import build, vary

Model = Encoder | Decoder | EncoderDecoder | ViT
HUGE = 2 << 20  # bytes of a huge page
TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def load(
    folder: str | PathLike[str],
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    dropout: float | None = None,
    ignore: Collection[str] = (),
) -> Model:
    """The model of a folder with config.json and safetensors: of BERT, GPT-2, Llama, T5, ViT or kin, ready for use.

    The weights have the type that they are stored in unless `dtype` is given. `dropout` is that of config.json unless
    given; it acts in training only, and wherever our models have one. `ignore` are keys of config.json that
    are unknown and known to change nothing. `model.tokenizer` is the folder's, or None; `model.source` what it came
    from. No memory is taken before all files are found whole and all names and shapes right; tensors are read singly.
    """
    folder = Path(folder)
    published = read_config(folder)
    check_kind(published)
    if dtype is not None and dtype not in TYPES.values():
        raise ValueError(f"dtype must be one of {', '.join(map(str, TYPES.values()))}: got {dtype}; leave it out")
    with ExitStack() as stack:
        files = Files(folder, FAMILIES[published["model_type"]], stack)
        config = _without_copies(read(published, list(files), dropout=dropout, ignore=ignore), files)
        model, wanted = _planned(config, files)
        stored_type = _check(wanted, files, family_of(config), dtype)
        settle(model.to(dtype or stored_type), device or torch.get_default_device())
        weights = model.state_dict()
        for name, tensor in wanted.items():
            for ours, part in tensor.split(files.tensor(name)):
                weights[ours].copy_(part)
    companions = tuple([name for name in COMPANIONS if (folder / name).is_file()])
    tokenizer = Tokenizer(folder.absolute() / "tokenizer.json") if "tokenizer.json" in companions else None
    known: Any = model  # a module takes attributes of any type
    told = read_json(folder / "generation_config.json") if "generation_config.json" in companions else {}
    known.source = Source(folder=folder.absolute(), config=published, companions=companions, generation=told)
    known.tokenizer = tokenizer
    return model.eval()


def _without_copies(config: Published, files: Files) -> Published:
    """Forget weights that are stored twice; a head that should be the embedding and is not makes the model untied."""
    for copy, original in family_of(config).copies.items():
        if copy not in files:
            continue
        head = copy == "lm_head.weight"  # of models that can be untied
        if head and not describe(config)["tied"]:
            continue
        if original not in files:
            files[original] = files.pop(copy)
        elif files.same(copy, original):
            del files[copy]
        elif head:
            config = vary(config, tied=False)
        else:
            raise ValueError(
                f"{files.full_name(copy)} must be the same as {files.full_name(original)}: got other numbers; "
                f"{ELSEWHERE}"
            )
    return config


class _Undrawn(TorchFunctionMode):
    """Draws no normal numbers for tensors without memory, for which torch would import its compiler: two seconds."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is nn.init.normal_:
            return kwargs["tensor"]
        return func(*args, **(kwargs or {}))


def _planned(config: Published, files: Files) -> tuple[Model, dict[str, Stored]]:
    """The model without memory, and the tensors that it needs."""
    depth = max(config.depth, getattr(config, "decoder_depth", None) or 0)
    if depth > len(files):  # nor is time spent on blocks that no file has
        raise ValueError(f"config.json must fit the weights: got {depth} blocks, and {len(files)} tensors; correct it")
    with torch.device("meta"), _Undrawn():
        model = build(config)
    assert isinstance(model, Model)
    return model, stored(model, family_of(config))


def _check(wanted: dict[str, Stored], files: Files, family: Family, dtype: torch.dtype | None) -> torch.dtype:
    """The type of the weights; an error that lists what is missing, superfluous or of another shape or type."""
    prefix = family.prefix if any(files.full_name(name).startswith(family.prefix) for name in files) else ""
    missing = [("" if tensor.head else prefix) + name for name, tensor in wanted.items() if name not in files]
    known = re.compile("|".join(family.buffers) or "(?!)")
    superfluous = [files.full_name(name) for name in files if name not in wanted and not known.fullmatch(name)]
    there = {name: files.shape_and_type(name) for name in wanted if name in files}
    misshapen = [
        f"{files.full_name(name)} {shape} for {wanted[name].shape}"
        for name, (shape, _) in there.items()
        if shape != wanted[name].shape
    ]
    wrong = {"missing": missing, "superfluous": superfluous, "of another shape": misshapen}
    if any(wrong.values()):
        said = ", ".join(f"{some(names)} {what}" for what, names in wrong.items() if names)
        headless = missing and all(wanted[name].head for name in wanted if name not in files)
        advice = (
            "use a folder with the weights of its head"
            if headless
            else "use files and a config.json that belong together"
        )
        raise ValueError(f"tensors must be those of the model: got {said}; {advice}")
    types = sorted({kind for _, kind in there.values()})
    if unknown := [kind for kind in types if kind not in TYPES]:
        raise ValueError(f"weights must be of type {', '.join(TYPES)}: got {', '.join(unknown)}; {ELSEWHERE}")
    if len(types) > 1 and dtype is None:
        raise ValueError(f"weights must be of one type: got {', '.join(types)}; use load(…, dtype=torch.float32)")
    return TYPES[types[0]]


def settle(model: nn.Module, device: torch.device | str) -> None:
    """Give a model that has no memory, on the device "meta", memory of undefined contents.

    On a CPU large weights lie in huge pages, where the system has them: a processor that reads every weight for every
    token then looks up a five-hundredth of the addresses.
    """
    for owner in model.modules():
        for name, old in list(owner.named_parameters(recurse=False)):
            if torch.device(device).type == "cpu":
                new = _memory(old.nbytes).view(old.dtype).view(old.shape)
            else:
                new = torch.empty_like(old, device=device)
            setattr(owner, name, nn.Parameter(new, old.requires_grad))


def _memory(count: int) -> Tensor:
    """Bytes of the CPU, in huge pages where these pay and the system has them."""
    if count < HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.empty(count, dtype=torch.uint8, device="cpu")
    area = mmap.mmap(-1, count + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # what is not written is not taken
    skipped = -torch.frombuffer(area, dtype=torch.uint8).data_ptr() % HUGE
    area.madvise(mmap.MADV_HUGEPAGE, skipped, count // HUGE * HUGE)  # of the last one perhaps little would be written
    return torch.frombuffer(area, dtype=torch.uint8, count=count, offset=skipped)  # which keeps the area alive


def save(model: nn.Module, folder: str | PathLike[str], *, max_shard: int = 5_000_000_000) -> None:
    """Write a folder that transformers, and `load`, give the same model from, in files of up to `max_shard` bytes.

    All is written beside the folder first. A folder that holds the same kind of model with the same sizes gets the new
    weights in one step; another model in it is an error. What a model was loaded with goes along: tokens of begin and
    end, labels, the tokenizer's files.

    >>> import tempfile
    >>> from regard.models import PRESETS, vary
    >>> model = build(vary(PRESETS["gpt2"], depth=1, width=8, num_heads=2, vocabulary=50))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, folder)
    ...     load(folder).config.depth
    1
    """
    folder = Path(folder).resolve()
    check_whole("max_shard", max_shard, 1)
    source: Source | None = getattr(model, "source", None)
    config: Any = getattr(model, "config", None)
    published = write(config)
    weights = {name: weight.detach() for name, weight in model.state_dict().items()}
    dtype = _check_weights(config, weights)
    published = _merged(published, {} if source is None else source.config, dtype)
    wanted = stored(model, family_of(config))
    base = published["architectures"] == [KINDS[published["model_type"]].architectures[-1]]
    headless = base and not any(tensor.head for tensor in wanted.values())
    prefix = "" if headless else family_of(config).prefix
    _check_place(folder, config, published)

    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    stage.mkdir()
    try:
        for name in () if source is None else source.companions:
            assert source is not None
            shutil.copyfile(source.folder / name, stage / name)
        (stage / CONFIG).write_text(json.dumps(published, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        _write_weights(stage, folder, wanted, weights, prefix, max_shard)
        for path in stage.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        _commit(stage, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _check_weights(config: Published, weights: dict[str, Tensor]) -> torch.dtype:
    """The type of the weights; an error unless they fit the configuration, have one type, and are in memory."""
    with torch.device("meta"):
        right = {name: weight.shape for name, weight in build(config).state_dict().items()}
    if wrong := {name for name in right | weights if name not in weights or weights[name].shape != right.get(name)}:
        raise ValueError(
            f"weights must be those of model.config: got {some(wrong)} others; build a model that has them"
        )
    types = {weight.dtype for weight in weights.values()}
    if len(types) > 1 or types - set(TYPES.values()):
        raise ValueError(
            f"weights must be of one floating type: got {', '.join(sorted(map(str, types)))}; use model.to"
        )
    if any(weight.is_meta for weight in weights.values()):
        raise ValueError("weights must be there to be saved: got some on the device 'meta'; use model.to_empty")
    return types.pop()


def _merged(written: dict[str, Any], before: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    """The configuration as it is now, with those keys of the loaded one that say nothing about numbers."""
    kept = {key: before[key] for key in ("architectures", "id2label") if before.get(key)}
    if (before.get("model_type"), written["model_type"]) == ("xlm-roberta", "roberta"):  # two names of one model
        kept["model_type"] = "xlm-roberta"
    elif before.get("model_type") != written["model_type"]:  # a Mistral without a window is the Llama that it is
        kept.pop("architectures", None)
    type_key = "torch_dtype" if "torch_dtype" in before else "dtype"
    return before | written | kept | {type_key: str(dtype).removeprefix("torch.")}


def _check_place(folder: Path, config: Published, published: dict[str, Any]) -> None:
    """Raise where another model would be overwritten: no single step could replace it safely."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"a model is saved to a folder: got the file {folder}; use another name")
    if not (folder / CONFIG).exists() or not ((folder / WEIGHTS).exists() or (folder / INDEX).exists()):
        return
    there = read_json(folder / CONFIG)
    facts = {"model_type": published["model_type"], "dtype": _dtype(published)} | describe(config)
    held = {"model_type": there.get("model_type"), "dtype": _dtype(there)}
    if held["model_type"] == facts["model_type"]:
        with ExitStack() as stack:
            files = Files(folder, FAMILIES[published["model_type"]], stack)
            ours = [key for key, value in there.items() if value == published.get(key)]
            read_again = read(there, list(files), dropout=facts["dropout"], ignore=ours)
            held |= describe(_without_copies(read_again, files))
    if wrong := [f"{key}={value!r}" for key, value in held.items() if not same(value, facts[key])]:
        raise ValueError(
            f"a folder must be new, or hold a model with the same configuration: got {folder} with {', '.join(wrong)}; "
            "use another folder"
        )


def _dtype(published: dict[str, Any]) -> Any:
    return published.get("dtype") or published.get("torch_dtype")


def _write_weights(
    stage: Path, folder: Path, wanted: dict[str, Stored], weights: dict[str, Tensor], prefix: str, max_shard: int
) -> None:
    """Write one file, or several and an index; only the tensors of one file are made at a time."""
    from safetensors.torch import save_file

    shards: list[list[Stored]] = [[]]
    filled = 0
    for tensor in wanted.values():
        size = sum([weights[name].nbytes for name in tensor.parts])
        if shards[-1] and filled + size > max_shard:
            shards.append([])
            filled = 0
        shards[-1].append(tensor)
        filled += size
    count = len(shards)
    files = [f"model-{n + 1:05}-of-{count:05}.safetensors" for n in range(count)] if count > 1 else [WEIGHTS]
    if count > 1 and any((folder / file).exists() for file in files):  # those are in use until the index is replaced
        files = [file.replace(".", f"-{uuid.uuid4().hex[:8]}.") for file in files]
    weight_map = {}
    for file, shard in zip(files, shards, strict=True):
        tensors = {}
        for tensor in shard:
            joined = tensor.join([weights[name] for name in tensor.parts]).cpu()
            alone = joined.untyped_storage().nbytes() == joined.nbytes
            tensors[("" if tensor.head else prefix) + tensor.name] = joined if alone else joined.clone()
        save_file(tensors, stage / file, metadata={"format": "pt"})
        weight_map |= dict.fromkeys(tensors, file)
    if count > 1:
        total = sum([weight.nbytes for weight in weights.values()])
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        (stage / INDEX).write_text(json.dumps(index, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _commit(stage: Path, folder: Path) -> None:
    """Put the files in place: a new folder by one renaming, weights in an old one by one renaming or removal."""
    if not folder.exists() or not any(folder.iterdir()):
        if folder.exists():
            folder.rmdir()
        stage.rename(folder)
        return
    single = (stage / WEIGHTS).exists()
    has_weights = (folder / WEIGHTS).exists() or (folder / INDEX).exists()
    old = set(weight_files(folder)) if has_weights else set()
    new = {path.name for path in stage.iterdir()}
    rest = sorted(new - {CONFIG, WEIGHTS, INDEX})  # files that the index will name are new; companions say the same
    last = [name for name in (WEIGHTS, INDEX) if name in new]
    # Without weights, or without a configuration, there is no model until the last of the two is there.
    for name in [*rest, *last, CONFIG] if has_weights else [*rest, CONFIG, *last]:
        (stage / name).replace(folder / name)
    if single:
        (folder / INDEX).unlink(missing_ok=True)
    for name in old - new:  # with WEIGHTS in a folder it is what counts, and the index only when it is gone
        (folder / name).unlink(missing_ok=True)
