"""Claims: the catalogue, each claim judged when it is opened, and answers marked as `regard grade` marks them."""

import atexit
import html
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from regard.explore.api import Empty, Endpoint, Request, Response
from regard.explore.cancellation import check_cancelled
from regard.explore.workspace import Workspace

if TYPE_CHECKING:
    from regard.claims import Chart, Claim, Finding, Judgement, Version
    from regard.grading import Entry
    from regard.grading import Question as Exercise
    from regard.grading.submissions.isolation import Isolation, Outcome

TRAINING_SECONDS = 15  # that the small version of an experiment takes, about, with the start of its process
JUDGEMENT_BYTES = 200_000  # of a judgement with its figure, about
MARK_SECONDS, MARK_MEMORY = 5.0, 512  # that marking an answer may take, and MiB
EXAMPLES = 3  # answers to try

Id = Annotated[str, Field(min_length=1, max_length=20)]


class ExerciseResponse(Response):
    """A question, or one part of it, with answers to try, most of which are wrong."""

    question: str
    part: str
    text: str  # of the question
    asks: str  # what the part asks in addition
    kind: str
    how: str  # to write the answer
    choices: dict[str, str]
    examples: list[str]


class AnswerRequest(Request):
    """An answer to a question, or to one of its parts, as it was typed."""

    question: Id
    part: Annotated[str, Field(max_length=40)] = ""
    answer: Annotated[str, Field(min_length=1, max_length=2000)]


class Counterexample(Response):
    """The smallest sizes at which a formula is wrong, with both values there, and the parts of the true one."""

    sizes: dict[str, int | str]
    yours: str
    true: str
    breakdown: dict[str, str]


class AnswerResponse(Response):
    """A mark, worded as `regard grade` does."""

    word: str  # right, partly right, wrong, not read
    read_as: str
    feedback: list[str]
    counterexample: Counterexample | None
    mistake: str
    points: float
    out_of: float


class Row(Response):
    """A claim in a line; `verdict` is the expected one, `says` what is searched too: its versions and its questions."""

    id: str
    document: str
    title: str
    asks: str
    kind: Literal["statement", "open", "spec", "experiment"]
    verdict: str
    says: str
    has_chart: bool
    num_questions: int


class CatalogueResponse(Response):
    """All claims, and the documents' names by their keys."""

    documents: dict[str, str]
    rows: list[Row]


class ClaimRequest(Request):
    """A claim by its id; `run` trains the models of an experiment that no run of the workspace has recorded."""

    id: Id
    run: bool = False


class FindingResponse(Response):
    """One thing that was checked."""

    name: str
    holds: bool
    shown: str


class VersionResponse(Response):
    """One version of a claim: its text and its formula as HTML, and what was found."""

    role: Literal["document", "ours", "twin"]
    heading: str
    text: str
    formula: str
    findings: list[FindingResponse]


class Link(Response):
    """The view and its state that show the claim, and the text of the link."""

    view: str
    state: dict[str, Any]
    words: str


class ClaimResponse(Response):
    """A claim with its judgement; the verdict is null for an experiment that has not been run. Texts are escaped HTML.

    `chart` holds the fields of the figure (`regard.claims.chart`) and its kind, with null for what is not finite.
    """

    id: str
    title: str
    asks: str
    expected: str
    verdict: str | None
    evidence: str
    seconds: float
    takes: int  # seconds that running the experiment would, about
    source: str
    versions: list[VersionResponse]
    why: str
    quantities: list[tuple[str, str]]
    method: str
    code: list[str]
    chart: dict[str, Any] | None
    exercises: list[ExerciseResponse]
    see: Link | None


def list_claims(workspace: Workspace, request: Empty) -> CatalogueResponse:
    """All claims with their expected verdicts; nothing is judged."""
    return workspace.cache.get("catalogue", lambda: (_list_claims(), JUDGEMENT_BYTES))


def _list_claims() -> CatalogueResponse:
    from regard.claims import DOCUMENTS
    from regard.claims import catalogue as claims
    from regard.claims.prose import characters

    rows = []
    for claim in claims():
        exercises = _list_exercises(claim.id)
        words = dict.fromkeys([one.text for one in (claim.document, claim.ours, *exercises) if one is not None])
        row = Row(
            id=claim.id,
            document=claim.id.partition(".")[0],
            title=claim.title,
            asks=characters(claim.texts.asks),
            kind=claim.kind,
            verdict=_expected(claim),
            says=characters(" ".join(words)),
            has_chart=claim.chart is not None,
            num_questions=len(exercises),
        )
        rows.append(row)
    return CatalogueResponse(documents=DOCUMENTS, rows=rows)


def _expected(claim: "Claim") -> str:
    """The verdict of the catalogue; of an experiment a run decides."""
    return "experiment" if claim.kind == "experiment" else claim.expected.value


def judge_claim(workspace: Workspace, request: ClaimRequest) -> ClaimResponse:
    """A claim with its judgement: what the document says, what is true, the numbers that show it, and a figure."""
    from regard.claims import DOCUMENTS, select

    if request.id in DOCUMENTS:
        raise ValueError(f"id must name one claim: got the document {request.id!r}; use one of its claims")
    (one,) = select([request.id])
    return _describe(one, _judge(workspace, one, request.run))


def _judge(workspace: Workspace, one: "Claim", run: bool) -> "Judgement | None":
    """The judgement; None for an experiment without numbers, unless it shall be run."""
    from regard.claims import catalogue
    from regard.claims.experiments import recorded

    found = next((found for root in workspace.roots if one.recipe and (found := recorded(one.recipe, root))), None)
    if one.kind != "experiment" or found is not None:
        source = "" if found is None else found.source
        return workspace.cache.get(("claim", one.id, source), lambda: (_check(one, workspace.roots), JUDGEMENT_BYTES))

    def train() -> tuple[dict[str, "Judgement"], int]:
        return _run_experiment([claim.id for claim in catalogue() if claim.recipe == one.recipe]), JUDGEMENT_BYTES

    trained = workspace.cache.get(("experiment", one.recipe), train if run else None)
    return None if trained is None else trained[one.id]


def _check(one: "Claim", roots: tuple[Path, ...]) -> "Judgement":
    import torch

    from regard.claims import experiments, judge

    threads, token = torch.get_num_threads(), experiments.runs.set(roots)
    torch.set_num_threads(1)  # what a claim computes is small, and cores are shared
    try:
        return judge(one, chart=True, between=check_cancelled)
    finally:
        torch.set_num_threads(threads)
        experiments.runs.reset(token)


def _run_experiment(names: list[str]) -> dict[str, "Judgement"]:
    """The judgements of these claims, from a process that is killed as soon as nobody waits for them."""
    from multiprocessing import get_context

    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_judgements, args=(theirs, names), daemon=True)
    process.start()
    theirs.close()
    try:
        while not ours.poll(0.1):
            check_cancelled()
        return {judgement.id: judgement for judgement in ours.recv()}
    except EOFError as error:
        raise RuntimeError(f"the process that trains for {', '.join(names)} ended early") from error
    finally:
        process.kill()
        process.join()
        ours.close()


def _send_judgements(pipe: Any, names: list[str]) -> None:
    from regard.claims.running import judge_all

    pipe.send(judge_all(names, charts=True, runs=()))
    pipe.close()


def _describe(one: "Claim", found: "Judgement | None") -> ClaimResponse:
    from regard.claims import Judgement
    from regard.claims.report import method, versions

    judgement = found or Judgement(
        id=one.id, verdict=one.expected, expected=one.expected, ours=(), document=(), twin=(), seconds=0.0
    )
    return ClaimResponse(
        id=one.id,
        title=one.title,
        asks=_to_html(one.texts.asks),
        expected=_expected(one),
        verdict=None if found is None else found.verdict.value,
        evidence="" if found is None else found.line,
        seconds=judgement.seconds,
        takes=TRAINING_SECONDS,
        source=judgement.source,
        versions=[_describe_version(one, *version) for version in versions(one, judgement)],
        why="".join(f"<p>{_to_html(paragraph)}</p>" for paragraph in one.texts.derivation.strip().split("\n\n")),
        quantities=[(_to_html(letter), _to_html(meaning)) for letter, meaning in one.texts.quantities.items()],
        method=_to_html(method(one, judgement)),
        code=list(one.texts.code),
        chart=None if judgement.chart is None else chart_data(judgement.chart),
        exercises=_list_exercises(one.id),
        see=one.view and Link(view=one.view.name, state=dict(one.view.state), words=one.view.words),
    )


def _describe_version(one: "Claim", heading: str, version: "Version", findings: "Sequence[Finding]") -> VersionResponse:
    return VersionResponse(
        role="twin" if version is one.twin else "ours" if version is one.ours else "document",
        heading=heading,
        text=_to_html(version.text),
        formula=_to_mathml(version.formula) if version.formula else "",
        findings=[FindingResponse.model_validate(each) for each in findings],
    )


def _to_html(text: str) -> str:
    """Escaped HTML, with formulas as MathML, or in characters where the package that makes it is not installed."""
    from regard.claims.prose import characters, inline

    try:
        return inline(text)
    except ImportError:
        return html.escape(characters(text))


def _to_mathml(latex: str) -> str:
    from regard.claims.prose import mathml, unicode_of

    try:
        return mathml(latex, block=True)
    except ImportError:
        return html.escape(unicode_of(latex))


def chart_data(chart: "Chart") -> dict[str, Any]:
    """The fields of a figure as JSON has them, with its kind, and for matrices the ends of their colours."""
    from regard.claims import Matrices
    from regard.claims.drawing import scale

    data = {name: _to_plain(value) for name, value in vars(chart).items()} | {"kind": type(chart).__name__.lower()}
    if isinstance(chart, Matrices):
        low, high = scale(chart)
        data |= {"signed": low < 0, "limit": max(-low, high)}
    return data


def _to_plain(value: Any) -> Any:
    """Lists and dicts of numbers: null where one is not finite; whole ones without a point, for masks are long."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {name: _to_plain(one) for name, one in value.items()}
    if isinstance(value, Sequence):
        return [_to_plain(one) for one in value]
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def mark_answer(workspace: Workspace, request: AnswerRequest) -> AnswerResponse:
    """The mark of an answer: whether it is right, how it was read, and the smallest sizes at which it is wrong."""
    try:
        entry = _find_entry(workspace, request.question, request.part)
        outcome = MARKER.mark(entry, request.answer)
    except (ImportError, OSError) as error:  # says what to install, or that this system cannot isolate a process
        raise ValueError(str(error)) from error
    if outcome.refused:
        return AnswerResponse(
            word="not read",
            read_as="",
            feedback=[f"Could not be marked: it {outcome.refused}"],
            counterexample=None,
            mistake="",
            points=0,
            out_of=entry.points,
        )
    return AnswerResponse(**{name: outcome.result[name] for name in AnswerResponse.model_fields})


def _list_exercises(claim: str) -> list[ExerciseResponse]:
    """The questions on a claim; those with parts, part by part."""
    from regard.grading import built_in_questions

    return [
        _describe_exercise(question, part)
        for question in built_in_questions()
        if question.claim == claim
        for part in question.subquestions or (question,)
    ]


def _describe_exercise(question: "Exercise", part: "Exercise") -> ExerciseResponse:
    from regard.grading.questions.sheets import how_to_answer

    given = [mistake.answer for mistake in part.mistakes[: EXAMPLES - 1]]
    given += [] if part.truth.answer is None else [part.truth.answer]
    return ExerciseResponse(
        question=question.id,
        part="" if part is question else part.id,
        text=question.text,
        asks="" if part is question else part.text,
        kind=part.kind,
        how=how_to_answer(part),
        choices=dict(part.form.choices),
        examples=sorted({_print_answer(each) for each in given}),  # sorted: the order tells nothing
    )


def _print_answer(value: Any) -> str:
    """An answer from a file of questions, as somebody would type it.

    >>> _print_answer([["0.5", 1], [2, 3]]), _print_answer(True)
    ('[[0.5, 1], [2, 3]]', 'true')
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_print_answer, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _find_entry(workspace: Workspace, question: str, part: str) -> "Entry":
    from regard.grading import built_in_questions, compile_key, select

    chosen = [one for one in select(built_in_questions(), [question]) if one.id == question]
    if not chosen:
        raise ValueError(f"question must be one of those on a claim: got the document {question!r}; use one of them")
    whole = workspace.cache.get(("key", question), lambda: (compile_key(chosen)[question], 50_000))
    parts = {one.id: one for one in whole.parts}
    if (part or parts) and part not in parts:
        raise ValueError(f"part must be one of {', '.join(parts) or 'none'} in {question}: got {part!r:.60}")
    return parts[part] if part else whole


@dataclass(frozen=True)
class MarkOne:
    """What the isolated process does: mark one answer."""

    entry: "Entry"

    def warm(self) -> None:
        """Mark what is true, so that the grammar is read before anything is forked."""
        from regard.grading import mark

        mark(self.entry, self.entry.truth)

    def __call__(self, task: str) -> dict[str, Any]:
        from regard.grading import mark
        from regard.grading.submissions.work import harmless

        found = mark(self.entry, task)
        return harmless(asdict(found) | {"word": found.verdict})


class Marker:
    """The isolated process that marks all answers, one by one; it starts with the first, and again if it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._isolation: Isolation | None = None

    def mark(self, entry: "Entry", given: str) -> "Outcome":
        from regard.grading.submissions.isolation import Isolation, Limits

        with self._lock:
            tasks = [given]
            if self._isolation is None:
                self._isolation = Isolation(Limits(seconds=MARK_SECONDS, memory=MARK_MEMORY))
                atexit.register(self.close)
                tasks.append("")  # the process warms up where there are several
            try:
                return dict(self._isolation.run(MarkOne(entry), tasks))[0]
            except RuntimeError as error:
                self.close()
                raise ValueError(f"the answer could not be marked: {error}; try again") from error

    def close(self) -> None:
        """End the process, if there is one."""
        if self._isolation is not None:
            self._isolation.close()
            self._isolation = None
            atexit.unregister(self.close)


MARKER = Marker()


ENDPOINTS = (
    Endpoint("catalogue", list_claims),
    Endpoint("claim", judge_claim, heavy=True),
    Endpoint("answer", mark_answer, heavy=True),
)
