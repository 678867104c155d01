"""What was measured of writing and training: all parts are there, and the bound is what was counted."""

import json

import pytest
import torch

from regard.analysis.speed.throughput import Clock, Throughput, measure_training, measure_writing
from regard.models import PRESETS, Decoder, build, vary
from regard.training import Execution, Settings
from tests.training.learner import Digits
from tests.training.many import Weighed

SMALL = vary(PRESETS["gpt2"], depth=2, width=32, num_heads=2, vocabulary=50)
FOUND = Throughput(
    what="gpt2", machine="cpu", bound="bytes", tokens=4, seconds=0.5, least=0.1, parts={"a": 0.6, "b": 0.2}
)


def test_a_decoder_that_writes():
    model, asked, seen = build(SMALL).eval(), [], []
    assert isinstance(model, Decoder)
    found = measure_writing(
        model,
        lambda cached: asked.append(cached) or 1e-4,
        what="small",
        machine="cpu",
        batch=3,
        prompt=5,
        new=6,
        runs=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert (found.tokens, found.least, asked) == (3, 1e-4, [8])
    assert list(found.parts) == ["embedding", "attention", "feed-forward", "head", "sampling", "other"]
    assert min(found.seconds, found.first or 0, *found.parts.values()) > 0
    assert seen[-1] == (24, 24)
    assert sorted(seen) == seen
    assert "scores" not in vars(model)
    assert not any(part._forward_hooks for part in model.modules())


def test_what_cannot_be_written():
    with pytest.raises(ValueError, match="prompt must be a whole number from 1"):
        measure_writing(build(SMALL), lambda _: 1.0, what="", machine="cpu", prompt=0)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("recompute", [False, True])
def test_a_task_that_is_learnt(recompute: bool):
    task = Weighed()
    settings = Settings(steps=9, batch=8, accumulate=2, execution=Execution(threads=1, recompute=recompute))
    state = torch.get_rng_state()
    found = measure_training(task, settings, what="digits", steps=2, warmup=1)
    assert torch.get_rng_state().equal(state)
    needed = 2 * 8 * 2 * (2 * 64 * 33 + 3 * (2 * 33 * 33 + 33 * 10))  # the input of the first layer wants no gradient
    assert found.least == pytest.approx(needed / 250e9)
    assert found.tokens == 16, "digits are no tokens: rows are counted"
    assert list(found.parts) == ["data", "forward", "loss", "backward", "optimizer"]
    assert min(found.parts.values()) > 0


def test_a_model_without_parts_and_one_compiled_give_what_they_can():
    found = measure_training(Digits(), Settings(steps=9, batch=8), what="digits", steps=1, warmup=0, machine="h200")
    assert found.machine == "h200"
    assert "forward" in found.parts


def test_numbers_lines_and_picture(tmp_path):
    assert (FOUND.tokens_per_second, FOUND.share) == (8, 0.2)
    assert json.loads(FOUND.json()) | {"parts": None} == {
        **{"what": "gpt2", "machine": "cpu", "bound": "bytes", "tokens": 4, "seconds": 0.5, "least": 0.1},
        **{"parts": None, "first": None, "tokens_per_second": 8.0, "share": 0.2},
    }
    assert "20.0% of the bound, 100 ms on cpu: bytes" in str(FOUND)
    assert "a      600 ms   75.0%" in str(FOUND)
    FOUND.figure().savefig(tmp_path / "a.svg")
    assert "bound: bytes" in (tmp_path / "a.svg").read_text()


def test_a_clock_gives_time_to_what_was_done_in_it():
    clock = Clock(torch.device("cpu"))
    times = iter([3.0, 3.5, 5.5])
    clock.now, clock.last = lambda: next(times), 1.0
    assert [clock.mark(part) for part in ("a", "b", "a")] == [2.0, 0.5, 2.0]
    assert clock.mean(("b", "a", "c"), 2) == {"b": 0.25, "a": 2.0}
