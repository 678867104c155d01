"""Question 3, decided by runs: whether the number of heads must be tuned."""

import torch
from torch.nn import functional

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import BORNE_OUT, Finding, Findings, View, claim
from regard.claims.small_runs import sizes
from regard.tasks.neighbours import Ring


def accuracies() -> tuple[dict[int, float], experiments.Result]:
    """The accuracy by the number of heads, and the run that it is of."""
    result = experiments.result("heads")
    return {H: result[f"accuracy of {H}"] for H in sizes(result, "accuracy of ")}, result


def draw() -> Lines:
    found, result = accuracies()
    return Lines(
        title=f"Accuracy over the number of heads at one width [{result.source}]",
        x=list(found),
        y={"words right": list(found.values())},
        x_label="heads H",
        y_label="accuracy",
        log_x=True,
    )


@claim(
    "nyu.3h",
    BORNE_OUT,
    document={"least": 0.02, "of_any": 0.02, "task": False},
    twin={"least": 0.0, "most": 0.02},
    recipe="heads",
    view=View("runs", "See how the heads were trained", {"run": "heads"}),
    chart=draw,
)
def sweep(least: float = 0.2, of_any: float = 0.0, most: float = 1.0, task: bool = True) -> Findings:
    """By how much the best number beats both ends: `least` with the recipe's settings, else `of_any`; what is asked."""
    found, result = accuracies()
    best, low = max(found, key=lambda H: found[H]), of_any if result.is_changed else least
    row = ", ".join(f"{100 * right:.1f} % with {H}" for H, right in found.items())
    for name, H in (("fewest", min(found)), ("most", max(found))):
        gain = found[best] - found[H]
        shown = f"H = {best} beats the {name}, {H}, by {100 * gain:.1f} points"
        shown += f": {row}" if name == "fewest" else ""
        yield Finding(f"the best against the {name}", low <= gain <= most, f"{shown} [{result.source}]")
    if not task:
        return
    ring = Ring(words=8, tokens=7, neighbours=(-2, 1, 3))
    words = ring.draw(50, torch.Generator().manual_seed(0))
    named = [[[row[(t + shift) % 7] for shift in ring.neighbours] for t in range(7)] for row in words.tolist()]
    right = ring.accuracy(lambda _: functional.one_hot(torch.tensor(named), 8), words)
    shown = f"who names the words at {', '.join(map(str, ring.neighbours))} places from each of 7 is right in "
    yield Finding("what is asked", right == 1, f"{shown}{100 * right:.0f} %")
