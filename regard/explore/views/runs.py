"""Runs: how far each is, the curves of its trainings while they grow, and what came out."""

import json
import re
import shlex
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from regard.explore.api import Binary, Empty, Endpoint, Request, Response
from regard.explore.cancellation import check_cancelled
from regard.explore.workspace import Workspace, find_trainings, is_shipped

if TYPE_CHECKING:
    from regard.recipes import Run

MAX_LINES = 20_000  # of metrics in a response
MAX_BYTES = 8 * 2**20  # of a report or a figure
METRICS = "metrics.jsonl"
Name = Annotated[str, Field(min_length=1, max_length=255)]


class TrainingStatus(Response):
    """The progress of a training: its last recorded step, when it was written (seconds since 1970), of how many."""

    name: str
    step: int
    written: float
    steps: int | None


class RunStatus(Response):
    """A run, and each of its trainings that has begun."""

    name: str
    recipe: str
    state: Literal["done", "running", "stopped"]
    started: str
    command: str
    headline: str | None
    is_shipped: bool
    is_smoke: bool  # its numbers mean nothing
    resume: str  # the command that continues it; empty for what comes with the package
    trainings: list[TrainingStatus]


class UnreadableRun(Response):
    """A run that cannot be read, and why."""

    name: str
    why: str


class RunsResponse(Response):
    """All runs, in the order of the workspace."""

    runs: list[RunStatus]
    unreadable: list[UnreadableRun]


class Seen(Request):
    """What the client has of a training: so many lines, with this checksum."""

    lines: Annotated[int, Field(ge=0, le=10**9)]
    mark: Annotated[int, Field(ge=0, lt=2**32)]


class CurvesRequest(Request):
    """A run, and what the client has of its trainings."""

    run: Name
    after: Annotated[dict[Name, Seen], Field(max_length=1000, default_factory=dict)]


class Curve(Response):
    """New lines of a training: the client keeps its first `start`, and these follow; the next request sends `lines`
    and `mark`. Each column, `step` among them, has an entry per new line, null where the line has no such number.
    """

    name: str
    start: int
    lines: int
    mark: int
    columns: dict[str, list[float | None]]


class CurvesResponse(Response):
    """All trainings of the run that have written a line; `more` where the response would have been too long."""

    trainings: list[Curve]
    more: bool


class ReportRequest(Request):
    """A run."""

    run: Name


class Setting(Response):
    """A setting as the command line takes it; `own` is the recipe's, where the run has another."""

    name: str
    value: str
    own: str | None


class ReportResponse(Response):
    """The report as HTML, its figures as `<img data-figure="NAME.svg">`; all numbers; all settings.

    The first two are null before the run has come to its end.
    """

    html: str | None
    numbers: Mapping[str, float | None] | None
    settings: list[Setting]


class FigureRequest(Request):
    """A run, and the name of a figure in its report."""

    run: Name
    name: Name


class FigureHeader(Response):
    """The type of the bytes that follow."""

    kind: Literal["image/svg+xml"] = "image/svg+xml"


def list_runs(workspace: Workspace, request: Empty) -> RunsResponse:
    """All runs: the command, the progress of each training, and the result in a line."""
    known, unread = workspace.scan_runs()
    found, wrong = list[RunStatus](), [UnreadableRun(name=name, why=why) for name, why in unread.items()]
    for name, run in known.items():
        check_cancelled()
        try:
            found.append(_describe_run(workspace, name, run))
        except (ValueError, OSError) as error:  # it is being removed, or is not ours to read
            wrong.append(UnreadableRun(name=name, why=str(error).replace(f"{run.folder.parent}/", "")))
    return RunsResponse(runs=found, unreadable=wrong)


def read_curves(workspace: Workspace, request: CurvesRequest) -> CurvesResponse:
    """The metrics of a run's trainings, or only the new lines; what a resumed run has rewritten comes again."""
    from regard.training import Metrics

    found, left, more = list[Curve](), MAX_LINES, False
    for name, folder in find_trainings(workspace.run(request.run), METRICS).items():
        check_cancelled()
        lines, seen = Metrics(folder / METRICS).read(), request.after.get(name)
        is_known = seen is not None and seen.lines <= len(lines) and _checksum(lines[: seen.lines]) == seen.mark
        start, mark = (seen.lines, seen.mark) if seen is not None and is_known else (0, 0)
        end = min(len(lines), start + left)
        left, more = left - (end - start), more or end < len(lines)
        new = lines[start:end]
        if lines:
            found.append(Curve(name=name, start=start, lines=end, mark=_checksum(new, mark), columns=_to_columns(new)))
    return CurvesResponse(trainings=found, more=more)


def read_report(workspace: Workspace, request: ReportRequest) -> ReportResponse:
    """What came out of a run, and with which settings."""
    from regard.recipes.run import REPORT

    run = workspace.run(request.run)
    path = run.folder / REPORT
    numbers = run.result
    is_there = numbers is not None and path.is_file() and not path.is_symlink()  # a link could lead anywhere
    html = None if not is_there else _render_markdown(_read_file(path).decode(errors="replace"), run)
    return ReportResponse(html=html, numbers=numbers, settings=_list_settings(run))


def read_figure(workspace: Workspace, request: FigureRequest) -> Binary:
    """A figure of a report, as SVG."""
    known = _find_figures(workspace.run(request.run))
    if request.name not in known:
        there = ", ".join(known) or "none"
        raise ValueError(f"{request.run} has no figure {request.name!r:.60}: there is {there}")
    return Binary(FigureHeader(), _read_file(known[request.name]))


def _describe_run(workspace: Workspace, name: str, run: "Run") -> RunStatus:
    is_usual = run.folder == Path("runs") / run.name  # where commands look for runs by name
    return RunStatus(
        name=name,
        recipe=run.recipe,
        state=run.state,  # pyright: ignore[reportArgumentType] - pydantic checks it
        started=run.started,
        command=run.command,
        headline=run.headline,
        is_shipped=is_shipped(run),
        is_smoke=run.smoke,
        resume="" if is_shipped(run) else shlex.join(["regard", "resume", run.name if is_usual else str(run.folder)]),
        trainings=_read_progress(workspace, run),
    )


def _read_progress(workspace: Workspace, run: "Run") -> list[TrainingStatus]:
    """The progress of its trainings; only files that changed since the last request are read."""
    from regard.training import Metrics

    training = run.config.get("training")
    steps = training.get("steps") if isinstance(training, Mapping) else None
    found = []
    for name, folder in find_trainings(run, METRICS).items():
        path = folder / METRICS
        facts = path.stat()

        def last(path: Path = path) -> tuple[int | None, int]:
            lines = Metrics(path).read()
            return int(lines[-1]["step"]) if lines else None, 256

        step = workspace.cache.get(("last step", path, facts.st_mtime_ns, facts.st_size), last)
        if step is not None:
            of = steps if isinstance(steps, int) else None
            found.append(TrainingStatus(name=name, step=step, written=facts.st_mtime, steps=of))
    return found


def _checksum(lines: Iterable[Mapping[str, Any]], mark: int = 0) -> int:
    """A checksum, which tells lines that a resumed run has rewritten from lines that were only added."""
    for line in lines:
        mark = zlib.crc32(json.dumps(line).encode(), mark)
    return mark


def _to_columns(lines: list[dict[str, Any]]) -> dict[str, list[float | None]]:
    names = dict.fromkeys(name for line in lines for name in line)
    found = {name: [line.get(name) for line in lines] for name in names}
    return {name: [one if type(one) in (int, float) else None for one in column] for name, column in found.items()}


def _render_markdown(text: str, run: "Run") -> str:
    """Markdown as HTML without anything that runs: no HTML of its own, no style, links to the web alone.

    The title and the command, which the page shows above, are left out.
    """
    from markdown_it import MarkdownIt

    figures = _find_figures(run)
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


def _find_figures(run: "Run") -> dict[str, Path]:
    """The figures that lie in the run's own folder."""
    folder = run.folder.resolve()
    return {path.name: path for path in sorted(folder.glob("*.svg")) if path.is_file() and path.resolve() == path}


def _read_file(path: Path) -> bytes:
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(
            f"{path.name} must have at most {MAX_BYTES // 2**20} MB: got {size / 2**20:.0f}; open it itself"
        )
    return path.read_bytes()


def _list_settings(run: "Run") -> list[Setting]:
    """All settings, with the recipe's own value where the run has another."""
    from regard.recipes import find_recipe
    from regard.recipes.recipe import list_settings, write_setting

    def written(config: Mapping[str, Any]) -> dict[str, str]:
        return {name: write_setting(value) for name, value in list_settings(config)}

    try:
        chosen = find_recipe(run.recipe)
        own = written(asdict(chosen.smoke if run.smoke else chosen.config))
    except ValueError:  # a recipe of another version
        own = {}
    return [
        Setting(name=name, value=value, own=own[name] if own.get(name, value) != value else None)
        for name, value in written(run.config).items()
    ]


ENDPOINTS = (
    Endpoint("runs", list_runs),
    Endpoint("curves", read_curves),
    Endpoint("report", read_report),
    Endpoint("figure", read_figure),
)
