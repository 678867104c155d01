"""Question 2: attention written with sums over vectors. Question 3: dot-product attention as a module."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.attention import Attention, Content, KeyPadding
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.ist import example
from regard.claims.small_runs import seeded
from regard.layers import DotProductAttention, MultiHead, Widths
from regard.layers.multihead import split_heads
from regard.models import Recurrent, RecurrentConfig

TOKENS = 5
EXACT = 1e-12


@dataclass(frozen=True)
class Sums:
    """Attention as sums over vectors: how a matrix meets a token, what d is, and what is summed with the weights."""

    project: Callable[[Tensor, Tensor], Tensor]  # a matrix and a token
    d: Callable[[int, int], int]  # of the token's width and the head's
    summed: Callable[[Tensor, Tensor], Tensor]  # of the token's value and the token itself


def loops(said: Sums, layer: MultiHead, x: Tensor) -> Tensor:
    """One sum after the other, of a layer's own matrices: `y_i = b + Σ_h W_O^h Σ_j a_ij v_j`."""
    C, D = x.shape[1], layer.query.out_features // layer.num_heads
    beta = 1 / math.sqrt(said.d(C, D))
    rows: list[Tensor] = [layer.out.bias for _ in x]
    for head in range(layer.num_heads):
        part = slice(head * D, (head + 1) * D)
        # As the practical stores them: D columns, a row for each entry of a token.
        W_q, W_k, W_v = (oriented(said, linear.weight[part].T) for linear in (layer.query, layer.key, layer.value))
        q, k, v = ([said.project(W, token) for token in x] for W in (W_q, W_k, W_v))
        for i, query in enumerate(q):
            powers = [torch.exp(beta * (query @ key)) for key in k]
            mixed = sum((p / sum(powers)) * said.summed(v[j], x[j]) for j, p in enumerate(powers))
            assert isinstance(mixed, Tensor)
            rows[i] = rows[i] + layer.out.weight[:, part] @ mixed
    return torch.stack(rows)


def oriented(said: Sums, W: Tensor) -> Tensor:
    """The matrix, or its transpose where the sums take that: so far they are right in either layout."""
    return W if fits(said, torch.zeros(3, 2)) else W.T


def fits(said: Sums, W: Tensor) -> bool:
    """Whether a matrix as the practical stores it, a row for each entry of a token, meets a token."""
    try:
        said.project(W, W.new_zeros(len(W)))
    except RuntimeError:  # torch's word for sizes that cannot be multiplied
        return False
    return True


def by_sums(said: Sums) -> Sequence[Finding]:
    """The sums against the layer: where d and the values leave no doubt, then where they do."""
    layer, x = built(C=4, H=1, D=4, seed=0)
    layer.value.weight.copy_(torch.eye(4))
    found = [equals("one head, whose values are the tokens", loops(said, layer, x), layer(x[None])[0], EXACT)]
    found.append(divided(said, *built(C=6, H=2, D=3, seed=1)))
    for seed, (C, H, D) in enumerate([(4, 2, 4), (6, 2, 3), (3, 4, 5)], start=2):
        layer, x = built(C, H, D, seed)
        width = said.summed(x.new_zeros(D), x.new_zeros(C)).shape[0]
        if width != D:
            shown = f"what is summed has width {width}, but W_O takes {D} numbers of each head"
            found.append(Finding("what is summed", False, shown, detail=True))
        else:
            name = f"{H} heads of width {D}, tokens of width {C}"
            found.append(equals(name, loops(said, layer, x), layer(x[None])[0], EXACT, detail=True))
    good = fits(said, example.matrix(example.W_Q))
    shown = f"the practical's own W_Q, 3 × 2, {'meets' if good else 'does not meet'} a token of width 3"
    return [*found, Finding("transpose", good, shown, detail=True)]


def divided(said: Sums, layer: MultiHead, x: Tensor) -> Finding:
    """Whether the layer's maps are those of logits divided by √d."""
    C, D = x.shape[1], layer.query.out_features // layer.num_heads
    q, k = (split_heads(part(x[None]), layer.num_heads) for part in (layer.query, layer.key))
    stated = weights(q, k, Attention(Content(beta=1 / math.sqrt(said.d(C, D)))))
    gap = (stated - layer.weights(x[None])).abs().max().item()
    sizes = f"{layer.num_heads} heads of width {D} on tokens of width {C}"
    shown = f"{sizes}: divided by √{said.d(C, D)} a weight is off by {gap:.1g}"
    return Finding("d", gap < EXACT, shown, detail=True)


def built(C: int, H: int, D: int, seed: int) -> tuple[MultiHead, Tensor]:
    """A layer of random matrices, and tokens."""
    source = torch.Generator().manual_seed(seed)
    with seeded(seed):
        layer = MultiHead(Widths(query=C, head=D), H, bias=False, dtype=torch.float64).requires_grad_(False)
    for parameter in layer.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=source, dtype=torch.float64))
    return layer, torch.randn(TOKENS, C, generator=source, dtype=torch.float64)


@dataclass(frozen=True)
class Lookup:
    """Attention between recurrent states: β, and what is put together of the context c and the state s."""

    beta: Callable[[int], float]  # of the width
    combined: Callable[[Tensor, Tensor, Tensor], Tensor]  # W, c, s


def as_module(said: Lookup) -> Sequence[Finding]:
    """The module against the formula, on padded rows, and inside the recurrent model."""
    C, lengths = 8, (6, 3)
    source = torch.Generator().manual_seed(0)
    s, h = (torch.randn(2, n, C, generator=source, dtype=torch.float64) for n in (4, 6))
    with seeded(0):
        layer = DotProductAttention(C, dtype=torch.float64).requires_grad_(False)
    layer.combine.weight.copy_(torch.randn(C, 2 * C, generator=source, dtype=torch.float64))
    a = Attention(Content(beta=said.beta(C)), KeyPadding(lengths))
    context = attend(s[:, None], h[:, None], h[:, None], a)[:, 0]
    map = weights(s[:, None], h[:, None], a)
    dirty = h.clone()
    dirty[1, 3:] = torch.nan
    stated = said.combined(layer.combine.weight, context, s)
    return [
        equals("the map", layer.weights(s, h, lengths), map, EXACT),
        equals("s̃ with pads in a row", layer(s, h, lengths), stated, EXACT),
        equals("s̃ with NaN in the pads", layer(s, dirty, lengths), layer(s, h, lengths), 0.0),
        smooth(layer, s, h),
        in_model(said),
    ]


def smooth(layer: DotProductAttention, s: Tensor, h: Tensor) -> Finding:
    """Its gradients against finite differences."""
    inputs = (s[:, :2].clone().requires_grad_(), h[:, :3].clone().requires_grad_())
    good = torch.autograd.gradcheck(layer, inputs, raise_exception=False)
    return Finding("gradients", good, f"gradients {'agree' if good else 'disagree'} with finite differences")


def in_model(said: Lookup) -> Finding:
    """The recurrent model's logits from its decoder's states, by the formula."""
    with seeded(0):
        config = RecurrentConfig(vocabulary=5, width=6, hidden=8)
        model, (source, target) = Recurrent(config).double().eval(), config.inputs(2, 5, target=4)
    with torch.no_grad():
        memory, state = model.encode(source)
        s, _ = model.decode(target, state)
        heads = memory[:, None]
        context = attend(s[:, None], heads, heads, Attention(Content(beta=said.beta(config.hidden))))[:, 0]
        assert model.attention is not None
        stated = model.head(said.combined(model.attention.combine.weight, context, s))
        logits = model(source, target).logits
    assert logits is not None
    return equals("logits of the LSTM encoder-decoder", logits, stated, EXACT)


CLAIMS = (
    Claim(
        id="ist.2",
        title="Attention as sums over vectors",
        texts=Texts(
            asks="Write single- and multi-head self-attention as sums over the tokens' vectors, without matrices of "
            "all tokens.",
            derivation="For each head $q_i = W_Q^\\top x_i$, $k_j = W_K^\\top x_j$, $v_j = W_V^\\top x_j$ in the "
            "layout of question 1, where tokens are rows and $Q = X W_Q$; with columns the transposes fall away. "
            "Then $a_{ij} = \\frac{\\exp(q_i^\\top k_j/\\sqrt{d})}{\\sum_l \\exp(q_i^\\top k_l/\\sqrt{d})}$ and "
            "$z_i = \\sum_j a_{ij} v_j$.\n\n"
            "Here $d$ is the width of $q_i$, that of the *head*: it is the number of products in $q_i^\\top k_j$, and "
            "so the variance that the root undoes. What is summed are the values $v_j$: sums of the tokens $x_j$ "
            "themselves are right only for $W_V = I$.\n\n"
            "Several heads are put side by side and projected, which is again a sum, "
            "$y_i = \\sum_h (W_O^h)^\\top z_i^h$.",
            quantities={"x_j": "token j", "d": "width of a head", "W_O^h": "rows of W_O that meet head h"},
            method="float64, equal to 1e-12 of the largest entry; five layers of random matrices and one of the "
            "practical's",
            code=("regard.layers.multihead:MultiHead", "regard.algorithms:weights"),
        ),
        document=Version(
            "sums of x_j, d the width of a token, W x",
            r"z_i = \sum_j a_{ij} x_j",
            Sums(lambda W, x: W @ x, lambda C, D: C, lambda v, x: x),
        ),
        ours=Version(
            "sums of W_V x_j, d the width of a head, transposed where tokens are rows",
            r"z_i = \sum_j a_{ij} W_V^\top x_j",
            Sums(lambda W, x: W.T @ x, lambda C, D: D, lambda v, x: v),
        ),
        twin=Version(
            "sums of W_V x_j, not divided by anything",
            r"a_{ij} \propto \exp(q_i^\top k_j)",
            Sums(lambda W, x: W.T @ x, lambda C, D: 1, lambda v, x: v),
        ),
        check=by_sums,
        expected=Verdict.CORRECTED,
    ),
)
MODULE = Claim(
    id="ist.3m",
    title="Dot-product attention as a module",
    texts=Texts(
        asks="Build the attention between a decoder's states and an encoder's as a module, and put it into the LSTM "
        "encoder-decoder.",
        derivation="The score of decoder state $s_i$ and encoder state $h_j$ is $s_i^\\top h_j$, without scale and "
        "without projection: both have the width of the recurrent layers. With "
        "$a_{ij} = \\operatorname{softmax}_j(s_i^\\top h_j)$ over the real $j$ the context is "
        "$c_i = \\sum_j a_{ij} h_j$, and $\\tilde{s}_i = \\tanh(W_c [c_i; s_i])$ goes to the output layer.\n\n"
        "In the library's words that is `Attention(Content(beta=1), KeyPadding(lengths))` with the memory as keys and "
        "values. What stands at pads of the memory, NaN included, reaches nothing.",
        quantities={"s_i": "decoder state", "h_j": "encoder state", "W_c": "C × 2C, no bias"},
        method="float64, equal to 1e-12 of the largest entry; NaN in pads changes no bit; gradients by finite "
        "differences",
        code=("regard.layers.recurrent:DotProductAttention", "regard.models.architectures.recurrent:Recurrent"),
    ),
    ours=Version(
        "β = 1, s̃ = tanh(W_c [c; s])",
        r"\tilde{s} = \tanh(W_c[c; s])",
        Lookup(lambda C: 1.0, lambda W, c, s: torch.tanh(torch.cat((c, s), -1) @ W.T)),
    ),
    twin=Version(
        "β = 1/√C, s̃ = tanh(W_c [s; c])",
        r"\tilde{s} = \tanh(W_c[s; c])",
        Lookup(lambda C: C**-0.5, lambda W, c, s: torch.tanh(torch.cat((s, c), -1) @ W.T)),
    ),
    check=as_module,
    expected=Verdict.BUILT,
)
