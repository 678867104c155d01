"""Question 5: the vision transformer's patches, positions and parts."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.nyu import image_models
from regard.claims.small_runs import seeded
from regard.layers import LearnedPositions, Patches
from regard.models import PRESETS, BlockConfig, ViT, ViTConfig
from regard.models.block import EVERYTHING, Around, Block
from regard.models.hugging_face.names import VIT, stored

# ViT-B/16 at 224 pixels with 1000 classes: the number of parameters that torchvision documents of its vit_b_16.
PUBLISHED = 86_567_656


@dataclass(frozen=True)
class Embedding:
    """Size and stride of the convolution that embeds patches of P × P."""

    size: Callable[[int], int]
    stride: Callable[[int], int]


def patches(stated: Embedding) -> Sequence[Finding]:
    """Patches cut out and multiplied by a matrix, against the stated convolution with the same numbers."""
    findings = []
    for P in (2, 4, 8):
        with seeded(50), torch.no_grad():
            layer, images = Patches(P, 12).double(), torch.randn(2, 3, 16, 24, dtype=torch.float64)
            weight, bias = layer.conv.weight, layer.conv.bias
            cut = functional.unfold(images, P, stride=P).mT  # (B, patches, 3·P²)
            linear = functional.linear(cut, weight.flatten(1), bias)
            kernel = weight[..., : stated.size(P), : stated.size(P)]
            conv = functional.conv2d(images, kernel, bias, stride=stated.stride(P)).flatten(2).mT
            findings += [
                equals(f"P = {P}: cut out, then linear, against the convolution", linear, conv, 1e-13),
                equals(f"P = {P}: the library's patches", linear, layer(images), 1e-13),
            ]
    return findings


PATCHES = Claim(
    id="nyu.5a",
    title="Patches as a convolution",
    texts=Texts(
        asks="Is the patch embedding of a vision transformer a convolution?",
        derivation="A patch of $P \\times P$ pixels and $c$ channels is flattened to $cP^2$ numbers and multiplied by "
        "a matrix $E$ with $D$ rows. Written with the pixel's place in the patch, $y_p = b + \\sum_{i,j,c} "
        "E_{c,i,j}\\, x_{c,\\,P p_1 + i,\\,P p_2 + j}$: the convolution with the kernel $E$ of size $P$, read at "
        "every $P$-th pixel, without padding.",
        quantities={"P": "pixels of a patch's side", "E": "the embedding", "D": "width of a token"},
        method="float64, P = 2, 4, 8 on images of 16 × 24, to 1e-13",
        code=("regard.layers.patches:Patches",),
    ),
    ours=Version("a convolution of P × P with stride P", r"K = s = P", Embedding(size=lambda P: P, stride=lambda P: P)),
    twin=Version(
        "a convolution of P × P with stride P/2",
        r"K = P,\; s = P/2",
        Embedding(size=lambda P: P, stride=lambda P: P // 2),
    ),
    check=patches,
    expected=Verdict.HOLDS,
)


@functools.cache
def base() -> ViT:
    """ViT-B/16, without contents."""
    config = PRESETS["vit-base"]
    assert isinstance(config, ViTConfig)
    with torch.device("meta"):
        return ViT(config)


@functools.cache
def file_shapes() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights as published files have them."""
    return {name: entry.shape for name, entry in stored(base(), VIT).items()}


@dataclass(frozen=True)
class Difference:
    """How ViT's input differs from a Transformer's: tokens of an image, and shapes of the learned positions."""

    tokens: Callable[[int, int], int]  # patches of images of so many pixels, in patches of so many
    positions: Callable[[int, int], tuple[tuple[int, ...], ...]]  # patches along a side, width


def difference(stated: Difference) -> Sequence[Finding]:
    """Against the shapes in published files, and the published number of parameters."""
    config = base().config
    side, width = config.image // config.patch, config.block.width
    count = stated.tokens(config.image, config.patch)
    own = tuple(shape[-2:] for name, shape in file_shapes().items() if "position" in name)
    said = stated.positions(side, width)
    total = sum(parameter.numel() for parameter in base().parameters())
    with_said = total - sum(a * b for a, b in own) + sum(a * b for a, b in said)
    embedding = file_shapes()["embeddings.patch_embeddings.projection.weight"]
    return [
        Finding(
            "patches",
            count == side**2 == config.num_tokens - 1 and embedding == (width, 3, config.patch, config.patch),
            f"images of {config.image} in patches of {config.patch} are {side**2} tokens, embedded by {embedding}",
        ),
        Finding(
            "shapes of the positions",
            said == own,
            f"position_embeddings of ViT-B/16 is {' and '.join(map(str, own))}: one vector per raster index and one "
            f"for the class token; stated {' and '.join(map(str, said))}",
        ),
        Finding(
            "number of parameters",
            with_said == PUBLISHED,
            f"with these positions ViT-B/16 has {with_said:,} parameters; published {PUBLISHED:,}",
        ),
    ]


POSITIONS = Claim(
    id="nyu.5b",
    title="How ViT differs from a Transformer",
    texts=Texts(
        asks="In what does the input of a vision transformer differ from that of a Transformer for text?",
        derivation="The tokens are patches: $(224/16)^2 = 196$ of them, each embedded by a $16 \\times 16$ "
        "convolution. The positions are *not* two-dimensional: ViT learns one vector for each raster index $1 \\ldots "
        "196$ and one for the class token, a table of $197 \\times 768$ that knows nothing of rows and columns. "
        "(After training, vectors of one row or column are alike: that is learnt. Its authors tried two-dimensional "
        "tables and found no gain.)\n\n"
        "A table for rows plus one for columns would have $(14 + 14) \\times 768$ numbers, and the model 129,792 "
        "fewer than are published.",
        quantities={"197": "patches and the class token", "768": "width of ViT-B"},
        method="exact: names and shapes by which this library reads published files (loading them is tested against "
        "the reference implementation), and the number of parameters that torchvision documents for ViT-B/16, "
        "86,567,656",
        code=("regard.models.architectures.vision:ViT", "regard.models.hugging_face.names:VIT"),
    ),
    document=Version(
        "patches, and 2-D positions",
        r"p_{r,c} = R_r + C_c",
        Difference(lambda image, patch: (image // patch) ** 2, lambda side, width: ((side, width), (side, width))),
    ),
    ours=Version(
        "patches, and a learned 1-D vector per raster index and for the class token",
        r"p \in \mathbb{R}^{(hw + 1) \times D}",
        Difference(lambda image, patch: (image // patch) ** 2, lambda side, width: ((side * side + 1, width),)),
    ),
    twin=Version(
        "patches, and a learned 1-D vector per raster index without one for a class token",
        r"p \in \mathbb{R}^{hw \times D}",
        Difference(lambda image, patch: (image // patch) ** 2, lambda side, width: ((side * side, width),)),
    ),
    check=difference,
    expected=Verdict.REFUTED,
)


@dataclass(frozen=True)
class Recipe:
    """The parts of a ViT, in order, as somebody lists them."""

    block: tuple[str, ...]
    residuals: int  # of a block
    class_token: bool
    last: tuple[str, ...]  # what follows the blocks, by the names in published files


@functools.cache
def tiny() -> tuple[ViT, Tensor]:
    """A small ViT, its norms not at their beginning, and images."""
    config = ViTConfig(depth=2, block=BlockConfig(width=16, num_heads=2), image=8, patch=2, classes=5)
    with seeded(51):
        model, images = ViT(config).double().eval(), torch.randn(3, 3, 8, 8, dtype=torch.float64)
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                nn.init.normal_(module.weight)
    return model, images


def order() -> tuple[str, ...]:
    """The parts of a block in the order in which they run."""
    model, images = tiny()
    block = model.stack.blocks[0]
    seen: list[str] = []
    hooks = [
        part.register_forward_hook(lambda *_, name=name: seen.append(name)) for name, part in block.named_children()
    ]
    with torch.no_grad():
        model(images)
    for hook in hooks:
        hook.remove()
    return tuple(seen)


def rebuilt(residuals: int) -> tuple[Tensor, Tensor]:
    """The tokens after the blocks: of the model, and by hand with a residual around each block or each part."""
    model, images = tiny()
    assert isinstance(model.positions, LearnedPositions)
    with torch.no_grad():
        first = model.class_token.expand(len(images), 1, -1)
        x = torch.cat((first, model.patches(images)), 1) + model.positions.weight
        true = x
        for block in model.stack.blocks:
            assert isinstance(block, Block)
            true = block(true, Around(mask=EVERYTHING))
            y = block.attention(block.norm(x))
            y = x + y if residuals == 2 else y
            z = block.feed_forward(block.feed_forward_norm(y))
            x = y + z if residuals == 2 else x + z
    return true, x


def recipe(stated: Recipe) -> Sequence[Finding]:
    """The recipe against the built model, and against what published files hold."""
    model, images = tiny()
    true, by_hand = rebuilt(stated.residuals)
    names = [name for name in file_shapes() if name.startswith(("layernorm.", "classifier."))]
    after = tuple(dict.fromkeys(name.split(".")[0] for name in names))
    tokens = model.config.num_tokens - (not stated.class_token)
    count = (base().config.image // base().config.patch) ** 2
    with torch.no_grad():
        out = model(images)
        assert out.logits is not None
        assert model.head is not None
        head = equals("the logits are the head of the class token", out.logits, model.head(out.hidden[:, 0]), 1e-13)
    return [
        Finding("the order in a block", order() == stated.block, f"the order in a block is {', '.join(order())}"),
        head,
        equals(
            f"blocks of {stated.residuals} residual{'s' * (stated.residuals > 1)}", true, by_hand, 1e-12, detail=True
        ),
        Finding(
            "class token",
            out.hidden.shape[1] == tokens and ("embeddings.cls_token" in file_shapes()) == stated.class_token,
            f"a file of ViT-B/16 has embeddings.cls_token {file_shapes()['embeddings.cls_token']}: {count} patches are "
            f"{count + 1} tokens",
            detail=True,
        ),
        Finding(
            "after the blocks",
            after == stated.last,
            f"after the blocks a file has {' and '.join(after)}, the recipe {' and '.join(stated.last) or 'nothing'}",
            detail=True,
        ),
    ]


PARTS = ("norm", "attention", "feed_forward_norm", "feed_forward")

RECIPE = Claim(
    id="nyu.5d",
    title="The parts of ViT",
    texts=Texts(
        asks="What does a vision transformer compute, from the image to the class?",
        derivation="Embed the patches, put a class token before them, add the positions. Then $L$ times, with *two* "
        "residuals: $y = x + \\operatorname{attention}(\\operatorname{LN}(x))$, $x \\leftarrow y + "
        "\\operatorname{MLP}(\\operatorname{LN}(y))$. Then a final layer norm, and of the class token (or the mean of "
        "all) a linear map to the classes, whose softargmax are the probabilities.\n\n"
        "The document's list has the order within a block right. It leaves out the first residual, the class token, "
        "the final norm and the linear head: a softargmax of tokens of width $D$ would not have one entry per class.",
        quantities={"L": "blocks", "D": "width"},
        method="a built model of two blocks in float64, by hooks and by hand to 1e-12; names and shapes of published "
        "files of ViT-B/16, by the table with which this library reads them",
        code=(
            "regard.models.architectures.vision:ViT",
            "regard.models.block:Block",
            "regard.models.hugging_face.names:VIT",
        ),
    ),
    document=Version(
        "embed, L × (LN, attention, LN, MLP, residual), softargmax",
        r"x \leftarrow x + \operatorname{MLP}(\operatorname{LN}(\operatorname{attention}(\operatorname{LN}(x))))",
        Recipe(PARTS, residuals=1, class_token=False, last=()),
    ),
    ours=Version(
        "two residuals per block, a class token, a final LayerNorm and a linear head besides",
        r"y = x + A(\operatorname{LN}(x)),\; x \leftarrow y + \operatorname{MLP}(\operatorname{LN}(y))",
        Recipe(PARTS, residuals=2, class_token=True, last=("layernorm", "classifier")),
    ),
    twin=Version(
        "the MLP comes before attention",
        r"x \leftarrow x + \operatorname{attention}(\operatorname{MLP}(x))",
        Recipe(
            ("feed_forward_norm", "feed_forward", "norm", "attention"),
            residuals=2,
            class_token=True,
            last=("layernorm", "classifier"),
        ),
    ),
    check=recipe,
    expected=Verdict.CORRECTED,
)

CLAIMS = (PATCHES, POSITIONS, RECIPE, *image_models.CLAIMS)
