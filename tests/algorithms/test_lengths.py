"""Lengths that change from call to call: what was compiled or remembered for one must not serve another."""

import pytest
import torch

from regard import attend
from regard.attention import Attention, Causal, Content, Dense, KeyPadding, Padding, Slopes, Window
from regard.attention.reference import reference
from tests.tolerances import LONG

VALUES = {
    "causal key padding": lambda n, at: Attention(mask=Causal() & KeyPadding(torch.tensor([n, n // 3], device=at))),
    "window": lambda n, at: Attention(mask=Window(100, 30)),
    "padding": lambda n, at: Attention(mask=Padding(torch.tensor([n // 2, n], device=at))),
    "padding map": lambda n, at: Attention(mask=Padding(torch.rand(2, n, device=at) < 0.5)),
    "dense": lambda n, at: Attention(mask=Dense(torch.rand(n, n, device=at) < 0.01)),
    "slopes": lambda n, at: Attention(Content() + Slopes.geometric(4, at), Causal() & Window(200)),
}


@pytest.mark.parametrize("name", VALUES)
def test_one_length_after_another(name: str, device: torch.device):
    long = device.type == "cuda"  # many blocks, and on the GPU symbolic sizes from the second length on
    for n in (2048, 4096, 3000) if long else (300, 700, 520):
        q, k, v = (torch.randn(2, heads, n, 64, device=device).requires_grad_() for heads in (4, 2, 2))
        attention = VALUES[name](n, device)
        expected, _ = reference(q, k, v, attention)
        wanted = torch.autograd.grad(expected.square().sum(), (q, k, v))
        for algorithm in (None, "blockwise"):
            out = attend(q, k, v, attention, algorithm=algorithm)
            torch.testing.assert_close(out, expected, **LONG, msg=lambda text, n=n: f"{n} tokens: {text}")
            for got, want in zip(torch.autograd.grad(out.square().sum(), (q, k, v)), wanted, strict=True):
                torch.testing.assert_close(got, want, **LONG, msg=lambda text, n=n: f"{n} tokens: {text}")
