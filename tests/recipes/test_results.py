"""Results: where they come from, the time of a run that was stopped, and the page that is made of them."""

import importlib.util
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from regard.recipes import plan_run, start_run
from regard.recipes.results import Published, Result, read_sessions
from tests.recipes.running import stop_at

ROOT = Path(__file__).parents[2]


def test_the_time_of_a_run_is_that_of_all_its_sessions(tmp_path: Path):
    plan = start_run("reversal", tmp_path / "run", size="smoke")
    stop_at(plan, 1, "attention")
    (first,) = read_sessions(plan.run.folder)
    assert list(first.seconds) == ["plain"]
    plan_run(plan.run).train()
    result = Result.read_json((plan.run.folder / "result.json").read_text())
    assert result.sessions[0] == first
    assert (result.recipe, result.command) == ("reversal", "regard train reversal --smoke")
    assert list(result.seconds) == ["plain", "attention", "transformer", "measuring"]
    assert result.seconds["plain"] == sum(session.seconds["plain"] for session in result.sessions) > 0
    assert result.sessions[1].machine
    assert result.started <= result.sessions[1].started <= result.finished


def test_a_result_that_is_none_is_refused():
    whole = json.loads(Result(numbers={}, headline="c").json())
    wrong = {"": "must be JSON", "[]": "must be JSON", "{}": "got None for 'numbers'"}
    wrong |= {json.dumps(whole | {"headline": 5}): "got 5 for 'headline'", json.dumps(whole | {"more": 1}): "no 'more'"}
    for text, says in wrong.items():
        with pytest.raises(ValueError, match=says):
            Result.read_json(text)


def test_a_published_number_is_reached_from_its_side():
    loss = Published(number="loss", value=1.47, source="somebody", better="smaller")
    assert [loss.reached(ours) for ours in (1.46, 1.47, 1.48)] == [True, True, False]


def load_tool() -> Any:
    spec = importlib.util.spec_from_file_location("results_tool", ROOT / "tools" / "results.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


@pytest.mark.parametrize(("data", "named"), [("/home/me/a.tar", "a.tar"), ("/home/my data/a b.tar", "'a b.tar'")])
def test_no_folder_of_data_is_published(data: str, named: str):
    command = shlex.join(["regard", "train", "language", "--data", data, "--fast"])
    assert load_tool().name_data(f"`{command}`", command) == f"`regard train language --data {named} --fast`"


def test_the_page_of_results_is_what_the_tool_writes():
    tool = load_tool()
    files = sorted((ROOT / "docs" / "recipes").glob("*/result.json"))
    found = {path.parent.name: Result.read_json(path.read_text()) for path in files}
    assert (ROOT / "docs" / "results.md").read_text() == tool.page(found), "run python tools/results.py"
    assert all(f"[{name}](recipes/{name}/report.md)" in tool.page(found) for name in found)
