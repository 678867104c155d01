"""Formulas with min, max, abs, floor and ceil, compared case by case: signs, remainders, the values of a finite size.

Equality in every case that can arise is a proof. A case in which they differ and that cannot be ruled out proves
nothing: then sizes are sought there, and where none are found the two are left undecided.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import lcm, prod

from regard.formulas import Call, Negative, Node, Number, Product, Quotient, Sum, Symbol, rebuilt, walk
from regard.grading.formulas.algebra import Algebra, Beyond
from regard.grading.formulas.bounds import MAX_CASES, MAX_MODULUS
from regard.grading.formulas.domain import Domain, Range

CHOOSING = ("min", "max", "abs")


def proved(yours: Node, true: Node, domain: Domain) -> bool:
    """Whether the two are equal in every case; False where that is not shown, which does not say that they differ."""
    left = MAX_CASES
    for values in remainders((yours, true), domain):
        for one, two in signs(put(yours, values), put(true, values), domain):
            left -= 1
            if left < 0 or ratio_of(one, two, domain)[0] != 1:
                return False
    return True


def ratio_of(one: Node, two: Node, domain: Domain) -> tuple[Fraction | None, bool]:
    """The constant c with one = c · two, None where none can be shown; and whether the two surely differ."""
    algebra = Algebra(domain.symbols, domain.positive, domain.whole)
    try:
        factor = algebra.quotient(one, two)
    except Beyond:
        return None, False
    return factor, factor != 1 and not algebra.opaque and domain.is_free


def put(tree: Node, values: dict[str, Node]) -> Node:
    """The tree with other trees for some of its symbols."""
    if isinstance(tree, Symbol):
        return values.get(tree.name, tree)
    return rebuilt(tree, lambda part: put(part, values))


def remainders(trees: tuple[Node, Node], domain: Domain) -> Iterator[dict[str, Node]]:
    """N as m·N + r for each remainder r where N is rounded after a division by numbers; each value of a finite size.

    A size that may be m·N + r may be any of them: that N stays the same letter loses nothing.
    """
    moduli: dict[str, int] = {}
    calls = [node for tree in trees for node, _ in walk(tree) if isinstance(node, Call)]
    for node in (call for call in calls if call.name in ("floor", "ceil")):
        inside = [part for part, _ in walk(node.arguments[0])]
        unders = [part.under for part in inside if isinstance(part, Quotient)]
        numbers = [int(part.value.denominator) for part in inside if isinstance(part, Number)]
        numbers += [int(part.value) for part in unders if isinstance(part, Number) and part.value.denominator == 1]
        step = lcm(*(abs(number) or 1 for number in numbers))
        for part in inside:
            if isinstance(part, Symbol) and part.name in domain.whole and step > 1:
                moduli[part.name] = lcm(moduli.get(part.name, 1), step)
    ways: list[list[tuple[str, Node]]] = []
    for one in domain.ranges:
        finite = [one.size(step) for step in range(MAX_MODULUS)] if not one.real and one.high is not None else []
        parity = next((rule.name for rule in one.rules if rule.name in ("even", "odd")), None)
        modulus = lcm(moduli.get(one.name, 1), 2 if parity else 1)
        if finite and finite[-1] is None:
            sizes = [size for size in finite if size is not None and all(rule.holds(size, {}) for rule in one.rules)]
            ways.append([(one.name, Number(size)) for size in sizes])
        elif one.name in domain.whole and 1 < modulus <= MAX_MODULUS:
            rests = [rest for rest in range(modulus) if not parity or rest % 2 == (parity == "odd")]
            multiple = Product((Number(Fraction(modulus)), Symbol(one.name)))
            ways.append([(one.name, Sum((multiple, Number(Fraction(rest))))) for rest in rests])
    yield from map(dict, product(*ways) if prod(map(len, ways)) <= MAX_CASES else [()])


def signs(one: Node, two: Node, domain: Domain, depth: int = 6) -> Iterator[tuple[Node, Node]]:
    """The two without min, max and abs, for each sign of what these compare that the domain does not rule out."""
    found = [node for tree in (one, two) for node, _ in walk(tree) if isinstance(node, Call) and node.name in CHOOSING]
    first = next((call for call in found if sum(part in found for part, _ in walk(call)) == 1), None)  # holds no other
    if first is None or not depth:
        yield one, two
        return
    difference = compared(first)
    for larger in (True, False):
        sign = difference if larger else Negative(difference)
        if never(sign, domain):
            continue
        chosen = lambda call, larger=larger: choose(call, difference, larger, domain)  # noqa: E731
        yield from signs(chosen(one), chosen(two), domain, depth - 1)


def compared(call: Call) -> Node:
    """The difference whose sign decides a min, max or abs."""
    return Sum((call.arguments[0], Negative(call.arguments[1]))) if call.name != "abs" else call.arguments[0]


def choose(tree: Node, difference: Node, larger: bool, domain: Domain) -> Node:
    """The tree where `difference` is not negative (or, not `larger`, not positive): every call that this decides."""
    tree = rebuilt(tree, lambda part: choose(part, difference, larger, domain))
    if not isinstance(tree, Call) or tree.name not in CHOOSING:
        return tree
    factor, _ = ratio_of(compared(tree), difference, domain)
    if not factor:
        return tree
    positive = larger is (factor > 0)
    left = tree.arguments[0]
    if tree.name == "abs":
        return left if positive else Negative(left)
    best = left if positive is (tree.name == "max") else tree.arguments[1]
    return Call(tree.name, (best, *tree.arguments[2:])) if len(tree.arguments) > 2 else best


def never(difference: Node, domain: Domain) -> bool:
    """Whether a difference is nowhere positive: a sufficient test, with letters for the sizes that are not negative."""
    letters: dict[str, Node] = {one.name: shifted(one) for one in domain.ranges}
    for small, large in domain.orderings():
        rules = [rule.name for one in domain.ranges if one.name in (small, large) for rule in one.rules]
        divides = not {"divides", "multiple of"}.isdisjoint(rules)
        base = letters[small]
        more = Product((base, Symbol(large)))
        letters[large] = Sum((base, more if divides else Symbol(large)))
    algebra = Algebra(domain.symbols, frozenset(domain.symbols))
    try:
        over, under = algebra.tidy(algebra.normal(put(difference, letters)))
    except Beyond:
        return False
    return bool(over) and algebra.is_positive(-over) and algebra.is_positive(under)


def shifted(one: Range) -> Node:
    """A size as a function of a letter that is not negative: 2 + x for at least 2, 1/(2 + 2x) between 0 and 1/2."""
    letter = Symbol(one.name)
    if one.low is None:
        return letter
    if one.high is not None and one.real:
        width = Quotient(Number(one.high - one.low), Sum((Number(Fraction(1)), letter)))
        return Sum((Number(one.low), width))
    return Sum((Number(one.low), letter))
