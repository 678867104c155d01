"""The document's tokens are columns, the library's are rows: transposed here, and nowhere else."""

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.attention import Attention, Content


def rows(x: Tensor) -> Tensor:
    """Tokens as columns, (width, tokens), to one row of a batch with one head, (1, 1, tokens, width)."""
    return x.T[None, None]


def output(Q: Tensor, K: Tensor, V: Tensor, attention: Attention) -> Tensor:
    """H, t × n, a column for each query, by `attend`."""
    return attend(rows(Q), rows(K), rows(V), attention)[0, 0].T


def matrix(Q: Tensor, K: Tensor, attention: Attention) -> Tensor:
    """A, m × n, by `weights`: column j holds the weights of query j over the keys."""
    return weights(rows(Q), rows(K), attention)[0, 0].T


def logits(Q: Tensor, K: Tensor, beta: float) -> Tensor:
    """The scaled logits, m × n, by `attend`: with one key alone the log-sum-exp of a row is its logit."""
    alone = K.T[:, None, None, :]  # each key in a row of its own of the batch
    queries = Q.T[None, None].expand(len(alone), -1, -1, -1)
    return attend(queries, alone, alone, Attention(Content(beta)), return_lse=True)[1][:, 0]


def drawn(*shape: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Standard normal numbers of a generator of their own."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
