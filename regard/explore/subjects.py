"""What can be looked at in maps: models of runs, of folders and of notebooks, and what was recorded of trainings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from regard.explore import inputs
from regard.explore.desk import Desk
from regard.explore.inputs import Read, Wanted
from regard.explore.shelf import MODEL, Shelf, is_shipped
from regard.explore.swift import swift
from regard.layers import Gaussian
from regard.models import DaViT, Decoder, Encoder, EncoderDecoder, GridModel, Recurrent, ViT
from regard.models.hugging_face.folder import read_json
from regard.training import Recording, expand

if TYPE_CHECKING:
    from regard.recipes import Run

Takes = Literal["text", "pair", "letters", "image", "nothing"]
LINE = "First Citizen:\nBefore we proceed"
SENTENCE = "The animal did not cross the street because it was too tired."
EXAMPLES: dict[str, list[str]] = {
    "language": [
        LINE,
        f"{LINE} any further, hear me speak.",
        "ROMEO:\nBut soft, what light through yonder window breaks?",
        "the the the the the the",
    ],
    "text": [SENTENCE, "The cat sat on the mat. The cat sat on the mat."],
    "pair": ["translate English to German: The house is wonderful.", "summarize: The cat sat on the mat and slept."],
    "letters": ["abacadabacc", "abcdabcd", "dddddaaaaa", "abcabcabcabcabc"],
}
BROKEN = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)  # what files of another form raise
KINDS: dict[str, Takes] = {"gpt2": "text", "llama": "text", "bert": "text", "t5": "pair", "vit": "image"}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One that can be looked at; `load` gives what reads an input, and its bytes; `stamp` is new when it changes."""

    name: str
    label: str
    group: str
    takes: Takes
    load: Callable[[], tuple["Reader", int]]
    folder: Path | None = None  # that is loaded from
    stamp: str = ""
    examples: Sequence[str] = ()
    images: int = 0  # pictures to choose from
    recorded: tuple[Recording, Sequence[int]] | None = None  # with the steps that can be shown

    @property
    def steps(self) -> Sequence[int]:
        return () if self.recorded is None else self.recorded[1]


@dataclass(frozen=True, eq=False)
class Reader:
    """A loaded model: what it makes of an input, and of tensors that were recorded at a step."""

    read: Callable[[Wanted], Read]
    played: Callable[[Mapping[str, Tensor]], Read] | None = None


def subjects(shelf: Shelf) -> dict[str, Subject]:
    """By their names: what a notebook gave, folders, own runs, and last those that ship."""
    return _looked_through(shelf)[0]


def _looked_through(shelf: Shelf) -> tuple[dict[str, Subject], dict[str, str]]:
    """What can be looked at, and of folders and runs that cannot be understood, why; they do not hide the others."""
    found, wrong = list(_objects(shelf)), dict[str, str]()
    for name, path in shelf.folders.items():
        try:
            found.append(_folder(name, path.absolute()))
        except BROKEN as error:
            wrong[f"folder:{name}"] = _told(error, name, path)
    runs, unread = shelf.looked_through()
    shipped = {name for name, run in runs.items() if is_shipped(run)}
    order = {"language": 0, "reversal": 1}
    for name in sorted(runs, key=lambda name: (name in shipped, order.get(runs[name].recipe, 2))):
        try:
            found += list(_of_run(name, runs[name], "Shipped" if name in shipped else "Runs"))
        except BROKEN as error:
            wrong[name] = _told(error, name, runs[name].folder)
    return {subject.name: subject for subject in found}, unread | wrong


def subject(desk: Desk, name: str) -> Subject:
    known, wrong = _looked_through(desk.shelf)
    run = name.partition("/")[0]
    if name not in known and run in wrong:
        raise ValueError(f"{run} cannot be understood: {wrong[run]}")
    if name not in known:
        raise ValueError(f"nothing with maps is called {name!r:.60}: there is {', '.join(list(known)[:8]) or 'none'}")
    return known[name]


def reader(desk: Desk, one: Subject) -> Reader:
    return desk.kept.get(("model", one.name, one.stamp), one.load)


def read(desk: Desk, one: Subject, wanted: Wanted, step: int | None) -> Read:
    """What a model reads of an input, or what was recorded at a step."""
    try:
        made = reader(desk, one)
        return made.read(wanted) if step is None else _played(one, made, step)
    except (ValueError, ImportError, OSError) as error:
        shelved = one.name.removeprefix("folder:").partition("/")[0]
        raise ValueError(_told(error, shelved, one.folder)) from error


def _played(one: Subject, made: Reader, step: int) -> Read:
    if one.recorded is None or made.played is None:
        raise ValueError(f"{one.name} has no recorded steps: got step={step}; leave it out")
    tensors = one.recorded[0].read(step)
    try:
        return made.played(tensors)
    except BROKEN as error:
        raise ValueError(f"step {step} of {one.name} must be of its model: {error}") from error


def _told(error: Exception, name: str, folder: Path | None) -> str:
    """What is wrong, with a name in place of the way to a folder, which is nobody's business."""
    why = str(error)
    for path in () if folder is None else (folder.absolute(), folder.resolve()):
        why = why.replace(str(path), name)
    return why


def _size(model: nn.Module) -> int:
    return sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))


def _stamp(*paths: Path) -> str:
    return " ".join(str(path.stat().st_mtime_ns) for path in paths if path.exists())


def _objects(shelf: Shelf) -> Iterator[Subject]:
    """Models and weights of a notebook; weights are (H, T, S), or that for each layer."""
    for name, given in shelf.objects.items():
        thing, said = given if isinstance(given, tuple) else (given, None)
        if isinstance(thing, nn.Module):
            made = _reader_of(thing)
            if made is not None:
                examples = [said] if isinstance(said, str) else EXAMPLES.get(made[0], [])
                loaded = made[1], _size(thing)
                yield Subject(name=name, label=name, group="Notebook", takes=made[0], load=partial(_given, loaded),
                              examples=examples, images=360)  # fmt: skip
        elif (maps := _layers(thing)) is not None:
            loaded = Reader(lambda _, maps=maps, said=said: inputs.read_weights(maps, said)), 0
            yield Subject(name=name, label=name, group="Notebook", takes="nothing", load=partial(_given, loaded))


def _given(loaded: tuple[Reader, int]) -> tuple[Reader, int]:
    return loaded


def _layers(thing: Any) -> list[Tensor] | None:
    """Weights as one (H, T, S) for each layer."""
    if isinstance(thing, list | tuple):
        found = [torch.as_tensor(one).detach().float() for one in thing]
        found = [one[0] if one.ndim == 4 else one for one in found]
    else:
        try:
            whole = torch.as_tensor(thing).detach().float()
        except (TypeError, ValueError, RuntimeError):
            return None
        found = list(whole[(None,) * max(0, 4 - whole.ndim)]) if 2 <= whole.ndim <= 4 else []
    return found if found and all(one.ndim == 3 and one.numel() for one in found) else None


def _reader_of(model: Any) -> tuple[Takes, Reader] | None:
    """What a model takes, and what reads it; None where it has no attention to show."""
    model = model.eval() if model.training else model
    tokenizer = getattr(model, "tokenizer", None)
    if isinstance(model, Encoder | Decoder):
        return "text", Reader(partial(inputs.read_text, model, tokenizer))
    if isinstance(model, EncoderDecoder) and tokenizer is not None:
        return "pair", Reader(partial(inputs.read_pair, model, tokenizer))
    if isinstance(model, ViT | DaViT):
        return "image", Reader(partial(inputs.read_vit if isinstance(model, ViT) else inputs.read_davit, model))
    return None


def _folder(name: str, path: Path) -> Subject:
    takes = KINDS.get(str(read_json(path / MODEL).get("model_type")), "text")
    return Subject(
        name=f"folder:{name}",
        label=name,
        group="Model folders",
        takes=takes,
        load=partial(_load_folder, path),
        folder=path,
        stamp=_stamp(path / MODEL, path / "model.safetensors"),
        examples=EXAMPLES.get(takes, []),
        images=360 if takes == "image" else 0,
    )


def _load_folder(path: Path) -> tuple[Reader, int]:
    from regard.models import load

    model = swift(load(path))
    made = _reader_of(model)
    if made is None:
        raise ValueError(f"maps are of attention: got a {type(model).__name__}, which cannot be read here")
    return made[1], _size(model)


def _of_run(name: str, run: "Run", group: str) -> Iterator[Subject]:
    """The trainings of a run that have a model with attention, or a recording of maps."""
    if (run.folder / "model" / MODEL).is_file():
        recording, steps = _recording(run.folder / "decoder")
        yield Subject(
            name=name,
            label=name,
            group=group,
            takes="text",
            load=partial(_load_language, run.folder / "model"),
            folder=run.folder,
            stamp=_stamp(run.folder / "model" / MODEL, run.folder / "model" / "model.safetensors"),
            examples=EXAMPLES["language"] if group == "Shipped" else _beginning(run.folder / "model", recording, steps),
            recorded=(recording, steps),
        )
        return
    kind = _trained_kind(run)
    if kind is None:
        return
    for checkpoints in sorted(run.folder.glob("*/checkpoints")):
        training = checkpoints.parent.name
        if training == "plain" or not any(checkpoints.iterdir()):  # an LSTM without attention
            continue
        recording, steps = _recording(checkpoints.parent)
        yield Subject(
            name=f"{name}/{training}",
            label=f"{name} · {training}",
            group=group,
            takes=kind,
            load=partial(_load_training, run, training),
            folder=run.folder,
            stamp=_stamp(*sorted(checkpoints.iterdir())),
            examples=EXAMPLES["letters"] if kind == "letters" else [],
            images=360 if kind == "image" and run.config.get("data") is None else 1000 if kind == "image" else 0,
            recorded=(recording, steps),
        )


def _trained_kind(run: "Run") -> Takes | None:
    if run.recipe == "reversal":
        return "letters"
    if run.recipe == "language":
        return "text"
    if not run.recipe.startswith("digits-"):
        return None
    model = run.config.get("model", {})
    if not isinstance(model, Mapping):
        raise ValueError(f"a run of {run.recipe} must have the settings of a model: got {model!r:.40}")
    return "image" if "encoding" in model else None


def _recording(training: Path) -> tuple[Recording, list[int]]:
    recording = Recording(training / "recording")
    steps = recording.steps()
    return recording, steps if steps and _plays(recording.read(steps[-1])) else []


def _beginning(model: Path, recording: Recording, steps: Sequence[int]) -> list[str]:
    """A text of the letters that a model knows: the one whose maps were recorded."""
    from regard.tasks.text import read_vocabulary

    if not steps or not (model / "vocabulary.json").is_file():
        return []
    tokens = _tensor(recording.read(steps[-1]), "inputs.text")
    return [read_vocabulary(model / "vocabulary.json").decode(tokens.tolist())]


def _plays(tensors: Mapping[str, Tensor]) -> bool:
    """Whether there are maps of all queries, or centres of gaussian heads, of which maps are made."""
    maps = any(name.startswith("maps.") for name in tensors)
    return (maps and "queries" not in tensors) or "heads.0.centre" in tensors


def _load_language(path: Path) -> tuple[Reader, int]:
    from regard.models import load

    model: Any = swift(load(path))
    text = partial(inputs.read_text, model, model.tokenizer)
    return Reader(text, partial(_played_text, model.tokenizer)), _size(model)


def _load_training(run: "Run", training: str) -> tuple[Reader, int]:
    from regard.recipes import plan_run

    one = plan_run(run).load(training)
    model, task = one.model, one.task
    if run.recipe == "language":
        vocabulary = task.text.vocabulary
        beginning = vocabulary.decode(task.beginning.tolist())  # where nobody has written anything yet

        def read_text(wanted: Wanted) -> Read:
            return inputs.read_text(model, vocabulary, wanted if wanted.text else replace(wanted, text=beginning))

        return Reader(read_text, partial(_played_text, vocabulary)), _size(model)
    if isinstance(model, Recurrent | EncoderDecoder):
        return Reader(partial(inputs.read_letters, model), _played_letters), _size(model)
    if not isinstance(model, GridModel):
        raise ValueError(f"maps are of attention: got a {type(model).__name__}, which has none")
    images = task.test
    size = _size(model) + images.images.nbytes
    return Reader(partial(inputs.read_grid, model, images), partial(_played_grid, model, images)), size


def _recorded(tensors: Mapping[str, Tensor], name: str) -> list[Tensor]:
    """The recorded maps of an input, layer by layer, (H, T, S)."""
    found = {int(key.rpartition(".")[2]): value for key, value in tensors.items() if key.startswith(f"maps.{name}.")}
    if not found:
        raise ValueError(f"a recording must have maps to show: got {', '.join(tensors) or 'nothing'}; use another step")
    for layer, map in found.items():
        if map.ndim != 3 or not map.numel():
            raise ValueError(f"recorded maps must be (H, T, S): got {tuple(map.shape)} in layer {layer}")
    return [expand(found[layer]) for layer in sorted(found)]


def _tensor(tensors: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in tensors:
        raise ValueError(f"a recording must have {name}: got {', '.join(tensors) or 'nothing'}; use another")
    return tensors[name]


def _put(kind: str, maps: list[Tensor]) -> dict[str, Any]:
    def forward(taking: Any) -> None:
        kept = taking.kept((kind,), len(maps), maps[0].shape[0])
        for one in maps:
            kept.add(kind, one[None])

    return {"forward": forward, "count": len(maps), "weights": sum(one.numel() for one in maps)}


def _played_text(tokenizer: Any, tensors: Mapping[str, Tensor]) -> Read:
    names = inputs.shown(tokenizer, _tensor(tensors, "inputs.text").tolist())
    maps = _recorded(tensors, "text")
    return Read(**_put("self", maps), kinds={"self": ("tokens", "tokens")}, axes={"tokens": names}, said="as recorded")


def _played_letters(tensors: Mapping[str, Tensor]) -> Read:
    from regard.tasks.reversal import ALPHABET

    letters = [ALPHABET[token] for token in _tensor(tensors, "inputs.word").tolist()]
    axes = {"read": letters, "written": letters[::-1]}
    said = f"as recorded, with {''.join(letters[::-1])} to write"
    return Read(**_put("cross", _recorded(tensors, "word")), kinds={"cross": ("written", "read")}, axes=axes, said=said)


def _played_grid(model: GridModel, images: Any, tensors: Mapping[str, Tensor]) -> Read:
    """Of gaussian heads the maps are made anew from their centres and precisions; they are the same for all images."""
    from regard.attention import Grid

    read = inputs.read_grid(model, images, Wanted())
    side = images.images.shape[-1] // model.config.patch
    if "heads.0.centre" in tensors:
        import copy

        maps = []
        for layer, block in enumerate(model.blocks):
            heads: Any = copy.deepcopy(block.attention)
            if not isinstance(heads.position, Gaussian):
                raise ValueError(f"gaussian heads were recorded: got a model of {type(heads.position).__name__}")
            heads.position.set(*[_tensor(tensors, f"heads.{layer}.{part}") for part in ("centre", "precision")])
            with torch.no_grad():
                maps.append(heads.weights(Grid(side, side), mask=model.config.mechanism.mask)[0])
    else:
        maps = _recorded(tensors, "image-0")
    made = _put("self", maps)
    return Read(**made, kinds=read.kinds, axes=read.axes, patches=True, picture=read.picture, said="as recorded")
