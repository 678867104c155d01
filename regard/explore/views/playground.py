"""The playground: a small sequence, its matrices, and everything that attention makes of them."""

from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import Tensor

from regard.algorithms import attend, weights
from regard.analysis import perturb_key, perturb_query, softmax_jacobian
from regard.attention import Attention, Content, Hard, Softmax
from regard.attention.notation import parse_mask
from regard.attention.reference import indices, logits_of
from regard.claims.ist.example import W_K, W_OUT, W_Q, W_V, X
from regard.explore.api import Empty, Endpoint, Request, Response
from regard.explore.workspace import Workspace

MAX_TOKENS, MAX_WIDTH, MAX_HEADS = 16, 8, 8
WORDS = ("she", "reads", "old", "books")  # names for the tokens of the example, whose numbers mean nothing
Number = Annotated[float, Field(ge=-1e6, le=1e6)]
Matrix = Annotated[
    list[Annotated[list[Number], Field(min_length=1, max_length=MAX_TOKENS * MAX_WIDTH)]],
    Field(min_length=1, max_length=MAX_HEADS * MAX_WIDTH),
]
Row = list[float]
Rows = list[Row]
Index = Annotated[int, Field(ge=0, lt=MAX_TOKENS)]


class Head(Request):
    """The three matrices of a head: (C, D), (C, D) and (C, E)."""

    q: Matrix
    k: Matrix
    v: Matrix


class Noise(Request):
    """What is added to one key, or to one query, of the chosen head."""

    on: Literal["key", "query"]
    index: Index
    noise: Annotated[list[Number], Field(min_length=1, max_length=MAX_WIDTH)]


class PlaygroundRequest(Request):
    """Tokens x (T, C), and their names; heads; W_O (H·E, C'), or none; β, null for 1/√D; one-hot weights; the mask."""

    x: Matrix
    tokens: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=MAX_TOKENS)] | None = None
    heads: Annotated[list[Head], Field(min_length=1, max_length=MAX_HEADS)]
    out: Matrix | None = None
    beta: Annotated[float, Field(ge=0, le=1e6)] | None = None
    hard: bool = False
    mask: Annotated[str, Field(max_length=200)] = "everything"
    head: Annotated[int, Field(ge=0, lt=MAX_HEADS)] = 0
    noise: Noise | None = None


class Example(Response):
    """A problem to begin with, and the query to look at first."""

    problem: PlaygroundRequest
    query: int


class Moved(Response):
    """What noise changes in the chosen head, T queries by S keys; null where weights are hard."""

    shift: Rows  # that it adds to the logits
    weights: Rows  # after it
    change: Rows
    predicted: Rows  # the weights after it, computed from those before alone
    first_order: Rows
    moved: list[list[bool]]  # which weights have changed
    outputs: Rows
    outputs_moved: list[bool]
    energy: float  # Σ (a' − a)²


class PlaygroundResponse(Response):
    """All numbers, by head: q, k, v; logits β·q·k, null where hidden; weights; outputs."""

    beta: float
    q: list[Rows]
    k: list[Rows]
    v: list[Rows]
    logits: list[list[list[float | None]]]
    weights: list[Rows]
    outputs: list[Rows]  # of each head
    merged: Rows | None  # of all heads side by side, times W_O
    jacobians: list[Rows]  # of the chosen head, by query: of its weights by its logits β·q·k; zero where they are hard
    moved: Moved | None


def give_example(workspace: Workspace, request: Empty) -> Example:
    """The worked example that the playground begins with, `ist.1c`: four tokens, two heads, its most spread query."""
    first = Head(q=_to_lists(W_Q), k=_to_lists(W_K), v=_to_lists(W_V))
    ones = Head(**{name: [[1.0] * 2] * 3 for name in "qkv"})
    heads, x = [first, ones], _to_lists(X)
    q, k = (_project(_to_matrix("x", x), heads, name) for name in ("q", "k"))
    spread = torch.special.entr(weights(q, k)[0, 0]).sum(-1)
    problem = PlaygroundRequest(x=x, tokens=list(WORDS), heads=heads, out=_to_lists(W_OUT))
    return Example(problem=problem, query=int(spread.argmax()))


def compute_playground(workspace: Workspace, request: PlaygroundRequest) -> PlaygroundResponse:
    """Attention of a small sequence, in float64: logits, weights, outputs, the Jacobian, and what noise moves."""
    x = _to_matrix("x", request.x)
    if x.shape[0] > MAX_TOKENS or x.shape[1] > MAX_WIDTH:
        raise ValueError(
            f"x must have at most {MAX_TOKENS} tokens of width {MAX_WIDTH}: got {tuple(x.shape)}; remove some"
        )
    q, k, v = (_project(x, request.heads, name) for name in ("q", "k", "v"))
    if q.shape != k.shape:
        raise ValueError(f"queries and keys must have the same width: got {q.shape[-1]} and {k.shape[-1]}")
    if request.tokens is not None and len(request.tokens) != len(x):
        raise ValueError(f"each token must have a name: got {len(request.tokens)} names for {len(x)} tokens")
    if request.head >= len(request.heads):
        raise ValueError(f"the head must exist: got {request.head}, of {len(request.heads)}")
    content, mask = Content(request.beta), parse_mask(request.mask)
    attention = Attention(content, mask, Hard() if request.hard else Softmax())
    found, outputs = weights(q, k, attention), attend(q, k, v, attention)
    index, places = indices(q, k), attention.places(q.shape[2], k.shape[2])
    logits = logits_of(q, k, attention, index, places)[0].masked_fill(~mask.slab(*index, places)[0], -torch.inf)
    jacobians = softmax_jacobian(weights=found[0, request.head])
    return PlaygroundResponse(
        beta=content.scale(q.shape[-1]),
        q=q[0].tolist(),
        k=k[0].tolist(),
        v=v[0].tolist(),
        logits=[[[None if z == float("-inf") else z for z in row] for row in head] for head in logits.tolist()],
        weights=found[0].tolist(),
        outputs=outputs[0].tolist(),
        merged=None if request.out is None else _merge(outputs[0], _to_matrix("out", request.out)).tolist(),
        jacobians=(torch.zeros_like(jacobians) if request.hard else jacobians).tolist(),
        moved=None
        if request.noise is None or request.hard
        else _perturb(q, k, v, attention, request.head, request.noise),
    )


def _perturb(q: Tensor, k: Tensor, v: Tensor, attention: Attention, head: int, noise: Noise) -> Moved:
    one = slice(head, head + 1)
    own = q[:, one], k[:, one], v[:, one]
    added = torch.tensor(noise.noise, dtype=torch.float64)
    if noise.on == "key":
        found = perturb_key(*own, attention, key=noise.index, noise=added)
    else:
        found = perturb_query(*own, attention, query=noise.index, noise=added)
    told = {name: getattr(found, name) for name in ("shift", "change", "predicted", "first_order", "moved")}
    told |= {"weights": found.after, "outputs": found.output_after, "outputs_moved": found.outputs_moved}
    return Moved(**{name: numbers[0, 0].tolist() for name, numbers in told.items()}, energy=float(found.energy))


def _project(x: Tensor, heads: list[Head], name: str) -> Tensor:
    """(1, H, T, D) of the heads' matrices of this name."""
    found = [_to_matrix(f"heads.{number}.{name}", getattr(head, name)) for number, head in enumerate(heads)]
    for number, matrix in enumerate(found):
        if matrix.shape != (x.shape[1], found[0].shape[1]) or matrix.shape[1] > MAX_WIDTH:
            raise ValueError(
                f"W_{name.upper()} of head {number + 1} must be {x.shape[1]} × {found[0].shape[1]}, as x and the first "
                f"head say, and at most {MAX_WIDTH} wide: got {' × '.join(map(str, matrix.shape))}"
            )
    return (x @ torch.stack(found))[None]


def _merge(outputs: Tensor, out: Tensor) -> Tensor:
    flat = outputs.transpose(0, 1).flatten(1)
    if out.shape[0] != flat.shape[1]:
        raise ValueError(f"W_O must have {flat.shape[1]} rows, one for each number of all heads: got {out.shape[0]}")
    if out.shape[1] > MAX_WIDTH:
        raise ValueError(f"W_O must be at most {MAX_WIDTH} wide: got {out.shape[1]} columns; remove some")
    return flat @ out


def _to_matrix(name: str, rows: list[list[float]]) -> Tensor:
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{name} must have rows of one length: got {[len(row) for row in rows]}")
    return torch.tensor(rows, dtype=torch.float64)


def _to_lists(rows: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    return [[float(value) for value in row] for row in rows]


ENDPOINTS = (Endpoint("example", give_example), Endpoint("playground", compute_playground))
