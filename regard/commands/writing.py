"""`regard generate` and `regard translate`: parse, call, print."""

import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from regard.commands.models import Folder, Kind, Where, installed, loaded
from regard.commands.output import bad_input, bar, size

MaxNew = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Tokens to write at most; by default 256, or what room there is.")
]
Temperature = Annotated[
    float, typer.Option(min=0, metavar="T", help="0 takes the likeliest token, 1 draws by the model's probabilities.")
]
TopK = Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw among the N likeliest tokens.")]
TopP = Annotated[float | None, typer.Option(metavar="P", help="Draw among the fewest that have P together.")]
MinP = Annotated[float | None, typer.Option(metavar="P", help="Draw among those with P of the likeliest one's.")]
Penalty = Annotated[float, typer.Option("--repetition-penalty", metavar="X", help="Above 1: against words again.")]
LengthPenalty = Annotated[
    float | None, typer.Option(metavar="X", help="Beams are ranked by log-probability over length^X; by default 1.")
]
Stop = Annotated[
    list[str] | None, typer.Option("--stop", metavar="TEXT", help="End before this text; may be given several times.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed draws the same tokens.")]
Json = Annotated[bool, typer.Option("--json", help="One line of JSON each: prompt, text, tokens, reason, score.")]


def generate(
    folder: Folder,
    prompts: Annotated[
        list[str] | None, typer.Argument(metavar="[PROMPT]…", help="What to go on from; by default standard input.")
    ] = None,
    max_new: MaxNew = None,
    temperature: Temperature = 0.0,
    top_k: TopK = None,
    top_p: TopP = None,
    min_p: MinP = None,
    repetition_penalty: Penalty = 1.0,
    beams: Annotated[int, size("Texts that are followed at a time.")] = 1,
    length_penalty: LengthPenalty = None,
    stop: Stop = None,
    seed: Seed = None,
    dtype: Kind = None,
    device: Where = None,
    chat: Annotated[
        bool, typer.Option("--chat", help="Go on after each text with a line of yours; nothing is computed twice.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write on from a prompt with a GPT-2, Llama or T5, as the text comes. Several prompts are written side by side.

    [b]Examples[/b]:

    regard generate FOLDER "Once upon a time"

    regard generate FOLDER "Once upon" --temperature 0.8 --top-p 0.95 --seed 1 --max-new 100 --stop "The end"

    regard generate FOLDER "First prompt" "Another, longer prompt" --beams 4 --json

    regard generate FOLDER --chat
    """
    with bad_input(), installed():
        from regard.generation import Settings

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
        model = _writer(folder, dtype, device)
        if chat:
            _chat(model, settings)
            return
        texts = prompts or [sys.stdin.read().removesuffix("\n")]
        if as_json or beams > 1 or len(texts) > 1:
            _write_all(model, texts, settings, as_json)
        else:
            _stream(model.stream(texts[0], settings), before=_shown(model, texts[0]))


def translate(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]…", help="By default the lines of standard input.")
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Put before each: what the model is to do.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The prefix of a task that config.json has, as translation_en_to_de."),
    ] = None,
    max_new: MaxNew = None,
    beams: Annotated[int, size("Texts that are followed at a time.")] = 4,
    length_penalty: LengthPenalty = None,
    batch: Annotated[int, size("Texts that go through the model together.")] = 16,
    dtype: Kind = None,
    device: Where = None,
    as_json: Json = False,
) -> None:
    """Translate with a T5, line by line; a line in is a line out. What you type is translated as you type it.

    [b]Examples[/b]:

    regard translate FOLDER "A house by the sea." --task translation_en_to_de

    regard translate FOLDER --prefix "translate English to German: " < english.txt > german.txt
    """
    with bad_input(), installed():
        from regard.generation import Settings

        penalty = None if beams == 1 else length_penalty
        if length_penalty is not None and beams == 1:
            raise ValueError(f"--length-penalty is for beams: got {length_penalty} with --beams 1; use --beams 4")
        settings = Settings(max_new=max_new, beams=beams, length_penalty=penalty)
        model = _writer(folder, dtype, device, translates=True)
        before = _prefix(model, prefix, task)
        typed = not texts and sys.stdin.isatty()
        if typed or (texts and len(texts) == 1 and beams == 1 and not as_json):
            for line in texts or sys.stdin:
                _stream(_translated(model, before + line.strip(), settings))
            return
        lines = texts or (line.rstrip("\n") for line in sys.stdin)
        _translate_all(model, iter(lines), before, settings, batch, as_json)


def _writer(folder: Path, dtype: str | None, device: str | None, *, translates: bool = False) -> Any:
    """The model of a folder, which must be one that writes, or that translates."""
    from regard.models import EncoderDecoder
    from regard.models.writing.writer import Writer

    model = loaded(folder, dtype, device)
    if not isinstance(model, Writer):
        raise ValueError(f"writing takes a decoder or an encoder-decoder: got {_a(model)} in {folder}")
    if translates and not isinstance(model, EncoderDecoder):
        raise ValueError(f"translating takes an encoder-decoder: got {_a(model)} in {folder}; use regard generate")
    if model.tokenizer is None:
        raise ValueError(f"text needs a tokenizer: got {folder} without tokenizer.json; add the file")
    return model


def _shown(model: Any, prompt: str) -> str:
    """What stands before the text that a model writes: what it goes on from; a translation goes on from nothing."""
    from regard.models import Decoder

    return prompt if isinstance(model, Decoder) else ""


def _a(model: Any) -> str:
    name = type(model).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _stream(pieces: Iterator[str], before: str = "") -> None:
    """Show text as it comes, and, to somebody who looks, how fast it came."""
    typer.echo(before, nl=False)
    start, count = time.perf_counter(), 0
    for piece in pieces:
        count += 1
        typer.echo(piece, nl=False)
        sys.stdout.flush()
    typer.echo()
    if sys.stderr.isatty() and count:
        typer.echo(f"{count} pieces, {count / (time.perf_counter() - start):.1f} a second", err=True)


def _chat(model: Any, settings: Any) -> None:
    from regard.models import Decoder

    if not isinstance(model, Decoder):
        raise ValueError(f"--chat goes on in one text, which is for decoders: got {_a(model)}; leave it out")
    session = model.session(model.config.positions.context)
    while line := sys.stdin.readline():
        if line := line.rstrip("\n"):
            _stream(session.stream(f"\n{line}" if session.tokens else line, settings))


def _write_all(model: Any, texts: list[str], settings: Any, as_json: bool) -> None:
    with bar("writing") as progress:
        total = settings.max_new or 256
        written = model.generate(texts, settings, progress=lambda step: progress(step, total))
    for text, each in zip(texts, written, strict=True):
        typer.echo(_json(text, each) if as_json else f"{_shown(model, text)}{each.text}")


def _json(prompt: str, written: Any) -> str:
    facts = {"prompt": prompt, "text": "", "tokens": (), "reason": "end", "score": None}  # of an empty line
    if written is not None:
        facts |= {name: getattr(written, name) for name in ("text", "tokens", "reason", "score")}
    return json.dumps(facts, ensure_ascii=False)


def _prefix(model: Any, prefix: str | None, task: str | None) -> str:
    """What goes before each text."""
    if task is None:
        return prefix or ""
    if prefix is not None:
        raise ValueError(f"a task has a prefix: got --task {task} and --prefix {prefix!r}; use one of them")
    tasks = model.source.config.get("task_specific_params") or {}
    if not isinstance(tasks.get(task), dict) or "prefix" not in tasks[task]:
        raise ValueError(f"--task must be one of config.json's: got {task!r}; it has {', '.join(tasks) or 'none'}")
    return tasks[task]["prefix"]


def _translated(model: Any, text: str, settings: Any) -> Iterator[str]:
    """One text, as it comes where there are no beams."""
    if settings.beams == 1:
        return model.stream(text, settings)
    return iter([model.generate(text, settings).text])


def _translate_all(model: Any, lines: Iterator[str], before: str, settings: Any, batch: int, as_json: bool) -> None:
    """Block by block: those of like lengths together, printed in the order they came; empty lines stay empty."""
    done = 0
    with bar("translating") as progress:
        while block := list(islice(lines, 8 * batch)):
            found: dict[int, Any] = {}
            order = sorted([number for number, line in enumerate(block) if line.strip()], key=lambda n: len(block[n]))
            for at in range(0, len(order), batch):
                some = order[at : at + batch]
                written = model.generate([before + block[number].strip() for number in some], settings)
                found |= dict(zip(some, written, strict=True))
                done += len(some)
                progress(done, None)
            for number, line in enumerate(block):
                each = found.get(number)
                if as_json:
                    typer.echo(_json(line, each))
                else:
                    typer.echo("" if each is None else " ".join(each.text.split("\n")))
