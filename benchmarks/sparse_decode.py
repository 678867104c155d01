"""One more token: with the keys and values kept, and with everything computed again."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.contest import TOLERANCES, distance
from benchmarks.peers import kernels, sdpa_by
from benchmarks.record import Cell, Row, race
from benchmarks.setting import Setting, progress
from benchmarks.timing import Result, Run, explain, interleave
from regard import attend, plan
from regard.analysis.calibration.timing import host_seconds
from regard.attention import Attention, Cache, Causal
from regard.attention.reference import reference

CAUSAL = Attention(mask=Causal())
BY_HAND = "sdpa on kept keys"


@dataclass(frozen=True, kw_only=True)
class Case:
    """B rows of some lengths, each of which gets one more token."""

    lengths: tuple[int, ...]
    H: int
    D: int
    dtype: torch.dtype
    device: torch.device

    @property
    def longest(self) -> int:
        return max(self.lengths)

    @property
    def is_ragged(self) -> bool:
        return len(set(self.lengths)) > 1

    @property
    def label(self) -> str:
        kind = "ragged, " if self.is_ragged else ""
        name = str(self.dtype).removeprefix("torch.")
        return f"{kind}B{len(self.lengths)} H{self.H} N{self.longest} + 1 d{self.D} {name}"


@dataclass(frozen=True)
class Inputs:
    """All tokens up to the new one, (B, H, N + 1, D); a shorter row's new one comes right after its own last."""

    q: Tensor
    k: Tensor
    v: Tensor
    last: Tensor  # (B,), where the new token of each row stands

    def new(self, x: Tensor) -> Tensor:
        """The new token of each row, (B, H, 1, D)."""
        return x[torch.arange(len(x), device=x.device), :, self.last][:, :, None]


Step = Callable[[], Tensor]  # gives (B, H, 1, D), and leaves all as it was
Build = Callable[[Case, Inputs], Step]


def decode(setting: Setting) -> list[Row]:
    """Two problems per length, equal and ragged; no gradients, as nobody decodes with them."""
    rows, watch = [], setting.watch("sparse decode")
    sizes = setting.pick(full=[1024, 4096, 16384], tiny=[64])
    if not setting.on_cuda:
        sizes = setting.pick(full=sizes, quick=[1024, 4096], tiny=[64])
    for N in sizes:
        for lengths in ((N,) * 4, (N, 3 * N // 4, N // 2, N // 4)):
            case = Case(lengths=lengths, H=8, D=64, dtype=setting.dtype, device=setting.device)
            if watch.past():
                rows.append(Row("decode", case.label, "inference", {}, against="out of time"))
                continue
            progress("decode", case.label)
            rows += rows_of(case, builds(setting.device), setting)
    return rows


def builds(device: torch.device) -> dict[str, Build]:
    again = kernels(device, cuda="cuDNN flash", cpu="flash")
    peers: dict[str, Build] = {f"again, sdpa {name}": all_again(backend) for name, backend in again.items()}
    return {"regard": cached, BY_HAND: kept} | peers


def draw(case: Case, seed: int) -> Inputs:
    generator = torch.Generator(case.device).manual_seed(seed)
    shape = (len(case.lengths), case.H, case.longest + 1, case.D)
    q, k, v = (torch.randn(shape, generator=generator, device=case.device).to(case.dtype) for _ in range(3))
    return Inputs(q, k, v, torch.tensor(case.lengths, device=case.device))


def cached(case: Case, x: Inputs) -> Step:
    """The library's cache; what a step appends is taken back, so that all steps are alike."""
    cache = filled(case, x)
    q, k, v = (x.new(y) for y in (x.q, x.k, x.v))

    def step() -> Tensor:
        out = attend(q, *cache.append(k, v, CAUSAL))
        cache.rollback(1)
        return out

    return step


def filled(case: Case, x: Inputs) -> Cache:
    """A cache that holds all but the new tokens."""
    n = case.longest
    cache = Cache(len(case.lengths), case.H, case.D, capacity=n + 1, dtype=case.dtype, device=case.device)
    cache.append(x.k[:, :, :n], x.v[:, :, :n], CAUSAL, lengths=list(case.lengths))
    return cache


def kept(case: Case, x: Inputs) -> Step:
    """By hand: tensors with room for one more, a new token written to its place, the pads of shorter rows masked."""
    keys, values = x.k.clone(), x.v.clone()
    q, k, v = (x.new(y) for y in (x.q, x.k, x.v))
    rows, tokens = torch.arange(len(x.q), device=case.device), torch.arange(case.longest + 1, device=case.device)
    mask = (tokens <= x.last[:, None])[:, None, None] if case.is_ragged else None

    def step() -> Tensor:
        keys[rows, :, x.last], values[rows, :, x.last] = k[:, :, 0], v[:, :, 0]
        return scaled_dot_product_attention(q, keys, values, attn_mask=mask)

    return step


def all_again(backend: SDPBackend) -> Build:
    """Every query anew, of which the last is wanted; pads stand after it, where causality hides them."""

    def build(case: Case, x: Inputs) -> Step:
        every = sdpa_by(backend, x.q, x.k, x.v, is_causal=True)
        return lambda: x.new(every())

    return build


def verdict(build: Build, case: Case) -> str | None:
    """None when the new token's output equals the float64 definition; one query is cheap at any length."""
    x = draw(case, seed=1)
    try:
        with torch.no_grad():
            step = build(case, x)
            step()
            got = step()  # the second of two: a step must leave all as it was
    except Exception as error:  # a peer's failure is a result, not the end of the run
        return explain(error)
    wanted = []
    for row, length in enumerate(case.lengths):
        q, k, v = (y[row : row + 1, :, : length + 1].double() for y in (x.q, x.k, x.v))
        wanted.append(reference(q[:, :, -1:], k, v, CAUSAL)[0])
    off = distance(got, torch.cat(wanted))
    return None if off <= TOLERANCES[case.dtype] else f"wrong: output off by {off:.1e}"


def rows_of(case: Case, contenders: dict[str, Build], setting: Setting) -> list[Row]:
    """Regard against those that compute everything again, and against the same idea by hand."""
    found = {name: verdict(build, case) for name, build in contenders.items()}
    x = draw(case, seed=0)
    steps = {name: contenders[name](case, x) for name, text in found.items() if text is None}
    runs: dict[str, list[Run]] = {name: [torch.no_grad()(step)] for name, step in steps.items()}
    times = interleave(runs, case.device, setting.glance)
    results: dict[str, Result] = {name: times[name] if text is None else text for name, text in found.items()}
    again = [name for name in contenders if name.startswith("again")]
    first, second = (race("decode", case.label, "inference", results, peers, None) for peers in (again, [BY_HAND]))
    first.cells |= costs(case, x)
    if setting.on_cuda and "regard" in runs:
        first.cells["regard host µs"] = 1e6 * host_seconds(runs["regard"][0], case.device, calls=5)
    second.cells = {name: second.cells[name] for name in ("regard", BY_HAND)}
    return [first, second]


def costs(case: Case, x: Inputs) -> dict[str, Cell]:
    """What both are planned to take: the algorithm of the step, FLOPs with the cache and without."""
    q, k, v = (x.new(y) for y in (x.q, x.k, x.v))
    with torch.no_grad():
        plans = [plan(q, *filled(case, x).append(k, v, CAUSAL)), plan(x.q, x.k, x.v, CAUSAL)]
    flops: list[float | None] = []
    for made in plans:
        (cost,) = [candidate.cost for candidate in made.candidates if candidate.name == made.chosen]
        flops.append(None if cost is None else float(cost.flops))
    step, again = flops
    saved = again / step if step and again else None
    return {"chosen": plans[0].chosen, "FLOPs of the step": step, "FLOPs again": again, "again / step": saved}
