"""All windows of a table at once, for every query its own: the map of a relative table, and its gradient."""

from typing import Any

import torch
from torch import Tensor

from regard.attention.eager import given, is_eager, once


def sliding(table: Tensor, queries: tuple[int, int], keys: tuple[int, int]) -> Tensor:
    """`out[h, i, u, j, w] = table[h, j − i + n′ − 1, w − u + m′ − 1]` for n′ × m′ queries and n × m keys.

    The table is (H, n + n′ − 1, m + m′ − 1): all offsets there are, in order.
    """
    if not is_eager(table):
        return _windows(table, keys)
    out = _Sliding.apply(table, queries, keys)
    assert isinstance(out, Tensor)
    return out


def _windows(table: Tensor, keys: tuple[int, int]) -> Tensor:
    """Windows go on as the queries go back."""
    return table.unfold(1, keys[0], 1).unfold(2, keys[1], 1).flip((1, 2))


class _Sliding(torch.autograd.Function):
    """Windows by views. Their gradient adds up along diagonals, which lie in steps once the rows are padded."""

    @staticmethod
    @given
    def forward(ctx: Any, table: Tensor, queries: tuple[int, int], keys: tuple[int, int]) -> Tensor:
        ctx.sizes = queries, keys
        return _windows(table, keys)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        (n_q, m_q), (n, m) = ctx.sizes
        H, pitch = grad.shape[0], m + m_q - 1
        # Rows of m numbers and m′ − 1 zeros: a step to the left of a row is a zero of the row before.
        padded = grad.new_zeros(H * n_q * m_q * n * pitch + m_q - 1)
        rows = padded[m_q - 1 :].view(H, n_q, m_q, n, pitch)
        rows[..., :m] = grad
        strides = (n_q * m_q * n * pitch, m_q * n * pitch, n * pitch + 1, pitch, 1)
        diagonals = padded.as_strided((H, n_q, m_q, n, pitch), strides)  # [u, c] is the number at column c + u
        by_row = diagonals.sum(2)  # (H, n′, n, columns of the table)
        i, j = torch.arange(n_q, device=grad.device), torch.arange(n, device=grad.device)
        row = (j - i[:, None] + n_q - 1).flatten()
        total = grad.new_zeros(H, n + n_q - 1, pitch)
        return total.index_add_(1, row, by_row.flatten(1, 2)), None, None
