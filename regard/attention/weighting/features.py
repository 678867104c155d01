"""Feature maps g, whose products g(q)·g(k) stand in place of exp(β·qᵀk)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.eager import is_eager
from regard.attention.value import Value, show
from regard.checks import check_tensor, check_whole


class Features(Value):
    """A map of vectors (…, D) to features (…, F), one by one. Weights are shares of a sum, so g(q)·g(k) must be ≥ 0.

    One's own is a frozen dataclass whose fields hold all it knows; tensors among them may learn.

    >>> @dataclass(frozen=True, eq=False, repr=False)
    ... class Sharp(Features):
    ...     power: int = 4
    ...
    ...     def __call__(self, x: Tensor) -> Tensor:
    ...         return x.relu() ** self.power
    >>> Sharp(), Sharp().width(64), Sharp()(torch.tensor([-1.0, 2.0]))
    (Sharp(4), 64, tensor([ 0., 16.]))
    """

    estimates_exp: ClassVar[bool] = False  # g(q)·g(k) stands for exp(q·k), so β means something

    def __call__(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} must define __call__(x)")

    def width(self, D: int) -> int:
        """F, the number of features of a vector of width D; raises where there are none for such vectors."""
        return D

    def products(self, D: int) -> int:
        """FLOPs of the matrix products in g, for one vector; those of a function that cannot be read are not known."""
        return 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([show(getattr(self, name)) for name in self.__match_args__])})"


@dataclass(frozen=True, eq=False)
class Identity(Features):
    """`g(x) = x`: weights `qᵀk` of either sign, to sum up and not to divide by: `Kernel(Identity(), normalise=False)`.

    >>> Identity()(torch.tensor([-1.0, 2.0]))
    tensor([-1.,  2.])
    """

    def __call__(self, x: Tensor) -> Tensor:
        return x


@dataclass(frozen=True, eq=False)
class Elu(Features):
    """`g(x) = elu(x) + 1`: 1 + x above zero, exp(x) below; positive everywhere.

    >>> Elu()(torch.tensor([0.0, 2.0]))
    tensor([1., 3.])

    Katharopoulos, Vyas, Pappas, Fleuret, *Transformers are RNNs*, ICML 2020: their φ is our g.
    """

    def __call__(self, x: Tensor) -> Tensor:
        if not is_eager(x):
            return x.relu() + x.clamp(max=0).exp()
        out = _Elu.apply(x)
        assert isinstance(out, Tensor)
        return out


class _Elu(torch.autograd.Function):
    """The slope is g itself below zero and 1 above: the smaller of the two. Autograd would keep both parts."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = x.clamp(max=0).exp_().add_(x.relu())
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        (out,) = ctx.saved_tensors
        return out.clamp(max=1) * grad


@dataclass(frozen=True, eq=False)
class Relu(Features):
    """`g(x) = max(x, 0)`: a query may find no key at all, and then gets zeros.

    >>> Relu()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __call__(self, x: Tensor) -> Tensor:
        return x.relu()


@dataclass(frozen=True, eq=False)
class SquaredRelu(Features):
    """`g(x) = max(x, 0)²`: sharper than `Relu`.

    >>> SquaredRelu()(torch.tensor([-1.0, 2.0]))
    tensor([0., 4.])
    """

    def __call__(self, x: Tensor) -> Tensor:
        return x.relu().square()


@dataclass(frozen=True, eq=False)
class Exp(Features):
    """`g(x) = exp(x)`, number by number: a weight is `Σ_d exp(q_d + k_d)`, which is not `exp(qᵀk)`.

    >>> Exp()(torch.tensor([0.0]))
    tensor([1.])
    """

    def __call__(self, x: Tensor) -> Tensor:
        return x.exp()


@dataclass(frozen=True, eq=False, repr=False)
class RandomFeatures(Features):
    """Positive random features: `g(x)_f = exp(w_f·x − |x|²/2) / √F`, so that g(q)·g(k) is exp(q·k) on average.

    Inside a `Kernel` they act on √β·q and √β·k, and so estimate the softmax. With independent gaussian directions w_f

        E[g(q)·g(k)] = exp(q·k)        Var[g(q)·g(k)] = exp(2 q·k)·(exp(|q + k|²) − 1) / F

    >>> features = RandomFeatures.draw(256, 2, seed=0)
    >>> q, k = torch.tensor([0.3, -0.5]), torch.tensor([0.1, 0.4])
    >>> features.estimate(q, k), (q @ k).exp(), RandomFeatures.relative_error(q, k, 256)
    (tensor(0.8379), tensor(0.8437), tensor(0.0269))

    Choromanski et al., *Rethinking Attention with Performers*, ICLR 2021: their m and ω are our F and w.
    """

    directions: Float[Tensor, "F D"]

    estimates_exp: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tensor("RandomFeatures", self.directions, "a tensor of directions (F, D)")
        if self.directions.ndim != 2 or not self.directions.is_floating_point():
            raise ValueError(
                f"directions must be floating point (F, D): got {self.directions.dtype} of shape "
                f"{tuple(self.directions.shape)}; use RandomFeatures.draw"
            )

    @classmethod
    def draw(
        cls,
        F: int,
        D: int,
        *,
        seed: int | torch.Generator = 0,
        orthogonal: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> "RandomFeatures":
        """F gaussian directions for vectors of width D, in blocks of D that are orthogonal unless told otherwise.

        The numbers are drawn on the device of the generator, and a seed means the same on every device.
        """
        check_whole("F", F, 1)
        check_whole("D", D, 1)
        if not isinstance(seed, torch.Generator) and not (type(seed) is int and -(2**63) <= seed < 2**64):
            raise ValueError(f"seed must be a number of 64 bits or a torch.Generator: got {seed!r}; use 0")
        if not isinstance(orthogonal, bool):
            raise ValueError(f"orthogonal must be True or False: got {orthogonal!r}; use True")
        generator = torch.Generator().manual_seed(seed) if isinstance(seed, int) else seed
        options = {"generator": generator, "device": generator.device, "dtype": torch.float64}
        directions = torch.randn(F, D, **options)
        if orthogonal:
            blocks = [torch.linalg.qr(torch.randn(D, D, **options)) for _ in range(-(-F // D))]
            # The sign makes every rotation equally likely; the lengths are those of gaussian vectors.
            rotations = [q * r.diagonal().sign() for q, r in blocks]
            directions = torch.cat(rotations)[:F] * directions.norm(dim=1, keepdim=True)
        return cls(directions.to(device, dtype))

    def __call__(self, x: Tensor) -> Tensor:
        norms = x.square().sum(-1, keepdim=True)
        return (x @ self.directions.to(x.dtype).mT - (norms + math.log(self.directions.shape[0])) / 2).exp()

    def width(self, D: int) -> int:
        F, wanted = self.directions.shape
        if wanted != D:
            raise ValueError(f"{self!r} is for vectors of width {wanted}: got D={D}; draw directions of that width")
        return F

    def products(self, D: int) -> int:
        return 2 * D * self.directions.shape[0]

    def estimate(self, q: Float[Tensor, "*n D"], k: Float[Tensor, "*n D"]) -> Float[Tensor, "*n"]:
        """`g(q)·g(k)`, the estimate of exp(q·k) for pairs of vectors."""
        return (self(q) * self(k)).sum(-1)

    @staticmethod
    def relative_error(q: Float[Tensor, "*n D"], k: Float[Tensor, "*n D"], F: int) -> Float[Tensor, "*n"]:
        """The standard deviation of the estimate over exp(q·k): `√((exp(|q + k|²) − 1) / F)`.

        It is that of independent directions; orthogonal ones are proven to have no larger one.
        """
        return ((q + k).square().sum(-1).expm1() / F).sqrt()


@dataclass(frozen=True, eq=False, repr=False)
class Own(Features):
    """A function of one's own, (…, D) to (…, F). Its F is found by a call with zeros unless `num_features` says it.

    Keep the function: one that is defined anew for each call is planned for anew each time.

    >>> Own(lambda x: torch.cat((x.relu(), (-x).relu()), -1)).width(8)
    16
    """

    function: Callable[[Tensor], Tensor]
    num_features: int | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"features must be a function of a tensor: got {self.function!r}; use Elu()")
        if self.num_features is not None:
            check_whole("num_features", self.num_features, 1)

    def __call__(self, x: Tensor) -> Tensor:
        return self.function(x)

    def width(self, D: int) -> int:
        if self.num_features is not None:
            return self.num_features
        x = torch.zeros(1, D, dtype=torch.float32, device="cpu")
        try:
            with torch.no_grad():
                out = self.function(x)
        except RuntimeError as error:
            raise ValueError(
                f"{self!r} must take zeros of shape {(1, D)} on the CPU, to count its features: got {error}; "
                "tell their number by Own(function, num_features)"
            ) from error
        check_features(self, x, out)
        return out.shape[1]

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"Own({name})" if self.num_features is None else f"Own({name}, {self.num_features})"


def check_features(features: Features, x: Tensor, out: object, F: int | None = None) -> None:
    """Raise unless these are features of the vectors x, (…, F) in their type."""
    fits = isinstance(out, Tensor) and out.dtype == x.dtype and out.shape[:-1] == x.shape[:-1]
    if fits and isinstance(out, Tensor) and F in (None, out.shape[-1]):
        return
    got = f"{out.dtype} of shape {tuple(out.shape)}" if isinstance(out, Tensor) else type(out).__name__
    wanted = ", ".join([*[str(size) for size in x.shape[:-1]], "F" if F is None else f"F={F}"])
    raise ValueError(
        f"{features!r} must give features ({wanted}) of {x.dtype} for vectors {tuple(x.shape)}: got {got}; "
        "act on the last dimension alone, and say its width"
    )
