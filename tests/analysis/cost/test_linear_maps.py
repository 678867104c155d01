"""Linear maps, convolutions, embeddings and recurrent layers against counts by hand."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from regard.analysis.cost import cost
from tests.analysis.cost.by_hand import B, C, Case, F, S, T, floats, product, words

V = 31
X = floats(B, T, C)


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
