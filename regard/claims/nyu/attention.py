"""Question 1: attention with tokens as columns, and what fully connected layers can do in its place."""

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.attention import Attention, Content, Hard
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.claims.nyu.columns import drawn, matrix, output

SIZES = [{"d": d, "m": m, "n": n, "t": t} for d, m, n, t in ((1, 2, 3, 4), (3, 5, 4, 2), (8, 6, 6, 8), (4, 9, 1, 7))]
BETAS = (0.3, 1.0, 2.5)
LETTERS = {
    "K": "d × m, a key in each column",
    "V": "t × m, a value in each column",
    "Q": "d × n, a query in each column",
    "β": "the factor of the logits",
    "A": "m × n, the weights: column j is query j's",
    "H": "t × n, the output",
}


def problem(d: int, m: int, n: int, t: int) -> tuple[Tensor, Tensor, Tensor]:
    """Q, K and V of these sizes, tokens as columns."""
    return drawn(d, n, seed=1), drawn(d, m, seed=2), drawn(t, m, seed=3)


@dataclass(frozen=True)
class Stated:
    """H as a formula of Q, K, V and β, and its number of rows and columns by the sizes."""

    H: Callable[[Tensor, Tensor, Tensor, float], Tensor]
    rows: Callable[..., int]
    columns: Callable[..., int]


def definition(stated: Stated) -> Sequence[Finding]:
    """The formula against `attend`, the shape, and that A shares out one unit in each column."""
    gaps, sums = [], []
    for sizes, beta in itertools.product(SIZES, BETAS):
        Q, K, V = problem(**sizes)
        true, said = output(Q, K, V, Attention(Content(beta))), stated.H(Q, K, V, beta)
        gaps.append(equals("V·softargmax(KᵀQ) against attend", true, said, 1e-13))
        sums.append((matrix(Q, K, Attention(Content(beta))).sum(0) - 1).abs().max().item())
    worst = next((gap for gap in gaps if not gap.holds), gaps[-1])
    off = max(sums)
    A = matrix(*problem(3, 5, 4, 2)[:2], Attention())
    return [
        worst,
        agrees("rows of H", stated.rows, lambda **at: output(*problem(**at), Attention()).shape[0], SIZES),
        agrees("columns of H", stated.columns, lambda **at: output(*problem(**at), Attention()).shape[1], SIZES),
        Finding(
            "A is m × n, its columns sum to 1",
            off < 1e-14 and tuple(A.shape) == (5, 4) and bool((A > 0).all()),
            f"for m = 5, n = 4 the map A is {A.shape[0]} × {A.shape[1]}; all columns sum to 1 within {off:.0e}",
        ),
    ]


@dataclass(frozen=True)
class Selection:
    """The m × n matrix of the fully connected layer `H = V·S`, from the keys, the queries and what each must get."""

    S: Callable[[Tensor, Tensor, Tensor], Tensor]


def selection(stated: Selection) -> Sequence[Finding]:
    """Hard attention whose queries ask for these keys, the fully connected layer, and its answer to other queries."""
    findings, m = [], 6
    for name, targets in (("H = V·I", torch.arange(m)), ("a selection with repeats", torch.tensor([2, 2, 0, 5, 1, 2]))):
        K, V = torch.eye(m, dtype=torch.float64), drawn(4, m, seed=3)
        Q, others = K[:, targets], K.flip(1)
        hard, elsewhere = (output(asked, K, V, Attention(weighting=Hard())) for asked in (Q, others))
        layer = functools.partial(answer, stated, K, V, targets)
        findings.append(equals(f"{name} against hard attention", hard, layer(Q), 1e-12))
        slopes = torch.autograd.functional.jacobian(layer, Q)
        assert isinstance(slopes, Tensor)
        moved, theirs = (layer(others) - layer(Q)).abs().max().item(), (elsewhere - hard).abs().max().item()
        shown = f"{name}: other queries move the layer's H by {moved:.2g} (attention's by {theirs:.2f}); "
        shown += f"|∂H/∂Q| ≤ {slopes.abs().max().item():.1g}"
        findings.append(Finding(f"{name} is the same for every query", moved == 0 and not bool(slopes.any()), shown))
    return findings


def answer(stated: Selection, K: Tensor, V: Tensor, targets: Tensor, Q: Tensor) -> Tensor:
    return connected(stated.S(K, Q, targets), V)


def connected(S: Tensor, V: Tensor) -> Tensor:
    """`V·S` by torch's fully connected layer, which mixes the m columns of V into n."""
    layer = nn.Linear(*S.shape, bias=False, device="meta")
    return torch.func.functional_call(layer, {"weight": S.T}, (V,))


@dataclass(frozen=True)
class Between:
    """What stands between the layer Kᵀ and the layer V, given m × n numbers and β."""

    activation: Callable[[Tensor, float], Tensor]


def two_layers(stated: Between) -> Sequence[Finding]:
    """Two built layers, without biases, against `attend`."""
    findings = []
    for sizes, beta in zip(SIZES, (*BETAS, 4.0), strict=True):
        Q, K, V = problem(**sizes)
        first, second = (nn.Linear(*widths, bias=False, device="meta") for widths in (K.shape, V.T.shape))
        hidden = torch.func.functional_call(first, {"weight": K.T}, (Q.T,)).T
        H = torch.func.functional_call(second, {"weight": V}, (stated.activation(hidden, beta).T,)).T
        at = f"at d = {sizes['d']}, m = {sizes['m']}, n = {sizes['n']}, β = {beta}"
        findings.append(equals(f"two layers {at}", output(Q, K, V, Attention(Content(beta))), H, 1e-13))
    return findings


def softargmax(x: Tensor, beta: float, dim: int = 0) -> Tensor:
    """The document's `softargmax_β`: down each column."""
    return torch.softmax(beta * x, dim)


def map_chart() -> Matrices:
    """A of one small problem, keys downwards."""
    Q, K, _ = problem(3, 5, 4, 2)
    return Matrices(
        title="Every column of A is a query's weights and sums to 1",
        panels={f"β = {beta:g}": matrix(Q, K, Attention(Content(beta))).tolist() for beta in BETAS},
        row_label="key",
        column_label="query",
    )


CLAIMS = (
    Claim(
        id="nyu.1a",
        title="The output, with tokens as columns",
        texts=Texts(
            asks="Keys, values and queries are the columns of K, V and Q. What is the output H, and of which size?",
            derivation="The logits of query $q_j$ are $K^\\top q_j$, one for each of the $m$ keys, and its weights "
            "$a_j = \\operatorname{softmax}(\\beta K^\\top q_j)$. The output is the sum of the values by these "
            "weights, $h_j = V a_j$. Side by side for all $n$ queries: $A = \\operatorname{softargmax}_\\beta(K^\\top "
            "Q)$, taken down each column, is $m \\times n$, and $H = VA$ is $t \\times n$.\n\n"
            "$H$ is the output; the attention matrix is $A$. In this library tokens are rows: "
            "with $q = Q^\\top$, $k = K^\\top$, $v = V^\\top$ it computes $H^\\top = \\operatorname{softmax}(\\beta q "
            "k^\\top) v$. Everything is transposed at the border.",
            quantities=LETTERS,
            method="float64, 12 problems of odd sizes, tolerance 1e-13 of the largest entry; sizes exact",
            code=("regard.algorithms.attend:attend", "regard.algorithms.attend:weights"),
        ),
        ours=Version(
            "H = V·softargmax_β(KᵀQ) down each column, t × n",
            r"H = V \operatorname{softargmax}_\beta(K^\top Q) \in \mathbb{R}^{t \times n}",
            Stated(
                lambda Q, K, V, beta: V @ softargmax(K.T @ Q, beta),
                lambda d, m, n, t: t,
                lambda d, m, n, t: n,
            ),
        ),
        twin=Version(
            "H = V·softargmax_β(KᵀQ) along each row",
            r"H = V \operatorname{softargmax}_\beta(K^\top Q)\ \text{row-wise}",
            Stated(
                lambda Q, K, V, beta: V @ softargmax(K.T @ Q, beta, 1),
                lambda d, m, n, t: t,
                lambda d, m, n, t: n,
            ),
        ),
        check=definition,
        expected=Verdict.HOLDS,
        chart=map_chart,
    ),
    Claim(
        id="nyu.1cfc",
        title="Selecting one value by a fully connected layer",
        texts=Texts(
            asks="Attention with one-hot weights gives h = v_i. How can a fully connected layer give the same?",
            derivation="A fully connected layer over the tokens multiplies by a fixed matrix, $H = VS$. One-hot "
            "columns of $S$ select values: $S = I$ gives $H = V$, and any selection, repeats included, has its own "
            "$S$.\n\n"
            "That is trivial in this sense: $S$ holds the answer already. It does not depend on the queries, "
            "$\\partial H / \\partial Q = 0$, while attention selects by comparing each query with the keys and gives "
            "other values when the queries are others.",
            quantities=LETTERS | {"S": "m × n, the layer's matrix; column j is one-hot at what query j gets"},
            method="float64, the identity and a selection with repeats, tolerance 1e-12; derivatives by autograd, "
            "exact",
            code=("regard.attention.weighting.weighting:Hard",),
        ),
        ours=Version(
            "H = V·S with a fixed selection S, such as I, whatever the queries",
            r"H = V S, \quad S = I",
            Selection(lambda K, Q, targets: nn.functional.one_hot(targets, K.shape[1]).T.to(K)),
        ),
        twin=Version(
            "the layer's matrix is softargmax_50(KᵀQ)",
            r"S = \operatorname{softargmax}_{50}(K^\top Q)",
            Selection(lambda K, Q, targets: softargmax(K.T @ Q, 50.0)),
        ),
        check=selection,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="nyu.1fc",
        title="Attention as two fully connected layers",
        texts=Texts(
            asks="Write attention over given keys and values as fully connected layers acting on the query.",
            derivation="For fixed $K$ and $V$ the output is $h(q) = V \\operatorname{softargmax}_\\beta(K^\\top q)$: "
            "a layer with the weights $K^\\top$ ($m \\times d$, no bias), a softargmax as activation, a layer with "
            "the weights $V$ ($t \\times m$).\n\n"
            "$\\beta$ belongs inside the softargmax (or into the first layer, as $\\beta K^\\top$): the softmax is "
            "not homogeneous, so a factor after it is another map. The layers' weights are the tokens: they change "
            "with every input.",
            quantities=LETTERS,
            method="float64, four sizes with four β, tolerance 1e-13 of the largest entry",
            code=("regard.algorithms.attend:attend",),
        ),
        ours=Version(
            "Kᵀ, then softargmax_β, then V",
            r"q \mapsto V \operatorname{softargmax}_\beta(K^\top q)",
            Between(lambda x, beta: softargmax(x, beta)),
        ),
        twin=Version(
            "Kᵀ, then softargmax without β, then β·V",
            r"q \mapsto \beta V \operatorname{softargmax}_1(K^\top q)",
            Between(lambda x, beta: beta * softargmax(x, 1.0)),
        ),
        check=two_layers,
        expected=Verdict.HOLDS,
    ),
)
