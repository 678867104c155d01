"""Costs as polynomials: a run at witness sizes is read back as a run at symbolic ones.

A model is run once with every symbol standing for a prime of its own, times a factor that it must be divisible by. Each
size that appears in the run is then factored: 1006·2029 can only be 2·B·N. Sums (N + 1, H + 2G) are found by small
shifts. Nothing has to be believed: what is read must give, at the sizes that were asked for, the very numbers that are
counted there.
"""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any

from torch import nn

from regard.analysis.cost.count import (
    CannotFake,
    build,
    distinct_modules,
    fake_inputs,
    fake_module,
    new_mode,
    run,
    summarise,
    watching,
)
from regard.analysis.cost.polynomials import KEYS, Formulas, ModuleFormulas
from regard.analysis.cost.report import ModelCost
from regard.analysis.cost.watch import Watch
from regard.formulas import Polynomial
from regard.models import (
    Config,
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    GridConfig,
    ViTConfig,
    vary,
)
from regard.models import build as build_model

Made = tuple[nn.Module, tuple[Any, ...]] | tuple[nn.Module, tuple[Any, ...], dict[str, Any]]
Make = Callable[..., Made]
Stacked = DecoderConfig | EncoderConfig | EncoderDecoderConfig | ViTConfig | GridConfig
SHIFT = 4  # tokens beside the others: a class, a beginning, an end
MAX_FACTOR = 64  # of a symbol inside of a sum
CONSTANTS = 250  # below it a number is a constant
PRIMES = (503, 2029, 2063, 2089, 2113, 2141, 2161, 2203, 2221, 2243, 2267, 2281, 2309, 2333)


class NotPolynomial(ValueError):  # noqa: N818 - named by what is the matter
    """A model whose cost is not one polynomial: it does something else at other sizes."""


def formulas(make: Make, *, factors: dict[str, int] | None = None, **sizes: int) -> Formulas:
    """The cost of a model as polynomials in the sizes that `make` takes, equal to the count at the sizes given.

    `make(**sizes)` gives a module, its inputs and perhaps its keywords. `factors` says by what a size must be
    divisible.

    >>> import torch
    >>> def make(B, N, D):
    ...     return nn.MultiheadAttention(D, 8, batch_first=True), (torch.empty(B, N, D, device="meta"),) * 3
    >>> found = formulas(make, factors={"D": 8}, B=1, N=16, D=64)
    >>> print(found.forward, "|", found.parameters)
    4·B·D·N² + 8·B·D²·N | 4·D² + 4·D
    """
    factors = factors or {}
    if unknown := [name for name in factors if name not in sizes]:
        raise ValueError(f"factors are of the sizes {', '.join(sizes)}: got {unknown[0]}={factors[unknown[0]]}")
    by = {name: factors.get(name, 1) for name in sizes}
    found = at_witnesses(make, Witnesses(by, avoid=sizes.values()))
    check_counts(found, make, sizes)
    # A model may look like a polynomial at one place: it must be one at another too, where it can be built there.
    other = {name: max(by[name], size // (2 * by[name]) * by[name]) for name, size in sizes.items()}
    try:
        check_counts(found, make, other)
    except (RuntimeError, AssertionError, IndexError, CannotFake) as error:
        note = f"checked at {sizes} alone: at {other} the model gives {type(error).__name__}"
        found = replace(found, notes=(*found.notes, note))
    return replace(found, sizes=sizes)


class Witnesses:
    """A prime for each symbol, ours or the caller's; `factors` are what symbols must be divisible by.

    >>> sizes = Witnesses({"B": 1, "N": 1, "D": 8})
    >>> sizes["B"], sizes["D"]
    (503, 16504)
    >>> print(sizes.read(3 * sizes["B"] * sizes["D"] // 2), "|", sizes.read(sizes["N"] + 1), "|", sizes.read(64))
    3·B·D/2 | N + 1 | 64
    """

    def __init__(self, factors: dict[str, int], avoid: Collection[int] = (), **primes: int) -> None:
        if not factors or len(factors) > len(PRIMES) - 4:
            raise ValueError(f"formulas are in 1 to {len(PRIMES) - 4} sizes: got {len(factors)}; fix some of them")
        free = [prime for prime in PRIMES if all(size % prime for size in avoid)]  # what is asked for must differ
        chosen = dict(zip(factors, free, strict=False)) | primes
        self.primes = {name: (chosen[name], factor) for name, factor in factors.items()}
        self.least = min(CONSTANTS, *(prime for prime, _ in self.primes.values()))
        self.found: dict[int, Polynomial] = {}

    def __getitem__(self, name: str) -> int:
        prime, factor = self.primes[name]
        return prime * factor

    def read(self, size: int) -> Polynomial:
        """The polynomial that a size is."""
        if size not in self.found:
            term, rest = self._strip(size)
            self.found[size] = term * (rest if rest < self.least else self._find_sum(rest))
        return self.found[size]

    def _strip(self, size: int) -> tuple[Polynomial, int]:
        """The symbols that divide a size, as one term, and what is left."""
        term = Polynomial({(): 1})
        for name, (prime, factor) in self.primes.items():
            while size and size % prime == 0:
                size //= prime
                term = term * Polynomial({((name, 1),): Fraction(1, factor)})
        return term, size

    def _find_sum(self, size: int) -> Polynomial:
        """A symbol and a few more, or two symbols; a constant where it is neither."""
        for shift in sorted(range(-SHIFT, SHIFT + 1), key=abs):
            term, rest = self._strip(size - shift)
            if shift and term.symbols and rest <= MAX_FACTOR:
                return term * rest + shift
        for name in self.primes:
            for times in range(1, 9):
                if 0 < times * self[name] < size:
                    term, rest = self._strip(size - times * self[name])
                    if term.symbols and rest <= MAX_FACTOR:
                        return term * rest + times * Polynomial.symbol(name)
        return Polynomial({(): size})

    def read_pairs(self, count: int) -> Polynomial:
        """The polynomial that a number of pairs is: symbols that divide it, and a polynomial of degree two in one more.

        >>> sizes = Witnesses({"B": 1, "N": 1})
        >>> print(sizes.read_pairs(sizes["B"] * sizes["N"] * (sizes["N"] + 1) // 2))
        B·N²/2 + B·N/2
        """
        term, rest = self._strip(count)
        if rest < self.least:
            return term * rest
        candidates = [self._read_in_base(rest, name) for name in self.primes]
        best = min(candidates, key=lambda polynomial: max(abs(c) for c in polynomial.terms.values()))
        return term * best

    def _read_in_base(self, count: int, name: str) -> Polynomial:
        """Twice the count in balanced digits of base N, halved: small coefficients, if it is of that symbol."""
        base, rest = self[name], 2 * count
        total, power = Polynomial({}), Polynomial({(): Fraction(1, 2)})
        while rest:
            digit = (rest + base // 2) % base - base // 2
            total = total + power * digit
            rest = (rest - digit) // base
            power = power * Polynomial.symbol(name)
        return total


def at_witnesses(make: Make, witnesses: Witnesses, **fixed: int) -> Formulas:
    """The formulas of a model that is built, and called, at witness sizes; `fixed` are no symbols."""
    watch = Watch(witnesses.read, witnesses.read_pairs)
    module = _run(watch, make, {name: witnesses[name] for name in witnesses.primes} | fixed)
    counted = summarise(module, watch, None)
    parts = dict(distinct_modules(module))
    rows = [
        ModuleFormulas(
            part.name,
            part.kind,
            Polynomial.of(sum([math.prod(map(witnesses.read, p.shape)) for p in parts[part.name].parameters()])),
            Polynomial.of(part.forward.flops),
            Polynomial.of(part.backward.flops),
            Polynomial.of(part.attention),
        )
        for part in counted.modules
    ]
    return Formulas(tuple(rows), {}, counted.unknown, counted.notes)


def check_counts(found: Formulas, make: Make, sizes: dict[str, int], **fixed: int) -> None:
    """Raise unless the polynomials are, at these sizes, what is counted there."""
    counted = count_at(make, **{name: sizes[name] for name in sizes if name not in fixed}, **fixed)
    real = {part.name: (part.parameters, part.forward.flops, part.backward.flops) for part in counted.modules}
    for row in found.modules:
        values = tuple(polynomial(**sizes) for polynomial in (row.parameters, row.forward, row.backward))
        if row.name in real and values != real[row.name]:
            raise NotPolynomial(
                f"the cost of {row.name or 'the model'} is not one polynomial: parameters, forward and backward FLOPs "
                f"at {sizes} are {real[row.name]}, the formulas give {values}; the model does something else elsewhere"
            )


def count_at(make: Make, **sizes: int) -> ModelCost:
    """The count in numbers, by the same run."""
    watch = Watch()
    module = _run(watch, make, sizes)
    return summarise(module, watch, None)


def _run(watch: Watch, make: Make, sizes: dict[str, int]) -> nn.Module:
    """Build and run, forward and backward, all without memory."""
    mode = new_mode()
    module, inputs, *more = build(watch, mode, lambda: make(**sizes))
    module, (inputs, more) = fake_module(mode, module), fake_inputs(mode, (inputs, more))
    with mode, watching(watch, module):
        run(watch, module, inputs, more[0] if more else {}, backward=True)
    return module


def preset_formulas(config: Config, batch: int = 1, tokens: int | None = None) -> Formulas:
    """The cost of a model of `regard.models` as polynomials in all of its sizes.

    >>> from regard.models import PRESETS
    >>> found = preset_formulas(PRESETS["gpt2"], tokens=1024)
    >>> print(found.forward)
    2·B·D·L·N² + 24·B·D²·L·N + 2·B·D·L·N + 2·B·D·N·V
    """
    if not isinstance(config, Stacked):
        raise ValueError(
            f"formulas are of models whose layers all have the same sizes: got {type(config).__name__}; count it at "
            "given sizes, or use regard.analysis.formulas"
        )
    sizes, factors = _read_sizes(config, batch, tokens)
    make = _maker(config)
    witnesses = Witnesses(factors, avoid=sizes.values(), **_primes(config))
    few, more = (at_witnesses(make, witnesses, L=depth) for depth in (2, 3))
    rows = tuple(_extend_layers(few, more))
    found = Formulas(rows, sizes, few.unknown, few.notes)
    check_counts(found, make, sizes)
    if "K" in sizes and "D" not in sizes:  # D = H·K is the size that people speak of
        by_width = Polynomial.symbol("D") / Polynomial.symbol("H")
        rows = tuple([row.each(lambda polynomial: polynomial.replace("K", by_width)) for row in found.modules])
        sizes = {name: size for name, size in sizes.items() if name != "K"} | {"D": sizes["H"] * sizes["K"]}
    return replace(found, modules=rows, sizes=sizes)


def _read_sizes(config: Stacked, batch: int, tokens: int | None) -> tuple[dict[str, int], dict[str, int]]:
    """The sizes of a configuration by their symbols, and by what each symbol must be divisible."""
    sizes, factors = {"B": batch}, {"B": 1}

    def add(name: str, size: int, factor: int = 1) -> None:
        sizes[name], factors[name] = size, factor

    if isinstance(config, GridConfig):
        add("R", config.image // config.patch)
        add("H", config.num_heads)
        add("D", config.width, 8)
        add("F", config.hidden)
        add("M", config.classes)
        return sizes | {"L": config.depth}, factors
    block = config.block
    if isinstance(config, ViTConfig):
        add("R", config.image // config.patch)
        if config.classes is not None:
            add("M", config.classes)
    else:
        add("N", tokens or config.positions.context)
        if config.positions.kind == "learned":
            add("P", config.positions.context)
        add("V", config.vocabulary)
    add("H", block.num_heads, block.num_heads // block.groups)
    add("K", block.head_width, 16)
    if block.head is not None:
        add("D", block.width, 8)
    if block.hidden is not None:
        add("F", block.hidden)
    return sizes | {"L": config.depth}, factors


def _primes(config: Stacked) -> dict[str, int]:
    """Smaller ones, where there are R² tokens and a map of R⁴ pairs, or a mixture head by head."""
    if isinstance(config, GridConfig):
        return {"R": 61, "H": 67}
    return {"R": 211} if isinstance(config, ViTConfig) else {}


def _maker(config: Stacked) -> Callable[..., tuple[nn.Module, tuple[Any, ...]]]:
    """What builds the model, and its inputs, at any sizes."""

    def make(B: int, L: int, **sizes: int) -> tuple[nn.Module, tuple[Any, ...]]:
        changes: dict[str, Any] = {"depth": L, "num_heads": sizes["H"]}
        names = {"F": "hidden", "V": "vocabulary", "P": "context", "M": "classes", "D": "width"}
        changes |= {names[name]: size for name, size in sizes.items() if name in names}
        if isinstance(config, GridConfig):
            changes["image"] = config.patch * sizes["R"]
        else:
            block = config.block
            changes.setdefault("width", sizes["H"] * sizes["K"])
            if block.head is not None:
                changes["head"] = sizes["K"]
            if block.num_groups is not None:
                changes["num_groups"] = sizes["H"] * block.num_groups // block.num_heads
            if isinstance(config, ViTConfig):
                changes["image"] = config.patch * sizes["R"]
        if isinstance(config, EncoderDecoderConfig) and config.decoder_depth is not None:
            changes["decoder_depth"] = L
        changed = vary(config, **changes)
        return build_model(changed), changed.inputs(B, sizes.get("N"))

    return make


def _extend_layers(few: Formulas, more: Formulas) -> list[ModuleFormulas]:
    """Rows whose formulas grow with the layers, from those of two layers and those of three.

    What grows, grows by the same with each layer. Of the layers, which are alike, the first is shown.
    """
    extra = Polynomial.symbol("L") - 2
    later = {row.name: row for row in more.modules}
    rows = []
    for row in few.modules:
        if any(int(number) > 0 for number in re.findall(r"\.(\d+)(?=\.|$)", row.name)):
            continue
        next_row = later[row.name]
        changes = {}
        for name in KEYS:
            at_two, at_three = getattr(row, name), getattr(next_row, name)
            changes[name] = at_two + extra * (at_three - at_two)
        rows.append(replace(row, **changes))
    return rows
