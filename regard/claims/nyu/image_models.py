"""Question 5, decided by runs: a ConvNet beside a ViT on growing parts of one set of images."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.small_runs import fit, seeded
from regard.models import BlockConfig, ResNet, ResNetConfig, ViT, ViTConfig
from regard.tasks.shapes import CLASSES, Shapes

SHAPES = Shapes(image=8, side=4, apart=4)
IMAGES = (64, 512, 4096)
BATCH = 32
STEPS = {"ConvNet": 100, "ViT": 300}
RATE = 3e-3

Pair = tuple[Tensor, Tensor]


def model(kind: str) -> nn.Module:
    """Some 20 thousand parameters each."""
    if kind == "ConvNet":
        return ResNet(
            ResNetConfig(image=SHAPES.image, stem="small", classes=CLASSES, widths=(8, 16, 32), depths=(1, 1, 1))
        )
    block = BlockConfig(width=32, num_heads=4, hidden=64)
    return ViT(ViTConfig(depth=2, block=block, image=SHAPES.image, patch=2, classes=CLASSES))


def loss(model: nn.Module, pair: Pair) -> Tensor:
    return functional.cross_entropy(model(pair[0]).logits, pair[1])


def batches(images: Tensor, classes: Tensor, seed: int) -> Iterator[Pair]:
    generator = torch.Generator().manual_seed(seed)
    while True:
        chosen = torch.randint(len(images), (BATCH,), generator=generator)
        yield images[chosen], classes[chosen]


def small() -> dict[str, float]:
    """The accuracy on new images, for each number of images to learn from."""
    images, classes = SHAPES.draw(max(IMAGES), torch.Generator().manual_seed(1))
    new, truth = SHAPES.draw(1024, torch.Generator().manual_seed(99))
    found = {}
    for count in IMAGES:
        for kind, steps in STEPS.items():
            with seeded(0):
                learner = model(kind)
            fit(learner, batches(images[:count], classes[:count], seed=0), loss, steps, RATE)
            with torch.no_grad():
                right = learner(new).logits.argmax(-1) == truth
            found[f"{kind} on {count}"] = right.double().mean().item()
    return found


def accuracies() -> tuple[dict[str, dict[int, float]], str]:
    """By kind and number of images."""
    result = experiments.result("conv-vs-vit", small)
    found = {}
    for kind in STEPS:
        prefix = f"{kind} on "
        rows = {int(name.removeprefix(prefix)): n for name, n in result.numbers.items() if name.startswith(prefix)}
        found[kind] = dict(sorted(rows.items()))
    return found, result.source


@dataclass(frozen=True)
class Race:
    """Who is ahead on the fewest images and on the most, and whether the ViT comes nearer in between."""

    few: str
    many: str
    gap_grows: int  # the sign of the change of ConvNet − ViT from few to many


def race(stated: Race) -> Sequence[Finding]:
    """Accuracies on the fewest and on the most images."""
    found, source = accuracies()
    few, many = min(found["ViT"]), max(found["ViT"])
    findings = []
    for count, said in ((few, stated.few), (many, stated.many)):
        conv, vit = found["ConvNet"][count], found["ViT"][count]
        ahead = "ConvNet" if conv > vit else "ViT"
        borne = "" if ahead == said else f", so that the {said} is ahead is not borne out at this size"
        numbers = f"{count:,} images: ConvNet {100 * conv:.1f} %, ViT {100 * vit:.1f} %"
        findings.append(Finding(f"ahead on {count}", ahead == said, f"{numbers}{borne} [{source}]"))
    gaps = [found["ConvNet"][count] - found["ViT"][count] for count in (few, many)]
    sign = (gaps[1] > gaps[0]) - (gaps[1] < gaps[0])
    shown = f"the ConvNet leads by {100 * gaps[0]:.1f} points on {few:,} images and by {100 * gaps[1]:.1f} on {many:,}"
    return [*findings, Finding("the gap", sign == stated.gap_grows, f"{shown} [{source}]")]


def drawn() -> Lines:
    found, source = accuracies()
    return Lines(
        title=f"Accuracy over the number of training images [{source}]",
        x=list(found["ViT"]),
        y={kind: list(row.values()) for kind, row in found.items()},
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
            "synthetic images cannot show it, and this one does not: where both come near 100 %, nobody is ahead.",
            quantities={"images": "drawn once; both models see the first 64, 512 or 4,096 of them"},
            method="data: images of 8 × 8 with two striped squares in four classes, made on the spot; budget: a "
            "ResNet of three blocks for 100 steps, a ViT of two blocks for 300, of 32 images each, Adam at 0.003, one "
            "seed; 1,024 new images; figure: accuracy against the number of images",
            code=("regard.models.resnet:ResNet", "regard.models.vision:ViT", "regard.tasks.shapes:Shapes"),
        ),
        document=Version(
            "on small data a ConvNet beats ViT, with more data ViT outperforms",
            r"\text{ViT} > \text{ConvNet for many images}",
            Race("ConvNet", "ViT", -1),
        ),
        ours=Version(
            "on small data a ConvNet beats ViT; with more data the gap closes, and at this size it does not turn",
            r"\text{ConvNet} - \text{ViT} \to 0",
            Race("ConvNet", "ConvNet", -1),
        ),
        twin=Version("on small data ViT beats a ConvNet", r"\text{ViT} > \text{ConvNet}", Race("ViT", "ConvNet", -1)),
        check=race,
        expected=Verdict.EXPERIMENT,
        kind="experiment",
        chart=drawn,
    ),
)
