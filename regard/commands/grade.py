"""`regard questions` prints what to answer; `regard grade` marks the answers, and `regard autograder` hands that on."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from regard.commands.options import file, size
from regard.commands.output import bad_input, check_file, echo, progress_bar, show, write_file

if TYPE_CHECKING:
    from regard.grading import Question
    from regard.grading.submissions.grade import Graded

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
    teacher: Annotated[
        bool, typer.Option("--teacher", help="Print answers, known mistakes and rubrics too, which students don't see.")
    ] = False,
    out: Annotated[Path | None, file("--out", "Write to a file.")] = None,
) -> None:
    """Print questions on attention as a worksheet, or as a file to fill in.

    [b]Examples[/b]:

    regard questions

    regard questions nyu udl.5

    regard questions --toml --out answers.toml

    regard questions --own questions.toml
    """
    with bad_input():
        if as_toml + as_json + teacher > 1:
            raise ValueError("one form is printed: got two of --toml, --json and --teacher; use one of them")
        if out is not None and as_toml and out.exists():
            raise ValueError(f"--out must not overwrite answers: got {out}, which exists; name another file")
        from regard.grading.questions.catalogue import asked
        from regard.grading.questions.sheets import question_json, worksheet_markdown, worksheet_toml

        chosen = asked(own or (), ids or ())
        if as_json:
            text = json.dumps([question_json(question) for question in chosen], ensure_ascii=False, indent=1) + "\n"
        else:
            text = worksheet_toml(chosen) if as_toml else worksheet_markdown(chosen, teacher=teacher)
        if out is not None:
            write_file(out, text)
    if out is None:
        echo(text, nl=not text.endswith("\n"))


Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="Only the questions whose id begins like this: nyu, udl.5; repeatable."),
]
Feedback = Annotated[
    Literal["verdict", "hints", "full"],
    typer.Option(
        "--feedback",
        help="What is told: points alone; hints and where a formula is wrong; or all, with what is true.",
    ),
]


def grade(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of answers, or a folder of such files.")],
    own: Own = None,
    only: Only = None,
    csv: Annotated[Path | None, file("--csv", "Write a table with a line per submission.")] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FOLDER", help="Write pages: one per submission, and one for all."),
    ] = None,
    marks: Annotated[
        list[Path] | None,
        typer.Option(
            "--marks",
            metavar="FILE",
            help="Marks by hand, which go before the machine's; FOLDER.marks.toml beside the folder is read anyway.",
        ),
    ] = None,
    unread: Annotated[
        Path | None, file("--unread", "Write the answers that wait for a person, to be filled in.")
    ] = None,
    gradescope: Annotated[Path | None, file("--gradescope", "Write results.json for one submission.")] = None,
    feedback: Feedback = "full",
    students: Annotated[
        Literal["answers", "file", "folder", "moodle", "canvas"],
        typer.Option("--students", help="Where a student's identifier stands: id = '…' in the answers, or in names."),
    ] = "answers",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    recursive: Annotated[bool, typer.Option("--recursive", help="Look into the folder's folders too.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, metavar="N", help="Submissions at once; by default one per core.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Seconds that a submission may take.")] = 10.0,
    memory: Annotated[int, size("MiB that a submission may take.")] = 512,
) -> None:
    """Mark answers: a wrong one is shown by sizes at which it is wrong, and by the mistake's name.

    Files end in .toml, .txt, .json, .csv or .ipynb. Each is read and marked in a process of its own, with limits; a bad
    one does not stop the others. [b]Examples[/b]:

    regard grade answers.toml

    regard grade submissions/ --csv marks.csv --report pages/ --feedback hints

    regard grade submissions/ --unread by-hand.toml

    regard grade submissions/ --marks by-hand.toml --students moodle --recursive

    regard grade submissions/ --own questions.toml --only 1 --only 2a
    """
    with bad_input():
        if unread is not None and unread.exists() and unread not in (marks or []):
            raise ValueError(f"--unread must not overwrite marks: got {unread}, which exists; read it too by --marks")
        from regard.grading.questions.catalogue import asked
        from regard.grading.reports.gradescope import refusal_json, results_json, the_one
        from regard.grading.reports.marks import marks_csv
        from regard.grading.reports.pages import check_report, write_report
        from regard.grading.reports.summary import summarise
        from regard.grading.reports.terminal import many, one
        from regard.grading.submissions.grade import grade as grade_submissions
        from regard.grading.submissions.isolation import Limits, memory_is_limited
        from regard.grading.submissions.students import duplicates

        if report is not None:
            check_report(report)
        if not memory_is_limited():
            typer.echo("regard: this system does not limit a process's memory, so only time is limited", err=True)
        limits, chosen = Limits(seconds=seconds, memory=memory), asked(own or (), only or ())
        others = [question for question in asked(own or ()) if question not in chosen]
        if gradescope is not None:
            try:
                path = the_one(path)
            except ValueError as error:  # told to the student, who can do something about it
                write_file(gradescope, refusal_json(str(error)))
                return
        several = path.is_dir()
        with progress_bar("grading") as progress:
            graded = grade_submissions(chosen, path, recursive, limits, jobs, progress, students, others)
        if not several and graded[0].refused and gradescope is None:
            raise ValueError(f"{path} {graded[0].refused}")
        graded, warnings = _by_hand(chosen, path, graded, marks or [], unread)
        graded = [each.told(feedback) for each in graded]
        summary = summarise(chosen, graded, [*warnings, *duplicates(graded)])
        if csv is not None:
            write_file(csv, marks_csv(chosen, graded))
        if gradescope is not None:
            write_file(gradescope, results_json(chosen, graded[0]))
        if report is not None:
            try:
                write_report(report, chosen, graded, summary)
            except OSError as error:
                raise ValueError(f"{report} could not be written: {error.strerror or error}") from error
    if not as_json:
        show(*(many(summary, graded) if several else one(chosen, graded[0], warnings)))
        return
    if several:
        result = {"summary": summary.json(), "submissions": [each.json() for each in graded]}
    else:
        result = graded[0].json() | {"out_of": summary.out_of, "warnings": warnings}
    echo(json.dumps(result, ensure_ascii=False, indent=1))


def _by_hand(
    questions: "Sequence[Question]", path: Path, graded: "list[Graded]", files: list[Path], unread: Path | None
) -> "tuple[list[Graded], list[str]]":
    """Apply the marks by hand, and write what still waits, behind what the file already has."""
    from regard.grading.submissions.hand import FIRST, apply_marks, marks_beside, read_marks, unread_toml

    beside = marks_beside(path)
    known = {file: read_marks(file, questions) for file in [*([beside] if beside.is_file() else []), *files]}
    everything = [mark for marks in known.values() for mark in marks]
    graded, warnings = apply_marks(questions, graded, everything)
    if unread is not None:
        there = unread.read_text(encoding="utf-8") if unread.exists() else FIRST
        write_file(unread, there + unread_toml(questions, graded, everything))
    return graded, warnings


def autograder(
    out: Annotated[Path, typer.Argument(metavar="OUT.zip", help="The archive to write.")],
    own: Own = None,
    only: Only = None,
    feedback: Feedback = "hints",
) -> None:
    """Write an autograder for Gradescope: an archive to upload, which marks a file of answers.

    Students hand in one file, as for [b]regard grade[/b]. Answers in free text, and those that cannot be read, wait for
    a person. [b]Examples[/b]:

    regard autograder homework.zip --only udl.1a --only nyu

    regard autograder exam.zip --own questions.toml --feedback verdict
    """
    with bad_input():
        check_file("OUT", out, (".zip",))
        from regard.grading.questions.catalogue import asked
        from regard.grading.reports.gradescope import autograder_zip

        chosen = asked(own or (), only or ())
        options = ["--feedback", feedback, *[word for id in only or () for word in ("--only", id)]]
        write_file(out, autograder_zip(own or (), options))
    points = sum(question.points for question in chosen)
    echo(f"{len(chosen)} question{'' if len(chosen) == 1 else 's'}, {points:g} points: {out}")
