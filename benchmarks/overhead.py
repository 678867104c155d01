"""What `attend` costs the host beyond a bare call of sdpa, on a problem so small that nothing else counts."""

import statistics
from collections.abc import Callable

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.cases import Case, draw
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing, explain
from regard import Attention, attend, plan
from regard.analysis.calibration.timing import host_seconds
from regard.attention import Causal, KeyPadding

Pair = tuple[str, Callable[[], object], Callable[[], object], Bar | None]


def overhead(setting: Setting) -> list[Row]:
    """Microseconds per call: on the GPU without waiting for the device, on the CPU wall time."""
    rows = []
    for needs_grad in (False, True):
        measure = "with graph" if needs_grad else "inference"
        for name, pair in _pairs(setting, needs_grad).items():
            progress("overhead", name, measure)
            try:
                rows.append(_row(setting, name, measure, pair))
            except Exception as error:  # one kind of call that fails does not hide the others
                rows.append(Row("overhead", name, measure, {"regard": explain(error)}, bar=pair[3], unit=" µs"))
    return rows


def _row(setting: Setting, name: str, measure: str, pair: Pair) -> Row:
    algorithm, ours, bare, bar = pair
    calls = 50  # few enough that a GPU's queue never fills
    # Warm up for long: the first thousand calls of a process are slow ones.
    most = setting.pick(full=41, quick=21, tiny=3)
    warm = [host_seconds(ours, setting.device, calls) + host_seconds(bare, setting.device, calls) for _ in range(5)]
    rounds = range(max(3, min(most, int(1.0 / (calls * min(warm))))))  # a second, also on a machine that is busy
    times = [[host_seconds(run, setting.device, calls) for run in (ours, bare)] for _ in rounds]
    beyond = 1e6 * statistics.median(one - other for one, other in times)
    regard_time, bare_time = (Timing(tuple(samples)) for samples in zip(*times, strict=True))
    cells: dict[str, Cell] = {"regard": regard_time, "bare sdpa": bare_time, "algorithm": algorithm}
    return Row("overhead", name, measure, cells, beyond, "bare sdpa", bar, unit=" µs")


def _case(setting: Setting) -> Case:
    # As small as the fast kernels of the GPU take; on the CPU too small to be shared among threads.
    if setting.on_cuda:
        return Case(mask="none", B=2, H=2, T=128, D=64, dtype=torch.bfloat16, device=setting.device)
    return Case(mask="none", B=1, H=1, T=16, D=16, dtype=torch.float32, device=setting.device)


def _pairs(setting: Setting, needs_grad: bool) -> dict[str, Pair]:
    """Each kind of call beside the bare call that it stands for."""
    case = _case(setting)
    q, k, v = (y.detach().requires_grad_(needs_grad) for y in draw(case, seed=0)[:3])
    lengths = torch.tensor([case.T // 2] * case.B, device=setting.device)
    causal = Attention(mask=Causal())
    both = Attention(mask=Causal() & KeyPadding(lengths))
    ones = torch.ones(case.T, case.T, dtype=torch.bool, device=setting.device)
    mask = ones.tril() & (torch.arange(case.T, device=setting.device) < lengths[:, None, None, None])

    def plain() -> object:
        return scaled_dot_product_attention(q, k, v)

    def bare_causal() -> object:
        return scaled_dot_product_attention(q, k, v, is_causal=True)

    def masked() -> object:
        return scaled_dot_product_attention(q, k, v, attn_mask=mask)

    def chosen(value: Attention) -> str:
        return plan(q, k, v, value).chosen

    bar = Bar("≤", 20)
    return {
        "default value": (chosen(Attention()), lambda: attend(q, k, v), plain, bar),
        "Causal(), ready": (chosen(causal), lambda: attend(q, k, v, causal), bare_causal, bar),
        "Causal(), fresh": (chosen(causal), lambda: attend(q, k, v, Attention(mask=Causal())), bare_causal, bar),
        "Causal() & KeyPadding(lengths), ready": (chosen(both), lambda: attend(q, k, v, both), masked, None),
        "Causal() & KeyPadding(lengths), fresh": (
            chosen(both),
            lambda: attend(q, k, v, Attention(mask=Causal() & KeyPadding(lengths))),
            masked,
            None,
        ),
    }
