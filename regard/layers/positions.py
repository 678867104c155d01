"""Absolute positions: added to the tokens, learned or as waves, or turning queries and keys (rotary)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Grid, Positions, Sequence
from regard.attention.positions.reach import readable
from regard.attention.torch_private import assert_soon
from regard.checks import check_whole

Waves = Float[Tensor, " half"]  # a number for each pair of features


class LearnedPositions(nn.Module):
    """A learned vector for each of `count` positions: row p of `weight` for position p, behind `offset` rows.

    >>> layer = LearnedPositions(1024, 64)
    >>> layer(Sequence(5, start=3)).shape, layer(Sequence(5, start=torch.tensor([0, 7]))).shape
    (torch.Size([5, 64]), torch.Size([2, 5, 64]))
    """

    def __init__(self, count: int, width: int, offset: int = 0) -> None:
        super().__init__()
        check_whole("count", count, 1)
        check_whole("width", width, 1)
        check_whole("offset", offset, 0)
        self.count, self.offset = count, offset
        self.weight = nn.Parameter(torch.empty(offset + count, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, positions: Sequence | Int[Tensor, "*B T"]) -> Float[Tensor, "*B T C"]:
        """The vectors of these positions, or of a tensor with the position of each token.

        Starts that are a tensor are data: a position beyond the last counts as the last, one before the first as the
        first, so that pads may stand there.
        """
        table = self.weight[self.offset :] if self.offset else self.weight
        if isinstance(positions, Tensor):
            return table[self._learned(positions.to(table.device))]
        if not isinstance(positions, Sequence):
            raise ValueError(
                f"positions must be a Sequence or a tensor of whole numbers: got {positions!r}; use Sequence(n)"
            )
        n, start, most = positions.n, positions.start, self.count
        if isinstance(start, Tensor):
            return table[read_positions(positions, table.device).clamp(0, most - 1)]
        last = start + positions.step * (n - 1)
        if start < 0 or last >= most:
            raise ValueError(
                f"positions must lie among the {most} that are learned: got {start}…{last}; "
                "use shorter sequences, or a model of more positions"
            )
        return table[start : last + 1 : positions.step]

    def _learned(self, positions: Tensor) -> Tensor:
        """The positions, checked to be learned; on a GPU the error is raised later, without waiting."""
        most = self.count
        if torch.compiler.is_compiling():
            return positions
        if positions.is_floating_point() or positions.is_complex() or positions.dtype == torch.bool:
            raise ValueError(f"positions must be whole numbers: got {positions.dtype}; use .long()")
        learned = (positions >= 0) & (positions < most)
        if positions.is_cuda:
            assert_soon(learned.all(), f"positions must lie among the {most} that are learned")
        elif readable(positions) and not bool(learned.all()):
            raise ValueError(
                f"positions must lie among the {most} that are learned: got {int(positions.min())}…"
                f"{int(positions.max())}; use shorter sequences, or a model of more positions"
            )
        return positions.long()  # small whole numbers would be read as flags

    def extra_repr(self) -> str:
        offset = f", offset={self.offset}" if self.offset else ""
        return f"count={self.count}, width={self.weight.shape[1]}{offset}"


class SinusoidalPositions(nn.Module):
    """Waves of all lengths from 2π to 2π·base, nothing learned, for sequences of any length.

        y_{p, 2i}, y_{p, 2i+1} = sin(p·base^(−2i/C)), cos(p·base^(−2i/C))

    On a grid the first half of the features says the row in this way, the second half the column.

    >>> layer = SinusoidalPositions(64)
    >>> layer(Sequence(5)).shape, layer(Grid(3, 4)).shape
    (torch.Size([5, 64]), torch.Size([12, 64]))

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017, section 3.5: their d_model is our C, their 10000 `base`.
    """

    def __init__(self, width: int, base: float | int = 10000) -> None:
        super().__init__()
        check_whole("width", width, 2)
        if width % 2:
            raise ValueError(f"waves come in pairs: got width={width}; use an even number")
        if not base > 1:
            raise ValueError(f"base must be above 1: got base={base}; use 10000")
        self.width, self.base = width, base

    def forward(
        self, positions: Positions | Int[Tensor, "*B T"], like: Tensor | None = None
    ) -> Float[Tensor, "*B T C"]:
        """The waves at these positions, of the type and on the device of `like`."""
        like = torch.empty(0) if like is None else like
        if isinstance(positions, Grid):
            if self.width % 4:
                raise ValueError(f"waves of rows and columns need a multiple of 4: got width={self.width}")
            i = torch.arange(positions.count, device=like.device)
            axes = [_waves(at, self.width // 2, self.base, like) for at in positions.at(0, i)]
            return torch.cat([torch.stack(axis, -1).flatten(-2) for axis in axes], -1)
        waves = _waves(read_positions(positions, like.device), self.width, self.base, like)
        return torch.stack(waves, -1).flatten(-2)  # sine and cosine take turns

    def extra_repr(self) -> str:
        return f"width={self.width}, base={self.base}"


def read_positions(positions: Sequence | Tensor, device: torch.device) -> Tensor:
    """The position of each token, (T,), or (B, T) where rows differ."""
    if isinstance(positions, Tensor):
        return positions.to(device)
    i = torch.arange(positions.n, device=device)
    if not isinstance(positions.start, Tensor):
        return positions.at(0, i)
    return positions.start.to(device)[:, None] + positions.step * i


def _waves(at: Tensor, width: int, base: float | int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Sine and cosine of `p·base^(−2i/width)` for i < width/2, each of shape (*at, width/2)."""
    exact = torch.promote_types(like.dtype, torch.float32)  # half types cannot count tokens
    pairs = torch.arange(0, width, 2, device=at.device).to(exact)
    angles = at[..., None].to(exact) * base ** (-pairs / width)
    return angles.sin().to(like.dtype), angles.cos().to(like.dtype)


@dataclass(frozen=True, eq=False)
class Rotation:
    """Cosines and sines, (T, D/2) or (B, 1, T, D/2), that turn the heads of T tokens, and may stretch them."""

    cos: Float[Tensor, "... T half"]
    sin: Float[Tensor, "... T half"]

    def turn(self, x: Float[Tensor, "B H T D"]) -> Float[Tensor, "B H T D"]:
        """Turn each pair of features, i and i + D/2, in its plane."""
        T, half = self.cos.shape[-2:]
        if x.shape[2] != T or x.shape[3] != 2 * half:
            raise ValueError(
                f"a rotation of {T} tokens turns heads of width {2 * half}: got {x.shape[2]} tokens of width "
                f"{x.shape[3]}; use Rotary({x.shape[3]})(Sequence({x.shape[2]}))"
            )
        first, second = x.chunk(2, -1)
        turned = torch.cat((first * self.cos - second * self.sin, second * self.cos + first * self.sin), -1)
        return turned.to(x.dtype)  # under autocast heads are narrower than waves


@dataclass(frozen=True, kw_only=True)
class RotaryScaling:
    """Slower rotations, so that a model reads sequences that are `factor` times as long; here all alike, "linear".

        ω_i ← ω_i / factor        where ω_i = base^(−2i/D), and 2i/D are the `powers`

    >>> RotaryScaling(factor=4).frequencies(10000, torch.tensor([0.0, 0.5]))
    tensor([0.2500, 0.0025])

    Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*, 2023.
    """

    factor: float | int

    def __post_init__(self) -> None:
        if not 1 <= self.factor < math.inf:
            raise ValueError(f"factor must be finite, and 1 or more: got factor={self.factor}; use 8")

    @property
    def stretch(self) -> float:
        """The factor that multiplies turned queries and keys."""
        return 1.0

    def frequencies(self, base: float | int, powers: Waves, length: int | Tensor = 0) -> Waves:
        """ω of these powers; `length` is that of the sequences so far, for scalings that ask."""
        return 1 / base**powers / self.factor


@dataclass(frozen=True, kw_only=True)
class Llama3Scaling(RotaryScaling):
    """Slow waves are slowed down by the factor, fast ones not at all, those between by a part of it.

        r_i = original·ω_i/2π        turns within the context of the first training
        ω_i ← (1 − γ_i)·ω_i/factor + γ_i·ω_i        γ_i = (r_i − low)/(high − low), within 0…1

    >>> Llama3Scaling(factor=8).frequencies(10**6, torch.tensor([0.0, 0.5, 0.75]))
    tensor([1.0000e+00, 2.1361e-04, 3.9528e-06])

    Grattafiori et al., *The Llama 3 Herd of Models*, 2024, as of version 3.1.
    """

    original: int = 8192
    low: float | int = 1
    high: float | int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_turns(self.original, self.low, self.high)

    def frequencies(self, base: float | int, powers: Waves, length: int | Tensor = 0) -> Waves:
        fast = 1 / base**powers
        part = ((self.original / (2 * math.pi / fast) - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - part) * fast / self.factor + part * fast


@dataclass(frozen=True, kw_only=True)
class YarnScaling(RotaryScaling):
    """Waves are slowed down by parts that fall with i, and queries and keys are stretched to sharpen the weights.

        ω_i ← (1 − γ_i)·ω_i/factor + γ_i·ω_i        γ_i = (i_low − i)/(i_low − i_high), within 0…1
        i_r = D·ln(original/2πr)/(2·ln base)        whose wave makes r turns; i_high rounded down, i_low up, to 0…D − 1

    >>> YarnScaling(factor=16, original=4096).stretch
    1.2772588722239782

    Peng et al., *YaRN: Efficient Context Window Extension of Large Language Models*, ICLR 2024: their s is our factor,
    α and β are low and high, √(1/t) is `stretch`. Their γ is linear in r; it is by i in their code and all others.
    """

    original: int
    low: float | int = 1
    high: float | int = 32
    attention: float | int | None = None  # `stretch`; None: 0.1·ln factor + 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_turns(self.original, self.low, self.high)
        if self.attention is not None and not 0 < self.attention < math.inf:
            raise ValueError(f"attention must be finite and positive: got attention={self.attention}; leave it out")

    @property
    def stretch(self) -> float:
        return 0.1 * math.log(self.factor) + 1 if self.attention is None else float(self.attention)

    def frequencies(self, base: float | int, powers: Waves, length: int | Tensor = 0) -> Waves:
        half, periods = len(powers), base**powers
        i_high, i_low = (
            half * math.log(self.original / (2 * math.pi * turns)) / math.log(base) for turns in (self.high, self.low)
        )
        first, last = max(math.floor(i_high), 0), min(math.ceil(i_low), 2 * half - 1)
        i = torch.arange(half, device=powers.device).to(powers.dtype)
        part = 1 - ((i - first) / (last - first or 0.001)).clamp(0, 1)
        return 1 / (self.factor * periods) * (1 - part) + 1 / periods * part


@dataclass(frozen=True, kw_only=True)
class DynamicScaling(RotaryScaling):
    """The base grows with the sequence, from where it is longer than those of the training.

        base ← base·(factor·n/original − factor + 1)^(D/(D − 2))        n = max(length, original)

    A token that is written behind cached ones is turned by the length that it makes; they stay as they are.

    >>> scaling = DynamicScaling(factor=2, original=100)
    >>> (
    ...     scaling.frequencies(10000, torch.tensor([0.0, 0.5]), 100),
    ...     scaling.frequencies(10000, torch.tensor([0.0, 0.5]), 200),
    ... )
    (tensor([1.0000, 0.0100]), tensor([1.0000, 0.0033]))

    "NTK-aware scaled RoPE", as transformers computes it.
    """

    original: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("original", self.original, 1)

    def frequencies(self, base: float | int, powers: Waves, length: int | Tensor = 0) -> Waves:
        D = 2 * len(powers)
        n = length.clamp(min=self.original) if isinstance(length, Tensor) else max(length, self.original)
        return 1 / (base * (self.factor * n / self.original - self.factor + 1) ** (D / (D - 2))) ** powers


@dataclass(frozen=True, kw_only=True)
class LongScaling(RotaryScaling):
    """Each wave is slowed down by a factor of its own, of one list for short sequences and of another for long ones.

        ω_i ← ω_i / short_i        up to `original` tokens, and ω_i / long_i beyond
        stretch = √(1 + ln factor/ln original)        unless `attention` is given

    >>> round(LongScaling(factor=32, original=4096, short=(1.0, 1.1), long=(1.0, 40.0)).stretch, 4)
    1.1902

    Ding et al., *LongRoPE*, ICML 2024.
    """

    original: int
    short: tuple[float | int, ...]
    long: tuple[float | int, ...]
    attention: float | int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("original", self.original, 2)
        if len(self.short) != len(self.long) or not all(0 < x < math.inf for x in (*self.short, *self.long)):
            raise ValueError(
                f"short and long must be as many positive factors: got {len(self.short)} and {len(self.long)}"
            )

    @property
    def stretch(self) -> float:
        if self.attention is not None:
            return float(self.attention)
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original))

    def frequencies(self, base: float | int, powers: Waves, length: int | Tensor = 0) -> Waves:
        if len(self.short) != len(powers):
            raise ValueError(f"each of {len(powers)} waves needs a factor: got {len(self.short)}; use {len(powers)}")
        short, long = (torch.tensor(x, dtype=powers.dtype, device=powers.device) for x in (self.short, self.long))
        beyond = length > self.original
        factors = torch.where(beyond, long, short) if isinstance(beyond, Tensor) else long if beyond else short
        return 1 / (factors * base**powers)


def _check_turns(original: int, low: float | int, high: float | int) -> None:
    check_whole("original", original, 1)
    if not 0 < low < high < math.inf:
        raise ValueError(f"low must be positive and below high: got low={low}, high={high}; use 1 and 4")


class Rotary(nn.Module):
    """Rotary positions for heads of width D: the dot product of two turned heads depends on their offset alone.

        (x_i, x_{i+D/2}) ← (x_i cos φ − x_{i+D/2} sin φ, x_{i+D/2} cos φ + x_i sin φ)        φ = p·base^(−2i/D)

    `scaling` takes other frequencies than base^(−2i/D).

    >>> rotation = Rotary(64)(Sequence(5))
    >>> rotation.turn(torch.randn(2, 8, 5, 64)).shape
    torch.Size([2, 8, 5, 64])

    Su et al., *RoFormer*, Neurocomputing 2024: their d is our D, their m our p. They pair features 2i and 2i+1; Llama's
    published weights pair i and i + D/2, as here.
    """

    def __init__(self, width: int, base: float | int = 10000, scaling: RotaryScaling | None = None) -> None:
        super().__init__()
        check_whole("width", width, 2)
        if width % 2:
            raise ValueError(f"a head is turned in pairs: got width={width}; use an even number")
        if not base > 1:
            raise ValueError(f"base must be above 1: got base={base}; use 10000")
        check_scaling(scaling)
        self.width, self.base, self.scaling = width, base, scaling

    def forward(
        self, positions: Sequence | Int[Tensor, "*B T"], like: Tensor | None = None, length: int | Tensor | None = None
    ) -> Rotation:
        """The rotation of tokens at these positions, of the type and on the device of `like`.

        Scalings ask for the length of the sequence: up to the last of these positions, unless given.
        """
        like = torch.empty(0) if like is None else like
        exact = torch.promote_types(like.dtype, torch.float32)  # half types cannot count tokens
        # In the order of published models: thousands of tokens on, the last bit of a frequency is seen.
        powers = torch.arange(0, self.width, 2, device=like.device).to(exact) / self.width
        at = read_positions(positions, like.device)
        if self.scaling is None:
            frequencies = 1 / self.base**powers
        else:
            length = _length(positions, at) if length is None else length
            frequencies = self.scaling.frequencies(self.base, powers, length)
        angles = at[..., None].to(exact) * frequencies
        if angles.ndim == 3:
            angles = angles[:, None]  # all heads of a row alike
        cos, sin = angles.cos(), angles.sin()
        if self.scaling is not None:
            cos, sin = cos * self.scaling.stretch, sin * self.scaling.stretch
        return Rotation(cos.to(like.dtype), sin.to(like.dtype))

    def extra_repr(self) -> str:
        return f"width={self.width}, base={self.base}" + ("" if self.scaling is None else f", scaling={self.scaling}")


def _length(positions: Sequence | Tensor, at: Tensor) -> int | Tensor:
    """One more than the last position: a number where that is known."""
    if isinstance(positions, Tensor) or isinstance(positions.start, Tensor):
        return at.max() + 1
    return positions.start + positions.step * (positions.n - 1) + 1


def check_scaling(scaling: object) -> None:
    if scaling is not None and not isinstance(scaling, RotaryScaling):
        raise ValueError(f"scaling must be a RotaryScaling: got {scaling!r}; use RotaryScaling(factor=…)")
