"""Peak memory of training, predicted without memory and measured on the GPU: an encoder, decoders, the gaussian model.

`python -m benchmarks.training_memory --device cuda --out FILE --markdown FILE` measures and predicts on a machine with
CUDA; without `--device cuda` it predicts alone, with the CPU standing in for the GPU.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmarks import record
from benchmarks.record import Bar, Row
from regard.analysis.cost import cost
from regard.models import PRESETS, build, vary


class Trained(nn.Module):
    """A model and its loss."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, targets: Tensor) -> Tensor:
        logits = self.model(x).logits
        return cross_entropy(logits.flatten(0, -2).float(), targets.flatten())


def language(name: str, batch: int, tokens: int, **changes: Any) -> tuple[nn.Module, tuple[Tensor, ...]]:
    config = vary(PRESETS[name], **changes)
    x = torch.zeros(batch, tokens, dtype=torch.long)
    return Trained(build(config)), (x, torch.zeros_like(x))


def images(name: str, batch: int, **changes: Any) -> tuple[nn.Module, tuple[Tensor, ...]]:
    config = vary(PRESETS[name], **changes)
    x = config.inputs(batch)[0]
    return Trained(build(config)), (x.to(torch.get_default_dtype()), torch.zeros(batch, dtype=torch.long))


CASES: dict[str, tuple[torch.dtype, Callable[[], tuple[nn.Module, tuple[Tensor, ...]]]]] = {
    "encoder: bert-base B32 N512": (torch.bfloat16, lambda: language("bert-base", 32, 512)),
    "encoder: bert-base B8 N512": (torch.float32, lambda: language("bert-base", 8, 512)),
    "encoder: vit-base B64": (torch.bfloat16, lambda: images("vit-base", 64)),
    "decoder: gpt2 B16 N1024": (torch.bfloat16, lambda: language("gpt2", 16, 1024)),
    "decoder: llama3-8b of 4 layers B2 N4096": (torch.bfloat16, lambda: language("llama3-8b", 2, 4096, depth=4)),
    "gaussian: attention-only B100": (torch.float32, lambda: images("attention-only", 100)),
    "gaussian: attention-only B512": (torch.bfloat16, lambda: images("attention-only", 512)),
}


def predicted(name: str) -> dict[str, int]:
    """By `cost`, without memory."""
    dtype, make = CASES[name]
    with typed(dtype), torch.device("meta"):
        module, inputs = make()
    memory = cost(module, *inputs, device="h200").memory
    assert memory is not None
    return vars(memory)


def measured(name: str) -> dict[str, int]:
    """The allocator's own peak in the third step of training with AdamW."""
    dtype, make = CASES[name]
    torch.cuda.empty_cache()
    with typed(dtype), torch.device("cuda"):
        module, inputs = make()
    optimizer = torch.optim.AdamW(module.parameters())
    kept = passes = 0
    for _ in range(3):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        optimizer.zero_grad()
        loss = module(*inputs)
        kept = torch.cuda.memory_allocated()
        loss.backward()
        passes = torch.cuda.max_memory_allocated()
        optimizer.step()
        torch.cuda.synchronize()
    return {"peak": torch.cuda.max_memory_allocated(), "after forward": kept, "peak of the passes": passes}


@contextmanager
def typed(dtype: torch.dtype) -> Iterator[None]:
    """Models are built in this type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def workspace() -> int:
    """Bytes that the first matrix product leaves allocated: the library's own."""
    x = torch.ones(64, 64, device="cuda")
    before = torch.cuda.memory_allocated()
    y = x @ x
    torch.cuda.synchronize()
    left = torch.cuda.memory_allocated() - before - 16384
    del x, y
    return left


def row(name: str, on_gpu: bool) -> Row:
    """Prediction beside measurement; the ratio is their difference in per cent of what was measured."""
    guess = predicted(name)
    cells: dict[str, Any] = {"type": str(CASES[name][0]).removeprefix("torch."), "predicted MB": _mb(guess["peak"])}
    if not on_gpu:
        return Row("peak", name, "training", cells, details={"predicted": guess})
    real = measured(name)
    cells["measured MB"] = _mb(real["peak"])
    error = 100 * (guess["peak"] - real["peak"]) / real["peak"]
    cells["error %"] = round(error, 2)
    found = {"predicted": guess, "measured": real}
    return Row("peak", name, "training", cells, abs(error), "the allocator", Bar("≤", 5), found, " %")


def _mb(count: int) -> float:
    return round(count / 1e6, 1)


def main() -> None:
    parser = record.parser("benchmarks.training_memory", __doc__)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    report = record.machine(torch.device(options.device), options.commit, "benchmarks.training_memory")
    if on_gpu:
        report["workspace bytes"] = workspace()
    rows = []
    for name in CASES:
        rows.append(row(name, on_gpu))
        print(name, rows[-1].cells, flush=True)
        record.write(options, report, rows, "Peak memory of training, side by side")


if __name__ == "__main__":
    main()
