"""How logits become weights over the keys."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.scores.term import Content, Shape, Term
from regard.attention.value import Value, show
from regard.attention.weighting.features import Features, Own, check_features
from regard.checks import check_tensor


@dataclass(frozen=True, eq=False)
class Softmax(Value):
    """`a_j = exp(s_j) / (exp(sink) + Σ exp(s))` over the keys that a query may see; an empty row gives zeros.

    `sink` is a logit for each head, shape (H,), that takes weight and gives nothing, so that a head may look nowhere:
    the weights of a row add up to less than one. It may learn; −∞ for a head is none. Without a sink the term is 0.

    >>> from regard import Attention, weights
    >>> weights(torch.zeros(1, 1, 1, 4), torch.zeros(1, 1, 3, 4), Attention(weighting=Softmax(torch.zeros(1))))
    tensor([[[[0.2500, 0.2500, 0.2500]]]])

    Agarwal et al., *gpt-oss-120b & gpt-oss-20b Model Card*, 2025: their learned bias in the denominator is our sink.
    """

    sink: Float[Tensor, " H"] | None = None

    def __post_init__(self) -> None:
        if self.sink is None:
            return
        check_tensor("sink", self.sink)
        if not self.sink.is_floating_point():
            raise ValueError(f"sink must be floating point: got {self.sink.dtype}; use sink.float()")

    def check(self, shape: Shape) -> None:
        """Raise unless there is a sink for each head, or none."""
        if self.sink is not None and tuple(self.sink.shape) != (shape.H,):
            raise ValueError(
                f"Softmax needs one sink per head: got shape {tuple(self.sink.shape)} for H={shape.H}; "
                f"use torch.zeros({shape.H})"
            )

    def __repr__(self) -> str:
        return "Softmax()" if self.sink is None else f"Softmax(sink={show(self.sink)})"


@dataclass(frozen=True, eq=False)
class Hard(Value):
    """One-hot at the largest logit, ties to the first key: the limit β → ∞. Its gradient goes to v only."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Kernel(Value):
    """Linear attention: `a_j = g(q)·g(k_j) / Σ g(q)·g(k)` over the keys that a query may see.

    Without `normalise` the quotient is left out. A row whose sum is zero gives zeros. `features` is one of `Elu()`,
    `Relu()`, `SquaredRelu()`, `Exp()`, `Identity()`, `RandomFeatures`, or a function of one's own that maps (…, D) to
    (…, F). The sum over the keys can be taken before the query is known, `g(q)ᵀ Σ g(k_j) v_jᵀ`: N·F·E in place of
    N²·(F + E).

    >>> from regard.attention import Elu
    >>> Kernel(Elu()), Kernel(torch.square, normalise=False)
    (Kernel(Elu()), Kernel(Own(square), normalise=False))

    Katharopoulos, Vyas, Pappas, Fleuret, *Transformers are RNNs*, ICML 2020.
    """

    features: Features
    normalise: bool

    def __init__(self, features: Features | Callable[[Tensor], Tensor], normalise: bool = True) -> None:
        if isinstance(features, type):
            raise ValueError(f"features must be a value: got {features.__name__}; did you forget ()?")
        if not isinstance(normalise, bool):
            raise ValueError(f"normalise must be True or False: got {normalise!r}; leave it out for shares of a sum")
        object.__setattr__(self, "features", features if isinstance(features, Features) else Own(features))
        object.__setattr__(self, "normalise", normalise)

    def check(self, scores: Term, shape: Shape) -> None:
        """Raise unless these scores are something that features can stand for, and fit vectors of this width."""
        contents = [term for term in scores.terms if isinstance(term, Content)]
        if len(contents) != len(scores.terms) or not contents:
            raise ValueError(
                f"{self!r} weighs q against k and has no logits to add to: got scores={scores!r}; use Content() alone"
            )
        self.check_beta(contents[0])
        if self.features.width(shape.D) < 1:
            raise ValueError(f"{self!r} must give at least one feature: got none for D={shape.D}; use Elu()")

    def check_beta(self, content: Content) -> None:
        """Raise where β or a cap has no meaning: only an estimate of exp(β·qᵀk) knows a positive β."""
        if content.cap is not None:
            raise ValueError(f"{self!r} has no logits to cap: got {content!r}; leave the cap out")
        if content.beta is None:
            return
        if not self.features.estimates_exp:
            raise ValueError(f"{self!r} has no β: got {content!r}; its features act on q and k themselves, scale those")
        if content.beta <= 0:
            raise ValueError(f"{self!r} acts on √β·q and √β·k, so β must be positive: got {content!r}; negate q")

    def map(self, x: Tensor, content: Content) -> Tensor:
        """`g(x)` in at least float32; `g(√β·x)` where the features estimate exp(q·k)."""
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.features.estimates_exp:
            self.check_beta(content)
            x = x * math.sqrt(content.scale(x.shape[-1]))
        out = self.features(x)
        unknown = isinstance(self.features, Own) and self.features.num_features is None
        check_features(self.features, x, out, None if unknown else self.features.width(x.shape[-1]))
        return out

    def __repr__(self) -> str:
        return f"Kernel({self.features!r})" if self.normalise else f"Kernel({self.features!r}, normalise=False)"


def divided(top: Tensor, bottom: Tensor) -> Tensor:
    """`top / bottom`, and zeros without a gradient where the denominator is zero."""
    return top / bottom.masked_fill(bottom == 0, math.inf)


Weighting = Softmax | Hard | Kernel
