"""From a failing case to a smaller one that fails in the same way."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tests.fuzz.case import Case, Node, Ref
from tests.fuzz.running import EQUAL, REFUSED, ContextLostError, examine

ATTEMPTS = 40


def signature(verdict: str) -> str:
    """The kind of a failure: which result is wrong, or the error and where it was raised."""
    first, _, where = verdict.partition("\n")
    kind = re.split(r"[\[:]", first)[0] + (" of another shape" if ": shape (" in first else "")
    kind = re.sub(r"(derivative|gradient) of x\d+", r"\1 of a term", kind).partition(" is off")[0]
    line = re.sub(r".*/(\w+\.py)\", line \d+, in (\w+).*", r"\1 \2", where)
    return f"{kind} {line}".strip()


def shrink(case: Case, name: str, verdict: str) -> tuple[Case, str]:
    """A smaller case of the same signature, and its program."""
    wanted, shown = signature(verdict), ""
    attempts = 0
    moved = True
    while moved and attempts < ATTEMPTS:
        moved = False
        for smaller in _smaller(case):
            attempts += 1
            outcome = _outcome(smaller, name)
            if outcome is not None and signature(outcome[0]) == wanted:
                case, shown, moved = smaller, outcome[1], True
                break
            if attempts >= ATTEMPTS:
                break
    return case, shown


def _outcome(case: Case, name: str) -> tuple[str, str] | None:
    try:
        outcome = examine(case, only=name)
    except ContextLostError:
        raise
    except Exception:  # not a case at all
        return None
    verdict = outcome.verdicts.get(name, EQUAL)
    return None if verdict in (EQUAL, REFUSED) else (verdict, outcome.shown[name])


def _smaller(case: Case) -> Iterator[Case]:
    """Each a step simpler, the larger steps first."""
    for child in _children(case.mask):
        yield _used(replace(case, mask=child))
    if len(case.scores) > 1:
        for term in case.scores:
            yield _used(replace(case, scores=tuple(other for other in case.scores if other is not term)))
    if case.weighting.kind == "Softmax" and case.weighting.args:
        yield _used(replace(case, weighting=Node("Softmax")))
    defaults = {
        "world": "plain",
        "layouts": ("contiguous",) * 3,
        "incoming": "contiguous",
        "poison": None,
        "return_lse": False,
        "dtype": "float32",
        "queries": None,
        "keys": None,
        "learnt": "",
    }
    if case.world == "second":  # which is compared in float64 alone
        del defaults["dtype"]
    for name, simple in defaults.items():
        if getattr(case, name) != simple:
            yield replace(case, **{name: simple})
    for n, drawn in enumerate(case.tensors):
        if drawn.learnt:
            yield replace(case, tensors=(*case.tensors[:n], replace(drawn, learnt=False), *case.tensors[n + 1 :]))
    if case.layouts != ("contiguous",) * 3:
        for n in range(3):
            layouts = tuple("contiguous" if m == n else layout for m, layout in enumerate(case.layouts))
            if layouts != case.layouts:
                yield replace(case, layouts=layouts)


def _children(mask: Node) -> Iterator[Node]:
    if mask.kind != "Everything":
        yield Node("Everything")
    for child in mask.args:
        if isinstance(child, Node) and child.kind != "numpy":
            yield child
    for n, child in enumerate(mask.args if mask.kind in ("And", "Or", "Not") else ()):
        for smaller in _children(child):
            yield Node(mask.kind, (*mask.args[:n], smaller, *mask.args[n + 1 :]))


def _used(case: Case) -> Case:
    """Without the tensors that nothing refers to any more."""
    fields = case.weighting.args[1] if case.weighting.kind == "Kernel" else case.weighting.args
    names = {ref.name for ref in fields}
    for node in (case.mask, *case.scores):
        names |= _references(node)
    return replace(case, tensors=tuple(drawn for drawn in case.tensors if drawn.name in names))


def _references(node: Node) -> set[str]:
    names = {child.name for child in node.args if isinstance(child, Ref)}
    for child in node.args:
        names |= _references(child) if isinstance(child, Node) else set()
    return names
