"""Pages that are made when the site is built: courses from the claims, the API, benchmark results, project files."""

import inspect
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.claims import DOCUMENTS, Claim, Judgement, select
from regard.claims.drawing import svg
from regard.claims.prose import PARTS
from regard.claims.report import method, versions
from regard.claims.running import judge_claims

if TYPE_CHECKING:  # tests make pages without Sphinx
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
ROOMS = {
    "regard": "The value and the functions that take it",
    "regard.attention": "What is computed",
    "regard.algorithms": "How it is computed",
    "regard.layers": "Modules",
    "regard.generation": "From scores to text",
    "regard.models": "Whole models",
    "regard.integrations.transformers": "Models of transformers",
    "regard.training": "The loop",
    "regard.analysis": "Questions to layers and models",
    "regard.claims": "Statements that run",
}


def write_pages(app: "Sphinx") -> None:
    folder = Path(app.srcdir) / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    for key, judgements in judge_documents().items():
        write(folder / "courses" / f"{key}.md", course_page(key, select([key]), judgements))
    for room, title in ROOMS.items():
        write(folder / "api" / f"{room}.md", api_page(room, title))
    for path in sorted(RESULTS.glob("*.md")):
        _, _, body = path.read_text().partition("\n")  # its title is that of several; the name of the file is its own
        write(folder / "results" / path.name, f"# {path.stem}\n{body}")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        text = re.sub(r"\]\((?:docs/)?([\w-]+\.md)", r"](../\1", (ROOT / name).read_text())
        write(folder / name.lower(), text)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def judge_documents() -> dict[str, Sequence[Judgement]]:
    """Every claim judged with its figure, by document."""
    claims = select([])
    print(f"Checking {len(claims)} claims.", file=sys.stderr)
    found = judge_claims(claims, charts=True, jobs=os.cpu_count() or 1, progress=show_progress)
    return {key: [one for one in found if one.id.startswith(f"{key}.")] for key in DOCUMENTS}


def show_progress(done: int, total: int | None) -> None:
    print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def course_page(key: str, claims: Sequence[Claim], judgements: Sequence[Judgement]) -> str:
    """Each question of a document with its answer, derivation, numbers, figure and check."""
    lines = [
        "---",
        "tocdepth: 2",
        "---",
        "",
        f"# {DOCUMENTS[key]}",
        "",
        "| question | verdict | evidence |",
        "|---|---|---|",
    ]
    for claim, judgement in zip(claims, judgements, strict=True):
        name = f"[{claim.id}](#{anchor(claim)})"
        lines.append(f"| {name} {escape(claim.title)} | {judgement.verdict} | {escape(judgement.line)} |")
    for claim, judgement in zip(claims, judgements, strict=True):
        lines += ["", f"({anchor(claim)})=", "", *claim_section(claim, judgement)]
    return "\n".join(lines) + "\n"


def anchor(claim: Claim) -> str:
    return f"claim-{claim.id.replace('.', '-')}"


def claim_section(claim: Claim, judgement: Judgement) -> list[str]:
    lines = [f"## {claim.id} {escape(claim.title)}: {judgement.verdict}", "", markdown(claim.texts.asks)]
    for heading, version, findings in versions(claim, judgement):
        lines += ["", f"### {heading}", "", markdown(version.text), ""]
        if version.formula:
            lines += ["$$", version.formula, "$$", ""]
        lines += [f"- {'✓' if finding.holds else '✗'} {escape(finding.shown)}" for finding in findings]
    lines += ["", "### Why", "", *(markdown(part) + "\n" for part in claim.texts.derivation.strip().split("\n\n"))]
    lines += [f"- {markdown(letter)}: {markdown(meaning)}" for letter, meaning in claim.texts.quantities.items()]
    if judgement.chart is not None:
        lines += ["", *raw(f'<figure class="claim-figure">{svg(judgement.chart, claim.id)}</figure>')]
    places = ", ".join(f"`{place}`" for place in claim.texts.code)
    lines += ["", f"How: {markdown(method(claim, judgement))}; {judgement.seconds:.2f} s. In the code: {places}.", ""]
    check = inspect.unwrap(getattr(claim.check, "func", claim.check))
    lines += raw(f"<details><summary>The check: <code>{check.__module__}:{check.__name__}</code></summary>")
    return [*lines, "", "```python", inspect.getsource(check).rstrip(), "```", "", *raw("</details>")]


def raw(html: str) -> list[str]:
    return ["```{raw} html", html, "```"]


def markdown(text: str) -> str:
    """A text of a claim as Markdown: formulas, code and stress stay, all else is escaped."""
    parts = PARTS.split(text)
    return "".join(part if place % 2 else escape(part) for place, part in enumerate(parts))


def escape(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#$~])", r"\\\1", text)


def api_page(room: str, title: str) -> str:
    directive = f".. automodule:: {room}\n   :members:\n   :imported-members:\n"
    if room == "regard":  # what it exports is indexed in the rooms that define it
        directive += "   :no-index:\n"
    return f"# {room}: {title.lower()}\n\n```{{eval-rst}}\n{directive}```\n"


def link_results(app: "Sphinx", name: str, source: list[str]) -> None:
    """In the repository results lie beside the documentation, on the site they are pages of it."""
    source[0] = re.sub(r"\]\(\.\./benchmarks/results/([\w-]+\.md)\)", r"](generated/results/\1)", source[0])


def setup(app: "Sphinx") -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("source-read", link_results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
