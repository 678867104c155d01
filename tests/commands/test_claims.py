"""`regard claims`, as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from regard.claims import Claim, Finding, Texts, Verdict, Version, udl
from regard.commands.app import app

RUN = CliRunner()


def test_one_line_per_claim() -> None:
    result = RUN.invoke(app, ["claims", "udl.1a", "udl.4c"])
    assert result.exit_code == 0, result.output
    assert "refuted  biases of q, k, v: 6 at D = 2, not 3" in result.output.replace("            ", "  ")
    assert "all 2 verdicts are those of the catalogue" in result.output
    assert "✓ the verdict is that of the catalogue" in RUN.invoke(app, ["claims", "udl.1a"]).output


def test_json_says_id_verdict_expected_and_evidence() -> None:
    result = RUN.invoke(app, ["claims", "udl.1a", "--json"])
    (said,) = json.loads(result.stdout)
    assert (said["id"], said["verdict"], said["expected"]) == ("udl.1a", "refuted", "refuted")
    assert said["evidence"] == "biases of q, k, v: 6 at D = 2, not 3"
    assert [finding["holds"] for finding in said["document"]] == [True, False]


def test_an_explanation_has_every_part() -> None:
    result = RUN.invoke(app, ["claims", "nyu.1c", "--explain"])
    assert result.exit_code == 0
    for part in ("The document says", "What is true", "False twin", "Why", "How:", "In the code: regard."):
        assert part in result.output
    assert "└───" in result.output, "a figure"


def test_brackets_are_text_and_not_markup() -> None:
    result = RUN.invoke(app, ["claims", "ist.3m", "--explain"])
    assert "tanh(W_c [c; s])" in result.output.replace("W_c[", "W_c [")


def test_a_report_is_one_page_that_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = RUN.invoke(app, ["claims", "nyu.1c", "udl.3", "--report", str(path)])
    assert result.exit_code == 0, result.output
    page = path.read_text(encoding="utf-8")
    assert page.count("<math") > 6
    assert page.count("<article") == 2
    assert "<svg" in page
    for loads in ("<script", "<link", "src=", "@import", "url(http"):
        assert loads not in page
    inside = page[page.index("<svg") : page.index("</svg>") + 6]
    ElementTree.fromstring(inside)


def test_a_figure_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "beta.svg"
    assert RUN.invoke(app, ["claims", "nyu.1c", "--svg", str(path)]).exit_code == 0
    assert "<svg" in path.read_text(encoding="utf-8")


def test_a_verdict_that_is_not_the_catalogues_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(stated: int) -> list[Finding]:
        return [Finding("four", stated == 4, f"2 + 2 is 4, not {stated}")]

    wrong = Claim(
        id="udl.1a",
        title="sum",
        texts=Texts(asks="2 + 2?", derivation="by counting"),
        ours=Version("4", "4", {"stated": 4}),
        document=Version("5", "5", {"stated": 5}),
        twin=Version("6", "6", {"stated": 6}),
        check=check,
        expected=Verdict.HOLDS,
    )
    monkeypatch.setattr(udl, "CLAIMS", (wrong,))
    result = RUN.invoke(app, ["claims", "udl"])
    assert result.exit_code == 1
    assert "refuted (expected: holds)" in result.output
    assert "not what the catalogue says: udl.1a" in result.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nyu.1q"], "no claim or document is called 'nyu.1q'; did you mean"),
        (["physics"], "the documents are conv, nyu, udl, eecs, ist"),
        (["ist", "--only", "answered"], "no claim of ist is 'answered'; leave out --only"),
        (["--only", "refuted", "--svg", "a.svg"], "--svg takes one claim that has a figure: got 16 claims"),
        (
            ["udl.1a", "--report", "nowhere/a.html"],
            "--report must name a file in a folder that exists: got 'nowhere/a.html'",
        ),
        (["nyu.1c", "--svg", "a.png"], "--svg must name a file that ends in .svg: got 'a.png'"),
    ],
)
def test_bad_words_are_named(words: list[str], says: str) -> None:
    result = RUN.invoke(app, ["claims", *words])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


def test_an_interrupt_ends_the_processes_at_once() -> None:
    """Ctrl-C goes to all processes of a terminal: one of them speaks."""
    command = [sys.executable, "-m", "regard", "claims", "udl", "ist", "--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(children.read_text().split()) < 3:  # two that check, and one that counts what they share
            time.sleep(0.01)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        start = time.monotonic()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"regard: stopped\n")
    assert time.monotonic() - start < 5
