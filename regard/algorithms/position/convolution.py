"""Bounded relative tables alone: the softmax as a quotient of two convolutions.

    o_i = Σ_j exp(r(j − i)) v_j / Σ_j exp(r(j − i))

The numerator convolves the values with `exp(r)`, the denominator convolves ones. Exponentials without the maximum of
their own row lose rows whose maximum lies far below the head's, so this takes only tables with a promised bound
|r| ≤ b: summed directly where 2b ≤ 60, by a Fourier transform in float64 where 2b ≤ 16.
"""

import math
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import conv2d, pad

from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax, told
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.shared_map import blank_values, mixed_bytes, refuses_content
from regard.attention import Everything, Mask, Places, RelativeTable
from regard.attention.masks.visibility import visible
from regard.attention.positions.reach import offset_ranges
from regard.attention.positions.sizes import Count, is_open, is_symbol, number, surely

DIRECT_BOUND = 60  # of 2b: exp(±30) and its sums are far inside float32
FOURIER_BOUND = 16  # of 2b: the transform's error is that of the largest entry, exp(16) roundings of float64
SMALL = 128  # taps up to which a direct sum beats the transform


@dataclass(frozen=True)
class Taps:
    """One axis: query i meets key `stride·i + d` for d in first…last, at offset `shift + step·d`."""

    queries: int
    keys: int
    stride: int
    first: int
    last: int
    shift: int
    step: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def length(self) -> int:
        """Keys, with what is added or cut at the ends, that all queries meet."""
        return self.stride * (self.queries - 1) + self.count

    @property
    def padding(self) -> tuple[int, int]:
        """Zeros before and after the keys; negative where keys are met by nobody."""
        return -self.first, self.length + self.first - self.keys


class Convolution(Algorithm):
    """A multiply-add for each value and tap, or forward transforms, a product and the way back, in float64."""

    name = "convolution"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_terms(problem)
        if reason is not None:
            return reason
        bound = twice_the_bound(problem)
        if not is_direct(known_taps(problem), problem):
            if problem.dtype == torch.float64:
                return "the transform is not exact to float64"
            if bound > FOURIER_BOUND:
                return told("a transform needs twice the bound to be at most {}: got {:g}", FOURIER_BOUND, bound)
        elif bound > DIRECT_BOUND:
            return told("needs twice the bound to be at most {}: got {:g}", DIRECT_BOUND, bound)
        return None

    def cost(self, problem: Problem) -> Cost:
        shape, axes = problem.shape, known_taps(problem)
        products = (2 if problem.backward else 1) + (1 if problem.bias_backward else 0)
        outputs = shape.B * shape.H * shape.E * shape.T
        if is_direct(axes, problem):
            wide = 8 if problem.on_cuda else max(4, problem.item)
            return Cost(
                flops=2 * outputs * axes[0].count * axes[1].count * products,
                bytes=wide * (outputs + shape.B * shape.G * shape.S * shape.E) * products * 3,
                memory=3 * wide * outputs,
                launches=30 * products,
            )
        points = transform_length(axes[0].length) * transform_length(axes[1].length)
        channels = shape.B * shape.E * (shape.G + shape.H) + shape.H
        return Cost(
            flops=5 * channels * points * _log2(points) * products / 2,
            bytes=(16 * 8 * channels * points // 2 + mixed_bytes(problem)) * products,
            memory=16 * channels * points + output(shape, problem.item),
            launches=40 * products,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        (B, G, _, E), H, T = v.shape, q.shape[1], q.shape[2]
        axes = known_taps(problem)
        rows, columns = axes
        direct = is_direct(axes, problem)
        # On the GPU cuDNN would round a float32 convolution to ten digits, and its gradient whenever that is computed.
        exact = problem.wide if direct and not v.is_cuda else torch.float64
        kernel = _kernel(problem, axes, exact)
        _, seen = visible(problem.attention.mask, problem.places, 1, H, v.device)
        values = blank_values(v, seen, H)
        G = values.shape[1]
        image = values.to(exact).permute(0, 3, 1, 2).reshape(B * E, G, rows.keys, columns.keys)
        ones = torch.ones(1, 1, rows.keys, columns.keys, dtype=exact, device=v.device)
        correlate = _directly if direct else _by_transform
        numerator = correlate(image, kernel, rows, columns).view(B, E, H, T)
        denominator = correlate(ones, kernel, rows, columns).view(H, T)
        empty = denominator == 0
        out = numerator / denominator.masked_fill(empty, 1)  # an empty row's numerator is zero
        out = out.permute(0, 2, 3, 1).to(v.dtype)
        if not problem.return_lse:
            return out, None
        lse = denominator.masked_fill(empty, 1).log().masked_fill(empty, -torch.inf)
        return out, lse.to(problem.wide).expand(B, -1, -1)


def refuses_terms(problem: Problem) -> str | None:
    """Why this is no quotient of convolutions: tables with a bound alone, under windows alone."""
    reason = refuses_softmax(problem)
    if reason is not None:
        return reason
    reason = refuses_content(problem)
    if reason is not None:
        return reason
    for facts, term in zip(problem.terms, problem.attention.biases, strict=True):
        if not facts.table or facts.bound is None:
            return told("takes relative tables with a bound alone: not {}", type(term).__name__)
    for facts, mask in zip(problem.facts, problem.masks, strict=True):
        if not facts.interval:
            return told("takes masks that are windows along each axis: not {}", type(mask).__name__)
    if taps(problem.attention.mask if problem.masks else Everything(), problem.places) is None:
        return "takes queries whose step is a multiple of the keys', and masks that leave an offset"
    return None


def twice_the_bound(problem: Problem) -> float:
    """How far apart two logits of a row may be."""
    return float(sum([2 * term.bound for term in problem.terms if term.bound is not None]))


def known_taps(problem: Problem) -> list[Taps]:
    """The taps of a problem that is not refused."""
    found = taps(problem.attention.mask if problem.masks else Everything(), problem.places)
    assert found is not None
    return found


def taps(mask: Mask, places: Places) -> list[Taps] | None:
    """Which keys each query meets, along rows and columns; a line is one row. None where no tap is a whole step."""
    axes = []
    for axis, (low, high) in enumerate(offset_ranges(mask, places, Convolution.name)):
        queries, keys = places.axis(axis, Convolution.name).line(places)
        assert not isinstance(queries.start, Tensor)
        assert not isinstance(keys.start, Tensor)
        if not surely(queries.step % keys.step == 0):
            return None
        shift = keys.start - queries.start
        first, last = -((shift - low) // keys.step), (high - shift) // keys.step
        if surely(number(last) < number(first)):
            return None
        axes.append(Taps(queries.n, keys.n, queries.step // keys.step, first, last, shift, keys.step))
    return axes if len(axes) == 2 else [Taps(1, 1, 1, 0, 0, 0, 1), *axes]


def is_direct(axes: list[Taps], problem: Problem) -> bool:
    """Few taps, or a mask, under which a row may be empty and its denominator must be exactly zero."""
    count = axes[0].count * axes[1].count
    return len(problem.masks) > 0 or (not is_symbol(count) and surely(count <= SMALL))


def _log2(points: Count) -> Count:
    """Passes of a transform."""
    if is_symbol(points):
        import sympy

        return sympy.log(points, 2)
    return max(1, math.ceil(math.log2(points)))


def _kernel(problem: Problem, axes: list[Taps], dtype: torch.dtype) -> Tensor:
    """`exp(r)` at every tap, (H, rows, columns)."""
    rows, columns = axes
    parts = []
    for term in cast(tuple[RelativeTable, ...], problem.attention.biases):  # as their facts say
        table = term.bounded.to(dtype)
        if term.axis is not None:
            read = [(axes[term.axis], 1, term.reach[0])]
        else:
            read = [
                (axis, 1 + n, reach)
                for n, (axis, reach) in enumerate(zip(axes[-len(term.reach) :], term.reach, strict=True))
            ]
        for axis, dim, reach in read:
            offsets = axis.shift + axis.step * torch.arange(axis.first, axis.last + 1, device=table.device)
            table = table.index_select(dim, (offsets + reach).clamp(0, 2 * reach))
        if table.ndim == 2:
            table = table[:, :, None] if term.axis == 0 else table[:, None, :]
        parts.append(table)
    return sum(parts[1:], parts[0]).exp().expand(-1, rows.count, columns.count)


def _directly(image: Tensor, kernel: Tensor, rows: Taps, columns: Taps) -> Tensor:
    padded = pad(image, (*columns.padding, *rows.padding))
    return conv2d(padded, kernel[:, None], stride=(rows.stride, columns.stride), groups=image.shape[1])


def _by_transform(image: Tensor, kernel: Tensor, rows: Taps, columns: Taps) -> Tensor:
    """A correlation is a product of transforms; the ends where it wraps around are cut off."""
    sizes = (transform_length(rows.length), transform_length(columns.length))
    padded = pad(image, (*columns.padding, *rows.padding))
    spectrum = torch.fft.rfft2(padded, s=sizes)  # (channels, G, …)
    taps_spectrum = torch.fft.rfft2(kernel, s=sizes).conj()  # (H, …)
    G, H = image.shape[1], kernel.shape[0]
    product = spectrum[:, :, None] * taps_spectrum.unflatten(0, (G, H // G))
    wrapped = torch.fft.irfft2(product.flatten(1, 2), s=sizes)
    valid = wrapped[..., : rows.length - rows.count + 1, : columns.length - columns.count + 1]
    return valid[..., :: rows.stride, :: columns.stride].contiguous()


def transform_length(n: Count) -> Count:
    """The next length with no prime factor above 5, which transforms are fast for; an open size itself.

    >>> transform_length(127), transform_length(31)
    (128, 32)
    """
    while not (is_symbol(n) or is_open(n)):
        rest = n
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return n
        n += 1
    return n
