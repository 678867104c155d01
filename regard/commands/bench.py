"""`regard bench`: how fast models write and learn here, and what share that is of what the machine allows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.commands.options import Device, Type, file, present_device, size
from regard.commands.output import (
    bad_input,
    echo,
    in_paragraphs,
    progress_bar,
    show_result,
    write_figure,
)

if TYPE_CHECKING:
    from regard.analysis.speed.throughput import Throughput

bench = typer.Typer(rich_markup_mode="rich")
Table = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME|FILE",
        help="The table that the bound is of: cpu, h200 …, or a file of [b]regard calibrate[/b]; by default the one of "
        "the device.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
Plot = Annotated[Path | None, file("--plot", "Draw the parts of a step as SVG.", ".svg")]


@bench.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Measure tokens per second, by part, beside the least time that the machine allows."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


def generate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A folder of Hugging Face, a run that left one, or a preset with random weights."
        ),
    ],
    batch: Annotated[int, size("Rows that are written side by side.")] = 1,
    prompt: Annotated[int, size("Random tokens that each row begins with.")] = 32,
    max_new: Annotated[int, typer.Option(min=2, metavar="N", help="Tokens to write in each row.")] = 64,
    runs: Annotated[int, size("Times that they are written, after once to warm up.")] = 3,
    temperature: Annotated[float, typer.Option(min=0, metavar="T", help="0 takes the likeliest token.")] = 0.0,
    dtype: Annotated[
        Type | None, typer.Option(metavar="TYPE", help="By default as stored; of a preset float32.")
    ] = None,
    device: Device = None,
    machine: Table = None,
    as_json: AsJson = False,
    plot: Plot = None,
) -> None:
    """Time how a decoder writes: tokens per second, time to the first token, and parts of a step.

    The bound is the time in which parameters and cache go through the machine's memory once for each token. Parts
    (embedding, attention, feed-forward, head, sampling) are timed one by one, in a run from module to module.
    [b]Examples[/b]:

    regard bench generate gpt2

    regard bench generate FOLDER --batch 8 --dtype bfloat16 --device cuda --plot parts.svg

    regard calibrate --out mine.json && regard bench generate gpt2 --machine mine.json
    """
    with bad_input():
        where = present_device(device)
        name = _machine(machine, where)
        found = _load(model, dtype, where)
        from regard.analysis.cost.count import count_next_token
        from regard.analysis.speed.throughput import measure_writing
        from regard.commands.targets import step_by_caches
        from regard.generation import Settings

        room = found.room([[0] * prompt])
        if room is not None and max_new > room:
            raise ValueError(
                f"prompt and new tokens must fit the {found.config.positions.context} positions of {model}: got "
                f"--prompt {prompt} --max-new {max_new}; use --max-new {max(room, 0)}"
            )
        with progress_bar("writing") as progress:
            result = measure_writing(
                found,
                lambda cached: count_next_token(found, cached, batch, step_by_caches(cached, batch), name).seconds,
                what=f"{model}, {next(found.parameters()).dtype}, {batch} row{'s' * (batch > 1)}".replace("torch.", ""),
                machine=name,
                batch=batch,
                prompt=prompt,
                new=max_new,
                choice=Settings(temperature=temperature),
                runs=runs,
                progress=progress,
            )
        _show(result, as_json, plot)


def train(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="What to train; regard train lists the recipes.")],
    training: Annotated[
        str | None, typer.Option("--training", metavar="NAME", help="Which of its models; by default the first.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change the recipe: training.batch=64; repeatable."),
    ] = None,
    data: Annotated[str | None, typer.Option("--data", metavar="PATH", help="As regard train takes it.")] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="The recipe in its smallest size, offline.")] = False,
    small: Annotated[bool, typer.Option("--small", help="The recipe in its small version.")] = False,
    steps: Annotated[int, size("Steps to time, after three to warm up.")] = 20,
    device: Device = None,
    machine: Table = None,
    as_json: AsJson = False,
    plot: Plot = None,
    folder: Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="Its .cache holds prepared data.")] = Path(
        "runs"
    ),
) -> None:
    """Time the steps of a recipe as [b]regard train[/b] makes them: tokens per second, utilisation, parts of a step.

    The bound is the FLOPs that a step needs over the machine's peak. Parts are data, forward, loss with the head,
    backward, and optimizer with clipping. No run is made. [b]Examples[/b]:

    regard bench train language --smoke

    regard bench train shakespeare --data input.txt --device cuda --set training.execution.recompute=true

    regard bench train translation --data multi30k --training transformer --json
    """
    with bad_input():
        if smoke and small:
            raise ValueError("--smoke and --small are two sizes: got both; leave one out")
        where = present_device(device)
        name = _machine(machine, where)
        from regard.analysis.speed.throughput import measure_training
        from regard.checks import nearest
        from regard.recipes import Resources, find_recipe, override

        known = find_recipe(recipe)
        given = [*(changes or []), *([] if data is None else [f"data={data}"])]
        config = override(known.at("smoke" if smoke else "small" if small else "full"), given)
        made = known.trainings(config, Resources(folder / ".cache"))
        chosen = training or next(iter(made))
        if chosen not in made:
            raise ValueError(f"{recipe} trains no {chosen!r}: {nearest(chosen, list(made))}")
        with progress_bar("training") as progress:
            result = measure_training(
                made[chosen].task,
                made[chosen].settings,
                what=f"{recipe}, {chosen}, {made[chosen].settings.execution.precision}",
                machine=name,
                device=where,
                steps=steps,
                progress=progress,
            )
        _show(result, as_json, plot)


def _machine(name: str | None, device: str) -> str:
    """The table of the bound, which must exist before anything is measured."""
    import torch

    from regard.algorithms.planning.machines import table, table_of

    return table_of(torch.device(device)).name if name is None else table(name) and name


def _load(model: str, dtype: str | None, device: str) -> Any:
    """The decoder of a preset, with random weights, or of a folder."""
    import torch

    from regard.checks import nearest
    from regard.commands.models import load_model
    from regard.commands.targets import default_type
    from regard.models import PRESETS, Decoder, DecoderConfig, build

    refused = f"bench generate times decoders: got {model}, of type {{}}; use gpt2, or a folder of Llama"
    if model in PRESETS:
        config = PRESETS[model]
        if not isinstance(config, DecoderConfig):
            raise ValueError(refused.format(type(config).__name__))
        with torch.device(device), default_type(None if dtype is None else getattr(torch, dtype)):
            return build(config).eval()
    if not Path(model).exists() and not ("runs" / Path(model)).exists():
        raise ValueError(f"no folder, run or preset {model!r}: {nearest(model, list(PRESETS))}")
    found = load_model(Path(model), dtype, device)
    if not isinstance(found, Decoder):
        raise ValueError(refused.format(type(found).__name__))
    return found.eval()


for command in (generate, train):
    bench.command(help=in_paragraphs(command.__doc__))(command)


def _show(result: "Throughput", as_json: bool, plot: Path | None) -> None:
    if plot is not None:
        write_figure(plot, result.figure())
    show_result(result, as_json)
