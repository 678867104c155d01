"""What came out, as pages that load nothing and run nothing: one per submission, and one for the whole class.

Whatever a stranger wrote is escaped by the templates, and the policy in each page forbids every script, image, form
and request, and all style but the page's own, which it names by its hash.
"""

import base64
import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regard.checks import MissingExtra
from regard.grading.questions.question import Question
from regard.grading.reports.marks import number
from regard.grading.reports.summary import Summary
from regard.grading.submissions.formats import FORMATS
from regard.grading.submissions.grade import Graded

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
LONGEST_SLUG = 60
SLUG = re.compile(r"[a-z0-9-]+-[0-9a-f]{8,64}\.html")
GENERATOR = '<meta name="generator" content="regard grade">'
BEGINNING = 1024  # bytes of a page in which it says so


def check_report(folder: Path) -> None:
    """Whether a report can be written there: to be asked before a class is graded, not after."""
    environment()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--report must be a folder: got the file {folder}; name another")
    index = folder / "index.html"
    if index.exists() and not _is_ours(index):
        raise ValueError(f"--report must not overwrite a page of others: got {index}; name another folder")


def write_report(folder: Path, questions: Sequence[Question], graded: Sequence[Graded], summary: Summary) -> None:
    """Write index.html, and submissions/….html for each submission; those of an earlier run that are not go.

    All pages are written beside the folder first, so that a full disk leaves what was there.
    """
    made = environment()
    page, by_id = made.get_template("submission.html.j2"), {question.id: question for question in questions}
    files = list(slugs([each.file for each in graded]))
    index = made.get_template("index.html.j2").render(
        rows=list(zip(files, graded, strict=True)),
        pages=dict(zip([each.file for each in graded], files, strict=True)),
        summary=summary,
        most=max([each.count for each in summary.bins]) or 1,
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder.parent) as stage:
        for file, each in zip(files, graded, strict=True):
            text = page.render(graded=each, questions=by_id, out_of=summary.out_of)
            Path(stage, file).write_text(text, encoding="utf-8")
        Path(stage, "index.html").write_text(index, encoding="utf-8")
        inner = folder / "submissions"
        inner.mkdir(parents=True, exist_ok=True)
        for file in files:
            Path(stage, file).replace(inner / file)
        Path(stage, "index.html").replace(folder / "index.html")
    for path in inner.iterdir():
        if SLUG.fullmatch(path.name) and path.name not in files and _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    """Whether this program wrote a page: it says so near its beginning."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as page:
        return GENERATOR.encode() in page.read(BEGINNING)


def slugs(names: Sequence[str]) -> Iterator[str]:
    """Names of pages: plain letters and digits of a file's name and a hash of it, whatever other files there are.

    >>> list(slugs(["Ädä L.toml", "ada-l.toml", "?.toml"]))
    ['ada-l-e6b9840a.html', 'ada-l-f1071377.html', 'submission-f176a6e8.html']
    """
    taken: set[str] = set()
    for name in names:
        stem = re.sub(rf"({'|'.join(map(re.escape, FORMATS))})$", "", name, flags=re.IGNORECASE)
        letters = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:LONGEST_SLUG] or "submission"
        digest, digits = hashlib.sha256(name.encode()).hexdigest(), 8
        while f"{slug}-{digest[:digits]}" in taken:  # by somebody's great patience: no page takes another's place
            digits += 8
        taken.add(f"{slug}-{digest[:digits]}")
        yield f"{slug}-{digest[:digits]}.html"


def environment() -> "Environment":
    """The templates of this folder, in which whatever is filled in is escaped."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtra("a report", "jinja2", "claims") from error
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    made.globals |= {"style": Markup(style), "policy": Markup(policy), "generator": Markup(GENERATOR)}
    made.filters["number"] = number
    return made
