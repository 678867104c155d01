"""Put reports of runs into the documentation: `python tools/results.py [RUN]…` copies them and writes docs/results.md.

RUN is the folder of a run that is done; its report, figures and result.json become docs/recipes/NAME. Without any,
docs/results.md alone is written again, from the result.json of each.
"""

import shlex
import shutil
import sys
from pathlib import Path

from regard.recipes import find_recipe, read_run
from regard.recipes.results import Published, Result

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# Results

What the recipes found where they were run, beside what others published. `python tools/results.py` writes this page
from the `result.json` of each run in `docs/recipes`; the claims read the runs that ship with the package.

| run | what came out | command | machine | training | commit | day |
|---|---|---|---|---|---|---|
"""
BESIDE = """
## Beside published numbers

| run | number | here | published | by | reached |
|---|---|---|---|---|---|
"""


def keep(folder: Path) -> None:
    """Copy the report of a run that is done."""
    run = read_run(folder)
    if run.state != "done" or run.smoke:
        raise ValueError(
            f"a run must be done, and no smoke test: got {folder}, {run.state}; use regard resume {folder}"
        )
    place = DOCS / "recipes" / run.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for path in folder.glob("*.svg"):
        shutil.copyfile(path, place / path.name)
    for name in ("report.md", "result.json"):
        text = (folder / name).read_text(encoding="utf-8")
        (place / name).write_text(name_data(text, run.command), encoding="utf-8")


def name_data(text: str, command: str) -> str:
    """A report or a result whose command names the data without the folder where they lay."""
    words = shlex.split(command)
    given = words[words.index("--data") + 1] if "--data" in words else ""
    said, name = (shlex.join(("--data", data)) for data in (given, Path(given).name))
    return text.replace(said, name) if given else text


def page(results: dict[str, Result]) -> str:
    """All results, and those that have a published number beside it."""
    rows = [row(name, result) for name, result in results.items()]
    beside = [
        compare(name, result, published)
        for name, result in results.items()
        for published in find_recipe(result.recipe).published
        if published.number in result.numbers
    ]
    return HEAD + "\n".join(rows) + "\n" + (BESIDE + "\n".join(beside) + "\n" if beside else "")


def row(name: str, result: Result) -> str:
    seconds = sum([count for what, count in result.seconds.items() if what != "measuring"])
    commits = ", ".join(dict.fromkeys(session.commit or "not known" for session in result.sessions))
    cells = [
        f"[{name}](recipes/{name}/report.md)",
        result.headline.replace("|", r"\|"),
        f"`{result.command}`",
        ", ".join(result.machines) or "one thread of a CPU",
        f"{seconds:,.0f} s" if seconds else "not kept",
        commits or "not kept",
        result.finished[:10],
    ]
    return f"| {' | '.join(cells)} |"


def compare(name: str, result: Result, published: Published) -> str:
    ours = result.numbers[published.number]
    reached = "yes" if published.reached(ours) else "no"
    return f"| {name} | {published.number} | {ours:.4g} | {published.value:.4g} | {published.source} | {reached} |"


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        keep(Path(folder))
    found = {
        path.parent.name: Result.read_json(path.read_text(encoding="utf-8"))
        for path in sorted((DOCS / "recipes").glob("*/result.json"))
    }
    (DOCS / "results.md").write_text(page(found), encoding="utf-8")
