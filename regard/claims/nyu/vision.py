"""Question 5: the vision transformer's patches, positions and parts against the reference implementation; and a race.

The race is the recipe `conv-vs-vit`. Its numbers have the names `ConvNet on 50` and `ViT on 1437`: accuracies on new
images, means over its seeds.
"""

import functools
import math
from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from regard.claims import experiments
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, HOLDS, PARTLY_BORNE_OUT, REFUTED, Finding, Findings, claim
from regard.claims.findings import equals
from regard.claims.small_runs import seeded, sizes
from regard.layers import LearnedPositions, Patches
from regard.models import PRESETS, BlockConfig, ViT, ViTConfig
from regard.models.block import Block
from regard.recipes.images.conv_vs_vit import KINDS, leader

Side = Callable[[int], int]  # of the patch's side P
Shape = tuple[int, ...]

# ViT-B/16 at 224 pixels with 1000 classes: the number of parameters that torchvision documents of its vit_b_16.
PUBLISHED = 86_567_656
POSITIONS = "vit.embeddings.position_embeddings"
# What transformers' ViTForImageClassification holds at these sizes, by its names: once, and in each of 12 layers.
OUTSIDE: dict[str, Shape] = {
    "vit.embeddings.cls_token": (1, 1, 768),
    POSITIONS: (1, 197, 768),
    "vit.embeddings.patch_embeddings.projection.weight": (768, 3, 16, 16),
    "vit.embeddings.patch_embeddings.projection.bias": (768,),
    "vit.layernorm.weight": (768,),
    "vit.layernorm.bias": (768,),
    "classifier.weight": (1000, 768),
    "classifier.bias": (1000,),
}
IN_LAYER: dict[str, Shape] = {
    **{f"attention.{part}_proj.{kind}": (768, 768)[:n] for part in "qkvo" for n, kind in ((2, "weight"), (1, "bias"))},
    **{f"layernorm_{place}.{kind}": (768,) for place in ("before", "after") for kind in ("weight", "bias")},
    "mlp.fc1.weight": (3072, 768),
    "mlp.fc1.bias": (3072,),
    "mlp.fc2.weight": (768, 3072),
    "mlp.fc2.bias": (768,),
}
REFERENCE = OUTSIDE | {f"vit.layers.{n}.{name}": shape for n in range(12) for name, shape in IN_LAYER.items()}
LOGITS = (0.1114718130, 0.6111349985, -0.4647345846, 0.4058153905, -0.9927280581)  # its, with the numbers of `tiny`


@claim("nyu.5a", HOLDS, twin={"stride": lambda P: P // 2})
def patches(size: Side = lambda P: P, stride: Side = lambda P: P) -> Findings:
    """Patches cut out and multiplied by a matrix, against the stated convolution with the same numbers."""
    for P in (2, 4, 8):
        with seeded(50), torch.no_grad():
            layer, images = Patches(P, 12).double(), torch.randn(2, 3, 16, 24, dtype=torch.float64)
            weight, bias = layer.conv.weight, layer.conv.bias
            cut = functional.unfold(images, P, stride=P).mT  # (B, patches, 3·P²)
            linear = functional.linear(cut, weight.flatten(1), bias)
            kernel = weight[..., : size(P), : size(P)]
            conv = functional.conv2d(images, kernel, bias, stride=stride(P)).flatten(2).mT
            yield equals(f"P = {P}: cut out, then linear, against the convolution", linear, conv, 1e-13)
            yield equals(f"P = {P}: the library's patches", linear, layer(images), 1e-13)


@functools.cache
def base() -> ViT:
    """ViT-B/16, without contents."""
    config = PRESETS["vit-base"]
    assert isinstance(config, ViTConfig)
    with torch.device("meta"):
        return ViT(config)


@claim(
    "nyu.5b",
    REFUTED,
    document={"positions": lambda side, width: ((side, width), (side, width))},
    twin={"positions": lambda side, width: ((side * side, width),)},
)
def difference(
    tokens: Callable[[int, int], int] = lambda image, patch: (image // patch) ** 2,
    positions: Callable[[int, int], tuple[Shape, ...]] = lambda side, width: ((side * side + 1, width),),
) -> Findings:
    """Against the shapes of the reference implementation's weights, and the published number of parameters."""
    config = base().config
    side, width = config.image // config.patch, config.block.width
    own, embedding = OUTSIDE[POSITIONS], OUTSIDE["vit.embeddings.patch_embeddings.projection.weight"]
    holds = tokens(config.image, config.patch) == side**2 and embedding == (width, 3, config.patch, config.patch)
    shown = f"images of {config.image} in patches of {config.patch} are {side**2} tokens, embedded by {embedding}"
    yield Finding("patches", holds, shown)
    said = positions(side, width)
    shown = f"position_embeddings of ViT-B/16 is {own[1:]}: one vector per raster index and one for the class token; "
    yield Finding("shapes of the positions", said == (own[1:],), f"{shown}stated {' and '.join(map(str, said))}")
    total = sum(map(math.prod, REFERENCE.values())) - math.prod(own) + sum(map(math.prod, said))
    shown = f"with these positions ViT-B/16 has {total:,} parameters; published {PUBLISHED:,}"
    yield Finding("number of parameters", total == PUBLISHED, shown)
    theirs, ours = (
        Counter(tuple(n for n in shape if n > 1) for shape in shapes)
        for shapes in (REFERENCE.values(), [parameter.shape for parameter in base().parameters()])
    )
    shown = f"the library's ViT-B/16 has {ours.total()} weights of {len(ours)} shapes, the reference implementation "
    yield Finding("the library's", theirs == ours, f"{shown}{theirs.total()} of {len(theirs)}")


@functools.cache
def tiny() -> tuple[ViT, Tensor]:
    """A small ViT and an image, both filled with sines, whatever generator there is."""
    config = ViTConfig(depth=2, block=BlockConfig(width=16, num_heads=2), image=8, patch=2, classes=5)
    model = ViT(config).double().eval()
    with torch.no_grad():
        for start, (_, parameter) in enumerate(sorted(model.named_parameters())):
            wave = torch.arange(parameter.numel(), dtype=torch.float64) + start
            parameter.copy_(0.3 * wave.sin().view_as(parameter))
    return model, torch.arange(3.0 * 8 * 8, dtype=torch.float64).sin().view(1, 3, 8, 8)


def order() -> tuple[str, ...]:
    """The parts of a block in the order in which they run."""
    model, images = tiny()
    seen: list[str] = []
    parts = list(model.stack.blocks[0].named_children())
    hooks = [part.register_forward_hook(lambda *_, name=name: seen.append(name)) for name, part in parts]
    with torch.no_grad():
        model(images)
    for hook in hooks:
        hook.remove()
    return tuple(seen)


@torch.no_grad()
def write_out(residuals: int) -> Tensor:
    """The logits part by part, with a residual around each block or around each part."""
    model, images = tiny()
    assert isinstance(model.positions, LearnedPositions)
    assert model.head is not None
    assert model.stack.norm is not None
    x = torch.cat((model.class_token.expand(1, 1, -1), model.patches(images)), 1) + model.positions.weight
    for block in model.stack.blocks:
        assert isinstance(block, Block)
        y = block.attention(block.norm(x)) + (x if residuals == 2 else 0)
        x = block.feed_forward(block.feed_forward_norm(y)) + (y if residuals == 2 else x)
    return model.head(model.stack.norm(x)[:, 0])[0]


PARTS = ("norm", "attention", "feed_forward_norm", "feed_forward")
AFTER = ("vit.layernorm", "classifier")


@claim(
    "nyu.5d",
    CORRECTED,
    document={"residuals": 1, "class_token": False, "after": ()},
    twin={"block": (*PARTS[2:], *PARTS[:2])},
)
def recipe(
    block: tuple[str, ...] = PARTS, residuals: int = 2, class_token: bool = True, after: tuple[str, ...] = AFTER
) -> Findings:
    """The list against the built model, whose logits are the reference implementation's, and its weights."""
    model, images = tiny()
    with torch.no_grad():
        logits = model(images).logits
    assert logits is not None
    theirs = torch.tensor(LOGITS, dtype=torch.float64)
    yield Finding("the order in a block", order() == block, f"the order in a block is {', '.join(order())}")
    yield equals("logits of the built model and of the reference implementation", logits[0], theirs, 1e-9)
    name = f"the reference's logits with {residuals} residual{'s' * (residuals > 1)} in a block"
    yield equals(name, theirs, write_out(residuals), 1e-9, detail=True)
    count = (base().config.image // base().config.patch) ** 2
    tokens = OUTSIDE[POSITIONS][1]
    shown = f"the reference implementation's cls_token makes {tokens} tokens of {count} patches"
    yield Finding("class token", tokens == count + class_token, shown, detail=True)
    follows = tuple(dict.fromkeys(name.rpartition(".")[0] for name in OUTSIDE if "embeddings" not in name))
    shown = f"after the blocks it has {' and '.join(follows)}, the list {' and '.join(after) or 'nothing'}"
    yield Finding("after the blocks", follows == after, shown, detail=True)


LEARNT = 0.5  # of new images, far above chance


def run() -> tuple[experiments.Result, list[int]]:
    """The run, and the numbers of images that it learnt from."""
    found = experiments.result("conv-vs-vit")
    return found, sizes(found, "ViT on ")


def draw() -> Lines:
    found, counts = run()
    pairs = {
        kind: [(found[f"{kind} on {count}"], found[f"deviation of {kind} on {count}"]) for count in counts]
        for kind in KINDS
    }
    return Lines(
        title=f"Accuracy ± deviation over the number of training images [{found.source}]",
        x=counts,
        y={kind: [mean for mean, _ in own] for kind, own in pairs.items()},
        x_label="training images",
        y_label="accuracy on new images",
        log_x=True,
        bands={kind: ([m - e for m, e in own], [m + e for m, e in own]) for kind, own in pairs.items()},
    )


@claim("nyu.5c", PARTLY_BORNE_OUT, document={"many": "ViT"}, twin={"few": "ViT", "many": None}, recipe="conv-vs-vit",
       chart=draw)  # fmt: skip
def race(few: str = "ConvNet", many: str | None = "ConvNet") -> Findings:
    """Who is ahead on the fewest images and on the most that the run has, by more than two standard errors."""
    found, (fewest, *_, most) = run()
    for count, said in ((fewest, few), (most, many)):
        if said is None:
            continue
        ahead = leader(found.numbers, count, int(found["seeds"]))
        told = [
            f"{kind} {100 * found[f'{kind} on {count}']:.1f} ± {100 * found[f'deviation of {kind} on {count}']:.1f} %"
            for kind in KINDS
        ]
        shown = f"{count:,} images: {', '.join(told)}, {ahead or 'neither'} ahead, stated {said} [{found.source}]"
        yield Finding(f"ahead on {count}", ahead == said, shown)
    shares = [found[f"{kind} on {most}"] for kind in KINDS]
    shown = f"right on new images after learning from {most:,}: {' and '.join(f'{100 * one:.0f} %' for one in shares)}"
    yield Finding("learnt", min(shares) > LEARNT, f"{shown} [{found.source}]")
