"""Everyday attention beside what torch and transformers do: `python -m benchmarks.everyday --device cuda --out r.json`.

Wall time per call, host included: calls as small as they come, padded batches with lengths that were there before and
lengths that are new, documents in one row, dropout, and whole layers in training. Every row is first compared with its
peer. A missed bar is a line of the table, not an error. `--rows PATTERN` takes the sections in whose names it is found.
"""

import argparse
import re
import sys
from functools import partial

import torch

from benchmarks import everyday_calls, everyday_layers
from benchmarks.session import Section, Sections, run
from benchmarks.setting import Setting
from benchmarks.timing import Effort

EFFORTS = {
    "cuda": Effort(seconds=2.0, rounds=(5, 30), slice=10e-3),
    "cpu": Effort(seconds=2.0, rounds=(3, 15), slice=10e-3),
}
QUICK = Effort(seconds=0.0, rounds=(2, 2), slice=0.0)


class Everyday(Setting):
    """The setting of a run on the clock of the wall."""

    @property
    def effort(self) -> Effort:
        return EFFORTS[self.device.type] if self.scale == "full" else QUICK


def sections(setting: Setting, compiled: bool) -> Sections:
    """What there is to measure, by name."""
    found: dict[str, Section] = {
        "overhead default value": partial(everyday_calls.overhead, causal=False),
        "overhead Causal()": partial(everyday_calls.overhead, causal=True),
    }
    for case in everyday_calls.cases(setting):
        found[f"padding {case.label}"] = partial(everyday_calls.padded, case=case)
    found |= {"documents": everyday_calls.documents, "dropout": everyday_calls.dropped}
    for layer in everyday_layers.cases(compiled or setting.on_cuda):
        found[f"layers {layer.label}"] = partial(everyday_layers.layers, case=layer)
    return found


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--rows", default="")
    own.add_argument("--compiled", action="store_true", help="compiled layers on the CPU too")
    options, rest = own.parse_known_args(words)
    known = {kind: sections(Setting(torch.device(kind)), options.compiled) for kind in ("cpu", "cuda")}
    chosen = {
        kind: {name: section for name, section in here.items() if re.search(options.rows, name)}
        for kind, here in known.items()
    }
    if not any(chosen.values()):
        raise SystemExit(f"no rows match {options.rows!r}: use a part of one of {'; '.join(known['cuda'])}")
    run("benchmarks.everyday", "Everyday attention", __doc__, chosen, rest, words, Everyday)


if __name__ == "__main__":
    main()
