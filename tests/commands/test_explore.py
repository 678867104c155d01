"""What `regard explore` refuses; what it serves is tested in tests/explore."""

from typer.testing import CliRunner

from regard.commands.app import app


def test_what_it_cannot_show_is_said(tmp_path):
    result = CliRunner().invoke(app, ["explore", str(tmp_path)])
    assert result.exit_code == 2
    assert str(tmp_path) in "".join(result.stderr.split("\n"))


def test_a_host_that_is_not_this_machines_is_said():
    result = CliRunner().invoke(app, ["explore", "--host", "203.0.113.7", "--port", "0", "--no-browser"])
    assert result.exit_code == 2
    assert "cannot listen at 203.0.113.7:0" in result.stderr
