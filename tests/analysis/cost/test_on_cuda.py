"""On a GPU: whatever kernel torch takes there, as much is needed."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from regard.analysis.cost import cost
from regard.attention import Window
from regard.layers import MultiHead

pytestmark = pytest.mark.gpu
B, H, T, D = 2, 4, 256, 64
C = H * D
SEEN = T * (T + 1) // 2


class Causal(nn.Module):
    """Projections around torch's own attention."""

    def __init__(self, backend: SDPBackend, dropout: float = 0.0) -> None:
        super().__init__()
        self.project = nn.Linear(C, 3 * C, bias=False, device="cuda", dtype=torch.bfloat16)
        self.backend, self.dropout = backend, dropout

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.project(x).view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)
        with sdpa_kernel(self.backend):
            return scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.dropout)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize("name", ["FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH"])
def test_every_backend_of_sdpa(name: str, dropout: float) -> None:
    found = cost(Causal(getattr(SDPBackend, name), dropout), torch.empty(B, T, C, device="cuda", dtype=torch.bfloat16))
    projections, attention = 2 * B * T * C * 3 * C, 4 * B * H * SEEN * D
    assert found.forward.flops == projections + attention
    assert found.backward.flops == projections + 2 * attention  # nobody asks for the gradient of x
    assert found.forward.executed >= found.forward.flops
    assert (found.unknown, found.notes) == ({}, ())


def test_modules_of_torch_and_ours() -> None:
    x = torch.empty(B, T, C, device="cuda", dtype=torch.bfloat16)
    on_gpu = {"device": "cuda", "dtype": torch.bfloat16}
    linear, square = 8 * B * T * C * C, 4 * B * H * T * T * D
    for training in (True, False):
        theirs = nn.MultiheadAttention(C, H, batch_first=True, **on_gpu).train(training)
        assert cost(theirs, x, x, x).forward.flops == linear + square
    window = sum(min(i + 1, 33) for i in range(T))
    ours = cost(MultiHead(C, H, **on_gpu), x, mask=Window(32, 0), causal=True)
    assert ours.forward.flops == linear + 4 * B * H * window * D
    assert ours.backward.flops == 2 * ours.forward.flops - 2 * 3 * B * T * C * C
    lstm = cost(nn.LSTM(C, C, batch_first=True, **on_gpu), x)
    assert lstm.forward.flops == 2 * B * T * 8 * C * C
    assert lstm.unknown == {}
