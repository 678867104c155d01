"""The ceilings of this machine, measured: what regard/algorithms/planning/machines.py is written from."""

import torch

from benchmarks.record import Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing, interleave
from regard.analysis.calibration.timing import host_seconds


def ceilings(setting: Setting) -> list[Row]:
    """Matrix products by type, copy bandwidth (bytes read and written), and the price of one launch."""
    progress("ceilings")
    rows = [_matmul(setting, dtype) for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.float64)]
    return [*rows, _copy(setting), _launch(setting)]


def _matmul(setting: Setting, dtype: torch.dtype) -> Row:
    large = 8192 if dtype.itemsize == 2 else 4096
    n = large if setting.on_cuda else setting.pick(full=1536, quick=1024, tiny=128)
    a, b = (torch.randn(n, n, device=setting.device).to(dtype) for _ in range(2))
    result = interleave({"matmul": [lambda: a @ b]}, setting.device, setting.glance)["matmul"]
    name = str(dtype).removeprefix("torch.")
    rate = 2 * n**3 / result.median if isinstance(result, Timing) else None
    return Row("ceilings", f"matrix product {n}³", name, {"time": result, "FLOP/s": rate})


def _copy(setting: Setting) -> Row:
    size = setting.pick(full=2**30 if setting.on_cuda else 2**28, tiny=2**20)
    source = torch.randn(size // 4, device=setting.device)
    target = torch.empty_like(source)
    result = interleave({"copy": [lambda: target.copy_(source)]}, setting.device, setting.glance)["copy"]
    rate = 2 * size / result.median if isinstance(result, Timing) else None
    return Row("ceilings", f"copy of {size / 1e6:.0f} MB", "read + written", {"time": result, "byte/s": rate})


def _launch(setting: Setting) -> Row:
    """A one-element addition: on the host per call, and on the GPU per kernel when the host is ahead."""
    x = torch.zeros(1, device=setting.device)
    host = Timing(tuple(host_seconds(lambda: x.add_(1), setting.device, 200) for _ in range(11)))
    device = interleave({"add": [lambda: x.add_(1)]}, setting.device, setting.glance)["add"]
    return Row("ceilings", "launch", "one element added", {"host": host, "time": device})
