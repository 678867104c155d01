"""Runs as the page asks for them: the same numbers as the files hold, whatever a resumed run takes back."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from regard.explore.api import Empty
from regard.explore.views import runs as view
from regard.explore.views.runs import CurvesRequest, FigureRequest, ReportRequest, Seen
from regard.explore.workspace import SHIPPED, Workspace
from regard.recipes import create_run, read_run
from regard.recipes.run import Run
from regard.training import Metrics

COMMAND = "regard train reversal --set training.steps=40"


def new_run(root: Path, name: str, lines: int = 4) -> tuple[Run, Metrics]:
    """A run as a recipe begins it, with some lines of a training."""
    run = create_run(root / name, recipe="reversal", config={"width": 8, "training": {"steps": 40}}, command=COMMAND)
    (root / name / "attention").mkdir()
    metrics = Metrics(root / name / "attention" / view.METRICS)
    for step in range(1, lines + 1):
        metrics.write(step=10 * step, loss=1 / step)
    return run, metrics


def finished(run: Run, text: str = "Done.") -> None:
    page = f"# reversal: all right\n\n`{run.command}`\n\n{text}\n"
    run.finish(numbers={"right": 1.0}, headline="all right", report=page, claims={})


def told(workspace: Workspace) -> tuple[dict[str, view.RunStatus], dict[str, str]]:
    reply = view.list_runs(workspace, Empty())
    return {one.name: one for one in reply.runs}, {one.name: one.why for one in reply.unreadable}


def test_every_run_is_told_with_how_far_it_is(tmp_path: Path) -> None:
    workspace = Workspace((tmp_path, SHIPPED))
    (done, _), (going, metrics), _ = (new_run(tmp_path, name) for name in ("done", "going", "halted"))
    finished(done)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    with going.lock():
        found, wrong = told(workspace)
        assert {name: found[name].state for name in ("done", "going", "halted")} == {
            "done": "done",
            "going": "running",
            "halted": "stopped",
        }
        metrics.write(step=50, loss=0.1)
        assert told(workspace)[0]["going"].trainings[0].step == 50
    for name in ("done", "going", "halted"):
        assert {one.name: one.step for one in found[name].trainings} == {"attention": 40}
        assert not found[name].is_shipped
        assert found[name].trainings[0].steps == 40
        assert found[name].command == COMMAND
    assert (found["done"].headline, found["going"].headline) == ("all right", None)
    assert "broken/run.json must be JSON" in wrong["broken"]
    assert str(tmp_path) not in wrong["broken"]
    assert str(tmp_path / "halted") in found["halted"].resume
    shipped = read_run(SHIPPED / "reversal")
    assert found["reversal"].is_shipped
    assert found["reversal"].command == shipped.command
    assert {one.name: one.step for one in found["reversal"].trainings} == shipped.progress()


def test_curves_are_the_lines_of_the_files() -> None:
    reply = view.read_curves(Workspace(), CurvesRequest(run="reversal"))
    assert [one.name for one in reply.trainings] == ["attention", "transformer"]
    assert not reply.more
    for one in reply.trainings:
        lines = Metrics(SHIPPED / "reversal" / one.name / view.METRICS).read()
        assert {"step", "loss", "characters"} <= set(one.columns)
        assert one.lines == len(lines) > 100
        for name, values in one.columns.items():
            assert values == [line.get(name) for line in lines]


class Reader:
    """Asks on and on, as the page does."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.seen, self.lines = workspace, dict[str, Seen](), dict[str, list[dict[str, Any]]]()

    def ask(self) -> dict[str, int]:
        """How many lines came of each training."""
        reply = view.read_curves(self.workspace, CurvesRequest(run="run", after=self.seen))
        for one in reply.trainings:
            new = [dict(zip(one.columns, row, strict=True)) for row in zip(*one.columns.values(), strict=True)]
            self.lines[one.name] = self.lines.get(one.name, [])[: one.start] + new
            self.seen[one.name] = Seen(lines=one.lines, mark=one.mark)
            assert one.lines == len(self.lines[one.name])
        return {one.name: one.lines - one.start for one in reply.trainings}


def test_only_new_lines_come_and_what_a_resumed_run_took_back_goes(tmp_path: Path) -> None:
    _, metrics = new_run(tmp_path, "run", 5)
    reader = Reader(Workspace((tmp_path,)))
    assert (reader.ask(), reader.ask()) == ({"attention": 5}, {"attention": 0})
    metrics.write(step=60, loss=0.1)
    assert reader.ask() == {"attention": 1}
    metrics.rewind(30)  # a kill, and other numbers from there on, more than there were before anybody asks
    for step in range(40, 100, 10):
        metrics.write(step=step, loss=7.0)
    assert reader.ask() == {"attention": 9}
    assert reader.lines["attention"] == metrics.read()
    metrics.rewind(40)
    assert reader.ask() == {"attention": 4}
    assert reader.lines["attention"] == metrics.read()


def test_long_files_come_in_parts_and_what_is_no_number_is_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, metrics = new_run(tmp_path, "run", 7)
    metrics.write(step=80, loss=math.nan)
    reader = Reader(Workspace((tmp_path,)))
    sent = json.loads(view.read_curves(reader.workspace, CurvesRequest(run="run")).model_dump_json())["trainings"][0]
    assert sent["columns"]["loss"][-2:] == [1 / 7, None]
    monkeypatch.setattr(view, "MAX_LINES", 3)
    assert [reader.ask()["attention"] for _ in range(4)] == [3, 3, 2, 0]
    assert [line["step"] for line in reader.lines["attention"]] == list(range(10, 90, 10))


HOSTILE = """
<script>alert(1)</script> [go](javascript:alert(1)) [away](../run.json) [web](https://example.org)

| a | b |
|---|--:|
| 1 | 2 |

![A map](map.svg) ![Not there](../other/map.svg) ![x](https://example.org/x.png)

## Samples
"""


def test_reports_are_html_in_which_nothing_runs(tmp_path: Path) -> None:
    run, _ = new_run(tmp_path, "run")
    workspace = Workspace((tmp_path,))
    before = view.read_report(workspace, ReportRequest(run="run"))
    assert before.html is None
    assert before.numbers is None
    settings = {one.name: (one.value, one.own) for one in before.settings}
    assert settings == {"width": ("8", None), "training.steps": ("40", "1150")}
    (run.folder / "map.svg").write_text("<svg/>")
    finished(run, HOSTILE)
    reply = view.read_report(workspace, ReportRequest(run="run"))
    assert reply.html is not None
    assert reply.numbers == {"right": 1.0}
    assert not re.search(r"<script|javascript:alert\(1\)\"|style=|src=|run\.json", reply.html)
    assert COMMAND not in reply.html
    assert "all right" not in reply.html
    assert '<img alt="A map" data-figure="map.svg" />' in reply.html
    assert reply.html.count("data-figure") == 1
    assert '<a href="https://example.org">' in reply.html
    assert reply.html.count("href") == 1
    assert '<td class="runs-right">2</td>' in reply.html
    assert "<h3>Samples</h3>" in reply.html


def test_figures_are_looked_up_in_the_folder_alone(tmp_path: Path) -> None:
    run, _ = new_run(tmp_path, "run")
    workspace = Workspace((tmp_path,))
    (tmp_path / "secret.svg").write_text("<svg>secret</svg>")
    (run.folder / "link.svg").symlink_to(tmp_path / "secret.svg")
    (run.folder / "map.svg").write_bytes(b"<svg/>")
    assert view.read_figure(workspace, FigureRequest(run="run", name="map.svg")).data == b"<svg/>"
    for name in ("../secret.svg", "link.svg", str(tmp_path / "secret.svg"), "run.json", "other.svg"):
        with pytest.raises(ValueError, match=r"there is map\.svg$"):
            view.read_figure(workspace, FigureRequest(run="run", name=name))
    with (run.folder / "map.svg").open("wb") as file:
        file.truncate(view.MAX_BYTES + 1)
    with pytest.raises(ValueError, match=r"map\.svg must have at most 8 MB"):
        view.read_figure(workspace, FigureRequest(run="run", name="map.svg"))
