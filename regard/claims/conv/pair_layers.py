"""One logit and whole layers in several orders of evaluation, for their operations to be counted."""

import torch
from torch import Tensor, nn

from regard.algorithms import attend
from regard.attention import Attention, Bias, Content
from regard.attention import Sequence as Line


class OneLogit(nn.Module):
    """`(x + p)ᵀ W_qᵀ W_k (y + r)` as its four terms from scratch, vectors first or the matrices' product first."""

    def __init__(self, D: int, vectors_first: bool) -> None:
        super().__init__()
        self.query, self.key = (nn.Parameter(torch.zeros(D, D)) for _ in range(2))
        self.vectors_first = vectors_first

    def term(self, a: Tensor, b: Tensor) -> Tensor:
        if self.vectors_first:
            return (self.query @ a) @ (self.key @ b)
        return a @ ((self.query.T @ self.key) @ b)

    def forward(self, x: Tensor, p: Tensor, y: Tensor, r: Tensor) -> Tensor:
        return self.term(x, y) + self.term(x, r) + self.term(p, y) + self.term(p, r)


class EachPair(nn.Module):
    """Attention in which every pair of pixels is scored from scratch: both are projected anew for each pair and term.

    `relative` takes the encoding r_δ (N, N, P) of the pair, and the vectors u and v, in the place of p.
    """

    def __init__(self, D: int, P: int | None = None) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(D, D, False, dtype=torch.float64) for _ in range(4))
        self.position = None if P is None else nn.Linear(P, D, False, dtype=torch.float64)
        self.u, self.v = (nn.Parameter(torch.zeros(D, dtype=torch.float64)) for _ in range(2))

    def forward(self, x: Tensor, p: Tensor) -> Tensor:
        N = len(x)

        def from_scratch(i: Tensor, j: Tensor) -> Tensor:
            return _inner(self.query(i[:, None].expand(N, N, -1)), self.key(j.expand(N, N, -1)))

        if self.position is None:
            logits = from_scratch(x, x) + from_scratch(x, p) + from_scratch(p, x) + from_scratch(p, p)
            values = self.value(x + p)
        else:
            q = self.query(x[:, None].expand(N, N, -1))
            logits = from_scratch(x, x) + _inner(q, self.position(p))
            k = self.key(x.expand(N, N, -1))
            logits = logits + _inner(self.u.expand_as(k), k) + _inner(self.v.expand_as(k), self.position(p))
            values = self.value(x)
        heads = attend(None, None, values[None, None], Attention(Bias(logits[None]), queries=Line(N), keys=Line(N)))
        return self.out(heads[0, 0])


class Tabulated(nn.Module):
    """General relative attention with every projection made once: of each token, and of each shift's encoding."""

    def __init__(self, D: int, P: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(D, D, False, dtype=torch.float64) for _ in range(4))
        self.position = nn.Linear(P, D, False, dtype=torch.float64)
        self.u, self.v = (nn.Parameter(torch.zeros(D, dtype=torch.float64)) for _ in range(2))

    def forward(self, x: Tensor, encodings: Tensor, shift: Tensor) -> Tensor:
        """Encodings (S, P) of all shifts, and the number of each pair's shift, (N, N)."""
        q, k, table = self.query(x), self.key(x), self.position(encodings)
        by_shift = (q + self.v) @ table.T  # (N, S)
        bias = Bias(by_shift.gather(1, shift)[None])
        q, k, v = (y[None, None] for y in (q + self.u, k, self.value(x)))
        return self.out(attend(q, k, v, Attention(Content(1.0) + bias))[0, 0])


def _inner(a: Tensor, b: Tensor) -> Tensor:
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0]
