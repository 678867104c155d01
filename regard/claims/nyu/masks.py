"""Question 1: masking, before the softmax, exactly."""

from collections.abc import Callable

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.attention import Attention, Bias, Causal, Content, Dense
from regard.attention.reference import reference
from regard.claims.chart import Matrices
from regard.claims.claim import HOLDS, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.nyu.attention import logits, rows
from regard.claims.small_runs import drawn

BETA = 0.5
M, N = 7, 5
HIDDEN, BLIND = 6, 4  # the key that no query sees, the query that sees no key, counted from 1
KEY, QUERY = HIDDEN - 1, BLIND - 1
WAYS: tuple[Callable[..., Tensor], ...] = (attend, lambda *given: reference(*given)[0])  # chosen, and by the definition


def problem() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw Q, K, V as columns, and what is hidden: pairs at random, one key from all, everything from one query."""
    hidden = torch.rand(M, N, generator=torch.Generator().manual_seed(41)) < 0.3
    hidden[KEY], hidden[:, QUERY] = True, True
    return drawn(4, N, seed=42), drawn(4, M, seed=43), drawn(3, M, seed=44), hidden


def draw_masked() -> Matrices:
    Q, K, _, hidden = problem()
    plain, masked = Attention(Content(BETA)), Attention(Content(BETA), mask=Dense(~hidden.T))
    panels = {name: weights(rows(Q), rows(K), x)[0, 0].T for name, x in (("all visible", plain), ("masked", masked))}
    return Matrices(
        title=f"Key {HIDDEN} is hidden from all, query {BLIND} sees nothing",
        panels={name: panel.tolist() for name, panel in (panels | {"hidden": hidden.double()}).items()},
        row_label="key",
        column_label="query",
    )


@claim(
    "nyu.1g",
    HOLDS,
    twin={"share": lambda z, hidden: torch.softmax(z.masked_fill(hidden, -30.0), 0)},
    chart=draw_masked,
    view=View("playground", "Hide keys, and see the logits of −∞", {"mask": "causal"}),
)
def masking(
    share: Callable[[Tensor, Tensor], Tensor] = lambda z, hidden: torch.softmax(
        z.masked_fill(hidden, -torch.inf), 0
    ).masked_fill(hidden.all(0), 0),
    keeps_out: Callable[[Tensor], bool] = lambda seen: not bool(seen.any()),
) -> Findings:
    """Compare the stated map of logits and what is hidden with `weights`; then zeros, gradients and NaN.

    `keeps_out` says, by the queries that see a value, whether a NaN in it is kept from the queries that do not.
    """
    Q, K, V, hidden = problem()
    attention = Attention(Content(BETA), mask=Dense(~hidden.T))
    A, said = weights(rows(Q), rows(K), attention)[0, 0].T, share(logits(Q, K, BETA), hidden)
    zeros, ours, total = int((said[hidden] == 0).sum()), int((A[hidden] == 0).sum()), int(hidden.sum())
    shown = f"{zeros} of {total} hidden weights are exactly 0 as stated, {ours} in the library"
    yield Finding("hidden weights are exactly 0", zeros == ours == total, shown)
    seen = [query for query in range(N) if query != QUERY]
    yield equals("the map of the queries that see something", A[:, seen], said[:, seen], 1e-14)
    shown = f"a query that sees nothing: weights {said[0, QUERY].item():g} as stated, {A[0, QUERY].item():g} here"
    yield Finding("a query that sees nothing", said[:, QUERY].equal(A[:, QUERY]), shown)
    yield equals(
        "the outputs of attend and of the definition against V·A",
        torch.cat([compute(rows(Q), rows(K), rows(V), attention)[0, 0] for compute in WAYS]),
        (V @ A).T.repeat(2, 1),
        1e-14,
    )
    yield gradients()
    yield nan_unseen(attention)
    yield nan_seen(keeps_out)


def gradients() -> Finding:
    """Take the gradients of hidden logits, of the hidden key and value, and of the query that sees nothing."""
    Q, K, V, hidden = problem()
    q, k, v = (rows(x).clone().requires_grad_() for x in (Q, K, V))
    extra = torch.zeros(N, M, dtype=torch.float64, requires_grad=True)  # a bias per pair: its gradient is a logit's
    out = attend(q, k, v, Attention(Content(BETA) + Bias(extra), mask=Dense(~hidden.T)))
    by_q, by_k, by_v, by_logit = torch.autograd.grad(out.square().sum(), (q, k, v, extra))
    behind = [by_logit[hidden.T], by_k[..., KEY, :], by_v[..., KEY, :], by_q[..., QUERY, :], out[..., QUERY, :]]
    largest = max(x.abs().max().item() for x in behind)
    finite = all(bool(x.isfinite().all()) for x in (out, by_q, by_k, by_v, by_logit))
    visible = by_logit[~hidden.T].abs().min().item()
    shown = f"gradients of hidden logits, key, value, and of the blind query ≤ {largest:g}; "
    shown += f"visible logits ≥ {visible:.1g}"
    return Finding("gradients of what is hidden are exactly 0", largest == 0 and finite and visible > 0, shown)


def nan_unseen(attention: Attention) -> Finding:
    """Compare outputs and gradients with NaN in hidden key, value and blind query to those with numbers there."""
    same = True
    for compute in WAYS:
        results = []
        for filler in (0.0, torch.nan):
            q, k, v = (rows(x).clone() for x in problem()[:3])
            q[..., QUERY, :], k[..., KEY, :], v[..., KEY, :] = filler, filler, filler
            out = compute(q.requires_grad_(), k.requires_grad_(), v.requires_grad_(), attention)
            results.append((out, *torch.autograd.grad(out.square().sum(), (q, k, v))))
        same = same and all(clean.equal(poisoned) for clean, poisoned in zip(*results, strict=True))
    shown = f"NaN in key {HIDDEN}, its value and query {BLIND}: outputs and gradients "
    return Finding("NaN behind the mask stays there", same, shown + ("equal to the bit" if same else "change"))


def nan_seen(keeps_out: Callable[[Tensor], bool]) -> Finding:
    """Put NaN in the value of the last token, which a causal mask shows to one query and a second mask to none."""
    Q, K, V, _ = problem()
    q, k, v = rows(Q), rows(K[:, :N]), rows(V[:, :N]).clone()
    v[..., -1, :] = torch.nan
    last = torch.arange(N) == N - 1
    reached, holds = [], True
    for mask, sees in ((Causal(), last), (Causal() & Dense((~last).expand(N, N)), last & ~last)):
        out = attend(q, k, v, Attention(Content(BETA), mask=mask))[0, 0]
        reached.append(f"{int(out[~sees].isnan().any(1).sum())} of {int((~sees).sum())}")
        holds = holds and keeps_out(sees) == bool(out[~sees].isfinite().all())
    shown = f"NaN in the last value, causal: {reached[0]} queries that do not see it get NaN; "
    return Finding("NaN that some query sees", holds, f"{shown}hidden from all: {reached[1]}")
