"""`regard claims`: the statements of the course documents, executed."""

import json
import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.commands.options import Runs, Svg, file
from regard.commands.output import bad_input, echo, progress_bar, show, write_figure, write_file


def claims(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CLAIM]…", help="Ids such as nyu.1c, or documents: conv, nyu, udl, eecs, ist; by default all."
        ),
    ] = None,
    only: Annotated[
        Literal["holds", "holds as corrected", "refuted", "answered", "built", "experiment"] | None,
        typer.Option(metavar="VERDICT", help="Only those with this verdict in the catalogue: holds, refuted, …"),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print statement, derivation, numbers, figure and code.")
    ] = False,
    report: Annotated[Path | None, file("--report", "Write everything into one HTML page, figures inline.")] = None,
    svg: Svg = None,
    runs: Runs = Path("runs"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Train small versions of the experiments here; read no recorded run.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; by default one per core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print ids, verdicts and evidence as JSON.")] = False,
) -> None:
    """Run the statements of five course documents: what holds, what does not, and the numbers that show it.

    Experiments read the numbers of your runs where there are any, and else of the runs that come with regard. Exit
    code 1 if a verdict differs from the catalogue's. [b]Examples[/b]:

    regard claims

    regard claims nyu.1c --explain

    regard claims udl eecs --only refuted

    regard claims --report report.html
    """
    with bad_input():
        from regard.claims.catalogue import select
        from regard.claims.experiments import SHIPPED
        from regard.claims.running import judge_claims

        chosen = [claim for claim in select(names or []) if only in (None, claim.expected, claim.kind)]
        if not chosen:
            raise ValueError(f"no claim of {' '.join(names or [])} is {only!r}; leave out --only")
        if svg is not None and (len(chosen) != 1 or chosen[0].chart is None):
            raise ValueError(f"--svg takes one claim that has a figure: got {len(chosen)} claims; name one, as nyu.1c")
        with progress_bar("checking") as progress:
            with_charts = explain or report is not None or svg is not None
            processes = jobs or os.cpu_count() or 1
            folders = () if fresh else (runs, SHIPPED)
            found = judge_claims(chosen, charts=with_charts, runs=folders, jobs=processes, progress=progress)
        if report is not None:
            from regard.claims.report import html_page

            write_file(report, html_page(chosen, found))
        if svg is not None and (chart := found[0].chart) is not None:
            from regard.claims.drawing import draw

            write_figure(svg, draw(chart))
    if as_json:
        echo(json.dumps([judgement.json() for judgement in found], indent=2, ensure_ascii=False))
    else:
        from regard.claims.report import explanation, overview

        show(*([explanation(*pair) for pair in zip(chosen, found, strict=True)] if explain else [overview(found)]))
    if not all(judgement.as_expected for judgement in found):
        raise typer.Exit(1)
