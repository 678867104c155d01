"""`regard plan`, `doctor` and `calibrate`: which algorithm a call or each layer of a model takes, and its table."""

from pathlib import Path
from typing import Annotated

import typer

from regard.commands.options import (
    MASKS,
    Device,
    GridSize,
    Machine,
    Stride,
    Type,
    file,
    is_whole,
    machine_name,
    present_device,
    read_places,
    refuse,
    size,
)
from regard.commands.output import bad_input, progress_bar, show, show_result, write_file

ScoresText = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="What is scored: content, content(beta=0.3, cap=50), slopes, gaussian, diagonal_gaussian, full_gaussian, "
        "table, table(bound), row_table, column_table, joined by +. Without content there is neither q nor k.",
    ),
]
WeightingText = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="From scores to weights: softmax, sink (a softmax with one), hard, or linear attention with the features "
        "elu, relu, squared_relu, exp, identity, random_features(count).",
    ),
]
Cached = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="With N tokens in a cache already, what do --tokens more cost (by default 1), and what does the cache?",
    ),
]
Lengths = Annotated[
    str | None,
    typer.Option(
        metavar="N,N,…", help="A padded batch: real tokens per row, as 512,1024,4096. Adds padding(…) to the mask."
    ),
]


def plan(
    batch: Annotated[int | None, size("Rows B; by default one per length given, or 4.")] = None,
    heads: Annotated[int, size("Heads H.")] = 16,
    groups: Annotated[int | None, size("Key-value heads G, a divisor of the heads; by default as many.")] = None,
    tokens: Annotated[int | None, size("Queries T; by default the longest length given, or 4096.")] = None,
    keys: Annotated[int | None, size("Keys S; by default as many as queries.")] = None,
    width: Annotated[int, size("Width D of a head's queries and keys; without content, of its values.")] = 64,
    value_width: Annotated[int | None, size("Width E of a head's values; by default D.")] = None,
    grid: GridSize = None,
    stride: Stride = None,
    mask: Annotated[str, typer.Option(metavar="TEXT", help=MASKS)] = "everything",
    scores: ScoresText = "content",
    weighting: WeightingText = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="One-hot at the largest logit: short for --weighting hard.")
    ] = False,
    cached: Cached = None,
    lengths: Lengths = None,
    dtype: Annotated[
        Type | None, typer.Option(metavar="TYPE", help="By default bfloat16 on a GPU, float32 on a CPU.")
    ] = None,
    device: Machine = None,
    backward: Annotated[
        bool, typer.Option("--backward/--forward-only", help="Whether the backward pass counts too.")
    ] = True,
    dropout: Annotated[float, typer.Option(metavar="P", help="Probability of dropping a weight.")] = 0.0,
    lse: Annotated[bool, typer.Option("--lse", help="Ask for the log-sum-exp of the logits too.")] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print chosen, device, its table, dtype, backward, shape, attention, candidates as JSON."
        ),
    ] = False,
) -> None:
    """Show every algorithm's cost or reason to refuse, and which one [b]attend[/b] would choose.

    Nothing is computed, so that you can plan for a machine that you don't have. [b]Examples[/b]:

    regard plan --mask "causal & window(256)" --tokens 16384 --device h200

    regard plan --heads 32 --groups 8 --keys 8192 --tokens 1 --forward-only --json

    regard plan --grid 64x64 --scores gaussian --heads 9 --groups 1 --width 400 --device h200

    regard plan --mask causal --cached 32768 --heads 32 --groups 8 --device h200

    regard plan --mask causal --weighting elu --tokens 16384
    """
    with bad_input():
        from regard.algorithms import next_token
        from regard.analysis.mechanisms import batch_of, build_mechanism, dtype_of, plan_mechanism
        from regard.attention import Everything, Padding, Shape
        from regard.attention.notation import check_sizes, parse_mask, parse_weighting

        if hard and weighting is not None:
            raise ValueError(f"--hard is a weighting: got --weighting {weighting} too; use one of the two")
        machine = machine_name(device)
        visible = parse_mask(mask)
        if lengths is not None:
            padding = Padding(read_lengths(lengths))
            visible = padding if isinstance(visible, Everything) else visible & padding
        rows, longest = batch_of(visible)
        if batch is not None and rows not in (None, batch):
            said = "--mask" if lengths is None else "--lengths"
            raise ValueError(f"{said} says how many rows there are: got {rows} and --batch {batch}; use one of the two")
        places = read_places(grid, stride, tokens, keys, default=longest or (4096 if cached is None else 1))
        learns = backward and cached is None
        weights = parse_weighting("hard" if hard else weighting or "softmax", heads, width, learns)
        attention = build_mechanism(scores, visible, weights, places, heads, learns)
        B, G, T, E = batch or rows or 4, groups or heads, places.queries.count, value_width or width
        if cached is None:
            sizes = (B, heads, G, T, places.keys.count, width, E)
            result = plan_mechanism(sizes, attention, dtype, machine, backward, dropout, lse)
        else:
            useless = {"--dropout": dropout or None, "--lse": lse, "--grid": grid, "--keys": keys, "--lengths": lengths}
            refuse("--cached plans equal rows of tokens in a line, one step", useless)
            check_sizes((B, heads, cached + T, max(width, E)))
            shape = Shape(B, heads, G, T, cached + T, width, E)
            result = next_token(shape, attention, dtype=dtype_of(dtype, machine), device=machine)
    show_result(result, as_json)


def read_lengths(text: str) -> list[int]:
    """Whole numbers with commas between them.

    >>> read_lengths("512, 1024")
    [512, 1024]
    """
    for part in text.split(","):
        if not is_whole(part):
            raise ValueError(f"--lengths must be whole numbers with commas: got {part!r} in {text!r}; write 512,1024")
    return [int(part) for part in text.split(",")]


def calibrate(
    out: Annotated[Path, file("--out", "Where to write the table; its name ends in .json.", ".json")] = Path(
        "machine.json"
    ),
    device: Device = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            max=3600.0,
            metavar="S",
            help="How long to time problems; more is more exact. By default 60 on a CPU, 300 elsewhere.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Which random problems.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table and its errors as JSON.")] = False,
) -> None:
    """Measure this machine, and write a table by which [b]regard plan[/b] and [b]regard cost[/b] predict its times.

    Large products, copies and launches first, then random problems by every algorithm that takes them, to which the
    table is fitted. Leave the machine alone meanwhile. The table is used where it is named, and nowhere else:
    [b]attend[/b] goes on to choose by the shipped ones, so that all machines of a run agree. [b]Examples[/b]:

    regard calibrate --out laptop.json

    regard plan --mask "window(64)" --tokens 4096 --device laptop.json
    """
    with bad_input():
        if out.exists() and not force:
            raise ValueError(f"--out must be a new file: got {out}, which exists; give another name or --force")
        import torch

        from regard.analysis.calibration import calibrate as measure

        where = torch.device(present_device(device))
        limit = seconds or (60.0 if where.type == "cpu" else 300.0)
        with progress_bar("measuring") as progress:
            found = measure(where, seconds=limit, seed=seed, progress=progress)
        write_file(out, found.json())
    show_result(found, as_json)
    if not as_json:
        show(f"written to {out}; use it by --device {out}")


def doctor(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A model's folder, or its config.json.")],
    batch: Annotated[int | None, size("Rows B; by default one per length given, or 8.")] = None,
    tokens: Annotated[
        int | None,
        size("Tokens of each row; by default the longest length given, or 512, or as many as the model has positions."),
    ] = None,
    lengths: Lengths = None,
    cached: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="With N tokens in a cache already, and --tokens more (by default 1)."),
    ] = 0,
    train: Annotated[
        bool, typer.Option("--train/--eval", help="Forward and backward, with dropout; or forward.")
    ] = False,
    dtype: Annotated[
        Type | None, typer.Option(metavar="TYPE", help="By default bfloat16 on a GPU, float32 on a CPU.")
    ] = None,
    device: Machine = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every kind of layer as JSON.")] = False,
) -> None:
    """Say what each layer would use with [b]attn_implementation="regard"[/b], why, and what it costs beside sdpa.

    The model is built without weights and runs on tensors without contents. Times are predicted from the tables of
    the machine. [b]Examples[/b]:

    regard doctor path/to/model

    regard doctor path/to/model --lengths 512,256,128,64 --train --device h200

    regard doctor path/to/model --cached 32768 --batch 16 --device h200 --json
    """
    with bad_input():
        from regard.analysis.mechanisms import dtype_of
        from regard.checks import MissingExtra

        try:
            from regard.integrations.transformers.doctor import Examination, examine
        except ImportError as error:
            raise MissingExtra("regard doctor", "transformers 5.22 or newer", "transformers") from error
        real = None if lengths is None else tuple(read_lengths(lengths))
        if cached:
            refuse("--cached plans equal rows, one step", {"--lengths": lengths, "--train": train})
        if real is not None and batch not in (None, len(real)):
            raise ValueError(f"--lengths says how many rows there are: got {len(real)} and --batch {batch}; use one")
        if real is not None and tokens is not None and tokens < max(real):
            raise ValueError(f"--tokens must hold the longest length, {max(real)}: got {tokens}; leave it out")
        machine = machine_name(device)
        examination = Examination(
            batch=len(real) if real else batch or 8,
            tokens=tokens or (max(real) if real else None),
            real=real,
            cached=cached,
            dtype=dtype_of(dtype, machine),
            device=machine,
            training=train,
        )
        result = examine(folder, examination)
    show_result(result, as_json)
