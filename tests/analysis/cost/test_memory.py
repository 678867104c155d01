"""Memory by hand: what lies there, what a pass keeps, and the most at any time."""

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from regard.analysis.cost import cost
from regard.attention import Grid
from regard.layers import GaussianHeads
from tests.analysis.cost.by_hand import B, C, H, floats

ROWS, W = 64, 32
ONE = 4 * ROWS * W  # bytes of one activation, a whole number of the 512 that an allocator gives
WEIGHT, BIAS = 4 * W * W, 512  # bytes of a map's parameters, as they lie in memory
assert ONE % 512 == WEIGHT % 512 == 0
DEPTH = 3


class Stack(nn.Module):
    def __init__(self, again: bool = False) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(W, W), nn.ReLU()) for _ in range(DEPTH)])
        self.again = again

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.again else layer(x)  # pyright: ignore[reportAssignmentType]
        return x


@pytest.mark.parametrize(("optimizer", "copies"), [("adamw", 2), ("adam", 2), ("sgd", 0), ("momentum", 1), (None, 0)])
def test_parameters_gradients_and_the_optimizer_s_state(optimizer: str | None, copies: int):
    memory = cost(Stack(), floats(ROWS, W), optimizer=optimizer).memory
    parameters = DEPTH * (WEIGHT + BIAS)
    assert (memory.parameters, memory.gradients, memory.inputs, memory.buffers) == (parameters, parameters, ONE, 0)
    # Moments are as large as the parameters; Adam's counts of steps are a number for each.
    steps = 512 * 2 * DEPTH if "adam" in str(optimizer) else 0
    assert memory.optimizer == copies * parameters + steps


def test_frozen_parameters_have_no_gradients_and_no_state():
    model = Stack()
    model.layers[0].requires_grad_(False)
    memory = cost(model, floats(ROWS, W), optimizer="momentum").memory
    trained = (DEPTH - 1) * (WEIGHT + BIAS)
    assert (memory.parameters, memory.gradients, memory.optimizer) == (DEPTH * (WEIGHT + BIAS), trained, trained)


def test_tied_parameters_lie_there_once():
    tied = nn.Sequential(nn.Linear(W, W, bias=False), nn.Linear(W, W, bias=False))
    tied[1].weight = tied[0].weight
    memory = cost(tied, floats(ROWS, W), optimizer="adam").memory
    assert (memory.parameters, memory.gradients, memory.optimizer) == (WEIGHT, WEIGHT, 2 * WEIGHT + 512)


def test_activations_of_a_stack():
    """A ReLU keeps its result, which is the next map's input; a map's own result nobody keeps."""
    memory = cost(Stack(), floats(ROWS, W)).memory
    assert memory.activations == DEPTH * ONE
    # Without keeping anything: the input, what a layer was given, its map's result, and the ReLU's.
    assert memory.inference == memory.parameters + 4 * ONE


def test_checkpoints_keep_the_inputs_of_layers_alone():
    plain, again = cost(Stack(), floats(ROWS, W)).memory, cost(Stack(again=True), floats(ROWS, W)).memory
    # Here each layer keeps one tensor either way; a deeper layer shows the difference.
    assert again.activations <= plain.activations
    deep = nn.Sequential(*[nn.Sequential(nn.Linear(W, W), nn.Tanh()) for _ in range(4)])

    class Once(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.deep = deep

        def forward(self, x: Tensor) -> Tensor:
            return checkpoint(self.deep, x, use_reentrant=False)  # pyright: ignore[reportReturnType]

    assert cost(deep, floats(ROWS, W)).memory.activations == 4 * ONE
    assert cost(Once(), floats(ROWS, W)).memory.activations == ONE  # the output; x was there


def test_the_peak_of_training():
    """On the way back from the last ReLU: all that is kept, the gradient of the output, the one that is made of it."""
    memory = cost(Stack(), floats(ROWS, W), optimizer="sgd").memory
    least = memory.parameters + memory.inputs + memory.activations + 2 * ONE
    assert least <= memory.peak <= least + memory.gradients
    # State lies there in every later step.
    state = cost(Stack(), floats(ROWS, W), optimizer="momentum").memory
    assert state.peak - memory.peak == state.optimizer


def test_a_map_in_memory_and_one_that_is_not():
    """Unfused attention keeps B·H·T² weights; the fused kernel does not."""
    n = 64
    layer = nn.MultiheadAttention(C, H, batch_first=True, bias=False)
    x = floats(B, n, C)
    with_map, without = (cost(layer, x, x, x, need_weights=need).memory for need in (True, False))
    assert with_map.activations - without.activations >= 4 * B * H * n * n
    assert with_map.inference > without.inference


def test_half_precision_halves_activations():
    whole = cost(Stack(), floats(ROWS, W)).memory
    half = cost(Stack().bfloat16(), floats(ROWS, W).bfloat16()).memory
    assert half.activations == whole.activations // 2


def test_buffers_lie_there_too():
    norm = nn.BatchNorm1d(256)
    memory = cost(norm, floats(ROWS, 256)).memory
    assert memory.buffers == 2 * 4 * 256 + 512  # mean, variance, and the count of batches


def test_no_backward_no_gradients():
    memory = cost(Stack(), floats(ROWS, W), backward=False).memory
    assert (memory.gradients, memory.optimizer) == (0, 0)
    assert memory.inference == memory.parameters + 4 * ONE


def test_predicted_allocations_are_those_of_a_real_run():
    """Bytes that live after forward, against those that autograd is seen to keep."""
    kept: dict[int, int] = {}

    def pack(x: Tensor) -> Tensor:
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    model, x = Stack(), torch.randn(ROWS, W)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        model(x)
    known = {p.untyped_storage().data_ptr() for p in (*model.parameters(), x)}
    assert cost(model, x).memory.activations == sum(size for at, size in kept.items() if at not in known)


def test_gaussian_heads_of_a_gpu_keep_their_mixed_values_alone():
    """Where one kernel mixes a small grid, both projections are one product: no values in between, no second input."""
    pytest.importorskip("triton")
    rows, side, heads, width = 64, 8, 9, 32
    layer = GaussianHeads(width, heads, dtype=torch.bfloat16)
    x = torch.empty(rows, side * side, width, dtype=torch.bfloat16, device="meta")
    found = cost(layer, x, Grid(side, side), device="h200", optimizer=None)
    assert found.memory is not None
    mixed, one = 2 * rows * side**2 * heads * width, 2 * rows * side**2 * width
    folded = 2 * width * heads * width
    maps = 3 * 2 * heads * side**2 * 8  # offsets less centres, maps in float64, and rounded: less than three of float64
    assert mixed + folded <= found.memory.activations - one <= mixed + folded + maps + 8 * 512
    # Going back: gradients of the mixed values and of x, and what each block of channels adds to those of the maps.
    shares = 4 * rows * width // 16 * heads * 2 * side**2
    most = found.memory.parameters + found.memory.gradients + found.memory.inputs + 2 * (1 << 25)
    assert found.memory.peak <= most + 2 * mixed + 4 * one + shares + 4 * folded + 2 * maps


def test_the_kernel_of_a_gpu_is_counted_by_its_formula():
    """Forward along rows and along columns; back two for the values, one for each map, and one once more."""
    pytest.importorskip("triton")
    rows, side, heads, width = 64, 8, 9, 32
    layer = GaussianHeads(width, heads, dtype=torch.bfloat16)
    x = torch.empty(rows, side * side, width, dtype=torch.bfloat16, device="meta", requires_grad=True)
    found = cost(layer, x, Grid(side, side), device="h200", optimizer=None)
    once = 2 * rows * heads * side**3 * width
    assert found.operations["forward"]["mixing"].flops == 2 * once
    assert found.operations["backward"]["mix_grid_backward"].flops == 5 * once
