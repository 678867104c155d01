"""Which table a machine has, what its plans say of it, and that no kernel is asked for where a machine has none."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from regard import Attention, attend, plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.content.blockwise import by_bits
from regard.algorithms.kernels import tiles
from regard.algorithms.kernels.sdpa import attend_by, fastest
from regard.algorithms.kernels.tiles import Tiles, fitted, need_of_gradients, need_of_output
from regard.algorithms.planning import kept, problem
from regard.algorithms.planning.algorithm import runs_triton
from regard.algorithms.planning.machines import CEILINGS, TABLES, read_table, table, table_of, to_json
from regard.attention import Bias, Causal, Content, Elu, Kernel, Padding, Slopes, Strided, Window
from regard.attention.reference import reference

GPU = torch.device("cuda")


def gpu(name: str, major: int, minor: int, shared: int = 101_376) -> SimpleNamespace:
    return SimpleNamespace(name=name, major=major, minor=minor, shared_memory_per_block_optin=shared)


@pytest.mark.parametrize(
    ("name", "capability", "expected"),
    [
        ("NVIDIA H200", 90, "h200"),
        ("NVIDIA GH200 480GB", 90, "cuda"),
        ("NVIDIA A100-SXM4-80GB", 80, "a100"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80, "cuda"),
        ("NVIDIA H100 80GB HBM3", 90, "h100"),
        ("Tesla T4", 75, "t4"),
        ("NVIDIA T400", 75, "cuda"),
        ("NVIDIA L40S", 89, "l40s"),
        ("NVIDIA L40", 89, "cuda"),
        ("NVIDIA GeForce RTX 3090", 86, "cuda"),
    ],
)
def test_a_gpu_is_known_by_the_words_of_its_name(monkeypatch, name, capability, expected):
    found = gpu(name, capability // 10, capability % 10)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: found)
    machine = table_of(GPU)
    assert (machine.name, machine.capability) == (expected, capability)
    assert machine.is_measured == (expected == "h200")
    assert runs_triton(GPU) == (capability >= 80)


def test_the_gpu_that_is_here_is_what_cuda_means(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert table("cuda").source == "generic"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: gpu("NVIDIA L40S", 8, 9))
    assert table("CUDA") is TABLES["l40s"]


def test_what_is_neither_a_cpu_nor_a_cuda_gpu_has_the_generic_table(monkeypatch):
    assert table_of(torch.device("mps")) is TABLES["other"]
    assert table_of(torch.device("meta")) is table_of(torch.device("cpu")) is TABLES["cpu"]
    monkeypatch.setattr(torch.version, "hip", "6.2")
    assert table_of(GPU) is TABLES["other"]
    assert not runs_triton(GPU)


def test_published_ceilings_are_lowered_as_those_of_an_h200_are():
    known = TABLES["h200"]
    for name in set(CEILINGS) - {"h200"}:
        machine = TABLES[name]
        assert (machine.source, machine.efficiency) == ("published", known.efficiency)
        for field, ceiling, own in zip(
            ("half", "single", "double", "bandwidth"), CEILINGS[name], CEILINGS["h200"], strict=True
        ):
            assert getattr(machine, field) / ceiling == pytest.approx(getattr(known, field) / own, rel=0.01)
            assert getattr(machine, field) < ceiling


def planned(device: str, dtype: torch.dtype, value: Attention, T: int = 1024, D: int = 64):
    q = torch.empty(2, 8, T, D, dtype=dtype, device="meta")
    return plan(q, q, q, value, device=device)


@pytest.mark.parametrize("name", TABLES)
def test_a_plan_says_which_table_it_used_and_whether_it_was_measured(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)  # else "cuda" is the GPU that is here
    made = planned(name, torch.float32, Attention())
    assert json.loads(made.json())["table"] == {"measured": name in ("cpu", "h200"), "basis": TABLES[name].basis}
    assert f"table {name}: {TABLES[name].basis}" in " ".join(str(made).split())
    assert ("not measured" in str(made)) == (name not in ("cpu", "h200"))


KERNELS = {"decode", "tiled", "blockwise", "fused", "masked", "augmented"}


def test_no_kernel_is_asked_for_where_a_gpu_has_none():
    """Turing: no bfloat16, and Triton without matrix units."""
    for value in (Attention(), Attention(mask=Causal()), Attention(mask=Window(9)), Attention(mask=Padding([9, 5]))):
        refusals = {one.name: one.refusal for one in planned("t4", torch.bfloat16, value).candidates}
        assert all(refusals[name] for name in KERNELS), refusals
    refusals = {one.name: one.refusal for one in planned("t4", torch.bfloat16, Attention()).candidates}
    assert "bfloat16 below compute capability 8.0" in str(refusals["fused"])
    assert "8.0 on: got 7.5" in str(refusals["tiled"])
    assert planned("t4", torch.float16, Attention()).chosen == "fused"
    assert planned("t4", torch.float16, Attention(mask=Window(9))).chosen == "masked"
    assert planned("a100", torch.bfloat16, Attention(mask=Window(9))).chosen == "tiled"
    assert (table("t4").dtype, table("l40s").dtype) == (torch.float16, torch.bfloat16)


def test_linear_attention_and_grids_go_by_products_where_triton_has_no_matrix_units():
    value = Attention(mask=Causal(), weighting=Kernel(Elu()))
    by_products, by_kernel = (
        next(one.cost for one in planned(name, torch.float16, value).candidates if one.name == "chunked")
        for name in ("t4", "l40s")
    )
    assert by_products is not None
    assert by_kernel is not None
    assert by_products.launches > 10 * by_kernel.launches


def test_the_kernel_of_sdpa_is_one_that_the_machine_has():
    def kernel(name: str, D: int, dtype: torch.dtype = torch.float16) -> str:
        q = torch.empty(1, 4, 1024, D, dtype=dtype, device="meta")
        return fastest(q, q, TABLES[name])

    assert [kernel(name, 64) for name in ("cpu", "h200", "l40s", "t4", "other")] == [
        *("cpu", "cudnn", "cudnn", "efficient", "any")
    ]
    assert [kernel(name, 256) for name in ("h200", "a100", "l40s", "t4")] == ["flash", "flash", *["efficient"] * 2]


VALUES = {
    "plain": Attention(),
    "causal": Attention(mask=Causal()),
    "window": Attention(mask=Window(3)),
    "slopes": Attention(Content() + Slopes.geometric(4)),
    "padding": Attention(mask=Padding([7, 13])),
    "bias": Attention(Content() + Bias(torch.randn(4, 13, 13))),
    "linear": Attention(mask=Causal(), weighting=Kernel(Elu())),
    "positions": Attention(Slopes.geometric(4)),
}


@pytest.mark.parametrize("name", VALUES)
def test_another_device_gets_what_torch_has_for_every_device(monkeypatch, name):
    monkeypatch.setattr(problem, "table_of", lambda device: TABLES["other"])
    kept.forget()
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, heads, 13, 8, requires_grad=True) for heads in (4, 2, 2))
    value = VALUES[name]
    content = value.content is not None
    made = plan(q if content else None, k if content else None, v, value)
    assert PLANNER.named(made.chosen).any_device
    assert {one.refusal for one in made.candidates if one.name in ("tiled", "blockwise", "packed")} == {
        "is written for CPUs and CUDA GPUs"
    }
    out = attend(q if content else None, k if content else None, v, value)
    expected = reference(q.double(), k.double(), v.double(), value)
    expected = expected[0] if isinstance(expected, tuple) else expected
    assert torch.allclose(out.double(), expected, atol=1e-5)
    kept.forget()


def test_sdpa_itself_takes_groups_and_widths_of_its_own():
    q, k, v = torch.randn(2, 4, 9, 8), torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 5)
    out = attend_by("any", q, k, v, beta=0.3, causal=True)
    assert torch.allclose(out, attend_by("cpu", q, k, v, beta=0.3, causal=True), atol=1e-6)


def test_a_table_is_read_as_it_was_written(tmp_path):
    machine = replace(TABLES["cpu"], name="Mine", source="calibrated", where="a Raspberry Pi", single=1e9, error=1.25)
    file = tmp_path / "Mine.json"
    file.write_text(to_json(machine, {"torch": "2.13"}))
    assert read_table(file) == table(str(file)) == machine
    made = planned(str(file), torch.float32, Attention())
    assert json.loads(made.json())["table"] == {
        "measured": True,
        "basis": "measured by `regard calibrate` on a Raspberry Pi, half of the predictions within 1.25×",
    }


OPTIONAL = ("error", "fused")  # of a table, that may be null


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (None, "must exist"),
        ("{", "must be a JSON file"),
        ("[]", "must have name, kind"),
        ({"name": None}, "must have name, kind"),
        ({"kind": "tpu"}, "must have name, kind"),
        ({"source": "mine"}, "must have name, kind"),
        ({"host": None}, "must have name, kind"),
        ({"capability": "80"}, "must have name, kind"),
        ({"host": {"fused": 3}}, "must be positive numbers"),
        ({"half": -1.0}, "must be positive numbers"),
        ({"bandwidth": "fast"}, "must be positive numbers"),
        ({"host": {"fused": [1.0]}}, "must be positive numbers"),
        ({"fused": [[1.0, 2.0]]}, "must have name, kind"),
        ({"fused": [[1.0, 2.0], [1.0, -2.0]]}, "must be positive numbers"),
        ({"dispatch": [1e-6]}, "must have name, kind"),
        ({"efficiency": {"fused": 0.5}}, "must name the algorithms of this release"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, change, says):
    file = tmp_path / "x.json"
    if isinstance(change, str):
        file.write_text(change)
    elif change is not None:
        found = json.loads(to_json(TABLES["cpu"], {}))
        found["table"] |= change
        found["table"] = {
            name: value for name, value in found["table"].items() if value is not None or name in OPTIONAL
        }
        file.write_text(json.dumps(found))
    with pytest.raises(ValueError, match=says) as error:
        table(str(file))
    assert "x.json" in str(error.value)
    assert "regard calibrate" in str(error.value)


def test_tiles_are_as_on_an_h200_or_fit(monkeypatch):
    large = Tiles(64, 128, 8, 3)
    for room in (232_448, 166_912, 101_376):
        monkeypatch.setattr(tiles, "shared_memory", lambda device, room=room: room)
        for D in (64, 128, 256):
            for need in (need_of_output(D, D, 2), need_of_gradients(D, D, 2, by="keys")):
                found = fitted(large, need, GPU)
                assert found == large if room == 232_448 else need(found) <= room
                assert found.warps == 8
    monkeypatch.setattr(tiles, "shared_memory", lambda device: 20_000)
    with pytest.raises(ValueError, match="bytes of shared memory: got 20,000 on cuda"):
        fitted(large, need_of_gradients(256, 256, 4, by="keys"), GPU)


def tiled_results(width: int) -> list[torch.Tensor]:
    from regard.algorithms.kernels import tiled

    torch.manual_seed(0)
    q, k, v, grad = (torch.randn(1, 1, 70, width) for _ in range(4))
    spec, given = tiled.Spec(width**-0.5, None, 0), tiled.Given()
    out, lse = tiled.forward(q, k, v, given, spec)
    return [out, lse, *tiled.backward(grad, None, q, k, v, given, out, lse, spec, False)[:3]]


def block_results(width: int) -> list[torch.Tensor]:
    from regard.algorithms.kernels import block_sparse

    torch.manual_seed(0)
    q, k, v, grad = (torch.randn(1, 1, 140, width, dtype=torch.float16) for _ in range(4))
    places = Attention().places(140, 140)
    decided = block_sparse.decide(Window(30, 5), places, 1, 1, q.device, 1 << 28)
    assert decided is not None
    out, lse = block_sparse.forward(q, k, v, decided, width**-0.5)
    return [out, lse, *block_sparse.backward(q, k, v, out, lse, grad, None, decided, width**-0.5)]


@pytest.mark.cpu
@pytest.mark.parametrize(("results", "room"), [(tiled_results, 101_376), (block_results, 166_912)])
def test_smaller_tiles_give_the_same(monkeypatch, results, room):
    """By the interpreter, at a width whose tiles an H200 alone has room for."""
    pytest.importorskip("triton")
    expected, before = results(256), []
    kept.forget()

    def narrow(device: torch.device) -> int:
        before.append(device)
        return room

    monkeypatch.setattr(tiles, "shared_memory", narrow)
    found = results(256)
    assert before
    kept.forget()
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one.float(), other.float(), atol=2e-3, rtol=2e-2)


def test_wide_heads_under_bits_are_left_to_flex_where_memory_is_short():
    def asked(machine: str, D: int) -> bool:
        return by_bits(planned(machine, torch.bfloat16, Attention(mask=Strided(3)), D=D).problem)

    assert [asked("h200", 256), asked("a100", 256), asked("l40s", 128), asked("l40s", 256)] == [True] * 3 + [False]


def test_an_algorithm_without_its_efficiency_is_named():
    with pytest.raises(ValueError, match="got none of 'mine' in 'cpu'"):
        TABLES["cpu"].share("mine")
