"""All claims, in the order of the documents."""

import importlib
from collections.abc import Sequence

from regard.checks import nearest
from regard.claims.claim import Claim

DOCUMENTS = {
    "conv": "ETH Zürich, NLP, assignment 6 (2023): self-attention and convolution",
    "nyu": "NYU, Deep Learning, homework 3 (theory): attention, Transformer, ViT",
    "udl": "Understanding Deep Learning (Prince), problems of chapter 12: Transformers",
    "eecs": "UC Berkeley, EECS 182, final review (2023): scaled dot-product attention, LayerNorm",
    "ist": "IST Lisbon, Deep Learning, practical 10 (2021-22): attention by hand, string reversal",
}


def catalogue() -> tuple[Claim, ...]:
    """Every claim: 77 rows of five documents."""
    return tuple(claim for key in DOCUMENTS for claim in importlib.import_module(f"regard.claims.{key}").CLAIMS)


def select(names: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of these ids, or of whole documents; all of them without a name."""
    claims = catalogue()
    known = {claim.id for claim in claims}
    for name in names:
        if name not in known and name not in DOCUMENTS:
            advice = nearest(name, [*known, *DOCUMENTS], f"the documents are {', '.join(DOCUMENTS)}")
            raise ValueError(f"no claim or document is called {name!r}; {advice}")
    return tuple(claim for claim in claims if not names or claim.id in names or claim.id.split(".")[0] in names)
