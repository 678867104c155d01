"""Costs as polynomials in the sizes of a model: which terms decide as a size grows, and where two costs are equal."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from regard.analysis.tables import Printed, new_table, stack, write_csv
from regard.checks import nearest
from regard.formulas import Polynomial, dominant, write_sympy

KEYS = ("parameters", "forward", "backward", "attention")
LEGEND = {
    "B": "rows of the batch",
    "N": "tokens",
    "L": "layers",
    "D": "width of the model",
    "H": "heads",
    "K": "width of a head",
    "F": "width of the feed-forward",
    "V": "vocabulary",
    "P": "learned positions",
    "R": "patches along a side",
    "M": "classes",
}


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
        return replace(self, **{key: change(getattr(self, key)) for key in KEYS})

    def texts(self) -> dict[str, str]:
        """Polynomials as text that SymPy reads back."""
        return {key: str(getattr(self, key).sympy()) for key in KEYS}


@dataclass(frozen=True)
class Formulas(Printed):
    """What a model costs as polynomials in its sizes; `sizes` are those at which they equal the count."""

    columns = 120

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
        """One module by its name."""
        for module in self.modules:
            if module.name == name:
                return module
        raise KeyError(f"no module {name!r}: {nearest(name, [module.name for module in self.modules])}")

    def json(self) -> str:
        """Polynomials as text that SymPy reads back."""
        rows = [{"name": row.name, "kind": row.kind} | row.texts() for row in self.modules]
        found = {"sizes": self.sizes} | self.modules[0].texts()
        return json.dumps(found | {"modules": rows, "unknown": self.unknown, "notes": self.notes}, indent=1)

    def csv(self) -> str:
        """A line per module."""
        rows = [[row.name, row.kind, *row.texts().values()] for row in self.modules]
        return write_csv([["module", "kind", *KEYS], *rows])

    def rich(self, depth: int = 3) -> Any:
        """A table for Rich: sizes, totals, every module down to a depth, what dominates, where parts cost the same."""
        sizes = new_table(show_header=False)
        for name, size in self.sizes.items():
            sizes.add_row(name, f"{size:,}", LEGEND.get(name, ""))
        totals = new_table("", "", "", show_header=False)
        for name in ("parameters", "forward", "backward"):
            polynomial: Polynomial = getattr(self, name)
            totals.add_row(name, str(polynomial), f"= {int(polynomial(**self.sizes)):,}")
        modules = new_table("module", "kind", "parameters", "forward FLOPs")
        for row in self.modules[1:]:
            level = row.name.count(".") + 1
            if level <= depth:
                label = "  " * (level - 1) + row.name.rpartition(".")[2]
                modules.add_row(label, row.kind, str(row.parameters), str(row.forward))
        leading = new_table("as", "the FLOPs are", "because of")
        for symbol in self.sizes:
            if symbol in self.forward.symbols:
                terms = dominant(self.forward, symbol)
                leading.add_row(f"{symbol} → ∞", terms.order, str(terms.terms))
        tokens = "N" if "N" in self.sizes or "R" not in self.sizes else "R"  # attention is quadratic in it
        return stack(
            *(sizes, "", totals, "", *[modules] * bool(modules.row_count), "", leading),
            *[str(crossover) for crossover in crossovers(self, tokens)],
            *[(f"not counted: {name}, {count} times", "yellow") for name, count in self.unknown.items()],
            *[(note, "dim") for note in self.notes],
        )


@dataclass(frozen=True)
class Crossing:
    """The size from which on one cost is the larger: `at` as a SymPy expression, `value` at the sizes in use.

    Of several sizes it is the largest. Both are None where the costs are equal at no size from 1; `at` alone is None
    where the size is a root that no square roots express. `beyond` is 1 where the left cost is the larger for all
    larger sizes, −1 where the right one is, 0 where both are the same.
    """

    symbol: str
    at: Any
    value: int | float | None
    beyond: int

    def __str__(self) -> str:
        if self.value is None:
            return f"no {self.symbol}*"
        formula = "" if self.at is None or self.at.is_number else f" = {write_sympy(self.at)}"
        return f"{self.symbol}*{formula} {self.number}"

    @property
    def number(self) -> str:
        """The value as people write it."""
        if self.value is None or isinstance(self.value, int):
            return f"= {self.value:,}"
        return f"≈ {self.value:,.0f}" if self.value >= 100 else f"≈ {self.value:.3g}"


@dataclass(frozen=True)
class Crossover(Crossing):
    """A module in which attention and the rest cost the same forward FLOPs at this size; `alike` cross there too."""

    module: str
    kind: str
    alike: tuple[str, ...] = ()

    def json(self) -> str:
        """For a program; `at` is text that SymPy reads back."""
        at = None if self.at is None else str(self.at)
        names = {"module": self.module, "kind": self.kind, "alike": self.alike, "symbol": self.symbol}
        return json.dumps(names | {"at": at, "value": self.value, "beyond": self.beyond})

    def __str__(self) -> str:
        which = {1: "attention costs more", -1: "the rest costs more", 0: "attention and the rest cost the same"}
        says = which[self.beyond]
        place = f"{self.kind} {self.module}".rstrip()
        if self.value is None:
            return f"{place}: {says} at every {self.symbol}"
        return f"{place}: {says} beyond {super().__str__()}"


def crossovers(found: Formulas, symbol: str = "N") -> tuple[Crossover, ...]:
    """Where attention overtakes what stands around it, for every module that holds both, the smallest size first.

    Modules that cross at the same expression are one: the innermost of them is named.

    >>> import torch
    >>> from torch import nn
    >>> from regard.analysis.cost.symbolic import formulas
    >>> def make(B, N, D):
    ...     layer = nn.TransformerEncoderLayer(D, 8, 4 * D, batch_first=True)
    ...     return layer, (torch.empty(B, N, D, device="meta"),)
    >>> for crossover in crossovers(formulas(make, factors={"D": 8}, B=1, N=16, D=64)):
    ...     print(crossover)
    MultiheadAttention self_attn: attention costs more beyond N* = 2·D = 128
    TransformerEncoderLayer: attention costs more beyond N* = 6·D = 384
    """
    check_symbol(found, symbol)
    groups: dict[Any, tuple[Crossing, list[ModuleFormulas]]] = {}
    for module in found.modules:
        if module.attention.terms and module.rest.terms:
            place = crossing(module.attention, module.rest, symbol, **found.sizes)
            key = (place.value if place.at is None else place.at, place.beyond)
            groups.setdefault(key, (place, []))[1].append(module)
    rows = []
    for place, modules in groups.values():
        innermost = max(modules, key=lambda module: len(module.name.split(".")) if module.name else 0)
        alike = tuple([module.name for module in modules if module is not innermost])
        rows.append(Crossover(**vars(place), module=innermost.name, kind=innermost.kind, alike=alike))
    return tuple(sorted(rows, key=lambda row: float("inf") if row.value is None else row.value))


def crossing(left: Polynomial, right: Polynomial, symbol: str = "N", /, **sizes: int) -> Crossing:
    """Where two costs are equal; `sizes` tell which of several roots is meant.

    >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
    >>> attention, lstm = 8 * N * D * D + 4 * N * N * D, 16 * N * D * D
    >>> print(crossing(attention, lstm, "N", N=100, D=512))
    N* = 2·D = 1,024
    """
    difference = left - right
    if missing := sorted((difference.symbols - {symbol}) - sizes.keys()):
        raise ValueError(f"sizes must tell every symbol but {symbol}: got none for {', '.join(missing)}")
    others = {name: size for name, size in sizes.items() if name != symbol}
    places = [place for factor in _factors(difference, symbol) for place in _roots(factor, symbol, others)]
    value, at = max(places, key=lambda place: place[0], default=(None, None))
    number = None if value is None else int(value) if value.is_Integer else float(value)
    return Crossing(symbol, at, number, _sign_far_out(difference, symbol, others))


def _factors(difference: Polynomial, symbol: str) -> Iterator[Any]:
    """The irreducible factors that hold the symbol: B and what else is common to both costs falls out."""
    import sympy

    if difference.terms:
        top, _ = sympy.fraction(sympy.together(difference.sympy()))
        x = sympy.Symbol(symbol, positive=True)
        yield from (factor for factor, _ in sympy.factor_list(top)[1] if factor.has(x) and factor != x)


def _roots(factor: Any, symbol: str, others: Mapping[str, int]) -> list[tuple[Any, Any]]:
    """The roots that can be sizes, 1 and above, each with its expression where square roots give one."""
    import sympy

    x = sympy.Symbol(symbol, positive=True)
    at_sizes = {sympy.Symbol(name, positive=True): size for name, size in others.items()}
    numbers = sympy.Poly(factor.subs(at_sizes), x)
    values = [root for root in numbers.real_roots(multiple=False) if root[0] >= 1] if numbers.degree() > 0 else []
    exact = sympy.roots(sympy.Poly(factor, x), cubics=False, quartics=False) if values else {}
    found = []
    for value, _ in values:
        near = [root for root in exact if abs(complex(root.subs(at_sizes)) - float(value)) < 1e-9 * float(value)]
        found.append((value, sympy.simplify(near[0]) if near else None))
    return found


def _sign_far_out(difference: Polynomial, symbol: str, others: Mapping[str, int]) -> int:
    """The sign for every size beyond the last root: that of the highest power whose coefficient is not zero."""
    import sympy

    x = sympy.Symbol(symbol, positive=True)
    at_sizes = {sympy.Symbol(name, positive=True): size for name, size in others.items()}
    top, under = sympy.fraction(sympy.together(difference.sympy().subs(at_sizes)))
    return int(sympy.sign(sympy.LC(top, x) * sympy.LC(under, x)))


def check_symbol(found: Formulas, symbol: str) -> None:
    """Raise unless the formulas have this size."""
    if symbol not in found.sizes:
        raise ValueError(
            f"symbol must be a size of these formulas: got {symbol!r}; use one of {', '.join(found.sizes)}"
        )
