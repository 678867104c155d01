"""Two checkouts side by side, in one run: `python -m benchmarks.releases --before FOLDER --out r.json`.

Each checkout computes the same calls in a process of its own, turn by turn, so that both meet the machine in the same
state. A row is the shortest of the medians of its turns; a ratio above 1 means that this checkout is slower.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Call:
    """Sizes, and a value made of what `regard.attention` offers; with `position` there are neither q nor k."""

    sizes: tuple[int, int, int, int, int]  # B, H, G, N, D
    value: Callable[[Any, torch.device], Any]
    position: bool = False


def _gaussians(a: Any, device: torch.device, heads: int, grid: int, content: bool) -> Any:
    centre, precision = torch.randn(heads, 2, device=device), torch.full((heads,), 0.5, device=device)
    term = a.Quadratic(centre.requires_grad_(), precision)
    square = a.Grid(grid, grid)
    return a.Attention(a.Content() + term if content else term, queries=square, keys=square)


def _table(a: Any, device: torch.device, heads: int, grid: int) -> Any:
    table = torch.randn(heads, 2 * grid - 1, 2 * grid - 1, device=device).requires_grad_()
    square = a.Grid(grid, grid)
    return a.Attention(a.RelativeTable(table, bound=4), queries=square, keys=square)


def _lengths(n: int, rows: int) -> list[int]:
    return [n - (n * row) // (rows + 1) for row in range(rows)]


def calls(on_cuda: bool) -> dict[str, Call]:
    """Every kind of row that the results have, at sizes of this machine."""
    N, B, H = (8192, 4, 16) if on_cuda else (1024, 2, 8)
    g = 64 if on_cuda else 32
    D = 64
    return {
        "plain": Call((B, H, H, N, D), lambda a, d: a.Attention()),
        "plain, 197 tokens": Call((32 if on_cuda else 4, 12, 12, 197, D), lambda a, d: a.Attention()),
        "plain, 16 tokens": Call((1, 2, 2, 16, 16), lambda a, d: a.Attention()),
        "causal": Call((B, H, H, N, D), lambda a, d: a.Attention(mask=a.Causal())),
        "grouped causal": Call((B, H, H // 4, N, 128), lambda a, d: a.Attention(mask=a.Causal())),
        "causal window 256": Call((1, H, H, 2 * N, D), lambda a, d: a.Attention(mask=a.Causal() & a.Window(256))),
        "padding": Call((8, H, H, N // 2, D), lambda a, d: a.Attention(mask=a.Padding(_lengths(N // 2, 8)))),
        "key padding": Call(
            (16, 12, 12, 512 if on_cuda else 128, D),
            lambda a, d: a.Attention(mask=a.KeyPadding(torch.tensor(_lengths(512 if on_cuda else 128, 16), device=d))),
        ),
        "causal key padding": Call(
            (8, 12, 12, N // 4, D),
            lambda a, d: a.Attention(mask=a.Causal() & a.KeyPadding(torch.tensor(_lengths(N // 4, 8), device=d))),
        ),
        "slopes": Call(
            (B, H, H, N // 2, D), lambda a, d: a.Attention(a.Content() + a.Slopes.geometric(H, d), a.Causal())
        ),
        "window or strided": Call((1, 8, 8, N, D), lambda a, d: a.Attention(mask=a.Window(64, 64) | a.Strided(64))),
        "blocks": Call((B, H, H, N, D), lambda a, d: a.Attention(mask=a.Blocks(128))),
        "tiles": Call((8, 8, 8, g * g, D), lambda a, d: a.Attention(mask=a.Tiles(8, 8), keys=a.Grid(g, g))),
        "axial": Call((2, 8, 8, g * g, D), lambda a, d: a.Attention(mask=a.Axial(), keys=a.Grid(g, g))),
        "gaussians alone": Call((16, 9, 1, g * g, D), lambda a, d: _gaussians(a, d, 9, g, False), position=True),
        "gaussians alone, 16 × 16": Call(
            (16, 9, 1, 256, D), lambda a, d: _gaussians(a, d, 9, 16, False), position=True
        ),
        "content and gaussians": Call((2, 8, 8, g * g, D), lambda a, d: _gaussians(a, d, 8, g, True)),
        "table alone": Call((16, 8, 8, g * g, D), lambda a, d: _table(a, d, 8, g), position=True),
        "linear": Call((B, H, H, N, D), lambda a, d: a.Attention(weighting=a.Kernel(a.Elu()))),
        "causal linear": Call((B, H, H, N, D), lambda a, d: a.Attention(mask=a.Causal(), weighting=a.Kernel(a.Elu()))),
    }


def work(device: torch.device) -> None:
    """Answer questions from standard input, a line each: the median time of a call, in seconds."""
    import regard
    from regard import attention

    known = calls(device.type == "cuda")
    made: dict[str, Callable[[], None]] = {}
    for line in sys.stdin:
        name, backward, seconds = json.loads(line)
        key = f"{name} {backward}"
        if key not in made:
            made[key] = _step(regard, attention, known[name], backward, device)
            made[key]()
        print(json.dumps(_median(made[key], seconds, device)), flush=True)


def _step(regard: Any, attention: Any, call: Call, backward: bool, device: torch.device) -> Callable[[], None]:
    B, H, G, N, D = call.sizes
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    torch.manual_seed(0)
    q, k, v = (torch.randn(B, n, N, D, device=device, dtype=dtype, requires_grad=backward) for n in (H, G, G))
    value = call.value(attention, device)
    q, k = (None, None) if call.position else (q, k)
    grad = torch.randn(B, H, N, D, device=device, dtype=dtype)

    def step() -> None:
        with torch.set_grad_enabled(backward):
            out = regard.attend(q, k, v, value)
            if backward:
                out.backward(grad)

    return step


def _median(step: Callable[[], None], seconds: float, device: torch.device) -> float:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


class Checkout:
    """A process that computes with the library of one folder."""

    def __init__(self, folder: Path, device: str, threads: int) -> None:
        command = [
            sys.executable,
            str(Path(__file__).resolve()),
            "--work",
            "--device",
            device,
            "--threads",
            str(threads),
        ]
        environment = os.environ | {"PYTHONPATH": str(folder.resolve())}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
        )

    def ask(self, name: str, backward: bool, seconds: float) -> float | None:
        """The median time, or None where the process has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps([name, backward, seconds]) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            return None


def compare(options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each call, forward and with its backward pass."""
    folders = {"before": options.before, "now": ROOT}
    sides = {name: Checkout(folder, options.device, options.threads) for name, folder in folders.items()}
    rows = []
    for name in calls(options.device == "cuda"):
        for backward in (False, True):
            times: dict[str, list[float]] = {side: [] for side in sides}
            for turn in range(options.turns):
                for side in sorted(sides, reverse=bool(turn % 2)):
                    found = sides[side].ask(name, backward, options.seconds)
                    if found is None:
                        sides[side] = Checkout(folders[side], options.device, options.threads)
                    else:
                        times[side].append(found)
            best = {side: min(found) if found else None for side, found in times.items()}
            ratio = best["now"] / best["before"] if best["now"] and best["before"] else None
            rows.append({"call": name, "backward": backward, "ratio": ratio, "seconds": best, "turns": times})
            shown = [f"{1e3 * best[side]:9.3f} ms" if best[side] else "     failed" for side in sides]  # pyright: ignore[reportOperatorIssue]
            print(
                f"{name:28} {'both' if backward else 'forward':8}", *shown, f"{ratio or float('nan'):6.3f}", flush=True
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description=__doc__)
    parser.add_argument("--before", type=Path, help="the folder of the other checkout")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=["cpu", "cuda"])
    parser.add_argument("--out", type=Path, help="JSON with every number")
    parser.add_argument("--commits", nargs=2, default=["", ""], metavar=("BEFORE", "NOW"))
    parser.add_argument("--threads", type=int, default=2, help="of the CPU")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one turn")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.work:
        work(torch.device(options.device))
        return
    if options.before is None:
        parser.error("--before: name the folder of the other checkout")
    rows = compare(options)
    cuda = options.device == "cuda"
    report = {
        "device": torch.cuda.get_device_name() if cuda else f"{os.cpu_count()} CPU cores, {options.threads} threads",
        "torch": torch.__version__,
        "commits": dict(zip(("before", "now"), options.commits, strict=True)),
        "rows": rows,
    }
    if options.out is not None:
        options.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
