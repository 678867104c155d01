"""`regard cost`: a model's parameters, FLOPs, bytes and memory, as numbers or formulas."""

import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.commands.options import Machine, Type, file, machine_name, refuse, size
from regard.commands.output import bad_input, echo, progress_bar, show, write_figure

if TYPE_CHECKING:
    from regard.commands.targets import Request, Target

SPAN = (0.125, 0.25, 0.5, 1, 2, 4)  # of the tokens, where a model has no formula to draw


def read_count(text: str) -> int:
    """A whole number from 1, as 1024 or 15e12.

    >>> read_count("1024"), read_count("15e12")
    (1024, 15000000000000)
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number < 1e18 or number != int(number):
        raise typer.BadParameter(f"must be a whole number from 1, such as 1024 or 15e12: got {text!r}")
    return int(text) if text.isdigit() else int(number)


def cost(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A preset, a config.json of Hugging Face, or file.py:function.")
    ],
    batch: Annotated[int, size("Rows B of the batch.")] = 1,
    tokens: Annotated[
        int | None,
        typer.Option(
            parser=read_count,
            metavar="N",
            help="Tokens N of each row; by default the model's context. With --cluster those of the whole training.",
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="SIZES", help="An input: 2x128x512, 2x128:int; BxNx512 with --symbolic."),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="D=64,…", help="Values of other letters in --input.")] = None,
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Polynomials in the sizes, what dominates, and the crossovers N*.")
    ] = False,
    decode: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The cost of one more token after N that are cached.")
    ] = None,
    train: Annotated[
        bool | None,
        typer.Option("--train/--eval", help="The model's mode, for dropout and the like.  [default: train]"),
    ] = None,
    optimizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="For the memory of training: adamw, adam, sgd, momentum or none.  [default: adamw]"
        ),
    ] = None,
    dtype: Annotated[Type | None, typer.Option(metavar="TYPE", help="By default as the model is built.")] = None,
    attention: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For a config.json, transformers' attn_implementation: sdpa, eager or regard, whose masks are known "
            "at any length.  [default: transformers' own]",
        ),
    ] = None,
    recompute: Annotated[
        bool,
        typer.Option(
            "--recompute",
            help="Blocks are computed again on the way back, as with training.execution.recompute: what that saves and "
            "what it takes.",
        ),
    ] = False,
    device: Machine = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Predict the time as torch.compile would run it, not eagerly.")
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="NxMACHINE",
            help="The price of training on so many GPUs, 1024xh200, by the best meshes: with --tokens 15e12, --batch "
            "the sequences of a step, --at N=8192 their length.",
        ),
    ] = None,
    network: Annotated[
        float | None,
        typer.Option(
            metavar="GBIT", help="Of --cluster: Gbit/s of each GPU's own network card.  [default: the node's]"
        ),
    ] = None,
    depth: Annotated[int, size("Levels of modules in the table.")] = 3,
    real: Annotated[
        bool, typer.Option("--real", help="Run on tensors with contents, for models that depend on them.")
    ] = False,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Also run it here: forward at a few lengths, to fit the exponents of N, and a training step beside "
            "the predicted one.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line per module as CSV.")] = False,
    plot: Annotated[
        Path | None,
        file(
            "--plot",
            "Draw cost against N by part, with the crossovers, or the meshes of --cluster, as SVG.",
            ".svg",
        ),
    ] = None,
    roofline: Annotated[
        Path | None, file("--roofline", "Draw the operations below the machine's roofline, as SVG.", ".svg")
    ] = None,
) -> None:
    """Count a model: parameters, FLOPs forward and backward, bytes, memory, exactly; predict its time; run nothing.

    FLOPs are those of matrix products, two per multiply-add: what the mathematics needs, and what this path executes.
    [b]Examples[/b]:

    regard cost gpt2 --tokens 1024

    regard cost path/to/config.json --batch 8

    regard cost my_model.py:build --input 2x128x512

    regard cost bert-base --symbolic

    regard cost llama-7b --decode 32768 --dtype bfloat16 --device h200

    regard cost gpt2 --batch 8 --dtype bfloat16 --device h200 --compiled --roofline roofline.svg

    regard cost llama3-70b --cluster 1024xh200 --tokens 15e12 --plot meshes.svg
    """
    with bad_input():
        if as_json and as_csv:
            raise ValueError("one form is printed: got --json and --csv; use one of the two")
        if as_csv:
            refuse("--csv prints a line per module", {"--measure": measure})
        whole_call = {"--optimizer": optimizer, "--train or --eval": None if train is None else "", "--real": real}
        whole_call |= {"--compiled": compiled, "--roofline": roofline, "--recompute": recompute}
        sizes = {"--tokens": tokens, "--input": inputs, "--at": at}
        if cluster is not None:
            others = {"--input": inputs, "--dtype": dtype, "--attention": attention, "--device": device}
            others |= {"--symbolic": symbolic, "--decode": decode, "--measure": measure, **whole_call}
            refuse("--cluster prices a whole training", others)
            found = _price(model, cluster, tokens, batch, read_sizes(at), network, plot)
            echo(found.csv() if as_csv else found.json(), nl=as_json) if as_csv or as_json else show(found.rich())
            return
        refuse("--network is of a --cluster", {"--network": network})
        if symbolic:
            refuse("--symbolic gives formulas of a whole call", {"--decode": decode, "--device": device, **whole_call})
        if decode is not None:
            refuse("--decode counts one token", {**sizes, "--measure": measure, "--plot": plot, **whole_call})
        from regard.analysis.cost.count import CannotFake
        from regard.analysis.cost.memory import OPTIMIZERS
        from regard.checks import check_known
        from regard.commands.targets import Request, find_target

        check_known("optimizer", optimizer or "adamw", [*OPTIMIZERS, "none"])
        machine = machine_name(device)
        request = Request(batch=batch, tokens=tokens, inputs=tuple(inputs or ()), sizes=read_sizes(at))
        target = find_target(model, dtype, attention)
        growth, stepped = None, None if optimizer == "none" else optimizer or "adamw"
        try:
            target.check(request)
            if symbolic:
                result: Any = target.formulas(request)
            elif decode is not None:
                result = target.next_token(request, decode, machine)
            else:
                result = _count(target, request, stepped, machine, train, compiled, real, recompute)
            if measure:
                growth = _measure(target, request)
                if not (device or symbolic):
                    result = _measure_step(result, target, request, stepped, train is not False)
            if roofline is not None:
                write_figure(roofline, _draw_roofline(result, machine, target.name))
            if plot is not None:
                write_figure(plot, _draw(target, request))
        except CannotFake as error:
            raise ValueError(str(error).replace("real=True", "--real")) from error
        except (RuntimeError, TypeError, AttributeError, LookupError, ArithmeticError, AssertionError) as error:
            if _is_ours(error):
                raise
            raise ValueError(f"{target.name} rejects the call: {type(error).__name__}: {error}") from error
    if as_csv:
        echo(result.csv(), nl=False)
    elif as_json:
        echo(result.json() if growth is None else f'{{"cost": {result.json()}, "growth": {growth.json()}}}')
    else:
        show(result.rich(depth), *([] if growth is None else [growth.rich()]))


def read_sizes(text: str | None) -> dict[str, int]:
    """Sizes by their letters.

    >>> read_sizes("D=64,H=8")
    {'D': 64, 'H': 8}
    """
    sizes = {}
    for part in [part.strip() for part in (text or "").split(",") if part.strip()]:
        name, _, number = part.partition("=")
        if not name.isidentifier() or not number.isdigit() or int(number) < 1:
            raise ValueError(f"sizes are written as D=64,H=8: got {part!r}")
        sizes[name] = int(number)
    return sizes


def _price(
    model: str,
    cluster: str,
    tokens: int | None,
    batch: int,
    sizes: dict[str, int],
    network: float | None,
    plot: Path | None,
) -> Any:
    """What training on a cluster takes; its drawing is written."""
    from regard.analysis.prediction.architecture import Architecture
    from regard.analysis.prediction.cluster import price_cluster, read_cluster
    from regard.models import PRESETS

    if tokens is None:
        raise ValueError("--cluster prices a whole training: got no --tokens; add --tokens 15e12")
    if unknown := [name for name in sizes if name != "N"]:
        raise ValueError(f"--cluster takes the length of a sequence, N: got --at {unknown[0]}; use --at N=8192")
    gpus, machine = read_cluster(cluster)
    known = PRESETS.get(model)
    architecture = Architecture.read(Path(model)) if known is None else Architecture.of(model, known)
    per_card = None if network is None else network * 1e9 / 8
    options = {"batch": None if batch == 1 else batch, "length": sizes.get("N"), "network": per_card}
    found = price_cluster(architecture, machine, gpus, tokens, **options)
    if plot is not None:
        from regard.analysis.prediction.figures import cluster_figure

        write_figure(plot, cluster_figure(found))
    return found


def _measure_step(result: Any, target: "Target", request: "Request", optimizer: str | None, train: bool) -> Any:
    """The count with the time of a step as it was measured here."""
    import torch

    from regard.analysis.speed.measure import measure_step

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with device:
        module, inputs, keywords = target.make(request)
    found = measure_step(module.train(train), inputs, keywords, optimizer=optimizer, steps=5, warmup=2)
    return replace(result, time=replace(result.time, measured=found.seconds))


def _draw_roofline(result: Any, machine: str, title: str) -> Any:
    from regard.algorithms.planning.machines import table
    from regard.analysis.prediction.figures import roofline_figure

    return roofline_figure(result.time, table(machine), title)


def _count(
    target: "Target",
    request: "Request",
    optimizer: str | None,
    machine: str,
    train: bool | None,
    compiled: bool,
    real: bool,
    recompute: bool,
) -> Any:
    if recompute:
        others = {"--real": real, "--compiled": compiled, "--eval": train is False}
        refuse("--recompute compares two counts of an eager training step", others)
    from regard.analysis.cost.count import cost as count_module
    from regard.analysis.cost.count import count_made

    train = train is not False
    if not real:
        found = count_made(lambda: target.make(request), optimizer, machine, train, compiled)
        return _count_again(found, target, request, optimizer, machine) if recompute else found
    module, inputs, keywords = target.make(request)
    options: dict[str, Any] = {"optimizer": optimizer, "device": machine, "compiled": compiled, "real": True}
    return count_module(module.train(train), *inputs, **options, **keywords)


def _count_again(plain: Any, target: "Target", request: "Request", optimizer: str | None, machine: str) -> Any:
    """The count with blocks that are computed again, and a note of what that changes."""
    from contextlib import ExitStack

    from regard.algorithms.planning.report import si
    from regard.analysis.cost.count import count_made
    from regard.training.recomputation import recomputing

    with ExitStack() as stack:

        def make() -> Any:
            module, inputs, keywords = target.make(request)
            stack.enter_context(recomputing(module))
            return module, inputs, keywords

        found = count_made(make, optimizer, machine, True)
    more = sum(one.executed for one in (found.forward, found.backward))
    more /= sum(one.executed for one in (plain.forward, plain.backward))
    now, before = found.memory, plain.memory
    assert now is not None
    note = (
        f"blocks computed again: activations {si(now.activations, 'B')} instead of {si(before.activations, 'B')}, peak "
        f"{si(now.peak, 'B')} instead of {si(before.peak, 'B')}; {more - 1:.0%} more FLOPs executed"
    )
    return replace(found, notes=(*found.notes, note))


def _is_ours(error: Exception) -> bool:
    """Whether a line of the counter raised it, which is a bug of ours, and not a line of the model or of torch."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals["__name__"].startswith("regard.analysis.")


def _measure(target: "Target", request: "Request") -> Any:
    """Counts and times at a few lengths, and the exponents of both."""
    from regard.analysis.cost.growth import growth

    longest = request.tokens or 512
    lengths = sorted({max(1, longest >> power) for power in range(5)})
    with progress_bar("measuring") as progress:
        return growth(lambda N: target.make(request, N=N), "N", lengths, progress=progress)


def _draw(target: "Target", request: "Request") -> Any:
    """Cost against tokens by part: with the crossovers where there are formulas, else counted at a few lengths."""
    from regard.analysis.cost.figures import cost_figure, cost_figure_of_counts
    from regard.analysis.cost.symbolic import NotPolynomial, count_at

    try:
        found = target.formulas(request)
    except NotPolynomial:
        lengths = [max(1, int((request.tokens or 128) * share)) for share in SPAN]
        counts = {length: count_at(lambda N: target.make(request, N=N), N=length) for length in lengths}
        return cost_figure_of_counts(counts, title=target.name)
    return cost_figure(found, "N" if "N" in found.forward.symbols else "R", title=target.name)
