"""`regard classify` and `regard embed`: published models at work. Parse, call, print."""

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.commands.output import bad_input, bar, show, size

if TYPE_CHECKING:
    from torch import Tensor

    from regard.models import ViT
    from regard.models.hugging_face.images import Preprocessing

Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="A folder of Hugging Face: config.json, safetensors.", show_default=False),
]
Kind = Annotated[
    Literal["bfloat16", "float16", "float32", "float64"] | None,
    typer.Option(metavar="TYPE", help="bfloat16, float16, float32 or float64; by default as stored."),
]
Where = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu, cuda, cuda:1 …; by default cuda where there is one.")
]
MOST_MAPS, MOST_ROWS = 16, 12
MAP_FILES, VECTOR_FILES = (".png", ".svg"), (".npy", ".safetensors")


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """An optional dependency that is missing is said in one line: the error names what to install."""
    try:
        yield
    except ImportError as error:
        raise ValueError(str(error)) from error


def loaded(folder: Path, dtype: str | None, device: str | None) -> Any:
    import torch

    from regard.models import load

    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        there = torch.empty(0, device=name).device.type != "meta"
    except (RuntimeError, AssertionError):  # no such word, and torch built without it
        there = False
    if not there:
        raise ValueError(f"--device must name one of this machine: got {name!r}; use cpu")
    return load(folder, dtype=None if dtype is None else getattr(torch, dtype), device=name)


def _check_file(option: str, path: Path | None, endings: Sequence[str]) -> None:
    if path is None:
        return
    if path.suffix.lower() not in endings:
        said = " or ".join(endings)
        raise ValueError(
            f"{option} must name a file that ends in {said}: got {str(path)!r}; use {path.stem}{endings[0]}"
        )
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{option} must name a file in a folder that is there: got {str(path)!r}; make the folder")


def classify(
    folder: Folder,
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE", help="Pictures.", show_default=False)],
    top: Annotated[int, size("Labels that are shown of each picture.")] = 5,
    interpolate: Annotated[
        bool,
        typer.Option(
            "--interpolate",
            help="Keep the proportions: the shorter side as the folder says, cut to whole patches; positions are "
            "interpolated. Without it pictures become as large as the model has positions for.",
        ),
    ] = False,
    map_file: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help="Draw where the class token attends in the last layer, mean of its heads: .png or .svg.",
        ),
    ] = None,
    dtype: Kind = None,
    device: Where = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each picture.")] = False,
) -> None:
    """Say what pictures show, by a vision transformer (ViT) with a classifier.

    Pictures are resized and normalised as the folder's preprocessor_config.json says. [b]Examples[/b]:

    regard classify vit-base-patch16-224 cat.jpg

    regard classify vit-base-patch16-224 photos/*.jpg --top 1 --json

    regard classify vit-base-patch16-224 cat.jpg --interpolate --map attention.png
    """
    with bad_input():
        _check_file("--map", map_file, MAP_FILES)
        if map_file is not None and len(images) > MOST_MAPS:
            raise ValueError(f"--map draws up to {MOST_MAPS} pictures: got {len(images)}; give fewer")
        model = _classifier(folder, dtype, device)
        how, drawn = _how(model, interpolate), []
        for path in images:
            shown, probabilities, seen = _classified(model, path, how, interpolate, map_file is not None)
            drawn.append((path.name, shown, seen))
            _print(model, path, probabilities, top, as_json)
        if map_file is not None:
            with installed():
                _draw(drawn).savefig(map_file, metadata={"Date": None} if map_file.suffix.lower() == ".svg" else None)


def _classifier(folder: Path, dtype: str | None, device: str | None) -> "ViT":
    from regard.models.hugging_face.folder import read_config

    if (kind := read_config(folder).get("model_type")) != "vit":
        raise ValueError(
            f"pictures are classified by a model of type 'vit': got {kind!r} in {folder}; use another folder"
        )
    model = loaded(folder, dtype, device)
    if model.head is None:
        raise ValueError(
            f"pictures are classified by a model with a classifier: got none in {folder}; use another folder"
        )
    return model


def _how(model: "ViT", interpolate: bool) -> "Preprocessing":
    from regard.models.hugging_face.images import preprocessing

    how = preprocessing(model)
    if not interpolate:
        return how
    return replace(how, size=min(how.size) if isinstance(how.size, tuple) else how.size, crop=None)


def _classified(
    model: "ViT", path: Path, how: "Preprocessing", interpolate: bool, mapped: bool
) -> tuple["Tensor", "Tensor", "Tensor | None"]:
    """What the model saw, (h, w, 3); the probabilities; and, if asked for, how its patches were attended to."""
    import torch

    from regard.models.hugging_face.images import preprocess
    from regard.models.tokens import Maps

    patch = model.config.patch
    with installed():
        pixels = preprocess(path, how)
    height, width = pixels.shape[2:]
    if not interpolate and (height, width) != (model.config.image, model.config.image):
        raise ValueError(
            f"the folder makes {width} × {height} pixels of a picture, its model takes {model.config.image}: got "
            f"{str(path)!r}; use --interpolate"
        )
    top, left = height % patch // 2, width % patch // 2
    pixels = pixels[:, :, top : top + height // patch * patch, left : left + width // patch * patch]
    given = pixels.to(model.class_token)
    with torch.no_grad():
        out = model(given, Maps(layers=(-1,)) if mapped else False, interpolate=interpolate)
    assert out.logits is not None
    seen = None
    if out.maps is not None:
        seen = out.maps["self"][-1][0, :, 0, 1:].float().mean(0).unflatten(0, (given.shape[2] // patch, -1)).cpu()
    shown = pixels[0] if how.mean is None else pixels[0] * _column(how.std) + _column(how.mean)
    shown = shown if how.scale is None else shown / (255 * how.scale)
    return shown.clamp(0, 1).permute(1, 2, 0), out.logits[0].float().softmax(0).cpu(), seen


def _column(numbers: Any) -> "Tensor":
    import torch

    return torch.tensor(numbers)[:, None, None]


def _print(model: "ViT", path: Path, probabilities: "Tensor", top: int, as_json: bool) -> None:
    from regard.models.hugging_face.images import labels

    names, best = labels(model), probabilities.topk(min(top, len(probabilities)))
    rows = [(names[number], value) for number, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)]
    if as_json:
        said = [{"label": label, "probability": value} for label, value in rows]
        typer.echo(json.dumps({"image": str(path), "labels": said}, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(str(path)), title_justify="left", box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column()
    for label, value in rows:
        table.add_row(f"{100 * value:.1f} %", Text(label))
    show(table)


def _draw(drawn: list[tuple[str, Any, Any]]) -> Any:
    from regard.analysis.figures import INK, figure_of_panels

    figure, panels = figure_of_panels(len(drawn), min(len(drawn), 4), (2.6, 2.8), 0.1)
    for panel, (name, shown, seen) in zip(panels, drawn, strict=True):
        height, width, _ = shown.shape
        panel.imshow(shown.numpy())
        panel.imshow(seen.numpy(), extent=(-0.5, width - 0.5, height - 0.5, -0.5), cmap="inferno", alpha=0.6)
        panel.set_axis_off()
        panel.set_title(name.replace("$", r"\$"), fontsize=9, color=INK)
    return figure


def embed(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Texts; without any, the lines of stdin.")
    ] = None,
    pool: Annotated[
        Literal["mean", "first", "pooler", "last"],
        typer.Option(help="mean of all tokens; of encoders the first token or the pooler; of decoders the last."),
    ] = "mean",
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Cut texts that are too long; otherwise they are an error.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Leave vectors as long as they are; otherwise 1.")] = False,
    batch: Annotated[int, size("Texts that go through the model together.")] = 32,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the vectors, one row a text: .npy or .safetensors.")
    ] = None,
    dtype: Kind = None,
    device: Where = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each text.")] = False,
) -> None:
    """Turn texts into vectors, by a BERT, or by a decoder such as GPT-2 or Llama.

    Prints the cosines between up to 12 texts; one text alone is printed as with --json. [b]Examples[/b]:

    regard embed all-MiniLM-L6-v2 "a cat sleeps" "the dog barks" "stocks fell"

    regard embed all-MiniLM-L6-v2 --out vectors.npy < sentences.txt

    regard embed bert-base-uncased --pool first --json "a cat sleeps"
    """
    with bad_input():
        _check_file("--out", out, VECTOR_FILES)
        given = texts or _lines()
        if len(given) > MOST_ROWS and out is None and not as_json:
            raise ValueError(f"a table has up to {MOST_ROWS} texts: got {len(given)}; use --json or --out vectors.npy")
        model = loaded(folder, dtype, device)
        from regard.models.embedding import embed as embedded

        options: dict[str, Any] = {"pool": pool, "normalise": not raw, "batch": batch, "truncate": truncate}
        watched = len(given) > batch and sys.stderr.isatty()
        with installed(), bar("embedding") if watched else contextlib.nullcontext() as progress:
            vectors = embedded(model, given, progress=progress, **options).cpu()
        if out is not None:
            _write(out, vectors)
            typer.echo(f"wrote {len(given)} vectors of width {vectors.shape[1]} to {out}", err=True)
    if as_json or (len(given) == 1 and out is None):
        for text, vector in zip(given, vectors.numpy(), strict=True):
            numbers = [float(str(value)) for value in vector]  # as few digits as tell it from others of its type
            typer.echo(json.dumps({"text": text, "vector": numbers}, ensure_ascii=False))
    elif out is None:
        show(_cosines(given, vectors))


def _lines() -> list[str]:
    """All lines of stdin, empty ones too, so that the n-th vector is that of the n-th line."""
    lines = [] if sys.stdin.isatty() else sys.stdin.read().removesuffix("\n").split("\n")
    if lines in ([], [""]):
        raise ValueError("texts are arguments or lines of stdin: got neither; use regard embed FOLDER 'a text'")
    return [line.removesuffix("\r") for line in lines]


def _write(path: Path, vectors: "Tensor") -> None:
    if path.suffix.lower() == ".npy":
        import numpy as np

        with path.open("wb") as file:
            np.save(file, vectors.numpy())
        return
    from safetensors.torch import save_file

    save_file({"embeddings": vectors}, path)


def _cosines(texts: list[str], vectors: "Tensor") -> Any:
    from rich.table import Table
    from rich.text import Text
    from torch.nn.functional import normalize

    unit = normalize(vectors, dim=-1)
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("cosine", no_wrap=True, overflow="ellipsis", ratio=1)
    for number in range(len(texts)):
        table.add_column(str(number + 1), justify="right", no_wrap=True, min_width=5)
    for number, row in enumerate((unit @ unit.mT).tolist()):
        table.add_row(str(number + 1), Text(" ".join(texts[number].split())), *[f"{value:.2f}" for value in row])
    return table
