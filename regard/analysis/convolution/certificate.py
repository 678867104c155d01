"""How far an attention layer can be from the convolution that it stands for: proven, borders and rounding included.

A head at the offset Δ = t + f, with t whole and |f| ≤ 1/2, puts the share a of its attention on the pixel t, and

    ‖Δy(q)‖ ≤ Σ_h ‖W^h‖₂ · 2 (1 − a_h) · max‖x‖                Σ_{s≠t} a_s ‖x_s − x_t‖ ≤ 2 (1 − a) max‖x‖

where ‖x‖ is the norm of a pixel's channels. Over the whole of ℤ, along one axis of precision α,

    1/a = Σ_n exp(−α(n² − 2nf))            for f = 0 it is θ(α) = Σ_n exp(−αn²), and 1 − a ≈ 2e^(−α)

and on a grid a is the product over its axes. An image is a part of ℤ, with a smaller sum and a larger a, so the bound
holds wherever t is a key: inside, and on visible pads. Where t lies outside, at the distance D ≥ 1/2 of Δ from the
nearest key, this key is the target and the others stand on one side of it: their weights relative to its own,
exp(−α(n² + 2Dn)) for n ≥ 1, sum to less than Σ_{n≥1} exp(−αn²), which is less than Σ_{n≠0} exp(−α(n² − 2nf)), because
e^z + e^−z ≥ 2. So the bound holds outside as well, with the nearest pixel in the place of t: replicate padding. (A full
covariance may prefer another pixel than the nearest one outside: its certificate is for targets inside.)

Rounding: ε is that of the type that torch sums in, at least float32. A sum of n terms in any order is off by at most
n·ε times the sum of their sizes; keys with weights below ε add less than they weigh. Attention sums m keys whose
weights exceed ε, twice (softmax, mixing), and H·C products; the convolution sums as many products. Logits carry a
relative ε of their distance from the query's centre, which acts as a precision lower by 8ε(1 + D²).
Kernels that change the algebra (Winograd, Fourier) or the type (TF32, cuDNN's default for float32) are not covered.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

BLUNTEST, SHARPEST = 1e-6, 1e6  # sharpnesses that `sharpness_for` looks between
LARGEST_LOGIT = 1e37  # beyond, float32 may see infinity
FARTHEST = 300  # pixels over which the sum of a full covariance is taken


@lru_cache(maxsize=4096)
def excess(alpha: float, fraction: float = 0.0) -> float:
    """`Σ_{n≠0} exp(−α(n² − 2nf))`: what the other pixels of a line weigh, when the target weighs 1.

    >>> excess(1e4), round(excess(1e-4), 6)  # θ(α) = √(π/α) θ(π²/α)
    (0.0, 176.245385)
    """
    if alpha < 1:
        waves = sum(math.exp(-((math.pi * k) ** 2) / alpha) * math.cos(2 * math.pi * k * fraction) for k in (1, 2, 3))
        return math.sqrt(math.pi / alpha) * math.exp(alpha * fraction**2) * (1 + 2 * waves) - 1
    far = math.ceil(math.sqrt(750 / alpha)) + 2  # beyond, the exponential is zero
    return sum(math.exp(-alpha * n * (n - 2 * sign * fraction)) for n in range(1, far) for sign in (1, -1))


def theta(alpha: float) -> float:
    """`θ(α) = Σ_{n∈ℤ} exp(−αn²)`.

    >>> round(theta(math.pi), 6)
    1.086435
    """
    return 1 + excess(alpha)


@dataclass(frozen=True)
class Head:
    """One head taken for a tap. `precision` is one number per axis, or the rows of a matrix.

    `fraction` is the centre minus the tap; `outside` the squared distance by which its target may leave the keys.
    """

    norm: float
    fraction: tuple[float, ...]
    precision: tuple[float, ...] | tuple[tuple[float, ...], ...]
    outside: float = 0.0

    def gap(self, eps: float, hard: bool = False, sharpness: float | None = None) -> float:
        """A bound on 1 − a, with logits rounded to `eps`; `sharpness` takes the place of the precision."""
        alphas = self._along_axes(sharpness)
        if alphas is None:
            return _matrix_gap(self.precision, self.fraction, eps, hard, self.outside)
        slack = 8 * eps * (1 + self.outside * max(alphas) / min(alphas))
        if slack >= 0.5 or max(alphas) * (1 + self.outside) > LARGEST_LOGIT:
            return 1.0
        if hard:  # half way between two pixels the first is taken, and the tap is rounded to it
            return 0.0 if all([abs(f) < 0.5 - slack or f == 0.5 for f in self.fraction]) else 1.0
        axes = zip(alphas, self.fraction, strict=True)
        return -math.expm1(-sum(math.log1p(excess(alpha * (1 - slack), f)) for alpha, f in axes))

    def crowd(self, eps: float, sharpness: float | None = None) -> float:
        """How many keys may weigh more than `eps` relative to the target."""
        alphas = self._along_axes(sharpness)
        if alphas is None:
            alphas = [_eigenvalues(self.precision)[0]] * len(self.fraction)
        return math.prod(3 + 2 * math.sqrt(-math.log(eps) / alpha) for alpha in alphas)

    def _along_axes(self, sharpness: float | None) -> list[float] | None:
        """One precision per axis, or None for a matrix."""
        if sharpness is not None:
            return [sharpness] * len(self.fraction)
        alphas = [float(entry) for entry in self.precision if not isinstance(entry, tuple)]
        return alphas or None


def _eigenvalues(matrix: Any) -> tuple[float, float]:
    """The smallest and the largest."""
    values = torch.linalg.eigvalsh(torch.tensor(matrix, dtype=torch.float64, device="cpu")).tolist()
    return values[0], values[-1]


def _matrix_gap(precision: Any, fraction: tuple[float, ...], eps: float, hard: bool, outside: float) -> float:
    """The same for a full covariance, summed over ℤ² as far as it weighs anything."""
    low, high = _eigenvalues(precision)
    slack = 8 * eps * (1 + outside) * high / low
    far = math.ceil(math.sqrt(high / low if hard else 750 / low)) + 2
    if far > FARTHEST or slack >= 0.5:
        return 1.0
    line = torch.arange(-far, far + 1, dtype=torch.float64, device="cpu")
    n = torch.cartesian_prod(*[line] * len(fraction)).reshape(-1, len(fraction))
    n = n[n.abs().sum(1) > 0]
    matrix, shift = (torch.tensor(x, dtype=torch.float64, device="cpu") for x in (precision, fraction))
    loss = (n @ matrix * (n - 2 * shift)).sum(1)  # (n − f)ᵀM(n − f) − fᵀMf
    if hard:
        return 0.0 if float(loss.min()) > slack * high else 1.0
    others = float((-loss + slack * loss.abs()).exp().sum())
    return others / (1 + others) if math.isfinite(others) else 1.0


@dataclass(frozen=True)
class Certificate:
    """A proven bound on `‖attention(x) − convolution(x)‖` at every pixel, for inputs of a given norm.

    `norm` is the largest Euclidean norm of a pixel's channels. `scope` is "everywhere", or "inside": where no target
    leaves the image.

    >>> tap = Head(norm=2.0, fraction=(0.0, 0.0), precision=(5.0, 5.0))
    >>> certificate = Certificate((tap,), size=2.0, bias=0.0, terms=8)
    >>> print(certificate)
    1 head, Softmax, precision 5, float64, everywhere
    ‖Δy‖ ≤ 0.106·‖x‖ (other pixels) + 1.4e-13·‖x‖ + 0 (rounding)
    >>> round(certificate.sharpness_for(error=1e-6, norm=3.0), 3)
    17.687
    """

    heads: tuple[Head, ...]
    size: float  # Σ_h ‖W^h‖_F, of which rounding takes its share
    bias: float
    terms: int  # products that one output number sums, in both layers
    hard: bool = False
    missing: float = 0.0  # Σ ‖W‖₂ of taps that no head stands for
    dtype: torch.dtype = torch.float64
    scope: str = "everywhere"
    norm: float | None = None

    @property
    def eps(self) -> float:
        """The rounding of sums."""
        return torch.finfo(torch.promote_types(self.dtype, torch.float32)).eps

    @property
    def lipschitz(self) -> float:
        """How much either layer may stretch a difference of inputs, in the largest norm of a pixel."""
        return sum(head.norm for head in self.heads) + self.missing

    def bound(self, norm: float | None = None, sharpness: float | None = None) -> float:
        """The largest error at inputs of this norm, at the layer's own sharpness unless one is given."""
        return self.truncation(norm, sharpness) + self.rounding(norm, sharpness)

    def truncation(self, norm: float | None = None, sharpness: float | None = None) -> float:
        """The part of the bound that other pixels than the targets make: zero under `Hard()`."""
        leak = sum(2 * head.gap(self.eps, self.hard, sharpness) * head.norm for head in self.heads)
        return self._norm(norm) * (self.missing + leak)

    def rounding(self, norm: float | None = None, sharpness: float | None = None) -> float:
        """The part of the bound that floating point makes, in both layers."""
        return self._roundings(sharpness) * (self.size * self._norm(norm) + self.bias)

    def _roundings(self, sharpness: float | None) -> float:
        crowd = 1.0 if self.hard else max(head.crowd(self.eps, sharpness) for head in self.heads)
        return self.eps * (2 * self.terms + 4 * crowd + 16) + 8 * torch.finfo(self.dtype).eps

    def sharpness_for(self, error: float, norm: float | None = None) -> float:
        """The smallest sharpness of all heads for which `bound(norm)` is at most `error`."""
        norm = self._norm(norm)
        return smallest_sharpness(lambda sharpness: self.bound(norm, sharpness), error)

    def _norm(self, norm: float | None) -> float:
        return check_norm(self.norm if norm is None else norm)

    def json(self) -> str:
        """The certificate for a program."""
        fields = {
            "heads": [vars(head) | {"gap": head.gap(self.eps, self.hard)} for head in self.heads],
            "weighting": "Hard" if self.hard else "Softmax",
            "dtype": str(self.dtype).removeprefix("torch."),
            "scope": self.scope,
            "missing": self.missing,
            "lipschitz": self.lipschitz,
            "error_per_norm": self.bound(1.0) - self.bound(0.0),
            "error_at_zero": self.bound(0.0),
            "norm": self.norm,
            "bound": None if self.norm is None else self.bound(),
        }
        return json.dumps(fields)

    def __str__(self) -> str:
        values = [
            a for head in self.heads for row in head.precision for a in (row if isinstance(row, tuple) else (row,))
        ]
        low, high = min(values), max(values)
        sharpness = f"precision {low:.3g}" if low == high else f"precision {low:.3g} … {high:.3g}"
        weighting = "Hard" if self.hard else f"Softmax, {sharpness}"
        count = f"{len(self.heads)} head{'s' * (len(self.heads) > 1)}"
        roundings = self._roundings(None)
        lines = [
            f"{count}, {weighting}, {str(self.dtype).removeprefix('torch.')}, {self.scope}",
            f"‖Δy‖ ≤ {self.truncation(1.0):.3g}·‖x‖ (other pixels) + "
            f"{roundings * self.size:.2g}·‖x‖ + {roundings * self.bias:.2g} (rounding)",
        ]
        if self.norm is not None:
            lines.append(f"     ≤ {self.bound():.3g} for ‖x‖ ≤ {self.norm:.3g}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Stage:
    """One layer of a chain: `‖f(x) − f(x′)‖ ≤ lipschitz·‖x − x′‖` and `‖f(x)‖ ≤ growth·‖x‖ + offset`.

    Norms are the largest of a pixel's, or of the vector once it is flat. `rounding` is relative to the size of the
    output, in both networks. A converted layer has its certificate.
    """

    name: str
    lipschitz: float
    growth: float
    offset: float = 0.0
    rounding: float = 0.0
    certificate: Certificate | None = None


@dataclass(frozen=True)
class NetworkCertificate(Mapping[str, Certificate]):
    """The certificate of every converted layer by its name, and for a chain of known layers the bound end to end.

    With e the error and N the norm that enter a layer, e′ = lipschitz·e + its own error at N + e, and so on. Where the
    network is not such a chain, `bound` is None and `reason` says why.
    """

    layers: Mapping[str, Certificate]
    stages: tuple[Stage, ...] = ()
    reason: str | None = None
    norm: float | None = None

    def __getitem__(self, name: str) -> Certificate:
        return self.layers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def bound(self, norm: float | None = None, sharpness: float | None = None) -> float | None:
        """The largest error of an output pixel (or of the output vector) for input pixels of this norm."""
        if self.reason is not None:
            return None
        norm = check_norm(self.norm if norm is None else norm)
        error = 0.0
        for stage in self.stages:
            if stage.certificate is not None:
                own = stage.certificate.bound(norm + error, sharpness)
                rounding = stage.certificate.rounding(norm + error, sharpness)
            else:
                own = rounding = stage.rounding * (stage.growth * (norm + error) + stage.offset)
            error = stage.lipschitz * error + own
            norm = stage.growth * norm + stage.offset + rounding
        return error

    def sharpness_for(self, error: float, norm: float | None = None) -> float:
        """The smallest sharpness, the same in all converted layers, for which `bound(norm)` is at most `error`."""
        if self.reason is not None:
            raise ValueError(f"an error end to end needs a chain of known layers: {self.reason}; give a sharpness")
        return smallest_sharpness(lambda sharpness: self.bound(norm, sharpness) or 0.0, error)

    def json(self) -> str:
        """All certificates for a program."""
        bound = None if self.norm is None else self.bound()
        layers = {name: json.loads(certificate.json()) for name, certificate in self.items()}
        return json.dumps({"layers": layers, "reason": self.reason, "norm": self.norm, "bound": bound})

    def __str__(self) -> str:
        lines = [f"{name or 'network'}: {certificate}".replace("\n", "\n  ") for name, certificate in self.items()]
        if self.reason is not None:
            lines.append(f"no bound end to end: {self.reason}")
        elif self.norm is not None:
            lines.append(f"end to end: ‖Δy‖ ≤ {self.bound():.3g} for ‖x‖ ≤ {self.norm:.3g}")
        return "\n".join(lines)


def check_norm(norm: float | None) -> float:
    """The norm, if it is one."""
    if norm is None or not 0 <= norm < math.inf:
        raise ValueError(
            f"norm must be the largest norm of a pixel's channels: got norm={norm}; use x.norm(dim=1).max()"
        )
    return norm


def smallest_sharpness(bound: Callable[[float], float], error: float) -> float:
    """The smallest sharpness for which a falling `bound` is at most `error`, by bisection of its logarithm."""
    if not 0 < error < math.inf:
        raise ValueError(f"error must be positive and finite: got error={error}; for none at all use weighting=Hard()")
    if bound(SHARPEST) > error:
        raise ValueError(
            f"error must be above what infinite sharpness leaves, {bound(SHARPEST):.3g}: got error={error}; "
            "use float64, centres on whole pixels and a head for every tap"
        )
    if bound(BLUNTEST) <= error:
        return BLUNTEST
    low, high = BLUNTEST, SHARPEST
    while high > low * (1 + 1e-13):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if bound(middle) <= error else (middle, high)
    return high
