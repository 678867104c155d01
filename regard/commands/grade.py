"""`regard questions` and `regard grade`: parse, call, print."""

import json
from pathlib import Path
from typing import Annotated

import typer

from regard.commands.models import installed
from regard.commands.output import bad_input, bar, show, size

Own = Annotated[
    list[Path] | None,
    typer.Option(
        "--own", metavar="FILE", help="A teacher's own questions in TOML, in place of the built-in; repeatable."
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="Of the questions, those whose id begins so: nyu, udl.5; repeatable."),
]
Begins = Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="Those whose id begins so: nyu, udl.5.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")]
Answers = Annotated[Path, typer.Argument(metavar="PATH", help="A file of answers, or a folder of such files.")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table: a line per submission.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FOLDER", help="Write pages: one per submission, one for all.")
]
Jobs = Annotated[int | None, typer.Option(min=1, max=256, metavar="N", help="How many at once; by default the cores.")]
Seconds = Annotated[float, typer.Option(metavar="S", help="How long a submission may take.")]


def questions(
    ids: Begins = None,
    own: Own = None,
    as_toml: Annotated[bool, typer.Option("--toml", help="A file to fill in, for regard grade.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    out: Out = None,
) -> None:
    """Print questions on attention as a worksheet, or as a file to fill in.

    [b]Examples[/b]:

    regard questions

    regard questions nyu udl.5

    regard questions --toml --out answers.toml

    regard questions --own questions.toml
    """
    with bad_input(), installed():
        if as_toml and as_json:
            raise ValueError("one form is printed: got --toml and --json; use one of the two")
        from regard.claims.answers.sheets import worksheet_markdown, worksheet_toml
        from regard.claims.grading.sheet import asked, plain

        chosen = asked(own or (), ids or ())
        if as_json:
            text = json.dumps([plain(question) for question in chosen], ensure_ascii=False, indent=1) + "\n"
        else:
            text = worksheet_toml(chosen) if as_toml else worksheet_markdown(chosen)
        if out is not None:
            out.write_text(text, encoding="utf-8")
    if out is None:
        typer.echo(text, nl=not text.endswith("\n"))


def grade(
    path: Answers,
    own: Own = None,
    only: Only = None,
    csv: Csv = None,
    report: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    recursive: Annotated[bool, typer.Option("--recursive", help="Look into the folder's folders too.")] = False,
    jobs: Jobs = None,
    seconds: Seconds = 10.0,
    memory: Annotated[int, size("MiB that a submission may take.")] = 512,
) -> None:
    """Mark answers: what is wrong is shown by sizes at which it is wrong, and by the mistake's name.

    Each submission is read and marked in a process of its own, with limits; a bad one does not stop the others.
    [b]Examples[/b]:

    regard grade answers.toml

    regard grade submissions/ --csv marks.csv --report pages/

    regard grade submissions/ --own questions.toml --only 1 --only 2a
    """
    with bad_input(), installed():
        from regard.claims.grading.grade import grade as graded_by
        from regard.claims.grading.isolation import Limits, memory_is_limited
        from regard.claims.grading.marks import marks_csv
        from regard.claims.grading.pages import check_report, write_report
        from regard.claims.grading.sheet import asked
        from regard.claims.grading.summary import summarise
        from regard.claims.grading.terminal import many, one

        if csv is not None and not csv.parent.is_dir():
            raise ValueError(f"--csv must stand in a folder that is there: got {csv}; make {csv.parent} first")
        if report is not None:
            check_report(report)
        if not memory_is_limited():
            typer.echo("regard: this system does not limit a process's memory, so only time is limited", err=True)
        limits = Limits(seconds=seconds, memory=memory)
        several, chosen = path.is_dir(), asked(own or (), only or ())
        with bar("grading") as progress:
            graded = graded_by(chosen, path, recursive, limits, jobs, progress)
        if not several and graded[0].refused:
            raise ValueError(f"{path} {graded[0].refused}")
        summary = summarise(chosen, graded)
        if csv is not None:
            csv.write_text(marks_csv(chosen, graded), encoding="utf-8")
        if report is not None:
            write_report(report, chosen, graded, summary)
    if as_json:
        many_of_them = {"summary": summary.json(), "submissions": [each.json() for each in graded]}
        made = many_of_them if several else graded[0].json() | {"out_of": summary.out_of}
        typer.echo(json.dumps(made, ensure_ascii=False, indent=1))
    else:
        show(*(many(summary, graded) if several else one(chosen, graded[0])))
