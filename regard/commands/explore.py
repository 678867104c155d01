"""`regard explore`: parse, serve, say where."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from regard.commands.output import bad_input

Folder = Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="Where the folders of runs lie.")]


def explore(
    given: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN or FOLDER",
            help="Runs by name or folder, folders of runs, and folders of models (config.json, safetensors).",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="NAME", help="Where to listen; other than this machine's own, a token guards it."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="By default the first free one from 8421 on."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser where there is one, or not.")] = True,
    folder: Folder = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Say where it is as a line of JSON.")] = False,
) -> None:
    """Open the page: attention to look at and touch, in the browser.

    Without an argument it has what comes with the package, and the runs of this folder. Everything is computed here;
    nothing is fetched from elsewhere. Ctrl-C stops it. [b]Examples[/b]:

    regard explore

    regard explore reversal-1 models/gpt2

    regard explore --host 0.0.0.0 --port 8000 --no-browser
    """
    with bad_input():
        try:
            from regard.explore.serving import serve
        except ImportError as error:
            raise ValueError(f"the page needs {error.name}: got none; use pip install 'regard[explore]'") from error
        from regard.explore.desk import Desk
        from regard.explore.shelf import shelf_of

        desk = Desk(shelf_of(given or [], folder))
        serve(desk, host=host, port=port, opens=browser, told=partial(_say, as_json))


def _say(as_json: bool, address: str) -> None:
    typer.echo(json.dumps({"address": address}) if as_json else f"regard is open at {address}")
    typer.echo("Ctrl-C stops it", err=True)
