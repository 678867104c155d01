"""Peak memory of `attend` beyond its inputs, beside what the plan predicts, and how it grows with the length."""

import json
import math
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from benchmarks.cases import CAUSAL, CAUSAL_KEY_PADDING, NONE, PADDING, WINDOW, Case, Inputs, draw
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import explain
from regard import attend, plan

MASKS = (NONE, CAUSAL, PADDING, CAUSAL_KEY_PADDING, WINDOW)
LINEAR = Bar("≤", 1.15)  # the exponent of N; quadratic would be 2


def memory(setting: Setting) -> list[Row]:
    """One row per mask and pass: bytes at each length, measured and predicted; the exponent between the longest two."""
    rows, watch = [], setting.watch("memory")
    sizes = setting.pick(full=[4096, 8192, 16384], quick=[2048, 4096, 8192], tiny=[256, 512])
    for mask in MASKS:
        if watch.past():
            rows.append(Row("memory", mask, "both", {}, against="out of time", bar=LINEAR, unit=""))
            continue
        progress("memory", mask)
        try:
            found = _on_gpu(mask, sizes, setting.device) if setting.on_cuda else _in_child(mask, sizes)
        except Exception as error:
            rows.append(Row("memory", mask, "both", {"regard": explain(error)}, bar=LINEAR, unit=""))
            continue
        rows += [_row(mask, measure, found[measure]) for measure in ("forward", "both")]
    return rows


def _row(mask: str, measure: str, found: list[dict[str, Any]]) -> Row:
    cells: dict[str, Cell] = {"algorithm": found[-1]["algorithm"]}
    for entry in found:
        cells[f"N{entry['N']} MB"] = entry["bytes"] / 1e6
        cells[f"N{entry['N']} predicted"] = entry["predicted"] / 1e6
    first, last = found[-2:]  # where a constant share weighs least
    exponent = math.log(max(last["bytes"], 1) / max(first["bytes"], 1)) / math.log(last["N"] / first["N"])
    return Row("memory", mask, measure, cells, exponent, "N", LINEAR, found, unit="")


def _case(mask: str, T: int, device: torch.device) -> Case:
    H, dtype = (16, torch.bfloat16) if device.type == "cuda" else (2, torch.float32)
    lengths = (T, T // 2) if mask in (PADDING, CAUSAL_KEY_PADDING) else ()
    return Case(mask=mask, B=2 if lengths else 1, H=H, T=T, D=64, dtype=dtype, device=device, lengths=lengths)


def _passes(case: Case, x: Inputs, measure: str) -> None:
    with torch.set_grad_enabled(measure == "both"):
        out = attend(x.q, x.k, x.v, case.attention)
        if measure == "both":
            torch.autograd.grad(out, x[:3], x.grad)


def _entry(case: Case, x: Inputs, measure: str, peak: int) -> dict[str, Any]:
    with torch.set_grad_enabled(measure == "both"):
        planned = plan(x.q, x.k, x.v, case.attention)
    (cost,) = [candidate.cost for candidate in planned.candidates if candidate.name == planned.chosen]
    predicted = int(cost.memory) if cost is not None else 0
    return {"N": case.T, "bytes": peak, "predicted": predicted, "algorithm": planned.chosen}


def _on_gpu(mask: str, sizes: list[int], device: torch.device) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {"forward": [], "both": []}
    for T in sizes:
        case = _case(mask, T, device)
        x = draw(case, seed=0)
        for measure, entries in found.items():
            _passes(case, x, measure)  # libraries take their workspaces at the first call, and keep them
            torch.cuda.synchronize(device)
            torch.cuda.reset_peak_memory_stats(device)
            before = torch.cuda.memory_allocated(device)
            _passes(case, x, measure)
            entries.append(_entry(case, x, measure, torch.cuda.max_memory_allocated(device) - before))
        torch.cuda.empty_cache()
    return found


def _in_child(mask: str, sizes: list[int]) -> dict[str, list[dict[str, Any]]]:
    """On the CPU the peak of a fresh process's resident memory, in which every large block is a mapping of its own.

    So what an earlier, smaller problem has freed is really gone, and nothing hides in the allocator's pool.
    """
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-m", "benchmarks.memory", mask, *map(str, sizes)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[1], check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])


def _child(mask: str, sizes: list[int]) -> None:
    torch.set_num_threads(2)
    device = torch.device("cpu")
    found: dict[str, list[dict[str, Any]]] = {"forward": [], "both": []}
    for T in (sizes[0], *sizes):  # the first one warms up: modules and thread pools that its algorithm needs
        case = _case(mask, T, device)
        x = draw(case, seed=0)
        for measure, entries in found.items():
            before = _reset_peak()
            _passes(case, x, measure)
            entries.append(_entry(case, x, measure, _peak() - before))
    print(json.dumps({measure: entries[1:] for measure, entries in found.items()}))


def _reset_peak() -> int:
    """Bytes now resident; the peak starts again from here, where the kernel lets a process reset it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return _status("VmRSS")


def _peak() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _status(field: str) -> int:
    match = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    if match is None:
        raise OSError(f"/proc/self/status must say {field}")
    return 1024 * int(match.group(1))


if __name__ == "__main__":
    _child(sys.argv[1], [int(size) for size in sys.argv[2:]])
