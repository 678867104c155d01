"""Runs: how far each is, the curves of its trainings while they grow, and what came out."""

import json
import re
import shlex
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from regard.explore.api import Asked, Binary, Question, Reply
from regard.explore.desk import Desk
from regard.explore.shelf import is_shipped
from regard.explore.work import check

if TYPE_CHECKING:
    from regard.recipes import Run

LINES = 20_000  # of metrics in an answer
LARGEST = 8 * 2**20  # bytes of a report or a figure
METRICS = "metrics.jsonl"
Name = Annotated[str, Field(min_length=1, max_length=255)]


class RunsAsked(Asked):
    """Nothing."""


class TrainingTold(Reply):
    """How far a training is: its last step that was written down, when (seconds since 1970), and of how many steps."""

    name: str
    step: int
    written: float
    steps: int | None


class RunTold(Reply):
    """A run, and each of its trainings that has begun."""

    name: str
    recipe: str
    state: Literal["done", "running", "stopped"]
    started: str
    command: str
    headline: str | None
    is_shipped: bool
    is_smoke: bool  # its numbers mean nothing
    resume: str  # the command that goes on with it; none for what comes with the package
    trainings: list[TrainingTold]


class Unread(Reply):
    """A run that cannot be read, and why."""

    name: str
    why: str


class RunsReply(Reply):
    """All runs, in the order of the shelf."""

    runs: list[RunTold]
    unreadable: list[Unread]


class Seen(Asked):
    """What the asker has of a training: so many lines, with this mark."""

    lines: Annotated[int, Field(ge=0, le=10**9)]
    mark: Annotated[int, Field(ge=0, lt=2**32)]


class CurvesAsked(Asked):
    """A run, and what of its trainings is known already."""

    run: Name
    after: Annotated[dict[Name, Seen], Field(max_length=1000, default_factory=dict)]


class Curve(Reply):
    """Lines of a training: the asker keeps `start` of its own, and these follow; `lines` and `mark` are to ask on with.

    Columns are as long as there are new lines, `step` among them, and null where a line has no such number.
    """

    name: str
    start: int
    lines: int
    mark: int
    columns: dict[str, list[float | None]]


class CurvesReply(Reply):
    """All trainings of the run that have written a line; there is more where the answer would have been too long."""

    trainings: list[Curve]
    more: bool


class ReportAsked(Asked):
    """A run."""

    run: Name


class Setting(Reply):
    """A setting as the command line takes it; `own` is the recipe's, where the run has another."""

    name: str
    value: str
    own: str | None


class ReportReply(Reply):
    """The report as HTML, its figures as `<img data-figure="NAME.svg">`; all numbers; all settings.

    The first two are null before the run has come to its end.
    """

    html: str | None
    numbers: Mapping[str, float | None] | None
    settings: list[Setting]


class FigureAsked(Asked):
    """A run, and the name of a figure in its report."""

    run: Name
    name: Name


class FigureHead(Reply):
    """What the bytes are."""

    kind: Literal["image/svg+xml"] = "image/svg+xml"


def runs(desk: Desk, asked: RunsAsked) -> RunsReply:
    """All runs: what was asked, how far each of their trainings is, and the result in a line."""
    known, unread = desk.shelf.looked_through()
    found, wrong = list[RunTold](), [Unread(name=name, why=why) for name, why in unread.items()]
    for name, run in known.items():
        check()
        try:
            found.append(_told(desk, name, run))
        except (ValueError, OSError) as error:  # it is being removed, or is not ours to read
            wrong.append(Unread(name=name, why=_without(run.folder.parent, str(error))))
    return RunsReply(runs=found, unreadable=wrong)


def curves(desk: Desk, asked: CurvesAsked) -> CurvesReply:
    """The metrics of a run's trainings, or only what was written since; what a resumed run takes back comes anew."""
    from regard.training import Metrics

    found, left, more = list[Curve](), LINES, False
    for name, path in _metrics(desk.shelf.run(asked.run)).items():
        check()
        lines, seen = Metrics(path).read(), asked.after.get(name)
        is_known = seen is not None and seen.lines <= len(lines) and _mark(lines[: seen.lines]) == seen.mark
        start, mark = (seen.lines, seen.mark) if seen is not None and is_known else (0, 0)
        end = min(len(lines), start + left)
        left, more = left - (end - start), more or end < len(lines)
        new = lines[start:end]
        if lines:
            found.append(Curve(name=name, start=start, lines=end, mark=_mark(new, mark), columns=_columns(new)))
    return CurvesReply(trainings=found, more=more)


def report(desk: Desk, asked: ReportAsked) -> ReportReply:
    """What came out of a run, and with which settings."""
    from regard.recipes.run import REPORT

    run = desk.shelf.run(asked.run)
    path = run.folder / REPORT
    numbers = run.result
    is_there = numbers is not None and path.is_file() and not path.is_symlink()  # a link could lead anywhere
    html = None if not is_there else _html(_read(path).decode(errors="replace"), run)
    return ReportReply(html=html, numbers=numbers, settings=_settings(run))


def figure(desk: Desk, asked: FigureAsked) -> Binary:
    """A figure of a report, as SVG."""
    known = _figures(desk.shelf.run(asked.run))
    if asked.name not in known:
        there = ", ".join(known) or "none"
        raise ValueError(f"{asked.run} must have the figure that is asked for: got {asked.name!r:.60}, not {there}")
    return Binary(FigureHead(), _read(known[asked.name]))


def _told(desk: Desk, name: str, run: "Run") -> RunTold:
    return RunTold(
        name=name,
        recipe=run.recipe,
        state=run.state,  # pyright: ignore[reportArgumentType] - pydantic checks it
        started=run.started,
        command=run.command,
        headline=run.headline,
        is_shipped=is_shipped(run),
        is_smoke=run.smoke,
        resume="" if is_shipped(run) else shlex.join(["regard", "resume", _spoken(run)]),
        trainings=_trainings(desk, run),
    )


def _spoken(run: "Run") -> str:
    """Its name where commands look for runs, or its folder."""
    return run.name if run.folder == Path("runs") / run.name else str(run.folder)


def _trainings(desk: Desk, run: "Run") -> list[TrainingTold]:
    """How far its trainings are; only files that grew since they were last asked for are read."""
    from regard.training import Metrics

    training = run.config.get("training")
    steps = training.get("steps") if isinstance(training, Mapping) else None
    found = []
    for name, path in _metrics(run).items():
        facts = path.stat()

        def last(path: Path = path) -> tuple[int | None, int]:
            lines = Metrics(path).read()
            return int(lines[-1]["step"]) if lines else None, 256

        step = desk.kept.get(("last step", path, facts.st_mtime_ns, facts.st_size), last)
        if step is not None:
            of = steps if isinstance(steps, int) else None
            found.append(TrainingTold(name=name, step=step, written=facts.st_mtime, steps=of))
    return found


def _metrics(run: "Run") -> dict[str, Path]:
    """The files of metrics by their trainings, `depth-2` before `depth-16`."""
    found = {path.parent.name: path for path in run.folder.glob(f"*/{METRICS}")}
    return {name: found[name] for name in sorted(found, key=_counted)}


def _counted(name: str) -> list[tuple[int, str]]:
    """To sort by: numbers in a name as numbers.

    >>> sorted(["depth-16", "depth-2", "a"], key=_counted)
    ['a', 'depth-2', 'depth-16']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _mark(lines: Iterable[Mapping[str, Any]], mark: int = 0) -> int:
    """A checksum, by which lines that were taken back and came again are told from those that only follow."""
    for line in lines:
        mark = zlib.crc32(json.dumps(line).encode(), mark)
    return mark


def _columns(lines: list[dict[str, Any]]) -> dict[str, list[float | None]]:
    names = dict.fromkeys(name for line in lines for name in line)
    return {name: [_number(line.get(name)) for line in lines] for name in names}


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _html(text: str, run: "Run") -> str:
    """Markdown as HTML without anything that runs: no HTML of its own, no style, links to the web alone.

    The title and the command, which the page shows above, are left out.
    """
    from markdown_it import MarkdownIt

    figures = _figures(run)
    text = text.removeprefix(f"# {run.recipe}: {run.headline}\n\n`{run.command}`\n\n")
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")

    def link(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
        address = tokens[at].attrGet("href") or ""
        if not address.startswith(("https://", "http://")):
            tokens[at].attrs = {}
        return self.renderToken(tokens, at, options, env)

    def image(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        name, about = token.attrGet("src") or "", self.renderInlineAsText(token.children, options, env)
        token.attrs = {"alt": about, "data-figure": name} if name in figures else {"alt": f"{about} (not kept)"}
        return self.renderToken(tokens, at, options, env)

    reader.add_render_rule("link_open", link)
    reader.add_render_rule("image", image)
    tokens = reader.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):  # below those of the page
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        if aligned := re.fullmatch(r"text-align:(\w+)", str(token.attrs.pop("style", ""))):
            token.attrs["class"] = f"runs-{aligned[1]}"
    return reader.renderer.render(tokens, reader.options, {})


def _figures(run: "Run") -> dict[str, Path]:
    """The figures that lie in the run's own folder."""
    folder = run.folder.resolve()
    return {path.name: path for path in sorted(folder.glob("*.svg")) if path.is_file() and path.resolve() == path}


def _read(path: Path) -> bytes:
    if (size := path.stat().st_size) > LARGEST:
        raise ValueError(f"{path.name} must have at most {LARGEST // 2**20} MB: got {size / 2**20:.0f}; open it itself")
    return path.read_bytes()


def _settings(run: "Run") -> list[Setting]:
    """The settings, and where the recipe's own are others, those."""
    from dataclasses import asdict

    from regard.recipes import find_recipe

    try:
        chosen = find_recipe(run.recipe)
        own = dict(_flat(asdict(chosen.smoke if run.smoke else chosen.config)))
    except ValueError:  # a recipe of another version
        own = {}
    return [
        Setting(name=name, value=value, own=own[name] if own.get(name, value) != value else None)
        for name, value in _flat(run.config)
    ]


def _flat(config: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    """Settings in the words of `--set`.

    >>> list(_flat({"lengths": [3, 6], "training": {"steps": 10, "patience": None}}))
    [('lengths', '3,6'), ('training.steps', '10'), ('training.patience', 'none')]
    """
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, _said(value)


def _said(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_said, value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _without(root: Path, why: str) -> str:
    """Why, without the way to the folder of runs."""
    return why.replace(f"{root}/", "")


QUESTIONS = (
    Question("runs", runs),
    Question("curves", curves),
    Question("report", report),
    Question("figure", figure),
)
