"""What `attend` costs the host beyond a bare call of sdpa, on a problem so small that nothing else counts."""

import statistics
from collections.abc import Callable

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.cases import Case, draw
from benchmarks.record import Bar, Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing, host_seconds
from regard import Attention, attend, plan
from regard.attention import Causal, KeyPadding

Pair = tuple[Attention, Callable[[], object], Callable[[], object], Bar | None]


def overhead(setting: Setting) -> list[Row]:
    """Microseconds per call: on the GPU without waiting for the device, on the CPU wall time."""
    rounds = setting.pick(full=41, quick=21, tiny=3)
    calls = 50  # few enough that a GPU's queue never fills
    rows = []
    for needs_grad in (False, True):
        for name, (value, ours, bare, bar) in _pairs(setting, needs_grad).items():
            progress("overhead", name)
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(3):  # warm-up
                host_seconds(ours, setting.device, 5)
                host_seconds(bare, setting.device, 5)
            for _ in range(rounds):
                times[0].append(host_seconds(ours, setting.device, calls))
                times[1].append(host_seconds(bare, setting.device, calls))
            ours_time, bare_time = (Timing(tuple(samples)) for samples in times)
            x = draw(_case(setting), seed=0)
            q, k, v = (y.detach().requires_grad_(needs_grad) for y in x[:3])
            cells = {"regard": ours_time, "bare sdpa": bare_time, "algorithm": plan(q, k, v, value).chosen}
            extra = 1e6 * statistics.median(a - b for a, b in zip(*times, strict=True))
            measure = "with graph" if needs_grad else "inference"
            rows.append(Row("overhead", name, measure, cells, extra, "bare sdpa", bar, unit=" µs"))
    return rows


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

    bar = Bar("≤", 20)
    return {
        "default value": (Attention(), lambda: attend(q, k, v), plain, bar),
        "Causal(), ready": (causal, lambda: attend(q, k, v, causal), bare_causal, bar),
        "Causal(), fresh": (causal, lambda: attend(q, k, v, Attention(mask=Causal())), bare_causal, bar),
        "Causal() & KeyPadding(lengths), ready": (both, lambda: attend(q, k, v, both), masked, None),
        "Causal() & KeyPadding(lengths), fresh": (
            both,
            lambda: attend(q, k, v, Attention(mask=Causal() & KeyPadding(lengths))),
            masked,
            None,
        ),
    }
