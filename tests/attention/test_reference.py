"""The reference against the definition in plain Python, against torch, and against numbers from a course document."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from regard import weights
from regard.attention import (
    Attention,
    Bias,
    Causal,
    Content,
    Dense,
    Grid,
    Hard,
    KeyPadding,
    Padding,
    Sequence,
    Slopes,
    Strided,
    Term,
    Window,
)
from regard.attention.reference import reference
from regard.attention.value import unflatten

B, H, G, T, S, D, E = 2, 4, 2, 5, 5, 3, 2


def numbers(*sizes: int, seed: int = 0) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def flags(*sizes: int, seed: int = 0) -> Tensor:
    """A random map with an empty row and a column that nobody sees."""
    allowed = torch.rand(*sizes, generator=torch.Generator().manual_seed(seed)) < 0.6
    allowed[..., 1, :] = False
    allowed[..., 2] = False
    return allowed


BIAS, SLOPES, ROWS = numbers(H, T, S, seed=7), numbers(H, seed=8).abs(), torch.tensor([3, -1])
REAL = torch.tensor([[True, False, True, True, False], [False] * 5])
MAP2, MAP3, MAP4 = flags(T, S), flags(H, T, S, seed=1), flags(B, 1, T, S, seed=2)


@dataclass(frozen=True)
class Case:
    """A value, and what it means, said a second time: a predicate, a score and places in plain Python."""

    attention: Attention
    sees: Callable[[int, int, int, int], bool] = lambda b, h, i, j: True
    beta: float = 1 / math.sqrt(D)
    adds: Callable[[int, int, int, int], float] = lambda b, h, i, j: 0.0
    hard: bool = False
    sizes: tuple[int, int] = field(default=(T, S))


CASES = {
    "ordinary": Case(Attention()),
    "beta": Case(Attention(Content(beta=-0.7)), beta=-0.7),
    "bias": Case(Attention(Content() + Bias(BIAS)), adds=lambda b, h, i, j: float(BIAS[h, i, j])),
    "bias of one head": Case(Attention(Bias(BIAS[:1])), beta=0.0, adds=lambda b, h, i, j: float(BIAS[0, i, j])),
    "slopes": Case(
        Attention(Content() + Slopes(SLOPES)), adds=lambda b, h, i, j: -float(SLOPES[h]) * max(i - j, j - i)
    ),
    "slopes from far": Case(
        Attention(Content() + Slopes(SLOPES), queries=Sequence(T, start=ROWS, step=2)),
        adds=lambda b, h, i, j: -float(SLOPES[h]) * math.fabs(j - ([3, -1][b] + 2 * i)),
    ),
    "causal": Case(Attention(mask=Causal()), sees=lambda b, h, i, j: not j > i),
    "causal, few queries": Case(Attention(mask=Causal()), sees=lambda b, h, i, j: j <= i + 5, sizes=(2, 7)),
    "causal, few keys": Case(Attention(mask=Causal()), sees=lambda b, h, i, j: j <= i - 3, sizes=(6, 3)),
    "causal from 0": Case(
        Attention(mask=Causal(), queries=Sequence(2), keys=Sequence(7)), sees=lambda b, h, i, j: j <= i, sizes=(2, 7)
    ),
    "causal per row": Case(
        Attention(mask=Causal(), queries=Sequence(T, start=ROWS)), sees=lambda b, h, i, j: j <= i + (3, -1)[b]
    ),
    "causal, keys in steps": Case(
        Attention(mask=Causal(), queries=Sequence(T, start=1), keys=Sequence(S, step=3)),
        sees=lambda b, h, i, j: 3 * j <= 1 + i,
    ),
    "causal, one step for both": Case(
        Attention(mask=Causal(), keys=Sequence(7, start=4, step=2)), sees=lambda b, h, i, j: j <= i + 5, sizes=(2, 7)
    ),
    "window": Case(Attention(mask=Window(2, 1)), sees=lambda b, h, i, j: j in (i - 2, i - 1, i, i + 1)),
    "window of oneself": Case(Attention(mask=Window(0)), sees=lambda b, h, i, j: i == j),
    "window in steps": Case(
        Attention(mask=Window(2, 3), keys=Sequence(S, step=2)), sees=lambda b, h, i, j: 2 * j - 2 * i in range(-2, 4)
    ),
    "strided": Case(Attention(mask=Strided(3)), sees=lambda b, h, i, j: j in (i - 6, i - 3, i, i + 3, i + 6)),
    "key lengths": Case(Attention(mask=KeyPadding([4, 1])), sees=lambda b, h, i, j: j in ([0, 1, 2, 3], [0])[b]),
    "key tensor": Case(Attention(mask=KeyPadding(torch.tensor([0, 5]))), sees=lambda b, h, i, j: b == 1, hard=False),
    "key map": Case(Attention(mask=KeyPadding(REAL)), sees=lambda b, h, i, j: b == 0 and j in (0, 2, 3)),
    "pads for true": Case(
        Attention(mask=KeyPadding.from_padding_mask(~REAL)), sees=lambda b, h, i, j: b == 0 and j in (0, 2, 3)
    ),
    "lengths": Case(Attention(mask=Padding([4, 0])), sees=lambda b, h, i, j: b == 0 and i < 4 and j < 4),
    "map": Case(Attention(mask=Padding(REAL)), sees=lambda b, h, i, j: b == 0 and {i, j} <= {0, 2, 3}),
    "dense": Case(Attention(mask=Dense(MAP2)), sees=lambda b, h, i, j: MAP2.tolist()[i][j]),
    "dense per head": Case(Attention(mask=Dense(MAP3)), sees=lambda b, h, i, j: MAP3.tolist()[h][i][j]),
    "dense per row": Case(Attention(mask=Dense(MAP4)), sees=lambda b, h, i, j: MAP4.tolist()[b][0][i][j]),
    "and": Case(Attention(mask=Causal() & KeyPadding([3, 2])), sees=lambda b, h, i, j: j <= i and j < (3, 2)[b]),
    "or": Case(Attention(mask=Window(0) | KeyPadding([3, 0])), sees=lambda b, h, i, j: i == j or j < (3, 0)[b]),
    "not": Case(Attention(mask=~Causal()), sees=lambda b, h, i, j: j > i),
    "not and": Case(
        Attention(mask=~(Causal() & Window(1)) & Strided(2)),
        sees=lambda b, h, i, j: j not in (i - 1, i) and (i + j) % 2 == 0,
    ),
    "hard": Case(Attention(weighting=Hard(), mask=Causal()), sees=lambda b, h, i, j: j <= i, hard=True),
    "on a grid": Case(
        Attention(queries=Grid(1, 5), keys=Grid(5, 1), mask=Dense(MAP2)), sees=lambda b, h, i, j: MAP2.tolist()[i][j]
    ),
}


def by_hand(q: Tensor, k: Tensor, v: Tensor, case: Case) -> tuple[list, list]:
    """Three loops and the definition: the weights of each row, and the log of their sum before normalising."""
    q, k, v = q.tolist(), k.tolist(), v.tolist()
    outputs, sums = [], []
    for b, h, i in ((b, h, i) for b in range(B) for h in range(H) for i in range(len(q[0][0]))):
        group = h // (H // G)
        logits = {
            j: case.beta * sum(x * y for x, y in zip(q[b][h][i], key, strict=True)) + case.adds(b, h, i, j)
            for j, key in enumerate(k[b][group])
            if case.sees(b, h, i, j)
        }
        total = sum(math.exp(x) for x in logits.values())
        shares = {j: math.exp(x) / total for j, x in logits.items()}
        if case.hard:
            best = max(logits, key=lambda j: (logits[j], -j))
            shares = {best: 1.0}
        outputs.append([sum(share * v[b][group][j][e] for j, share in shares.items()) for e in range(E)])
        sums.append(math.log(total) if logits else -math.inf)
    return outputs, sums


@pytest.mark.parametrize("name", CASES)
def test_the_reference_is_the_definition(name: str):
    case = CASES[name]
    queries, keys = case.sizes
    q, k, v = numbers(B, H, queries, D), numbers(B, G, keys, D, seed=1), numbers(B, G, keys, E, seed=2)
    out, lse = reference(q, k, v, case.attention)
    expected, sums = by_hand(q, k, v, case)
    # Both sides sum a handful of float64 numbers of size 1.
    torch.testing.assert_close(out.reshape(-1, E), torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-14)
    torch.testing.assert_close(lse.reshape(-1), torch.tensor(sums, dtype=torch.float64), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("attention", "options"),
    [
        (Attention(), {}),
        (Attention(Content(0.3)), {"scale": 0.3}),
        (Attention(mask=Causal()), {"is_causal": True}),
        (
            Attention(mask=Dense(MAP2 | torch.eye(T, dtype=torch.bool))),
            {"attn_mask": MAP2 | torch.eye(5, dtype=torch.bool)},
        ),
        (Attention(Content() + Bias(BIAS)), {"attn_mask": BIAS[None]}),
    ],
    ids=["plain", "beta", "causal", "mask", "bias"],
)
def test_where_conventions_coincide_it_is_torch(attention: Attention, options: dict):
    q, k, v = (numbers(B, n, T, D, seed=n + s).requires_grad_() for s, n in enumerate((H, G, G)))
    grad = numbers(B, H, T, D, seed=9)
    out, _ = reference(q, k, v, attention)
    with sdpa_kernel(SDPBackend.MATH):
        expected = scaled_dot_product_attention(q, k, v, enable_gqa=True, **options)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-14)
    ours, theirs = (torch.autograd.grad(y, (q, k, v), grad) for y in (out, expected))
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["ordinary", "bias", "slopes from far", "not and", "dense per head", "map"])
def test_gradients_are_the_slopes_of_the_function(name: str):
    """Finite differences; the biases and slopes take part."""
    structure, tensors = CASES[name].attention.flatten()
    learnt = [x.clone().requires_grad_() for x in tensors if x.is_floating_point()]

    def function(q: Tensor, k: Tensor, v: Tensor, *terms: Tensor) -> tuple[Tensor, Tensor]:
        values = iter(terms)
        attention = unflatten([next(values) if x.is_floating_point() else x for x in tensors], structure)
        out, lse = reference(q, k, v, attention)
        return out, lse.masked_fill(lse.isinf(), 0)

    q, k, v = numbers(B, H, T, D), numbers(B, G, S, D, seed=1), numbers(B, G, S, E, seed=2)
    assert torch.autograd.gradcheck(function, (*(x.requires_grad_() for x in (q, k, v)), *learnt))


def test_logits_and_softmax_of_half_precision_are_float32():
    """Rounding the weights to bfloat16 would lose one key in 512 equal ones."""
    q, k = torch.zeros(1, 1, 1, 4, dtype=torch.bfloat16), torch.zeros(1, 1, 300, 4, dtype=torch.bfloat16)
    v = torch.ones(1, 1, 300, 1, dtype=torch.bfloat16)
    out, lse = reference(q, k, v, Attention())
    assert (out.dtype, lse.dtype) == (torch.float32, torch.float32)
    torch.testing.assert_close(out.item(), 1.0, rtol=0, atol=1e-6)
    torch.testing.assert_close(lse.item(), math.log(300), rtol=0, atol=1e-6)


@dataclass(frozen=True, eq=False)
class Third(Term):
    def at(self, b, h, i, j, places):
        return 1 / 3


def test_a_number_for_all_pairs_keeps_its_digits():
    """As float32 it would be off by 1e-8."""
    q, k, v = numbers(B, H, T, D), numbers(B, H, S, D, seed=1), numbers(B, H, S, E, seed=2)
    with_number, without = (reference(q, k, v, Attention(scores))[1] for scores in (Content() + Third(), Content()))
    assert with_number is not None
    assert without is not None
    torch.testing.assert_close(with_number, without + 1 / 3, rtol=1e-14, atol=1e-14)


def test_weights_are_the_map_of_the_reference():
    q, k = numbers(B, H, T, D), numbers(B, G, S, D, seed=1)
    attention = Attention(Content() + Bias(BIAS), mask=Dense(MAP2))
    map_ = weights(q, k, attention)
    identity = torch.eye(S, dtype=torch.float64).expand(B, G, S, S)
    torch.testing.assert_close(map_, reference(q, k, identity, attention)[0], rtol=0, atol=1e-15)
    assert torch.equal(map_.sum(-1) > 0.5, MAP2.any(-1).expand(B, H, T))


def test_weights_keep_the_type_of_q():
    q = torch.ones(1, 1, 2, 4, dtype=torch.bfloat16)
    assert weights(q, q).dtype == torch.bfloat16
