"""Start: a small language model reads a sentence; what each of its heads looks at, and which tokens may come next."""

from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field

from regard.claims.experiments import SHIPPED
from regard.explore.api import Binary, Endpoint, Request, Response
from regard.explore.workspace import Workspace
from regard.models import load

FOLDER = SHIPPED / "captions" / "model"
FIRST = "\n"  # the model learnt from captions in lines: a line's end comes before each
NEXT = 6  # tokens that may come next
MAX_TEXT = 400  # characters


class StartRequest(Request):
    """What the model reads, the beginning of a caption; white space at its end is left out."""

    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""


class NextToken(Response):
    """A token that may come next; an empty piece ends the caption."""

    piece: str
    probability: float


class StartHeader(Response):
    """Weights (layers, heads, tokens, tokens) in float32 follow; the first token, an empty piece, begins the caption.

    `telling` is the layer and the head that look with the greatest weight at what is neither the first token, nor the
    one before, nor the query's own. The model was trained with `context` tokens at most.
    """

    pieces: list[str]
    unknown: str  # the characters that were never learnt whole: the model reads their bytes, which show as �
    layers: int
    heads: int
    telling: tuple[int, int]
    next: list[NextToken]
    context: int
    width: int  # of a token's vector
    head_width: int  # of its query, key and value in a head
    parameters: int


def read_sentence(workspace: Workspace, request: StartRequest) -> Binary:
    """The tokens of a text, the attention of all heads, and the likeliest next tokens: a StartHeader, then weights."""
    text = request.text.rstrip()

    def read() -> tuple[Binary, int]:
        found = _read(workspace.cache.get(("start model", str(FOLDER)), _load), text)
        return found, len(found.data)

    return workspace.cache.get(("start", text), read)


def _load() -> tuple[Any, int]:
    model = load(FOLDER).eval()
    return model, sum(parameter.nbytes for parameter in model.parameters())


def _read(model: Any, text: str) -> Binary:
    context, tokenizer = model.config.positions.context, model.tokenizer
    ids = tokenizer.encode(FIRST + text, add_special_tokens=False).ids
    if len(ids) > context:
        raise ValueError(f"a sentence must have at most {context - 1} tokens: got {len(ids) - 1}; remove some words")
    with torch.inference_mode():
        out = model(torch.tensor([ids]), maps=True)
    weights = torch.stack([layer[0].float() for layer in out.maps["self"]])
    likely = out.logits[0, -1].float().softmax(0).topk(NEXT)
    header = StartHeader(
        pieces=[_piece(tokenizer, token) for token in ids],
        unknown="".join(dict.fromkeys(one for one in text if "\ufffd" in _pieces_of(tokenizer, one))),
        layers=weights.shape[0],
        heads=weights.shape[1],
        telling=_most_telling(weights),
        next=[
            NextToken(piece=_piece(tokenizer, token), probability=probability)
            for probability, token in zip(likely.values.tolist(), likely.indices.tolist(), strict=True)
        ],
        context=context,
        width=model.config.block.width,
        head_width=model.config.block.head_width,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
    )
    return Binary(header, weights.numpy().astype(np.dtype("<f4")).tobytes())


def _pieces_of(tokenizer: Any, text: str) -> str:
    return "".join(_piece(tokenizer, token) for token in tokenizer.encode(text, add_special_tokens=False).ids)


def _piece(tokenizer: Any, token: int) -> str:
    piece = tokenizer.decode([token])
    return "" if piece == FIRST else piece


def _most_telling(weights: torch.Tensor) -> tuple[int, int]:
    """The layer and the head with the largest mean, over queries, of the greatest weight on a key of that kind.

    >>> weights = torch.zeros(1, 2, 4, 4)
    >>> weights[0, 1, 3, 1] = 1.0
    >>> _most_telling(weights)
    (0, 1)
    """
    T = weights.shape[-1]
    query, key = torch.arange(T)[:, None], torch.arange(T)
    is_telling = (key > 0) & (key < query - 1)
    best = weights.masked_fill(~is_telling, 0).amax(-1).mean(-1)
    layer, head = divmod(int(best.flatten().argmax()), weights.shape[1])
    return layer, head


ENDPOINTS = (Endpoint("start", read_sentence),)
