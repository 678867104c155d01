"""Checks that every room uses: whole numbers, divisors, probabilities, tensors, known names, missing extras."""

import difflib
from collections.abc import Collection

FARTHEST = 1 << 62  # offsets are 64-bit integers


class MissingExtra(ImportError):  # noqa: N818 - named by what is missing
    """A package that only some features need is not installed; the message names the extra that brings it.

    >>> print(MissingExtra("figures", "matplotlib", "figures"))
    figures must have matplotlib: got none; use pip install 'regard[figures]'
    """

    def __init__(self, feature: str, package: str, extra: str | None) -> None:
        super().__init__(feature, package, extra, name=package)  # as arguments, so that processes can send it

    def __str__(self) -> str:
        feature, package, extra = self.args
        wanted = package if extra is None else f"'regard[{extra}]'"
        return f"{feature} must have {package}: got none; use pip install {wanted}"


def check_whole(name: str, number: object, least: int) -> None:
    """Raise unless this is a whole number from `least` that 64-bit offsets can hold."""
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number < FARTHEST:
        raise ValueError(
            f"{name} must be a whole number from {least} to below 2^62: got {name}={number!r}; use {least} or more"
        )


def check_sizes(config: object, *names: str, optional: bool = False) -> None:
    """Raise unless these fields are whole numbers from 1, or None where they are optional."""
    for name in names:
        if (size := getattr(config, name)) is not None or not optional:
            check_whole(name, size, 1)


def check_divides(whole_name: str, whole: int, part_name: str, part: int) -> None:
    """Raise unless `part` divides `whole`, naming the divisors nearest to it."""
    for name, number in ((whole_name, whole), (part_name, part)):
        if not isinstance(number, int) or isinstance(number, bool):
            check_whole(name, number, 1)
    if part < 1 or whole % part:
        divisors = [n for n in range(1, whole + 1) if whole % n == 0] or [1]
        *others, last = sorted(sorted(divisors, key=lambda n: abs(n - part))[:3])
        use = f"{', '.join(map(str, others))} or {last}" if others else str(last)
        raise ValueError(
            f"{part_name} must divide {whole_name}: got {whole_name}={whole}, {part_name}={part}; use {use}"
        )


def check_probability(name: str, value: object) -> None:
    """Raise unless this is a probability below 1: dropout must leave something."""
    if not isinstance(value, int | float) or not 0 <= value < 1:
        raise ValueError(f"{name} is a probability below 1: got {name}={value!r}; use 0.0 for none")


def check_tensor(name: str, value: object, what: str = "a tensor") -> None:
    """Raise unless this is a tensor with a number at every place, as a list or a sparse tensor is not."""
    from torch import Tensor, strided  # the command line reads its options with these checks, before it needs torch

    if not isinstance(value, Tensor):
        raise ValueError(f"{name} needs {what}: got {type(value).__name__}; use torch.tensor(…)")
    if value.layout is not strided or value.is_nested:
        kind = "nested" if value.is_nested else value.layout
        raise ValueError(f"{name} needs a dense tensor: got a {kind} one; use .to_dense()")


def check_known(what: str, name: object, known: Collection[str]) -> None:
    """Raise unless this is one of the known names."""
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"unknown {what} {name!r}: {nearest(str(name), known)}")


def nearest(name: str, known: Collection[str], otherwise: str | None = None) -> str:
    """The tail of an error about an unknown name: its neighbours, or else this advice, by default all names.

    >>> nearest("gelo", ["gelu", "relu"])
    'did you mean gelu?'
    >>> nearest("RELU6", ["tanh", "ReLU"])
    'did you mean ReLU?'
    >>> nearest("tanh", ["gelu", "relu"])
    'use one of gelu, relu'
    """
    found = difflib.get_close_matches(name.lower(), dict.fromkeys([one.lower() for one in known]), n=3)
    close = [one for lower in found for one in known if one.lower() == lower]
    return f"did you mean {' or '.join(close)}?" if close else otherwise or f"use one of {', '.join(known)}"


def check_stages(config: object, *names: str) -> None:
    """Raise unless these fields have one whole number from 1 for each stage."""
    fields = {name: getattr(config, name) for name in names}
    for name, sizes in fields.items():
        if not isinstance(sizes, tuple) or not sizes:
            raise ValueError(f"{name} must be a tuple, a number for each stage: got {sizes!r}; use (1, 2) for two")
        for stage, size in enumerate(sizes):
            check_whole(f"{name}[{stage}]", size, 1)
    if len({len(sizes) for sizes in fields.values()}) > 1:
        got = ", ".join([f"{name}={sizes}" for name, sizes in fields.items()])
        raise ValueError(f"{' and '.join(names)} must have as many stages: got {got}; give each stage a number in each")


def check_parts(config: object, **kinds: type) -> None:
    """Raise unless these fields are configurations of their kind."""
    for name, kind in kinds.items():
        if not isinstance(part := getattr(config, name), kind):
            raise ValueError(f"{name} must be a {kind.__name__}: got {part!r}; use {kind.__name__}(…)")
