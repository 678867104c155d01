"""Question 5, decided by runs: a ConvNet beside a ViT on growing parts of one set of real images.

There is no recipe for it yet: a small version is run here. Its numbers have the names `ConvNet on 50` and
`ViT on 1437`: accuracies on new images, means over its seeds.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import PARTLY_BORNE_OUT, Finding, Findings, claim
from regard.claims.small_runs import fit, seeded, sizes
from regard.models import BlockConfig, ResNet, ResNetConfig, ViT, ViTConfig
from regard.tasks.digits import CLASSES, SIDE, Images, digits

COUNTS = (50, 270, 1437)
SEEDS, STEPS, BATCH, RATE = 2, 120, 32, 3e-3
KINDS = ("ConvNet", "ViT")


def model(kind: str) -> nn.Module:
    """Some 19 thousand parameters each."""
    if kind == "ConvNet":
        widths = {"widths": (8, 16, 32), "depths": (1, 1, 1)}
        return ResNet(ResNetConfig(image=SIDE, stem="small", channels=1, classes=CLASSES, **widths))
    block = BlockConfig(width=32, num_heads=4, hidden=64)
    return ViT(ViTConfig(depth=2, block=block, image=SIDE, patch=2, channels=1, classes=CLASSES))


def loss(model: nn.Module, batch: Images) -> Tensor:
    return functional.cross_entropy(model(batch.images).logits, batch.labels)


def batches(images: Images, seed: int) -> Iterator[Images]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield images.draw(BATCH, generator)


def small() -> dict[str, float]:
    """The accuracy on new images, for each number of images to learn from."""
    return {f"{kind} on {count}": sum(learnt(kind, count)) / SEEDS for count in COUNTS for kind in KINDS}


def learnt(kind: str, count: int) -> list[float]:
    """The same number of steps for both kinds and every count, from each seed."""
    train, test = digits()
    found = []
    for seed in range(SEEDS):
        with seeded(seed):
            learner = model(kind)
        fit(learner, batches(train.first(count), seed), loss, STEPS, RATE)
        with torch.no_grad():
            right = learner(test.images).logits.argmax(-1) == test.labels
        found.append(right.double().mean().item())
    return found


def run() -> experiments.Result:
    return experiments.result("conv-vs-vit", small)


def counts(found: experiments.Result) -> list[int]:
    """The numbers of images that the run learnt from."""
    return sizes(found, "ViT on ")


def draw() -> Lines:
    found = run()
    sizes = counts(found)
    return Lines(
        title=f"Accuracy over the number of training images [{found.source}]",
        x=sizes,
        y={kind: [found[f"{kind} on {count}"] for count in sizes] for kind in KINDS},
        x_label="training images",
        y_label="accuracy on new images",
        log_x=True,
    )


@claim("nyu.5c", PARTLY_BORNE_OUT, document={"many": "ViT"}, twin={"few": "ViT", "many": None}, recipe="conv-vs-vit",
       chart=draw)  # fmt: skip
def race(few: str = "ConvNet", many: str | None = "ConvNet", closes: bool = True) -> Findings:
    """Who is ahead on the fewest images and on the most, and whether the ViT comes nearer in between."""
    found = run()
    fewest, *_, most = counts(found)
    gaps = {count: found[f"ConvNet on {count}"] - found[f"ViT on {count}"] for count in (fewest, most)}
    for count, said in ((fewest, few), (most, many)):
        if said is None:
            continue
        conv, vit = (found[f"{kind} on {count}"] for kind in KINDS)
        ahead = "ConvNet" if gaps[count] > 0 else "ViT"
        shown = f"{count:,} images: ConvNet {100 * conv:.1f} %, ViT {100 * vit:.1f} %, stated {said} ahead"
        yield Finding(f"ahead on {count}", ahead == said, f"{shown} [{found.source}]")
    shown = f"ConvNet − ViT: {100 * gaps[fewest]:+.1f} points on {fewest:,} images, {100 * gaps[most]:+.1f} on {most:,}"
    yield Finding("the gap", (gaps[most] < gaps[fewest]) == closes, f"{shown} [{found.source}]")
