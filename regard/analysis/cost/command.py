"""What `regard cost` answers: a count, formulas, a step of decoding, or a picture of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.analysis.cost.count import cost, count_made
from regard.analysis.cost.growth import Growth, Progress, growth
from regard.analysis.cost.report import ModelCost, NextToken
from regard.analysis.cost.symbolic import Formulas, NotPolynomial, count_at
from regard.analysis.cost.targets import Request, Target, target

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Request", "Target", "Wish", "answer", "figure", "measured", "request", "target"]

SPAN = (0.125, 0.25, 0.5, 1, 2, 4)  # of the tokens, where a model has no formula to draw


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is asked for beside the sizes."""

    device: str
    optimizer: str | None = "adamw"
    train: bool = True
    real: bool = False


def request(batch: int, tokens: int | None, inputs: list[str] | None, sizes: str | None) -> Request:
    """The sizes of a call from words."""
    return Request(batch=batch, tokens=tokens, inputs=tuple(inputs or ()), sizes=parse_sizes(sizes))


def parse_sizes(text: str | None) -> dict[str, int]:
    """D=64,H=8 as numbers.

    >>> parse_sizes("D=64,H=8")
    {'D': 64, 'H': 8}
    """
    sizes = {}
    for part in [part.strip() for part in (text or "").split(",") if part.strip()]:
        name, _, number = part.partition("=")
        if not name.isidentifier() or not number.isdigit() or int(number) < 1:
            raise ValueError(f"sizes are written as D=64,H=8: got {part!r}")
        sizes[name] = int(number)
    return sizes


def answer(
    model: Target, request: Request, wish: Wish, symbolic: bool, decode: int | None
) -> ModelCost | Formulas | NextToken:
    """The cost of a model, in numbers or symbols, or of its next token."""
    if symbolic and decode is not None:
        raise ValueError("--symbolic tells the cost of a whole call: got --decode too; use one of the two")
    if wish.real and (symbolic or decode is not None):
        raise ValueError("--real counts one call: got --symbolic or --decode too; leave it out")
    if decode is not None and (request.tokens is not None or request.inputs):
        raise ValueError("--decode says how many tokens there are: got --tokens or --input too; leave it out")
    try:
        if symbolic:
            return model.formulas(request)
        if decode is not None:
            return model.next_token(request, decode, wish.device)
        return _counted(model, request, wish)
    except (RuntimeError, TypeError, AttributeError, LookupError, ArithmeticError, AssertionError) as error:
        raise ValueError(f"{model.name} rejects the call: {type(error).__name__}: {error}") from error


def _counted(model: Target, request: Request, wish: Wish) -> ModelCost:
    if not wish.real:
        return count_made(lambda: model.make(request), wish.optimizer, wish.device, wish.train)
    module, inputs, keywords = model.make(request)
    options: dict[str, Any] = {"optimizer": wish.optimizer, "device": wish.device, "real": True}
    return cost(module.train(wish.train), *inputs, **options, **keywords)


def measured(model: Target, request: Request, progress: Progress) -> Growth:
    """Counts and times at a few lengths, and the exponents of both."""
    longest = request.tokens or 512
    sizes = sorted({max(1, longest >> power) for power in range(5)})
    return growth(lambda N: model.make(request, N=N), "N", sizes, progress=progress)


def figure(model: Target, request: Request) -> "Figure":
    """Cost against tokens by part, with the crossovers where there are formulas; counts at a few lengths else."""
    from regard.analysis.cost.figures import cost_figure, cost_figure_of_counts

    try:
        found = model.formulas(request)
    except NotPolynomial:
        tokens = request.tokens or 128
        lengths = [max(1, int(tokens * share)) for share in SPAN]
        counts = {length: count_at(lambda N: model.make(request, N=N), N=length) for length in lengths}
        return cost_figure_of_counts(counts, title=model.name)
    return cost_figure(found, "N" if "N" in found.forward.symbols else "R", title=model.name)
