"""Question 3: what self-attention is, what speaks for it and against it."""

import functools
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from regard.analysis import cost, paths
from regard.claims.chart import Lines
from regard.claims.claim import HOLDS, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.ist.example import DOCUMENT, W_K, W_Q, W_V, X, matrix
from regard.claims.nyu.chains import build, longest_path, made, steps
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, Widths

Given = tuple[Tensor, Tensor, Tensor]  # q, k and v as a layer is called with them


def build_example() -> MultiHead:
    """Practical 10's example: a head of width 2 on tokens of width 3, and no projection after it."""
    layer = MultiHead(Widths(query=3, head=2, out=2), 1, bias=False, out_bias=False, dtype=torch.float64)
    with torch.no_grad():
        for part, weight in ((layer.query, W_Q), (layer.key, W_K), (layer.value, W_V)):
            part.weight.copy_(matrix(weight).T)
        layer.out.weight.copy_(torch.eye(2))
    return layer


@claim(
    "nyu.3def",
    REFUTED,
    document={"is_self": lambda given, y: y.shape[2] == given[0].shape[2]},
    twin={"is_self": lambda given, y: given[0].shape[1] == given[1].shape[1]},
)
def definition(
    is_self: Callable[[Given, Tensor], bool] = lambda given, y: given[0] is given[1] and given[1] is given[2],
) -> Findings:
    """Compare the stated definition with the number of sequences that an output depends on, by its gradient."""
    with seeded(30):
        layer, example, given = MultiHead(8, 2, dtype=torch.float64), build_example(), matrix(X)[None].requires_grad_()
        x, same, memory = (torch.randn(1, n, 8, dtype=torch.float64, requires_grad=True) for n in (5, 5, 7))
    uses: dict[str, tuple[MultiHead, Given]] = {
        "the example by hand": (example, (given, given, given)),
        "the layer of an encoder": (layer, (x, x, x)),
        "a decoder that looks at an encoder": (layer, (x, memory, memory)),
        "the same with sequences of one length": (layer, (x, same, same)),
    }
    for name, (module, (q, k, v)) in uses.items():
        y = module(q, k, v)
        gradients = torch.autograd.grad(y.square().sum(), list({id(each): each for each in (q, k, v)}.values()))
        count, said = sum(bool(gradient.any()) for gradient in gradients), is_self((q, k, v), y)
        called = f"by this definition {'self-attention' if said else 'not self-attention'}"
        link, of = "and" if said == (count == 1) else "yet", "one sequence" if count == 1 else f"{count} sequences"
        shown = f"{name}, width {q.shape[2]} → {y.shape[2]}: {called}, {link} q, k, v come from {of}"
        yield Finding(name, said == (count == 1), shown)
    printed = [float(number) for name in ("Z, rows 1, 2", "Z, rows 3, 4") for number in DOCUMENT[name]]
    numbers = torch.tensor(printed, dtype=torch.float64).view(4, 2)
    yield equals("the example's four rows", example(given)[0].detach(), numbers, 1e-8)


SIZES = [{"N": 6, "D": 4, "K": 3}, {"N": 11, "D": 8, "K": 2}]
ATTENTION: Mapping[str, Count] = {
    "pairs joined by one layer": lambda N, D, K: N * N,
    "longest path": lambda N, D, K: 1,
    "steps in turn": lambda N, D, K: 1,
    "multiply-adds": lambda N, D, K: 4 * N * D * D + 2 * N * N * D,
}
CONVOLUTION: Mapping[str, Count] = {
    "pairs joined by one layer": lambda N, D, K: N * K - K * (K - 1) // 2,
    "longest path": lambda N, D, K: -(-(N - 1) // (K - 1)),
    "steps in turn": lambda N, D, K: 1,
    "multiply-adds": lambda N, D, K: K * N * D * D,
}
RECURRENCE: Mapping[str, Count] = {
    "pairs joined by one layer": lambda N, D, K: N * (N + 1) // 2,
    "longest path": lambda N, D, K: N,
    "steps in turn": lambda N, D, K: N,
    "multiply-adds": lambda N, D, K: 2 * N * D * D,
}


@functools.cache
def join(way: str, N: int, D: int, K: int) -> int:
    """Count the pairs of an output and an input whose Jacobian is not zero, output by output."""
    with seeded(31):
        layer, x = build(way, D, K), torch.randn(1, N, D, requires_grad=True)
    outputs = layer(x)[0].square().sum(1)
    return sum(int(torch.autograd.grad(y, x, retain_graph=True)[0][0].any(1).sum()) for y in outputs)


@functools.cache
def multiply(way: str, N: int, D: int, K: int) -> int:
    """Count the multiply-adds of a built layer."""
    size = (1, D, N + K - 1) if way == "convolution" else (1, N, D)
    return int(cost(made(way, D, K, "meta"), torch.empty(size, device="meta"), backward=False).forward.flops) // 2


MEASURES: Mapping[str, Callable[..., int]] = {
    "pairs joined by one layer": join,
    "longest path": longest_path,
    "steps in turn": steps,
    "multiply-adds": multiply,
}


def draw_paths() -> Lines:
    sizes = [2**n for n in range(2, 13)]
    ways = ("attention", "convolution", "dilated convolution", "recurrence")
    return Lines(
        title="Layers or cells between the first token and the last; 3 taps, dilations 3^l",
        x=sizes,
        y={way: [float(paths(N, 1, 3)[way].path) for N in sizes] for way in ways},
        x_label="tokens N",
        y_label="longest path",
        log_x=True,
        log_y=True,
    )


@claim(
    "nyu.3a",
    HOLDS,
    twin={"attention": {**ATTENTION, "multiply-adds": lambda N, D, K: 4 * N * D * D}},
    chart=draw_paths,
    view=View("patterns", "See how far stacked layers reach", {"mask": "window(1, 1)"}),
)
def compare(
    attention: Mapping[str, Count] = ATTENTION,
    convolution: Mapping[str, Count] = CONVOLUTION,
    recurrence: Mapping[str, Count] = RECURRENCE,
) -> Findings:
    """Compare every entry of the table with what is built and counted and with `paths`; then look into attention."""
    stated = {"attention": attention, "convolution": convolution, "recurrence": recurrence}
    for way, entries in stated.items():
        for name, count in entries.items():
            yield agrees(f"{way}: {name}", count, functools.partial(MEASURES[name], way), SIZES)
    of_paths = {"longest path": "path", "steps in turn": "steps", "multiply-adds": "flops"}
    wrong = [
        f"{way}: {name}"
        for way, entries in stated.items()
        for name, field in of_paths.items()
        for at in SIZES
        if getattr(paths(*at.values())[way], field) != entries[name](**at) * (2 if field == "flops" else 1)
    ]
    shown = (
        f"paths(N, D, K) has {', '.join(dict.fromkeys(wrong))} otherwise" if wrong else "paths(N, D, K) has the same"
    )
    yield Finding("the table of paths", not wrong, f"{shown}: path, steps and FLOPs, 2 a multiply-add")
    with seeded(32):
        layer, x, turn = (
            MultiHead(8, 1, dtype=torch.float64),
            torch.randn(1, 6, 8, dtype=torch.float64),
            torch.randperm(6),
        )
    with torch.no_grad():
        by_map = layer.out(layer.weights(x)[:, 0] @ layer.value(x))
        yield equals("the output is the visible map times the values", layer(x), by_map, 1e-13)
        yield equals("permuted tokens give permuted outputs", layer(x[:, turn]), layer(x)[:, turn], 1e-13)
