"""A claim: what a document says, what is true, a check that tells them apart, a false twin to prove that it can.

A claim is declared at its check, whose parameters are what is stated and whose defaults are what is true; the document
and the false twin are given by their differences. Its texts are in the Markdown file beside the module.

    @claim("udl.1a", REFUTED, document={"biases": lambda D: 3}, twin={"weights": lambda D: 3 * D})
    def projections(weights=lambda D: 3 * D * D, biases=lambda D: 3 * D):
        yield agrees("weights of q, k, v", weights, lambda D: count(D, "weight"), SIZES)
        yield agrees("biases of q, k, v", biases, lambda D: count(D, "bias"), SIZES)
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from regard.claims import experiments
from regard.claims.chart import Chart
from regard.claims.texts import Texts, Version, read_texts

Kind = Literal["statement", "open", "spec", "experiment"]
Stated = Mapping[str, Any]  # what is stated, by the names of the check's parameters


class Verdict(StrEnum):
    """What came out of a check."""

    HOLDS = "holds"  # as the document says it
    CORRECTED = "holds as corrected"  # its answer does; a step, a reason or a missing condition of it does not
    REFUTED = "refuted"  # its answer does not, and here is the counterexample
    ANSWERED = "answered"  # it asks and does not answer; here is the answer
    BUILT = "built"  # it gives code or a figure; here is the part, tested
    BORNE_OUT = "experiment: borne out"  # a run decides, and what the document says is so there
    PARTLY_BORNE_OUT = "experiment: borne out in part"
    NOT_BORNE_OUT = "experiment: not borne out"
    UNSETTLED = "unsettled"  # our own statement failed its check, or the false twin passed it

    @property
    def kind(self) -> Kind:
        """What kind of row of the catalogue may have it."""
        kinds: dict[Verdict, Kind] = {Verdict.ANSWERED: "open", Verdict.BUILT: "spec"}
        return "experiment" if self.startswith("experiment") else kinds.get(self, "statement")


HOLDS, CORRECTED, REFUTED = Verdict.HOLDS, Verdict.CORRECTED, Verdict.REFUTED
ANSWERED, BUILT = Verdict.ANSWERED, Verdict.BUILT
BORNE_OUT, PARTLY_BORNE_OUT, NOT_BORNE_OUT = Verdict.BORNE_OUT, Verdict.PARTLY_BORNE_OUT, Verdict.NOT_BORNE_OUT


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: whether it is so, and the numbers that say it.

    A `detail` is a step, a reason or a condition: without it the document's answer stands corrected, not refuted.
    """

    name: str
    holds: bool
    shown: str
    detail: bool = False


Findings = Iterable[Finding]
Check = Callable[..., Findings]


@dataclass(frozen=True)
class View:
    """The view of the page that shows a claim, the text of the link to it, and the state that it opens in."""

    name: str
    words: str
    state: Stated = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement that can be run.

    `check` is given each version in turn. It must find that `ours` holds and that `twin`, which is false, does not;
    what it finds of the `document`'s version is the verdict. `document` is None where the document says what we say,
    or only asks. `recipe` names the experiment whose recorded numbers the check reads.
    """

    id: str
    title: str
    texts: Texts
    check: Check
    expected: Verdict
    ours: Version
    twin: Version
    document: Version | None = None
    chart: Callable[[], Chart] | None = None
    recipe: str = ""
    view: View | None = None

    @property
    def kind(self) -> Kind:
        return self.expected.kind


def claim(
    id: str,
    expected: Verdict,
    *,
    twin: Stated,
    document: Stated | None = None,
    ours: Stated | None = None,
    chart: Callable[[], Chart] | None = None,
    recipe: str = "",
    view: View | None = None,
) -> Callable[[Check], Claim]:
    """Declare a claim at its check: `ours`, `document` and `twin` say what differs from the defaults of its parameters.

    A check that several claims share is declared once more for each: `soft = claim("nyu.1d", …)(sharpness)`.
    """

    def declare(check: Check) -> Claim:
        constants: dict[str, Any] = check.__globals__  # pyright: ignore[reportFunctionMemberAccess]
        title, texts, versions = read_texts(Path(inspect.getfile(check)).with_suffix(".md"), id, constants)
        parameters = inspect.signature(check).parameters
        true = {name: each.default for name, each in parameters.items()} | dict(ours or {})
        for name in {**true, **(document or {}), **twin}:
            if name not in parameters:
                raise ValueError(f"{id} states {name!r}, which {check.__name__} does not take: {', '.join(parameters)}")

        def version(role: str, differences: Stated) -> Version:
            text, formula = versions[role]
            return Version(text, formula, true | dict(differences))

        if missing := {"ours", "twin", *(["document"] if document is not None else [])} ^ set(versions):
            raise ValueError(
                f"{id} and its Markdown must have the same versions: got {', '.join(missing)} in one alone"
            )
        return Claim(
            id=id,
            title=title,
            texts=texts,
            check=check,
            expected=expected,
            ours=version("ours", {}),
            twin=version("twin", twin),
            document=None if document is None else version("document", document),
            chart=chart,
            recipe=recipe,
            view=view,
        )

    return declare


def claims_in(*modules: ModuleType) -> tuple[Claim, ...]:
    """The claims that modules declare, in the order in which they are written."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Claim))


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
        """Whether it is the verdict of the catalogue; a run decides of an experiment, whatever another run found."""
        return self.verdict is self.expected or self.verdict.kind == self.expected.kind == "experiment"

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
            "as expected": self.as_expected,
            "evidence": self.line,
            "source": self.source,
            "seconds": round(self.seconds, 3),
        } | {name: [vars(finding) for finding in findings] for name, findings in versions.items()}


def judge(claim: Claim, *, chart: bool = False, between: Callable[[], None] = lambda: None) -> Judgement:
    """Run the check on every version; with `chart`, the figure's data come from the same run.

    `between` is called before each check: who waits no longer raises there.
    """
    start = time.perf_counter()

    def check(version: Version | None) -> tuple[Finding, ...]:
        between()
        return () if version is None else tuple(claim.check(**version.value))

    with experiments.watched() as sources:
        ours, document, twin = check(claim.ours), check(claim.document), check(claim.twin)
        figure = claim.chart() if chart and claim.chart is not None else None
    return Judgement(
        id=claim.id,
        verdict=_verdict(claim, ours, document, twin),
        expected=claim.expected,
        ours=ours,
        document=document,
        twin=twin,
        seconds=time.perf_counter() - start,
        source=", ".join(sources),
        chart=figure,
    )


def _verdict(claim: Claim, ours: Sequence[Finding], document: Sequence[Finding], twin: Sequence[Finding]) -> Verdict:
    if not ours or not all(finding.holds for finding in ours) or all(finding.holds for finding in twin):
        return Verdict.UNSETTLED
    wrong = [finding for finding in document if not finding.holds]
    if claim.kind == "experiment":
        return BORNE_OUT if not wrong else PARTLY_BORNE_OUT if len(wrong) < len(document) else NOT_BORNE_OUT
    if claim.kind != "statement":
        return claim.expected
    if not wrong:
        return HOLDS
    return CORRECTED if all(finding.detail for finding in wrong) else REFUTED
