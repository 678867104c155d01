"""Question 3, decided by runs: whether the number of heads must be tuned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.small_runs import fit, seeded, sizes
from regard.tasks.neighbours import Neighbours, Ring

RING, WIDTH = Ring(words=8, tokens=10, neighbours=(-2, -1, 1, 2)), 32
HEADS = (1, 2, 4, 8, 16, 32)
SEEDS = (0, 1)
STEPS, BATCH, RATE = 150, 32, 1e-2


def batches(size: int, seed: int) -> Iterator[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield RING.draw(size, generator)


def small() -> dict[str, float]:
    """The accuracy on new words for each number of heads, the mean of two seeds."""
    words = next(batches(256, seed=99))
    found = {}
    for num_heads in HEADS:
        right = []
        for seed in SEEDS:
            with seeded(seed):
                model = Neighbours(RING, width=WIDTH, num_heads=num_heads)
            fit(model, batches(BATCH, seed), RING.loss, STEPS, RATE)
            right.append(RING.accuracy(model, words))
        found[f"accuracy of {num_heads}"] = sum(right) / len(right)
    return found


def accuracies() -> tuple[dict[int, float], experiments.Result]:
    result = experiments.result("heads", small)
    return {H: result[f"accuracy of {H}"] for H in sizes(result, "accuracy of ")}, result


@dataclass(frozen=True)
class Tuning:
    """By how much the best number of heads is said to beat the fewest, and the most that the width allows."""

    over_fewest: float
    over_most: float
    at_most: float = 1.0
    here: bool = False  # so much in the small run; in a larger one at all


def sweep(stated: Tuning) -> Sequence[Finding]:
    """The accuracies over H at a fixed width."""
    found, result = accuracies()
    any_at_all = stated.here and not result.is_small
    best = max(found, key=lambda H: found[H])
    sides = (("fewest", min(found), stated.over_fewest), ("most", max(found), stated.over_most))
    row = ", ".join(f"{100 * n:.1f} % with {H}" for H, n in found.items())
    return [
        Finding(
            f"the best against the {name}",
            (0 if any_at_all else said) <= found[best] - found[H] <= stated.at_most and (best != H or said == 0),
            f"H = {best} beats H = {H} by {100 * (found[best] - found[H]):.0f} points: {row} [{result.source}]",
        )
        for name, H, said in sides
    ]


def drawn() -> Lines:
    found, result = accuracies()
    width = f", width {WIDTH}" if result.is_small else ""
    return Lines(
        title=f"Accuracy over the number of heads{width} [{result.source}]",
        x=list(found),
        y={"letters right": list(found.values())},
        x_label="heads H",
        y_label="accuracy",
        log_x=True,
    )


CLAIMS = (
    Claim(
        id="nyu.3h",
        title="Whether the number of heads must be tuned",
        texts=Texts(
            asks="Is the number of heads H, at a fixed width D, a choice that matters?",
            derivation="The cost decides nothing: heads of width $D/H$ cost the same together whatever $H$ is. What "
            "they can do differs. One head has one map and gives each place one mean of values: to look at several "
            "places *at once and apart* takes several heads, or several layers. Too many heads are thin: logits of "
            "heads of width $D/H$ have rank $D/H$ over the places, and at width 1 a head cannot point at a place of "
            "its own for each query.\n\n"
            "The run makes both ends visible: one block has to name the words at four places around each token. How "
            "much it matters is a matter of the task; that both ends can lose is not.",
            quantities={"H": "heads", "D": "width of the model, 32"},
            method="data: rings of 10 random words out of 8, drawn anew for each step; budget: 150 steps of 32 rings, "
            "Adam at 0.01, two seeds for each of six H; figure: accuracy against H",
            code=("regard.models.architectures.encoder:Encoder", "regard.claims.small_runs:fit"),
        ),
        document=Version("a drawback: the number of heads must be tuned", r"H", Tuning(0.02, 0.02)),
        ours=Version(
            "it matters: the best H beats the fewest and the thinnest heads by more than 20 points in the small run",
            r"1 < H^* < D",
            Tuning(0.2, 0.2, here=True),
        ),
        twin=Version("any number of heads does as well, to 2 points", r"\text{any } H", Tuning(0.0, 0.0, at_most=0.02)),
        check=sweep,
        expected=Verdict.BORNE_OUT,
        chart=drawn,
    ),
)
