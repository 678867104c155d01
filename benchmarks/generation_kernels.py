"""The kernels of one token, `regard.algorithms.kernels.tokens.rows`, beside the memory and torch's own products.

Each is compared with plain operations in float32 before it is timed. Calls are replayed from a CUDA graph that goes
through so many copies of the matrices that none is found in the cache, as in a model.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.contest import COLD, TOLERANCES, distance
from benchmarks.kernels import BANDWIDTH
from benchmarks.record import Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Run, Timing, explain, interleave, over
from regard.algorithms.kernels.tokens import rows
from regard.algorithms.planning.kept import forget


class Product(NamedTuple):
    """Rows of C numbers times matrices of some heights, as a model of this name asks for."""

    name: str
    C: int
    heights: tuple[int, ...]
    norm: str = ""  # "rms" or "layer"
    activation: str | None = None
    gated: bool = False
    add: bool = False
    bias: bool = False

    @property
    def numbers(self) -> int:
        return self.C * sum(self.heights)


LLAMA = (
    Product("llama 1.3B, queries, keys and values", 2048, (2048, 2048, 2048), "rms"),
    Product("llama 1.3B, out", 2048, (2048,), add=True),
    Product("llama 1.3B, gate and inner", 2048, (5504, 5504), "rms", "silu", gated=True),
    Product("llama 1.3B, last of the feed-forward", 5504, (2048,), add=True),
    Product("llama 1.3B, scores", 2048, (32000,), "rms"),
)
GPT2 = (
    Product("gpt2, queries, keys and values", 768, (768, 768, 768), "layer", bias=True),
    Product("gpt2, out", 768, (768,), add=True, bias=True),
    Product("gpt2, inner", 768, (3072,), "layer", "gelu_approximate", bias=True),
    Product("gpt2, last of the feed-forward", 3072, (768,), add=True, bias=True),
    Product("gpt2, scores", 768, (50257,), "layer"),
)
TINY = (
    Product("tiny, queries and keys", 64, (4, 2), "rms"),
    Product("tiny, gate and inner", 48, (3, 3), "layer", "silu", gated=True, bias=True),
    Product("tiny, out", 48, (3,), add=True),
)


def draw(product: Product, count: int, device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """The arguments of `rows.project`."""
    options: dict[str, Any] = {"device": device, "dtype": dtype}
    norm = None
    if product.norm:
        shift = torch.randn(product.C, **options) if product.norm == "layer" else None
        norm = rows.Norm(torch.randn(product.C, **options), shift, 1e-5, product.norm == "rms")
    return {
        "x": torch.randn(count, product.C, **options),
        "matrices": tuple([torch.randn(height, product.C, **options) / product.C**0.5 for height in product.heights]),
        "biases": tuple([torch.randn(height, **options) if product.bias else None for height in product.heights]),
        "norm": norm,
        "activation": product.activation,
        "gated": product.gated,
        "add": torch.randn(count, product.heights[0], **options) if product.add else None,
    }


def widened(given: Any) -> Any:
    """The same arguments in float32."""
    if isinstance(given, Tensor):
        return given.float()
    if isinstance(given, dict):
        return {name: widened(x) for name, x in given.items()}
    if isinstance(given, rows.Norm):
        return rows.Norm(*[widened(x) for x in given])
    return tuple([widened(x) for x in given]) if isinstance(given, tuple) else given


def verdict(got: tuple[Tensor, ...], own: tuple[Tensor, ...], exact: tuple[Tensor, ...]) -> str | None:
    """None when the kernel is as good as plain operations in its type; else what is wrong."""
    for one, plain, wanted in zip(got, own, exact, strict=True):
        off, limit = distance(one, wanted), TOLERANCES[one.dtype]
        if not off <= min(limit, 2 * distance(plain, wanted) + 1e-5):
            return f"wrong: off by {off:.1e}, plain operations by {distance(plain, wanted):.1e}"
    return None


def replayed(calls: list[Run], device: torch.device) -> Run:
    """All calls one after the other, on a GPU as one graph."""

    def run() -> None:
        for call in calls:
            call()

    if device.type != "cuda":
        return run
    aside = torch.cuda.Stream(device)
    with torch.cuda.stream(aside):
        run()
        run()
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=aside):
        run()
    return graph.replay


def per_call(found: Timing | str, calls: int) -> Timing | str:
    return Timing(tuple([seconds / calls for seconds in found.samples])) if isinstance(found, Timing) else found


def race_of(product: Product, count: int, setting: Setting) -> Row:
    """A product of so many rows: the share of the bandwidth."""
    dtype = setting.dtype
    given = draw(product, count, setting.device, dtype)
    case, bytes_ = f"{product.name}, {count} rows", product.numbers * dtype.itemsize
    progress(case)
    row = Row("kernels", case, "one call", {}, against="the memory", unit=" %")
    wrong = verdict(rows.project(**given), rows.define(**given), rows.define(**widened(given)))
    if wrong is not None:
        row.cells = {"regard": wrong}
        return row
    copies = [draw(product, count, setting.device, dtype) for _ in range(setting.pick(full=num_copies(bytes_), tiny=2))]
    whole = [torch.cat(one["matrices"]) for one in copies]
    ways: dict[str, list[Run]] = {
        "regard": [lambda one=one: rows.project(**one) for one in copies],
        "plain operations": [lambda one=one: rows.define(**one) for one in copies],
        "linear alone": [lambda w=w, x=one["x"]: functional.linear(x, w) for w, one in zip(whole, copies, strict=True)],
    }
    runs = {name: [replayed(calls, setting.device)] for name, calls in ways.items()}
    found = interleave(runs, setting.device, setting.effort)
    row.cells = {name: per_call(times, len(copies)) for name, times in found.items()}
    row.cells["limit"] = f"{bytes_ / BANDWIDTH * 1e6:.2f} µs"
    seconds = row.cells["regard"]
    row.ratio = 100 * bytes_ / BANDWIDTH / seconds.median if isinstance(seconds, Timing) else None
    row.details = {"tile": rows.tile_of(count, sum(product.heights), product.C, dtype.itemsize, product.gated)}
    return row


def num_copies(bytes_: int) -> int:
    """Of a matrix, that together do not stay in the cache."""
    return max(2, -(-int(COLD) // bytes_))


def entering(B: int, setting: Setting) -> Row:
    """Queries, keys and values of 16 heads of width 128 on their way into caches of 24 layers."""
    device, dtype = setting.device, setting.dtype
    H, D, R = setting.pick(full=(16, 128, 1024), tiny=(2, 8, 16))
    slots = torch.randint(R, (B,), device=device)
    angles = torch.rand(B, 1, 1, D // 2, device=device)
    waves = angles.cos().to(dtype), angles.sin().to(dtype)

    def drawn() -> tuple[Any, ...]:
        parts = torch.randn(B, 3 * H * D, device=device, dtype=dtype).split(H * D, 1)
        heads = [x.view(B, H, 1, D) for x in parts]
        return *heads, *waves, slots, *[torch.zeros(B, H, R, D, device=device, dtype=dtype) for _ in range(2)]

    given = drawn()
    exact: Any = [x.float() if x.is_floating_point() else x for x in given]
    copies: Any = [(*given[:-2], given[-2].clone(), given[-1].clone()) for _ in range(2)]
    results = [(by(*one), *one[-2:]) for by, one in zip((rows.enter, rows.define_enter), copies, strict=True)]
    row = Row("kernels", f"tokens into a cache, {B} rows", "one call", {}, against="plain operations")
    wrong = verdict(results[0], results[1], (rows.define_enter(*exact), *exact[-2:]))
    if wrong is not None:
        row.cells = {"regard": wrong}
        return row
    many = [drawn() for _ in range(setting.pick(full=24, tiny=2))]
    ways: dict[str, list[Run]] = {
        name: [lambda one=one, by=by: by(*one) for one in many]
        for name, by in (("regard", rows.enter), ("plain operations", rows.define_enter))
    }
    runs = {name: [replayed(calls, device)] for name, calls in ways.items()}
    found = interleave(runs, device, setting.effort)
    row.cells = {name: per_call(times, len(many)) for name, times in found.items()}
    row.ratio = over(row.cells["plain operations"], row.cells["regard"])
    return row


@torch.no_grad()
def kernels(setting: Setting) -> list[Row]:
    """Products of both models for one row, and some of them for more; tokens into a cache."""
    if not setting.on_cuda:
        return [*[race_of(product, count, setting) for product in TINY for count in (1, 3)], entering(2, setting)]
    found = [race_of(product, 1, setting) for product in (*LLAMA, *GPT2)]
    found += [race_of(product, count, setting) for product in LLAMA[:4] for count in (2, 4, 8, 16)]
    return [*found, *[entering(B, setting) for B in (1, 16)]]


@contextmanager
def cut(tile: rows.Tile) -> Iterator[None]:
    """All products cut in this way."""
    before: Callable[..., rows.Tile] = rows.tile_of
    rows.tile_of = lambda *_: tile
    forget()
    try:
        yield
    finally:
        rows.tile_of = before
        forget()


def tiles(count: int, setting: Setting) -> list[rows.Tile]:
    """Those that are tried."""
    if setting.scale == "tiny":
        return [rows.Tile(2, 32, 4, 1), rows.Tile(4, 32, 4, 1)]
    if count <= rows.FEW:
        sizes = itertools.product((1, 2, 4, 8), (512, 1024, 2048, 4096), (2, 4, 8))
        return [rows.Tile(*one, 1) for one in sizes if 4096 <= one[0] * one[1] * 2 <= 32768]
    return [rows.Tile(*one) for one in itertools.product((8, 16, 32), (128, 256), (2, 4), (4, 6))]


@torch.no_grad()
def sweep(setting: Setting, counts: tuple[int, ...] = (1,)) -> list[Row]:
    """Each product cut in each way: the quickest, beside the one of the table."""
    products = (*LLAMA, *GPT2) if setting.on_cuda else TINY[:1]
    return [sweep_of(product, count, setting) for product, count in itertools.product(products, counts)]


def sweep_of(product: Product, count: int, setting: Setting) -> Row:
    progress("sweep", product.name, count)
    dtype = setting.dtype
    bytes_ = product.numbers * dtype.itemsize
    copies = [draw(product, count, setting.device, dtype) for _ in range(setting.pick(full=num_copies(bytes_), tiny=2))]
    first = rows.tile_of(count, sum(product.heights), product.C, dtype.itemsize, product.gated)
    times: dict[rows.Tile, float] = {}

    def try_out(tile: rows.Tile) -> None:
        calls: list[Run] = [lambda one=one: rows.project(**one) for one in copies]
        try:
            with cut(tile):
                runs: dict[str, list[Run]] = {"regard": [replayed(calls, setting.device)]}
                found = per_call(interleave(runs, setting.device, setting.glance)["regard"], len(copies))
        except Exception as error:  # too large for the GPU, which is a result
            found = explain(error)
        if isinstance(found, Timing):
            times[tile] = found.median

    for tile in dict.fromkeys([first, *tiles(count, setting)]):
        try_out(tile)
    for tile in sorted(times, key=lambda tile: times[tile])[:3]:
        try_out(tile._replace(early=True))
    order = sorted(times, key=lambda tile: times[tile])
    cells: dict[str, Any] = {
        "best": _shown(order[0]),
        "best µs": times[order[0]] * 1e6,
        "second": _shown(order[1]),
        "table": _shown(first),
        "table µs": times[first] * 1e6 if first in times else "",
        "limit µs": bytes_ / BANDWIDTH * 1e6,
    }
    progress(product.name, count, cells)
    share = 100 * bytes_ / BANDWIDTH / times[order[0]]
    every = {_shown(tile): times[tile] for tile in order}
    return Row("sweep", f"{product.name}, {count} rows", "best", cells, share, "the memory", None, every, " %")


def _shown(tile: rows.Tile) -> str:
    return f"{tile.outputs}×{tile.columns} {tile.warps}w {tile.stages}s{' early' if tile.early else ''}"
