"""`regard cost`: parse, call, print."""

from pathlib import Path
from typing import Annotated

import typer

from regard.commands.options import Machine, Type, machine_name, size
from regard.commands.output import bad_input, check_file, progress_bar, show, write_figure

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A preset, a config.json of Hugging Face, or file.py:function.")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="SIZES", help="An input: 2x128x512, 2x128:int; BxNx512 with --symbolic."),
]
Symbolic = Annotated[
    bool, typer.Option("--symbolic", help="Polynomials in the sizes, what dominates, and the crossovers N*.")
]
Decode = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="The cost of one more token behind N that are cached.")
]
Optimizer = Annotated[
    str, typer.Option(metavar="NAME", help="For the memory of training: adamw, adam, sgd, momentum or none.")
]
Kind = Annotated[
    Type | None,
    typer.Option(metavar="TYPE", help="bfloat16, float16, float32 or float64; by default as the model is built."),
]
Real = Annotated[bool, typer.Option("--real", help="Run with contents: for models that ask for them.")]
Measure = Annotated[
    bool, typer.Option("--measure", help="Also run it forward at a few lengths, and fit the exponents of N.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw cost against N by part, with the crossovers, as SVG.")
]


def _check(two_forms: bool, more_than_a_token: bool) -> None:
    if two_forms:
        raise ValueError("one form is printed: got --json and --csv; use one of the two")
    if more_than_a_token:
        raise ValueError("--decode tells of one token: got --plot or --measure too; leave it out")


def cost(
    model: Model,
    batch: Annotated[int, size("Rows B of the batch.")] = 1,
    tokens: Annotated[int | None, size("Tokens N of each row; by default the model's context.")] = None,
    inputs: Inputs = None,
    at: Annotated[str | None, typer.Option(metavar="D=64,…", help="What other letters of --input stand for.")] = None,
    symbolic: Symbolic = False,
    decode: Decode = None,
    train: Annotated[bool, typer.Option("--train/--eval", help="The model's mode: dropout and the like.")] = True,
    optimizer: Optimizer = "adamw",
    dtype: Kind = None,
    device: Machine = None,
    depth: Annotated[int, size("Levels of modules in the table.")] = 3,
    real: Real = False,
    measure: Measure = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line per module as CSV.")] = False,
    plot: Plot = None,
) -> None:
    """Count a model: parameters, FLOPs forward and backward, bytes, memory; exactly, without running it.

    FLOPs are those of matrix products, two per multiply-add: what the mathematics needs, and what this path executes.
    [b]Examples[/b]:

    regard cost gpt2 --tokens 1024

    regard cost path/to/config.json --batch 8

    regard cost my_model.py:build --input 2x128x512

    regard cost bert-base --symbolic

    regard cost llama-7b --decode 32768 --dtype bfloat16 --device h200
    """
    with bad_input():
        check_file("--plot", plot, (".svg",))
        _check(as_json and as_csv, decode is not None and (plot is not None or measure))
        from regard.analysis.cost import command

        wish = command.Wish(
            device=machine_name(device),
            optimizer=None if optimizer == "none" else optimizer,
            train=train,
            real=real,
        )
        request = command.request(batch, tokens, inputs, at)
        target = command.target(model, dtype)
        result = command.answer(target, request, wish, symbolic, decode)
        grown = None
        if measure:
            with progress_bar("measuring") as progress:
                grown = command.measured(target, request, progress)
        if plot is not None:
            write_figure(plot, command.figure(target, request))
    if as_csv:
        typer.echo(result.csv(), nl=False)
    elif as_json:
        typer.echo(result.json() if grown is None else f'{{"cost": {result.json()}, "growth": {grown.json()}}}')
    else:
        show(result.rich(depth), *([] if grown is None else [grown.rich()]))
