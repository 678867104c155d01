"""`regard questions` prints what to answer; `regard grade` marks the answers."""

import json
from pathlib import Path
from typing import Annotated

import typer

from regard.commands.options import size
from regard.commands.output import bad_input, check_file, echo, progress_bar, show, write_file

Own = Annotated[
    list[Path] | None,
    typer.Option(
        "--own", metavar="FILE", help="A teacher's own questions in TOML, instead of the built-in ones; repeatable."
    ),
]


def questions(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]…", help="Only those whose id begins like this: nyu, udl.5.")
    ] = None,
    own: Own = None,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print a file to fill in, for regard grade.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Print questions on attention as a worksheet, or as a file to fill in.

    [b]Examples[/b]:

    regard questions

    regard questions nyu udl.5

    regard questions --toml --out answers.toml

    regard questions --own questions.toml
    """
    with bad_input():
        if as_toml and as_json:
            raise ValueError("one form is printed: got --toml and --json; use one of the two")
        check_file("--out", out)
        if out is not None and as_toml and out.exists():
            raise ValueError(f"--out must not overwrite answers: got {out}, which exists; name another file")
        from regard.grading.questions.sheet import asked, plain
        from regard.grading.questions.sheets import worksheet_markdown, worksheet_toml

        chosen = asked(own or (), ids or ())
        if as_json:
            text = json.dumps([plain(question) for question in chosen], ensure_ascii=False, indent=1) + "\n"
        else:
            text = worksheet_toml(chosen) if as_toml else worksheet_markdown(chosen)
        if out is not None:
            write_file(out, text)
    if out is None:
        echo(text, nl=not text.endswith("\n"))


def grade(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of answers, or a folder of such files.")],
    own: Own = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="ID", help="Only the questions whose id begins like this: nyu, udl.5; repeatable."
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a table with a line per submission.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FOLDER", help="Write pages: one per submission, and one for all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    recursive: Annotated[bool, typer.Option("--recursive", help="Look into the folder's folders too.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, metavar="N", help="Submissions at once; by default one per core.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Seconds that a submission may take.")] = 10.0,
    memory: Annotated[int, size("MiB that a submission may take.")] = 512,
) -> None:
    """Mark answers: a wrong one is shown by sizes at which it is wrong, and by the mistake's name.

    Each submission is read and marked in a process of its own, with limits; a bad one does not stop the others.
    [b]Examples[/b]:

    regard grade answers.toml

    regard grade submissions/ --csv marks.csv --report pages/

    regard grade submissions/ --own questions.toml --only 1 --only 2a
    """
    with bad_input():
        check_file("--csv", csv)
        from regard.grading.questions.sheet import asked
        from regard.grading.reports.marks import marks_csv
        from regard.grading.reports.pages import check_report, write_report
        from regard.grading.reports.summary import summarise
        from regard.grading.reports.terminal import many, one
        from regard.grading.submissions.grade import grade as grade_submissions
        from regard.grading.submissions.isolation import Limits, memory_is_limited

        if report is not None:
            check_report(report)
        if not memory_is_limited():
            typer.echo("regard: this system does not limit a process's memory, so only time is limited", err=True)
        limits = Limits(seconds=seconds, memory=memory)
        several, chosen = path.is_dir(), asked(own or (), only or ())
        with progress_bar("grading") as progress:
            graded = grade_submissions(chosen, path, recursive, limits, jobs, progress)
        if not several and graded[0].refused:
            raise ValueError(f"{path} {graded[0].refused}")
        summary = summarise(chosen, graded)
        if csv is not None:
            write_file(csv, marks_csv(chosen, graded))
        if report is not None:
            try:
                write_report(report, chosen, graded, summary)
            except OSError as error:
                raise ValueError(f"{report} could not be written: {error.strerror or error}") from error
    if not as_json:
        show(*(many(summary, graded) if several else one(chosen, graded[0])))
        return
    if several:
        result = {"summary": summary.json(), "submissions": [each.json() for each in graded]}
    else:
        result = graded[0].json() | {"out_of": summary.out_of}
    echo(json.dumps(result, ensure_ascii=False, indent=1))
