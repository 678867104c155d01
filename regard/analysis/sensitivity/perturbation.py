"""What noise on one key or on one query changes: which weights, which outputs, and by how much."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.algorithms import attend, weights
from regard.attention import Attention, Softmax

PLAIN = Attention()


@dataclass(frozen=True, kw_only=True)
class Perturbation:
    """The map and the outputs before and after, and what follows from the map before alone.

    `predicted` is the map after by the closed form, equal to `after` up to rounding; `first_order` is the change of the
    map to first order in the noise. Without v there are no outputs.
    """

    shift: Float[Tensor, "B H T S"]  # t, what the noise adds to the logits
    before: Float[Tensor, "B H T S"]
    after: Float[Tensor, "B H T S"]
    predicted: Float[Tensor, "B H T S"]
    first_order: Float[Tensor, "B H T S"]
    output_before: Float[Tensor, "B H T E"] | None = None
    output_after: Float[Tensor, "B H T E"] | None = None

    @property
    def change(self) -> Float[Tensor, "B H T S"]:
        return self.after - self.before

    @property
    def moved(self) -> Bool[Tensor, "B H T S"]:
        """Which weights are other numbers than before, in this arithmetic."""
        return self.after != self.before

    @property
    def energy(self) -> Float[Tensor, "B H"]:
        """`Σ (a' − a)²` over all queries and keys."""
        return self.change.square().sum((-2, -1))

    @property
    def output_change(self) -> Float[Tensor, "B H T E"]:
        if self.output_before is None or self.output_after is None:
            raise ValueError("a perturbation has outputs where it was given values: got v=None; give v")
        return self.output_after - self.output_before

    @property
    def outputs_moved(self) -> Bool[Tensor, "B H T"]:
        """Which queries get another output than before."""
        return (self.output_change != 0).any(-1)

    @property
    def output_energy(self) -> Float[Tensor, "B H"]:
        """`Σ ‖o' − o‖²` over all queries."""
        return self.output_change.square().sum((-2, -1))


def perturb_key(
    q: Float[Tensor, "B H T D"],
    k: Float[Tensor, "B G S D"],
    v: Float[Tensor, "B G S E"] | None,
    attention: Attention = PLAIN,
    *,
    key: int,
    noise: Float[Tensor, "..."],
) -> Perturbation:
    """Add `noise`, (D,) or one for each (B, G, D), to key i: every query that sees it answers, with all its weights.

        t = β·εᵀq,   a_i' = a_i e^t / (1 − a_i + a_i e^t),   a_j' = a_j / (1 − a_i + a_i e^t)
        Δa = t·a_i(e_i − a) to first order

    >>> q, k = torch.randn(1, 1, 3, 2), torch.randn(1, 1, 5, 2)
    >>> found = perturb_key(q, k, None, key=4, noise=torch.tensor([1.0, 0.5]))
    >>> found.moved.sum().item(), torch.allclose(found.predicted, found.after)
    (15, True)
    """
    added = _placed(noise, attention, "key", key, k)
    return _perturbed((q, k), (q, k + added), (q, added), v, attention)


def perturb_query(
    q: Float[Tensor, "B H T D"],
    k: Float[Tensor, "B G S D"],
    v: Float[Tensor, "B G S E"] | None,
    attention: Attention = PLAIN,
    *,
    query: int,
    noise: Float[Tensor, "..."],
) -> Perturbation:
    """Add `noise`, (D,) or one for each (B, H, D), to query i: its own weights answer, no other query's.

        t_j = β·εᵀk_j,   a_j' = a_j e^{t_j} / Σ_l a_l e^{t_l}
        Δa = (diag a − aaᵀ)t to first order

    >>> q, k = torch.randn(1, 1, 3, 2), torch.randn(1, 1, 5, 2)
    >>> perturb_query(q, k, None, query=1, noise=torch.tensor([1.0, 0.5])).moved.sum(-1)
    tensor([[[0, 5, 0]]])
    """
    added = _placed(noise, attention, "query", query, q)
    return _perturbed((q, k), (q + added, k), (added, k), v, attention)


def reweight(a: Float[Tensor, "*rows S"], shift: Float[Tensor, "*rows S"]) -> Float[Tensor, "*rows S"]:
    """Weights after `shift` is added to their logits, from the weights alone: `a e^t / Σ a e^t`; zeros stay zeros.

    >>> reweight(torch.tensor([0.5, 0.5, 0.0]), torch.tensor([0.0, 100.0, 5.0]))
    tensor([3.7835e-44, 1.0000e+00, 0.0000e+00])
    """
    empty = (a == 0).all(-1, keepdim=True)
    return torch.softmax((a.log() + shift).masked_fill(empty, 0), -1).masked_fill(empty, 0)


def _perturbed(
    old: tuple[Tensor, Tensor],
    new: tuple[Tensor, Tensor],
    noise: tuple[Tensor, Tensor],
    v: Tensor | None,
    attention: Attention,
) -> Perturbation:
    """From queries and keys before and after, and those whose logits are what the noise adds."""
    assert attention.content is not None
    q, k = noise
    shift = attention.content.logits(q, k.repeat_interleave(q.shape[1] // k.shape[1], 1))
    before, after = weights(*old, attention), weights(*new, attention)
    shift = shift.where(before > 0, 0)  # a hidden pair has a logit of −∞, whatever is added
    found = Perturbation(
        shift=shift,
        before=before,
        after=after,
        predicted=reweight(before, shift),
        first_order=before * (shift - (before * shift).sum(-1, keepdim=True)),
    )
    if v is None:
        return found
    return replace(found, output_before=attend(*old, v, attention), output_after=attend(*new, v, attention))


def _placed(noise: Tensor, attention: Attention, side: str, index: int, x: Tensor) -> Tensor:
    """Zeros like these queries or keys but for the noise at one of them, if there may be."""
    if attention.content is None or not isinstance(attention.weighting, Softmax) or attention.sink is not None:
        raise ValueError(
            f"a perturbation is of a softmax of queries and keys: got {attention!r}; use Content, Softmax()"
        )
    if x.ndim != 4 or not 0 <= index < x.shape[2]:
        raise ValueError(f"{side} must be one of those given: got {side}={index} for shape {tuple(x.shape)}")
    B, heads, _, D = x.shape
    fits = noise.ndim <= 3 and all(n in (1, m) for n, m in zip(noise.shape[::-1], (D, heads, B), strict=False))
    if not fits or noise.shape[-1:] != (D,):
        raise ValueError(
            f"noise must be ({D},), or one for each row and head ({B}, {heads}, {D}): got {tuple(noise.shape)}"
        )
    if not bool(noise.isfinite().all()):
        raise ValueError("noise must be finite: got NaN or infinity")
    added = torch.zeros_like(x)
    added[:, :, index] = noise
    return added
