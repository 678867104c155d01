"""Mechanisms to begin with."""

from regard.explore.api import Reply


class Preset(Reply):
    """A mechanism in words, where its tokens are, a sentence about it, and the claim that it belongs to."""

    name: str
    title: str
    says: str
    mask: str
    second: str = ""  # of every other layer
    scores: str = "content"
    weighting: str = "softmax"
    tokens: int = 2048
    grid: tuple[int, int] | None = None
    layers: int = 8
    claim: str | None = None


PRESETS = (
    Preset(
        name="full",
        title="Full",
        mask="everything",
        says="Every token sees every token: N² pairs, and everything is reached at once.",
        layers=4,
        claim="eecs.2d",
    ),
    Preset(
        name="causal",
        title="Causal",
        mask="causal",
        says="A token sees itself and what came before it: half of the pairs, as a language model needs.",
        layers=4,
        claim="eecs.2d",
    ),
    Preset(
        name="window",
        title="Sliding window",
        mask="causal & window(256)",
        says="Itself and 256 tokens back: the cost grows with N, and each layer reaches 256 tokens further.",
        tokens=4096,
        layers=12,
        claim="udl.8",
    ),
    Preset(
        name="global",
        title="Window and global tokens",
        mask="window(64, 64) | global_tokens(4)",
        says="A window, and four tokens that see all and are seen by all: two layers join everything.",
        layers=4,
        claim="udl.8",
    ),
    Preset(
        name="strided",
        title="Strided",
        mask="causal & (window(64) | strided(64))",
        says="The last 64 tokens, and every 64th before them: two layers reach all that came before.",
        layers=4,
        claim="udl.8",
    ),
    Preset(
        name="dilated",
        title="Dilated window",
        mask="dilated(4, 16, 16)",
        says="Every fourth token, 16 to each side: four times as far for the same pairs, but the gaps stay.",
        tokens=512,
        layers=6,
        claim="udl.8",
    ),
    Preset(
        name="neighbours",
        title="Neighbours on a grid",
        mask="neighbours(3, 3)",
        says="The 7 × 7 pixels around each: the reach of a convolution, three pixels further with each layer.",
        grid=(64, 64),
        layers=12,
        claim="udl.8",
    ),
    Preset(
        name="axial",
        title="Axial",
        mask="axial",
        says="One's own row and column: h + w − 1 pixels instead of h · w, and two layers reach all.",
        grid=(64, 64),
        layers=3,
        claim="udl.8",
    ),
    Preset(
        name="shifted",
        title="Shifted tiles",
        mask="tiles(8, 8)",
        second="tiles(8, 8, down=4, right=4)",
        says="Tiles of 8 × 8 pixels, moved by half a tile in every other layer, so that news crosses their borders.",
        grid=(64, 64),
        layers=8,
        claim="udl.8",
    ),
    Preset(
        name="linear",
        title="Linear",
        mask="causal",
        weighting="elu",
        says="Weights that are products of features: sums over keys replace the pairs, and the cost grows with N.",
        layers=4,
        claim="udl.10",
    ),
    Preset(
        name="gaussian",
        title="Gaussian heads",
        mask="everything",
        scores="gaussian",
        says="Weights by position alone, a gaussian around each pixel: rows and columns separate, exactly.",
        grid=(64, 64),
        layers=3,
    ),
)
