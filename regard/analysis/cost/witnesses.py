"""Sizes that say what they are made of: a run at prime sizes is read back as a run at symbolic ones.

A model is run once with every symbol standing for a prime of its own (times a factor that it must be divisible by).
Each size that appears in the run is then factored: 1006·2029 can only be 2·B·N. Sums (N + 1, H + 2G) are found by
small shifts. Nothing has to be believed: what is read must give, at the sizes that were asked for, the very numbers
that are counted there.
"""

from collections.abc import Collection
from fractions import Fraction

from regard.analysis.cost.polynomial import Polynomial

SHIFT = 4  # tokens beside the others: a class, a beginning, an end
MOST_FACTOR = 64  # of a symbol inside of a sum
CONSTANTS = 250  # below it a number is a constant
PRIMES = (503, 2029, 2063, 2089, 2113, 2141, 2161, 2203, 2221, 2243, 2267, 2281, 2309, 2333)


class Witnesses:
    """A prime for each symbol, of our choice or given; `factors` are what symbols must be divisible by.

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
            self.found[size] = self._factored(size)
        return self.found[size]

    def _factored(self, size: int) -> Polynomial:
        term, rest = self._stripped(size)
        return term * (rest if rest < self.least else self._summed(rest))

    def _stripped(self, size: int) -> tuple[Polynomial, int]:
        """The symbols that divide a size, as one term, and what is left."""
        term = Polynomial({(): 1})
        for name, (prime, factor) in self.primes.items():
            while size and size % prime == 0:
                size //= prime
                term = term * Polynomial({((name, 1),): Fraction(1, factor)})
        return term, size

    def _summed(self, size: int) -> Polynomial:
        """A symbol and a few more, or two symbols; a constant where it is neither."""
        for shift in sorted(range(-SHIFT, SHIFT + 1), key=abs):
            term, rest = self._stripped(size - shift)
            if shift and term.symbols and rest <= MOST_FACTOR:
                return term * rest + shift
        for name in self.primes:
            for times in range(1, 9):
                if 0 < times * self[name] < size:
                    term, rest = self._stripped(size - times * self[name])
                    if term.symbols and rest <= MOST_FACTOR:
                        return term * rest + times * Polynomial.symbol(name)
        return Polynomial({(): size})

    def read_pairs(self, count: int) -> Polynomial:
        """The polynomial that a number of pairs is: symbols that divide it, and a polynomial of degree two in one more.

        >>> sizes = Witnesses({"B": 1, "N": 1})
        >>> print(sizes.read_pairs(sizes["B"] * sizes["N"] * (sizes["N"] + 1) // 2))
        B·N²/2 + B·N/2
        """
        term, rest = self._stripped(count)
        if rest < self.least:
            return term * rest
        candidates = [self._in_base(rest, name) for name in self.primes]
        best = min(candidates, key=lambda polynomial: max(abs(c) for c in polynomial.terms.values()))
        return term * best

    def _in_base(self, count: int, name: str) -> Polynomial:
        """Twice the count in balanced digits of base N, halved: small coefficients, if it is of that symbol."""
        base, rest = self[name], 2 * count
        total, power = Polynomial({}), Polynomial({(): Fraction(1, 2)})
        while rest:
            digit = (rest + base // 2) % base - base // 2
            total = total + power * digit
            rest = (rest - digit) // base
            power = power * Polynomial.symbol(name)
        return total
