"""`regard classify`, `embed`, `generate` and `translate`: trained models at work."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.commands.options import Device, Type, file, present_device, size
from regard.commands.output import bad_input, echo, progress_bar, show, write_figure, write_file

if TYPE_CHECKING:
    from torch import Tensor

    from regard.models.classification import Classified

MOST_MAPS, MOST_ROWS = 16, 12
Folder = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A folder of Hugging Face with config.json and safetensors, or a run that left one.",
        show_default=False,
    ),
]
Stored = Annotated[Type | None, typer.Option("--dtype", metavar="TYPE", help="By default as stored.")]
MaxNew = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Most tokens to write; by default 256, or what room there is.")
]
LengthPenalty = Annotated[
    float | None, typer.Option(metavar="X", help="Beams are ranked by log-probability over length^X; by default 1.")
]
GeneratedJson = Annotated[
    bool, typer.Option("--json", help="Print a line of JSON for each: prompt, text, tokens, reason, score.")
]


def load_model(folder: Path, dtype: str | None, device: str | None) -> Any:
    """The model of a folder, or that a run left in its folder `model`; a run's name will do."""
    import torch

    from regard.models import load

    name = present_device(device)
    if not (folder / "config.json").is_file():
        for run in (folder, "runs" / folder):
            if (run / "run.json").is_file():
                if not (run / "model" / "config.json").is_file():
                    raise ValueError(f"{run} has no model that can be loaded: got a run without one; see its report.md")
                folder = run / "model"
                break
    return load(folder, dtype=None if dtype is None else getattr(torch, dtype), device=name)


def classify(
    folder: Folder,
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE", help="Pictures.", show_default=False)],
    top: Annotated[int, size("Labels to show for each picture.")] = 5,
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
        file(
            "--map",
            "Draw where the class token attends in the last layer, mean of its heads: .png or .svg.",
            *(".png", ".svg"),
        ),
    ] = None,
    dtype: Stored = None,
    device: Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each picture.")] = False,
) -> None:
    """Say what pictures show, with a vision transformer (ViT) that has a classifier.

    Pictures are resized and normalised as the folder's preprocessor_config.json says. [b]Examples[/b]:

    regard classify vit-base-patch16-224 cat.jpg

    regard classify vit-base-patch16-224 photos/*.jpg --top 1 --json

    regard classify vit-base-patch16-224 cat.jpg --interpolate --map attention.png
    """
    with bad_input():
        if map_file is not None and len(images) > MOST_MAPS:
            raise ValueError(f"--map draws up to {MOST_MAPS} pictures: got {len(images)}; give fewer")
        from regard.models import ViT
        from regard.models.classification import classify as classify_picture
        from regard.models.hugging_face.images import labels

        model = load_model(folder, dtype, device)
        if not isinstance(model, ViT) or model.head is None:
            got = "a ViT without one" if isinstance(model, ViT) else _a(model)
            raise ValueError(f"pictures are classified by a ViT with a classifier: got {got} in {folder}")
        found = {}
        for path in images:
            found[path] = classify_picture(model, path, interpolate=interpolate, return_map=map_file is not None)
            best = found[path].probabilities.topk(min(top, len(found[path].probabilities)))
            names = [labels(model)[number] for number in best.indices.tolist()]
            _show_labels(path, dict(zip(names, best.values.tolist(), strict=True)), as_json)
        if map_file is not None:
            write_figure(map_file, _draw_maps(found))


def _show_labels(path: Path, probabilities: dict[str, float], as_json: bool) -> None:
    if as_json:
        labels = [{"label": label, "probability": value} for label, value in probabilities.items()]
        echo(json.dumps({"image": str(path), "labels": labels}, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(str(path)), title_justify="left", box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column()
    for label, value in probabilities.items():
        table.add_row(f"{100 * value:.1f} %", Text(label))
    show(table)


def _draw_maps(found: "dict[Path, Classified]") -> Any:
    """Each picture under the map of its class token."""
    from regard.analysis.figures import INK, figure_of_panels

    figure, panels = figure_of_panels(len(found), min(len(found), 4), (2.6, 2.8), 0.1)
    for panel, (path, each) in zip(panels, found.items(), strict=True):
        height, width, _ = each.picture.shape
        panel.imshow(each.picture.numpy())
        assert each.attention is not None
        panel.imshow(each.attention.numpy(), extent=(-0.5, width - 0.5, height - 0.5, -0.5), cmap="inferno", alpha=0.6)
        panel.set_axis_off()
        panel.set_title(path.name.replace("$", r"\$"), fontsize=9, color=INK)
    return figure


def embed(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Texts; by default the lines of standard input.")
    ] = None,
    pool: Annotated[
        Literal["mean", "first", "pooler", "last"],
        typer.Option(help="The mean of all tokens; of encoders the first token or the pooler; of decoders the last."),
    ] = "mean",
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Cut texts that are too long, which otherwise are an error.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave vectors unnormalised; otherwise their length is 1.")
    ] = False,
    batch: Annotated[int, size("Texts that go through the model together.")] = 32,
    out: Annotated[
        Path | None, file("--out", "Write the vectors, one row a text: .npy or .safetensors.", ".npy", ".safetensors")
    ] = None,
    dtype: Stored = None,
    device: Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each text.")] = False,
) -> None:
    """Turn texts into vectors, with a BERT, or with a decoder such as GPT-2 or Llama.

    Prints the cosines between up to 12 texts; one text alone is printed as with --json. [b]Examples[/b]:

    regard embed all-MiniLM-L6-v2 "a cat sleeps" "the dog barks" "stocks fell"

    regard embed all-MiniLM-L6-v2 --out vectors.npy < sentences.txt

    regard embed bert-base-uncased --pool first --json "a cat sleeps"
    """
    with bad_input():
        given = check_texts(texts or _read_lines())
        if len(given) > MOST_ROWS and out is None and not as_json:
            raise ValueError(f"a table has up to {MOST_ROWS} texts: got {len(given)}; use --json or --out vectors.npy")
        from regard.models.embedding import embed as embed_texts

        model = load_model(folder, dtype, device)
        with progress_bar("embedding") if len(given) > batch else contextlib.nullcontext() as progress:
            vectors = embed_texts(
                model, given, pool=pool, normalise=not raw, batch=batch, truncate=truncate, progress=progress
            ).cpu()
        if out is not None:
            write_file(out, _vector_file(vectors, out.suffix.lower()))
            typer.echo(f"wrote {len(given)} vectors of width {vectors.shape[1]} to {out}", err=True)
    if as_json or (len(given) == 1 and out is None):
        for text, vector in zip(given, vectors.numpy(), strict=True):
            numbers = [float(str(value)) for value in vector]  # as few digits as tell it from others of its type
            echo(json.dumps({"text": text, "vector": numbers}, ensure_ascii=False))
    elif out is None:
        show(_cosine_table(given, vectors))


def _read_lines() -> list[str]:
    """All lines of standard input, empty ones too, so that the n-th vector is that of the n-th line."""
    try:
        lines = [] if sys.stdin.isatty() else sys.stdin.read().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"texts must be UTF-8: got standard input with {error.reason}; convert it") from error
    if lines in ([], [""]):
        raise ValueError("texts are arguments or lines of stdin: got neither; use regard embed FOLDER 'a text'")
    return [line.removesuffix("\r") for line in lines]


def check_texts(texts: list[str]) -> list[str]:
    """Raise unless all texts came as UTF-8: Python smuggles other bytes through as lone surrogates."""
    for number, text in enumerate(texts, 1):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"texts must be UTF-8: got {text!r:.60} as text {number}; convert it") from error
    return texts


def _vector_file(vectors: "Tensor", ending: str) -> bytes:
    if ending == ".safetensors":
        from safetensors.torch import save

        return save({"embeddings": vectors})
    import io

    import numpy as np

    file = io.BytesIO()
    np.save(file, vectors.numpy())
    return file.getvalue()


def _cosine_table(texts: list[str], vectors: "Tensor") -> Any:
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


def generate(
    folder: Folder,
    prompts: Annotated[
        list[str] | None, typer.Argument(metavar="[PROMPT]…", help="What to continue; by default standard input.")
    ] = None,
    max_new: MaxNew = None,
    temperature: Annotated[
        float,
        typer.Option(min=0, metavar="T", help="0 takes the likeliest token, 1 draws by the model's probabilities."),
    ] = 0.0,
    top_k: Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw among the N likeliest tokens.")] = None,
    top_p: Annotated[
        float | None, typer.Option(metavar="P", help="Draw among the fewest tokens that have probability P together.")
    ] = None,
    min_p: Annotated[
        float | None, typer.Option(metavar="P", help="Draw among tokens at least P times as likely as the likeliest.")
    ] = None,
    repetition_penalty: Annotated[
        float,
        typer.Option("--repetition-penalty", metavar="X", help="Above 1: makes tokens that occurred less likely."),
    ] = 1.0,
    beams: Annotated[int, size("Texts to follow at a time.")] = 1,
    length_penalty: LengthPenalty = None,
    stop: Annotated[
        list[str] | None, typer.Option("--stop", metavar="TEXT", help="End before this text; repeatable.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The same seed draws the same tokens.")] = None,
    dtype: Stored = None,
    device: Device = None,
    chat: Annotated[
        bool, typer.Option("--chat", help="Read your next line after each text; nothing is computed twice.")
    ] = False,
    as_json: GeneratedJson = False,
) -> None:
    """Continue a prompt with a GPT-2, Llama, Qwen or T5, as the text comes. Several prompts are continued side by side.

    [b]Examples[/b]:

    regard generate FOLDER "Once upon a time"

    regard generate FOLDER "Once upon" --temperature 0.8 --top-p 0.95 --seed 1 --max-new 100 --stop "The end"

    regard generate FOLDER "First prompt" "Another, longer prompt" --beams 4 --json

    regard generate FOLDER --chat

    regard generate language-1 "To be"
    """
    with bad_input():
        from regard.generation import Settings
        from regard.models import Decoder

        settings = Settings(
            max_new=max_new,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
            repetition_penalty=repetition_penalty,
            beams=beams,
            length_penalty=length_penalty,
            stop=tuple(stop or ()),
            seed=seed,
        )
        if chat and (as_json or prompts):
            raise ValueError("--chat reads lines and shows text: got prompts or --json too; leave them out")
        model = _load_writer(folder, dtype, device)
        is_decoder = isinstance(model, Decoder)
        if chat:
            if not is_decoder:
                raise ValueError(f"--chat continues one text, which is for decoders: got {_a(model)}; leave it out")
            return _chat(model, settings)
        texts = prompts or [sys.stdin.read().removesuffix("\n")]
        if is_decoder:
            _warn_of_length(model, texts, settings.max_new)
        if not as_json and beams == 1 and len(texts) == 1:
            # A decoder continues the prompt; what an encoder-decoder writes stands alone.
            return _stream(model.stream(texts[0], settings), before=texts[0] if is_decoder else "")
        with progress_bar("writing") as progress:
            total = settings.max_new or 256
            written = model.generate(texts, settings, progress=lambda step: progress(step, total))
    for text, each in zip(texts, written, strict=True):
        echo(_written_json(text, each) if as_json else f"{text if is_decoder else ''}{each.text}")
    return None


def translate(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]…", help="By default the lines of standard input.")
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Put before each text: what the model is to do.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The prefix of a task that config.json names, as translation_en_to_de."),
    ] = None,
    max_new: MaxNew = None,
    beams: Annotated[int, size("Texts to follow at a time.")] = 4,
    length_penalty: LengthPenalty = None,
    batch: Annotated[int, size("Texts that go through the model together.")] = 16,
    dtype: Stored = None,
    device: Device = None,
    as_json: GeneratedJson = False,
) -> None:
    """Translate with a T5, line by line; a line in is a line out. What you type is translated as you type it.

    [b]Examples[/b]:

    regard translate FOLDER "A house by the sea." --task translation_en_to_de

    regard translate FOLDER --prefix "translate English to German: " < english.txt > german.txt
    """
    with bad_input():
        from regard.generation import Settings
        from regard.models import EncoderDecoder

        if length_penalty is not None and beams == 1:
            raise ValueError(f"--length-penalty is for beams: got {length_penalty} with --beams 1; use --beams 4")
        settings = Settings(max_new=max_new, beams=beams, length_penalty=length_penalty)
        model = _load_writer(folder, dtype, device)
        if not isinstance(model, EncoderDecoder):
            raise ValueError(f"translating takes an encoder-decoder: got {_a(model)} in {folder}; use regard generate")
        before = _task_prefix(model, prefix, task)
        is_typed = not texts and sys.stdin.isatty()
        if is_typed or (texts and len(texts) == 1 and beams == 1 and not as_json):
            for line in texts or sys.stdin:
                prompt = before + line.strip()
                _stream(
                    model.stream(prompt, settings)
                    if beams == 1
                    else iter([model.generate(prompt, settings).text or ""])
                )
            return
        lines = texts or (line.rstrip("\n") for line in sys.stdin)
        _translate_lines(model, iter(lines), before, settings, batch, as_json)


def _load_writer(folder: Path, dtype: str | None, device: str | None) -> Any:
    """A model that writes text."""
    from regard.models.writing.writer import Writer

    model = load_model(folder, dtype, device)
    if not isinstance(model, Writer):
        raise ValueError(f"writing takes a decoder or an encoder-decoder: got {_a(model)} in {folder}")
    if model.tokenizer is None:
        raise ValueError(f"text needs a tokenizer: got {folder} without tokenizer.json; add the file")
    return model


def _a(model: Any) -> str:
    name = type(model).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _stream(pieces: Iterator[str], before: str = "") -> None:
    """Print text as it comes, and in a terminal how fast it came."""
    echo(before, nl=False)
    start, count = time.perf_counter(), 0
    for piece in pieces:
        count += 1
        echo(piece, nl=False)
    echo()
    if sys.stderr.isatty() and count:
        typer.echo(f"{count} pieces, {count / (time.perf_counter() - start):.1f} a second", err=True)


def _warn_of_length(model: Any, texts: list[str], max_new: int | None) -> None:
    """Say that what is written may pass the tokens that a model was made for; learned positions refuse it."""
    from regard.models.writing.writer import SOME

    positions, new = model.config.positions, max_new or SOME
    longest = max([len(model.encode_prompt(text)) for text in texts])
    if positions.kind != "learned" and longest + new - 1 > positions.context:  # the last token is not read
        typer.echo(
            f"warning: the model was made for {positions.context} tokens: got a prompt of {longest} and up to "
            f"{new} new ones; what stands behind may be worse",
            err=True,
        )


def _chat(model: Any, settings: Any) -> None:
    session = model.session(model.config.positions.context)
    while line := sys.stdin.readline():
        if line := line.rstrip("\n"):
            _stream(session.stream(f"\n{line}" if session.tokens else line, settings))


def _written_json(prompt: str, written: Any) -> str:
    facts = {"prompt": prompt, "text": "", "tokens": (), "reason": "end", "score": None}  # of an empty line
    if written is not None:
        facts |= {name: getattr(written, name) for name in ("text", "tokens", "reason", "score")}
    return json.dumps(facts, ensure_ascii=False)


def _task_prefix(model: Any, prefix: str | None, task: str | None) -> str:
    """What goes before each text."""
    if task is None:
        return prefix or ""
    if prefix is not None:
        raise ValueError(f"a task has a prefix: got --task {task} and --prefix {prefix!r}; use one of them")
    tasks = model.source.config.get("task_specific_params") or {}
    if not isinstance(tasks.get(task), dict) or "prefix" not in tasks[task]:
        raise ValueError(f"--task must be one of config.json's: got {task!r}; it has {', '.join(tasks) or 'none'}")
    return tasks[task]["prefix"]


def _translate_lines(model: Any, lines: Iterator[str], before: str, settings: Any, batch: int, as_json: bool) -> None:
    """Translate many lines: those of similar lengths together, printed in their order; empty lines stay empty."""
    done = 0
    with progress_bar("translating") as progress:
        while chunk := list(islice(lines, 8 * batch)):
            found: dict[int, Any] = {}
            order = sorted([number for number, line in enumerate(chunk) if line.strip()], key=lambda n: len(chunk[n]))
            for start in range(0, len(order), batch):
                some = order[start : start + batch]
                written = model.generate([before + chunk[number].strip() for number in some], settings)
                found |= dict(zip(some, written, strict=True))
                done += len(some)
                progress(done, None)
            for number, line in enumerate(chunk):
                each = found.get(number)
                if as_json:
                    echo(_written_json(line, each))
                else:
                    echo("" if each is None else " ".join(each.text.split("\n")))
