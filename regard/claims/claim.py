"""A claim: what a document says, what is true, a check that tells them apart, a false twin to prove that it can."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Literal, TypeVar

from regard.claims import experiments
from regard.claims.chart import Chart

T = TypeVar("T")

Kind = Literal["statement", "open", "spec", "experiment"]


class Verdict(StrEnum):
    """What came out of a check."""

    HOLDS = "holds"  # as the document says it
    CORRECTED = "holds as corrected"  # its answer does; a step, a reason or a missing condition of it does not
    REFUTED = "refuted"  # its answer does not, and here is the counterexample
    ANSWERED = "answered"  # it asks and does not answer; here is the answer
    BUILT = "built"  # it gives code or a figure; here is the part, tested
    EXPERIMENT = "experiment"  # a run decides; here are its numbers
    UNSETTLED = "unsettled"  # our own statement failed its check, or the false twin passed it


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: whether it is so, and the numbers that say it.

    A `detail` is a step, a reason or a condition: without it the document's answer stands corrected, not refuted.
    """

    name: str
    holds: bool
    shown: str
    detail: bool = False


@dataclass(frozen=True)
class Version(Generic[T]):
    """One way to say it: in words, as a formula (LaTeX), and as the value that the check takes."""

    text: str
    formula: str
    value: T


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What a reader is told beside the verdict."""

    asks: str  # the question, in our words
    derivation: str  # paragraphs; formulas between dollars, in LaTeX
    quantities: Mapping[str, str] = field(default_factory=dict)  # what each letter stands for
    method: str = "exact"  # exact, or the tolerance, the seeds, the confidence
    code: tuple[str, ...] = ()  # where to read it: module:name of the library


@dataclass(frozen=True, kw_only=True)
class Claim(Generic[T]):
    """A statement that can be run.

    `check` is given each version in turn. It must find that `ours` holds and that `twin`, which is false, does not;
    what it finds of the `document`'s version is the verdict. `document` is None where the document says what we say,
    or only asks.
    """

    id: str
    title: str
    texts: Texts
    ours: Version[T]
    twin: Version[T]
    check: Callable[[T], Sequence[Finding]]
    expected: Verdict
    document: Version[T] | None = None
    kind: Kind = "statement"
    chart: Callable[[], Chart] | None = None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A claim after its check: the verdict, and what was found of each version."""

    id: str
    verdict: Verdict
    expected: Verdict
    ours: tuple[Finding, ...]
    document: tuple[Finding, ...]  # empty where there is no other version
    twin: tuple[Finding, ...]
    seconds: float
    source: str = ""  # the run that an experiment's numbers are of
    chart: Chart | None = None  # where one was asked for

    @property
    def as_expected(self) -> bool:
        return self.verdict is self.expected

    @property
    def line(self) -> str:
        """The evidence in one line: what refutes the document, or what supports the statement."""
        if self.verdict is Verdict.UNSETTLED:
            failed = [finding.shown for finding in self.ours if not finding.holds]
            return f"our own statement fails: {failed[0]}" if failed else "the false twin passes the check"
        wrong = [finding for finding in self.document if not finding.holds and self.verdict is not Verdict.BUILT]
        wrong.sort(key=lambda finding: finding.detail)  # what refutes the answer before what is wrong on the way
        return (wrong or list(self.ours))[0].shown

    def json(self) -> dict[str, Any]:
        """The verdict and everything found, as plain values."""
        versions = {"ours": self.ours, "document": self.document, "twin": self.twin}
        return {
            "id": self.id,
            "verdict": self.verdict.value,
            "expected": self.expected.value,
            "evidence": self.line,
            "source": self.source,
            "seconds": round(self.seconds, 3),
        } | {name: [vars(finding) for finding in findings] for name, findings in versions.items()}


def judge(claim: Claim[Any], *, chart: bool = False) -> Judgement:
    """Run the check on every version; with `chart`, the figure's data come from the same run."""
    start = time.perf_counter()
    with experiments.watched() as sources:
        ours = tuple(claim.check(claim.ours.value))
        document = () if claim.document is None else tuple(claim.check(claim.document.value))
        twin = tuple(claim.check(claim.twin.value))
        figure = claim.chart() if chart and claim.chart is not None else None
    return Judgement(
        id=claim.id,
        verdict=_verdict(claim.kind, ours, document, twin),
        expected=claim.expected,
        ours=ours,
        document=document,
        twin=twin,
        seconds=time.perf_counter() - start,
        source=", ".join(sources),
        chart=figure,
    )


def _verdict(kind: Kind, ours: Sequence[Finding], document: Sequence[Finding], twin: Sequence[Finding]) -> Verdict:
    if not ours or not all(finding.holds for finding in ours) or all(finding.holds for finding in twin):
        return Verdict.UNSETTLED
    if kind != "statement":
        return {"open": Verdict.ANSWERED, "spec": Verdict.BUILT, "experiment": Verdict.EXPERIMENT}[kind]
    wrong = [finding for finding in document if not finding.holds]
    if not wrong:
        return Verdict.HOLDS
    return Verdict.CORRECTED if all(finding.detail for finding in wrong) else Verdict.REFUTED
