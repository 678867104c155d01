"""How logits become weights over the keys."""

from dataclasses import dataclass

from regard.attention.value import Value


@dataclass(frozen=True, eq=False)
class Softmax(Value):
    """`a_j = exp(s_j) / Σ exp(s)` over the keys that a query may see; an empty row gives zeros."""


@dataclass(frozen=True, eq=False)
class Hard(Value):
    """One-hot at the largest logit, ties to the first key: the limit β → ∞. Its gradient goes to v only."""


Weighting = Softmax | Hard
