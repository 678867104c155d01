"""Masks of packed training: several documents in one row, and prefixes that are seen from both sides."""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

from regard.attention.eager import may_keep
from regard.attention.masks.facts import FREE, BlockMap, Facts, Index, Range, Runs, within
from regard.attention.masks.mask import Mask, run_ends
from regard.attention.masks.padding import counts, index_device, sent
from regard.attention.masks.visibility import on_one_line
from regard.attention.positions.positions import LINE, Cut, Places, block_ends, positions_of
from regard.attention.positions.reach import readable
from regard.attention.positions.sizes import number
from regard.attention.scores.term import Shape, Term
from regard.attention.torch_private import assert_soon
from regard.attention.value import show
from regard.checks import FARTHEST

Row = tuple[int, ...]
DocumentLengths = Row | tuple[Row, ...] | Tensor


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Documents(Mask):
    """Tokens see those of their own document; a row holds several, one after the other (T = S).

    `lengths` are those of one row, the same for all rows, or of each row. Plain numbers are sizes, known to the
    planner; a tensor (n,) or (B, n) is data. Or `ids` say to which document each token belongs, (S,) or (B, S): equal
    neighbours are one document, of which a row has at most `most`, and a negative number marks a pad. Tokens behind
    the last document are pads too: they see nothing, and nobody sees them.

    >>> Documents((3, 2)).numbers(6, torch.device("cpu"))
    tensor([[ 0,  0,  0,  1,  1, -1]], dtype=torch.int32)
    >>> Documents(ids=torch.tensor([7, 7, 7, 4, 4, -1])).positions(6, torch.device("cpu"))
    tensor([[0, 1, 2, 0, 1, 0]])
    """

    lengths: DocumentLengths | None
    ids: Tensor | None
    most: int | None

    def __init__(
        self,
        lengths: DocumentLengths | list[int] | list[list[int]] | None = None,
        ids: Tensor | None = None,
        most: int | None = None,
    ) -> None:
        if (lengths is None) == (ids is None):
            raise ValueError(f"Documents takes lengths or ids: got lengths={show(lengths)}, ids={show(ids)}; give one")
        if most is not None and (ids is None or type(most) is not int or not 1 <= most < FARTHEST):
            raise ValueError(f"most is how many documents ids tell apart, 1 or more: got {most!r}; leave it out")
        object.__setattr__(self, "lengths", None if lengths is None else _checked_lengths(lengths))
        object.__setattr__(self, "ids", None if ids is None else _numbered(ids))
        object.__setattr__(self, "most", most)

    @property
    def rows(self) -> tuple[Row, ...] | None:
        """The lengths of each row, or once for all rows, where they are sizes."""
        lengths = self.lengths
        if lengths is None or isinstance(lengths, Tensor):
            return None
        return lengths if self._by_row else (lengths,)  # pyright: ignore[reportReturnType]

    @property
    def _by_row(self) -> bool:
        lengths = self.lengths
        if lengths is None or isinstance(lengths, Tensor):
            held = self.ids if lengths is None else lengths
            return held is not None and held.ndim == 2
        return isinstance(lengths[0], tuple)

    @property
    def batch(self) -> int | None:
        held = self.ids if self.lengths is None else self.lengths
        return len(held) if held is not None and self._by_row else None

    def check(self, shape: Shape, places: Places) -> None:
        if shape.T != shape.S:
            raise ValueError(
                f"Documents cuts queries and keys of one row, T = S: got T={shape.T}, S={shape.S}; use a cache for "
                "documents that go on"
            )
        if self.batch is not None and self.batch != shape.B:
            raise ValueError(
                f"Documents must have one entry per row, B={shape.B}: got {self.batch}; give each row its own"
            )
        if self.ids is not None:
            self._check_ids(self.ids, shape.S)
            return
        rows = self.rows
        if rows is None:
            _check_data(self.lengths, shape.S)
            return
        for row, lengths in enumerate(rows):
            if number(sum(lengths)) > number(shape.S):
                raise ValueError(
                    f"documents must fit the S={shape.S} tokens of a row: got {sum(lengths)} in row {row}; "
                    "cut the last one"
                )

    def _check_ids(self, ids: Tensor, S: int) -> None:
        if ids.shape[-1] != S:
            raise ValueError(
                f"ids must name the document of each token, S={S}: got {ids.shape[-1]}; give one per token"
            )
        if self.most is None or torch.compiler.is_compiling():
            return
        few = ids < self.most
        if readable(ids) and not bool(few.all()):
            raise ValueError(
                f"a row has at most most={self.most} documents: got {int(ids.max()) + 1}; give a larger number"
            )
        if ids.is_cuda:
            assert_soon(few.all(), f"a row has at most most={self.most} documents")

    def numbers(self, count: int, device: torch.device) -> Tensor:
        """The number of the document of each of `count` tokens, (B, S), or (1, S) for all rows; −1 at pads."""
        if self.ids is not None:
            ids = self.ids.to(device)
            return ids if ids.ndim == 2 else ids[None]
        ends = self._table(device).cumsum(1)
        tokens = torch.arange(count, device=device).expand(ends.shape[0], -1).contiguous()
        found = torch.searchsorted(ends, tokens, right=True)
        return torch.where(tokens < ends[:, -1:], found, -1).int()

    def _table(self, device: torch.device) -> Tensor:
        """The lengths, (B|1, n); rows of fewer documents have empty ones."""
        lengths, rows = self.lengths, self.rows
        if rows is not None:
            most = max([len(row) for row in rows])
            table = torch.tensor([[*row, *([0] * (most - len(row)))] for row in rows], device="cpu")
            if device.type == "cuda" and may_keep():  # a CUDA graph would read it again when it is gone
                return table.pin_memory().to(device, non_blocking=True)
            return table.to(device)
        assert isinstance(lengths, Tensor)
        return lengths.long().to(device)[(None,) * (2 - lengths.ndim)]

    def positions(self, count: int, device: torch.device) -> Tensor:
        """The position of each token within its document, (B, S), or (1, S) for all rows; 0 at pads."""
        numbers = self.numbers(count, device)
        return torch.where(numbers < 0, 0, torch.arange(count, device=device) - run_ends(numbers)[0])

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        numbers = self.numbers(places.keys.count, index_device(b, i, j))
        row = b if numbers.shape[0] > 1 else 0 * b
        own, other = numbers[row, i], numbers[row, j]
        return (own == other) & (other >= 0)

    def placed(self, places: Places, device: torch.device) -> Mask:
        if self.ids is not None:
            return self
        numbers = self.numbers(places.keys.count, device)
        fields = {name: getattr(self, name) for name in type(self).__match_args__}
        return type(self)(**{**fields, "lengths": None, "ids": numbers if self._by_row else numbers[0]})

    def documents(self, places: Places, device: torch.device) -> Tensor:
        return self.numbers(places.keys.count, device)

    def piece(self, cut: Cut) -> Mask:
        """Documents of the piece, where queries and keys are the same tokens; those that have none there are empty."""
        if cut.queries != cut.keys:
            return super().piece(cut)
        if self.ids is not None:
            return Documents(ids=self.ids[..., cut.keys.start : cut.keys.stop], most=self.most)
        first, n, lengths = cut.keys.start, len(cut.keys), self.lengths
        if isinstance(lengths, Tensor):
            ends = lengths.cumsum(-1) - first
            return Documents(ends.clamp(0, n) - (ends - lengths).clamp(0, n))
        rows = []
        for row in self.rows or ():
            ends = [min(max(end - first, 0), n) for end in accumulate(row, initial=0)]
            rows.append(tuple([last - before for before, last in pairwise(ends)]))
        return Documents(tuple(rows) if self._by_row else rows[0])

    def facts(self, places: Places) -> Facts:
        rows = self.rows
        alone = rows is not None and all([_fills(row, places.keys.count) for row in rows])
        return Facts(
            full=alone,
            rows=self.batch not in (None, 1),
            heads=False,
            band=(FREE if rows is None else _longest_band(rows, places), FREE),
            documents=Runs(lengths=rows, most=self._count, prefix=self.ids is None),
        )

    @property
    def _count(self) -> int | None:
        """How many documents a row may have."""
        if self.ids is not None:
            return self.most
        rows = self.rows
        return self.lengths.shape[-1] if isinstance(self.lengths, Tensor) else max([len(row) for row in rows or ()])

    def __repr__(self) -> str:
        if self.ids is None:
            return f"{type(self).__name__}({show(self.lengths)})"
        most = "" if self.most is None else f", most={self.most}"
        return f"{type(self).__name__}(ids={show(self.ids)}{most})"


def check_alike(mask: Mask, scores: tuple[Term, ...] = ()) -> None:
    """Raise unless mask and scores are in each document of a packed row what they are in a row of its own."""
    for term in scores:
        if not (term.facts().positional and term.facts().movable):
            raise ValueError(
                f"packed documents need scores of offsets, the same in each of them: got {term!r}; use Slopes, "
                "RelativeTable, or a row for each document"
            )
    if not mask.facts(LINE).relative:
        raise ValueError(
            f"packed documents need a mask of offsets, the same in each of them: got {mask!r}, which positions in the "
            "row decide; use Causal, Window or Strided, or a row for each document"
        )


def _fills(lengths: Row, count: int) -> bool:
    """Whether one document is the whole row."""
    return len([length for length in lengths if length > 0]) == 1 and sum(lengths) == count


def _longest_band(rows: tuple[Row, ...], places: Places) -> Range:
    """The offsets within the longest document, where index and position go together."""
    if not on_one_line(places):
        return FREE
    queries, keys = places.line(places)
    shift = keys.at(0, 0) - queries.at(0, 0)
    far = keys.step * (max([1, *[length for row in rows for length in row]]) - 1)
    return shift - far, shift + far


def _checked_lengths(lengths: Any) -> DocumentLengths:
    if isinstance(lengths, Tensor):
        if lengths.ndim not in (1, 2) or not counts(lengths):
            raise ValueError(
                "lengths of documents must be whole numbers (n,) or (B, n): "
                f"got {lengths.dtype} of shape {tuple(lengths.shape)}; ids (B, S) go to Documents(ids=…)"
            )
        if lengths.shape[-1] < 1 or lengths.shape[0] < 1:
            raise ValueError(f"a row needs a document: got lengths of shape {tuple(lengths.shape)}; use 0 for none")
        return lengths
    if isinstance(lengths, list | tuple) and lengths and all([isinstance(row, list | tuple) for row in lengths]):
        found = tuple([tuple(row) for row in lengths])
        flat = [length for row in found for length in row]
        if not flat:
            found = tuple([(0,) for _ in found])
    else:
        found = tuple(lengths) if isinstance(lengths, list | tuple) else ()
        flat = list(found)
    if not found or not all([type(length) is int and 0 <= length < FARTHEST for length in flat]):
        raise ValueError(
            "Documents takes the lengths of the documents, whole numbers from 0, of one row or a tuple for each row: "
            f"got {lengths!r}; use Documents((5, 3))"
        )
    return found  # pyright: ignore[reportReturnType]


def _numbered(ids: Any) -> Tensor:
    """Documents counted from 0 in each row, −1 at pads: by runs, so that equal numbers are neighbours."""
    if not isinstance(ids, Tensor) or ids.ndim not in (1, 2) or not counts(ids):
        raise ValueError(f"ids must be a tensor of whole numbers (S,) or (B, S): got {show(ids)}; use .long()")
    if readable(ids):
        _check_runs(ids)
    real = ids >= 0
    changes = torch.nn.functional.pad(ids[..., 1:] != ids[..., :-1], (1, 0), value=True)
    return torch.where(real, (changes & real).cumsum(-1) - 1, -1).int()


def _check_runs(ids: Tensor) -> None:
    for row, own in enumerate(ids if ids.ndim == 2 else ids[None]):
        runs = own[own >= 0].unique_consecutive()
        found, counts = runs.unique(return_counts=True)
        if len(found) < len(runs):
            raise ValueError(
                f"a document is one run of tokens: got id {int(found[counts > 1][0])} again after another in row "
                f"{row}; sort the tokens, or number the documents one after the other"
            )


def _check_data(lengths: Any, S: int) -> None:
    """Lengths from 0 that fit the row: at once where they can be read, later on a GPU."""
    assert isinstance(lengths, Tensor)
    if torch.compiler.is_compiling() or lengths.is_meta:
        return
    right = (lengths >= 0).all() & (lengths.sum(-1) <= S).all()
    if lengths.is_cuda:
        assert_soon(right, f"lengths of documents must be 0 or more, and fit the S={S} tokens of a row")
    elif readable(lengths) and not bool(right):
        raise ValueError(
            f"documents must have lengths from 0 and fit the S={S} tokens of a row: got {lengths.tolist()}; "
            "cut the last one"
        )


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Prefix(Mask):
    """Keys at or before the query, and keys at positions below the length of the row's prefix, from everywhere.

    `j ≤ i or j < length` for positions i, j: the prefix is seen from both sides, the rest is causal. Without positions
    keys count from 0, and the last query stands at the last key. `lengths` is one number for all rows or one for each;
    a tensor (B,) is data. A cache takes `Causal()`, which is the same from the first token behind the prefix on.

    >>> index = torch.arange(1), torch.arange(1), torch.arange(4), torch.arange(4)
    >>> from regard.attention import Sequence
    >>> Prefix(2).slab(*index, Places(Sequence(4), Sequence(4)))[0, 0].int()
    tensor([[1, 1, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)

    Liu et al., *Generating Wikipedia by Summarizing Long Sequences*, ICLR 2018; Raffel et al., *T5*, 2020, figure 3.
    """

    lengths: int | Row | Tensor

    def __init__(self, lengths: int | Row | list[int] | Tensor) -> None:
        if isinstance(lengths, Tensor):
            if lengths.ndim != 1 or not counts(lengths):
                raise ValueError(
                    "lengths of prefixes must be whole numbers (B,): "
                    f"got {lengths.dtype} of shape {tuple(lengths.shape)}; use .long()"
                )
        else:
            rows = lengths if isinstance(lengths, list | tuple) else (lengths,)
            if not rows or not all([type(length) is int and 0 <= length < FARTHEST for length in rows]):
                raise ValueError(
                    "Prefix takes the length of the prefix, a whole number from 0, for all rows or for each: "
                    f"got {lengths!r}; use Prefix(5)"
                )
        object.__setattr__(self, "lengths", tuple(lengths) if isinstance(lengths, list) else lengths)

    def on(self, device: torch.device) -> "Prefix":
        if isinstance(self.lengths, int) or (isinstance(self.lengths, Tensor) and self.lengths.device == device):
            return self
        return type(self)(self._by_row(device))

    def _by_row(self, device: torch.device) -> Tensor:
        lengths = self.lengths
        return lengths.to(device) if isinstance(lengths, Tensor) else torch.tensor(lengths, device=device)

    @property
    def batch(self) -> int | None:
        return None if isinstance(self.lengths, int) else len(self.lengths)

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)
        if self.batch is not None and self.batch != shape.B:
            raise ValueError(
                f"Prefix must have one length per row, B={shape.B}: got {self.batch}; give each row its own"
            )
        lengths = self.lengths
        if not isinstance(lengths, Tensor) or torch.compiler.is_compiling() or lengths.is_meta:
            return
        right = (lengths >= 0).all()
        if lengths.is_cuda:
            assert_soon(right, "lengths of prefixes must be 0 or more")
        elif readable(lengths) and not bool(right):
            raise ValueError(f"lengths of prefixes must be 0 or more: got {lengths.tolist()}; use 0 for none")

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        queries, keys = places.line(self)
        key = keys.at(b, j)
        if isinstance(self.lengths, int):
            return (key <= queries.at(b, i)) | (key < self.lengths)
        return (key <= queries.at(b, i)) | (key < self._by_row(index_device(b, i, j))[b])

    def facts(self, places: Places) -> Facts:
        full = False
        if places.is_static:
            _, keys = places.line(self)
            lengths = (self.lengths,) if isinstance(self.lengths, int) else self.lengths
            covers = not isinstance(lengths, Tensor) and number(keys.at(0, keys.n - 1)) < min(lengths)
            full = covers or number(places.offset_range(self)[1]) <= 0
        same = isinstance(self.lengths, int)
        return Facts(full=full, rows=not (same and places.is_static), heads=False, prefix=True, positional=same)

    def num_real(self, device: torch.device) -> Tensor | None:
        lengths = self.lengths
        if isinstance(lengths, Tensor):
            return lengths.to(device)
        return sent((lengths,) if isinstance(lengths, int) else lengths, device)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        queries, keys = places.line(self)
        first_q, last_q = (end[:, None, :, None] for end in block_ends(queries, size, device))
        first_k, last_k = (end[:, None, None, :] for end in block_ends(keys, size, device))
        before = within((None, 0), (first_q, last_q), (first_k, last_k))
        lengths = self.lengths if isinstance(self.lengths, int) else self._by_row(device)[:, None, None, None]
        return BlockMap(before.some | (first_k < lengths), before.every | (last_k < lengths))

    def piece(self, cut: Cut) -> Mask:
        return self if cut.is_placed else super().piece(cut)

    def sides(self, places: Places, device: torch.device) -> tuple[Tensor, Tensor]:
        queries, keys = (positions_of(side, device)[:, None] for side in places.line(self))
        lengths = self.lengths if isinstance(self.lengths, int) else self._by_row(device)[:, None, None]
        first, last = keys[..., :1], queries[..., -1:]
        return (first <= queries) | (first < lengths), (keys <= last) | (keys < lengths)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({show(self.lengths)})"
