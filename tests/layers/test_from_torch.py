"""MultiHead with the weights of torch's module gives its results: outputs and every gradient."""

import pytest
import torch
from torch import Tensor, nn

from regard.layers import MultiHead


def theirs(**options) -> nn.MultiheadAttention:
    """Torch's module, 12 wide with 3 heads, in float64, with biases that are not zero."""
    module = nn.MultiheadAttention(12, 3, **{"batch_first": True} | options, dtype=torch.float64)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module


def gradients(module: nn.MultiheadAttention) -> dict[str, Tensor | None]:
    """The gradients of torch's module under the names of ours."""
    if module.in_proj_weight is None:
        weights = [module.q_proj_weight.grad, module.k_proj_weight.grad, module.v_proj_weight.grad]
    else:
        assert module.in_proj_weight.grad is not None
        weights = list(module.in_proj_weight.grad.chunk(3))
    found = dict(zip(("query.weight", "key.weight", "value.weight"), weights, strict=True))
    found["out.weight"] = module.out_proj.weight.grad
    if module.in_proj_bias is not None:
        assert module.in_proj_bias.grad is not None
        found |= zip(("query.bias", "key.bias", "value.bias"), module.in_proj_bias.grad.chunk(3), strict=True)
        found["out.bias"] = module.out_proj.bias.grad
    return found


def assert_same(ours: Tensor | None, torchs: Tensor | None) -> None:
    assert ours is not None
    assert torchs is not None
    torch.testing.assert_close(ours, torchs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", [{}, {"kdim": 7}, {"vdim": 5}, {"kdim": 7, "vdim": 5}])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_outputs_maps_and_gradients_are_equal(bias: bool, widths: dict[str, int], padded: bool, causal: bool):
    module = theirs(bias=bias, **widths)
    layer = MultiHead.from_torch(module)
    shapes = (12, widths.get("kdim", 12), widths.get("vdim", 12))
    inputs = [torch.randn(2, 6, width, dtype=torch.float64, requires_grad=True) for width in shapes]
    copies = [x.detach().clone().requires_grad_() for x in inputs]
    pad = torch.tensor([[False] * 6, [False] * 4 + [True] * 2]) if padded else None
    forbidden = torch.ones(6, 6, dtype=torch.bool).triu(1) if causal else None

    expected, maps = module(*inputs, pad, attn_mask=forbidden, average_attn_weights=False)
    got = layer(*copies, pad, causal)
    assert_same(got, expected)
    assert_same(layer.weights(copies[0], copies[1], pad, causal), maps)

    direction = torch.randn_like(expected)
    expected.backward(direction)
    got.backward(direction)
    for mine, their in zip(copies, inputs, strict=True):
        assert_same(mine.grad, their.grad)
    wanted = gradients(module)
    assert wanted.keys() == dict(layer.named_parameters()).keys()
    for name, parameter in layer.named_parameters():
        assert_same(parameter.grad, wanted[name])


def test_cross_attention_of_another_length_is_equal():
    module = theirs()
    q, k = torch.randn(2, 3, 12, dtype=torch.float64), torch.randn(2, 8, 12, dtype=torch.float64)
    assert_same(MultiHead.from_torch(module)(q, k), module(q, k, k)[0])


def test_ours_takes_the_batch_first_whatever_theirs_does():
    module = theirs(batch_first=False)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    t = x.transpose(0, 1)
    assert_same(MultiHead.from_torch(module)(x), module(t, t, t)[0].transpose(0, 1))


def test_type_mode_and_dropout_come_along_and_the_weights_are_copies():
    module = theirs(dropout=0.5).eval()
    layer = MultiHead.from_torch(module)
    assert layer.dropout == 0.5
    assert not layer.training
    assert {p.dtype for p in layer.parameters()} == {torch.float64}
    before = layer.query.weight.clone()
    nn.init.zeros_(module.in_proj_weight)
    assert torch.equal(layer.query.weight, before)
    assert MultiHead.from_torch(module.train()).training


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
def test_invented_keys_are_refused(option: str):
    with pytest.raises(ValueError, match=f"given keys alone: got {option}=True"):
        MultiHead.from_torch(nn.MultiheadAttention(12, 3, **{option: True}))
