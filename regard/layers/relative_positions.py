"""Learned relative positions: gaussians, tables and buckets, which own the parameters and build the score term."""

import math

import torch
from jaxtyping import Int
from torch import Tensor, nn

from regard.attention import Quadratic, RelativeTable, Sum, Term
from regard.attention.scores.relative import check_precision, readable
from regard.checks import check_known, check_whole

KINDS = ("isotropic", "diagonal", "full")
MOST = 60.0  # of a precision's logarithm: beyond it float32 would soon say 0 or ∞


class RelativePositions(nn.Module):
    """What the layers ask of relative positions: the number of heads, and the term of this forward pass."""

    num_heads: int

    def term(self) -> Term:
        raise NotImplementedError(f"{type(self).__name__} must define term()")


class Gaussian(RelativePositions):
    """Gaussian heads: a centre each, and a width: one for all directions, one per axis, or a full covariance.

    The logarithm of the precision is learned, so that it stays positive whatever an optimizer does; a full one is
    `L Lᵀ` with the logarithm of L's diagonal. `axes` is 1 for tokens in a line and 2 for a grid.

    >>> heads = Gaussian(9)
    >>> heads.term()
    Quadratic(centre=float32[9, 2], precision=float32[9])
    """

    def __init__(
        self,
        num_heads: int,
        *,
        axes: int = 2,
        kind: str = "isotropic",
        spread: float = 2.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_whole("num_heads", num_heads, 1)
        if type(axes) is not int or axes not in (1, 2):
            raise ValueError(f"axes must be one or two: got axes={axes}; use 2 for pixels")
        check_known("kind", kind, KINDS)
        if not isinstance(spread, int | float) or not 0 <= spread < math.inf:
            raise ValueError(f"spread must be from 0, and finite: got spread={spread!r}; use 2.0")
        self.num_heads, self.axes, self.kind, self.spread = num_heads, axes, kind, spread
        sizes = {"isotropic": (num_heads,), "diagonal": (num_heads, axes), "full": (num_heads, axes, axes)}[kind]
        dtype = torch.promote_types(dtype or torch.get_default_dtype(), torch.float32)  # half types cannot count pixels
        self.centre = nn.Parameter(torch.empty(num_heads, axes, device=device, dtype=dtype))
        self.log_precision = nn.Parameter(torch.empty(sizes, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Centres from N(0, spread²) and unit variance, precision 1/2."""
        nn.init.normal_(self.centre, std=self.spread)
        with torch.no_grad():
            half = math.log(0.5)
            if self.kind == "full":
                self.log_precision.copy_(torch.eye(self.axes) * half / 2)
            else:
                self.log_precision.fill_(half)

    @property
    def precision(self) -> Tensor:
        """(H,), (H, P) or (H, P, P); positive by construction."""
        wide = self.log_precision.to(torch.promote_types(self.log_precision.dtype, torch.float32))
        if self.kind != "full":
            return wide.clamp(-MOST, MOST).exp()
        diagonal = wide.diagonal(dim1=1, dim2=2).clamp(-MOST / 2, MOST / 2).exp()
        lower = wide.tril(-1) + diagonal.diag_embed()
        # Written out, because autocast would make a product of matrices in half precision.
        return (lower[:, :, None] * lower[:, None]).sum(-1)

    @torch.no_grad()
    def set(self, centre: Tensor, precision: Tensor) -> None:
        """Set centres and precisions; the precision has the shape of this module's kind."""
        wanted = tuple(self.log_precision.shape)
        if tuple(centre.shape) != tuple(self.centre.shape) or tuple(precision.shape) != wanted:
            raise ValueError(
                f"centre and precision must be {tuple(self.centre.shape)} and {wanted}: "
                f"got {tuple(centre.shape)} and {tuple(precision.shape)}"
            )
        if readable(precision):
            check_precision(precision)
        self.centre.copy_(centre)
        if self.kind == "full":
            lower = torch.linalg.cholesky(precision.double())
            self.log_precision.copy_(lower.tril(-1) + lower.diagonal(dim1=1, dim2=2).log().diag_embed())
        else:
            self.log_precision.copy_(precision.log())

    def term(self) -> Quadratic:
        return Quadratic(self.centre, self.precision)

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}, axes={self.axes}, kind={self.kind!r}"


class Tables(RelativePositions):
    """Learned tables over offsets up to `reach`, which covers grids of `reach + 1` pixels a side.

    `kind` is "full", one entry for every offset, or on a grid "axes", a table for rows plus one for columns. With
    `bound` every entry counts as at most so much in size, which lets a full table be computed as a convolution.

    >>> Tables(8, reach=(15, 15), kind="axes").term()
    RelativeTable(float32[8, 31], axis=0) + RelativeTable(float32[8, 31], axis=1)
    """

    def __init__(
        self,
        num_heads: int,
        reach: int | tuple[int, ...],
        *,
        kind: str = "full",
        bound: float | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        reaches = tuple(reach) if isinstance(reach, list | tuple) else (reach,)
        check_whole("num_heads", num_heads, 1)
        if len(reaches) not in (1, 2) or not all([type(far) is int and far >= 0 for far in reaches]):
            raise ValueError(f"reach must be from 0, one for each of one or two axes: got reach={reach}; use (7, 7)")
        if kind not in ("full", "axes") or (kind == "axes" and len(reaches) != 2):
            raise ValueError(f"kind must be 'full', or on a grid 'axes': got kind={kind!r} with reach={reach}")
        self.num_heads, self.kind, self.bound = num_heads, kind, bound
        sizes = [2 * n + 1 for n in reaches]
        shapes = [[num_heads, *sizes]] if kind == "full" else [[num_heads, size] for size in sizes]
        self.tables = nn.ParameterList([nn.Parameter(torch.empty(s, device=device, dtype=dtype)) for s in shapes])
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Small random entries: nearly uniform attention, and no two heads alike."""
        for table in self.tables:
            nn.init.trunc_normal_(table, std=0.02)

    def term(self) -> Term:
        if self.kind == "full":
            return RelativeTable(self.tables[0], self.bound)
        return Sum(tuple([RelativeTable(table, self.bound, axis) for axis, table in enumerate(self.tables)]))

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}, kind={self.kind!r}, bound={self.bound}"


class Buckets(nn.Module):
    """A learned number for each head and bucket of offsets: a table that covers sequences of any length.

    Half of the buckets hold one distance each, the others grow with the logarithm of the distance up to `most`, beyond
    which all is one bucket. `both` gives keys before and after the query buckets of their own; without it all keys
    after the query count as the query's own position.

    >>> Buckets(8).term(5)
    RelativeTable(float32[8, 11])
    >>> Buckets(1, both=False).bucket(torch.tensor([-1000, -20, -3, 0, 2]))
    tensor([31, 17,  3,  0,  0])

    Raffel et al., *Exploring the Limits of Transfer Learning*, JMLR 2020, section 2.1.
    """

    def __init__(self, num_heads: int, num_buckets: int = 32, most: int = 128, *, both: bool = True) -> None:
        super().__init__()
        check_whole("num_heads", num_heads, 1)
        check_buckets(num_buckets, most, both)
        self.most, self.both = most, both
        self.table = nn.Parameter(torch.empty(num_buckets, num_heads))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.table, std=0.02)

    def bucket(self, offset: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """The bucket of each offset δ = key − query."""
        count = self.table.shape[0] // (2 if self.both else 1)
        distance = offset.abs() if self.both else (-offset).clamp(min=0)
        near = count // 2
        # In float32 and in this order, as published: at 16, 32, 64 the logarithms are whole numbers but for rounding.
        far = torch.log(distance.clamp(min=near).float() / near) / math.log(self.most / near) * (count - near)
        bucket = torch.where(distance < near, distance, (near + far.long()).clamp(max=count - 1))
        return bucket + count * (offset > 0) if self.both else bucket

    def term(self, reach: int) -> RelativeTable:
        """The score term for offsets of size up to `reach`; T tokens need T − 1."""
        offsets = torch.arange(-reach, reach + 1, device=self.table.device)
        return RelativeTable(self.table[self.bucket(offsets)].T)

    def extra_repr(self) -> str:
        return f"num_heads={self.table.shape[1]}, num_buckets={self.table.shape[0]}, most={self.most}, both={self.both}"


def check_buckets(num_buckets: int, most: int, both: bool) -> None:
    """Raise unless there are near buckets and far ones on each side, and `most` is far."""
    check_whole("num_buckets", num_buckets, 1)
    check_whole("most", most, 1)
    parts = 4 if both else 2
    if num_buckets < parts or num_buckets % parts:
        raise ValueError(f"buckets come in {parts} equal parts: got num_buckets={num_buckets}; use 32")
    if most <= num_buckets // parts:
        raise ValueError(
            f"most must be beyond the {num_buckets // parts} distances with a bucket each: got most={most}; use 128"
        )
