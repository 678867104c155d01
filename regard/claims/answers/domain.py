"""The sizes over which a formula is a statement: `D` positive, `H` a divisor of `D`, and so on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice

SIGNS = {"≥": "at least", ">=": "at least", "≤": "at most", "<=": "at most", "|": "divides", "∣": "divides"}
KINDS = ("positive", "nonnegative", "even", "odd", "real", "positive real")
RELATIONS = ("at least", "at most", "divides", "multiple of")
KNOWN = (
    "positive, nonnegative, even, odd, at least 2, at most 8, at most X, divides X, multiple of X, real, positive real"
)
SPREAD = (2, 3, 4, 6, 8, 12, 16, 5, 24, 7, 64, 96, 11, 128, 48, 30, 17, 256, 100, 768)
STRIDES = (7, 11, 3, 13, 9, 17, 19, 1)  # each coprime to the length of SPREAD, so that each symbol meets all of it
IDLE = {1: 5_000, 2: 300, 3: 80}  # sums without a size before the rules count as contradictory, by number of symbols


@dataclass(frozen=True)
class Rule:
    """One rule: a kind of number, or a relation to a number or to another symbol."""

    name: str
    bound: int | str | None = None

    def holds(self, size: Fraction, sizes: Mapping[str, Fraction]) -> bool:
        """Whether it does; so far also yes where the other symbol has no size yet."""
        bound = sizes.get(self.bound) if isinstance(self.bound, str) else self.bound
        if self.name in ("even", "odd"):
            return size % 2 == (self.name == "odd")
        if bound is None:
            return True
        if self.name == "divides":
            return size != 0 and bound % size == 0
        if self.name == "multiple of":
            return bound != 0 and size % bound == 0
        return size >= bound if self.name == "at least" else size <= bound


@dataclass(frozen=True)
class Range:
    """The values one symbol runs through, smallest first: integers from `low` to `high`, or the rationals."""

    name: str
    rules: tuple[Rule, ...]
    real: bool
    low: int
    high: int | None

    def size(self, step: int) -> Fraction | None:
        if self.real:
            return positive_rational(step) if self.low else rational(step)
        return None if self.high is not None and self.low + step > self.high else Fraction(self.low + step)

    def has(self, size: Fraction) -> bool:
        whole = size.denominator == 1 and size >= self.low and (self.high is None or size <= self.high)
        return (size > 0 or not self.low) if self.real else whole


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Symbols, in order, each with its rules, joined by commas.

    `positive` (an integer ≥ 1; also meant where no kind is named), `nonnegative`, `even`, `odd`, `at least 2`,
    `at most 8`, `at most D`, `divides D`, `multiple of H`, `real`, `positive real`; `N >= 1`, `N ≤ 8` and `H | D` are
    the same rules as signs.

    >>> [(int(at["D"]), int(at["H"])) for at in Domain.parse({"D": "even, at most 4", "H": "divides D"}).points()]
    [(2, 1), (2, 2), (4, 1), (4, 2), (4, 4)]
    """

    rules: tuple[tuple[str, str], ...]
    ranges: tuple[Range, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", tuple(read_range(name, text, self.symbols) for name, text in self.rules))
        if next(self.points(), None) is None:
            listed = "; ".join(f"{name}: {text}" for name, text in self.rules)
            raise ValueError(f"a domain must hold some sizes: got none for {listed}; loosen a rule")

    @classmethod
    def parse(cls, rules: Mapping[str, str]) -> "Domain":
        """A domain from a table of symbols and rules; a ValueError names the symbol and the rule."""
        return cls(rules=tuple(rules.items()))

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.rules)

    @property
    def positive(self) -> frozenset[str]:
        """The symbols that are above zero at every size."""
        return frozenset(one.name for one in self.ranges if one.low > 0)

    def orderings(self) -> Iterator[tuple[str, str]]:
        """Pairs (small, large) of symbols that the rules order: a divisor is at most what it divides."""
        for one in self.ranges:
            for rule in one.rules:
                if isinstance(rule.bound, str):
                    yield (rule.bound, one.name) if rule.name in ("multiple of", "at least") else (one.name, rule.bound)

    def contains(self, sizes: Mapping[str, int | Fraction]) -> bool:
        """Whether these sizes keep every rule."""
        at = {name: Fraction(sizes[name]) for name in self.symbols}
        return self.holds(at) and all(one.has(at[one.name]) for one in self.ranges)

    def holds(self, sizes: Mapping[str, Fraction]) -> bool:
        return all(rule.holds(sizes[one.name], sizes) for one in self.ranges if one.name in sizes for rule in one.rules)

    def largest(self, name: str, seen: frozenset[str] = frozenset()) -> int | None:
        """The largest size of a symbol, perhaps by way of another one; None without end."""
        one = self.ranges[self.symbols.index(name)]
        if one.real or name in seen:
            return None
        above = [large for small, large in self.orderings() if small == name]
        found = [one.high, *(self.largest(large, seen | {name}) for large in above)]
        return min((high for high in found if high is not None), default=None)

    @property
    def is_free(self) -> bool:
        """Whether polynomials that agree at all sizes are the same: no symbol is bounded or tied to another."""
        pairs = set(self.orderings())
        tied = any((large, small) in pairs for small, large in pairs)
        return not tied and all(self.largest(name) is None for name in self.symbols)

    def points(self) -> Iterator[dict[str, Fraction]]:
        """All sizes, the smallest sum first, then in the order of the symbols; without end unless finite."""
        ends = [None if (high := self.largest(one.name)) is None else high - one.low for one in self.ranges]
        last = None if None in ends else sum(end for end in ends if end is not None)
        idle, patience = 0, IDLE.get(len(self.ranges), 30)
        for total in count():
            if (last is not None and total > last) or idle > patience:
                return
            idle += 1
            for sizes in self.summing_to(total, {}):
                idle = 0
                yield sizes

    def summing_to(self, total: int, sizes: dict[str, Fraction]) -> Iterator[dict[str, Fraction]]:
        """Sizes whose steps above the least ones sum to `total`."""
        if len(sizes) == len(self.ranges):
            if total == 0:
                yield dict(sizes)
            return
        one = self.ranges[len(sizes)]
        for step in (total,) if len(sizes) == len(self.ranges) - 1 else range(total + 1):
            if (size := one.size(step)) is None:
                return
            sizes[one.name] = size
            if self.holds(sizes):
                yield from self.summing_to(total - step, sizes)
            del sizes[one.name]

    @lru_cache(maxsize=128)  # noqa: B019 (domains are small values, and few)
    def sample(self, number: int) -> tuple[dict[str, Fraction], ...]:
        """A fixed set of that many sizes, a third of them the smallest, the others spread; fewer if there are fewer."""
        found = list(islice(self.points(), max(1, number // 3)))
        for turn in range(8 * number):
            if len(found) >= number:
                break
            sizes = {}
            for place, one in enumerate(self.ranges):
                step = (turn * STRIDES[place % len(STRIDES)] + 5 * place + turn // len(SPREAD)) % len(SPREAD)
                sizes[one.name] = one.size(2 * step + 1) if one.real else Fraction(max(SPREAD[step], one.low))
            mend(sizes, self.ranges)
            if self.contains(sizes) and sizes not in found:
                found.append(sizes)
        if len(found) < number:
            found += [sizes for sizes in islice(self.points(), 2 * number) if sizes not in found][: number - len(found)]
        return tuple(found)


def mend(sizes: dict[str, Fraction], ranges: Sequence[Range]) -> None:
    """Change spread sizes so that most of them keep the rules; the others are left out by the caller."""
    for one in ranges:
        for rule in one.rules:
            if rule.holds(sizes[one.name], sizes):
                continue
            if rule.name == "odd":
                sizes[one.name] += 1
            elif rule.name == "even":
                sizes[one.name] *= 2
            elif isinstance(rule.bound, str):
                if rule.name == "divides":
                    sizes[rule.bound] *= sizes[one.name]
                elif rule.name == "multiple of":
                    sizes[one.name] *= sizes[rule.bound]
                else:
                    sizes[one.name], sizes[rule.bound] = sizes[rule.bound], sizes[one.name]
            elif rule.bound is not None:
                sizes[one.name] = sizes[one.name] * rule.bound if rule.name == "multiple of" else Fraction(rule.bound)


def read_range(name: str, text: str, symbols: tuple[str, ...]) -> Range:
    rules = [read_rule(name, part.strip(), symbols) for part in text.split(",")]
    kinds = {rule.name for rule in rules}
    real = bool(kinds & {"real", "positive real"})
    low = 0 if kinds & {"real", "nonnegative"} else 1
    bounds = [rule for rule in rules if isinstance(rule.bound, int)]
    low = max([low, *(int(rule.bound) for rule in bounds if rule.name == "at least")])  # pyright: ignore[reportArgumentType]
    if not kinds & set(KINDS) and any(rule.name == "at least" and rule.bound == 0 for rule in bounds):
        low = 0
    highs = [int(rule.bound) for rule in bounds if rule.name in ("at most", "divides")]  # pyright: ignore[reportArgumentType]
    return Range(name, tuple(rules), real, low, min(highs, default=None))


def read_rule(name: str, text: str, symbols: tuple[str, ...]) -> Rule:
    """`at least 2`, `N >= 2`, `H | D` …"""
    plain = text
    for sign, words in SIGNS.items():
        plain = re.sub(rf"^(?:{re.escape(name)}\s*)?{re.escape(sign)}", words + " ", plain)
    plain = " ".join(plain.split())
    if plain in KINDS:
        return Rule(plain)
    for relation in RELATIONS:
        bound = plain.removeprefix(relation + " ")
        if bound != plain and bound.isdecimal() and len(bound) < 10:
            return Rule(relation, int(bound))
        if bound != plain and bound in symbols and bound != name:
            return Rule(relation, bound)
    others = f" with X one of {', '.join(symbols)}" if len(symbols) > 1 else ""
    raise ValueError(f"the rule of {name} must be one of {KNOWN}{others}: got {text!r}; join several with commas")


def positive_rational(step: int) -> Fraction:
    """1, 1/2, 2, 1/3, 3/2, 2/3, 3 …: every positive rational once (Calkin and Wilf)."""
    value = Fraction(1)
    for _ in range(step):
        value = 1 / (2 * (value.numerator // value.denominator) - value + 1)
    return value


def rational(step: int) -> Fraction:
    """1, 0, −1, 1/2, −1/2, 2, −2 …"""
    if step < 2:
        return Fraction(1 - step)
    half = positive_rational((step - 1) // 2)
    return half if step % 2 else -half
