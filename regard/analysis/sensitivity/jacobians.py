"""How weights answer to logits, queries and keys: derivatives of the softmax and of the map, and when they vanish."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from regard.algorithms import weights as weights_of
from regard.attention import Attention

PLAIN = Attention()
MOST = 1 << 26  # numbers in the derivative of a map
UNIT = 1e-2  # how far the sum of given weights may be from one: what half precision leaves


def softmax_jacobian(
    logits: Float[Tensor, "... N"] | None = None, *, weights: Float[Tensor, "... N"] | None = None, beta: float = 1.0
) -> Float[Tensor, "... N N"]:
    """The derivatives `∂a_i/∂z_j` of `a = softmax(βz)`, from the logits z or from the weights a; row i is of weight i.

        J = β(diag a − a aᵀ),   J_ii = β·a_i·Σ_{j≠i} a_j

    The sum of the others stands for `1 − a_i`, which is rounded to 0 where a weight is almost 1. Half precision becomes
    float32. Weights of zero throughout, those of an empty row, have derivatives zero.

    >>> J = softmax_jacobian(torch.tensor([-3.0, 1.0, 100.0, 5.0, -1.0], dtype=torch.float64))
    >>> f"{J.max():.3e}"
    '5.638e-42'
    """
    a = _weights(logits, weights, beta)
    diagonal = torch.eye(a.shape[-1], dtype=torch.bool, device=a.device)
    products = a[..., :, None] * a[..., None, :]
    return beta * (torch.diag_embed(a * others(a)) - products.masked_fill(diagonal, 0))


def precise_softmax_jacobian(logits: Sequence[float], *, beta: float = 1.0, digits: int = 50) -> list[list[Any]]:
    """`softmax_jacobian` of one row in so many decimal digits, as mpmath's numbers.

    >>> import mpmath
    >>> mpmath.nstr(precise_softmax_jacobian([-3, 1, 100, 5, -1])[2][2], 4)
    '5.638e-42'
    """
    import mpmath

    if digits < 1 or not len(logits):
        raise ValueError(f"logits and digits must be at least one: got {len(logits)} logits, digits={digits}")
    with mpmath.workdps(digits + 5):
        powers = [mpmath.exp(mpmath.mpf(beta) * mpmath.mpf(z)) for z in logits]
        a = [power / mpmath.fsum(powers) for power in powers]
        rest = [mpmath.fsum([*a[:i], *a[i + 1 :]]) for i in range(len(a))]
        return [[beta * x * (rest[i] if i == j else -y) for j, y in enumerate(a)] for i, x in enumerate(a)]


def jacobian_norm(
    logits: Float[Tensor, "... N"] | None = None, *, weights: Float[Tensor, "... N"] | None = None, beta: float = 1.0
) -> Float[Tensor, "..."]:
    """The Frobenius norm of `softmax_jacobian` in float64, without the N² numbers.

    ‖J‖_F² = β²·Σ_i a_i²·((Σ_{j≠i} a_j)² + Σ_{j≠i} a_j²)
    """
    a = _weights(logits, weights, beta).double()
    return abs(beta) * (a * (others(a) ** 2 + others(a * a)).sqrt()).norm(dim=-1)


@dataclass(frozen=True, kw_only=True)
class Saturation:
    """How near weights are to one-hot, (...) for weights (..., N), in float64; the bounds are those of β = 1.

    jacobian ≤ trace = 1 − Σa² ≤ 2·rest: the matrix has no negative eigenvalue, so its norm is at most its trace, and
    `Σ a_i(1 − a_i)` counts the rest at most twice, whatever the number of keys.
    """

    largest: Tensor  # the largest weight
    rest: Tensor  # ε, the sum of the others
    entropy: Tensor  # −Σ a·log a; its exponential is how many keys are attended to
    jacobian: Tensor  # ‖J‖_F
    trace: Tensor  # 1 − Σa², a bound of it
    bound: Tensor  # 2ε, a bound of that


def saturation(
    logits: Float[Tensor, "... N"] | None = None, *, weights: Float[Tensor, "... N"] | None = None, beta: float = 1.0
) -> Saturation:
    """How saturated a softmax is, from its logits or from its weights.

    >>> found = saturation(weights=torch.tensor([0.98, 0.01, 0.01]))
    >>> f"{found.rest:.3f} {found.jacobian:.4f} {found.trace:.4f} {found.bound:.3f}"
    '0.020 0.0311 0.0394 0.040'
    """
    a = _weights(logits, weights, beta).double()
    rest = others(a).gather(-1, a.argmax(-1, keepdim=True)).squeeze(-1)
    return Saturation(
        largest=a.amax(-1),
        rest=rest,
        entropy=torch.special.entr(a).sum(-1),
        jacobian=jacobian_norm(weights=a),
        trace=(a * others(a)).sum(-1),
        bound=2 * rest,
    )


def others(a: Float[Tensor, "... N"]) -> Float[Tensor, "... N"]:
    """For each of some numbers, none negative, the sum of the others, without cancellation.

    >>> others(torch.tensor([1.0, 1e-30]))
    tensor([1.0000e-30, 1.0000e+00])
    """
    top = torch.zeros_like(a, dtype=torch.bool).scatter(-1, a.argmax(-1, keepdim=True), True)
    without_top = a.masked_fill(top, 0).sum(-1, keepdim=True)
    # Below the top a number is at most half of the sum, and subtracting it loses one bit.
    return torch.where(top, without_top, a.sum(-1, keepdim=True) - a)


def weights_jacobian(
    q: Float[Tensor, "B H T D"],
    k: Float[Tensor, "B G S D"],
    attention: Attention = PLAIN,
    *,
    by: Literal["q", "k"] = "q",
) -> Float[Tensor, "B H T S ..."]:
    """The derivatives of the map with respect to the queries or the keys, by autograd through `weights`.

    The shape is the map's and then that of q, or of k. For a softmax of the content alone, J the softmax's of row t,

        ∂a_t/∂q_t = J K,    ∂a_t/∂k_j = J[:, j] q_tᵀ,    ∂a_t/∂q_u = 0 for u ≠ t

    >>> q, k = torch.randn(1, 1, 3, 2), torch.randn(1, 1, 5, 2)
    >>> weights_jacobian(q, k, by="k").shape
    torch.Size([1, 1, 3, 5, 1, 1, 5, 2])
    """
    if by not in ("q", "k"):
        raise ValueError(f'by must be "q" or "k": got by={by!r}')
    moved = q if by == "q" else k
    entries = math.prod(q.shape[:3]) * k.shape[2] * moved.numel()
    if entries > MOST:
        raise ValueError(f"the derivative must have at most {MOST:,} numbers: got {entries:,}; take fewer tokens")

    def map_of(x: Tensor) -> Tensor:
        return weights_of(x if by == "q" else q, x if by == "k" else k, attention)

    found = torch.autograd.functional.jacobian(map_of, moved)
    assert isinstance(found, Tensor)
    return found


def _weights(logits: Tensor | None, weights: Tensor | None, beta: float) -> Tensor:
    """The weights, in at least float32; zeros where all logits are −∞."""
    if (logits is None) == (weights is None):
        raise ValueError(
            f"give logits or weights, one of them: got {'neither' if logits is None else 'both'}; "
            "softmax_jacobian(z) or softmax_jacobian(weights=a)"
        )
    if not math.isfinite(beta):
        raise ValueError(f"beta must be finite: got beta={beta}")
    given = weights if logits is None else logits
    assert given is not None
    if not given.ndim or not given.shape[-1]:
        raise ValueError(f"a softmax is over at least one key: got shape {tuple(given.shape)}")
    given = given.to(torch.promote_types(given.dtype, torch.float32))
    if logits is None:
        _check_shares(given.detach())
        return given
    hidden = given == -torch.inf  # and stays so, whatever β
    empty = hidden.all(-1, keepdim=True)
    scaled = (beta * given.masked_fill(hidden, 0)).masked_fill(hidden & ~empty, -torch.inf)
    return torch.softmax(scaled, -1).masked_fill(empty, 0)


def _check_shares(a: Tensor) -> None:
    total = a.sum(-1)
    wrong = ~((a >= 0).all(-1) & (((total - 1).abs() <= UNIT) | (total == 0)))
    if bool(wrong.any()):
        row = a[wrong][0]
        raise ValueError(
            f"weights must be shares of one, none negative: got a row from {row.min():.3g} to {row.max():.3g} "
            f"with sum {row.sum():.3g}; give logits as the first argument"
        )
