"""Formulas of the well-known models: one configuration with all its sizes as symbols."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import nn

from regard.analysis.cost.polynomial import Polynomial
from regard.analysis.cost.symbolic import Formulas, ModuleFormulas, at_witnesses, checked
from regard.analysis.cost.witnesses import Witnesses
from regard.models import (
    Config,
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    GridConfig,
    ViTConfig,
    build,
    vary,
)

Stacked = DecoderConfig | EncoderConfig | EncoderDecoderConfig | ViTConfig | GridConfig
LEGEND = {
    "B": "rows of the batch",
    "N": "tokens",
    "L": "layers",
    "D": "width of the model",
    "H": "heads",
    "K": "width of a head",
    "F": "width of the feed-forward",
    "V": "vocabulary",
    "P": "positions that are learned",
    "R": "patches along a side",
    "M": "classes",
}


def preset_formulas(config: Config, batch: int = 1, tokens: int | None = None) -> Formulas:
    """The cost of a model of `regard.models` as polynomials in all of its sizes.

    >>> from regard.models import PRESETS
    >>> found = preset_formulas(PRESETS["gpt2"], tokens=1024)
    >>> print(found.forward)
    2·B·D·L·N² + 24·B·D²·L·N + 2·B·D·L·N + 2·B·D·N·V
    """
    if not isinstance(config, Stacked):
        raise ValueError(
            f"formulas are of models whose layers all have the same sizes: got {type(config).__name__}; leave out "
            "--symbolic, or use regard.analysis.formulas"
        )
    sizes, factors = _sizes(config, batch, tokens)
    make = _maker(config)
    witnesses = Witnesses(factors, avoid=sizes.values(), **_primes(config))
    few, more = (at_witnesses(make, witnesses, L=depth) for depth in (2, 3))
    rows = tuple(_deep(few, more))
    found = Formulas(rows, sizes, few.unknown, few.notes)
    checked(found, make, sizes)
    if "K" in sizes and "D" not in sizes:  # D = H·K is the size that people speak of
        by_width = Polynomial.symbol("D") / Polynomial.symbol("H")
        rows = tuple([row.each(lambda polynomial: polynomial.replace("K", by_width)) for row in found.modules])
        sizes = {name: size for name, size in sizes.items() if name != "K"} | {"D": sizes["H"] * sizes["K"]}
    return replace(found, modules=rows, sizes=sizes)


def _sizes(config: Stacked, batch: int, tokens: int | None) -> tuple[dict[str, int], dict[str, int]]:
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
        return build(changed), changed.inputs(B, sizes.get("N"))

    return make


def _deep(few: Formulas, more: Formulas) -> list[ModuleFormulas]:
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
        for name in ("parameters", "forward", "backward", "attention"):
            at_two, at_three = getattr(row, name), getattr(next_row, name)
            changes[name] = at_two + extra * (at_three - at_two)
        rows.append(replace(row, **changes))
    return rows
