"""Question 1: masking, before the softmax, exactly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.attention import Attention, Bias, Causal, Content, Dense, Mask
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.nyu.attention import drawn, logits, rows

BETA = 0.5
HIDDEN_KEY, EMPTY_QUERY = 5, 3


@dataclass(frozen=True)
class Masked:
    """The map from the scaled logits (m × n) and what is hidden (m × n), and from the latter the keys for NaN."""

    weights: Callable[[Tensor, Tensor], Tensor]
    safe: Callable[[Tensor], Tensor]  # keys (m) whose values may be NaN without harm to queries that do not see them


def problem() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Q, K, V as columns, and what is hidden: pairs at random, one key from all, everything from one query."""
    m, n = 7, 5
    hidden = torch.rand(m, n, generator=torch.Generator().manual_seed(41)) < 0.3
    hidden[HIDDEN_KEY], hidden[:, EMPTY_QUERY] = True, True
    return drawn(4, n, seed=42), drawn(4, m, seed=43), drawn(3, m, seed=44), hidden


def masking(stated: Masked) -> Sequence[Finding]:
    """The stated map against `weights`, zeros that are zeros, gradients, the empty column, and NaN behind the mask."""
    Q, K, V, hidden = problem()
    attention = Attention(Content(BETA), mask=Dense(~hidden.T))
    A, said = weights(rows(Q), rows(K), attention)[0, 0].T, stated.weights(logits(Q, K, BETA), hidden)
    seen = [query for query in range(Q.shape[1]) if query != EMPTY_QUERY]
    zeros, total = int((said[hidden] == 0).sum()), int(hidden.sum())
    empty = said[:, EMPTY_QUERY]
    return [
        Finding(
            "hidden weights are exactly 0",
            zeros == total and not bool(A[hidden].any()),
            f"{zeros} of {total} hidden weights are exactly 0 as stated, {int((A[hidden] == 0).sum())} in the library",
        ),
        equals("the map of the queries that see something", A[:, seen], said[:, seen], 1e-14),
        Finding(
            "a query that sees nothing",
            empty.equal(A[:, EMPTY_QUERY]),
            f"a query that sees nothing: weights {empty[0].item():g} as stated, {A[0, EMPTY_QUERY].item():g} here",
        ),
        gradients(Q, K, V, hidden),
        nan(Q, K, V, attention),
        leak(Q, K, V, stated),
    ]


def gradients(Q: Tensor, K: Tensor, V: Tensor, hidden: Tensor) -> Finding:
    """Gradients of hidden logits, of the hidden key and value, and of the query that sees nothing."""
    q, k, v = (rows(x).clone().requires_grad_() for x in (Q, K, V))
    extra = torch.zeros_like(
        hidden.T, dtype=torch.float64
    ).requires_grad_()  # a bias per pair: its gradient is a logit's
    attention = Attention(Content(BETA) + Bias(extra), mask=Dense(~hidden.T))
    out = attend(q, k, v, attention)
    out.square().sum().backward()
    assert q.grad is not None
    assert k.grad is not None
    assert v.grad is not None
    assert extra.grad is not None
    behind = [extra.grad[hidden.T], k.grad[..., HIDDEN_KEY, :], v.grad[..., HIDDEN_KEY, :], q.grad[..., EMPTY_QUERY, :]]
    behind.append(out[..., EMPTY_QUERY, :])
    largest = max(x.abs().max().item() for x in behind)
    finite = all(bool(x.isfinite().all()) for x in (out, q.grad, k.grad, v.grad, extra.grad))
    visible = extra.grad[~hidden.T].abs().min().item()
    return Finding(
        "gradients of what is hidden are exactly 0",
        largest == 0 and finite and visible > 0,
        f"gradients of hidden logits, key, value, and of the blind query ≤ {largest:g}; visible logits ≥ {visible:.1g}",
    )


def nan(Q: Tensor, K: Tensor, V: Tensor, attention: Attention) -> Finding:
    """Outputs and gradients with NaN in hidden key, value and blind query, against those with numbers there."""
    results = []
    for filler in (0.0, torch.nan):
        q, k, v = (rows(x).clone() for x in (Q, K, V))
        q[..., EMPTY_QUERY, :], k[..., HIDDEN_KEY, :], v[..., HIDDEN_KEY, :] = filler, filler, filler
        out = attend(q.requires_grad_(), k.requires_grad_(), v.requires_grad_(), attention)
        results.append((out, *torch.autograd.grad(out.square().sum(), (q, k, v))))
    same = all(clean.equal(poisoned) for clean, poisoned in zip(*results, strict=True))
    return Finding(
        "NaN behind the mask stays there",
        same,
        f"NaN in key {HIDDEN_KEY}, its value and query {EMPTY_QUERY}: outputs and gradients "
        f"{'equal to the bit' if same else 'change'}",
    )


def leak(Q: Tensor, K: Tensor, V: Tensor, stated: Masked) -> Finding:
    """NaN in the value of the last key, which a causal mask shows to one query, and which a second mask hides."""
    n = Q.shape[1]
    unseen = torch.arange(n) < n - 1
    v = rows(V[:, :n]).clone()
    v[..., -1, :] = torch.nan
    reached, holds = [], True
    for mask in (Causal(), Causal() & Dense(unseen.expand(n, n))):
        out = attend(rows(Q), rows(K[:, :n]), v, Attention(Content(BETA), mask=mask))[0, 0]
        hidden = ~visible(mask, n)
        blind = hidden[:, -1]
        reached.append(f"{int(out[blind].isnan().any(1).sum())} of {int(blind.sum())}")
        holds = holds and bool(stated.safe(hidden.T)[-1]) == bool(out[blind].isfinite().all())
    shown = (
        f"NaN in the last value, causal: {reached[0]} queries that do not see it get NaN; hidden from all: {reached[1]}"
    )
    return Finding("NaN that some query sees", holds, shown)


def visible(mask: Mask, n: int) -> Tensor:
    """Which pairs a mask shows, n × n: where equal logits have a weight."""
    equal = torch.zeros(1, 1, n, 1, dtype=torch.float64)
    return weights(equal, equal, Attention(Content(), mask=mask))[0, 0] > 0


def shared(z: Tensor, hidden: Tensor) -> Tensor:
    """−∞ in place of hidden logits, then the softmax; zeros where nothing is left."""
    return torch.softmax(z.masked_fill(hidden, -torch.inf), 0).masked_fill(hidden.all(0), 0)


def mask_chart() -> Matrices:
    Q, K, _, hidden = problem()
    panels = {
        "all visible": weights(rows(Q), rows(K), Attention(Content(BETA)))[0, 0].T,
        "masked": weights(rows(Q), rows(K), Attention(Content(BETA), mask=Dense(~hidden.T)))[0, 0].T,
        "hidden": hidden.double(),
    }
    return Matrices(
        title=f"Key {HIDDEN_KEY} is hidden from all, query {EMPTY_QUERY} sees nothing",
        panels={name: panel.tolist() for name, panel in panels.items()},
        row_label="key",
        column_label="query",
    )


CLAIMS = (
    Claim(
        id="nyu.1g",
        title="Masking by −∞ before the softmax",
        texts=Texts(
            asks="How is a key masked so that it gets no attention at all?",
            derivation="Set its logit to $-\\infty$ before the softmax: $e^{-\\infty} = 0$ exactly, and the other "
            "weights share the whole, $a_j = e^{s_j} / \\sum_{l\\ \\text{visible}} e^{s_l}$. The derivatives "
            "$\\partial a_i / \\partial s_j = a_i (\\delta_{ij} - a_j)$ carry a factor of the hidden weight: they are "
            "exactly 0 too.\n\n"
            "Three things follow. Masking is for *keys*: masking a query empties its column, $\\frac{0}{0}$, and what "
            "it gives must be defined (here zeros, with gradient zero) or it is NaN. A product $0 \\cdot \\text{NaN}$ "
            "is NaN, so a hidden value must not be multiplied at all. That is what this library promises for keys and "
            "values that *no* query sees. A NaN in a value that *some* query sees reaches the others as well: with a "
            "causal mask a NaN in the last value makes every output NaN.",
            quantities={"s": "the scaled logits of one query", "a": "its weights", "A": "m × n, keys × queries"},
            method="float64, m = 7, n = 5: the map within 1e-14, zeros, gradients and NaN to the bit; NaN in a value "
            "that some query sees: 5 tokens, a causal mask",
            code=("regard.attention.reference:weigh", "regard.attention.reference:blank"),
        ),
        ours=Version(
            "logits of hidden keys become −∞ before the softmax: weight 0, gradient 0; zeros where nothing is left; "
            "NaN is kept out in values that no query sees, not in one that some query sees",
            r"a_j = \frac{[j\ \text{visible}]\, e^{s_j}}{\sum_{l\ \text{visible}} e^{s_l}}",
            Masked(shared, lambda hidden: hidden.all(1)),
        ),
        twin=Version(
            "logits of hidden keys become −30 before the softmax",
            r"s_j = -30",
            Masked(lambda z, hidden: torch.softmax(z.masked_fill(hidden, -30.0), 0), lambda hidden: hidden.all(1)),
        ),
        check=masking,
        expected=Verdict.HOLDS,
        chart=mask_chart,
    ),
)
