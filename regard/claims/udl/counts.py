"""Problems 12.1: how many weights and biases, of attention and of a fully connected layer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import nn

from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees
from regard.layers import MultiHead

SIZES = [{"D": D} for D in (1, 2, 3, 8, 65)]


@dataclass(frozen=True)
class Counts:
    """Weights and biases as functions of the sizes."""

    weights: Callable[..., int]
    biases: Callable[..., int]


def projections(stated: Counts) -> Sequence[Finding]:
    """Count the built projections of q, k and v."""
    return [
        agrees("weights of q, k, v", stated.weights, lambda D: counted(D, "weight"), SIZES),
        agrees("biases of q, k, v", stated.biases, lambda D: counted(D, "bias"), SIZES),
    ]


def counted(D: int, kind: str) -> int:
    layer = MultiHead(D, 1, device="meta")
    parts: list[nn.Module] = [layer.query, layer.key, layer.value]
    return sum(tensor.numel() for part in parts for name, tensor in part.named_parameters() if name == kind)


CLAIMS = (
    Claim(
        id="udl.1a",
        title="Weights and biases of the projections",
        texts=Texts(
            asks="N tokens of width D pass through attention: how many weights and biases make q, k and v?",
            derivation="Each of $q = W_q x + b_q$, $k$, $v$ maps $D$ numbers to $D$: a $D \\times D$ matrix and a bias "
            "*vector* of $D$ entries. The tokens share them, so $N$ does not appear.",
            quantities={"D": "width of a token"},
            code=("regard.layers.multihead:MultiHead",),
        ),
        document=Version("3D² weights and 3 biases", r"3D^2 + 3", Counts(lambda D: 3 * D * D, lambda D: 3)),
        ours=Version("3D² weights and 3D biases", r"3D^2 + 3D", Counts(lambda D: 3 * D * D, lambda D: 3 * D)),
        twin=Version("3D weights and 3D biases", r"3D + 3D", Counts(lambda D: 3 * D, lambda D: 3 * D)),
        check=projections,
        expected=Verdict.REFUTED,
    ),
)
