"""Times by hand: products in waves of tiles, passes over memory, what a compiler makes one of, and attention."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import TABLES
from regard.algorithms.planning.problem import pose
from regard.analysis.cost import cost
from regard.analysis.cost.count import fake_module, new_mode, step_one_by_one
from regard.analysis.cost.ledger import Ledger
from regard.analysis.cost.memory import Allocations
from regard.analysis.cost.watch import Watch
from regard.analysis.prediction.roofline import WAVE, Access, Operation, Product, fused, one_by_one, product_seconds
from regard.analysis.speed.measure import measure_step
from regard.attention import Attention, Causal, Grid, Tiles
from regard.models import DaViTConfig, build

H200 = TABLES["h200"]
HALF = torch.bfloat16


def test_a_product_is_so_many_waves_of_tiles():
    """132 tiles of 128 × 256 are one wave; one tile more is two."""
    wave = 132 * 2 * 128 * 256 * 4096 / H200.half + WAVE
    assert product_seconds(Product(1, 128 * 132, 256, 4096), H200, HALF) == pytest.approx(wave)
    one_more = product_seconds(Product(1, 128 * 133, 256, 4096), H200, HALF)
    assert wave < one_more <= 2 * wave


def test_a_product_whose_rows_are_not_aligned_takes_longer():
    aligned, odd, written = (Product(1, 8192, 4096, 1024, odd) for odd in ("", "read", "written"))
    assert (
        product_seconds(written, H200, HALF) > product_seconds(odd, H200, HALF) > product_seconds(aligned, H200, HALF)
    )
    assert product_seconds(odd, H200, torch.float32) == product_seconds(aligned, H200, torch.float32)


def test_small_tiles_of_float32_are_as_quick_as_large_ones():
    """Eleven products of 384 × 384: 396 tiles of 64 × 64, three waves of 132; 99 of 128 × 128 take as long as four."""
    each = 132 * 2 * 64 * 64 * 20000 / H200.single + WAVE
    assert product_seconds(Product(11, 384, 384, 20000), H200, torch.float32) == pytest.approx(3 * each)


def test_a_cpu_has_no_waves():
    cpu = TABLES["cpu"]
    assert product_seconds(Product(2, 3, 5, 7), cpu, torch.float32) == 2 * 2 * 3 * 5 * 7 / cpu.single


def test_a_linear_layer_by_hand():
    """On 2¹⁴ rows of width 4096 the products are bound by arithmetic: forward one, backward one for the weight."""
    layer = nn.Linear(4096, 4096, bias=False, device="meta", dtype=HALF)
    time = cost(layer, torch.empty(1 << 14, 4096, device="meta", dtype=HALF), device="h200", optimizer=None).time
    assert time is not None
    once = product_seconds(Product(1, 1 << 14, 4096, 4096), H200, HALF) + H200.kernel
    back = product_seconds(Product(1, 4096, 4096, 1 << 14), H200, HALF) + H200.kernel
    assert time.operations["mm"].forward == pytest.approx(once)
    assert time.operations["mm"].backward == pytest.approx(back)
    assert time.operations["mm"].bound == "arithmetic"
    assert time.flops == 4 * (1 << 14) * 4096**2
    assert time.utilisation == pytest.approx(time.flops / (989e12 * time.seconds))


class Chain(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x * 2).relu() + 1


def test_what_is_compiled_moves_a_tensor_once_where_eager_moves_it_three_times():
    x = torch.empty(1 << 26, device="meta", dtype=HALF)
    options = {"device": "h200", "optimizer": None, "backward": False}
    eager, compiled = (cost(Chain(), x, compiled=compiled, **options).time for compiled in (False, True))
    assert eager is not None
    assert compiled is not None
    once = 2 * 2 * (1 << 26) / H200.bandwidth  # read, and written
    assert eager.forward == pytest.approx(3 * (once + H200.kernel))
    assert compiled.forward == pytest.approx(once + H200.kernel)
    assert (eager.kernels, compiled.kernels) == (3, 1)


def made(name: str, kind: str, phase: str, reads: tuple[Access, ...], writes: tuple[Access, ...]) -> Operation:
    return Operation(phase=phase, module="", name=name, kind=kind, flops=0, dtype=HALF, reads=reads, writes=writes)


def test_a_compiler_makes_again_what_is_less_to_read():
    """Scores in half precision become a softmax in float32: the way back reads the scores."""
    scores, wide, soft, grad = Access(1, 100), Access(2, 200), Access(3, 200), Access(4, 200)
    operations = [
        made("mm", "product", "forward", (Access(0, 10),), (scores,)),
        made("_to_copy", "copy", "forward", (scores,), (wide,)),
        made("_log_softmax", "arithmetic", "forward", (wide,), (soft,)),
        made("back", "arithmetic", "backward", (soft, grad), (Access(5, 200),)),
    ]
    kernels = fused(operations)
    assert [len(kernel.operations) for kernel in kernels] == [1, 2, 1]
    assert kernels[1].writes == {}, "nobody reads the softmax any more"
    assert kernels[2].reads == {1: 100, 4: 200}
    assert one_by_one(operations)[2].writes == {3: 200}


def test_rows_that_are_picked_are_all_that_is_read():
    table = nn.Embedding(1 << 20, 64, device="meta", dtype=torch.float32)
    time = cost(table, torch.zeros(4, dtype=torch.long), device="h200", optimizer=None, backward=False).time
    assert time is not None
    assert time.operations["embedding"].bytes == 2 * 4 * 64 * 4 + 4 * 8


def attention_seconds(N: int, D: int, backward: bool, causal: bool = False) -> float:
    q = torch.empty(4, 16, N, D, dtype=HALF, device="meta", requires_grad=backward)
    problem = pose(q, q, q, Attention(mask=Causal()) if causal else Attention())
    return float(PLANNER.seconds_by(PLANNER.named("fused"), problem.on_machine(replace(H200, host={}))))


def test_fused_attention_by_hand():
    """64 heads of 16384 tokens are 8192 programs, 62.06 waves of 132: 63 are waited for."""
    pairs = 64 * 16384**2
    each = 2 * (64 + 64) / 1152e12 + 1 / 3.41e12
    moved = 4 * 2 * 64 * 16384 * 64 / H200.bandwidth
    expected = pairs * each * 63 * 132 / 8192 + moved + H200.launch
    assert attention_seconds(16384, 64, backward=False) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("N", "D", "causal", "forward", "both"),
    [  # ms on an H200, of benchmarks/results/attention-h200.json; the table is made of those of 16384 without a mask
        (1024, 64, True, 0.0358, 0.1463),
        (2048, 128, False, 0.2159, 0.8883),
        (4096, 128, True, 0.4738, 1.8858),
        (8192, 64, True, 1.2016, 4.4128),
    ],
)
def test_attention_on_an_h200_is_predicted_within_a_fifth(N: int, D: int, causal: bool, forward: float, both: float):
    assert 1e3 * attention_seconds(N, D, False, causal) == pytest.approx(forward, rel=0.2)
    assert 1e3 * attention_seconds(N, D, True, causal) == pytest.approx(both, rel=0.2)


def test_attention_of_a_module_has_the_planner_s_price():
    layer = nn.MultiheadAttention(768, 12, batch_first=True, bias=False, device="meta", dtype=HALF).eval()
    x = torch.empty(8, 1024, 768, device="meta", dtype=HALF)
    time = cost(layer, x, x, x, need_weights=False, device="h200", optimizer=None, backward=False).time
    assert time is not None
    q = torch.empty(8, 12, 1024, 64, dtype=HALF, device="meta")
    problem = pose(q, q, q, Attention()).on_machine(replace(H200, host={}))
    expected = float(PLANNER.seconds_by(PLANNER.named("fused"), problem))
    assert time.operations["attend by fused"].forward == pytest.approx(expected)


def test_windows_are_planned_for_the_machine_outside_of_the_count():
    """Where tensors have no contents, cells cannot be told apart: the plan is made before the call is entered."""
    config = DaViTConfig(image=224, widths=(96,), depths=(1,), num_heads=(3,))
    found = cost(build(config), *config.inputs(), device="h200").time
    assert found is not None
    q = torch.empty(1, 3, 3136, 32, device="meta", requires_grad=True)
    value = Attention(mask=Tiles(7, 7), queries=Grid(56, 56), keys=Grid(56, 56))
    chosen = PLANNER.choose(pose(q, q, q, value).on_machine(H200)).name
    channels = "attend by fused"
    assert {name for name in found.operations if name.startswith("attend")} == {
        *(f"attend by {chosen}", f"attend by {chosen}, back"),
        *(channels, f"{channels}, back"),
    }


def test_time_is_dealt_out_to_modules_and_the_host_may_be_the_slower():
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    found = cost(model, torch.empty(4, 8), device="h200", optimizer="sgd")
    assert found.time is not None
    parts = [found[name].time for name in ("0", "1", "2")]
    assert all(part is not None and part.device > 0 for part in parts)
    whole = found[""].time
    assert whole is not None
    assert whole.device == pytest.approx(found.time.device)
    assert found.time.host > found.time.device
    assert found.time.host <= found.time.seconds < found.time.host + found.time.device
    assert "the host is slower than the device" in str(found.time)


def test_the_state_of_the_optimizer_is_made_once_and_lies_there_throughout():
    found = cost(nn.Linear(1024, 1024, bias=False), torch.empty(4, 1024), device="h200")
    assert found.memory is not None
    assert found.time is not None
    assert found.memory.optimizer == 2 * 4 * 1024**2 + 512
    assert not any(name.startswith("zeros") for name in found.time.operations)


def entered(optimizer: str, one_by_one: bool) -> list[tuple[str, float | None, list[tuple[int, int]]]]:
    """What the ledger holds of a step, with tensors numbered in the order in which they come."""
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 3), nn.Linear(3, 8))
    watch, mode, memory = Watch(), new_mode(), Allocations(optimizer, on_cuda=False)
    ledger, watch.phase = Ledger(TABLES["cpu"]), "backward"
    watch.ledger = ledger
    with mode, watch:
        model = fake_module(mode, model)
        model(torch.ones(2, 8)).sum().backward()
        before, ledger.waiting = len(ledger.operations), 1.0  # the host has waited, before the first parameter alone
        if one_by_one:
            step_one_by_one(watch, ledger, memory, model)
        else:
            whole = memory.make_optimizer(list(model.parameters()))
            for watch.phase in ("first step", "step"):
                whole.step()
    numbers: dict[int, int] = {}
    return [
        (one.name, one.host, [(numbers.setdefault(x.tensor, len(numbers)), x.bytes) for x in (*one.reads, *one.writes)])
        for one in ledger.operations
    ][before:]


@pytest.mark.parametrize("optimizer", ["adamw", "momentum"])
def test_parameters_of_one_shape_take_the_same_step_each(optimizer: str):
    """It is run for the first of them alone: the others enter it with tensors of their own."""
    found = entered(optimizer, one_by_one=True)
    assert found == entered(optimizer, one_by_one=False)
    assert len(found) >= 8


def test_a_step_is_measured_beside_the_prediction():
    model = nn.Linear(64, 64)
    before = model.weight.detach().clone()
    found = measure_step(model, (torch.ones(8, 64),), steps=2, warmup=0)
    assert found.seconds > 0
    assert not torch.equal(model.weight, before), "it trains"
