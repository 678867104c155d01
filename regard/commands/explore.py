"""`regard explore`: the page, served from this machine."""

import json
from pathlib import Path
from typing import Annotated

import typer

from regard.commands.options import Runs
from regard.commands.output import bad_input, echo


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
        str, typer.Option("--host", metavar="NAME", help="Address to bind; anything but localhost needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="By default the first free one from 8421."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Whether to open a browser, if there is one.")] = True,
    folder: Runs = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a line of JSON.")] = False,
) -> None:
    """Open the page: attention to look at and touch, in the browser.

    Without an argument it shows what comes with the package, and the runs of this folder. Everything is computed on
    this machine; nothing is fetched from elsewhere. Ctrl-C stops it. [b]Examples[/b]:

    regard explore

    regard explore reversal-1 models/gpt2

    regard explore --host 0.0.0.0 --port 8000 --no-browser
    """

    def print_address(address: str) -> None:
        echo(json.dumps({"address": address}) if as_json else f"regard is open at {address}")
        typer.echo("Ctrl-C stops it", err=True)

    with bad_input():
        from regard.checks import MissingExtra

        try:
            from regard.explore.server import serve
        except ImportError as error:
            raise MissingExtra("the page", error.name or "a package", "explore") from error
        from regard.explore.workspace import open_workspace

        workspace = open_workspace(given or [], folder)
        serve(workspace, host=host, port=port, open_browser=browser, announce=print_address)
