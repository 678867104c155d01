"""The sizes over which a formula is a statement: `D` positive, `H` a divisor of `D`, `p` between 0 and 1/2, and so on.

Sizes are integers, unless a rule says `real`, `between`, or has a fraction as its bound.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count, islice
from math import ceil, floor, gcd, lcm
from operator import ge, gt, le, lt
from typing import Any

SIGNS = {
    "≥": "at least", ">=": "at least", "≤": "at most", "<=": "at most", "|": "divides", "∣": "divides",
    "<": "below", ">": "above",
}  # fmt: skip
KINDS = ("positive", "nonnegative", "even", "odd", "real", "positive real")
REALS, INTEGERS = {"real", "positive real"}, {"positive", "nonnegative", "even", "odd"}
RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "at least": ge,
    "at most": le,
    "above": gt,
    "below": lt,
    "divides": lambda size, bound: size != 0 and bound % size == 0,
    "multiple of": lambda size, bound: bound != 0 and size % bound == 0,
}
KNOWN = (
    "positive, nonnegative, even, odd, at least 2, at most 8, at most X, divides X, multiple of X, real, "
    "positive real, above 0, below 1/2, between 0 and 1/2"
)
BOUND = re.compile(r"[-−]?[0-9]{1,9}(?:/[0-9]{1,9}|\.[0-9]{1,9})?")
SPREAD = (2, 3, 4, 6, 8, 12, 16, 5, 24, 7, 64, 96, 11, 128, 48, 30, 17, 256, 100, 768)
STRIDES = (7, 11, 3, 13, 9, 17, 19, 1)  # each coprime to the length of SPREAD, so that each symbol meets all of it
UPWARD = ("multiple of", "at least", "above")
IDLE = {1: 5_000, 2: 300, 3: 80}  # sums without a size before the rules count as contradictory, by number of symbols


@dataclass(frozen=True)
class Rule:
    """One rule: a kind of number, or a relation to a number or to another symbol."""

    name: str
    bound: Fraction | str | None = None

    def holds(self, size: Fraction, sizes: Mapping[str, Fraction]) -> bool:
        """Whether it does; also yes where the other symbol has no size yet."""
        bound = sizes.get(self.bound) if isinstance(self.bound, str) else self.bound
        if self.name in ("even", "odd"):
            return size % 2 == (self.name == "odd")
        return bound is None or RELATIONS[self.name](size, bound)


@dataclass(frozen=True)
class Range:
    """The values one symbol runs through: integers from `low` to `high` by `stride`, or the rationals between them."""

    name: str
    rules: tuple[Rule, ...]
    real: bool
    low: Fraction | None  # None: the reals without end below
    high: Fraction | None
    stride: int = 1

    def size(self, step: int) -> Fraction | None:
        """The value after so many steps; None beyond the last one."""
        if self.low is None:
            return rational(step) if self.high is None else self.high - positive_rational(step)
        if not self.real:
            size = self.low + step * self.stride
            return None if self.high is not None and size > self.high else size
        if self.high is None:
            return self.low + positive_rational(step)
        return self.low + (self.high - self.low) * part(step) if self.low < self.high else None

    def has(self, size: Fraction) -> bool:
        within = (self.low is None or size >= self.low) and (self.high is None or size <= self.high)
        return within and (size != 0 or not self.positive if self.real else size.denominator == 1)

    def spread(self, step: int) -> Fraction | None:
        """One of the values that lie further apart."""
        if self.real or self.low is None:
            return self.size(2 * step + 1)
        return self.stride * max(Fraction(SPREAD[step]), self.low / self.stride)

    @property
    def positive(self) -> bool:
        """Whether every value is above zero: of the reals `low` is none."""
        return self.low is not None and (self.low > 0 or (self.real and self.low == 0))


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Symbols, in order, each with its rules, joined by commas.

    `positive` (an integer ≥ 1; also meant where no kind is named), `nonnegative`, `even`, `odd`, `at least 2`,
    `at most 8`, `at most D`, `divides D`, `multiple of H`, `real`, `positive real`, `above 0`, `below 1/2`,
    `between 0 and 1/2`; `N >= 1`, `N ≤ 8`, `p < 1/2` and `H | D` are the same rules as signs. A bound that is a
    fraction makes the symbol a positive real, unless an integer kind is named.

    >>> [(int(at["D"]), int(at["H"])) for at in Domain.parse({"D": "even, at most 4", "H": "divides D"}).points()]
    [(2, 1), (2, 2), (4, 1), (4, 2), (4, 4)]
    >>> [str(at["p"]) for at in islice(Domain.parse({"p": "below 1/2"}).points(), 5)]
    ['1/4', '1/6', '1/3', '1/8', '3/8']
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
        return frozenset(one.name for one in self.ranges if one.positive)

    @property
    def whole(self) -> frozenset[str]:
        """The symbols that are integers."""
        return frozenset(one.name for one in self.ranges if not one.real)

    def orderings(self) -> Iterator[tuple[str, str]]:
        """Pairs (small, large) of symbols that the rules order: a divisor is at most what it divides."""
        for one in self.ranges:
            for rule in one.rules:
                if isinstance(rule.bound, str):
                    yield (rule.bound, one.name) if rule.name in UPWARD else (one.name, rule.bound)

    def contains(self, sizes: Mapping[str, int | Fraction]) -> bool:
        """Whether these sizes keep every rule."""
        at = {name: Fraction(sizes[name]) for name in self.symbols}
        return self.holds(at) and all(one.has(at[one.name]) for one in self.ranges)

    def holds(self, sizes: Mapping[str, Fraction]) -> bool:
        return all(rule.holds(sizes[one.name], sizes) for one in self.ranges if one.name in sizes for rule in one.rules)

    def largest(self, name: str, seen: frozenset[str] = frozenset()) -> Fraction | None:
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
        ends = [None if (high := self.largest(one.name)) is None else high - (one.low or 0) for one in self.ranges]
        last = None if None in ends else sum(end for end in ends if end is not None)
        idle, patience = 0, IDLE.get(len(self.ranges), 30)
        for total in totals([one.stride for one in self.ranges]):
            if (last is not None and total > last) or idle > patience:
                return
            idle += 1
            for sizes in self.summing_to(total, {}):
                idle = 0
                yield sizes

    def summing_to(self, total: int, sizes: dict[str, Fraction]) -> Iterator[dict[str, Fraction]]:
        """Sizes whose distances above the least ones sum to `total`."""
        if len(sizes) == len(self.ranges):
            if total == 0:
                yield dict(sizes)
            return
        one = self.ranges[len(sizes)]
        for way in (total,) if len(sizes) == len(self.ranges) - 1 else range(0, total + 1, one.stride):
            if way % one.stride or (size := one.size(way // one.stride)) is None:
                return
            sizes[one.name] = size
            if self.holds(sizes):
                yield from self.summing_to(total - way, sizes)
            del sizes[one.name]

    @lru_cache(maxsize=128)  # noqa: B019 (domains are small values, and few)
    def sample(self, number: int) -> tuple[dict[str, Fraction], ...]:
        """A fixed set of that many sizes, a third of them the smallest, the others spread; fewer if there are fewer."""
        found = list(islice(self.points(), max(1, number // 3)))
        for turn in range(8 * number):
            if len(found) >= number:
                break
            sizes: Any = {}
            for place, one in enumerate(self.ranges):
                step = turn * STRIDES[place % len(STRIDES)] + 5 * place + turn // len(SPREAD)
                sizes[one.name] = one.spread(step % len(SPREAD))
            mend(sizes, self.ranges)
            if self.contains(sizes) and sizes not in found:
                found.append(sizes)
        if len(found) < number:
            found += [sizes for sizes in islice(self.points(), 2 * number) if sizes not in found][: number - len(found)]
        return tuple(found)


def totals(strides: list[int]) -> Iterator[int]:
    """The sums of multiples of the strides, smallest first."""
    if not strides or 1 in strides:
        yield from count()
    waiting, last = [0], -1
    while True:
        total = heappop(waiting)
        if total != last:
            yield total
            for stride in set(strides):
                heappush(waiting, total + stride)
        last = total


def mend(sizes: dict[str, Fraction], ranges: Sequence[Range]) -> None:
    """Change spread sizes so that most of them keep the rules; the others are left out by the caller."""
    for one in ranges:
        for rule in one.rules:
            if rule.holds(sizes[one.name], sizes):
                continue
            bound = sizes[rule.bound] if isinstance(rule.bound, str) else rule.bound
            if bound is None:
                sizes[one.name] += 1 if rule.name == "odd" else sizes[one.name]
            elif rule.name == "multiple of":
                sizes[one.name] *= bound
            elif not isinstance(rule.bound, str):
                sizes[one.name] = one.high or bound
            elif rule.name == "divides":
                sizes[rule.bound] *= sizes[one.name]
            else:
                sizes[one.name], sizes[rule.bound] = bound, sizes[one.name]


def read_range(name: str, text: str, symbols: tuple[str, ...]) -> Range:
    rules = [rule for part in text.split(",") for rule in read_rule(name, part.strip(), symbols)]
    kinds = {rule.name for rule in rules} & set(KINDS)
    bounds = [(rule.name, rule.bound) for rule in rules if isinstance(rule.bound, Fraction)]
    broken = "between" in text or any(bound.denominator > 1 for _, bound in bounds)
    if kinds & REALS or (broken and not kinds & INTEGERS):
        stated = [bound for relation, bound in bounds if relation in ("at least", "above")]
        lows = stated + [Fraction(0)] * ("positive real" in kinds or not (kinds or stated))
        highs = [bound for relation, bound in bounds if relation in ("at most", "below")]
        return Range(name, tuple(rules), True, max(lows, default=None), min(highs, default=None))
    whole = {"at least": ceil, "above": lambda bound: floor(bound) + 1, "below": lambda bound: ceil(bound) - 1}
    ends = [(relation, whole.get(relation, floor)(bound)) for relation, bound in bounds]
    lows = [end for relation, end in ends if relation in ("at least", "above")]
    low: int = max([*lows, *([0] if "nonnegative" in kinds else [1] if kinds or not lows else [])])
    highs = [end for relation, end in ends if relation in ("at most", "below", "divides")]
    stride = lcm(*(int(bound) for relation, bound in bounds if relation == "multiple of" and bound))
    low = -(-low // stride) * stride
    return Range(name, tuple(rules), False, Fraction(low), Fraction(min(highs)) if highs else None, stride)


def read_rule(name: str, text: str, symbols: tuple[str, ...]) -> list[Rule]:
    """`at least 2`, `N >= 2`, `H | D` …; `between 0 and 1/2` is two rules."""
    plain = text
    for sign, words in SIGNS.items():
        plain = re.sub(rf"^(?:{re.escape(name)}\s*)?{re.escape(sign)}", words + " ", plain)
    plain = " ".join(plain.split())
    if plain in KINDS:
        return [Rule(plain)]
    low, _, high = plain.removeprefix("between ").partition(" and ")
    if plain.startswith("between ") and BOUND.fullmatch(low) and BOUND.fullmatch(high):
        return [Rule("above", bound_of(low)), Rule("below", bound_of(high))]
    for relation in RELATIONS:
        bound = plain.removeprefix(relation + " ")
        whole = relation in ("divides", "multiple of")
        if bound != plain and (bound.isdecimal() and len(bound) < 10 if whole else BOUND.fullmatch(bound)):
            return [Rule(relation, bound_of(bound))]
        if bound != plain and bound in symbols and bound != name:
            return [Rule(relation, bound)]
    others = f" with X one of {', '.join(symbols)}" if len(symbols) > 1 else ""
    raise ValueError(f"the rule of {name} must be one of {KNOWN}{others}: got {text!r}; join several with commas")


def bound_of(text: str) -> Fraction:
    over, _, under = text.replace("−", "-").partition("/")
    if under and not int(under):
        raise ValueError(f"a bound must be a number: got {text!r}; write a denominator that is not zero")
    return Fraction(over) / int(under or 1)


@lru_cache(maxsize=4096)
def part(step: int) -> Fraction:
    """1/2, 1/3, 2/3, 1/4, 3/4 …: every rational between 0 and 1 once, by its denominator."""
    under = 2
    while True:
        overs = [over for over in range(1, under) if gcd(over, under) == 1]
        if step < len(overs):
            return Fraction(overs[step], under)
        step, under = step - len(overs), under + 1


@lru_cache(maxsize=4096)
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
