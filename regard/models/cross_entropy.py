"""Cross entropy of words to come, by the head itself: the scores of a whole batch are never held at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import linear, pad

from regard.algorithms.kernels.products import IS_QUICKER, multiply
from regard.algorithms.planning.algorithm import HAS_TRITON
from regard.attention.eager import given, is_eager, once
from regard.attention.positions.reach import readable
from regard.attention.torch_private import is_dispatched
from regard.checks import check_probability

IGNORED = -100  # the target where none is asked for
HELD = 1 << 26  # scores that are held at a time: 256 MB of float32
LEAST = 64  # tokens at a time, however many words there are


class Scored(NamedTuple):
    """How a model scores the words that come: the mean loss, and of each target nats and the likeliest word.

    Where no word is asked for, nats are 0 and the guess is −1. Only the loss has a gradient.
    """

    loss: Float[Tensor, ""]
    nats: Float[Tensor, "*B"]
    guesses: Int[Tensor, "*B"]


def score_words(
    hidden: Float[Tensor, "*B C"],
    weight: Float[Tensor, "V C"],
    targets: Int[Tensor, "*B"],
    bias: Float[Tensor, " V"] | None = None,
    *,
    smoothing: float = 0.0,
) -> Scored:
    """The cross entropy of targets under the scores z = W h + b, some tokens at a time.

        loss = mean of (1 − ε)(lse z − z_t) + ε (lse z − mean z)        lse z = log Σ exp z,  ε = `smoothing`

    The mean is over the targets that are not `IGNORED`. Gradients are found on the way forward, while a few scores are
    there: ∂loss/∂z = softmax z − (1 − ε) [t] − ε/V. Those of W and b are summed in float32, or in float64 if that is
    their type. As with torch's own, a mean over no target is NaN.

    >>> hidden, weight = torch.randn(2, 3, 8), torch.randn(100, 8)
    >>> found = score_words(hidden, weight, torch.tensor([[5, 7, IGNORED], [99, 0, 1]]))
    >>> found.nats.shape, found.guesses[0, 2].item()
    (torch.Size([2, 3]), -1)

    Wijmans et al., *Cut Your Losses in Large-Vocabulary Language Models*, ICLR 2025, and the Liger kernels do so too.
    """
    check_probability("smoothing", smoothing)
    if hidden.shape[:-1] != targets.shape or hidden.shape[-1] != weight.shape[-1]:
        raise ValueError(
            f"each token must have a target, and as many features as the head takes: got hidden {tuple(hidden.shape)}, "
            f"targets {tuple(targets.shape)} and weight {tuple(weight.shape)}"
        )
    if readable(targets) and targets.numel():
        low, high = (int(n) for n in targets.masked_fill(targets == IGNORED, 0).aminmax())
        if low < 0 or high >= len(weight):
            raise ValueError(
                f"targets must lie in 0…{len(weight) - 1}, or be {IGNORED} where none is asked for: got "
                f"{low if low < 0 else high}; use the tokenizer of this model"
            )
    device = hidden.device.type
    if device != "meta" and torch.is_autocast_enabled(device) and hidden.dtype != torch.float64:
        hidden = hidden.to(torch.get_autocast_dtype(device))
    x, t = hidden.flatten(0, -2), targets.flatten()
    if torch.compiler.is_compiling():
        learns = torch.is_grad_enabled()
        wanted = [learns and part is not None and part.requires_grad for part in (x, weight, bias)]
        loss, nats, guesses, *_ = _operator(x, weight, bias, t, smoothing, wanted)
    elif is_eager(x):
        loss, nats, guesses = _Scored.apply(x, weight, bias, t, smoothing)  # pyright: ignore[reportGeneralTypeIssues]
    else:
        loss, nats, guesses = _plain(x, weight, bias, t, smoothing)
    return Scored(loss, nats.detach().view(targets.shape), guesses.view(targets.shape))


def _plain(x: Tensor, weight: Tensor, bias: Tensor | None, t: Tensor, smoothing: float) -> Scored:
    """The definition, for transforms that take no hand-written gradient."""
    logits = linear(x, weight.to(x.dtype), None if bias is None else bias.to(x.dtype))
    logits = logits.to(torch.promote_types(x.dtype, torch.float32)).log_softmax(1)
    real = t != IGNORED
    nats = -logits.take_along_dim(t.where(real, 0)[:, None], 1)[:, 0]
    each = (1 - smoothing) * nats - smoothing * logits.mean(1)
    loss = each.where(real, 0).sum() / real.sum()
    return Scored(loss, nats.where(real, 0), logits.argmax(1).where(real, -1))


Found = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


def _walk(
    x: Float[Tensor, "N C"],
    weight: Float[Tensor, "V C"],
    bias: Tensor | None,
    t: Int[Tensor, " N"],
    smoothing: float,
    wanted: list[bool],
) -> Found:
    """Loss, nats and guesses, and of the *sum* of losses the gradients of x, weight and bias; empty if not wanted."""
    N, V, exact = len(x), len(weight), torch.promote_types(x.dtype, torch.float32)
    summed = torch.promote_types(weight.dtype, torch.float32)
    w, b = weight.to(x.dtype), None if bias is None else bias.to(x.dtype)
    judge, held = _judge, max(LEAST, HELD // V)
    if (found := _kernel(x, V)) is not None:
        judge, more = found
        held *= 4  # it holds no others beside them
        w, b = pad(w, (0, 0, 0, more)), None if b is None else pad(b, (0, more))  # rows that lie well in memory
    each, nats = x.new_zeros(N, dtype=exact), x.new_zeros(N, dtype=exact)
    guesses = t.new_full((N,), -1)
    dx = torch.zeros_like(x) if wanted[0] else x.new_empty(0)
    dw = torch.zeros_like(w, dtype=summed) if wanted[1] else weight.new_empty(0)
    db = x.new_zeros(V, dtype=summed) if wanted[2] else weight.new_empty(0)
    real = t != IGNORED
    # On a GPU nobody waits for the number of targets: there, tokens without one are scored too, and count for nothing.
    asked = real.nonzero()[:, 0] if readable(t) and not real.all() else None
    count = N if asked is None else len(asked)
    size = -(-count // max(1, -(-count // held)))  # even parts, so that the last is no small one
    for start in range(0, count, max(1, size)):
        part = slice(start, start + size) if asked is None else asked[start : start + size]
        h, dz = x[part], multiply(x[part], w, b)
        each[part], nats[part], guesses[part] = judge(dz, t[part], V, smoothing, IGNORED, any(wanted))
        if wanted[2]:
            db += dz.sum(0, dtype=summed)[:V]
        if wanted[0]:
            dx[part] = multiply(dz, w.T)
        if wanted[1]:
            _add_product(dw, dz.T, h)
    return each.sum() / real.sum(), nats, guesses, dx, dw[:V], db


def _add_product(total: Tensor, x: Tensor, y: Tensor) -> None:
    """Add x y to the total, in whose type it is summed."""
    if total.dtype == x.dtype and not (x.is_cpu and IS_QUICKER):
        total.addmm_(x, y)
    elif x.is_cuda:
        torch.addmm(total, x, y, out_dtype=total.dtype, out=total)
    else:
        total.add_(multiply(x, y.T))


def _kernel(x: Tensor, V: int) -> tuple[Callable[..., tuple[Tensor, Tensor, Tensor]], int] | None:
    """On a GPU, what judges the scores of these tokens in place of `_judge`, and how many more columns it likes."""
    if not x.is_cuda or not HAS_TRITON or x.dtype == torch.float64 or is_dispatched():
        return None
    from regard.algorithms.kernels.tokens import words

    return words.judge, -V % words.MULTIPLE


def _judge(
    scores: Tensor, targets: Tensor, V: int, smoothing: float, ignored: int, learns: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss and nats of each target under scores (n, V), and the likeliest word; the scores become their gradients."""
    is_asked = targets != ignored
    target = targets.where(is_asked, 0)[:, None]
    z = scores.to(torch.promote_types(scores.dtype, torch.float32))
    top, best = z.max(1)
    own, mean = z.take_along_dim(target, 1)[:, 0], z.mean(1) if smoothing else top
    total = z.sub_(top[:, None]).exp_().sum(1)
    lse = top + total.log()
    nats = (lse - own).where(is_asked, 0)
    each = (lse - (1 - smoothing) * own - smoothing * mean).where(is_asked, 0)
    if learns:
        one = is_asked.to(z.dtype)[:, None]
        z.mul_(one / total[:, None]).scatter_add_(1, target, (smoothing - 1) * one)
        if smoothing:
            z.sub_(one * (smoothing / V))
        if z is not scores:
            scores.copy_(z)
    return each, nats, best.where(is_asked, -1)


def _scale(grad: Tensor, t: Tensor, like: list[Any], found: list[Tensor]) -> list[Tensor | None]:
    """The gradients of the mean, times that which comes back, in the types of x, weight and bias."""
    factor = grad / (t != IGNORED).sum()
    return [
        (part * factor).to(kind) if part.numel() else None  # a product in the wider type of the two
        for part, kind in zip(found, like, strict=True)
    ]


class _Scored(torch.autograd.Function):
    """Quicker to call than an operator."""

    @staticmethod
    @given
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, t: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        loss, nats, guesses, *found = _walk(x, weight, bias, t, smoothing, list(ctx.needs_input_grad[:3]))
        ctx.save_for_backward(t, *found)
        ctx.kinds = [None if part is None else part.dtype for part in (x, weight, bias)]
        ctx.mark_non_differentiable(nats, guesses)
        return loss, nats, guesses

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor, *_: Any) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        t, *found = ctx.saved_tensors
        return *_scale(grad, t, ctx.kinds, found), None, None


@torch.library.custom_op("regard::score_words", mutates_args=())
def _operator(
    x: Tensor, weight: Tensor, bias: Tensor | None, t: Tensor, smoothing: float, wanted: list[bool]
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return _walk(x, weight, bias, t, smoothing, wanted)


@_operator.register_fake
def _(x: Tensor, weight: Tensor, bias: Tensor | None, t: Tensor, smoothing: float, wanted: list[bool]) -> Found:
    exact, summed = (torch.promote_types(part.dtype, torch.float32) for part in (x, weight))
    dx = torch.empty_like(x) if wanted[0] else x.new_empty(0)
    dw = torch.empty_like(weight, dtype=summed) if wanted[1] else weight.new_empty(0)
    db = x.new_empty(len(weight), dtype=summed) if wanted[2] else weight.new_empty(0)
    return x.new_empty((), dtype=exact), x.new_empty(len(x), dtype=exact), torch.empty_like(t), dx, dw, db


def _save(ctx: Any, inputs: tuple[Any, ...], output: Found) -> None:
    x, weight, bias, t, *_ = inputs
    ctx.save_for_backward(t, *output[3:])
    ctx.kinds = [None if part is None else part.dtype for part in (x, weight, bias)]


def _differentiate(ctx: Any, grad: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
    t, *found = ctx.saved_tensors
    return *_scale(grad, t, ctx.kinds, found), None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)
