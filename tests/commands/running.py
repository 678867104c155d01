"""The command line as somebody runs it, in this process."""

from typer.testing import CliRunner, Result

from regard.commands.app import app


def run(*words: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def check_refused(result: Result, says: str) -> None:
    """Fail unless bad input was told in one line, with exit code 2."""
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert result.stderr.startswith("regard: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
