"""How a verdict comes about: from what the check finds of each version, and never by decree."""

import importlib.util
import json
import os
import time
from pathlib import Path
from types import ModuleType

import pytest

from regard.claims import Claim, Verdict, experiments, judge
from regard.claims.claim import claims_in
from regard.claims.running import grouped, judge_claims, question_of

TEXT = """# Even numbers

- **where** n: a number
- **code** builtins:divmod

## {id} Which are even

Which of these
are even?

- **ours** these two $2 \\mid n$
- **twin** an odd one
{document}- **where** m: another; k: a third
- **method** {{SIZE:,}} numbers

A number is even if $2 \\mid n$, or $n = 2k$.

So are sums of even numbers.
"""
CHECK = """from regard.claims.claim import Finding, Verdict, View, claim

SIZE = 1234


@claim("{id}", Verdict("{expected}"), {arguments})
def even(first=2, second=4):
    for name, n in (("first", first), ("second", second)):
        yield Finding(name, n % 2 == 0, f"{{n}} is {{'even' if n % 2 == 0 else 'odd'}}", detail=name == "second")
"""


def declare(
    folder: Path, arguments: str = 'twin={"first": 3}', expected: str = "holds", id: str = "udl.1a", text: str = TEXT
) -> ModuleType:
    """A module with one claim, and its Markdown."""
    document = "- **document** those\n" if "document" in arguments else ""
    (folder / "topic.md").write_text(text.format(id=id, document=document), encoding="utf-8")
    (folder / "topic.py").write_text(CHECK.format(id=id, expected=expected, arguments=arguments), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("topic", folder / "topic.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def claim_of(folder: Path, *arguments: str) -> Claim:
    (found,) = claims_in(declare(folder, *arguments))
    return found


@pytest.mark.parametrize(
    ("arguments", "expected", "verdict", "line"),
    [
        ('twin={"first": 3}', "holds", "holds", "2 is even"),
        ('twin={"first": 3}, document={"second": 6}', "holds", "holds", "2 is even"),
        ('twin={"first": 3}, document={"second": 5}', "holds", "holds as corrected", "5 is odd"),
        ('twin={"first": 3}, document={"first": 7}', "holds", "refuted", "7 is odd"),
        ('twin={"first": 3}, document={"first": 7, "second": 5}', "holds", "refuted", "7 is odd"),
        ('twin={"first": 3}', "answered", "answered", "2 is even"),
        ('twin={"first": 3}', "built", "built", "2 is even"),
        ('twin={"first": 3}', "experiment: borne out", "experiment: borne out", "2 is even"),
        (
            'twin={"first": 3}, document={"first": 7}',
            "experiment: borne out",
            "experiment: borne out in part",
            "7 is odd",
        ),
        (
            'twin={"first": 3}, document={"first": 7, "second": 9}',
            "experiment: borne out",
            "experiment: not borne out",
            "7 is odd",
        ),
        ('twin={"first": 3}, ours={"second": 3}', "holds", "unsettled", "our own statement fails: 3 is odd"),
        ('twin={"first": 8}', "holds", "unsettled", "the false twin passes the check"),
        ('twin={"first": 8}', "experiment: borne out", "unsettled", "the false twin passes the check"),
    ],
)
def test_the_verdict_is_what_was_found(tmp_path: Path, arguments: str, expected: str, verdict: str, line: str) -> None:
    judgement = judge(claim_of(tmp_path, arguments, expected))
    assert (judgement.verdict, judgement.line) == (verdict, line)
    runs_decide = expected.startswith("experiment") and verdict.startswith("experiment")
    assert judgement.as_expected == (verdict == expected or runs_decide)
    said = judgement.json()
    assert json.loads(json.dumps(said)) == said
    assert (said["id"], said["verdict"], said["expected"], said["evidence"]) == ("udl.1a", verdict, expected, line)


def test_texts_are_read_from_the_markdown(tmp_path: Path) -> None:
    found = claim_of(tmp_path, 'twin={"first": 3}, document={"second": 5}, view=View("maps", "See")')
    assert (found.title, found.texts.asks) == ("Which are even", "Which of these are even?")
    assert found.texts.quantities == {"n": "a number", "m": "another", "k": "a third"}, "shared letters first"
    assert (found.texts.method, found.texts.code) == ("1,234 numbers", ("builtins:divmod",))
    assert found.texts.derivation == "A number is even if $2 \\mid n$, or $n = 2k$.\n\nSo are sums of even numbers."
    assert (found.ours.text, found.ours.formula, found.ours.value) == (
        "these two",
        "2 \\mid n",
        {"first": 2, "second": 4},
    )
    assert (found.twin.formula, found.twin.value) == ("", {"first": 3, "second": 4}), "differences from what is true"
    assert found.document is not None
    assert (found.document.value, found.kind) == ({"first": 2, "second": 5}, "statement")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ('twin={"third": 3}', TEXT, "udl.1a states 'third', which even does not take: first, second"),
        (
            'twin={"first": 3}',
            TEXT.replace("{id}", "udl.9"),
            r"topic.md must have a heading '## udl.1a …': got udl.9",
        ),
        ('twin={"first": 3}', TEXT.replace("**method**", "**how**"), "udl.1a: no item is called 'how'; use code"),
        ('twin={"first": 3}', TEXT.replace("m: another", "m another"), "letters are 'D: width; N: tokens'"),
        (
            'twin={"first": 3}',
            TEXT.replace("- **twin** an odd one\n", ""),
            "udl.1a and its Markdown must have the same versions: got twin in one alone",
        ),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(tmp_path: Path, arguments: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declare(tmp_path, arguments, text=text)


def test_claims_of_one_question_stay_together() -> None:
    names = ["conv.a1", "conv.b2a", "conv.b2r", "conv.q2", "nyu.1a", "nyu.1cfc", "nyu.3def", "udl.10", "eecs.2a"]
    assert [question_of(name) for name in names] == [
        "conv.a", "conv.b", "conv.b", "conv.q", "nyu.1", "nyu.1", "nyu.3", "udl.10", "eecs.2",
    ]  # fmt: skip
    from regard.claims import select

    groups = grouped(select(["udl", "ist"]))
    assert groups[1] == ["udl.6", "udl.6b"], "a training as soon as a short one shows that there is progress"
    assert sorted(name for group in groups for name in group) == sorted(claim.id for claim in select(["udl", "ist"]))


@pytest.mark.slow
def test_processes_find_what_one_process_finds() -> None:
    from regard.claims import select

    claims, seen = select(["udl.1a", "udl.1b", "udl.1c", "udl.2", "udl.4c"]), []
    here = judge_claims(claims, charts=True, jobs=1, progress=lambda *_: None)
    there = judge_claims(claims, charts=True, jobs=2, progress=lambda done, total: seen.append((done, total)))
    assert [vars(a) | {"seconds": 0} for a in here] == [vars(b) | {"seconds": 0} for b in there]
    assert [claim.id for claim in claims] == [judgement.id for judgement in there]
    assert seen[-1] == (5, 5)


def test_an_experiment_reads_the_latest_run_of_its_recipe(tmp_path: Path) -> None:
    for age, (name, accuracy, command) in enumerate((("new", 0.9, "regard train toy"), ("old", 0.8, "--small"))):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "claims.json"
        file.write_text(json.dumps({"toy": {"command": command, "numbers": {"accuracy": accuracy}}}))
        then = time.time() - 100 * age
        os.utime(file, (then, then))
    calls = []

    def small() -> dict[str, float]:
        calls.append(1)
        return {"accuracy": 0.5}

    token = experiments.runs.set((tmp_path / "none", tmp_path))
    try:
        result = experiments.result("toy", small)
        assert (result["accuracy"], result.source, result.is_small) == (0.9, "run new", False)
        with pytest.raises(ValueError, match="run new must have recorded 'loss': got 'accuracy' …; train it again"):
            result["loss"]
        with experiments.watched() as sources:
            experiments.result("toy", small)
        assert sources == ["run new"]
        other = experiments.result("other", small)
        again = experiments.result("other", small)
        assert (other["accuracy"], other.source, again.source) == (0.5, *["small version, run here"] * 2)
        assert (calls, other.is_small) == ([1], True), "once"
        (tmp_path / "new" / "claims.json").unlink()
        assert experiments.result("toy", small).is_small, "a run of the small version is one"
        (tmp_path / "old" / "claims.json").write_text('{"toy": {"numbers": {"accuracy": "high"}}}')
        with pytest.raises(ValueError, match="must hold \"numbers\" of 'toy'"):
            experiments.result("toy", small)
        (tmp_path / "old" / "claims.json").write_text("{")
        with pytest.raises(ValueError, match="must be JSON"):
            experiments.result("toy", small)
    finally:
        experiments.runs.reset(token)


def test_runs_that_ship_are_read_here_as_on_the_page() -> None:
    found = experiments.result("reversal")
    assert (found.source, found.is_small) == ("run reversal", False)
    assert found["plain characters 15"] == pytest.approx(0.8739, abs=1e-3)


def test_verdicts_of_experiments_are_of_one_kind() -> None:
    assert {verdict.value for verdict in Verdict if verdict.kind == "experiment"} == {
        "experiment: borne out",
        "experiment: borne out in part",
        "experiment: not borne out",
    }
