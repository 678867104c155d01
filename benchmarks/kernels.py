"""The GPU's kernels beside the best peer and the machine's limit: `python -m benchmarks.kernels --device cuda`.

A row's `limit` is the larger of FLOPs over 771 TFLOP/s and bytes over 4.27 TB/s. flash-linear-attention is a peer where
it can be imported.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, elu

from benchmarks.contest import keep_graphs
from benchmarks.record import Bar, Row, race
from benchmarks.session import Sections, run
from benchmarks.setting import Setting, progress
from benchmarks.timing import Run, Timing, interleave
from regard import Attention, attend
from regard.attention import (
    Causal,
    Content,
    Documents,
    Elu,
    Grid,
    Identity,
    Kernel,
    KeyPadding,
    Mask,
    Padding,
    Prefix,
    Quadratic,
    Slopes,
    Window,
)
from regard.layers import Gaussian, PositionHeads
from regard.models import GridConfig, GridModel
from regard.training import Descent

RATE, BANDWIDTH = 771e12, 4.27e12
Attending = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Problem:
    """Sizes, the value, how many pairs are visible in one head and row, and what its peers compute."""

    name: str
    sizes: tuple[int, int, int, int]  # B, H, N, D
    attention: Attention
    pairs: float
    peers: dict[str, Attending]
    bar: tuple[Bar | None, Bar | None] = (None, None)  # forward, forward and backward
    heads_inside: bool = False  # (B, N, H, D) in memory, as a projection leaves them

    def limit(self, both: bool) -> float:
        """Seconds: two products forward and five back; q, k, v and o once forward, and twice more with gradients."""
        B, H, N, D = self.sizes
        flops = B * H * self.pairs * D * (14 if both else 4)
        return max(flops / RATE, B * H * N * D * 2 * (11 if both else 4) / BANDWIDTH)


def flex(N: int, sees: Any, score: Any = None) -> Attending:
    """FlexAttention with a block mask that is ready."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    blocks = create_block_mask(sees, None, None, N, N, device="cuda")
    torch._dynamo.config.recompile_limit = 64  # one graph for each problem
    compiled: Any = torch.compile(flex_attention, fullgraph=True, dynamic=False)
    return functools.partial(compiled, score_mod=score, block_mask=blocks)


def by(algorithm: str, attention: Attention | None = None) -> Attending:
    return lambda q, k, v: attend(q, k, v, attention or Attention(), algorithm=algorithm)


def race_of(problem: Problem, setting: Setting) -> list[Row]:
    """Forward without gradients, and forward and backward of q, k and v."""
    progress(problem.name)
    torch._dynamo.reset()  # a graph that another problem left counts against this one's
    B, H, N, D = problem.sizes
    drawn = [torch.randn(B, H, N, D, device=setting.device, dtype=torch.bfloat16) for _ in range(4)]
    if problem.heads_inside:
        drawn = [x.view(B, N, H, D).transpose(1, 2) for x in drawn]
    q, k, v, grad = drawn
    learnt = [x.detach().requires_grad_() for x in (q, k, v)]
    terms = [x for x in problem.attention.flatten()[1] if x.requires_grad]
    ways = {"regard": lambda q, k, v: attend(q, k, v, problem.attention), **problem.peers}

    def both(way: Attending, leaves: list[Tensor]) -> None:
        torch.autograd.grad(way(*learnt), leaves, grad)

    rows = []
    for measure, bar in zip(("forward", "both"), problem.bar, strict=True):
        runs: dict[str, list[Run]] = {}
        for name, way in ways.items():
            run_both = functools.partial(both, way, [*learnt, *terms] if name == "regard" else learnt)
            runs[name] = [run_both if measure == "both" else functools.partial(torch.no_grad()(way), q, k, v)]
        row = race(
            "kernels", problem.name, measure, interleave(runs, setting.device, setting.effort), [*problem.peers], bar
        )
        row.cells["limit"] = f"{problem.limit(measure == 'both') * 1e3:.3f} ms"
        rows.append(row)
    return rows


def own_documents(N: int) -> tuple[Mask, Any]:
    """A mask of one's own, of which nothing is known: the documents of `benchmarks.sparse`, causal."""
    from benchmarks.sparse_cases import OWN

    return OWN.mask, lambda b, h, i, j: OWN.sees(i, j, N)


def problems(setting: Setting) -> list[Problem]:
    """Masks, slopes and prefixes, beside FlexAttention."""
    device, N = setting.device, setting.pick(full=16384, tiny=2048)
    triangle = N * (N + 1) / 2
    lengths = (64, 128, 500, 1000, 2000, 3000, 4692, 5000)
    mask, sees = own_documents(N)
    numbers = torch.repeat_interleave(torch.arange(8, device=device), torch.tensor(lengths, device=device))
    found = [
        Problem(
            f"causal window {width}",
            (1, 16, N, 64),
            Attention(mask=Causal() & Window(width - 1)),
            N * width - width * (width - 1) / 2,
            {"flex": flex(N, lambda b, h, i, j, width=width: (i >= j) & (i - j < width))},
            (Bar("≥", bar), Bar("≥", bar)),
        )
        for width, bar in ((256, 1.5), (1024, 1.1))
    ]
    found += [
        Problem(
            "eight documents, causal",
            (1, 16, N, 64),
            Attention(mask=Causal() & Documents(lengths)),
            sum(n * (n + 1) / 2 for n in lengths),
            {"flex": flex(N, lambda b, h, i, j: (i >= j) & (numbers[i] == numbers[j]))},
            (Bar("≥", 0.95), Bar("≥", 0.95)),
        ),
        Problem(
            "a mask of one's own",
            (1, 16, N, 64),
            Attention(mask=mask),
            sum(n * (n + 1) / 2 for n in [1000] * (N // 1000) + [N % 1000]),
            {"flex": flex(N, sees)},
            (Bar("≥", 0.95), Bar("≥", 0.95)),
        ),
    ]
    N = N // 2
    triangle = N * (N + 1) / 2
    slopes = Slopes.geometric(16, device=device)
    found += [
        Problem(
            "slopes, causal",
            (4, 16, N, 64),
            Attention(Content() + slopes, mask=Causal()),
            triangle,
            {"flex": flex(N, lambda b, h, i, j: i >= j, lambda s, b, h, i, j: s - slopes.slopes[h] * (i - j))},
            (Bar("≥", 1.2), Bar("≥", 1.2)),
        ),
        Problem(
            "prefix",
            (4, 16, N, 64),
            Attention(mask=Prefix(1000)),
            triangle + 1000 * 999 / 2,
            {"flex": flex(N, lambda b, h, i, j: (i >= j) | (j < 1000))},
            (Bar("≥", 0.95), Bar("≥", 0.95)),
        ),
    ]
    return found


def with_gaussians(setting: Setting) -> list[Problem]:
    """Content and gaussians, whose parameters learn, beside content alone."""
    found, device = [], setting.device
    for side, rows in ((64, 4), (128, 1)):
        centre, precision = torch.randn(8, 2, device=device) * 3, torch.full((8,), 0.05, device=device)
        grid, n = Grid(side, side), side * side
        value = Content() + Quadratic(centre.requires_grad_(), precision.requires_grad_())
        attention = Attention(value, queries=grid, keys=grid)
        bars = (Bar("≥", 1 / 1.4), Bar("≥", 1 / 1.8))
        plain: dict[str, Attending] = {"plain": by("fused")}
        found.append(Problem(f"content and gaussians {side}×{side}", (rows, 8, n, 64), attention, n * n, plain, bars))
    return found


def kernels(setting: Setting) -> list[Row]:
    return [row for problem in [*problems(setting), *with_gaussians(setting)] for row in race_of(problem, setting)]


def padding(setting: Setting) -> list[Row]:
    """Eight sequences of 512…4096 in a padded batch: useful TFLOP/s."""
    lengths = torch.linspace(512, 4096, 8).long()
    useful = 4 * 64 * 16 * float((lengths**2).sum())
    attention = Attention(mask=Padding(lengths.to(setting.device)))
    problem = Problem("padding, 8 of 512…4096", (8, 16, 4096, 64), attention, float((lengths**2).sum()) / 8, {})
    rows = race_of(problem, setting)
    seconds: Any = rows[0].cells["regard"]
    rows[0].ratio, rows[0].bar, rows[0].unit = useful / seconds.median / 1e12, Bar("≥", 330), " TFLOP/s"
    return rows


def decode(setting: Setting) -> list[Row]:
    """One query behind caches of different lengths, 32 heads on 8: the share of the bandwidth on real tokens."""
    rows = []
    for name, B, S, ragged in (
        ("ragged to 32k", 16, 32768, True),
        ("B1 32k", 1, 32768, False),
        ("B32 4k", 32, 4096, False),
    ):
        progress(name)
        lengths = torch.randint(1, S + 1, (B,)) if ragged else torch.full((B,), S)
        q = torch.randn(B, 32, 1, 128, device=setting.device, dtype=torch.bfloat16)
        k, v = (torch.randn(B, 8, S, 128, device=setting.device, dtype=torch.bfloat16) for _ in range(2))
        attention = Attention(mask=KeyPadding(lengths.to(setting.device)))
        runs: dict[str, list[Run]] = {"regard": [lambda q=q, k=k, v=v, a=attention: attend(q, k, v, a)]}
        with torch.no_grad():
            results = interleave(runs, setting.device, setting.effort)
        limit = 2 * 8 * 128 * 2 * float(lengths.sum()) / BANDWIDTH
        row = Row("decode", name, "forward", {**results, "limit": f"{limit * 1e3:.3f} ms"}, bar=Bar("≥", 0.75))
        seconds: Any = results["regard"]
        row.ratio, row.against, row.unit = limit / seconds.median, "bandwidth", " of it"
        rows.append(row)
    return rows


def linear(setting: Setting) -> list[Row]:
    """Causal linear attention without a feature map, beside flash-linear-attention's, each in its layout."""
    return _linear(setting, "plain", Kernel(Identity(), normalise=False), positive=False)


def mapped(setting: Setting) -> list[Row]:
    """The same with `Elu`, normalised."""
    return _linear(setting, "Elu, normalised", Kernel(Elu()), positive=True)


def _linear(setting: Setting, name: str, kernel: Kernel, positive: bool) -> list[Row]:
    try:
        from fla.ops.linear_attn import chunk_linear_attn, fused_chunk_linear_attn  # pyright: ignore
    except ImportError:
        progress("flash-linear-attention is not here")
        ways = {}
    else:
        ways = {"fla chunk": chunk_linear_attn, "fla fused": fused_chunk_linear_attn}

    def peer(of: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if positive:
            q, k = elu(q) + 1, elu(k) + 1
        inputs = (x.transpose(1, 2) for x in (q, k, v))
        return of(*inputs, scale=1.0, normalize=positive)[0].transpose(1, 2)

    rows = []
    for B, N, bars in ((8, 16384, (1.35, 1.3)), (2, 65536, (1.8, 1.3))):
        peers: dict[str, Attending] = {key: functools.partial(peer, of) for key, of in ways.items()}
        attention = Attention(mask=Causal(), weighting=kernel)
        bar = (Bar("≥", bars[0]), Bar("≥", bars[1]))
        rows += race_of(Problem(f"linear, {name}, B{B} N{N}", (B, 16, N, 64), attention, 0, peers, bar, True), setting)
    return rows


def grids(setting: Setting) -> list[Row]:
    """A layer of nine gaussian heads, 400 wide, and the training step of six of them, compiled."""
    rows = []
    for side, batch in ((64, 4), (128, 1)):
        progress(f"gaussian heads {side}×{side}")
        heads = Gaussian(9).to(setting.device)
        layer = PositionHeads(400, heads, project=False, device=setting.device, dtype=torch.bfloat16)
        x = torch.randn(batch, side * side, 400, device=setting.device, dtype=torch.bfloat16, requires_grad=True)
        leaves = [x, *layer.parameters()]

        def both(layer: Any = layer, x: Tensor = x, side: int = side, leaves: list[Tensor] = leaves) -> None:
            torch.autograd.grad(layer(x, Grid(side, side)).square().mean(), leaves)

        results = interleave({"regard": [both]}, setting.device, setting.effort)
        row = Row("grids", f"gaussian heads {side}×{side}, batch {batch}", "both", {**results}, bar=Bar("≤", 1.0))
        if isinstance(seconds := results["regard"], Timing):
            row.ratio, row.unit = seconds.median * 1e3, " ms"
        rows.append(row)
    for batch in (100, 500):
        progress(f"six layers, batch {batch}")
        step = training_step(batch, setting.device)
        results = interleave({"regard": [step]}, setting.device, setting.effort)
        row = Row("grids", f"six gaussian layers, 16×16, batch {batch}", "step", {**results}, bar=Bar("≥", 15000))
        if isinstance(seconds := results["regard"], Timing):
            row.ratio, row.unit = batch / seconds.median, " images/s"
        rows.append(row)
    return rows


def training_step(batch: int, device: torch.device) -> Callable[[], None]:
    """A step of the recipe's model: forward and backward as one graph, then its optimizer."""
    model = GridModel(GridConfig()).to(device)
    optimizer = Descent().optimizer(model)
    images, labels = torch.randn(batch, 3, 32, 32, device=device), torch.randint(0, 10, (batch,), device=device)

    def loss() -> Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return cross_entropy(model(images).logits, labels)

    compiled: Any = torch.compile(loss)

    def step() -> None:
        compiled().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


SECTIONS: dict[str, Sections] = {
    "cuda": {
        "padding": padding,
        "decode": decode,
        "kernels": kernels,
        "linear": linear,
        "mapped": mapped,
        "grids": grids,
    },
    "cpu": {},
}


def main(words: list[str] | None = None) -> None:
    keep_graphs()
    run("benchmarks.kernels", "Kernels", __doc__, SECTIONS, words)


if __name__ == "__main__":
    main()
