"""Costs as polynomials: the count of a run at witness sizes, checked against the count at real ones."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from torch import nn

from regard.algorithms.planning.report import plain
from regard.analysis.cost.count import distinct_modules, run, summary, watching
from regard.analysis.cost.fakes import eager_torch, fake_inputs, fake_module, new_mode
from regard.analysis.cost.polynomial import Polynomial
from regard.analysis.cost.report import ModelCost
from regard.analysis.cost.trace import Watch
from regard.analysis.cost.witnesses import Witnesses

Made = tuple[nn.Module, tuple[Any, ...]] | tuple[nn.Module, tuple[Any, ...], dict[str, Any]]
Make = Callable[..., Made]
ZERO = Polynomial({})


class NotPolynomial(ValueError):  # noqa: N818 - named by what is the matter
    """A model that takes another way at other sizes."""


@dataclass(frozen=True)
class ModuleFormulas:
    """Polynomials of one module: its parameters, its matrix FLOPs, and of those forward the ones of attention."""

    name: str
    kind: str
    parameters: Polynomial
    forward: Polynomial
    backward: Polynomial
    attention: Polynomial

    @property
    def rest(self) -> Polynomial:
        """Forward FLOPs outside of attention: projections, feed-forward networks, heads."""
        return self.forward - self.attention

    def each(self, change: Callable[[Polynomial], Polynomial]) -> "ModuleFormulas":
        """Every polynomial changed."""
        names = ("parameters", "forward", "backward", "attention")
        return replace(self, **{name: change(getattr(self, name)) for name in names})


@dataclass(frozen=True)
class Formulas:
    """What a model costs as polynomials in its sizes; `sizes` are those at which they equal the count."""

    modules: tuple[ModuleFormulas, ...]
    sizes: dict[str, int]
    unknown: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def parameters(self) -> Polynomial:
        return self.modules[0].parameters

    @property
    def forward(self) -> Polynomial:
        return self.modules[0].forward

    @property
    def backward(self) -> Polynomial:
        return self.modules[0].backward

    def __getitem__(self, name: str) -> ModuleFormulas:
        return next(module for module in self.modules if module.name == name)

    def json(self) -> str:
        """Polynomials as text, which SymPy reads back."""
        keys = ("parameters", "forward", "backward", "attention")
        rows = [
            {"name": m.name, "kind": m.kind} | {key: str(getattr(m, key).sympy()) for key in keys} for m in self.modules
        ]
        whole = {key: str(getattr(self.modules[0], key).sympy()) for key in keys}
        return json.dumps(
            {"sizes": self.sizes, **whole, "modules": rows, "unknown": self.unknown, "notes": self.notes}, indent=1
        )

    def csv(self) -> str:
        """A line per module."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        keys = ("parameters", "forward", "backward", "attention")
        writer.writerow(["module", "kind", *keys])
        for row in self.modules:
            writer.writerow([row.name, row.kind, *[str(getattr(row, key).sympy()) for key in keys]])
        return out.getvalue()

    def rich(self, depth: int = 3) -> Any:
        """The table for Rich, with modules down to a depth."""
        from regard.analysis.cost.formula_table import rich_formulas

        return rich_formulas(self, depth)

    def __str__(self) -> str:
        return plain(self.rich(), width=120)


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
    checked(found, make, sizes)
    # A model may look like a polynomial at one place: it must be one at another too, where it can be built there.
    other = {name: max(by[name], size // (2 * by[name]) * by[name]) for name, size in sizes.items()}
    try:
        checked(found, make, other)
    except (RuntimeError, AssertionError, IndexError) as error:
        note = f"checked at {sizes} alone: at {other} the model gives {type(error).__name__}"
        found = replace(found, notes=(*found.notes, note))
    return replace(found, sizes=sizes)


def at_witnesses(make: Make, witnesses: Witnesses, **fixed: int) -> Formulas:
    """The formulas of a model that is built, and called, at witness sizes; `fixed` are no symbols."""
    watch = Watch(witnesses.read, witnesses.read_pairs)
    module = _run(watch, make, {name: witnesses[name] for name in witnesses.primes} | fixed)
    counted = summary(module, watch.finish(), None)
    parts = dict(distinct_modules(module))
    rows = [
        ModuleFormulas(
            part.name,
            part.kind,
            _parameters(witnesses, parts[part.name]),
            Polynomial.of(part.forward.flops),
            Polynomial.of(part.backward.flops),
            Polynomial.of(part.attention),
        )
        for part in counted.modules
    ]
    return Formulas(tuple(rows), {}, counted.unknown, counted.notes)


def _parameters(witnesses: Witnesses, module: nn.Module) -> Polynomial:
    total = ZERO
    for parameter in {id(p): p for p in module.parameters()}.values():
        size = Polynomial({(): 1})
        for n in parameter.shape:
            size = size * witnesses.read(n)
        total = total + size
    return total


def checked(found: Formulas, make: Make, sizes: dict[str, int], **fixed: int) -> None:
    """Raise unless the polynomials are, at these sizes, what is counted there."""
    counted = count_at(make, **{name: sizes[name] for name in sizes if name not in fixed}, **fixed)
    real = {part.name: (part.parameters, part.forward.flops, part.backward.flops) for part in counted.modules}
    for row in found.modules:
        values = tuple(polynomial(**sizes) for polynomial in (row.parameters, row.forward, row.backward))
        if row.name in real and values != real[row.name]:
            raise NotPolynomial(
                f"the cost of {row.name or 'the model'} is no one polynomial: parameters, forward and backward FLOPs "
                f"at {sizes} are {real[row.name]}, the formulas give {values}; it takes another way at other sizes"
            )


def count_at(make: Make, **sizes: int) -> ModelCost:
    """The count in numbers, by the same run."""
    watch = Watch()
    module = _run(watch, make, sizes)
    return summary(module, watch.finish(), None)


def _run(watch: Watch, make: Make, sizes: dict[str, int]) -> nn.Module:
    """Build, call and go back, all without memory."""
    mode = new_mode()
    with eager_torch(), mode, watch:
        watch.phase = "building"  # masks that a model makes for later are known
        module, inputs, *more = make(**sizes)
    module, (inputs, more) = fake_module(mode, module), fake_inputs(mode, (inputs, more))
    with mode, watching(watch, module):
        run(watch, None, module, inputs, more[0] if more else {}, backward=True)
    return module
