"""How far apart two tokens are for attention, convolution and recurrence: layers, steps in turn, operations."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from regard.analysis.tables import Printed, new_table
from regard.checks import check_whole
from regard.formulas import write_sympy

Number = Any  # an int or a SymPy expression


@dataclass(frozen=True)
class ConvolutionReach:
    """After each convolution: from the first to the last token that reaches an inner output, and how many do."""

    span: tuple[int, ...]
    tokens: tuple[int, ...]


def convolution_reach(
    kernel: int | list[int], depth: int, stride: int | list[int] = 1, dilation: int | list[int] = 1
) -> ConvolutionReach:
    """The receptive field of a stack of convolutions, numbers for all layers or one per layer.

    The span is `1 + Σ_l (K_l − 1)·d_l·Π_{m<l} s_m`. It may have gaps: the tokens are counted.

    >>> convolution_reach(3, 4)
    ConvolutionReach(span=(3, 5, 7, 9), tokens=(3, 5, 7, 9))
    >>> convolution_reach(2, 4, dilation=[1, 2, 4, 8]).span
    (2, 4, 8, 16)
    >>> convolution_reach(3, 2, stride=4)
    ConvolutionReach(span=(3, 11), tokens=(3, 9))
    """
    check_whole("depth", depth, 1)
    given = {"kernel": kernel, "stride": stride, "dilation": dilation}
    lists = {name: value if isinstance(value, list) else [value] * depth for name, value in given.items()}
    for name, numbers in lists.items():
        if len(numbers) != depth or min(numbers) < 1:
            raise ValueError(
                f"{name} must be a number from 1 for each of {depth} layers: got {given[name]}; use one for all"
            )
    span, tokens, jump = [1], [], 1
    reached = 1  # bit n: the token n after the first one
    for K, s, d in zip(lists["kernel"], lists["stride"], lists["dilation"], strict=True):
        span.append(span[-1] + (K - 1) * d * jump)
        copies = 1  # the union of K copies, each d·jump after the one before: doubled, then what is left
        while copies < K:
            more = min(copies, K - copies)
            reached |= reached << more * d * jump
            copies += more
        tokens.append(reached.bit_count())
        jump *= s
    return ConvolutionReach(tuple(span[1:]), tuple(tokens))


@dataclass(frozen=True)
class Way:
    """One kind of layer: its FLOPs, its steps that must wait for each other, the layers between the farthest tokens.

    `path` counts the layers, for a recurrence the cells, that a value passes from the first token to the last output.
    """

    name: str
    flops: Number
    steps: Number
    path: Number

    @property
    def total(self) -> Number:
        """FLOPs of as many layers as let every token through; a recurrence needs one."""
        return self.flops * (1 if self.name == "recurrence" else self.path)


@dataclass(frozen=True)
class Paths(Printed):
    """Kinds of layers side by side, for so many `tokens` of a `width`; local ones have `kernel` keys or taps."""

    columns = 120

    tokens: Number
    width: Number
    kernel: Number
    ways: tuple[Way, ...]

    def __getitem__(self, name: str) -> Way:
        for way in self.ways:
            if way.name == name:
                return way
        raise ValueError(f"a way must be one of {', '.join([way.name for way in self.ways])}: got {name!r}; use one")

    def json(self) -> str:
        """The table for a program; formulas as text."""
        ways = [asdict(way) | {"total": way.total} for way in self.ways]
        return json.dumps(asdict(self) | {"ways": ways}, default=str)

    def rich(self) -> Any:
        """The table for Rich."""
        title = f"N={self.tokens} tokens, width D={self.width}, K={self.kernel} keys or taps; all layers look back"
        columns = ("FLOPs of a layer", "steps in turn", "longest path", "FLOPs to join all")
        table = new_table("layer", numbers=columns, title=title, title_justify="left")
        for way in self.ways:
            numbers = (way.flops, way.steps, way.path, way.total)
            table.add_row(way.name, *[f"{n:,}" if isinstance(n, int) else write_sympy(n) for n in numbers])
        return table


def paths(tokens: int | None = None, width: int | None = None, kernel: int | None = None) -> Paths:
    """Attention, attention in a window, convolution, dilated convolution, recurrence; a size not given is a symbol.

    FLOPs are 2 per multiply-add of the matrix products: attention `8ND² + 4N²D`, of K keys `8ND² + 4NKD`; convolution
    `2KND²`; a plain recurrence `4ND²` (an LSTM four times, a GRU three times that). A causal square is counted whole.
    Layers look back, at K tokens with their own or at all: between the first token and the last output lie
    `⌈(N−1)/(K−1)⌉` convolutions, by dilations K^l `⌈log_K N⌉`, for `N − 1` is written with digits 0…K−1. (Taps to both
    sides need digits of both signs, whose way may leave the sequence: then no depth joins the two.)

    >>> [(way.name, way.path) for way in paths(4096, 512, 3).ways]
    [('attention', 1), ('window', 2048), ('convolution', 2048), ('dilated convolution', 8), ('recurrence', 4096)]
    >>> paths()["convolution"].path
    ceiling((N - 1)/(K - 1))

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017, table 1: their n, d, k and r are N, D, K and K.
    """
    import sympy

    for name, size, least in (("tokens", tokens, 2), ("width", width, 1), ("kernel", kernel, 2)):
        if size is not None and size < least:
            raise ValueError(f"{name} must be at least {least}: got {name}={size}; use {max(least, 3)}")
    names = sympy.symbols("N D K", positive=True, integer=True)
    N, D, K = (
        symbol if size is None else sympy.Integer(size)
        for symbol, size in zip(names, (tokens, width, kernel), strict=True)
    )
    local = sympy.ceiling((N - 1) / (K - 1))
    if tokens is None or kernel is None:
        dilated = sympy.ceiling(sympy.log(N, K))
    else:
        layers = 0  # the smallest with kernel^layers ≥ tokens, in whole numbers: a logarithm would round
        while kernel**layers < tokens:
            layers += 1
        dilated = sympy.Integer(layers)
    one, square = sympy.Integer(1), 8 * N * D**2
    rows = [
        ("attention", square + 4 * N**2 * D, one, one),
        ("window", square + 4 * N * K * D, one, local),
        ("convolution", 2 * K * N * D**2, one, local),
        ("dilated convolution", 2 * K * N * D**2, one, dilated),
        ("recurrence", 4 * N * D**2, N, N),
    ]
    ways = tuple([Way(name, *[_number(value) for value in values]) for name, *values in rows])
    return Paths(_number(N), _number(D), _number(K), ways)


def _number(value: Any) -> Number:
    return int(value) if value.is_Integer else value
