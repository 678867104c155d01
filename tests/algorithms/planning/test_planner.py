"""The plan: pure, the same for meta tensors, in formulas that hold for numbers and symbols alike."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy
import torch
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

from regard import Attention, attend, plan
from regard.algorithms import Refused
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning import machines
from regard.algorithms.planning.kept import forget
from regard.algorithms.planning.problem import Flags, Problem, bind, outlined, pose
from regard.attention import Causal, Content, Everything, Grid, Hard, KeyPadding, Mask, Padding, Shape, Window
from regard.attention.value import unflatten
from tests.algorithms.cases import Call, Case, build, cases

SINGLES = [case for case in cases() if str(case).count("+") == 0]


def meta(shape: Shape, dtype: torch.dtype = torch.float32, grad: bool = False) -> list[torch.Tensor]:
    B, H, G, T, S, D, E = (getattr(shape, name) for name in "BHGTSDE")
    sizes = ((B, H, T, D), (B, G, S, D), (B, G, S, E))
    return [torch.empty(*size, device="meta", dtype=dtype, requires_grad=grad) for size in sizes]


def without_contents(call: Call) -> Call:
    """The same call in meta tensors: sizes, types and flags, nothing to read."""

    def hollow(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x, device="meta").requires_grad_(x.requires_grad)

    structure, tensors = call.attention.flatten()
    attention = unflatten([hollow(x) for x in tensors], structure)
    return replace(call, q=hollow(call.q), k=hollow(call.k), v=hollow(call.v), attention=attention)


@pytest.mark.parametrize("case", SINGLES, ids=str)
def test_contents_do_not_decide(case: Case, device):
    """Meta tensors in the call and inside the value give the same plan, on every device."""
    real = build(case, device)
    hollow = without_contents(real)
    for machine in ("cpu", "h200", "t4", "other"):
        plans = [
            plan(call.q, call.k, call.v, call.attention, return_lse=call.return_lse, device=machine)
            for call in (real, hollow)
        ]
        assert plans[0].json() == plans[1].json()


@pytest.mark.parametrize("mask", [Window(8), Window(7) & Causal(), Window(30, after=0)], ids=str)
def test_a_window_that_reaches_the_first_key_is_causal(mask: Mask):
    q, k, v = torch.randn(3, 1, 2, 8, 4).unbind(0)
    wanted = attend(q, k, v, Attention(mask=Causal()), algorithm="fused")
    assert torch.equal(attend(q, k, v, Attention(mask=mask), algorithm="fused"), wanted)
    assert plan(*[torch.empty(8, 32, 512, 64, device="meta")] * 3, Attention(mask=Window(511))).chosen == "fused"
    with pytest.raises(Refused, match=r"takes no mask but Causal\(\)"):
        attend(q, k, v, Attention(mask=Window(6) & Causal()), algorithm="fused")


@pytest.mark.parametrize("case", SINGLES, ids=str)
def test_the_cheapest_that_does_not_refuse_is_chosen(case: Case, device):
    call = build(case, device)
    chosen = plan(call.q, call.k, call.v, call.attention, return_lse=call.return_lse)
    times = {candidate.name: candidate.seconds for candidate in chosen.candidates if candidate.refusal is None}
    assert times[chosen.chosen] == min(times.values())
    for candidate in chosen.candidates:
        assert (candidate.refusal is None) == (candidate.cost is not None) == (candidate.seconds is not None)
        assert candidate.refusal is None or candidate.refusal.strip()


def test_lengths_as_numbers_are_data_on_a_gpu(monkeypatch: pytest.MonkeyPatch):
    """A choice serves all that are as many and about as long; each is checked, and none is in what is kept."""
    monkeypatch.setattr("regard.algorithms.planning.problem.table_of", lambda _: machines.TABLES["h200"])
    forget()
    q = torch.randn(2, 2, 64, 16, dtype=torch.float16)

    def found(value: Attention) -> Any:
        return PLANNER._found(q, q, q, value, 0.0, False, None)

    one, other = (found(Attention(mask=Padding(lengths))) for lengths in ((40, 50), (60, 35)))
    assert one[0] is other[0]
    assert [facts.real.lengths for facts in one[0].outline.masks] == [None]
    assert other[1].mask.real.tolist() == [60, 35]
    assert found(Attention(mask=Padding((1, 2))))[0] is not one[0], "much shorter"
    with pytest.raises(ValueError, match="lengths must lie in 0…S=64: got 65 in row 1"):
        found(Attention(mask=Padding((20, 65))))
    places = [Grid(8, 8, start=start) for start in ((0, 1), (1, 0))]
    here, there = (found(Attention(mask=KeyPadding((40, 50)), queries=place)) for place in places)
    assert here[0] is not there[0], "such numbers are no lengths"
    forget()


def test_attend_runs_what_the_plan_chose(monkeypatch: pytest.MonkeyPatch, device):
    q = torch.randn(1, 2, 24, 8, device=device)
    ran = []

    def listened(algorithm: Any) -> None:
        run, shortcut = algorithm.run, algorithm.shortcut

        def listen(do: Callable[..., Any]) -> Callable[..., Any]:
            return lambda *args: ran.append(algorithm.name) or do(*args)

        def listen_shortly(problem: Problem) -> Any:
            short = shortcut(problem)
            return None if short is None else listen(short)

        monkeypatch.setattr(algorithm, "run", listen(run))
        monkeypatch.setattr(algorithm, "shortcut", listen_shortly)

    forget()
    for algorithm in PLANNER.algorithms:
        listened(algorithm)
    values = [Attention(), Attention(mask=Padding([7])), Attention(weighting=Hard()), Attention(mask=Window(2))]
    for value in values:
        for _ in range(2):  # the second time from the remembered choice
            attend(q, q, q, value)
    forget()  # what listens
    assert ran == [plan(q, q, q, value).chosen for value in values for _ in range(2)]


def test_a_remembered_choice_is_not_used_for_another_call(device):
    """Flags that decide: a gradient, dropout, the log-sum-exp, the type, lengths that are sizes."""
    q = torch.randn(1, 2, 24, 8, device=device)
    attend(q, q, q)
    with pytest.raises(Refused):
        attend(q, q, q, algorithm="fused", return_lse=True)
    attend(q, q, q, algorithm="fused")
    with pytest.raises(Refused):
        attend(q, q, q, Attention(weighting=Hard()), algorithm="fused")
    attend(q, q, q, Attention(mask=KeyPadding([24])))
    with pytest.raises(ValueError, match="25"):
        attend(q, q, q, Attention(mask=KeyPadding([25])))
    if device.type == "cpu":
        attend(q, q, q, Attention(mask=KeyPadding(torch.tensor([24]))))
        with pytest.raises(ValueError, match="25"):
            attend(q, q, q, Attention(mask=KeyPadding(torch.tensor([25]))))


def test_choose_is_pure():
    problem = pose(*meta(Shape(4, 8, 8, 512, 512, 64, 64)), Attention(mask=Padding([512, 3, 9, 70])), device="h200")
    assert len({PLANNER.choose(problem).name for _ in range(5)}) == 1


def test_lengths_given_as_sizes_lower_the_cost_of_packing():
    shape = Shape(2, 8, 8, 512, 512, 64, 64)
    few, all_ = (pose(*meta(shape), Attention(mask=Padding(lengths))) for lengths in ([64, 0], [512, 512]))
    packed = PLANNER.named("packed")
    assert packed.cost(few).flops * 128 == packed.cost(all_).flops
    data = pose(*meta(shape), Attention(mask=Padding(torch.tensor([64, 0]))))
    assert packed.cost(data).flops == packed.cost(all_).flops


def symbolic(mask: Mask, backward: bool) -> Problem:
    B, H, N, D = (sympy.Symbol(name, positive=True, integer=True) for name in "BHND")
    value, flags = Attention(mask=mask), Flags(False, False, backward, False)
    shape = Shape(B, H, H, N, N, D, D)
    return bind(outlined(shape, value, torch.bfloat16, machines.TABLES["h200"], flags, False), value, 0.0)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("mask", [Everything(), Causal()], ids=repr)
@pytest.mark.parametrize("name", ["reference", "fused"])
def test_costs_are_polynomials_that_give_the_numbers(name: str, mask: Mask, backward: bool):
    formula = PLANNER.named(name).cost(symbolic(mask, backward))
    sizes = {"B": 2, "H": 4, "N": 96, "D": 32}
    shape = Shape(2, 4, 4, 96, 96, 32, 32)
    problem = pose(*meta(shape, torch.bfloat16, backward), Attention(mask=mask), device="h200")
    number = PLANNER.named(name).cost(problem)
    for field in ("flops", "bytes", "memory"):
        expression = sympy.sympify(getattr(formula, field))
        values = {symbol: sizes[symbol.name] for symbol in expression.free_symbols}
        assert expression.subs(values) == getattr(number, field), field


@pytest.mark.usefixtures("unhooked")
def test_a_causal_mask_leaves_the_triangle_with_its_diagonal():
    cost = PLANNER.named("fused").cost(symbolic(Causal(), backward=False))
    B, H, N, D = (sympy.Symbol(name, positive=True, integer=True) for name in "BHND")
    assert sympy.simplify(cost.flops - 2 * B * H * N * (N + 1) / 2 * 2 * D) == 0
    assert sympy.Poly(cost.flops, N).degree() == 2


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("name", ["reference", "fused"])
def test_flops_are_those_that_torch_counts(name: str, backward: bool, device):
    """Without a mask torch's counter is right, once it is told of the CPU's kernel."""
    shape = Shape(2, 4, 4, 48, 80, 16, 16)
    q, k, v = (torch.randn(x.shape, device=device, requires_grad=backward) for x in meta(shape))
    cpu_kernel = {
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: (
            lambda q, k, v, *_, out_shape, **options: sdpa_flop_count(q, k, v)
        ),
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: (
            lambda grad, q, k, v, *_, out_shape, **options: sdpa_backward_flop_count(grad, q, k, v)
        ),
    }
    with FlopCounterMode(display=False, custom_mapping=cpu_kernel) as counter:
        out = attend(q, k, v, algorithm=name)
        if backward:
            out.sum().backward()
    assert counter.get_total_flops() == PLANNER.named(name).cost(pose(q, k, v, Attention())).flops


def test_a_plan_is_json_and_a_table():
    q, k, v = meta(Shape(4, 16, 4, 4096, 4096, 64, 64), torch.bfloat16, grad=True)
    chosen = plan(q, k, v, Attention(mask=Causal()), device="h200")
    parsed = json.loads(chosen.json())
    assert parsed["chosen"] == chosen.chosen == "fused"
    assert (parsed["device"], parsed["dtype"], parsed["backward"]) == ("h200", "bfloat16", True)
    assert parsed["shape"] == {"B": 4, "H": 16, "G": 4, "T": 4096, "S": 4096, "D": 64, "E": 64}
    assert {candidate["name"] for candidate in parsed["candidates"]} == {
        algorithm.name for algorithm in PLANNER.algorithms
    }
    assert "Causal()" in parsed["attention"]
    table = str(chosen)
    assert all(algorithm.name in table for algorithm in PLANNER.algorithms)


@pytest.mark.parametrize("machine", ["cpu", "h200", "l40s"])
def test_memory_of_the_choice_is_linear(machine: str):
    masks = {
        "everything": lambda n: Everything(),
        "causal": lambda n: Causal(),
        "window": lambda n: Window(256),
        "padding": lambda n: Padding([n, n // 3]),
        "causal key padding": lambda n: Causal() & KeyPadding(torch.tensor([n, n // 3])),
    }
    for name, mask in masks.items():
        peaks = []
        for n in (4096, 16384):
            chosen = plan(*meta(Shape(2, 8, 8, n, n, 64, 64), torch.bfloat16), Attention(mask=mask(n)), device=machine)
            peaks += [candidate.cost.memory for candidate in chosen.candidates if candidate.name == chosen.chosen]
        assert peaks[1] <= 4.01 * peaks[0], name  # a window is cut at the first tokens


@pytest.mark.parametrize("wrong", ["fuesd", "packd", "flash"])
def test_an_unknown_algorithm_names_its_neighbours(wrong: str):
    q = torch.zeros(1, 1, 2, 4)
    expected = {"fuesd": "fused", "packd": "packed", "flash": "fused, tiled, augmented, .*, reference"}[wrong]
    with pytest.raises(ValueError, match=expected) as error:
        attend(q, q, q, algorithm=wrong)
    assert repr(wrong) in str(error.value)


def test_an_unknown_device_names_those_there_are():
    q = torch.zeros(1, 1, 2, 4)
    with pytest.raises(ValueError, match="h200") as error:
        plan(q, q, q, device="h20")
    assert "'h20'" in str(error.value)


REFUSALS = {
    "fused": (Attention(weighting=Hard()), {}, "softmax"),
    "packed": (Attention(mask=Window(1)), {}, "Padding"),
    "blockwise": (Attention(weighting=Hard()), {"dropout": 0.5}, "softmax"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_forced_algorithm_that_refuses_says_why(name: str):
    value, options, reason = REFUSALS[name]
    q = torch.zeros(1, 1, 2, 4)
    with pytest.raises(Refused, match=reason) as error:
        attend(q, q, q, value, algorithm=name, **options)
    assert isinstance(error.value, ValueError)
    assert repr(name) in str(error.value)
    planned = plan(q, q, q, value, **options)
    (refusal,) = [candidate.refusal for candidate in planned.candidates if candidate.name == name]
    assert refusal in str(error.value)


def test_every_algorithm_has_an_efficiency_in_every_table():
    for table in machines.TABLES.values():
        composite = {"partitioned", "merged"}  # their time is that of their parts
        parts = {"flex"} if table.kind == "cuda" else set()  # the other way of blockwise
        assert set(table.efficiency) == {algorithm.name for algorithm in PLANNER.algorithms} - composite | parts


def test_beta_and_contents_are_no_part_of_the_problem():
    """Rule 2: what learns must not change the choice."""
    shape = Shape(2, 4, 4, 64, 64, 16, 16)
    chosen = {plan(*meta(shape), Attention(Content(beta))).chosen for beta in (1e-6, 1.0, 1e6, None)}
    assert len(chosen) == 1
