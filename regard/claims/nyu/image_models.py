"""Question 5, decided by runs: a ConvNet beside a ViT on growing parts of one set of real images.

The numbers of a run have the names `ConvNet on 50` and `ViT on 1437`: accuracies on new images, means over its seeds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
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


@dataclass(frozen=True)
class Race:
    """Who is ahead on the fewest images and on the most, and whether the ViT comes nearer in between."""

    few: str
    gap_grows: int  # the sign of the change of ConvNet − ViT from few to many
    many: str | None = None  # in every run
    many_here: str | None = None  # in the small run; a larger one may differ


def race(stated: Race) -> Sequence[Finding]:
    """Accuracies on the fewest and on the most images."""
    found = run()
    few, *_, many = counts(found)
    said_many = stated.many_here if found.is_small and stated.many is None else stated.many
    findings = []
    for count, said in ((few, stated.few), (many, said_many)):
        conv, vit = (found[f"{kind} on {count}"] for kind in KINDS)
        ahead = "ConvNet" if conv > vit else "ViT"
        borne = "" if ahead == said else f"; that the {said} is ahead is not borne out by this run"
        shown = f"{count:,} images: ConvNet {100 * conv:.1f} %, ViT {100 * vit:.1f} %{borne} [{found.source}]"
        if said is not None:
            findings.append(Finding(f"ahead on {count}", ahead == said, shown))
    gaps = [found[f"ConvNet on {count}"] - found[f"ViT on {count}"] for count in (few, many)]
    sign = (gaps[1] > gaps[0]) - (gaps[1] < gaps[0])
    shown = f"ConvNet − ViT: {100 * gaps[0]:+.1f} points on {few:,} images, {100 * gaps[1]:+.1f} on {many:,}"
    return [*findings, Finding("the gap", sign == stated.gap_grows, f"{shown} [{found.source}]")]


def drawn() -> Lines:
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


CLAIMS = (
    Claim(
        id="nyu.5c",
        title="ConvNet or ViT, by the amount of data",
        texts=Texts(
            asks="Does a ConvNet beat a ViT on small data, and does the ViT outperform it with more?",
            derivation="A convolution is told that pixels nearby belong together and that a pattern is the same "
            "wherever it stands. A ViT has to learn both from examples: each patch and each position has numbers of "
            "its own. On few images this shows.\n\n"
            "With more images the gap closes. That the ViT *overtakes* was reported for hundreds of millions of "
            "images, and for models a thousand times larger, against ConvNets of the same cost. A run of seconds on "
            "1,437 images cannot show it, and this one does not.",
            quantities={"images": "real handwritten digits of 8 × 8; both models see the first 50, 270 or all 1,437"},
            method=f"data: 1,437 handwritten digits to learn from, 360 others to test on; budget: the same for both, "
            f"{STEPS} steps of {BATCH} images, Adam at {RATE}, for a ResNet of three blocks and a ViT of two, some 19 "
            f"thousand parameters each, means of {SEEDS} seeds; figure: accuracy against the number of images. Who "
            "is ahead on the most images is stated of the small run alone: of a larger one only that the ConvNet is "
            "on the fewest, and that the gap closes",
            code=(
                "regard.models.architectures.resnet:ResNet",
                "regard.models.architectures.vision:ViT",
                "regard.tasks.digits:digits",
            ),
        ),
        document=Version(
            "on small data a ConvNet beats ViT, with more data ViT outperforms",
            r"\text{ViT} > \text{ConvNet for many images}",
            Race("ConvNet", -1, many="ViT"),
        ),
        ours=Version(
            "on small data a ConvNet beats ViT; with more data the gap closes, and at this size it does not turn",
            r"\text{ConvNet} - \text{ViT} \to 0",
            Race("ConvNet", -1, many_here="ConvNet"),
        ),
        twin=Version("on small data ViT beats a ConvNet", r"\text{ViT} > \text{ConvNet}", Race("ViT", -1)),
        check=race,
        expected=Verdict.BORNE_OUT,
        chart=drawn,
    ),
)
