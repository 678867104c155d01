"""The peer of the benchmark is the model that nanoGPT publishes: its size, its rate, no look ahead."""

import pytest
import torch

from benchmarks.shakespeare import Configuration, Plain


def test_the_peer_has_the_published_size_and_rate():
    config = Configuration()
    model = Plain(config, vocabulary=65)
    count = sum(parameter.numel() for parameter in model.parameters()) - model.positions.weight.numel()
    assert round(count / 1e6, 2) == 10.65
    assert [config.rate_at(step) for step in (100, 5000)] == pytest.approx([1e-3, 1e-4])
    assert config.rate_at(0) < config.rate_at(50) < 1e-3


def test_the_peer_does_not_look_ahead():
    torch.manual_seed(0)
    model = Plain(Configuration(depth=1, width=12, context=8), vocabulary=9).eval()
    tokens = torch.randint(9, (2, 8))
    other = tokens.clone()
    other[:, 5:] = (other[:, 5:] + 1) % 9
    assert torch.allclose(model(tokens)[:, :5], model(other)[:, :5])
    assert not torch.allclose(model(tokens)[:, 5:], model(other)[:, 5:])
