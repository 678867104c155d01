"""How a verdict comes about: from what the check finds of each version, and never by decree."""

import json
import os
import time
from pathlib import Path

import pytest

from regard.claims import Claim, Finding, Texts, Verdict, Version, experiments, judge
from regard.claims.claim import Kind
from regard.claims.running import grouped, judge_claims, question_of


def even(stated: tuple[int, ...]) -> list[Finding]:
    """The first number must be even, which is the answer; the others too, which are details."""
    return [
        Finding(str(n), n % 2 == 0, f"{n} is {'even' if n % 2 == 0 else 'odd'}", place > 0)
        for place, n in enumerate(stated)
    ]


def claim(
    ours: tuple[int, ...] = (2, 4),
    document: tuple[int, ...] | None = None,
    twin: tuple[int, ...] = (3,),
    kind: Kind = "statement",
    expected: Verdict = Verdict.HOLDS,
) -> Claim[tuple[int, ...]]:
    return Claim(
        id="udl.1a",
        title="even",
        texts=Texts(asks="which are even?", derivation="$2 \\mid n$"),
        ours=Version("these", "n", ours),
        document=None if document is None else Version("those", "n", document),
        twin=Version("odd", "n", twin),
        check=even,
        expected=expected,
        kind=kind,
    )


@pytest.mark.parametrize(
    ("made", "verdict", "line"),
    [
        (claim(), "holds", "2 is even"),
        (claim(document=(2, 6)), "holds", "2 is even"),
        (claim(document=(2, 5)), "holds as corrected", "5 is odd"),
        (claim(document=(7, 4)), "refuted", "7 is odd"),
        (claim(document=(7, 5)), "refuted", "7 is odd"),
        (claim(kind="open"), "answered", "2 is even"),
        (claim(kind="spec"), "built", "2 is even"),
        (claim(kind="experiment", document=(7,)), "experiment", "7 is odd"),
        (claim(ours=(2, 3)), "unsettled", "our own statement fails: 3 is odd"),
        (claim(ours=()), "unsettled", "the false twin passes the check"),
        (claim(twin=(8,)), "unsettled", "the false twin passes the check"),
        (claim(twin=(8,), kind="experiment"), "unsettled", "the false twin passes the check"),
    ],
)
def test_the_verdict_is_what_was_found(made: Claim[tuple[int, ...]], verdict: str, line: str) -> None:
    judgement = judge(made)
    assert (judgement.verdict, judgement.line) == (verdict, line)
    assert judgement.as_expected == (verdict == "holds")
    said = judgement.json()
    assert json.loads(json.dumps(said)) == said
    assert (said["id"], said["verdict"], said["expected"], said["evidence"]) == ("udl.1a", verdict, "holds", line)


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
    for age, (name, accuracy) in enumerate((("new", 0.9), ("old", 0.8))):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "claims.json"
        file.write_text(json.dumps({"toy": {"numbers": {"accuracy": accuracy}}}))
        os.utime(file, (time.time() - 100 * age,) * 2)
    calls = []

    def small() -> dict[str, float]:
        calls.append(1)
        return {"accuracy": 0.5}

    token = experiments.runs.set(tmp_path)
    try:
        result = experiments.result("toy", small)
        assert (result["accuracy"], result.source) == (0.9, "run new")
        with pytest.raises(ValueError, match="run new must have recorded 'loss': got 'accuracy' …; train it again"):
            result["loss"]
        with experiments.watched() as sources:
            experiments.result("toy", small)
        assert sources == ["run new"]
        other = experiments.result("other", small)
        again = experiments.result("other", small)
        assert (other["accuracy"], other.source, again.source) == (0.5, *["small version, run here"] * 2)
        assert calls == [1], "once"
        (tmp_path / "new" / "claims.json").write_text('{"toy": {"numbers": {"accuracy": "high"}}}')
        with pytest.raises(ValueError, match="must hold \"numbers\" of 'toy'"):
            experiments.result("toy", small)
        (tmp_path / "new" / "claims.json").write_text("{")
        with pytest.raises(ValueError, match="must be JSON"):
            experiments.result("toy", small)
    finally:
        experiments.runs.reset(token)
