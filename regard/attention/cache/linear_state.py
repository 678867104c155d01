"""All that linear attention remembers of keys and values: `Σ g(k) vᵀ` and `Σ g(k)`, whatever their number."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.attention.masks.padding import KeyPadding
from regard.attention.positions.positions import Places, Sequence
from regard.attention.scores.term import Content, Shape
from regard.attention.value import Value, show
from regard.attention.weighting.weighting import Kernel, divided
from regard.checks import check_tensor, check_whole


@dataclass(frozen=True, eq=False, repr=False)
class LinearState(Value):
    """The state of a `Kernel` after some tokens; its size does not depend on how many.

        sum_kv = Σ_j g(k_j) v_jᵀ     sum_k = Σ_j g(k_j)     o = g(q)ᵀ sum_kv / g(q)ᵀ sum_k

    A step makes a new state and leaves the old one as it was. Sums are in at least float32.

    >>> from regard.attention import Elu
    >>> state = LinearState.empty(Kernel(Elu()), B=1, G=2, D=4, E=3)
    >>> k, v = torch.randn(1, 2, 5, 4), torch.ones(1, 2, 5, 3)
    >>> state = state.step(k, v).step(k, v)
    >>> state, state.read(torch.randn(1, 2, 1, 4)).round(decimals=4)[0, 0]
    (LinearState(Kernel(Elu()), float32[1, 2, 4, 3]), tensor([[1., 1., 1.]]))

    Katharopoulos, Vyas, Pappas, Fleuret, *Transformers are RNNs*, ICML 2020: their S and Z are sum_kv and sum_k.
    """

    kernel: Kernel
    sum_kv: Float[Tensor, "B G F E"]
    sum_k: Float[Tensor, "B G F"]
    lengths: Int[Tensor, " B"]  # real tokens taken by each row
    beta: float | int | None = None  # that of `Content`, for features that estimate exp(β·qᵀk)

    def __post_init__(self) -> None:
        for name in ("sum_kv", "sum_k", "lengths"):
            check_tensor(name, getattr(self, name))
        sizes = [tuple(x.shape) for x in (self.sum_kv, self.sum_k, self.lengths)]
        if self.sum_kv.ndim != 4 or sizes[1] != sizes[0][:3] or sizes[2] != sizes[0][:1]:
            raise ValueError(
                f"sum_kv, sum_k and lengths must be (B, G, F, E), (B, G, F) and (B,): got {sizes[0]}, {sizes[1]} and "
                f"{sizes[2]}; use LinearState.empty"
            )

    @classmethod
    def empty(
        cls,
        kernel: Kernel,
        B: int,
        G: int,
        D: int,
        E: int,
        *,
        beta: float | int | None = None,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> "LinearState":
        """The state before the first token, for keys (B, G, n, D) and values (B, G, n, E) of this type."""
        if not isinstance(kernel, Kernel):
            raise ValueError(f"a state is that of a Kernel: got {kernel!r}; use Kernel(Elu())")
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            raise ValueError(f"a state must be floating point: got {dtype}; use the type of k and v")
        for name, size in (("B", B), ("G", G), ("D", D), ("E", E)):
            check_whole(name, size, 1)
        kernel.check_beta(Content(beta))
        exact = torch.promote_types(dtype, torch.float32)
        F = kernel.features.width(D)
        zeros = torch.zeros(B, G, F, E + 1, dtype=exact, device=device)
        return cls.of(kernel, zeros, torch.zeros(B, dtype=torch.int64, device=device), beta)

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        sums: Float[Tensor, "B G F E1"],
        lengths: Int[Tensor, " B"],
        beta: float | int | None = None,
    ) -> "LinearState":
        """From `Σ g(k) [v, 1]ᵀ`."""
        return cls(kernel, sums[..., :-1], sums[..., -1], lengths, beta)

    @property
    def sums(self) -> Float[Tensor, "B G F E1"]:
        """`Σ g(k) [v, 1]ᵀ`: numerators, and the denominator as one more column."""
        return torch.cat((self.sum_kv, self.sum_k[..., None]), -1)

    def step(
        self,
        k: Float[Tensor, "B G n D"],
        v: Float[Tensor, "B G n E"],
        real: Bool[Tensor, "B n"] | Int[Tensor, " B"] | tuple[int, ...] | list[int] | None = None,
    ) -> "LinearState":
        """The state after n more tokens; `real` tells the pads among them, as lengths or as a map of real tokens."""
        self.check_tokens(k, v)
        B, G, n, D = k.shape
        present = None
        if real is not None:
            padding = KeyPadding(real)
            padding.check(Shape(B, G, G, n, n, D, v.shape[3]), Places(Sequence(n), Sequence(n)))
            index = torch.arange(max(B, n), device=k.device)
            present = padding.on(k.device).is_real(index[:B, None], index[:n])
            k, v = (x.masked_fill(~present[:, None, :, None], 0) for x in (k, v))
        sums = self.sums + absorbed(self.kernel.map(k, Content(self.beta)), v, present)
        lengths = self.lengths + (n if present is None else present.sum(1))
        return LinearState.of(self.kernel, sums, lengths, self.beta)

    def read(self, q: Float[Tensor, "B H n D"]) -> Float[Tensor, "B H n E"]:
        """The outputs of queries that see every token so far, zeros before the first; G divides H."""
        B, G = self.sum_k.shape[:2]
        check_tensor("q", q)
        if q.ndim != 4 or q.shape[0] != B or q.shape[1] % G:
            raise ValueError(
                f"q must be (B, H, n, D) with B={B} and H a multiple of G={G}: got shape {tuple(q.shape)}; "
                "use unsqueeze(2) for one token"
            )
        self.check_width(q)
        self.check_kind("q", q)
        unknown = (self.lengths == 0)[:, None, None, None]  # a NaN in what nobody answers must not reach anything
        features = self.kernel.map(q.masked_fill(unknown, 0), Content(self.beta))
        return read(features, self.sums, self.kernel.normalise).to(q.dtype)

    def rows(self, index: Int[Tensor, " rows"]) -> "LinearState":
        """The state of these rows of the batch, in this order: for beams, and for sequences that have ended."""
        if not isinstance(index, Tensor) or index.ndim != 1 or index.is_floating_point() or index.dtype == torch.bool:
            raise ValueError(f"index must be row numbers, a whole tensor (n,): got {show(index)}; use torch.tensor")
        B = len(self.lengths)
        if not index.is_cuda and bool(((index < 0) | (index >= B)).any()):
            raise ValueError(f"index must lie in 0…{B - 1}: got {index.tolist()}; name rows of the state")
        index = index.to(self.sum_k.device)
        lengths = self.lengths.index_select(0, index)
        return LinearState.of(self.kernel, self.sums.index_select(0, index), lengths, self.beta)

    def tensors(self) -> dict[str, Tensor]:
        """What changes from token to token, to be saved by its names; `from_tensors` is the inverse."""
        return {"sum_kv": self.sum_kv.contiguous(), "sum_k": self.sum_k.contiguous(), "lengths": self.lengths}

    @classmethod
    def from_tensors(cls, kernel: Kernel, tensors: dict[str, Tensor], beta: float | int | None = None) -> "LinearState":
        """The state that such tensors were taken from, for the kernel that made them."""
        if not isinstance(tensors, dict):
            raise ValueError(f"a state is saved as tensors by name: got {tensors!r}; use what tensors() gave")
        missing = [name for name in ("sum_kv", "sum_k", "lengths") if name not in tensors]
        if missing:
            got = ", ".join(map(str, tensors)) or "none"
            raise ValueError(f"a state is sum_kv, sum_k and lengths: got {got}; add {', '.join(missing)}")
        return cls(kernel, tensors["sum_kv"], tensors["sum_k"], tensors["lengths"], beta)

    def check_tokens(self, k: Tensor, v: Tensor) -> None:
        """Raise unless these are keys and values that this state can take."""
        for name, x in (("k", k), ("v", v)):
            check_tensor(name, x)
        (B, G, _, E), wanted = self.sum_kv.shape, "(B, G, n, D) and (B, G, n, E)"
        sizes = (tuple(k.shape), tuple(v.shape))
        fits = k.ndim == v.ndim == 4 and k.shape[:2] == v.shape[:2] == (B, G) and v.shape[3] == E
        if not fits or k.shape[2] != v.shape[2] or k.shape[2] < 1:
            raise ValueError(
                f"keys and values must be {wanted} with B={B}, G={G}, n ≥ 1, E={E}: got {sizes[0]} and {sizes[1]}; "
                "use unsqueeze(2) for one token"
            )
        self.check_width(k)
        self.check_kind("k", k)
        self.check_kind("v", v)

    def check_width(self, x: Tensor) -> None:
        """Raise unless vectors of this width have as many features as the state."""
        F, found = self.sum_k.shape[2], self.kernel.features.width(x.shape[3])
        if found != F:
            raise ValueError(
                f"the state has {F} features to a key: got D={x.shape[3]}, which has {found}; start with another state"
            )

    def check_kind(self, name: str, x: Tensor) -> None:
        """Raise unless x is added up in the type of the state, where the state is."""
        exact = torch.promote_types(x.dtype, torch.float32)
        if not x.is_floating_point() or exact != self.sum_k.dtype or x.device != self.sum_k.device:
            raise ValueError(
                f"{name} must be summed in the state's {self.sum_k.dtype} on {self.sum_k.device}: got {x.dtype} on "
                f"{x.device}; start with a state of that type, or cast explicitly"
            )

    def __repr__(self) -> str:
        beta = "" if self.beta is None else f", beta={self.beta}"
        return f"LinearState({self.kernel!r}, {show(self.sum_kv)}{beta})"


def absorbed(
    features: Float[Tensor, "B G S F"], v: Float[Tensor, "B G S E"], real: Bool[Tensor, "B S"] | None
) -> Float[Tensor, "B G F E1"]:
    """`Σ g(k) [v, 1]ᵀ` over the real keys; v is zero elsewhere."""
    ones = features if real is None else features * real[:, None, :, None]
    return torch.cat((features.mT @ v.to(features.dtype), ones.sum(2)[..., None]), -1)


def read(
    features: Float[Tensor, "B H T F"], sums: Float[Tensor, "B G F E1"], normalise: bool
) -> Float[Tensor, "B H T E"]:
    """The outputs of queries that see all that was summed up; heads of one group read the same sums."""
    B, H, T, _ = features.shape
    by_group = features.unflatten(1, (sums.shape[1], -1)).flatten(2, 3)
    out = by_group @ sums
    top, bottom = out[..., :-1], out[..., -1:]
    return (divided(top, bottom) if normalise else top).reshape(B, H, T, sums.shape[3] - 1)
