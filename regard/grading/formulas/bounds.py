"""How much an answer may ask of the machine, each bound with its reason, and the two refusals."""

from fractions import Fraction

MAX_TEXT = 2_000  # characters: the longest right answer of the course documents has 60
MAX_DEPTH = 40  # brackets or operations inside one another: readers recurse once per level
MAX_NODES = 500  # numbers, symbols and operations: bounds every walk over the tree
MAX_DIGITS = 400  # of a number, written or computed from numbers alone: a double ends at 309
MAX_TOWER = 2  # symbolic exponents inside one another: D^(D^D) already leaves every machine at D = 5
MAX_EXPONENT = 64  # of a power that is multiplied out; beyond it, sizes are compared instead
MAX_TERMS = 1_000  # of a polynomial: (A + B + C + D)^16 has 969
MAX_WORK = 100_000  # pairs of terms in all the products of one comparison: 0.2 s
MAX_OPAQUE = 8  # different roots, logarithms and other functions that are generators of the polynomial ring
MAX_FACTORED = 12  # terms of a polynomial that is factored: factoring is the one step without a cheap bound
MAX_FACTORED_DEGREE = 6
MAX_CANCELLED = 60  # terms of a fraction that is brought to lowest terms
MAX_BITS = 20_000  # of an exact value at some sizes; larger ones are kept to 50 digits
MAX_LOG_BITS = 4_000  # of the logarithm of a value: 2^(2^4000) is a number no longer
MAX_SHOWN = 40  # terms of a normal form that is written out
DIGITS = 50  # of a value that is not rational
SAME = 40  # digits to which two such values must agree: 10 are left to rounding
NEAR = Fraction(1, 50)  # a formula with a decimal in it that misses the truth by this part was rounded: 0.33 for 1/3
SIZES = 60  # spread sizes that are tried for a difference before a proof is
MAX_CASES = 128  # signs, remainders and small values that are gone through one by one
MAX_MODULUS = 24  # of ⌊N/24⌋, whose remainders are gone through
SEARCHED = 2_000  # sizes tried, smallest first, for a counterexample
WORK = 50_000  # nodes evaluated in that search, of a long formula fewer sizes
MAX_TERMS_OF_ORDER = 12  # of an order, none above another: each takes a linear program of 20 ms
MAX_SIZES_OF_ORDER = 8  # of an order: every subset of them is a direction of growth
MAX_ENTRIES = 10_000  # of a vector or matrix: 100 by 100, more than anybody types


class Unreadable(ValueError):  # noqa: N818 (a word, not a fault of the program)
    """The text is not an answer that can be read: what was wrong, where, and what to do."""


class Unasked(Unreadable):
    """It can be read, but not be the answer: it has a foreign symbol, or is an order where a formula is asked for."""


class Undefined(ValueError):  # noqa: N818
    """The expression has no value at these sizes (a division by zero, the root of a negative)."""


class TooLarge(Undefined):
    """It has a value, which would take too long to compute."""
