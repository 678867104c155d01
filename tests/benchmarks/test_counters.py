"""The counters' truth is confirmed by an independent count, and a counter that fails is shown."""

import doctest
import json
import os
import time

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import counters, counters_models
from benchmarks.counters_models import MODELS, Model
from benchmarks.counters_modules import T
from benchmarks.counters_peers import PEERS, Count, Failure, Peer, ask, ask_alone

# Operations in one piece and kernels of their own, which torch's counter does not see.
UNSEEN = {"multi-head, fast path", "encoder layer, fast path", "FlexAttention, causal", "compiled"}


def peer(ask) -> Peer:
    return Peer(ask=ask, distribution="torch", module="torch", unit="FLOPs")


def raises(module, inputs):
    raise KeyError("no rule for Linear")


def dies(module, inputs):
    os._exit(3)


def hangs(module, inputs):
    time.sleep(60)


def vandal(module, inputs):
    nn.functional.linear = torch.nn.Linear.forward = lambda *_: torch.zeros(1)
    return Count(forward=1)


def counted(model: Model) -> tuple[int, int]:
    """Forward and backward by torch's counter on visible operations: all pairs, whatever is executed."""
    module, inputs = model.make()
    with sdpa_kernel(SDPBackend.MATH), torch.backends.mkldnn.flags(enabled=False):
        with FlopCounterMode(display=False) as forward:
            out = module(*inputs)
        with FlopCounterMode(display=False) as backward:
            out.sum().backward()
    return forward.get_total_flops(), backward.get_total_flops()


# Turning oneDNN off also sets what it has for other devices.
@pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN")
@pytest.mark.parametrize("name", [name for name in MODELS if name not in UNSEEN])
def test_the_truth_on_all_pairs_is_what_torch_counts_where_it_sees_everything(name):
    truth = MODELS[name].truth
    forward, backward = counted(MODELS[name])
    assert forward == truth.square
    if name == "encoder, checkpointed":
        backward -= forward  # computed again
    if name != "Conv2d":  # torch counts the weights' gradient as that of ungrouped channels
        assert backward == truth.square_backward


def test_the_truth_has_every_parameter_once():
    for name, model in MODELS.items():
        if name != "compiled":
            assert sum(p.numel() for p in model.make()[0].parameters()) == model.truth.parameters, name


def test_the_triangle_is_that_of_the_mask():
    visible = int(torch.ones(T, T, dtype=torch.bool).tril().sum())
    assert counters_models.triangle(T) * T * T == counters_models.pairs(T, T) * visible
    plain, causal = MODELS["einsum, Linear"].truth, MODELS["sdpa, causal"].truth
    assert causal.square == plain.forward
    assert causal.forward < plain.forward


def test_what_runs_in_one_piece_is_as_true_as_what_runs_in_pieces():
    for whole, parts in (("multi-head, fast path", "multi-head, training"), ("compiled", "einsum, Linear")):
        assert MODELS[whole].truth.forward == MODELS[parts].truth.forward
    assert MODELS["encoder layer, fast path"].truth.backward is None


@pytest.mark.slow
def test_a_counter_that_raises_dies_or_hangs_is_an_answer_and_harms_no_other():
    name = "sdpa, causal"
    assert ask_alone(peer(raises), name) == Failure(kind="KeyError", message="'no rule for Linear'")
    assert ask_alone(peer(dies), name) == Failure(kind="process died", message="exit code 3")
    assert ask_alone(peer(hangs), name, seconds=0.5) == Failure(kind="timeout", message="after 0.5 s")
    assert ask_alone(peer(vandal), name) == Count(forward=1)
    assert ask_alone(PEERS["torch flop_counter"], name) == ask(PEERS["torch flop_counter"], name)
    assert isinstance(ask(PEERS["torch flop_counter"], name), Count)


def test_failures_errors_and_absences_stand_in_the_tables(monkeypatch):
    absent = Peer(ask=raises, distribution="no-such-counter", module="no_such_counter", unit="FLOPs")
    monkeypatch.setitem(PEERS, "absent", absent)
    truth = MODELS["GPT-2"].truth
    said = {
        "regard": Count(parameters=truth.parameters, forward=truth.forward + 1, backward=truth.backward),
        "thop": Failure(kind="KeyError", message="no rule"),
        "fvcore": Count(parameters=2 * truth.parameters, forward=truth.square),
        "absent": ask(absent, "GPT-2"),
    }
    answers = {tool: {"GPT-2": answer} for tool, answer in said.items()}
    row = counters.rows_of("forward", answers, ["GPT-2"])[0]
    assert list(row.cells) == ["needed", "square", "regard", "thop", "fvcore"]
    assert row.cells["thop"] == "KeyError"
    assert row.cells["fvcore"] == counters.error(truth.square, truth.forward)
    assert row.verdict == "missed"  # one unit is enough
    right = counters.rows_of("parameters", answers, ["GPT-2"])[0]
    assert (right.cells["regard"], right.cells["fvcore"], right.verdict) == ("exact", "+100.0 %", "met")
    by_tool = {row.case: row.cells for row in counters.tools(answers, ["GPT-2"])}
    assert by_tool["absent"] == {"version": "not installed"}
    assert by_tool["thop"]["no answer"] == 1
    assert (by_tool["fvcore"]["forward exact"], by_tool["fvcore"]["forward exact on the square"]) == (
        "0 of 1",
        "1 of 1",
    )


def test_a_run_is_written_as_json_and_markdown(tmp_path, capsys):
    files = tmp_path / "r.json", tmp_path / "r.md"
    chosen = ["--tool", "torch flop_counter", "--model", "sdpa, causal", "--model", "FlexAttention, causal"]
    counters.main([*chosen, "--commit", "abc", "--out", str(files[0]), "--markdown", str(files[1])])
    report = json.loads(files[0].read_text())
    assert report["models"]["sdpa, causal"]["attention"] == counters_models.triangle(T)
    said = {row["case"]: row["cells"]["torch flop_counter"] for row in report["rows"] if "forward" in row["section"]}
    assert said["sdpa, causal"].startswith("−")  # it does not see sdpa's kernel for the CPU
    failure = report["answers"]["torch flop_counter"]["FlexAttention, causal"]
    assert said["FlexAttention, causal"] == failure["kind"] == "TypeError"
    assert "flex_attention" in failure["message"]
    assert "| sdpa, causal |" in files[1].read_text()
    assert files[1].read_text() in capsys.readouterr().out
    assert [doctest.testmod(module).failed for module in (counters, counters_models)] == [0, 0]


def test_an_unknown_model_is_named_with_those_there_are(capsys):
    with pytest.raises(SystemExit):
        counters.main(["--model", "GPT-3"])
    assert "'GPT-3' (choose from 'multi-head, training'" in capsys.readouterr().err
