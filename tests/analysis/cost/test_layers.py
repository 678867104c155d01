"""Layers against counts by hand: linear maps, convolutions, recurrent layers, and our own.

DaViT's are among them at the sizes of the textbook's question.
"""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from regard.analysis.cost import cost
from regard.attention import Elu, Grid, Kernel, Window
from regard.layers import ChannelAttention, DualBlock, GaussianHeads, MultiHead, PooledMultiHead, WindowAttention
from tests.analysis.cost.by_hand import FOUR, B, C, Case, D, F, H, S, T, floats, mixed, product, triangle, words

X, MEMORY = floats(B, T, C), floats(B, S, C)
PROJECTED = product(B * T, C, 4 * C)
INPUTS = product(B * T, C, 3 * C)
V = 31


class Tied(nn.Module):
    """An embedding whose matrix is the head's too."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(V, C), nn.Linear(C, V, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.embedding(x))


def test_a_linear_map():
    once = product(B * T, C, F)
    Case(make=lambda: nn.Linear(C, F), inputs=(X,), parameters=C * F + F, forward=once, unasked=once).check()
    asks = floats(B, T, C, grad=True)
    Case(make=lambda: nn.Linear(C, F), inputs=(asks,), parameters=C * F + F, forward=once).check()
    Case(
        make=lambda: nn.Linear(C, F), inputs=(floats(C),), parameters=C * F + F, forward=2 * C * F, unasked=2 * C * F
    ).check()


def test_frozen_weights_get_no_gradient_and_are_no_trainable_parameters():
    net = nn.Sequential(nn.Linear(C, F), nn.ReLU(), nn.Linear(F, C))
    net[2].weight.requires_grad_(False)
    c = cost(net, X)
    first, second = product(B * T, C, F), product(B * T, F, C)
    assert (c.parameters, c.trainable) == (2 * C * F + F + C, C * F + F + C)
    # first: its weight, not x; second: its input, not its frozen weight
    assert c.backward.flops == first + second
    assert (c["0"].backward.flops, c["2"].backward.flops) == (first, second)
    assert (c["2"].parameters, c["2"].trainable) == (C * F + C, C)
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    c = cost(net, X)
    assert (c.trainable, c.backward.flops, c.forward.flops) == (0, 0, first + second)
    # Nothing trains, but the input asks: one product back for each.
    assert cost(net, floats(B, T, C, grad=True)).backward.flops == first + second


def test_no_backward_pass_where_none_is_wanted():
    assert cost(nn.Linear(C, F), X, backward=False).backward.flops == 0
    with torch.no_grad():
        assert cost(nn.Linear(C, F), X).backward.flops == 0


def test_an_embedding_is_a_look_up_and_tied_to_a_head_it_is_there_once():
    Case(make=Tied, inputs=(words(B, T),), parameters=V * C, forward=product(B * T, C, V)).check()
    c = cost(nn.Embedding(V, C), words(B, T))
    assert (c.parameters, c.forward.flops, c.backward.flops) == (V * C, 0, 0)


def test_a_module_used_twice_is_there_once_and_works_twice():
    layer = nn.Linear(C, C, bias=False)
    c = cost(nn.Sequential(layer, layer), X)
    once = product(B * T, C, C)
    assert (c.parameters, c.forward.flops, c.backward.flops) == (C * C, 2 * once, 4 * once - once)


CONVOLUTIONS = {
    # 9 − 3 + 1 = 7 places of 3·C taps into F
    "Conv1d": (lambda: nn.Conv1d(C, F, 3), (B, C, 9), F * C * 3 + F, product(B * 7, 3 * C, F)),
    # stride 2, padding 1: ⌊(9 + 2 − 3)/2⌋ + 1 = 5 places along each side
    "Conv2d": (lambda: nn.Conv2d(3, 8, 3, stride=2, padding=1), (B, 3, 9, 9), 8 * 27 + 8, product(B * 25, 27, 8)),
    # dilation 2: 9 − 2·2 = 5 places
    "dilated": (lambda: nn.Conv1d(C, F, 3, dilation=2, bias=False), (B, C, 9), F * C * 3, product(B * 5, 3 * C, F)),
    # each of 9·9 inputs writes 2·2 taps into 5 channels, whatever the stride
    "transposed": (
        lambda: nn.ConvTranspose2d(3, 5, 2, stride=2),
        (B, 3, 9, 9),
        3 * 5 * 4 + 5,
        product(B * 81, 3, 5 * 4),
    ),
    "grouped": (lambda: nn.Conv2d(8, 12, 3, groups=4), (B, 8, 6, 6), 12 * 2 * 9 + 12, 4 * product(B * 16, 2 * 9, 3)),
    "depthwise": (lambda: nn.Conv1d(C, C, 3, padding=1, groups=C), (B, C, 9), 3 * C + C, C * product(B * 9, 3, 1)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (B, 2, 4, 4, 4), 3 * 2 * 8 + 3, product(B * 27, 16, 3)),
    # 4 groups of 2 channels into 3 each, 9 taps, written by 6·6 inputs
    "transposed, grouped": (
        lambda: nn.ConvTranspose2d(8, 12, 3, groups=4),
        (B, 8, 6, 6),
        8 * 3 * 9 + 12,
        4 * product(B * 36, 2, 3 * 9),
    ),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("asks", [False, True], ids=["x alone", "x with gradient"])
def test_convolutions(name: str, asks: bool):
    make, sizes, parameters, forward = CONVOLUTIONS[name]
    x = floats(*sizes, grad=asks)
    Case(make=make, inputs=(x,), parameters=parameters, forward=forward, unasked=0 if asks else forward).check()


class Loop(nn.Module):
    """A cell in a loop, over (T, B, C)."""

    def __init__(self, cell: nn.Module) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor) -> Tensor:
        state = None
        for step in x:
            state = self.cell(step, state)
        return state[0] if isinstance(state, tuple) else state


def recurrent(gates: int, layers: int = 1, ways: int = 1, out: int | None = None) -> tuple[int, int, int]:
    """Multiply-adds of a token: all weights, the first layer's for x, those for the state."""
    gates_wide, width = gates * F, F if out is None else out
    first, later, state = gates_wide * C, gates_wide * ways * width, gates_wide * width
    projection = 0 if out is None else out * F
    whole = ways * (first + (layers - 1) * later + layers * (state + projection))
    return whole, ways * first, ways * layers * state


@pytest.mark.parametrize(("kind", "gates"), [(nn.LSTM, 4), (nn.GRU, 3), (nn.RNN, 1)])
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True, "batch_first": True}], ids=str)
def test_recurrent_layers(kind: type, gates: int, options: dict):
    layers, ways = options.get("num_layers", 1), 2 if "bidirectional" in options else 1
    weights, first, state = recurrent(gates, layers, ways)
    x = floats(B, T, C) if "batch_first" in options else floats(T, B, C)
    case = Case(
        make=lambda: kind(C, F, **options),
        inputs=(x,),
        parameters=weights + layers * ways * 2 * gates * F,
        forward=2 * B * T * weights,
        unasked=2 * B * T * first + 2 * B * state,  # no gradient to x, nor to the first state of each row
    )
    case.check()


def test_recurrent_layers_with_a_projection_and_a_state_that_asks():
    weights, first, state = recurrent(4, 2, 1, out=C // 2)
    parameters = weights + 2 * 8 * F
    once = 2 * B * T * weights
    make = lambda: nn.LSTM(C, F, 2, proj_size=C // 2)  # noqa: E731
    unasked = 2 * B * T * first + 2 * B * state
    Case(make=make, inputs=(floats(T, B, C),), parameters=parameters, forward=once, unasked=unasked).check()
    states = (floats(2, B, C // 2, grad=True), floats(2, B, F, grad=True))
    Case(make=make, inputs=(floats(T, B, C, grad=True), states), parameters=parameters, forward=once).check()


def test_frozen_recurrent_weights_ask_for_no_gradient():
    weights, first, state = recurrent(4)
    layer = nn.LSTM(C, F).requires_grad_(False)
    # back to x and from state to state, not to the weights
    c = cost(layer, floats(T, B, C, grad=True))
    assert (c.trainable, c.backward.flops) == (0, 2 * B * T * weights - 2 * B * state)
    assert cost(layer, floats(T, B, C)).backward.flops == 0
    layer.weight_ih_l0.requires_grad_(True)
    assert cost(layer, floats(T, B, C)).backward.flops == 2 * B * T * first + 2 * B * (T - 1) * state


@pytest.mark.parametrize("ways", [1, 2])
def test_packed_sequences_cost_their_real_steps(ways: int):
    weights, first, state = recurrent(4, 1, ways)
    lengths = torch.tensor([T, 3])
    x = pack_padded_sequence(torch.zeros(T, B, C), lengths)
    c = cost(nn.LSTM(C, F, bidirectional=ways == 2), x)
    assert c.forward.flops == 2 * (T + 3) * weights
    assert c.backward.flops == 2 * c.forward.flops - 2 * (T + 3) * first - 2 * B * state


@pytest.mark.parametrize(
    ("kind", "layer", "gates"), [(nn.LSTMCell, nn.LSTM, 4), (nn.GRUCell, nn.GRU, 3), (nn.RNNCell, nn.RNN, 1)]
)
def test_a_cell_in_a_loop_costs_what_its_layer_costs(kind: type, layer: type, gates: int):
    weights, first, state = recurrent(gates)
    x = floats(S, B, C)
    c, whole = cost(Loop(kind(C, F)), x), cost(layer(C, F), x)
    assert c.parameters == whole.parameters == weights + 2 * gates * F
    assert c.forward.flops == whole.forward.flops == 2 * B * S * weights
    assert c.backward.flops == whole.backward.flops == 2 * c.forward.flops - 2 * B * S * first - 2 * B * state
    assert not c.unknown


def test_multi_head():
    Case(
        make=lambda: MultiHead(C, H), inputs=(X,), keywords={"causal": True},
        parameters=FOUR, forward=PROJECTED + mixed(B * H * triangle(T)), unasked=INPUTS,
    ).check()  # fmt: skip
    # a window of two keys before and one after: 4·T less those beyond the ends
    window = 4 * T - (2 + 1) - 1
    Case(
        make=lambda: MultiHead(C, H, dropout=0.1), inputs=(X,), keywords={"mask": Window(2, 1)},
        parameters=FOUR, forward=PROJECTED + mixed(B * H * window), unasked=INPUTS,
    ).check()  # fmt: skip


def test_multi_head_with_pads():
    pads = torch.zeros(B, T, dtype=torch.bool)
    pads[1, 4:] = True
    for causal, pairs in ((False, T * (T + 4)), (True, triangle(T) + triangle(T, 4))):
        Case(
            make=lambda: MultiHead(C, H), inputs=(X,), keywords={"key_padding_mask": pads, "causal": causal},
            parameters=FOUR, forward=PROJECTED + mixed(H * pairs), unasked=INPUTS,
        ).check()  # fmt: skip


def test_grouped_heads_and_cross_attention():
    G = 2
    width = G * D  # of keys and values
    Case(
        make=lambda: MultiHead(C, H, num_groups=G, bias=False),
        inputs=(X, MEMORY),
        parameters=2 * C * C + 2 * C * width + C,  # the output has its bias
        forward=product(B * T, C, 2 * C) + product(B * S, C, 2 * width) + mixed(B * H * T * S),
        unasked=product(B * T, C, C) + product(B * S, C, 2 * width),
    ).check()


def test_linear_attention():
    n = 512
    c = cost(MultiHead(C, H, weighting=Kernel(Elu())), floats(B, n, C))
    # sums of keys by values, queries by them and by the sum of keys
    assert c.forward.flops == product(B * n, C, 4 * C) + B * H * 2 * n * D * (2 * D + 1)
    assert c.backward.flops == 2 * c.forward.flops - product(B * n, C, 3 * C)
    assert c.parameters == FOUR


@pytest.mark.parametrize("width", [16, 64])
def test_gaussian_heads_on_a_grid(width: int):
    heads, h, w = 3, 12, 16
    tokens = B * h * w
    c = cost(GaussianHeads(width, heads), floats(B, h * w, width), Grid(h, w))
    assert c.parameters == heads * width**2 + width + width**2 + width + 2 * heads + heads
    # columns of every head, then each head's block of the projection, then rows of all heads, then the output
    mixing = 2 * tokens * heads * width * (w + h)
    columns = 2 * tokens * heads * width * w
    maps = product(tokens, heads * width, width) + product(tokens, width, width)
    assert c.forward.flops == c.forward.executed == mixing + maps
    assert c.backward.flops == c.backward.executed == 2 * c.forward.flops - columns  # none to the pixels
    assert not c.unknown


N, P = 256, 512  # 16×16 patches, 512 channels


def test_davit_between_patches_channels_and_in_windows():
    """The numbers of the question, in multiply-adds: 268.4M, 67.1M, 134.2M, 8.4M, 16.8M."""
    x, image = floats(1, N, P), Grid(16, 16)
    projected = 2 * 268_435_456
    assert projected == 8 * N * P**2
    patches = cost(MultiHead(P, 1), x)
    channels, groups = cost(ChannelAttention(P), x), cost(ChannelAttention(P, 16), x)
    windows = cost(WindowAttention(P, 8, window=8, tables=False), x, keys=image)
    for c, pairs in (
        (patches, 67_108_864), (channels, 134_217_728), (groups, 8_388_608), (windows, 16_777_216),
    ):  # fmt: skip
        assert c.forward.flops == projected + 2 * pairs
        assert c.backward.flops == 2 * c.forward.flops - 6 * N * P**2
        assert c.parameters == 4 * P**2 + 4 * P
    assert channels.forward.flops / patches.forward.flops == pytest.approx(1.2)


def test_the_dual_block():
    h, w, ratio = 8, 12, 2
    n, hidden = h * w, ratio * C
    c = cost(DualBlock(C, num_heads=H, num_groups=2, window=4, ratio=ratio), floats(B, n, C), Grid(h, w))
    filters = C * product(B * n, 9, 1)
    shared = 2 * filters + product(B * n, C, 4 * C) + product(B * n, C, 2 * hidden)
    window = shared + mixed(B * H * n * 16)  # tiles of 4×4
    channel = shared + mixed(B * 2 * 16**2, n)  # 2 groups of 16 channels, which are n wide
    assert (c["window"].forward.flops, c["channel"].forward.flops) == (window, channel)
    assert c.forward.flops == window + channel
    assert c.backward.flops == 2 * (window + channel) - filters  # none to the pixels
    block = 2 * (9 * C + C) + 2 * 2 * C + FOUR + 2 * C * hidden + hidden + C
    assert c.parameters == 2 * block


def test_windows_with_tables_and_shifts():
    layer = WindowAttention(C, H, window=4, shifted=True)
    h = w = 8
    c = cost(layer, floats(B, h * w, C), keys=Grid(h, w))
    # along each axis tiles of 2, 4 and 2: 4 + 16 + 4 pairs
    assert c.forward.flops == product(B * h * w, C, 4 * C) + mixed(B * H * 24 * 24)
    assert c.backward.flops == 2 * c.forward.flops - product(B * h * w, C, 3 * C)
    assert c.parameters == FOUR + H * 7 * 7


def test_pooled_keys_are_fewer():
    h = w = 8
    n = h * w
    c = cost(PooledMultiHead(C, H, pool=2), floats(B, n, C), keys=Grid(h, w))
    assert c.forward.flops == product(B * n, C, 2 * C) + product(B * n // 4, C, 2 * C) + mixed(B * H * n * n // 4)
