"""What all commands share: help, version, completion, imports, exit codes, and how they end."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.algorithms.planning import report
from regard.commands.app import app


def regard(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


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
    assert regard("--version").stdout == f"regard {version('regard')}\n"


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
    program = """
import regard
assert {"attend", "Attention", "models"} <= set(dir(regard))
from regard import Attention, attend
assert regard.attend is attend and regard.attention.Attention is Attention
try:
    regard.atend
except AttributeError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "module 'regard' has no attribute 'atend'\n"
