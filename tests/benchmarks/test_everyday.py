"""The everyday benchmark runs at tiny sizes, catches a wrong contender, and writes what it measured."""

import json
from collections.abc import Iterator

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks import everyday, everyday_calls, everyday_layers
from benchmarks.everyday import Everyday
from benchmarks.everyday_calls import Case, Inputs, Values, half_padded, ready_masks
from benchmarks.timing import Timing
from benchmarks.wall import Contender, Near, Times, take_turns
from regard import Attention, attend
from regard.attention import Causal, Dense, KeyPadding, Padding

CPU = torch.device("cpu")
QUICK = Everyday(CPU, "tiny")
PADDED = Case("KeyPadding(lengths)", 4, 24, KeyPadding, H=2, D=8)
BOTH = Case("causal", 4, 24, lambda lengths: Causal() & KeyPadding(lengths), causal=True, H=2, D=8)
NUMBERS = Case("Padding((numbers))", 4, 24, Padding, numbers=True, H=2, D=8)


def test_a_run_is_written_as_json_and_markdown(tmp_path, capsys):
    files = tmp_path / "r.json", tmp_path / "r.md"
    options = ["--device", "cpu", "--quick", "--threads", "1", "--commit", "abc", "--rows", "overhead"]
    everyday.main([*options, "--out", str(files[0]), "--markdown", str(files[1])])
    report = json.loads(files[0].read_text())
    assert (report["commit"], report["torch"]) == ("abc", torch.__version__)
    assert "-m benchmarks.everyday --device cpu" in report["command"]
    assert [row["case"] for row in report["rows"]] == ["default value 1×16"] * 2 + ["Causal() 1×16"] * 2
    assert all(row["ratio"] is not None and row["bar"]["threshold"] == 8 for row in report["rows"])
    assert capsys.readouterr().out.endswith(files[1].read_text() + "\n")


def test_unknown_rows_name_the_rows():
    with pytest.raises(SystemExit, match="no rows match 'nonsense': use a part of one of overhead default value"):
        everyday.main(["--device", "cpu", "--rows", "nonsense"])


@pytest.mark.parametrize("case", [PADDED, BOTH, NUMBERS])
def test_a_padded_batch_has_a_row_for_each_pass_and_each_variant(case):
    rows = everyday_calls.padded(QUICK, case)
    assert [row.section for row in rows] == ["padding", "padding, fresh lengths"] * 2
    for row in rows:
        assert row.ratio is not None
        assert all(isinstance(row.cells[name], Timing) for name in row.cells if name not in ("algorithm", "noise µs"))
    assert set(rows[0].cells) == {
        "algorithm", "sdpa boolean", "sdpa additive", "prepared", "fresh", "twelve layers"
    }  # fmt: skip


def test_a_difference_below_the_noise_is_not_judged():
    quiet, late = Timing((1e-3, 1.001e-3, 1.002e-3)), Timing((1.1e-3, 1.101e-3, 1.102e-3))
    noisy = Timing((1e-3, 2e-3, 3e-3))
    judged = everyday_calls.later(PADDED, "forward", {"fresh": late, "prepared": quiet})
    assert (round(judged.ratio or 0), judged.verdict) == (100, "missed")
    assert everyday_calls.later(PADDED, "forward", {"fresh": noisy, "prepared": quiet}).verdict == ""


def test_dropout_is_measured():
    (row,) = everyday_calls.dropped(QUICK, Case("dropped", 4, 24, KeyPadding, H=2, D=8))
    assert row.ratio is not None


def test_documents_are_measured_beside_a_dense_mask(monkeypatch):
    def stand_in(lengths):
        ids = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
        return Attention(mask=Causal() & Dense(ids[:, None] == ids))

    monkeypatch.setattr(everyday_calls, "DOCUMENTS", (8, 40, 80))
    monkeypatch.setattr(everyday_calls, "document_value", stand_in)
    rows = everyday_calls.documents(QUICK)
    assert [row.against for row in rows] == ["sdpa, dense mask"] * 2
    assert all(isinstance(row.cells["fresh"], Timing) for row in rows)


def test_documents_that_see_each_other_are_wrong_and_the_peers_are_timed(monkeypatch):
    monkeypatch.setattr(everyday_calls, "DOCUMENTS", (8, 40, 80))
    monkeypatch.setattr(everyday_calls, "document_value", lambda lengths: Attention(mask=Causal()))
    for row in everyday_calls.documents(QUICK):
        assert str(row.cells["prepared"]).startswith("wrong: output")
        assert isinstance(row.cells["sdpa, dense mask"], Timing)
        assert row.ratio is None


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize(("kind", "peer"), [("MultiHead", "nn.MultiheadAttention"), ("block", "BertLayer")])
def test_layers_are_measured_with_lengths_as_numbers_and_as_a_tensor(kind, peer, dropout, monkeypatch):
    monkeypatch.setattr(everyday_layers, "WIDTH", 32)
    monkeypatch.setattr(everyday_layers, "HEADS", 2)
    rows = everyday_layers.layers(QUICK, everyday_layers.Case(kind, 12, dropout, compiled=False, B=4))
    assert [row.measure for row in rows] == ["numbers, wall", "tensor, wall"]
    assert all(row.against == peer and row.ratio is not None for row in rows)


def test_a_layer_that_reads_pads_is_wrong():
    case = everyday_layers.Case("MultiHead", 12, 0.0, compiled=False, B=4)
    batch = everyday_layers.Batch(case, QUICK)
    modules = everyday_layers._multi_heads(QUICK, batch)
    ours, peer = modules[everyday_layers.NUMBERS], modules["nn.MultiheadAttention"]
    assert everyday_layers.wrong(ours[1], peer[1], batch) is None
    assert str(everyday_layers.wrong(lambda x: ours[0](x), peer[1], batch)).startswith("wrong: off by")


def test_a_call_without_its_mask_is_wrong():
    x = Inputs(PADDED, QUICK)
    (boolean, added) = ready_masks(PADDED, x).values()
    peer = lambda mask: lambda: scaled_dot_product_attention(*x.leaves, attn_mask=mask)  # noqa: E731
    assert everyday_calls.wrong(peer(added), peer(boolean), x) is None
    assert (
        everyday_calls.wrong(lambda: attend(*x.leaves, Attention(mask=KeyPadding(x.lengths))), peer(added), x) is None
    )
    assert str(everyday_calls.wrong(lambda: attend(*x.leaves), peer(boolean), x)).startswith("wrong: output")


def test_dropout_that_drops_nothing_or_does_not_grow_is_wrong():
    torch.manual_seed(0)
    x = Inputs(Case("long", 4, 128, KeyPadding, H=4), QUICK)
    value = Attention(mask=KeyPadding(x.lengths))
    exactly = lambda: attend(*x.leaves, value)  # noqa: E731
    dropped = lambda: attend(*x.leaves, value, dropout=everyday_calls.DROPOUT)  # noqa: E731
    assert everyday_calls.wrong_dropout(dropped, exactly, x) is None
    assert str(everyday_calls.wrong_dropout(exactly, exactly, x)).startswith("wrong: 1.00 of the mean, off by 0.00")
    assert str(everyday_calls.wrong_dropout(lambda: 0.9 * dropped(), exactly, x)).startswith("wrong: 0.")


def test_fresh_lengths_are_new_and_as_many():
    values = Values(lambda lengths: Attention(mask=KeyPadding(lengths)), half_padded(16, 128), CPU)
    values.stock(3)
    seen = [values.next().mask.real for _ in range(3)]
    assert len({tuple(lengths.tolist()) for lengths in seen}) == 3
    assert {int(lengths.sum()) for lengths in seen} == {sum(values.numbers)}
    with pytest.raises(StopIteration):
        values.next()


@pytest.mark.parametrize(("count", "most"), [(16, 128), (16, 512), (8, 2048), (4, 2048)])
def test_half_of_the_tokens_are_pads(count, most):
    lengths = half_padded(count, most)
    assert (max(lengths), len(lengths)) == (most, count)
    assert min(lengths) >= 1
    assert sum(lengths) == pytest.approx(count * most / 2, rel=0.02)


def test_a_few_microseconds_behind_are_near():
    bar = Near("≥", 0.9, peer=20e-6, slack=8e-6)
    assert bar.met(20 / 27)
    assert not bar.met(20 / 29)
    assert Near("≥", 0.9, peer=1.0, slack=8e-6).met(0.91)
    assert str(bar) == "8 µs behind or ≥ 0.9"


def test_turns_are_stocked_and_failures_reported():
    waiting: Iterator[int] = iter(())

    def stock(count):
        nonlocal waiting
        waiting = iter(range(count))

    def broken():
        raise RuntimeError("no such kernel")

    contenders = {"stocked": Contender(lambda: next(waiting), stock, calls=12), "broken": Contender(broken)}
    results = take_turns(contenders, CPU, QUICK.effort)
    assert results["broken"] == "error: RuntimeError: no such kernel"
    assert isinstance(results["stocked"], Times)
    assert len(results["stocked"].queued.samples) == 2
