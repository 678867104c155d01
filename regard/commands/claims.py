"""`regard claims`: parse, call, print."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from regard.commands.output import bad_input, bar, show

if TYPE_CHECKING:
    from regard.claims import Claim, Judgement

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CLAIM]…", help="Ids such as nyu.1c, or documents: conv, nyu, udl, eecs, ist; all if none."
    ),
]
Only = Annotated[
    Literal["holds", "holds as corrected", "refuted", "answered", "built", "experiment"] | None,
    typer.Option(metavar="VERDICT", help="Those of this verdict in the catalogue: holds, refuted, experiment, …"),
]
Runs = Annotated[
    Path,
    typer.Option(metavar="FOLDER", help="Where recipes leave their runs; experiments read those, if there are any."),
]


def _write_report(path: Path, chosen: Sequence["Claim[Any]"], found: Sequence["Judgement"]) -> None:
    from regard.claims.report import html_page

    try:
        text = html_page(chosen, found)
    except ImportError as error:  # it says what to install
        raise ValueError(str(error)) from error
    path.write_text(text, encoding="utf-8")


def claims(
    names: Names = None,
    only: Only = None,
    explain: Annotated[bool, typer.Option("--explain", help="Statement, derivation, numbers, figure, code.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write everything on one page of HTML, figures inline.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the figure of one claim as SVG.")] = None,
    runs: Runs = Path("runs"),
    jobs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; by default one per core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print ids, verdicts and evidence as JSON.")] = False,
) -> None:
    """Run the statements of five course documents: what holds, what does not, and the numbers that show it.

    Exit code 1 if a verdict is not the one of the catalogue. [b]Examples[/b]:

    regard claims

    regard claims nyu.1c --explain

    regard claims udl eecs --only refuted

    regard claims --report report.html
    """
    with bad_input():
        from regard.claims.catalogue import select
        from regard.claims.running import Wish, judged

        chosen = [claim for claim in select(names or []) if only is None or claim.expected == only]
        if not chosen:
            raise ValueError(f"no claim of {' '.join(names or [])} is {only!r}; leave out --only")
        if svg is not None and (len(chosen) != 1 or chosen[0].chart is None):
            raise ValueError(f"--svg takes one claim that has a figure: got {len(chosen)} claims; name one, as nyu.1c")
        for path in (report, svg):
            if path is not None and not path.absolute().parent.is_dir():
                raise ValueError(f"{path} must lie in a folder that exists: got {str(path.parent)!r}")
        with bar("checking") as progress:
            wish = Wish(charts=explain or report is not None or svg is not None, runs=runs)
            found = judged(chosen, wish, jobs=jobs or os.cpu_count() or 1, progress=progress)
        if report is not None:
            _write_report(report, chosen, found)
        if svg is not None and (chart := found[0].chart) is not None:
            from regard.claims.drawing import draw
            from regard.commands import options

            options.save_svg(svg, lambda: draw(chart))
    if as_json:
        typer.echo(json.dumps([judgement.json() for judgement in found], indent=2, ensure_ascii=False))
    else:
        from regard.claims.report import explanation, overview

        show(*([explanation(*pair) for pair in zip(chosen, found, strict=True)] if explain else [overview(found)]))
    if not all(judgement.as_expected for judgement in found):
        raise typer.Exit(1)
