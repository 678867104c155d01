"""MultiHead against its definition, its sizes, and the worked example of the course."""

import copy
import inspect
import io
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from regard import Attention
from regard.attention import Bias, Causal, Content, KeyPadding, Mask, Padding, Positions, Window
from regard.layers import MultiHead, Widths
from regard.layers.multihead import merge_heads, split_heads

SIZES = st.integers(1, 9)


def build(*args, **options) -> MultiHead:
    """A float64 layer whose biases are not zero, so that a lost one shows."""
    layer = MultiHead(*args, **options, dtype=torch.float64)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer


def by_definition(layer: MultiHead, q: Tensor, k: Tensor, v: Tensor, allowed: Tensor | None = None) -> Tensor:
    """One head, one row at a time; `allowed` is (B, T, S). Knows nothing of regard but the parameters."""
    H, G = layer.num_heads, layer.num_groups
    query, key, value = layer.query(q), layer.key(k), layer.value(v)
    D, E = query.shape[2] // H, value.shape[2] // G
    beta = 1 / math.sqrt(D) if layer.beta is None else layer.beta
    rows = []
    for b in range(len(q)):
        heads = []
        for h in range(H):
            g = h // (H // G)
            logits = beta * query[b, :, h * D : (h + 1) * D] @ key[b, :, g * D : (g + 1) * D].T
            if allowed is not None:
                logits = logits.masked_fill(~allowed[b], -torch.inf)
            heads.append(logits.softmax(-1) @ value[b, :, g * E : (g + 1) * E])
        rows.append(torch.cat(heads, -1))
    return layer.out(torch.stack(rows))


def assert_same(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@settings(max_examples=25)
@given(inputs=SIZES, hidden=SIZES, head_out=SIZES, out=SIZES, num_heads=SIZES)
def test_parameters_are_counted_as_conv_a1_says(inputs: int, hidden: int, head_out: int, out: int, num_heads: int):
    layer = MultiHead(Widths(query=inputs, head=hidden, head_value=head_out, out=out), num_heads, bias=False)
    heads = num_heads * inputs * (2 * hidden + head_out)
    output = num_heads * head_out * out + out
    assert sum(parameter.numel() for parameter in layer.parameters()) == heads + output


def test_query_key_value_have_3d_biases_as_udl_1a_corrected():
    D = 12
    parts = {name: p.numel() for name, p in MultiHead(D, 1).named_parameters() if not name.startswith("out")}
    assert sum(n for name, n in parts.items() if name.endswith("weight")) == 3 * D**2
    assert sum(n for name, n in parts.items() if name.endswith("bias")) == 3 * D


X = [[-2, 1, 0.5], [1, 1.5, -0.5], [-1.5, 1, -0.5], [-2, -2.5, 1.5]]
W_Q = [[1, -1.5], [0, 2], [-0.5, -1]]
W_K = [[-1.5, -1], [2.5, 0], [0.5, -1]]
W_V = [[1, 2.5], [-0.5, -2], [0, -1]]
W_O = [[-1, 1.5, 2], [0, -1, -2], [1, -1.5, 0], [2, 0, 1]]


def worked_example(num_heads: int) -> tuple[MultiHead, Tensor]:
    """The layer of ist.1b (one head, its output as it is) or of ist.1c (a second head of ones, and W_O), and X."""
    out = 2 if num_heads == 1 else 3
    layer = MultiHead(Widths(query=3, head=2, out=out), num_heads, bias=False, out_bias=False, dtype=torch.float64)
    ones = [torch.ones(2, 3, dtype=torch.float64)] * (num_heads - 1)
    with torch.no_grad():
        for linear, weight in ((layer.query, W_Q), (layer.key, W_K), (layer.value, W_V)):
            linear.weight.copy_(torch.cat([torch.tensor(weight, dtype=torch.float64).T, *ones]))
        layer.out.weight.copy_(torch.eye(2) if num_heads == 1 else torch.tensor(W_O).T)
    return layer, torch.tensor([X], dtype=torch.float64)


def printed(x: Tensor) -> list[list[float]]:
    return [[round(number, 8) for number in row] for row in x.tolist()]


def test_one_head_gives_ist_1b_to_every_digit():
    layer, x = worked_example(1)
    assert printed(layer(x)[0]) == [
        [-0.75220098, -1.50668721],
        [-2.29564869, -6.58686077],
        [-1.07141415, -2.47595506],
        [-0.74812187, -1.4971829],
    ]


def test_two_heads_give_ist_1c_to_every_digit():
    layer, x = worked_example(2)
    assert printed(layer(x)[0]) == [
        [-6.04664898, 3.77781072, -0.75731086],
        [8.28741825, 0.14750295, 10.57968068],
        [-7.3905735, 5.09982766, -0.01158073],
        [-8.25045389, 4.87428797, -1.50140321],
    ]


def test_maps_give_ist_1p_to_every_digit():
    layer, x = worked_example(2)
    first, second = layer.weights(x)[0]
    assert [float(f"{a:.9g}") for a in first[1]] == [0.597319598, 0.00128333499, 0.401298182, 0.0000988847812]
    assert [float(f"{a:.9g}") for a in second[0]] == [0.118306921, 0.0201966211, 0.168483136, 0.693013322]


def test_forward_has_the_signature_of_eecs_2():
    parameters = inspect.signature(MultiHead.forward).parameters
    assert list(parameters)[1:6] == ["q", "k", "v", "key_padding_mask", "causal"]
    assert parameters["key_padding_mask"].default is None
    assert parameters["causal"].default is False
    assert all(p.kind is p.KEYWORD_ONLY for p in list(parameters.values())[6:])


def test_key_defaults_to_query_and_value_to_key():
    layer = build(12, 3)
    x, y = torch.randn(2, 2, 5, 12, dtype=torch.float64)
    assert_same(layer(x), layer(x, x, x))
    assert_same(layer(x, y), layer(x, y, y))
    assert not torch.allclose(layer(x, y), layer(x))


def test_widths_that_are_left_out_follow_those_that_are_given():
    layer = MultiHead(Widths(query=12, key=7), 3)
    assert (layer.query.in_features, layer.key.in_features, layer.value.in_features) == (12, 7, 7)
    assert (layer.query.out_features, layer.key.out_features, layer.value.out_features) == (12, 12, 12)
    assert (layer.out.in_features, layer.out.out_features) == (12, 12)
    thin = MultiHead(Widths(query=12, head=2), 5)
    assert (thin.value.out_features, thin.out.out_features) == (10, 12)


@pytest.mark.parametrize("num_groups", [1, 2, 6])
@pytest.mark.parametrize("beta", [None, 0.7])
def test_all_widths_may_differ(num_groups: int, beta: float | None):
    widths = Widths(query=7, key=5, value=9, head=3, head_value=4, out=11)
    layer = build(widths, 6, num_groups=num_groups, beta=beta)
    q, k, v = (torch.randn(2, n, width, dtype=torch.float64) for n, width in ((4, 7), (6, 5), (6, 9)))
    pad = torch.tensor([[False] * 6, [False] * 3 + [True] * 3])
    allowed = ~pad[:, None, :] & torch.ones(4, 6, dtype=torch.bool).tril(2)
    assert_same(layer(q, k, v), by_definition(layer, q, k, v))
    assert_same(layer(q, k, v, pad, causal=True), by_definition(layer, q, k, v, allowed))


def test_grouped_heads_equal_repeated_heads():
    grouped = build(12, 6, num_groups=2)
    repeated = build(12, 6)
    repeated.load_state_dict(
        {
            # Each key-value head of width 2 serves three heads of queries.
            name: p.unflatten(0, (2, 2)).repeat_interleave(3, 0).flatten(0, 1) if name[:3] in ("key", "val") else p
            for name, p in grouped.state_dict().items()
        }
    )
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    assert_same(grouped(x, causal=True), repeated(x, causal=True))
    assert_same(grouped.weights(x), repeated.weights(x))


def test_the_given_masks_are_all_obeyed():
    layer = build(12, 3)
    x = torch.randn(2, 6, 12, dtype=torch.float64)
    pad = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    i = torch.arange(6)
    window = (i - i[:, None]).abs() <= 3
    allowed = ~pad[:, None, :] & (i <= i[:, None]) & window
    assert_same(layer(x, x, x, pad, True, mask=Window(3, 3)), by_definition(layer, x, x, x, allowed))
    map = layer.weights(x, x, pad, True, mask=Window(3, 3))
    assert ((map > 0) == allowed[:, None]).all()
    together = layer(x, mask=Window(3, 3) & Causal() & KeyPadding.from_padding_mask(pad))
    assert_same(layer(x, x, x, pad, True, mask=Window(3, 3)), together)


def test_weights_are_what_forward_mixes_with():
    layer = build(12, 3, num_groups=1)
    q, k = torch.randn(2, 4, 12, dtype=torch.float64), torch.randn(2, 6, 12, dtype=torch.float64)
    map = layer.weights(q, k, causal=True)
    value = layer.value(k)[:, None]  # one group
    assert map.shape == (2, 3, 4, 6)
    assert_same(layer.out((map @ value).transpose(1, 2).flatten(2)), layer(q, k, causal=True))


def test_heads_are_views():
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    assert heads.data_ptr() == x.data_ptr()
    assert torch.equal(heads[:, 1], x[..., 4:8])
    assert merge_heads(heads).data_ptr() == x.data_ptr()


def test_a_subclass_adds_score_terms_that_learn():
    class Biased(MultiHead):
        def __init__(self) -> None:
            super().__init__(12, 3, dtype=torch.float64)
            self.table = nn.Parameter(torch.randn(3, 5, 5, dtype=torch.float64))

        def attention(self, mask: Mask, queries: Positions | None, keys: Positions | None) -> Attention:
            return Attention(Content(self.beta) + Bias(self.table), mask, None, queries, keys)

    layer = Biased()
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    plain = MultiHead.weights(layer, x).log()
    without = build(12, 3)
    without.load_state_dict(layer.state_dict(), strict=False)
    assert_same(plain, (without.weights(x).log() + layer.table).log_softmax(-1))
    layer(x).square().sum().backward()
    assert layer.table.grad is not None
    assert layer.table.grad.abs().min() > 0


def padded_batch(pad_value: float) -> tuple[Tensor, Tensor]:
    """Sequences of 5 and 3 tokens, (2, 5, 12), and where the pads are."""
    x = torch.randn(2, 5, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    pad = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    return x.masked_fill(pad[..., None], pad_value), pad


@pytest.mark.parametrize("pad_value", [0.0, 1e6, math.inf, math.nan])
@pytest.mark.parametrize("causal", [False, True])
def test_pads_influence_no_real_token(pad_value: float, causal: bool):
    # What a NaN pad itself gets is not promised: its query is NaN, and kernels answer that with NaN or with zeros.
    layer = build(12, 3)
    x, pad = padded_batch(pad_value)
    y = layer(x, key_padding_mask=pad, causal=causal)
    assert_same(y[0], layer(x[:1], causal=causal)[0])
    assert_same(y[1, :3], layer(x[1:, :3], causal=causal)[0])


def test_a_pad_query_attends_like_any_other_under_key_padding_and_to_nothing_under_padding():
    layer = build(12, 3)
    x, pad = padded_batch(2.0)
    assert_same(layer(x, key_padding_mask=pad)[1, 3:], layer(x[1:, 3:], x[1:, :3])[0])
    # Padding hides the pad queries too, NaN or not: zeros before the output projection, its bias behind it.
    x, pad = padded_batch(math.nan)
    assert_same(layer(x, mask=Padding(~pad))[pad], layer.out.bias.expand(2, 12))


def test_gradients_are_finite_when_pads_are_blanked_and_only_then():
    layer = build(12, 3)

    def gradients(pad_value: float) -> list[Tensor]:
        x, pad = padded_batch(pad_value)
        real = layer(x, key_padding_mask=pad)[~pad]
        return list(torch.autograd.grad(real.square().sum(), list(layer.parameters())))

    x, _ = padded_batch(0.0)
    alone = torch.cat([layer(x[:1])[0], layer(x[1:, :3])[0]])
    expected = torch.autograd.grad(alone.square().sum(), list(layer.parameters()))
    for blanked, one_by_one in zip(gradients(0.0), expected, strict=True):
        torch.testing.assert_close(blanked, one_by_one, rtol=1e-9, atol=1e-11)
    # A projection multiplies its input by a gradient of zero there, and NaN·0 is NaN: models blank pads once.
    assert any(gradient.isnan().any() for gradient in gradients(math.nan))


def test_a_row_without_a_key_gives_the_output_bias_and_finite_gradients():
    layer = build(12, 3)
    x = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
    y = layer(x, key_padding_mask=torch.tensor([[False] * 5, [True] * 5]))
    assert_same(y[1], layer.out.bias.expand(5, 12))
    y.sum().backward()
    assert x.grad is not None
    assert (x.grad[1] == 0).all()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in layer.parameters())


def test_dropout_acts_on_the_weights_in_training_only():
    layer = build(Widths(query=4, head=2, out=2), 1, dropout=0.25)
    same = build(Widths(query=4, head=2, out=2), 1)
    same.load_state_dict(layer.state_dict())
    x = torch.randn(1, 3, 4, dtype=torch.float64).expand(20_000, 3, 4)
    layer.eval()
    assert_same(layer(x[:2]), same(x[:2]))
    assert_same(layer.train().weights(x[:2]), same.weights(x[:2]))
    with torch.no_grad():
        samples = layer(x)
    assert samples.std(0).min() > 0.01
    torch.testing.assert_close(samples.mean(0), same(x[:1])[0], rtol=0, atol=0.03)


def test_dropout_repeats_with_the_seed():
    layer = build(12, 3, dropout=0.5)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    torch.manual_seed(7)
    first, second = layer(x), layer(x)
    torch.manual_seed(7)
    assert torch.equal(layer(x), first)
    assert not torch.equal(first, second)


def test_initialisation_is_xavier_uniform_with_biases_of_zero():
    layer = MultiHead(Widths(query=256, key=64), 8, num_groups=2)
    for linear in (layer.query, layer.key, layer.value, layer.out):
        bound = math.sqrt(6 / (linear.in_features + linear.out_features))
        assert 0.98 * bound < linear.weight.abs().max() <= bound
        assert linear.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.03)
        assert (linear.bias == 0).all()


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"out_bias": False}, {"bias": False, "out_bias": False}])
def test_biases_are_where_they_were_asked_for(options: dict[str, bool]):
    names = {name for name, _ in MultiHead(12, 3, **options).named_parameters() if name.endswith("bias")}
    inside = {"query.bias", "key.bias", "value.bias"} if options.get("bias", True) else set()
    assert names == inside | ({"out.bias"} if options.get("out_bias", True) else set())


def test_state_survives_files_and_copies():
    layer = build(12, 6, num_groups=2)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    restored = build(12, 6, num_groups=2)
    restored.load_state_dict(torch.load(file, weights_only=True))
    twin = copy.deepcopy(layer)
    assert torch.equal(restored(x), layer(x))
    assert torch.equal(twin(x), layer(x))
    nn.init.zeros_(twin.query.weight)
    assert not torch.equal(twin(x), layer(x))


def test_it_is_built_on_a_device_without_memory():
    layer = MultiHead(512, 8, device="meta", dtype=torch.bfloat16)
    assert {(p.device.type, p.dtype) for p in layer.parameters()} == {("meta", torch.bfloat16)}


def test_it_prints_what_was_chosen():
    assert "num_heads=6, num_groups=2, beta=0.5, dropout=0.1" in repr(
        MultiHead(12, 6, num_groups=2, beta=0.5, dropout=0.1)
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_stays_near_float64(dtype: torch.dtype):
    exact = build(64, 4)
    half = copy.deepcopy(exact).to(dtype)
    exact.load_state_dict(half.state_dict())  # the same rounded weights
    x = torch.randn(2, 63, 64).to(dtype)
    y = half(x, causal=True)
    assert y.dtype == dtype
    eps = torch.finfo(dtype).eps
    scale = exact(x.double(), causal=True).abs().max().item()
    # The four projections and the weights are each rounded once: a handful of eps of the largest output.
    torch.testing.assert_close(y.double(), exact(x.double(), causal=True), rtol=0, atol=8 * eps * scale)


def test_autocast_runs_the_projections_in_half_precision():
    layer = MultiHead(64, 4)
    x = torch.randn(2, 9, 64)
    with torch.autocast("cpu", torch.bfloat16):
        y = layer(x, causal=True)
    assert y.dtype == torch.bfloat16
    torch.testing.assert_close(y.float(), layer(x, causal=True), rtol=0, atol=0.03)
