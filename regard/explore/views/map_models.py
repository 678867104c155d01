"""The models whose maps can be shown: those of runs, of folders and of a notebook, and what trainings recorded."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.explore.cancellation import check_cancelled
from regard.explore.workspace import MODEL, Workspace, is_shipped
from regard.models import Decoder
from regard.models.hugging_face.folder import read_json
from regard.tasks.readers import (
    InputKind,
    PairReader,
    Reader,
    Reading,
    Sample,
    TextReader,
    check_size,
    encode,
    has_maps,
    label_tokens,
    read_weights,
    reader_of,
    recorded_tensor,
)
from regard.training import Recording, expand

if TYPE_CHECKING:
    from regard.recipes import Run

EXAMPLES: dict[str, Sequence[str]] = {
    "text": [
        "The animal did not cross the street because it was too tired.",
        "The cat sat on the mat. The cat sat on the mat.",
    ],
    "pair": ["translate English to German: The house is wonderful.", "summarize: The cat sat on the mat and slept."],
}
EXAMPLES_FILE = "examples.json"  # in the folder of a run: texts to try
LIKELY = 6  # next tokens that are told
TOGETHER = 64  # positions whose scores of all words are in memory at once
NUM_DIGITS = 360  # images that ship, for models without images of their own
INPUT_KINDS: dict[str, InputKind] = {"gpt2": "text", "llama": "text", "bert": "text", "t5": "pair", "vit": "image"}
ORDER: Sequence[InputKind] = ("text", "pair", "letters", "image", "nothing")  # of the runs in the list
BROKEN = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)  # what files of another form raise


@dataclass(frozen=True, kw_only=True)
class MapModel:
    """A model in the list; `load` gives its reader and the reader's bytes; `stamp` changes when its files change."""

    name: str
    label: str
    group: str
    takes: InputKind
    load: "Callable[[], tuple[Reader | Given, int]]"
    folder: Path | None = None  # that it is loaded from
    stamp: str = ""
    examples: Sequence[str] = ()
    images: int = 0  # to choose from
    recorded: tuple[Recording, Sequence[int]] | None = None  # with the steps that can be shown

    @property
    def steps(self) -> Sequence[int]:
        return () if self.recorded is None else self.recorded[1]


@dataclass(frozen=True, eq=False)
class Given:
    """Maps of a notebook, which need no model."""

    maps: Sequence[Tensor]
    labels: Sequence[str] | None

    def read(self, sample: Sample, check: Callable[[], None]) -> Reading:
        return read_weights(self.maps, self.labels)


def list_models(workspace: Workspace) -> tuple[dict[str, MapModel], dict[str, str]]:
    """The models by name: a notebook's, folders, own runs, and last those that ship; and why others cannot be read."""
    found, unreadable = list(_list_objects(workspace)), dict[str, str]()
    for name, path in workspace.folders.items():
        try:
            found.append(_describe_folder(f"folder:{name}", name, "Model folders", path.absolute()))
        except BROKEN as error:
            unreadable[f"folder:{name}"] = _hide_path(error, name, path)
    runs, broken = workspace.scan_runs()
    of_runs = list[tuple[bool, MapModel]]()
    for name, run in runs.items():
        try:
            of_runs += [(is_shipped(run), one) for one in _list_run(name, run)]
        except BROKEN as error:
            unreadable[name] = _hide_path(error, name, run.folder)
    of_runs.sort(key=lambda one: (one[0], ORDER.index(one[1].takes)))
    return {model.name: model for model in (*found, *[model for _, model in of_runs])}, broken | unreadable


def find_model(workspace: Workspace, name: str) -> MapModel:
    known, unreadable = list_models(workspace)
    run = name.partition("/")[0]
    if name not in known and run in unreadable:
        raise ValueError(f"{run} cannot be read: {unreadable[run]}")
    if name not in known:
        raise ValueError(f"no model with maps is called {name!r:.60}: there is {', '.join(list(known)[:8]) or 'none'}")
    return known[name]


def read(workspace: Workspace, one: MapModel, sample: Sample, step: int | None) -> Reading:
    """The pass of a model over a sample, or what was recorded at a step."""
    reader = _load(workspace, one)
    with _hiding(one):
        return reader.read(sample, check_cancelled) if step is None else _replay(one, reader, step)


def describe(workspace: Workspace, one: MapModel) -> tuple[int | None, bool]:
    """For how many tokens a model of texts was made, and whether it tells what comes next."""
    reader = _load(workspace, one)
    if not isinstance(reader, TextReader | PairReader):
        return None, False
    config = reader.model.config
    return config.positions.context, isinstance(reader.model, Decoder) and not config.headless


def predict(workspace: Workspace, one: MapModel, text: str) -> tuple[list[list[str]], list[list[float]]]:
    """The likeliest next tokens after each token of a text, and their probabilities."""
    reader: Any = _load(workspace, one)
    if not describe(workspace, one)[1]:
        raise ValueError(f"only a decoder tells what comes next: got {one.name}, which is none; leave it out")
    ids = encode(reader.tokenizer, text or reader.beginning)
    check_size(1, len(ids), len(ids))
    count = min(LIKELY, reader.model.config.vocabulary)
    with torch.inference_mode():  # not around the loading of the model, which outlives this request
        hidden = reader.model(torch.tensor([ids])).hidden[0]
        check_cancelled()
        found = [reader.model.scores(part).float().softmax(-1).topk(count) for part in hidden.split(TOGETHER)]
    likely = torch.cat([one.indices for one in found])
    names = label_tokens(reader.tokenizer, likely.flatten().tolist())
    tokens = [names[at : at + count] for at in range(0, len(names), count)]
    return tokens, torch.cat([one.values for one in found]).tolist()


def _load(workspace: Workspace, one: MapModel) -> "Reader | Given":
    with _hiding(one):
        return workspace.cache.get(("model", one.name, one.stamp), one.load)


@contextmanager
def _hiding(one: MapModel) -> Iterator[None]:
    """Errors without the path of the model's folder."""
    try:
        yield
    except (ValueError, ImportError, OSError) as error:
        name = one.name.removeprefix("folder:").partition("/")[0]
        raise ValueError(_hide_path(error, name, one.folder)) from error


def _replay(one: MapModel, reader: Any, step: int) -> Reading:
    if one.recorded is None or not isinstance(reader, Reader):
        raise ValueError(f"{one.name} has no recorded steps: got step={step}; leave it out")
    tensors = one.recorded[0].read(step)
    try:
        return reader.replay({name: expand(x) if name.startswith("maps.") else x for name, x in tensors.items()})
    except BROKEN as error:
        raise ValueError(f"step {step} of {one.name} must be of its model: {error}") from error


def _hide_path(error: Exception, name: str, folder: Path | None) -> str:
    """The message, with a name in place of the folder's path, which is nobody's business."""
    why = str(error)
    for path in () if folder is None else (folder.absolute(), folder.resolve()):
        why = why.replace(str(path), name)
    return why


def _list_objects(workspace: Workspace) -> Iterator[MapModel]:
    """Models and weights of a notebook: (model, example) or (weights as (H, T, S) for each layer, labels)."""
    for name, (thing, about) in workspace.objects.items():
        if isinstance(thing, nn.Module):
            reader = reader_of(thing)
            if reader is None:
                continue
            examples = [about] if isinstance(about, str) else EXAMPLES.get(reader.kind, [])
            kind, images, size = reader.kind, NUM_DIGITS, reader.num_bytes
        else:
            reader, examples, kind, images, size = Given(thing, about), [], "nothing", 0, 0
        yield MapModel(
            name=name,
            label=name,
            group="Notebook",
            takes=kind,
            load=lambda loaded=(reader, size): loaded,
            examples=examples,
            images=images,
        )


def _describe_folder(name: str, label: str, group: str, path: Path, **more: Any) -> MapModel:
    kind = INPUT_KINDS.get(str(read_json(path / MODEL).get("model_type")), "text")
    facts = {"folder": path, "examples": EXAMPLES.get(kind, []), "images": NUM_DIGITS if kind == "image" else 0} | more
    stamp = _stamp(path / MODEL, path / "model.safetensors")
    return MapModel(
        name=name, label=label, group=group, takes=kind, load=partial(_load_folder, path), stamp=stamp, **facts
    )


def _load_folder(path: Path) -> tuple[Reader, int]:
    from regard.models import load

    model = load(path)
    reader = reader_of(model)
    if reader is None:
        raise ValueError(f"maps are of attention: got a {type(model).__name__}, which cannot be read here")
    return reader, reader.num_bytes


def _list_run(name: str, run: "Run") -> Iterator[MapModel]:
    """The model that a run kept; or the trainings whose recipe says what their models read."""
    from regard.recipes import find_recipe

    group = "Shipped" if is_shipped(run) else "Runs"
    kept = run.folder / "model"
    if (kept / MODEL).is_file():
        trainings = sorted(path.parent for path in run.folder.glob("*/recording"))
        recorded = _read_recording(trainings[0]) if trainings else None
        examples = _find_examples(run, recorded)
        yield _describe_folder(name, name, group, kept, folder=run.folder, recorded=recorded, examples=examples)
        return
    try:
        chosen = find_recipe(run.recipe)
    except ValueError:  # of another version, or of a notebook
        return
    for checkpoints in sorted(run.folder.glob("*/checkpoints")):
        training = checkpoints.parent.name
        inputs = chosen.inputs(run.config, training)
        if inputs is None or not any(checkpoints.iterdir()):
            continue
        yield MapModel(
            name=f"{name}/{training}",
            label=f"{name} · {training}",
            group=group,
            takes=inputs.kind,
            load=partial(_load_training, run, training),
            folder=run.folder,
            stamp=_stamp(*sorted(checkpoints.iterdir())),
            examples=inputs.examples,
            images=inputs.images,
            recorded=_read_recording(checkpoints.parent),
        )


def _load_training(run: "Run", training: str) -> tuple[Reader, int]:
    from regard.recipes import plan_run

    trained = plan_run(run).load(training)
    reader = trained.task.reader(trained.model)
    if reader is None:
        raise ValueError(f"maps are of attention: got a {type(trained.model).__name__}, which has none")
    return reader, reader.num_bytes


def _read_recording(training: Path) -> tuple[Recording, list[int]]:
    recording = Recording(training / "recording")
    steps = recording.steps()
    return recording, steps if steps and has_maps(recording.read(steps[-1])) else []


def _find_examples(run: "Run", recorded: tuple[Recording, Sequence[int]] | None) -> Sequence[str]:
    """Texts of the run's own file, or the text whose maps were recorded, which the model can read."""
    from regard.tasks.text import read_vocabulary

    if (run.folder / EXAMPLES_FILE).is_file():
        return json.loads((run.folder / EXAMPLES_FILE).read_text("utf-8"))
    vocabulary = run.folder / "model" / "vocabulary.json"
    if recorded is None or not recorded[1] or not vocabulary.is_file():
        return []
    recording, steps = recorded
    tokens = recorded_tensor(recording.read(steps[-1]), "inputs.text")
    return [read_vocabulary(vocabulary).decode(tokens.tolist())]


def _stamp(*paths: Path) -> str:
    return " ".join(str(path.stat().st_mtime_ns) for path in paths if path.exists())
