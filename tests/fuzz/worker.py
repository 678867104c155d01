"""One process of the fuzz: cases of every n-th seed, one line of JSON before each step and one after each case."""

import argparse
import json
import sys
import warnings

import torch

from tests.fuzz.drawing import draw
from tests.fuzz.running import ContextLostError, examine
from tests.fuzz.shrinking import shrink, signature

SHOWN = 2  # failures of one kind that are made smaller: the others are counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # torch's own, about kernels that it did not take
    told: dict[str, int] = {}
    seed = options.first
    while True:
        try:
            report(seed, options.device, told)
        except ContextLostError as error:
            tell({"lost": seed, "why": str(error)[:300]})
            sys.exit(3)
        seed += options.step


def tell(line: dict) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def report(seed: int, device: str, told: dict[str, int]) -> None:
    """Examine one case and tell what came of it."""
    tell({"begins": seed})
    case = draw(seed, device)
    outcome = examine(case, tell=lambda name: tell({"runs": name}))
    failures = []
    for name, verdict in outcome.wrong.items():
        kind = f"{name}: {signature(verdict)}"
        told[kind] = told.get(kind, 0) + 1
        text = outcome.shown[name] if told[kind] <= SHOWN else ""
        if told[kind] <= SHOWN:
            tell({"runs": f"{name}, made smaller"})
            text = shrink(case, name, verdict)[1] or text
        failures.append({"algorithm": name, "kind": signature(verdict), "verdict": verdict, "text": text})
    verdicts = {name: verdict if name not in outcome.wrong else "wrong" for name, verdict in outcome.verdicts.items()}
    tell(
        {
            "done": seed,
            "verdicts": verdicts,
            "chosen": outcome.chosen,
            "call": case.call,
            "world": case.world,
            "dtype": case.dtype,
            "failures": failures,
        }
    )


if __name__ == "__main__":
    main()
