"""A training step of GPT-2 beside nanoGPT's: `python -m benchmarks.training_step --device cuda --nanogpt FOLDER`.

Both are compiled, in bfloat16 by autocast, with torch's fused AdamW, and begin with the same weights; a step is
forward, backward and update, as in nanoGPT's own `bench.py`. FOLDER is a checkout of nanoGPT. Memory is the allocator's
peak of a step, with the weights and the optimizer's state. `--profile` prints the kernels that each spends its time in.
"""

import argparse
import functools
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.peers import checked_out
from benchmarks.record import Bar, Row
from benchmarks.session import run
from benchmarks.setting import Setting, progress
from benchmarks.timing import Run, Timing, interleave, over, synchronize
from regard.models import PRESETS, build, vary

PEAK = 771e12  # products of bfloat16 in a second, measured on an H200
VOCABULARY = 50304  # as nanoGPT has it, a multiple of 64


def by_nanogpt(folder: Path, sizes: dict[str, int]) -> nn.Module:
    module = checked_out(folder, "nanogpt_model")
    names = {"depth": "n_layer", "width": "n_embd", "num_heads": "n_head", "vocabulary": "vocab_size"}
    config = {name: sizes[own] for own, name in names.items()}
    return module.GPT(module.GPTConfig(block_size=sizes["context"], dropout=0.0, bias=True, **config))


def by_regard(sizes: dict[str, int]) -> nn.Module:
    model = build(vary(PRESETS["gpt2"], **sizes, activation="gelu"))
    return model.train()


def take_weights(ours: nn.Module, theirs: nn.Module, depth: int) -> None:
    """Those of nanoGPT, under our names."""
    given = theirs.state_dict()
    found = {
        "embedding.weight": given["transformer.wte.weight"],
        "stack.positions.weight": given["transformer.wpe.weight"],
    }
    for kind in ("weight", "bias"):
        found[f"stack.norm.{kind}"] = given[f"transformer.ln_f.{kind}"]
        for n in range(depth):
            here, there = f"stack.blocks.{n}", f"transformer.h.{n}"
            found[f"{here}.norm.{kind}"] = given[f"{there}.ln_1.{kind}"]
            found[f"{here}.feed_forward_norm.{kind}"] = given[f"{there}.ln_2.{kind}"]
            parts = given[f"{there}.attn.c_attn.{kind}"].chunk(3)
            for name, part in zip(("query", "key", "value"), parts, strict=True):
                found[f"{here}.attention.{name}.{kind}"] = part
            found[f"{here}.attention.out.{kind}"] = given[f"{there}.attn.c_proj.{kind}"]
            found[f"{here}.feed_forward.inner.{kind}"] = given[f"{there}.mlp.c_fc.{kind}"]
            found[f"{here}.feed_forward.out.{kind}"] = given[f"{there}.mlp.c_proj.{kind}"]
    ours.load_state_dict(found)


class Step:
    """One contender: a model, its optimizer, and what a step of it holds."""

    def __init__(self, model: nn.Module, loss: Callable[[nn.Module], Tensor], on_cuda: bool) -> None:
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), fused=True)
        typed = functools.partial(torch.autocast, "cuda", torch.bfloat16) if on_cuda else nullcontext
        called: Any = torch.compile(loss, fullgraph=True) if on_cuda else loss
        self.model, self.typed, self.called = model, typed, called

    def __call__(self) -> Tensor:
        with self.typed():
            loss = self.called(self.model)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def flops(sizes: dict[str, int], batch: int) -> float:
    """Of the products of a step: six for each weight and token, and attention's causal half."""
    C, T, depth = sizes["width"], sizes["context"], sizes["depth"]
    weights = 12 * C * C * depth + C * sizes["vocabulary"]
    return batch * T * (6 * weights + 12 * C * (T + 1) / 2 * depth)


def race_of(batch: int, setting: Setting, nanogpt: Path | None, profiled: bool) -> Row:
    full = {"depth": 12, "width": 768, "num_heads": 12, "vocabulary": VOCABULARY, "context": 1024}
    sizes = (
        full if setting.scale != "tiny" else {"depth": 1, "width": 32, "num_heads": 2, "vocabulary": 64, "context": 16}
    )
    progress("gpt2", batch)
    torch.manual_seed(0)
    words = torch.randint(sizes["vocabulary"], (batch, sizes["context"] + 1), device=setting.device)
    tokens, targets = words[:, :-1].contiguous(), words[:, 1:].contiguous()
    with setting.device:
        theirs = None if nanogpt is None else by_nanogpt(nanogpt, sizes)
        ours = by_regard(sizes)
    if theirs is not None:
        take_weights(ours, theirs, sizes["depth"])
    steps = {"regard": Step(ours, lambda model: model(tokens, targets=targets).loss, setting.on_cuda)}
    if theirs is not None:
        steps["nanoGPT"] = Step(theirs, lambda model: model(tokens, targets)[1], setting.on_cuda)
    cells: dict[str, Any] = {}
    losses = {name: [step().item() for _ in range(3)] for name, step in steps.items()}
    for name, step in steps.items():
        cells[f"{name}, third loss"] = round(losses[name][-1], 4)
        if setting.on_cuda:
            cells[f"{name} GB"] = round(held(step, list(steps.values())) / 1e9, 2)
    runs: dict[str, list[Run]] = {name: [step] for name, step in steps.items()}
    found = interleave(runs, setting.device, setting.effort)
    if profiled:
        for name, step in steps.items():
            print(name, spent(step), flush=True)
    count = batch * sizes["context"]
    for name, times in found.items():
        cells[name] = times
        if isinstance(times, Timing):
            cells[f"{name} tokens/s"] = round(count / times.median)
            cells[f"{name} of the peak"] = f"{100 * flops(sizes, batch) / times.median / PEAK:.1f} %"
    ratio = over(found.get("nanoGPT"), found["regard"])
    bar = Bar("≥", 1.08) if setting.on_cuda and setting.scale == "full" else None
    details = {"losses": losses}
    return Row("training step", f"gpt2 B{batch} T{sizes['context']}", "step", cells, ratio, "nanoGPT", bar, details)


def held(step: Step, all_steps: list[Step]) -> int:
    """Bytes at the peak of a step, without what the other contenders keep."""
    for one in all_steps:
        one.optimizer.zero_grad(set_to_none=True)
    kept = sum([_kept(one) for one in all_steps if one is not step])
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - kept


def _kept(step: Step) -> int:
    states = [x for state in step.optimizer.state.values() for x in state.values() if isinstance(x, Tensor)]
    return sum([x.nbytes for x in (*step.model.parameters(), *step.model.buffers(), *states)])


def spent(step: Step) -> str:
    """Milliseconds by kernel, the largest first."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(3):
            step()
        synchronize(torch.device("cuda"))
    total: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    for event in profile.events() or ():
        total[event.name[:70]] += event.device_time / 3e3
        calls[event.name[:70]] += 1
    order = sorted(total, key=lambda name: -total[name])[:28]
    lines = [f"{total[name]:8.3f} ms {calls[name] / 3:5.0f}× {name}" for name in order]
    return "\n".join([f"{sum(total.values()):.2f} ms of kernels in a step", *lines])


def steps(setting: Setting, nanogpt: Path | None, profiled: bool) -> list[Row]:
    return [race_of(batch, setting, nanogpt, profiled) for batch in setting.pick(full=(32,), tiny=(2,))]


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--nanogpt", type=Path)
    own.add_argument("--profile", action="store_true")
    options, rest = own.parse_known_args(words)
    section = functools.partial(steps, nanogpt=options.nanogpt, profiled=options.profile)
    sections = {"steps": section}
    run("benchmarks.training_step", "The training step", __doc__, {"cpu": sections, "cuda": sections}, rest, words)


if __name__ == "__main__":
    main()
