"""Masks, score terms and feature maps as a user writes them: a few lines of Python, and beside them what they mean.

`truth` is the meaning in terms of the oracle's index tensors: it knows nothing of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

DATACLASS = "@dataclass(frozen=True, eq=False)\n"


@dataclass(frozen=True)
class Own:
    """A class of a user's own: its text, and the truth over indices (b, h, i, j), offsets, and its fields."""

    text: str
    truth: Callable[..., Any]
    fields: tuple[str, ...] = ()  # what is drawn for each field
    in_line: bool = False


def _mask(name: str, body: str, truth: Callable[..., Any], fields: str = "", drawn: tuple[str, ...] = ()) -> Own:
    text = f"{DATACLASS}class {name}(Mask):\n{fields}    def allows(self, b, h, i, j, places):\n        return {body}\n"
    return Own(text, truth, drawn)


MASKS = {
    "EveryThirdKey": _mask("EveryThirdKey", "j % 3 == 0", lambda x: x.j % 3 == 0),
    "Checkers": _mask("Checkers", "(b + i + j) % 2 == 0", lambda x: (x.b + x.i + x.j) % 2 == 0),
    "Always": _mask("Always", "True", lambda x: x.j == x.j),
    "ByHead": _mask("ByHead", "(h + j) % 2 == 0", lambda x: (x.h + x.j) % 2 == 0),
    "SomeHeads": _mask("SomeHeads", "h % 2 == 0", lambda x: x.h % 2 == 0),
    "SomeRows": _mask("SomeRows", "b % 2 == 0", lambda x: x.b % 2 == 0),
    "OddQueries": _mask("OddQueries", "i % 2 == 1", lambda x: x.i % 2 == 1),
    "RowsApart": _mask("RowsApart", "(b + j) % 2 == 0", lambda x: (x.b + x.j) % 2 == 0),
    "Near": _mask(
        "Near",
        "(i - j).abs() <= self.width",
        lambda x, width: (x.i - x.j).abs() <= width,
        "    width: int = 3\n\n",
        ("whole",),
    ),
    "Within": _mask(
        "Within", "j - i < self.far", lambda x, far: x.j - x.i < far, "    far: float = inf\n\n", ("infinite",)
    ),
    "EveryNth": _mask(
        "EveryNth",
        "(j + b) % self.n == 0",
        lambda x, n: (x.j + x.b) % n == 0,
        "    n: int\n\n",
        ("numpy",),
    ),
    "Listed": _mask(
        "Listed", "self.real[j]", lambda x, real: real[x.j], "    real: torch.Tensor\n\n", ("chosen keys",)
    ),
    "ListedByHead": _mask(
        "ListedByHead",
        "self.real[h, j]",
        lambda x, real: real[x.h, x.j],
        "    real: torch.Tensor\n\n",
        ("chosen keys by head",),
    ),
    "ListedByRow": _mask(
        "ListedByRow",
        "self.real[b, j] | (i == j)",
        lambda x, real: real[x.b, x.j] | (x.i == x.j),
        "    real: torch.Tensor\n\n",
        ("chosen keys by row",),
    ),
    "EvenPlaces": Own(
        f"{DATACLASS}class EvenPlaces(Mask):\n    def allows(self, b, h, i, j, places):\n"
        "        return places.offset(b, i, j, self) % 2 == 0\n",
        lambda x: x.offset(0) % 2 == 0,
        in_line=True,
    ),
    "NotOneAhead": Own(
        f"{DATACLASS}class NotOneAhead(OffsetMask):\n    def holds(self, delta):\n        return delta % 3 != 1\n",
        lambda x: x.offset(0) % 3 != 1,
        in_line=True,
    ),
}


# A subclass of a built-in mask that means something else, or the same: what its `allows` or `holds` returns.
PARENT = "super().allows(b, h, i, j, places)"
TWISTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "pass": ("", lambda x, parent: parent),
    "not": (f"allows:~{PARENT}", lambda x, parent: ~parent),
    "even keys": (f"allows:{PARENT} & (j % 2 == 0)", lambda x, parent: parent & (x.j % 2 == 0)),
    "odd queries": (f"allows:{PARENT} & (i % 2 == 1)", lambda x, parent: parent & (x.i % 2 == 1)),
    "even rows": (f"allows:{PARENT} & (b % 2 == 0)", lambda x, parent: parent & (x.b % 2 == 0)),
    "even heads": (f"allows:{PARENT} & (h % 2 == 0)", lambda x, parent: parent & (x.h % 2 == 0)),
    "first key too": (f"allows:{PARENT} | (j == 0)", lambda x, parent: parent | (x.j == 0)),
    "reversed": ("allows:j >= i", lambda x, parent: x.j >= x.i),
    "shifted": ("holds:super().holds(delta - 1)", None),  # the oracle moves the offsets
}
OFFSET_MASKS = ("Causal", "Window", "Strided", "Dilated")


def twisted_text(parent: str, twist: str) -> tuple[str, str]:
    """The name and the text of a subclass."""
    name = f"{twist.title().replace(' ', '')}{parent}"
    method, _, body = TWISTS[twist][0].partition(":")
    if not body:
        return name, f"class {name}({parent}):\n    pass\n"
    arguments = "delta" if method == "holds" else "b, h, i, j, places"
    return name, f"class {name}({parent}):\n    def {method}(self, {arguments}):\n        return {body}\n"


def _term(name: str, body: str, truth: Callable[..., Any], field: str = "", drawn: tuple[str, ...] = ()) -> Own:
    text = f"{DATACLASS}class {name}(Term):\n{field}    def at(self, b, h, i, j, places):\n        return {body}\n"
    return Own(text, truth, drawn)


# Numbers of which float32 holds all digits: `at` may compute in that whatever q is.
TERMS = {
    "ByKey": _term("ByKey", "(j % 5) / 4", lambda x: (x.j % 5) / 4),
    "ByRow": _term("ByRow", "(b % 2) * (j % 3) / 2", lambda x: (x.b % 2) * (x.j % 3) / 2),
    "ByPair": _term("ByPair", "(i + 2 * j) % 7 / 4", lambda x: (x.i + 2 * x.j) % 7 / 4),
    "HeadTimesKey": _term("HeadTimesKey", "(h + 1) * (j % 3) / 8", lambda x: (x.h + 1) * (x.j % 3) / 8),
    "Learnt": _term(
        "Learnt",
        "self.slope[h] * ((i - j) % 3)",
        lambda x, slope: slope[x.h] * ((x.i - x.j) % 3),
        "    slope: torch.Tensor\n\n",
        ("by head",),
    ),
    "LearntByRow": _term(
        "LearntByRow",
        "self.level[b, j]",
        lambda x, level: level[x.b, x.j],
        "    level: torch.Tensor\n\n",
        ("by row and key",),
    ),
}
TERM_TWISTS = {
    "pass": ("", lambda x, parent: parent),
    "half": ("super().at(b, h, i, j, places) * 0.5", lambda x, parent: parent * 0.5),
    "by key": ("super().at(b, h, i, j, places) * (j % 2)", lambda x, parent: parent * (x.j % 2)),
    "by row": ("super().at(b, h, i, j, places) * (b % 2)", lambda x, parent: parent * (x.b % 2)),
    "by head": ("super().at(b, h, i, j, places) * (h % 2)", lambda x, parent: parent * (x.h % 2)),
}


def twisted_term_text(parent: str, twist: str) -> tuple[str, str]:
    """The name and the text of a subclass of a score term."""
    name = f"{twist.title().replace(' ', '')}{parent}"
    body = TERM_TWISTS[twist][0]
    if not body:
        return name, f"class {name}({parent}):\n    pass\n"
    return name, f"class {name}({parent}):\n    def at(self, b, h, i, j, places):\n        return {body}\n"


# Features: the text of the value, a class where it has one, and the same map for the oracle.
@dataclass(frozen=True)
class OwnFeatures:
    """A feature map of a user's own: non-negative, as the weights must be."""

    value: str
    truth: Callable[..., Any]
    text: str = ""
    fields: tuple[str, ...] = ()


FEATURES = {
    "lambda": OwnFeatures("lambda x: x.exp()", lambda x: x.exp()),
    "square": OwnFeatures("torch.square", torch.square),
    "both sides": OwnFeatures(
        "lambda x: torch.cat((x.relu(), (-x).relu()), -1)", lambda x: torch.cat((x.relu(), (-x).relu()), -1)
    ),
    "Sharp": OwnFeatures(
        "Sharp()",
        lambda x: x.relu() ** 2 + 0.5,
        f"{DATACLASS}class Sharp(Features):\n    def __call__(self, x):\n        return x.relu() ** 2 + 0.5\n",
    ),
    "Steep": OwnFeatures(
        "Steep({0})",
        lambda x, slope: (slope * x).sigmoid(),
        f"{DATACLASS}class Steep(Features):\n    slope: torch.Tensor\n\n    def __call__(self, x):\n"
        "        return (self.slope.to(x.dtype) * x).sigmoid()\n",
        ("one number",),
    ),
    "MoreElu": OwnFeatures(
        "MoreElu()",
        lambda x: 2 * (torch.nn.functional.elu(x) + 1),
        f"{DATACLASS}class MoreElu(Elu):\n    def __call__(self, x):\n        return 2 * super().__call__(x)\n",
    ),
}
BUILT_IN_FEATURES = {
    "Elu": lambda x: torch.nn.functional.elu(x) + 1,
    "Relu": lambda x: x.relu(),
    "SquaredRelu": lambda x: x.relu().square(),
    "Exp": lambda x: x.exp(),
    "Identity": lambda x: x,
}
