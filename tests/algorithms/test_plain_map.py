"""The fast map of plain softmax attention equals the map of the definition, and is used for nothing else."""

import pytest
import torch

from regard import weights
from regard.algorithms.plain_map import is_plain
from regard.attention import Attention, Bias, Causal, Content, Hard, KeyPadding, Sequence, Window
from regard.attention.reference import weight_map

T = 300  # enough weights for the fast way


@pytest.fixture
def tensors() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(1, 4, T, 8, generator=generator), torch.randn(1, 2, T, 8, generator=generator)


@pytest.mark.parametrize("attention", [Attention(), Attention(Content(3.0)), Attention(mask=Causal())], ids=repr)
@torch.no_grad()
def test_it_is_the_map_of_the_definition(tensors, attention: Attention):
    q, k = tensors
    assert is_plain(q, k, attention)
    torch.testing.assert_close(weights(q, k, attention), weight_map(q, k, attention), rtol=1e-5, atol=1e-7)
    if attention.mask is not None and not isinstance(attention.mask, Causal):
        short = q[:, :, :250]
        torch.testing.assert_close(weights(short, k, attention), weight_map(short, k, attention), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "attention",
    [
        Attention(Content() + Bias(torch.zeros(T, T))),
        Attention(mask=Window(3, 3)),
        Attention(mask=Causal() & Window(3, 0)),
        Attention(mask=KeyPadding((T - 1,))),
        Attention(weighting=Hard()),
        Attention(mask=Causal(), queries=Sequence(T, 2), keys=Sequence(T)),
    ],
    ids=lambda one: repr(one)[:60],
)
@torch.no_grad()
def test_any_other_value_takes_the_definition(tensors, attention: Attention):
    assert not is_plain(*tensors, attention)


def test_gradients_rows_types_and_few_weights_take_the_definition(tensors):
    q, k = tensors
    assert not is_plain(q, k, Attention())  # gradients may be wanted
    with torch.no_grad():
        assert not is_plain(q.double(), k.double(), Attention())
        assert not is_plain(q.expand(2, -1, -1, -1), k.expand(2, -1, -1, -1), Attention())
        assert not is_plain(q[:, :, :9], k[:, :, :9], Attention())
        assert not is_plain(q[:, :, :250], k, Attention(mask=Causal()))  # which aligns the last query with the last key
