"""Time and memory, predicted beside measured: attention, steps of training, and what the predictions are made of.

`python -m benchmarks.prediction --device cuda --out r.json --markdown r.md` takes about three minutes on a GPU;
`--device cpu` runs small sizes. The section `ceilings` measures single kernels, of other sizes than models have: the
tables of machines and the shares in `regard/analysis/prediction/roofline.py` are read from it. Hosts of GPUs differ:
what an operation takes on this one is measured first, on numbers of no model, and steps are predicted with it.
`--measured a.json b.json` predicts again, anywhere, what was measured on an H200 before, in one run or several.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks import record
from benchmarks.record import Bar, Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing, explain, interleave
from benchmarks.training_memory import images, language, typed
from regard.algorithms import attend
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import TABLES, Machine, table_of
from regard.algorithms.planning.problem import pose
from regard.analysis.calibration.calibration import measure_dispatch, with_host
from regard.analysis.cost import cost
from regard.analysis.prediction.roofline import Product, product_seconds
from regard.analysis.speed.measure import measure_step
from regard.attention import Attention, Causal
from regard.recipes import results

Make = Callable[[], tuple[nn.Module, tuple[Tensor, ...]]]
Case = tuple[str, torch.dtype, bool, Make]  # name, type, compiled
TITLE = "Predicted beside measured"
WITHIN, MEMORY = Bar("≤", 20), Bar("≤", 5)  # per cent


def main(arguments: list[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    if options.measured is not None:
        reports = [json.loads(path.read_text()) for path in options.measured]
        rows = [row for one in reports for row in predicted_again(one)]
        report = reports[0] | {"command": "\n".join([one["command"] for one in reports])}
        report["predicted by"] = options.commit or results.commit()
        print(record.write(options, report, rows, TITLE), flush=True)
        return
    device = torch.device(options.device)
    torch.set_num_threads(options.threads)
    setting = Setting(device, "full" if device.type == "cuda" else "tiny")
    sections = {
        "ceilings": lambda: ceilings(setting),
        "attention": lambda: attention(setting),
        "steps": lambda: steps(setting, machine, options.case),
    }
    report = record.machine(device, options.commit, "benchmarks.prediction", arguments)
    report |= {"seconds": {}, "table": table_of(device).basis}
    if setting.on_cuda:
        report["dispatch"] = measure_dispatch(device)
    machine = _machine(table_of(device), report)
    rows: list[Row] = []
    for name in options.only or sections:
        start = time.perf_counter()
        for row in sections[name]():
            rows.append(row)
            record.write(options, report, rows, TITLE)
        report["seconds"][name] = round(time.perf_counter() - start, 1)
        progress(name, "took", report["seconds"][name], "s")
    print(record.write(options, report, rows, TITLE), flush=True)


def parser() -> argparse.ArgumentParser:
    options = record.parser("benchmarks.prediction", __doc__)
    record.add_device(options)
    options.add_argument(
        "--measured", type=Path, nargs="+", help="JSON of this benchmark: predict again, measure nothing"
    )
    options.add_argument("--case", default="", help="of the steps, those with this in their name or measure")
    options.add_argument("--only", action="append", choices=["ceilings", "attention", "steps"])
    return options


def _compared(
    section: str,
    case: str,
    measure: str,
    guess: float,
    real: Timing | float,
    bar: Bar | None = None,
    details: Any = None,
) -> Row:
    """Seconds side by side; the ratio is the error in per cent."""
    found = real.median if isinstance(real, Timing) else real
    error = 100 * (guess / found - 1)
    cells: dict[str, Any] = {
        "predicted": Timing((guess,)),
        "measured": real if isinstance(real, Timing) else Timing((real,)),
    }
    cells["error %"] = round(error, 1)
    return Row(section, case, measure, cells, abs(error), "the clock", bar, details, " %")


def _machine(machine: Machine, report: dict[str, Any]) -> Machine:
    """The table behind the host that was measured, where one was."""
    return with_host(machine, tuple(report["dispatch"])) if "dispatch" in report else machine


def predicted_again(report: dict[str, Any]) -> Iterator[Row]:
    """Rows that were measured on an H200, beside what is predicted now; single kernels as they were."""
    cases = {(name, _how(compiled, dtype)): (dtype, compiled, make) for name, dtype, compiled, make in H200_CASES}
    machine, found = _machine(TABLES["h200"], report), {}
    for row in report["rows"]:
        name, measure, cells = row["case"], row["measure"], row["cells"]
        samples = {
            key: Timing(tuple(cell["samples_s"])) if isinstance(cell, dict) else cell for key, cell in cells.items()
        }
        bar = None if row["bar"] is None else Bar(row["bar"]["sense"], row["bar"]["threshold"])
        real = samples.get("measured")
        if (name, measure) in cases and (name, measure) not in found:
            found[name, measure] = _guess(*cases[name, measure], machine)
        guess = found.get((name, measure))
        if row["section"] == "attention" and isinstance(real, Timing):
            mask, B, heads, N, width = name.replace(" d", " H").replace(" N", " H").replace(" B", " H").split(" H")
            x = torch.empty(int(B), int(heads), int(N), int(width), dtype=torch.bfloat16, device="meta")
            x.requires_grad_(measure == "both")
            problem = pose(x, x, x, Attention(mask=Causal()) if mask == "causal" else Attention())
            seconds = float(PLANNER.seconds(problem.on_machine(replace(TABLES["h200"], host={}))))
            yield _compared("attention", name, measure, seconds, real, WITHIN)
        elif row["section"] == "steps" and isinstance(real, Timing) and guess is not None:
            details = {"predicted": guess.time.json(), "profile": (row["details"] or {}).get("profile")}
            yield _compared("steps", name, measure, guess.time.seconds, real, WITHIN, details)
        elif row["section"] == "memory" and guess is not None:
            yield _remembered(name, measure, guess.memory.peak, 1e6 * float(cells["measured MB"]), bar)
        else:
            yield Row(
                row["section"], name, measure, samples, row["ratio"], row["against"], bar, row["details"], row["unit"]
            )


def _guess(dtype: torch.dtype, compiled: bool, make: Make, machine: Machine) -> Any:
    """What a step costs, counted without contents."""
    with typed(dtype), torch.device("meta"):
        module, inputs = make()
    return cost(module, *inputs, device=machine, compiled=compiled)


def _remembered(name: str, measure: str, guess: float, real: float, bar: Bar | None) -> Row:
    """Peaks of memory side by side; the ratio is the error in per cent."""
    error = 100 * (guess / real - 1)
    cells: dict[str, Any] = {
        "predicted MB": round(guess / 1e6, 1),
        "measured MB": round(real / 1e6, 1),
        "error %": round(error, 2),
    }
    return Row("memory", name, measure, cells, abs(error), "the allocator", bar, None, " %")


def _how(compiled: bool, dtype: torch.dtype) -> str:
    return f"{'compiled' if compiled else 'eager'}, {_short(dtype)}"


def attention(setting: Setting) -> Iterator[Row]:
    """Attention of N tokens on the device's own clock, forward, and forward and backward."""
    lengths = (1024, 2048, 4096, 8192, 16384) if setting.on_cuda else (128, 512)
    machine, bar = table_of(setting.device), WITHIN if setting.on_cuda else None
    for name, value, heads, width in (("causal", Attention(mask=Causal()), 12, 64), ("none", Attention(), 16, 128)):
        for N in lengths:
            B = max(1, lengths[-1] // N)
            q, k, v = (
                torch.randn(B, heads, N, width, device=setting.device, dtype=setting.dtype, requires_grad=True)
                for _ in range(3)
            )
            weight = torch.randn_like(q)

            def both(q: Tensor = q, k: Tensor = k, v: Tensor = v, g: Tensor = weight, value: Attention = value) -> Any:
                return torch.autograd.grad(attend(q, k, v, value), (q, k, v), g)

            def without(q: Tensor = q, k: Tensor = k, v: Tensor = v, value: Attention = value) -> Tensor:
                with torch.no_grad():
                    return attend(q, k, v, value)

            progress(name, N)
            for measure, run in (("forward", without), ("both", both)):
                with torch.set_grad_enabled(measure == "both"):
                    problem = pose(q, k, v, value).on_machine(replace(machine, host={}))
                guess = float(PLANNER.seconds(problem))
                real = interleave({"run": [run]}, setting.device, setting.glance)["run"]
                case = f"{name} B{B} H{heads} N{N} d{width}"
                if isinstance(real, Timing):
                    yield _compared("attention", case, measure, guess, real, bar)
                else:
                    yield Row("attention", case, measure, {"predicted": Timing((guess,)), "measured": real}, bar=bar)


SMALL = {"depth": 2, "width": 64, "num_heads": 4, "vocabulary": 512}
CPU_CASES: tuple[Case, ...] = (
    ("gpt2 of 2 layers B2 N64", torch.float32, False, lambda: language("gpt2", 2, 64, **SMALL)),
    ("vit-base of 1 layer B1", torch.float32, False, lambda: images("vit-base", 1, depth=1)),
    ("attention-only of 1 layer B2", torch.float32, False, lambda: images("attention-only", 2, depth=1)),
)
H200_CASES: tuple[Case, ...] = (
    ("gpt2 B8 N1024", torch.bfloat16, False, lambda: language("gpt2", 8, 1024)),
    ("gpt2 B32 N1024", torch.bfloat16, False, lambda: language("gpt2", 32, 1024)),
    ("vit-base B64", torch.bfloat16, False, lambda: images("vit-base", 64)),
    ("attention-only B100", torch.float32, False, lambda: images("attention-only", 100)),
    ("attention-only B512", torch.bfloat16, False, lambda: images("attention-only", 512)),
    ("gpt2 B8 N1024", torch.bfloat16, True, lambda: language("gpt2", 8, 1024)),
    ("gpt2 B32 N1024", torch.bfloat16, True, lambda: language("gpt2", 32, 1024)),
)


def steps(setting: Setting, machine: Machine, some: str = "") -> Iterator[Row]:
    """Steps of training with AdamW, by the host's clock, and the allocator's peak."""
    for name, dtype, compiled, make in H200_CASES if setting.on_cuda else CPU_CASES:
        measure = _how(compiled, dtype)
        if some not in f"{name}, {measure}":
            continue
        progress(name, measure)
        guess = _guess(dtype, compiled, make, machine)
        details: dict[str, Any] = {"predicted": guess.time.json(), "memory": vars(guess.memory)}
        try:
            if setting.on_cuda:
                torch.cuda.empty_cache()
            with typed(dtype), torch.device(setting.device):
                module, inputs = make()
            if compiled:
                torch.compiler.reset()
                module.compile(fullgraph=True)  # or it would be measured in pieces
            found = measure_step(module, inputs, steps=10 if setting.on_cuda else 3)
            if setting.on_cuda:
                details["host"] = _phases(module, inputs)
                details["profile"] = _profile(module, inputs)
        except (RuntimeError, ValueError) as error:
            yield Row("steps", name, measure, {"measured": explain(error)}, bar=WITHIN, details=details)
            continue
        yield _compared(
            "steps", name, measure, guess.time.seconds, found.seconds, WITHIN if setting.on_cuda else None, details
        )
        if found.peak is not None:
            bar = None if compiled else MEMORY  # predicted is what an eager step takes
            yield _remembered(name, measure, guess.memory.peak, found.peak, bar)
        del module, inputs


def _phases(module: nn.Module, inputs: tuple[Tensor, ...]) -> dict[str, float]:
    """Seconds of the host for each part of a step, which begins when the device is done; the median of five."""
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-4)
    found: dict[str, list[float]] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        torch.cuda.synchronize()
        start = time.perf_counter()
        out = run()
        found.setdefault(name, []).append(time.perf_counter() - start)
        return out

    for _ in range(6):
        module.zero_grad(set_to_none=True)
        loss = timed("forward", lambda: module(*inputs))
        timed("backward", loss.backward)
        timed("step", optimizer.step)
    return {name: statistics.median(times[1:]) for name, times in found.items()}


def _profile(module: nn.Module, inputs: tuple[Tensor, ...]) -> dict[str, list[float]]:
    """Microseconds on the device and calls of one step, by operation, the longest first."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        measure_step(module, inputs, steps=1, warmup=0)
        torch.cuda.synchronize()
    rows = sorted(found.key_averages(), key=lambda one: -one.self_device_time_total)
    return {one.key[:90]: [round(one.self_device_time_total, 1), one.count] for one in rows[:80]}


def ceilings(setting: Setting) -> Iterator[Row]:
    """Single kernels: matrix products by shape, passes over memory by size, and what the host takes for one call."""
    progress("ceilings")
    device, machine = setting.device, table_of(setting.device)
    for m, n, k, layout, dtype in _products(setting):
        drawn = [torch.randn(m, k, device=device, dtype=dtype), torch.randn(k, n, device=device, dtype=dtype)]
        a, b = (x if way == "n" else x.t().contiguous().t() for x, way in zip(drawn, layout, strict=True))
        real = interleave({"run": [lambda a=a, b=b: a @ b]}, device, setting.glance)["run"]
        assert isinstance(real, Timing), real
        read = (m if layout[0] == "t" else k, k if layout[1] == "t" else n)
        bytes_ = dtype.itemsize
        odd = "read" if any(size * bytes_ % 16 for size in read) else "written" if n * bytes_ % 16 else ""
        guess = product_seconds(Product(1, m, n, k, odd), machine, dtype) + machine.kernel
        row = _compared("ceilings", f"{m} × {n} × {k} {layout}", f"product, {_short(dtype)}", guess, real)
        row.cells["TFLOP/s"] = 2 * m * n * k / real.median / 1e12
        yield row
    for size in (2**20, 2**22, 2**23, 2**24, 2**25, 2**26, 2**28, 2**30) if setting.on_cuda else (2**16,):
        x = torch.randn(size // 2, device=device, dtype=torch.bfloat16)
        y = torch.empty_like(x)
        yield _streamed(setting, f"add of {size / 1e6:.1f} MB", lambda x=x, y=y: torch.add(x, x, out=y), 2 * size)
    for row in _rows(setting):
        yield row
    alone, recorded, node = measure_dispatch(device)
    cells: dict[str, Any] = {
        "in place": Timing((alone,)),
        "with a graph": Timing((recorded,)),
        "a node back": Timing((node,)),
    }
    yield Row("ceilings", "host", "one operation", cells)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _products(setting: Setting) -> Iterator[tuple[int, int, int, str, torch.dtype]]:
    if not setting.on_cuda:
        yield 64, 64, 64, "nn", torch.float32
        return
    for m, n, k, layout in _half_products():
        yield m, n, k, layout, torch.bfloat16
    for m, n, k in ((4096, 4096, 4096), (8192, 1024, 1024), (1024, 1024, 8192), (20000, 480, 480), (480, 480, 20000)):
        yield m, n, k, "tn" if k > m else "nt", torch.float32
    yield 16, 100_000, 200, "nn", torch.float32


def _half_products() -> Iterator[tuple[int, int, int, str]]:
    for side in (1024, 2048, 4096, 8192):
        yield side, side, side, "nt"
    for m, n, k in (
        (8192, 1024, 1024),
        (8192, 4096, 1024),
        (8192, 1024, 4096),
        (32768, 1024, 1024),
        (12608, 1024, 1024),
    ):
        yield m, n, k, "nt"  # forward
        yield m, k, n, "nn"  # the gradient of the input
        yield n, k, m, "tn"  # of the weight
    for m, n, k in ((2048, 512, 512), (8192, 512, 512), (16, 4096, 4096)):
        yield m, n, k, "nt"
    yield 8192, 30011, 1024, "nt"  # odd: nothing that is read or written starts at a multiple of 16 bytes
    yield 8192, 1024, 30011, "nn"
    yield 30011, 1024, 8192, "tn"


def _streamed(setting: Setting, case: str, run: Callable[[], object], moved: float) -> Row:
    """A pass over memory, beside its bytes over the table's bandwidth."""
    machine = table_of(setting.device)
    real = interleave({"run": [run]}, setting.device, setting.glance)["run"]
    assert isinstance(real, Timing), real
    row = _compared("ceilings", case, "memory", moved / machine.bandwidth + machine.kernel, real)
    row.cells["TB/s"] = moved / real.median / 1e12
    return row


def _rows(setting: Setting) -> Iterator[Row]:
    """Norms, activations, softmax and sums over rows as wide as a model's, in and out of half precision."""
    device = setting.device
    tokens, width, words = (8192, 1024, 30000) if setting.on_cuda else (64, 32, 100)
    x = torch.randn(tokens, width, device=device, dtype=torch.bfloat16, requires_grad=True)
    g = torch.randn_like(x)
    norm = nn.LayerNorm(width, device=device, dtype=torch.bfloat16)
    one = x.numel() * 2
    with torch.no_grad():
        yield _streamed(setting, "layer norm", lambda: norm(x), 2 * one)
        yield _streamed(setting, "gelu", lambda: nn.functional.gelu(x, approximate="tanh"), 2 * one)
        yield _streamed(setting, "sum of rows", lambda: g.sum(0), one)
    y = norm(x)
    yield _streamed(
        setting,
        "layer norm, back",
        lambda: torch.autograd.grad(y, (x, *norm.parameters()), g, retain_graph=True),
        5 * one,
    )
    z = nn.functional.gelu(x, approximate="tanh")
    yield _streamed(setting, "gelu, back", lambda: torch.autograd.grad(z, x, g, retain_graph=True), 3 * one)
    logits = torch.randn(tokens, words, device=device, dtype=torch.float32, requires_grad=True)
    with torch.no_grad():
        yield _streamed(setting, "to float32", lambda: logits.to(torch.bfloat16), 6 * logits.numel())
        yield _streamed(setting, "log softmax", lambda: logits.log_softmax(-1), 8 * logits.numel())
    found = logits.log_softmax(-1)
    h = torch.ones_like(found)
    yield _streamed(
        setting,
        "log softmax, back",
        lambda: torch.autograd.grad(found, logits, h, retain_graph=True),
        12 * logits.numel(),
    )


if __name__ == "__main__":
    main()
