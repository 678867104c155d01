"""What all commands share: help, version, completion, imports, exit codes, and how they end."""

import contextlib
import errno
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import regard as package
from regard.algorithms import attend
from regard.algorithms.planning import report
from regard.commands.app import app
from regard.commands.output import OutputLost, bad_input, show, write_file
from tests.commands.running import run as regard


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(plan: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(report, "rich_table", broken)
    result = regard("plan")
    assert result.exit_code == 1
    assert isinstance(result.exception, ValueError)


def test_help_and_version() -> None:
    for result in (regard(), regard("--help")):
        assert result.exit_code == 0
        assert "plan" in result.stdout
        assert "tour" in result.stdout
    shown = regard("plan", "--help")
    assert shown.exit_code == 0
    assert 'regard plan --mask "causal & window(256)"' in shown.stdout
    wide = CliRunner().invoke(app, ["explore", "--help"], terminal_width=200, env={"COLUMNS": "200"}).stdout
    assert "Everything is computed on this machine; nothing is fetched" in wide  # lines end where the terminal's do
    assert regard("--version").stdout == f"regard {version('regard')}\n"


@pytest.mark.parametrize("command", ["plan", "pattern", "reach"])
def test_help_shows_the_brackets_of_a_mask(command: str) -> None:
    shown = " ".join(regard(command, "--help").stdout.replace("│", " ").split())
    assert "documents([length, …], …)" in shown


def test_help_says_how_long_a_smoke_run_takes() -> None:
    shown = " ".join(regard("train", "--help").stdout.replace("│", " ").split())
    assert "Try it in seconds, with --data in a minute or two" in shown


@pytest.mark.parametrize("command", [None, *[command.name for command in get_command(app).commands.values()]], ids=str)
def test_help_has_two_names(command: str | None) -> None:
    words = [] if command is None else [command]
    asked = [regard(*words, option) for option in ("-h", "--help")]
    assert [result.exit_code for result in asked] == [0, 0]
    assert asked[0].stdout == asked[1].stdout


def test_a_shell_completes_commands_and_choices() -> None:
    for words, found in {"regard pl": ["plan"], "regard cost gpt2 --dtype float3": ["float32"]}.items():
        asked = {"_REGARD_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        run = subprocess.run(
            [sys.executable, "-m", "regard"], env=os.environ | asked, capture_output=True, text=True, check=True
        )
        assert run.stdout.split() == found


def test_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "regard", "plan", "--mask", "nothing"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("regard: a mask is made of known names: got 'nothing'")
    assert "Traceback" not in result.stderr


QUICK = (["--help"], ["--version"], ["plan", "-h"], ["train", "--help"], ["cost", "--help"])


@pytest.mark.parametrize("arguments", [None, *QUICK], ids=str)
def test_what_computes_nothing_imports_nothing_heavy(arguments: list[str] | None, tmp_path: Path) -> None:
    """Nor does `import regard` alone (None): torch takes two seconds."""
    program = f"""
import sys
import regard
if {arguments} is not None:
    from regard.__main__ import main
    sys.argv = ["regard", *{arguments}]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0
heavy = ("torch", "numpy", "sympy", "matplotlib", "safetensors", "jaxtyping")
print([name for name in heavy if name in sys.modules], file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert run.stderr == "[]\n"


def test_names_are_there_when_asked_for() -> None:
    assert {"attend", "Attention", "models"} <= set(dir(package))
    assert package.attend is attend
    assert package.attention.Attention is package.Attention
    with pytest.raises(AttributeError, match="module 'regard' has no attribute 'atend'"):
        _ = package.atend


@pytest.mark.parametrize("module", ["typer.core", "torch.nn", "regard.algorithms.catalogue"])
def test_an_interrupt_is_one_line_from_the_first_moment(module: str) -> None:
    """Ctrl-C arrives when this module is about to be imported."""
    program = f"""
import os, signal, sys
from regard.__main__ import main
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["regard", "plan"]
main()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "regard: stopped\n")


PRINTS = (["--help"], ["--version"])  # by Typer, and by us


@pytest.mark.parametrize("arguments", PRINTS, ids=" ".join)
def test_output_that_nobody_takes_ends_with_1(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "regard", *arguments]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed, open("/dev/full", "w") as full:
        ends = [
            subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
            for file in (closed, full)
        ]
    assert [(end.returncode, end.stderr) for end in ends] == [
        (1, ""),
        (1, "regard: standard output could not be written: No space left on device\n"),
    ]


def test_a_table_that_nobody_takes_is_told_from_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    # The end of the outer block closes the file, which tries to write once more.
    with contextlib.suppress(OSError), open("/dev/full", "w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        with pytest.raises(OutputLost), bad_input():
            show("a table")


@pytest.mark.parametrize(
    "arguments",
    [
        ["pattern", "causal", "--svg", "made.svg"],
        ["reach", "--tokens", "9", "--svg", "made.svg"],
        ["tour", "--svg", "made.svg"],
        ["claims", "nyu.1c", "--svg", "made.svg"],
        ["claims", "udl.1a", "--report", "made.html"],
        ["questions", "udl", "--out", "made.md"],
    ],
    ids=" ".join,
)
def test_a_full_disk_leaves_what_was_there(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    file = tmp_path / arguments[-1]
    file.write_text("before")
    result = regard(*arguments)
    assert result.exit_code == 2
    assert result.stderr == (
        f"regard: {file.name} could not be written: No space left on device; nothing was changed\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == "before"


def test_a_file_behind_a_link_and_a_device_are_written(tmp_path: Path) -> None:
    link, file = tmp_path / "link.svg", tmp_path / "file.svg"
    link.symlink_to(file)
    for _ in range(2):
        assert regard("pattern", "causal", "--svg", str(link)).exit_code == 0
        assert link.is_symlink()
        assert "<svg" in file.read_text()
    write_file(Path("/dev/null"), "nowhere")
