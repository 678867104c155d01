"""What may be cached, and which pieces may be appended: all that is checked before a cache is written to."""

import torch
from torch import Tensor

from regard.attention.attention import Attention
from regard.attention.masks.documents import Documents
from regard.attention.masks.mask import Mask, leaves
from regard.attention.positions.positions import LINE, Places, Sequence
from regard.attention.scores.term import Shape
from regard.attention.weighting.weighting import Hard, Softmax
from regard.checks import check_tensor

Counts = tuple[int, ...]


def hides_future(mask: Mask) -> bool:
    """Whether the mask surely hides every key that stands after the query.

    >>> from regard.attention import Causal, Strided, Window
    >>> hides_future(Causal() & Strided(2)), hides_future(Window(3) | Causal()), hides_future(Window(3, after=1))
    (True, True, False)
    """
    latest = mask.facts(LINE).band[0][1]
    return latest is not None and latest <= 0


def looks_back(mask: Mask) -> int | None:
    """How far before the query a visible key may stand; None where no bound is known.

    >>> from regard.attention import Causal, Window
    >>> looks_back(Causal() & (Window(3) | Window(5))), looks_back(Causal())
    (5, None)
    """
    earliest = mask.facts(LINE).band[0][0]
    return None if earliest is None else max(0, -earliest)


def check_cacheable(attention: Attention, window: int | None) -> None:
    """Raise unless a query of a piece gets what it would get in the whole sequence."""
    if not isinstance(attention, Attention):
        raise ValueError(f"append needs the Attention of the new queries: got {attention!r}; use Attention(mask=…)")
    for name, positions in (("queries", attention.queries), ("keys", attention.keys)):
        if positions is not None:
            raise ValueError(
                f"a cache sets the positions itself, one token after the other: got {name}={positions!r}; leave it "
                "out, and state where the piece begins by start=…"
            )
    if not isinstance(attention.weighting, Softmax | Hard):
        raise ValueError(
            f"a cache keeps keys and values, for Softmax() or Hard(): got {attention.weighting!r}, which needs but a "
            "sum over the tokens so far; use LinearState"
        )
    for term in attention.scores.terms:
        if not term.facts().positional:
            raise ValueError(
                f"a cache takes scores of content and positions: got {term!r}, which says nothing of tokens to come; "
                "use Slopes, Quadratic or RelativeTable"
            )
        if term.num_axes == 2:
            raise ValueError(f"a cache holds tokens in a line: got {term!r} for a grid; use a term of one axis")
    for leaf in leaves(attention.mask):
        if leaf.facts(LINE).real is not None:
            raise ValueError(
                f"a cache knows which tokens are real: got {leaf!r} in the mask; give append the lengths=… of the piece"
            )
        if not leaf.facts(LINE).positional:
            raise ValueError(
                f"a cache takes masks that positions decide: got {leaf!r}, which says nothing of tokens to come; use "
                "Causal, Window or Strided, or a mask whose facts say positional"
            )
    mask = attention.mask
    if not hides_future(mask):
        raise ValueError(
            f"a cached query must not see tokens that are still to come: got mask={mask!r}; use mask & Causal()"
        )
    back = looks_back(mask)
    if window is not None and (back is None or back >= window):
        seen = "all tokens before it" if back is None else f"{back} tokens before it"
        larger = "" if back is None else f", or a cache with window={back + 1}"
        raise ValueError(
            f"a cache with window={window} needs a mask that looks at most {window - 1} tokens back: got "
            f"mask={mask!r}, by which a query sees {seen}; use mask & Window(before={window - 1}){larger}"
        )


def check_piece(k: Tensor, v: Tensor, keys: Tensor, values: Tensor) -> None:
    """Raise unless the new tokens fit the buffers, and need no gradient."""
    for name, x, buffer, width in (("k", k, keys, "D"), ("v", v, values, "E")):
        B, G, _, columns = buffer.shape
        check_tensor(name, x)
        if x.ndim != 4 or (x.shape[0], x.shape[1], x.shape[3]) != (B, G, columns):
            raise ValueError(
                f"{name} must be (B, G, n, {width}) = ({B}, {G}, n, {columns}): got shape {tuple(x.shape)}; make a "
                "cache of these sizes"
            )
        if x.dtype != buffer.dtype or x.device != buffer.device:
            raise ValueError(
                f"{name} must be {buffer.dtype} on {buffer.device}, as the cache: got {x.dtype} on {x.device}; use "
                f"Cache(…, dtype={x.dtype}, device={str(x.device)!r})"
            )
        if x.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"a cache keeps no gradient: got {name} that needs one; use torch.no_grad()")
    if k.shape[2] != v.shape[2]:
        raise ValueError(f"k and v must have one length: got n={k.shape[2]} and {v.shape[2]}; give each key its value")
    if k.shape[2] < 1:
        raise ValueError(f"a piece needs a token or more: got n={k.shape[2]}; leave the call out")


def check_documents(documents: Documents, k: Tensor, v: Tensor, batch: int, lengths: Counts) -> None:
    """Raise unless each document of the packed rows k and v has an empty row of the cache."""
    rows = documents.rows
    if rows is None:
        raise ValueError(
            f"a cache counts on the host, in plain numbers: got {documents!r}; use Documents(lengths.tolist())"
        )
    if any(lengths):
        raise ValueError(f"packed documents begin in an empty cache: got one of lengths {lengths}; use reset()")
    if k.ndim != 4 or v.ndim != 4 or k.shape[2] != v.shape[2]:
        raise ValueError(
            f"k and v must be (B, G, S, D) and (B, G, S, E): got shapes {tuple(k.shape)} and {tuple(v.shape)}"
        )
    B, G, S, D = k.shape
    documents.check(Shape(B, G, G, S, S, D, v.shape[3]), Places(Sequence(S), Sequence(S)))
    count = sum([len(row) for row in rows]) * (1 if documents.batch is not None else B)
    if count != batch:
        raise ValueError(f"a cache has a row for each document: got {count} for B={batch}; make another cache")


def count_real(lengths: Counts | list[int] | None, batch: int, n: int) -> Counts:
    """How many tokens of a piece of n are real, in each row."""
    if lengths is None:
        return (n,) * batch
    counts = per_row("lengths", lengths, batch)
    for row, count in enumerate(counts):
        if not 0 <= count <= n:
            raise ValueError(
                f"lengths must lie in 0…n={n}: got {count} in row {row}; count the real tokens of the piece"
            )
    if not any(counts):
        raise ValueError(f"a piece needs a real token in some row: got lengths={counts}; leave the call out")
    return counts


def per_row(name: str, numbers: int | Counts | list[int], batch: int) -> Counts:
    """One whole number for each row, or one for all; on the host, where the cache counts."""
    if isinstance(numbers, Tensor):
        raise ValueError(f"{name} must be plain numbers, one for each row: got a tensor; use {name}.tolist()")
    rows = (numbers,) * batch if type(numbers) is int else tuple(numbers) if isinstance(numbers, list | tuple) else ()
    if not rows or not all([type(number) is int for number in rows]):
        raise ValueError(f"{name} must be plain whole numbers, one for each row: got {numbers!r}; use int")
    if len(rows) != batch:
        raise ValueError(f"{name} must have one number for each row: got {len(rows)} for B={batch}; give {batch}")
    return rows


def check_start(start: int | Counts | list[int], lengths: Counts, n: int) -> None:
    """Raise unless the piece begins where each row ends."""
    for row, (begin, length) in enumerate(zip(per_row("start", start, len(lengths)), lengths, strict=True)):
        if begin == length:
            continue
        wrong = f"positions {begin}…{min(length, begin + n) - 1} would be fed twice; append what follows, or rollback"
        if begin > length:
            wrong = f"positions {length}…{begin - 1} are missing; append them first"
        raise ValueError(f"a piece must begin where the row ends: got start={begin} in row {row} of {length}: {wrong}")
