"""Tiny Shakespeare by characters: the recipe `shakespeare` against nanoGPT's published configuration, in one run.

`python -m benchmarks.shakespeare --data input.txt --device cuda --out FILE --markdown FILE` trains both, one after the
other, and judges both by the same contexts: all of the validation text. The peer is written here from the configuration
that nanoGPT publishes for this text: 6 layers of 6 heads, width 384, contexts of 256, batches of 64, dropout 0.2, 5000
iterations at a rate from 1e-3 to 1e-4, bfloat16, compiled; every 250 iterations it is evaluated on 200 batches of each
part, and the best of these models is what it gives. `--steps` shortens both, to try the script.
"""

import math
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks import record
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import progress
from regard.recipes import start_run
from regard.recipes.text.language import Language
from regard.training import Metrics

PUBLISHED = 1.4697  # the best evaluation that nanoGPT reports of this configuration


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """As nanoGPT publishes it for this text."""

    depth: int = 6
    num_heads: int = 6
    width: int = 384
    context: int = 256
    batch: int = 64
    dropout: float = 0.2
    steps: int = 5000
    rate: float = 1e-3
    floor: float = 1e-4
    warmup: int = 100
    decay: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)
    evaluate_every: int = 250
    evaluated: int = 200  # batches of each part

    def rate_at(self, step: int) -> float:
        if step < self.warmup:
            return self.rate * (step + 1) / (self.warmup + 1)
        share = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.floor + (self.rate - self.floor) * (1 + math.cos(math.pi * share)) / 2


class PlainBlock(nn.Module):
    """A pre-norm block of GPT-2 without biases, by torch alone."""

    def __init__(self, config: Configuration) -> None:
        super().__init__()
        C = config.width
        self.num_heads, self.dropout = config.num_heads, config.dropout
        self.norms = nn.ModuleList([nn.LayerNorm(C, bias=False) for _ in range(2)])
        self.project, self.merge = nn.Linear(C, 3 * C, bias=False), nn.Linear(C, C, bias=False)
        self.widen, self.narrow = nn.Linear(C, 4 * C, bias=False), nn.Linear(4 * C, C, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        heads = self.project(self.norms[0](x)).unflatten(2, (3, self.num_heads, -1))
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        dropped = self.dropout if self.training else 0.0
        o = functional.scaled_dot_product_attention(q, k, v, dropout_p=dropped, is_causal=True)
        x = x + functional.dropout(self.merge(o.transpose(1, 2).flatten(2)), self.dropout, self.training)
        y = self.narrow(functional.gelu(self.widen(self.norms[1](x))))
        return x + functional.dropout(y, self.dropout, self.training)


class Plain(nn.Module):
    """A decoder as GPT-2: learned positions, one matrix for the embedding and the head."""

    def __init__(self, config: Configuration, vocabulary: int) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList([PlainBlock(config) for _ in range(config.depth)])
        self.norm = nn.LayerNorm(config.width, bias=False)
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                ends_branch = name.endswith(("merge.weight", "narrow.weight"))
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * config.depth) if ends_branch else 0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = functional.dropout(self.embedding(tokens) + self.positions(places), self.dropout, self.training)
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.embedding.weight)


@dataclass(frozen=True)
class Found:
    """Seconds in all, and without evaluations; seconds and steps until the best model, and its loss on all contexts."""

    seconds: float
    learning: float
    best_seconds: float
    best_step: int
    loss: float
    parameters: int
    steps: int


def loss_of(logits: Tensor, tokens: Tensor) -> Tensor:
    return functional.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())


def train_peer(task: Language, config: Configuration, device: torch.device) -> Found:
    """Batches at random places, evaluations on random batches, and the best of these models kept, as nanoGPT does."""
    torch.manual_seed(1337)
    begun, evaluating = time.perf_counter(), 0.0
    model = Plain(config, len(task.text.vocabulary)).to(device)
    called: Any = torch.compile(model) if device.type == "cuda" else model
    groups: list[dict[str, Any]] = [
        {"params": [p for p in model.parameters() if p.ndim == 2], "weight_decay": config.decay},
        {"params": [p for p in model.parameters() if p.ndim != 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, config.rate, config.betas, fused=True)
    parts = {"train": task.text.train, "validation": task.text.validation}
    tokens = {name: torch.from_numpy(part.tokens.astype("int64")) for name, part in parts.items()}
    typed = torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()

    def draw(name: str) -> Tensor:
        starts = torch.randint(len(tokens[name]) - config.context, (config.batch,))
        found = torch.stack([tokens[name][start : start + config.context + 1] for start in starts.tolist()])
        return found.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else found

    @torch.no_grad()
    def evaluate() -> float:
        model.eval()
        losses = {}
        for name in tokens:
            found = [loss_of(called(block[:, :-1]), block) for block in (draw(name) for _ in range(config.evaluated))]
            losses[name] = torch.stack(found).mean().item()
        model.train()
        return losses["validation"]

    best, best_at, best_step, kept = math.inf, 0.0, 0, {}
    batch = draw("train")
    for step in range(config.steps + 1):
        with typed:
            if step % config.evaluate_every == 0 or step == config.steps:
                start = time.perf_counter()
                if (loss := evaluate()) < best:
                    best, best_at, best_step = loss, time.perf_counter() - begun, step
                    kept = {name: value.detach().clone() for name, value in model.state_dict().items()}
                evaluating += time.perf_counter() - start
                progress("nanoGPT's configuration, step", step, f"validation loss {loss:.4f}")
            if step == config.steps:
                break
            for group in optimizer.param_groups:
                group["lr"] = config.rate_at(step)
            loss = loss_of(called(batch[:, :-1]), batch)
        batch = draw("train")  # while the device computes
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - begun
    model.load_state_dict(kept)
    with typed:
        loss = judge(model.eval(), task, config.batch)
    count = sum([parameter.numel() for parameter in model.parameters()])
    return Found(seconds, seconds - evaluating, best_at, best_step, loss, count, config.steps)


@torch.no_grad()
def judge(model: nn.Module, task: Language, batch: int) -> float:
    """The loss on all contexts that the recipe is validated on."""
    device = next(model.parameters()).device
    blocks = [block.to(device) for block in task.validation.split(batch)]
    total = sum([loss_of(model(block[:, :-1]), block).item() * len(block) for block in blocks])
    return total / len(task.validation)


def train_ours(data: Path, folder: Path, device: str, changes: list[str]) -> tuple[Found, Language]:
    """The recipe, as its command runs it, without the report: its loop, evaluations and checkpoints."""
    from regard.training import train

    plan = start_run("shakespeare", folder, data=str(data), device=device, changes=changes)
    training = plan.trainings["decoder"]
    task, steps = training.task, training.settings.steps
    assert isinstance(task, Language)

    def on_step(at: Any, numbers: Any) -> None:
        if "validation loss" in numbers:
            progress("regard, step", at.step, f"validation loss {numbers['validation loss']:.4f}")

    begun = time.perf_counter()
    trained = train(task, training.settings, folder / "decoder", device=device, on_step=on_step)
    if device == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - begun
    with torch.no_grad():
        loss = task.evaluate(trained.model)["validation loss"]
    lines = [line for line in Metrics(folder / "decoder" / "metrics.jsonl").read() if "validation loss" in line]
    best = min(lines, key=lambda line: line["validation loss"])
    count = sum([parameter.numel() for parameter in trained.model.parameters()])
    return Found(seconds, seconds, seconds, int(best["step"]), loss, count, steps), task


def rows_of(ours: Found, peer: Found) -> list[Row]:
    section = "Tiny Shakespeare, characters"
    losses: dict[str, Cell] = {"regard": ours.loss, "nanoGPT's configuration": peer.loss, "published": PUBLISHED}
    times: dict[str, Cell] = {"regard": ours.seconds, "nanoGPT's configuration": peer.seconds}
    learning = times | {"nanoGPT's configuration": peer.learning}
    until = times | {"nanoGPT's configuration": peer.best_seconds}
    details = {"regard": vars(ours), "peer": vars(peer)}
    shorter = Bar("≤", 1.0)
    return [
        Row(section, "all of the validation text", "nats", losses, ours.loss, "the bar", Bar("≤", 1.47), details, ""),
        Row(section, "whole training", "s", times, ours.seconds / peer.seconds, "nanoGPT's configuration", shorter),
        Row(section, "without its evaluations", "s", learning, ours.seconds / peer.learning, "the same", shorter),
        Row(section, "until its best model", "s", until, ours.seconds / peer.best_seconds, "the same"),
    ]


def main() -> None:
    parser = record.parser("benchmarks.shakespeare", __doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, default=None, help="of both, to try the script; the numbers mean nothing")
    parser.add_argument("--set", action="append", default=[], help="change the recipe: model.dropout=0.25; repeatable")
    options = parser.parse_args()
    device = torch.device(options.device)
    config, changes = Configuration(), list(options.set)
    if options.steps is not None:
        config = replace(config, steps=options.steps, evaluate_every=options.steps, evaluated=2, depth=1, width=48)
        changes += [f"training.steps={options.steps}", f"training.evaluate_every={options.steps}", "validated=20"]
        changes += ["model.depth=1", "model.width=48"]
    if device.type == "cuda":
        torch.zeros(1, device=device)  # starts the device, for neither of the two
    with tempfile.TemporaryDirectory() as folder:
        ours, task = train_ours(options.data, Path(folder) / "shakespeare", options.device, changes)
        peer = train_peer(task, config, device)
    report = record.machine(device, options.commit, "benchmarks.shakespeare")
    print(record.write(options, report, rows_of(ours, peer), "Tiny Shakespeare, side by side"))


if __name__ == "__main__":
    main()
