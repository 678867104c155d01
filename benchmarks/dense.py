"""None and causal against the best kernel, and on the CPU half-padded batches against sdpa with a mask."""

import torch

from benchmarks.cases import CAUSAL, NONE, PADDING, Case, half_lengths
from benchmarks.contest import contest
from benchmarks.peers import Build, flex, regard, sdpa_contenders, varlen
from benchmarks.record import Bar, Row, race
from benchmarks.setting import Setting, progress
from benchmarks.timing import Result, Timing


def dense_on_gpu(setting: Setting) -> list[Row]:
    """B4 H16, widths 64 and 128, N from 1k to 16k, forward and backward apart."""
    rows, watch = [], setting.watch("dense")
    sizes = setting.pick(full=[1024, 2048, 4096, 8192, 16384], tiny=[256])
    for T in sizes:
        for D in (64, 128):
            for mask in (NONE, CAUSAL):
                case = Case(mask=mask, B=4, H=16, T=T, D=D, dtype=torch.bfloat16, device=setting.device)
                builds: dict[str, Build] = {"regard": regard(), **sdpa_contenders(setting.device), "varlen": varlen}
                # Compiling for each mask and width costs more device time than all the kernels together.
                if setting.scale == "full" and T >= 4096 and not watch.past(0.7):
                    builds["flex"] = flex(ready=True)
                if watch.past():
                    rows.append(Row("dense", case.label, "forward", {}, against="out of time", bar=Bar("≥", 0.98)))
                    continue
                progress("dense", case.label)
                results = contest(case, builds, ("forward", "backward"), setting.effort)
                for measure, times in results.items():
                    peers = [name for name in builds if name != "regard"]
                    row = race("dense", case.label, measure, times, peers, Bar("≥", 0.98))
                    row.cells["regard TFLOP/s"] = useful_rate(case, measure, times["regard"])
                    rows.append(row)
    return rows


def useful_rate(case: Case, measure: str, result: Result) -> float | None:
    """TFLOP/s over visible pairs."""
    times = {"forward": 1.0, "backward": 2.5, "both": 3.5}[measure]
    return times * case.useful_flops / result.median / 1e12 if isinstance(result, Timing) else None


def on_cpu(setting: Setting) -> list[Row]:
    """B4 H8 N1024 d64 float32: none, causal, and two batches with half of their tokens padded."""
    rows = []
    T = setting.pick(full=1024, tiny=128)
    kinds: list[tuple[str, str, tuple[int, ...]]] = [
        ("", NONE, ()),
        ("", CAUSAL, ()),
        (", all half", PADDING, (T // 2,) * 4),
        (", uniform, mean half", PADDING, half_lengths(T)),
    ]
    for name, mask, lengths in kinds:
        case = Case(mask=mask, B=4, H=8, T=T, D=64, dtype=torch.float32, device=setting.device, lengths=lengths)
        bar = Bar("≥", 2.0) if lengths else Bar("≥", 0.97)
        label = case.label + name
        progress("cpu", label)
        builds: dict[str, Build] = {"regard": regard(), **sdpa_contenders(setting.device)}
        results = contest(case, builds, ("forward", "backward", "both"), setting.effort)
        rows += [
            race("cpu", label, measure, times, [peer for peer in builds if peer != "regard"], bar)
            for measure, times in results.items()
        ]
    return rows
