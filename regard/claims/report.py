"""Claims with their judgements, told: as one page of HTML, or in a terminal."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from regard.checks import MissingExtra
from regard.claims.catalogue import DOCUMENTS
from regard.claims.claim import Claim, Finding, Judgement, Verdict
from regard.claims.drawing import svg
from regard.claims.experiments import SMALL
from regard.claims.prose import characters, inline, mathml, page, unicode_of
from regard.claims.terminal import in_characters
from regard.claims.texts import Version

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.CORRECTED: "yellow",
    Verdict.REFUTED: "red",
    Verdict.ANSWERED: "blue",
    Verdict.BUILT: "blue",
    Verdict.BORNE_OUT: "magenta",
    Verdict.PARTLY_BORNE_OUT: "magenta",
    Verdict.NOT_BORNE_OUT: "magenta",
    Verdict.UNSETTLED: "bold red reverse",
}

Versions = list[tuple[str, Version, Sequence[Finding]]]


def versions(claim: Claim, judgement: Judgement) -> Versions:
    """What is said, by whom, and what was found of it: the document first."""
    told: Versions = [("False twin, which the check must refute", claim.twin, judgement.twin)]
    if claim.document is None:
        agrees = {"statement": "It holds; in full", "open": "The answer", "spec": "What is built"}
        return [(agrees.get(claim.kind, "What the run shows"), claim.ours, judgement.ours), *told]
    what = "What the run shows" if claim.kind == "experiment" else "What is true"
    return [
        ("The document says", claim.document, judgement.document),
        (what, claim.ours, judgement.ours),
        *told,
    ]


def method(claim: Claim, judgement: Judgement) -> str:
    """How it was checked; a recorded run has its own data and budget, which are written with it."""
    is_recorded = judgement.source not in ("", SMALL)
    return f"the numbers of {judgement.source}, whose folder says how" if is_recorded else claim.texts.method


def html_page(claims: Sequence[Claim], judgements: Sequence[Judgement]) -> str:
    """One page that loads nothing: formulas as MathML, figures inline."""
    try:
        from jinja2 import Environment, PackageLoader
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtra("a report", "jinja2", "claims") from error

    environment = Environment(
        loader=PackageLoader("regard.claims"), autoescape=True, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {
        "inline": lambda text: Markup(inline(text)),
        "page": lambda text: Markup(page(text)),
        "mathml": lambda latex: Markup(mathml(latex, block=True)),
        "kind": css_class,
    }
    environment.globals |= {
        "versions": versions,
        "method": method,
        "figure": lambda claim, chart: Markup(svg(chart, claim.id)),
    }
    pairs = list(zip(claims, judgements, strict=True))
    documents = [
        (key, name, [pair for pair in pairs if pair[0].id.startswith(f"{key}.")]) for key, name in DOCUMENTS.items()
    ]
    return environment.get_template("report.html.j2").render(
        number=len(pairs),
        documents=[document for document in documents if document[2]],
        counts=counts(judgements),
        made=made(judgements),
    )


def css_class(verdict: Verdict) -> str:
    """The class of a verdict in the style of the page.

    >>> css_class(Verdict.CORRECTED), css_class(Verdict.NOT_BORNE_OUT)
    ('corrected', 'experiment')
    """
    return "experiment" if verdict.kind == "experiment" else str(verdict).split()[-1]


def made(judgements: Iterable[Judgement]) -> str:
    """When and with what the checks ran."""
    import torch

    seconds = sum(judgement.seconds for judgement in judgements)
    return f"Checked on {datetime.now(UTC):%Y-%m-%d} with torch {torch.__version__}, {seconds:.0f} s of computing."


def counts(judgements: Iterable[Judgement]) -> dict[Verdict, int]:
    """How many of each verdict."""
    found = Counter(judgement.verdict for judgement in judgements)
    return {verdict: found[verdict] for verdict in Verdict if found[verdict]}


def overview(judgements: Sequence[Judgement]) -> RenderableType:
    """A line per claim, and how many of each verdict."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("evidence")
    for judgement in judgements:
        table.add_row(judgement.id, verdict_of(judgement), Text(judgement.line))
    said = ", ".join(f"{count} {verdict.value}" for verdict, count in counts(judgements).items())
    wrong = [judgement.id for judgement in judgements if not judgement.as_expected]
    everything = f"all {len(judgements)} verdicts are those" if len(judgements) > 1 else "the verdict is that"
    end = (
        Text(f"✗ not what the catalogue says: {', '.join(wrong)}", "bold red")
        if wrong
        else Text(f"✓ {everything} of the catalogue", "green")
    )
    return Group(table, "", said, end)


def verdict_of(judgement: Judgement) -> Text:
    """The verdict, and what was expected where it is another."""
    other = "" if judgement.as_expected else f" (expected: {judgement.expected.value})"
    return Text(f"{judgement.verdict.value}{other}", STYLES[judgement.verdict])


def explanation(claim: Claim, judgement: Judgement) -> RenderableType:
    """Everything about one claim."""
    parts: list[RenderableType] = [
        Rule(Text.assemble((f"{claim.id}  {claim.title}  ", "bold"), verdict_of(judgement)), align="left"),
        Text(characters(claim.texts.asks)),
    ]
    for heading, version, findings in versions(claim, judgement):
        parts += [Text(f"\n{heading}", "bold blue"), Padding(Text(characters(version.text)), (0, 0, 0, 2))]
        if version.formula:
            parts.append(Text(f"    {unicode_of(version.formula)}", "italic"))
        for finding in findings:
            mark = ("✓ ", "green") if finding.holds else ("✗ ", "red")
            parts.append(Padding(Text.assemble(mark, finding.shown), (0, 0, 0, 2)))
    parts += [Text("\nWhy", "bold blue"), Padding(Text(characters(claim.texts.derivation)), (0, 0, 0, 2))]
    letters = "; ".join(f"{characters(name)}: {characters(text)}" for name, text in claim.texts.quantities.items())
    parts.append(Text(f"\n{letters}", "dim"))
    if judgement.chart is not None:
        parts += ["", in_characters(judgement.chart)]
    parts.append(Text(f"\nHow: {characters(method(claim, judgement))}", "dim"))
    parts.append(Text(f"In the code: {', '.join(claim.texts.code)}", "dim"))
    return Group(*parts)
