"""`regard doctor`: what each layer of a model of transformers would use, and what that costs beside sdpa."""

from pathlib import Path
from typing import Annotated

import typer

from regard.commands.options import Machine, Type, machine_name, refuse, size
from regard.commands.output import bad_input, show_result
from regard.commands.plan import Lengths, read_lengths


def doctor(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A model's folder, or its config.json.")],
    batch: Annotated[int | None, size("Rows B; by default one per length given, or 8.")] = None,
    tokens: Annotated[int | None, size("Tokens of each row; by default the longest length given, or 512.")] = None,
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
