"""Hard attention with k heads: how many tokens can reach an output through n layers of chosen keys, and how many do.

The choices are taken as given: what is followed are the values. Each choice itself compares all keys, and so depends on
every token from the first layer on.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.analysis.tables import Printed, new_table, stack
from regard.checks import check_whole
from regard.formulas import write_sympy

FOLLOWED = 64  # outputs of each graph: the bits of a number
MOST = 1 << 20  # choices in a layer
DEEPEST = 1024  # layers


def argmax_bound(k: Any, depth: Any, tokens: Any, *, residual: bool = True, tied: bool = False) -> Any:
    """The most tokens that reach an output through layers of k argmax heads; numbers, or SymPy symbols.

    A layer multiplies what reaches an output by its k heads, and by one more if the residual lets it through too:
    `min(N, (k+1)^n)` with it, `min(N, k^n)` without it. `tied` layers choose the same keys every time: with the
    residual that is all within n hops, `min(N, 1 + k + … + k^n)`, less than `(k+1)^n` from two layers on.

    >>> argmax_bound(2, 3, 4096), argmax_bound(2, 3, 4096, residual=False), argmax_bound(2, 3, 4096, tied=True)
    (27, 8, 15)
    """
    import sympy

    if residual and tied:
        hop = sympy.Symbol("m", integer=True)
        most = sympy.summation(sympy.sympify(k) ** hop, (hop, 0, depth))
    else:
        most = sympy.sympify(k + 1 if residual else k) ** depth
    bound = sympy.Min(tokens, most)
    return int(bound) if bound.is_Integer else bound


def widest_graph(tokens: int, k: int, depth: int, *, residual: bool = True, tied: bool = False) -> list[Tensor]:
    """Choices, (k, N) for each layer, that attain the bound: at every output, tied with a residual at output 0.

    With the residual head a = 1…k of layer l reads the token `a·(k+1)^l` further on, around a circle. What reaches
    output i then stands at `i + Σ_l a_l (k+1)^l`, where a_l = 0 is the residual: numbers of n digits in base k + 1.
    Every number below `(k+1)^n` is one of them, exactly once, and on a circle of N tokens these are `min(N, (k+1)^n)`
    tokens. Without the residual the heads are a = 0…k−1, and the base is k.

    Tied, without the residual: query i reads `k·i + a`, a = 0…k−1, on the circle (a de Bruijn graph): after n layers
    `k^n·i + 0…k^n−1`. With the residual a = 1…k: from 0 every number up to `k + k² + … + k^n` is met, once, as every
    number is written in one way with digits 1…k (bijective numeration), and 0 itself.

    >>> [step[:, 0].tolist() for step in widest_graph(9, 2, 2)]
    [[1, 2], [3, 6]]
    """
    _check(tokens, k, depth)
    token, head = torch.arange(tokens), torch.arange(k)[:, None] + int(residual)
    if tied:
        return [(k * token + head) % tokens] * depth
    base = k + int(residual)
    return [(token + head * pow(base, layer, tokens)) % tokens for layer in range(depth)]


def random_graph(tokens: int, k: int, depth: int, *, tied: bool = False, seed: int = 0) -> list[Tensor]:
    """Choices, (k, N) for each layer, each key as likely as any other."""
    _check(tokens, k, depth)
    source = torch.Generator().manual_seed(seed)
    layers = [torch.randint(tokens, (k, tokens), generator=source) for _ in range(1 if tied else depth)]
    return layers * depth if tied else layers


@dataclass(frozen=True)
class ArgmaxDepth:
    """After `layers` layers: the bound, what the widest graph has at its best output, and over the outputs of random
    graphs the mean, the standard deviation, the fewest and the most.
    """

    layers: int
    bound: int
    widest: int
    mean: float
    spread: float
    fewest: int
    most: int


@dataclass(frozen=True)
class ArgmaxReach(Printed):
    """What reaches an output of k argmax heads, by depth: the bound, a graph that attains it, random ones."""

    columns = 80

    tokens: int
    heads: int
    residual: bool
    tied: bool
    draws: int
    seed: int
    depths: tuple[ArgmaxDepth, ...]

    @property
    def law(self) -> Any:
        """The bound as a formula in N, k and n."""
        import sympy

        k, n, N = sympy.symbols("k n N", positive=True, integer=True)
        return argmax_bound(k, n, N, residual=self.residual, tied=self.tied)

    def json(self) -> str:
        """The numbers for a program."""
        return json.dumps(asdict(self) | {"formula": str(self.law)})

    def rich(self) -> Any:
        """The table of growth, for Rich."""
        titles = ("layers", "bound", "attained", "random mean", "± spread", "fewest", "most")
        table = new_table(numbers=titles)
        for at in self.depths:
            numbers = (at.layers, at.bound, at.widest, at.mean, at.spread, at.fewest, at.most)
            table.add_row(*[f"{n:,.1f}" if isinstance(n, float) else f"{n:,}" for n in numbers])
        residual = "with the residual connection" if self.residual else "without a residual connection"
        tied = ", the same choices in all layers" if self.tied else ""
        heading = f"{self.heads} argmax head{'s' * (self.heads > 1)}{tied}"
        facts = f"{self.tokens:,} tokens · {residual}"
        outputs = min(self.tokens, FOLLOWED)
        notes = (
            f"tokens that reach an output; random: {self.draws} graphs from seed {self.seed}, {outputs} outputs of each"
        )
        law = f"formula of the bound: {write_sympy(self.law)}, n layers of k heads"
        return stack((heading, "bold"), (facts, "cyan"), "", table, "", notes, law)


def argmax_reach(
    tokens: int, k: int, depth: int, *, residual: bool = True, tied: bool = False, draws: int = 16, seed: int = 0
) -> ArgmaxReach:
    """The bound of k argmax heads, depth by depth, counted on the graph that attains it and on random graphs.

    >>> [(at.bound, at.widest, at.most <= at.bound) for at in argmax_reach(100, 2, 5).depths]
    [(3, 3, True), (9, 9, True), (27, 27, True), (81, 81, True), (100, 100, True)]
    """
    check_whole("draws", draws, 1)
    sizes: dict[str, Any] = {"residual": residual, "tied": tied}
    # Turns of a circle commute: the way back from the output may meet the first layer first.
    widest = count_reached(widest_graph(tokens, k, depth, **sizes)[::-1], residual=residual)
    random = torch.cat(
        [
            count_reached(random_graph(tokens, k, depth, tied=tied, seed=seed + draw), residual=residual)
            for draw in range(draws)
        ],
        1,
    )
    depths = [
        ArgmaxDepth(
            layers,
            argmax_bound(k, layers, tokens, **sizes),
            int(attained.max()),
            float(counts.double().mean()),
            float(counts.double().std(correction=0)),
            int(counts.min()),
            int(counts.max()),
        )
        for layers, attained, counts in zip(range(1, depth + 1), widest, random, strict=True)
    ]
    return ArgmaxReach(tokens, k, residual, tied, draws, seed, tuple(depths))


def count_reached(graph: list[Tensor], *, residual: bool = True) -> Tensor:
    """How many tokens reach some outputs through the last 1, 2, … layers of chosen keys, (layers, outputs).

    The way goes back from outputs that are spread evenly, 0 among them. Random layers are drawn alike, so that the last
    n serve as any n.
    """
    tokens = graph[0].shape[1]
    outputs = min(tokens, FOLLOWED)
    seen = np.zeros(tokens, dtype=np.uint64)  # bit o of a token: it reaches output o
    seen[np.linspace(0, tokens - 1, outputs).astype(int)] = np.uint64(1) << np.arange(outputs, dtype=np.uint64)
    counts = []
    for index in reversed(graph):
        before = seen
        seen = before.copy() if residual else np.zeros_like(before)
        np.bitwise_or.at(seen, index.numpy(), before)
        bits = np.unpackbits(seen.astype("<u8").view(np.uint8), bitorder="little").reshape(tokens, 64)
        counts.append(torch.from_numpy(bits[:, :outputs].sum(0, dtype=np.int64)))
    return torch.stack(counts)


def _check(tokens: int, k: int, depth: int) -> None:
    for name, number, most in (("tokens", tokens, MOST), ("k", k, MOST), ("depth", depth, DEEPEST)):
        if not 1 <= number <= most:
            raise ValueError(f"{name} must be from 1 to {most:,}: got {name}={number:,}; use {min(most, 12)}")
    if k * tokens > MOST:
        raise ValueError(f"k · tokens must be at most {MOST:,} choices: got {k:,} · {tokens:,}; use fewer tokens")
