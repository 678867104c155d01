"""Padded batches on the GPU: pads left out, against sdpa with a mask and against input that is packed already."""

import torch

from benchmarks.cases import PADDING, Case, draw, random_lengths
from benchmarks.contest import contest
from benchmarks.dense import useful_rate
from benchmarks.peers import Build, flex, nested, regard, sdpa_contenders, varlen
from benchmarks.record import Bar, Row, race
from benchmarks.setting import Setting, progress
from benchmarks.timing import explain
from regard import attend


def padding_on_gpu(setting: Setting) -> list[Row]:
    """8 sequences of 512…4096, H16 d64, lengths on the device, in both memory layouts."""
    rows = []
    longest = setting.pick(full=4096, tiny=512)
    lengths = random_lengths(8, longest // 8, longest)
    sdpa = sdpa_contenders(setting.device) | sdpa_contenders(setting.device, whole_mask=True)
    builds: dict[str, Build] = {"regard": regard(), **sdpa, "varlen, packed": varlen, "nested": nested}
    if setting.scale == "full":
        builds |= {"flex, ready mask": flex(ready=True), "flex, mask in call": flex(ready=False)}
    bars = {
        "sdpa with mask": (list(sdpa), Bar("≥", 3.0)),
        "varlen": (["varlen, packed"], Bar("≥", 0.9)),
        "nested": (["nested"], None),
        "flex": ([name for name in builds if name.startswith("flex")], None),
    }
    for projected in (False, True):
        case = Case(
            mask=PADDING,
            B=8,
            H=16,
            T=longest,
            D=64,
            dtype=torch.bfloat16,
            device=setting.device,
            lengths=lengths,
            projected=projected,
        )
        progress("padding", case.label)
        for measure, times in contest(case, builds, ("forward", "backward"), setting.effort).items():
            for number, (peers, bar) in enumerate(bars.values()):
                row = race("padding", case.label, measure, times, peers, bar)
                if number > 0:
                    row.cells = {}  # the times stand in the first of these rows
                else:
                    row.details = {
                        f"{name} useful TFLOP/s": useful_rate(case, measure, result) for name, result in times.items()
                    }
                    row.cells["useful TFLOP/s"] = useful_rate(case, measure, times["regard"])
                if peers:
                    rows.append(row)
        rows.append(Row("padding", case.label, "host waits", {"regard": _host_waits(case)}))
    return rows


def _host_waits(case: Case) -> str:
    """Does a forward and backward pass make the host wait for the device? It reads no length, so it must not."""
    x = draw(case, seed=0)
    try:
        torch.autograd.grad(attend(x.q, x.k, x.v, case.attention), x[:3], x.grad)
        torch.cuda.set_sync_debug_mode("error")
        torch.autograd.grad(attend(x.q, x.k, x.v, case.attention), x[:3], x.grad)
    except Exception as error:
        return explain(error)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return "never"
