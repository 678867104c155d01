"""Public counters of parameters and FLOPs on small attention models: `python -m benchmarks.counters --out r.json`.

The truth is derived by hand (`counters_models.py`). A counter's cell is its signed error against that truth, the type
of its error where it fails, — where it does not count such a thing. None of them stops the run.
"""

import argparse
from dataclasses import asdict
from typing import Any

import torch

from benchmarks import record
from benchmarks.counters_models import MODELS, Truth
from benchmarks.counters_peers import PEERS, Answer, Count, ask_alone
from benchmarks.record import Bar, Cell, Row, machine, to_json, to_markdown
from benchmarks.setting import progress

Answers = dict[str, dict[str, Answer]]  # by counter, then by model

TITLE = "Counters, side by side"
LEGEND = (
    "*Needed*: two FLOPs per multiply-add of the matrix products, attention on visible (query, key) pairs, no gradient "
    "that nobody asks for, nothing twice. *Square*: attention on all pairs. Cells are errors against what is needed; "
    "`exact` is equal to the last unit, — is not counted. Multiply-adds are taken times two; "
    "a + after its unit: the counter adds elementwise operations and does not tell them apart."
)
EXACT = Bar("≤", 0.0)
MEASURES = {"parameters": "parameters", "forward": "FLOPs forward", "backward": "FLOPs backward"}


def error(said: int | None, truth: int) -> str:
    """A count against the truth.

    >>> error(80, 100), error(100, 100), error(1501, 100), error(None, 100), error(10_001, 10_000)
    ('−20.0 %', 'exact', '×15', '—', '+0.010 %')
    """
    if said is None:
        return "—"
    if said == truth:
        return "exact"
    percent = 100 * (said / truth - 1)
    if percent > 900:
        return f"×{said / truth:.3g}"
    size = abs(percent)
    text = f"{size:.1f}" if size >= 0.1 else f"{size:.3f}" if size >= 0.001 else "<0.001"
    return f"{'+' if percent > 0 else '−'}{text} %"


def cell(answer: Answer, measure: str, truth: int) -> str:
    return error(getattr(answer, measure), truth) if isinstance(answer, Count) else answer.kind


def truths(truth: Truth, measure: str) -> dict[str, int | None]:
    """What is true, and what would be for all pairs."""
    if measure == "parameters":
        return {"true": truth.parameters}
    names = {"forward": ("forward", "square"), "backward": ("backward", "square_backward")}[measure]
    return dict(zip(("needed", "square"), (getattr(truth, name) for name in names), strict=True))


def rows_of(measure: str, answers: Answers, models: list[str]) -> list[Row]:
    """One row per model: the truth, and the error of each counter; one that never counts such a thing has no column."""
    shown = [tool for tool, said in answers.items() if _installed(tool) and _tries(said, measure)]
    rows = []
    for name in models:
        known = truths(MODELS[name].truth, measure)
        truth = next(iter(known.values()))
        if truth is None:
            continue
        cells: dict[str, Cell] = {**known, **{tool: cell(answers[tool][name], measure, truth) for tool in shown}}
        ours = answers.get("regard", {}).get(name)
        said = getattr(ours, measure, None)
        rows.append(
            Row(
                MEASURES[measure],
                name,
                "",
                cells,
                None if said is None else abs(100 * (said / truth - 1)),
                "truth",
                EXACT if ours is not None else None,
                unit=" %",
            )
        )
    return rows


def _installed(tool: str) -> bool:
    return PEERS[tool].version != "not installed"


def _tries(said: dict[str, Answer], measure: str) -> bool:
    """Whether it counts this on some model, or fails on all, which is to be seen too."""
    counts = [answer for answer in said.values() if isinstance(answer, Count)]
    return not counts or any(_says(answer, measure) for answer in counts)


def _says(answer: Answer, measure: str) -> bool:
    return isinstance(answer, Count) and getattr(answer, measure) is not None


def tools(answers: Answers, models: list[str]) -> list[Row]:
    """One row per counter: how often it is right."""
    rows = []
    for tool, by_model in answers.items():
        peer = PEERS[tool]
        cells: dict[str, Any] = {"version": peer.version}
        if _installed(tool):
            said = {name: by_model[name] for name in models}
            cells |= {
                "its unit": peer.unit,
                "parameters exact": _score(said, "parameters", "parameters"),
                "forward exact": _score(said, "forward", "forward"),
                "forward within 1 %": _score(said, "forward", "forward", 0.01),
                "forward exact on the square": _score(said, "forward", "square"),
                "backward exact": _score(said, "backward", "backward"),
                "no answer": sum(not isinstance(answer, Count) for answer in said.values()),
            }
        rows.append(Row("counters", tool, "", cells))
    return rows


def _score(said: dict[str, Answer], measure: str, of: str, within: float = 0.0) -> str:
    """On how many models a counter is right, of those that have a truth."""
    asked = {name: truth for name in said if (truth := getattr(MODELS[name].truth, of)) is not None}
    if not any(_says(answer, measure) for answer in said.values()):
        return "—"
    right = [
        name
        for name, truth in asked.items()
        if _says(said[name], measure) and abs(getattr(said[name], measure) - truth) <= within * truth
    ]
    return f"{len(right)} of {len(asked)}"


def markdown(report: dict[str, Any], rows: list[Row]) -> str:
    text = to_markdown(report, rows, TITLE)
    text = text.replace(f"`{report['command']}`", f"`{report['command']}`\n\n{LEGEND}", 1)
    lines = [f"| {name} | {MODELS[name].why} |" for name in report["models"]]
    return "\n".join([text, "## how the truth is derived\n", "| model | derivation |", "| --- | --- |", *lines]) + "\n"


def parser() -> argparse.ArgumentParser:
    options = record.parser("benchmarks.counters", __doc__)
    options.add_argument("--model", action="append", choices=list(MODELS), help="may be given several times")
    options.add_argument("--tool", action="append", choices=list(PEERS), help="may be given several times")
    return options


def main(arguments: list[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    models, chosen = options.model or list(MODELS), options.tool or list(PEERS)
    for name in models:
        MODELS[name].make()  # one that cannot be built is our error and no counter's: it stops the run here
    answers: Answers = {}
    for tool in chosen:
        progress(tool, PEERS[tool].version)
        answers[tool] = {name: ask_alone(PEERS[tool], name) for name in models}
    report = machine(torch.device("cpu"), options.commit, "benchmarks.counters", arguments) | {
        "models": {name: asdict(MODELS[name].truth) | {"why": MODELS[name].why} for name in models},
        "peers": {tool: PEERS[tool].version for tool in chosen},
        "answers": {tool: {name: asdict(said[name]) for name in models} for tool, said in answers.items()},
    }
    rows = tools(answers, models) + [row for measure in MEASURES for row in rows_of(measure, answers, models)]
    text = markdown(report, rows)
    record.save(options, to_json(report, rows), text)
    print(text, flush=True)


if __name__ == "__main__":
    main()
