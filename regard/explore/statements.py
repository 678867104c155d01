"""Claims: the catalogue, each row judged when it is opened, and answers that somebody tries."""

import html
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from regard.explore.api import Asked, Question, Reply
from regard.explore.claim_figures import ChartData, chart_data
from regard.explore.desk import Desk
from regard.explore.tried_answers import Exercised, answer, exercises
from regard.explore.work import check

if TYPE_CHECKING:
    from regard.claims import Claim, Finding, Judgement, Version

TRAINING = 15  # seconds that the small version of an experiment takes, about, with its process's start
KEPT = 200_000  # bytes of a judgement with its figure, about

# The recipe whose recorded run is read, where there is one on the shelf.
RECIPES = {
    "conv.q2": "digits-gaussian",
    "nyu.3h": "heads",
    "nyu.4lr": "reversal-length",
    "nyu.4d": "gradients",
    "nyu.5c": "conv-vs-vit",
    "udl.6b": "objectives",
    "ist.3a": "reversal",
    "ist.3b": "reversal",
    "ist.3c": "reversal",
}

KEY_NOISE = {"on": "key", "index": 1, "noise": [0.5, -0.5]}
QUERY_NOISE = KEY_NOISE | {"on": "query"}
IMAGE = {"grid": [16, 16], "tokens": 256}

# The view that shows a claim, what its state differs in, and what is seen there.
SHOWN_BY: dict[str, tuple[str, dict[str, Any], str]] = {
    "conv.b1": ("heads", {}, "Move the centre of such a head"),
    "conv.c2": ("heads", {}, "See the kernel that heads make, and its distance to a convolution"),
    "conv.d1": ("heads", {}, "Make a head sharper, and see what it leaves to other pixels"),
    "conv.e1": ("heads", {"query": [0, 0]}, "See heads at the image's corner"),
    "conv.q2": ("heads", {"step": 0}, "Play a training, and see where heads go"),
    "nyu.1a": ("playground", {}, "See every number of a small sequence"),
    "nyu.1b": ("playground", {"beta": 1.0}, "Turn β, and see how sharp the weights are"),
    "nyu.1c": ("playground", {"beta": 20.0}, "See one value come out as β grows"),
    "nyu.1d": ("playground", {"beta": 0.05}, "See the weights spread as β falls"),
    "nyu.1e": ("playground", {"noise": KEY_NOISE, "plane": "keys"}, "Move a key, and see which weights move"),
    "nyu.1e2": ("playground", {"noise": KEY_NOISE, "plane": "keys"}, "Move a key, and see by how much weights move"),
    "nyu.1f": ("playground", {"noise": QUERY_NOISE, "plane": "keys"}, "Move a query, and see which weights move"),
    "nyu.1g": ("playground", {"mask": "causal"}, "Hide keys, and see the logits of −∞"),
    "nyu.2a": ("playground", {"head": 1}, "See two heads and their W_O"),
    "nyu.2b": ("heads", {}, "See the kernel that heads make"),
    "nyu.3a": ("patterns", {"mask": "window(1, 1)"}, "See how far stacked layers reach"),
    "nyu.3b": ("playground", {"mask": "causal", "beta": 0.0}, "See a uniform causal head count"),
    "nyu.3c": ("playground", {"hard": True}, "See weights of 0 and 1"),
    "nyu.3d": ("patterns", {"mask": "neighbours(1, 1)", **IMAGE}, "See attention among neighbours"),
    "nyu.4a": ("patterns", {"mask": "everything", "width": 16, "heads": 1}, "See what it costs as inputs grow"),
    "nyu.4ad": ("maps", {"subject": "language"}, "See weights adapt to your own text"),
    "nyu.4b": ("patterns", {"mask": "window(7)", "width": 16, "heads": 1}, "See the cost of a window as inputs grow"),
    "udl.1b": ("patterns", {"mask": "everything", "tokens": 64}, "See and count the weights"),
    "udl.4": ("playground", {"beta": 50.0}, "See a saturated softmax and its Jacobian"),
    "udl.4c": ("playground", {}, "See the Jacobian of a row of weights"),
    "udl.5": ("patterns", {"mask": "everything", "heads": 8, "width": 4, "tokens": 64}, "See what heads cost"),
    "udl.7": ("patterns", {"mask": "causal", "heads": 1}, "See what causal attention costs as texts grow"),
    "udl.8": ("patterns", {"mask": "axial", **IMAGE}, "See a cheaper pattern, its plan and its cost"),
    "udl.9": ("patterns", {"mask": "tiles(8, 8)", **IMAGE}, "See windows of patches, and their cost"),
    "udl.10": ("patterns", {"mask": "causal", "weighting": "elu"}, "See linear attention against all pairs"),
    "eecs.1": ("playground", {}, "See every number of the function"),
    "eecs.1a": ("playground", {"beta": 1.0}, "See the softmax without its scale"),
    "eecs.2a": ("patterns", {"mask": "window(1)", "layers": 6, "tokens": 100}, "See a receptive field grow"),
    "eecs.2b": ("patterns", {"mask": "causal"}, "See the causal mask"),
    "eecs.2c": ("patterns", {"mask": "everything", "width": 64}, "See the cost as sequences grow"),
    "eecs.2d": ("patterns", {"mask": "causal", "heads": 1, "width": 64}, "See where the parts of the cost cross"),
    "ist.1a": ("playground", {}, "See the same tokens, with all their numbers"),
    "ist.1b": ("playground", {}, "See this head, and change its matrices"),
    "ist.1c": ("playground", {}, "See both heads, and change their matrices"),
    "ist.1p": ("playground", {"head": 1}, "See inside the second head"),
    "ist.2": ("playground", {}, "See the sums for a small sequence"),
    "ist.3a": ("runs", {"run": "reversal"}, "See how the reversal was trained"),
    "ist.3b": ("runs", {"run": "reversal"}, "See how the reversal was trained"),
    "ist.3c": ("maps", {"subject": "reversal/attention", "text": "abacadabacc"}, "See the map of a trained model"),
}

Id = Annotated[str, Field(min_length=1, max_length=20)]


class CatalogueAsked(Asked):
    """Nothing."""


class Row(Reply):
    """A claim in a line; `verdict` is the one that the catalogue expects."""

    id: str
    document: str
    title: str
    asks: str
    kind: Literal["statement", "open", "spec", "experiment"]
    verdict: str
    has_chart: bool
    num_questions: int  # that can be answered


class CatalogueReply(Reply):
    """All claims, and the documents' names by their keys."""

    documents: dict[str, str]
    rows: list[Row]


class ClaimAsked(Asked):
    """The claim of an id; `run` trains the models of an experiment that no run on the shelf has recorded."""

    id: Id
    run: bool = False


class FindingSaid(Reply):
    """One thing that was looked at."""

    name: str
    holds: bool
    shown: str


class Said(Reply):
    """One version of a claim, its text and its formula as HTML, and what was found of it."""

    role: Literal["document", "ours", "twin"]
    heading: str
    text: str
    formula: str
    findings: list[FindingSaid]


class See(Reply):
    """A view in which the claim can be seen."""

    view: str
    state: dict[str, Any]
    words: str


class ClaimReply(Reply):
    """A claim, told. Without a verdict it is an experiment that has not been run; texts are HTML, escaped."""

    id: str
    title: str
    asks: str
    expected: str
    verdict: str | None
    evidence: str
    seconds: float
    takes: int  # seconds that an experiment would, about
    source: str
    versions: list[Said]
    why: str
    quantities: list[tuple[str, str]]
    method: str
    code: list[str]
    chart: ChartData | None
    exercises: list[Exercised]
    see: See | None


def catalogue(desk: Desk, asked: CatalogueAsked) -> CatalogueReply:
    """All claims with the verdicts that the catalogue expects; nothing is judged."""
    return desk.kept.get("catalogue", lambda: (_catalogue(), KEPT))


def _catalogue() -> CatalogueReply:
    from regard.claims import DOCUMENTS
    from regard.claims import catalogue as claims
    from regard.claims.prose import characters

    rows = [
        Row(
            id=claim.id,
            document=claim.id.partition(".")[0],
            title=claim.title,
            asks=characters(claim.texts.asks),
            kind=claim.kind,
            verdict=claim.expected.value,
            has_chart=claim.chart is not None,
            num_questions=len(exercises(claim.id)),
        )
        for claim in claims()
    ]
    return CatalogueReply(documents=DOCUMENTS, rows=rows)


def claim(desk: Desk, asked: ClaimAsked) -> ClaimReply:
    """A claim with its judgement: what the document says, what is true, the numbers that show it, and its figure."""
    from regard.claims import DOCUMENTS, select

    if asked.id in DOCUMENTS:
        raise ValueError(f"id must be of one claim: got the document {asked.id!r}; use one of its claims")
    (one,) = select([asked.id])
    return _told(one, _judgement(desk, one, asked.run))


def _judgement(desk: Desk, one: "Claim[Any]", run: bool) -> "Judgement | None":
    """What was found; None of an experiment that has no numbers, where it shall not be run."""
    root, source = _recorded(desk, one.id)
    if one.kind != "experiment" or root is not None:
        return desk.kept.get(("claim", one.id, source), lambda: (_judged(one, root), KEPT))
    recipe = RECIPES[one.id]

    def trained() -> tuple[dict[str, "Judgement"], int]:
        if not run:
            raise _NotRun
        return _trained([name for name in RECIPES if RECIPES[name] == recipe]), KEPT

    try:
        return desk.kept.get(("experiment", recipe), trained)[one.id]
    except _NotRun:
        return None


class _NotRun(Exception):  # noqa: N818 - named by what is the case
    """An experiment that has no numbers yet."""


def _recorded(desk: Desk, name: str) -> tuple[Path | None, str]:
    """The first folder of the shelf with a run that recorded this claim's numbers, and that run's name."""
    from regard.claims import experiments

    for root in desk.shelf.roots if name in RECIPES else ():
        if found := experiments.recorded(RECIPES[name], root):
            return root, found.source
    return None, ""


def _judged(one: "Claim[Any]", root: Path | None) -> "Judgement":
    import torch

    from regard.claims import experiments, judge

    def checked(value: Any) -> Any:
        check()
        return one.check(value)

    threads, token = torch.get_num_threads(), experiments.runs.set(root)
    torch.set_num_threads(1)  # what a claim computes is small, and cores are shared
    try:
        return judge(replace(one, check=checked), chart=True)
    finally:
        torch.set_num_threads(threads)
        experiments.runs.reset(token)


def _trained(names: list[str]) -> dict[str, "Judgement"]:
    """The judgements of experiments, by a process that ends with them, or as soon as nobody waits for them."""
    from multiprocessing import get_context

    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_train, args=(theirs, names), daemon=True)
    process.start()
    theirs.close()
    try:
        while not ours.poll(0.1):
            check()
        return {judgement.id: judgement for judgement in ours.recv()}
    except EOFError as error:
        raise RuntimeError(f"the process that trains for {', '.join(names)} ended early") from error
    finally:
        process.kill()
        process.join()
        ours.close()


def _train(told: Any, names: list[str]) -> None:
    from regard.claims.running import judge_all

    told.send(judge_all(names, charts=True))
    told.close()


def _told(one: "Claim[Any]", found: "Judgement | None") -> ClaimReply:
    from regard.claims import Judgement
    from regard.claims.report import method, versions

    judgement = found or Judgement(
        id=one.id, verdict=one.expected, expected=one.expected, ours=(), document=(), twin=(), seconds=0.0
    )
    view, state, words = SHOWN_BY.get(one.id, ("", {}, ""))
    return ClaimReply(
        id=one.id,
        title=one.title,
        asks=_html(one.texts.asks),
        expected=one.expected.value,
        verdict=None if found is None else found.verdict.value,
        evidence="" if found is None else found.line,
        seconds=judgement.seconds,
        takes=TRAINING,
        source=judgement.source,
        versions=[_said(one, *version) for version in versions(one, judgement)],
        why="".join(f"<p>{_html(paragraph)}</p>" for paragraph in one.texts.derivation.strip().split("\n\n")),
        quantities=[(_html(letter), _html(meaning)) for letter, meaning in one.texts.quantities.items()],
        method=_html(method(one, judgement)),
        code=list(one.texts.code),
        chart=None if judgement.chart is None else chart_data(judgement.chart),
        exercises=exercises(one.id),
        see=See(view=view, state=state, words=words) if view else None,
    )


def _said(one: "Claim[Any]", heading: str, version: "Version[Any]", findings: "Sequence[Finding]") -> Said:
    return Said(
        role="twin" if version is one.twin else "ours" if version is one.ours else "document",
        heading=heading,
        text=_html(version.text),
        formula=_formula(version.formula) if version.formula else "",
        findings=[FindingSaid(name=each.name, holds=each.holds, shown=each.shown) for each in findings],
    )


def _html(text: str) -> str:
    """Escaped, with formulas as MathML, or in characters where what makes it is not installed."""
    from regard.claims.prose import characters, inline

    try:
        return inline(text)
    except ImportError:
        return html.escape(characters(text))


def _formula(latex: str) -> str:
    from regard.claims.prose import mathml, unicode_of

    try:
        return mathml(latex, block=True)
    except ImportError:
        return html.escape(unicode_of(latex))


QUESTIONS = (
    Question("catalogue", catalogue),
    Question("claim", claim, heavy=True),
    Question("answer", answer, heavy=True),
)
