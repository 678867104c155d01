"""Feature maps against their formulas, the estimate of exp against its error, and kernels against plain loops."""

import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from regard import Attention, attend, weights
from regard.attention import (
    Causal,
    Content,
    Elu,
    Exp,
    Features,
    Identity,
    Kernel,
    KeyPadding,
    Mask,
    Own,
    RandomFeatures,
    Relu,
    Shape,
    SquaredRelu,
)
from regard.attention.reference import reference
from regard.attention.value import unflatten

ELEMENTWISE = {
    Elu: lambda x: x + 1 if x > 0 else math.exp(x),
    Relu: lambda x: max(x, 0.0),
    SquaredRelu: lambda x: max(x, 0.0) ** 2,
    Exp: math.exp,
    Identity: lambda x: x,
}


def numbers(*sizes: int, seed: int = 0) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("kind", ELEMENTWISE, ids=lambda kind: kind.__name__)
def test_features_number_by_number(kind: type[Features]):
    x = torch.cat((numbers(50) * 3, torch.tensor([0.0, -700.0, -1e-9, 1e-9], dtype=torch.float64)))
    expected = torch.tensor([ELEMENTWISE[kind](number) for number in x.tolist()], dtype=torch.float64)
    # One exponential, good to a unit in the last place.
    torch.testing.assert_close(kind()(x), expected, rtol=4e-16, atol=0)
    assert kind().width(7) == 7


@pytest.mark.parametrize("features", [Elu(), Exp(), SquaredRelu(), RandomFeatures.draw(5, 3, dtype=torch.float64)])
def test_gradients_and_their_gradients_are_the_slopes(features: Features):
    x = numbers(4, 3).requires_grad_()
    assert torch.autograd.gradcheck(features, x)
    assert torch.autograd.gradgradcheck(features, x)


def test_elu_has_slope_1_at_zero_and_is_never_zero():
    x = torch.tensor([0.0, -80.0], requires_grad=True)
    out = Elu()(x)
    assert torch.autograd.grad(out.sum(), x)[0].tolist() == [1.0, out[1].item()]
    assert out[1] > 0  # torch's elu(x) + 1 rounds to zero below −17
    assert (torch.nn.functional.elu(x.detach()) + 1)[1] == 0


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own, at the first jvp
def test_elu_is_the_same_inside_transforms():
    x = numbers(6)
    inside = torch.func.vmap(torch.func.grad(lambda y: Elu()(y)))(x)
    y = x.clone().requires_grad_()
    assert torch.equal(inside, torch.autograd.grad(Elu()(y).sum(), y)[0])
    tangent = torch.func.jvp(Elu(), (x,), (torch.ones_like(x),))[1]
    torch.testing.assert_close(tangent, inside, rtol=1e-15, atol=0)


def drawn_estimates(q: Tensor, k: Tensor, F: int, draws: int, orthogonal: bool) -> Tensor:
    """Estimates of exp(q·k) by `draws` independent sets of F directions."""
    generator = torch.Generator().manual_seed(1)
    D = q.shape[-1]
    sets = [RandomFeatures.draw(F, D, seed=generator, orthogonal=orthogonal, dtype=torch.float64) for _ in range(draws)]
    return torch.stack([features.estimate(q, k) for features in sets])


@pytest.mark.parametrize("orthogonal", [False, True], ids=["independent", "orthogonal"])
def test_random_features_estimate_exp_with_the_error_they_state(orthogonal: bool):
    """Mean and deviation over many draws; orthogonal directions are no worse than the formula."""
    F, draws = 4, 3_000
    q, k = 0.35 * numbers(3, 4), 0.35 * numbers(3, 4, seed=1)
    estimates = drawn_estimates(q, k, F, draws, orthogonal)
    exact = (q * k).sum(-1).exp()
    error = RandomFeatures.relative_error(q, k, F)
    # The mean of n draws strays by a deviation over √n; five of them leave a chance of 1e-6.
    assert ((estimates.mean(0) / exact - 1).abs() < 5 * error / math.sqrt(draws)).all()
    deviation = (estimates / exact).std(0)
    if orthogonal:
        assert (deviation < error).all()
    else:
        # The variance of n draws of a skewed number is known to some percent.
        torch.testing.assert_close(deviation, error, rtol=0.13, atol=0)


def test_the_error_falls_with_the_root_of_the_features():
    q, k = numbers(5, 8) / 4, numbers(5, 8, seed=1) / 4
    few, many = (RandomFeatures.relative_error(q, k, F) for F in (10, 1000))
    torch.testing.assert_close(few, 10 * many)


def test_orthogonal_directions_are_orthogonal_and_as_long_as_gaussian_ones():
    directions = RandomFeatures.draw(60, 24, dtype=torch.float64).directions
    for block in directions.split(24):
        products = block @ block.mT
        torch.testing.assert_close(products, products.diagonal().diag(), rtol=0, atol=1e-12)
    norms = RandomFeatures.draw(4000, 24, dtype=torch.float64).directions.square().sum(1)
    # A χ² variable of 24 degrees of freedom: mean 24, variance 48; five deviations of the mean of 4000.
    assert abs(norms.mean() - 24) < 5 * math.sqrt(48 / 4000)
    assert abs(norms.var() / 48 - 1) < 0.15


def test_a_seed_means_the_same_directions_and_another_seed_others():
    first, again, other = (RandomFeatures.draw(6, 4, seed=seed).directions for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert RandomFeatures.draw(6, 4, dtype=torch.bfloat16).directions.dtype == torch.bfloat16


def test_random_features_come_close_to_the_softmax():
    """The more of them, the closer: what they are for."""
    q, k, v = (numbers(1, 2, 30, 4, seed=seed) / 2 for seed in range(3))
    exact = attend(q, k, v, Attention(mask=Causal()))
    errors = []
    for F in (16, 256, 4096):
        kernels = [Kernel(RandomFeatures.draw(F, 4, seed=seed, dtype=torch.float64)) for seed in range(5)]
        outs = torch.stack([attend(q, k, v, Attention(mask=Causal(), weighting=kernel)) for kernel in kernels])
        errors.append(float((outs - exact).abs().mean()))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_beta_is_that_of_the_softmax():
    """Features of √β·q: an estimate of exp(β·qᵀk), and 1/√D where no β is given."""
    q, k = numbers(1, 1, 3, 4) / 2, numbers(1, 1, 5, 4, seed=1) / 2
    features = RandomFeatures.draw(7, 4, dtype=torch.float64)
    kernel = Kernel(features, normalise=False)
    for content, beta in ((Content(), 0.5), (Content(0.3), 0.3)):
        expected = features(q * math.sqrt(beta)) @ features(k * math.sqrt(beta)).mT
        torch.testing.assert_close(weights(q, k, Attention(content, weighting=kernel)), expected)


@dataclass(frozen=True, eq=False)
class Shifted(Features):
    """A user's own, with a tensor that learns."""

    by: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return (x + self.by).relu()


@dataclass(frozen=True, eq=False)
class Untold(Features):
    """Twice as many features as it says."""

    def __call__(self, x: Tensor) -> Tensor:
        return torch.cat((x, -x), -1).relu()


def by_hand(q: Tensor, k: Tensor, v: Tensor, features, sees, normalise: bool) -> Tensor:
    """Loops and the definition, for one row and one head."""
    rows = []
    for i, query in enumerate(q[0, 0]):
        shares = [float(features(query) @ features(key)) if sees(i, j) else 0.0 for j, key in enumerate(k[0, 0])]
        total = sum(shares) if normalise else 1.0
        rows.append(
            sum((share / total if total else 0.0) * value for share, value in zip(shares, v[0, 0], strict=True))
        )
    return torch.stack(rows)[None, None]


HAND = {
    "elu": (Kernel(Elu()), None, lambda i, j: True),
    "relu, causal": (Kernel(Relu()), Causal(), lambda i, j: j <= i + 2),
    "not normalised": (Kernel(SquaredRelu(), normalise=False), KeyPadding([4]), lambda i, j: j < 4),
    "a function": (Kernel(lambda x: torch.cat((x, -x), -1).relu()), ~Causal(), lambda i, j: j > i + 2),
    "a class": (Kernel(Shifted(torch.tensor(0.3, dtype=torch.float64))), None, lambda i, j: True),
}


@pytest.mark.parametrize("name", HAND)
def test_the_reference_is_the_definition(name: str):
    kernel, mask, sees = HAND[name]
    q, k, v = numbers(1, 1, 5, 3), numbers(1, 1, 7, 3, seed=1), numbers(1, 1, 7, 2, seed=2)
    attention = Attention(mask=mask, weighting=kernel)
    out, lse = reference(q, k, v, attention)
    assert lse is None
    torch.testing.assert_close(out, by_hand(q, k, v, kernel.features, sees, kernel.normalise), rtol=1e-13, atol=1e-14)
    shares = weights(q, k, attention)
    torch.testing.assert_close(shares @ v, out, rtol=1e-13, atol=1e-14)
    if kernel.normalise:
        sums = shares.sum(-1)
        assert ((sums - 1).abs() < 1e-14).logical_or(sums == 0).all()


@pytest.mark.parametrize("algorithm", ["reference", "linear", "chunked"])
def test_a_query_that_finds_no_key_gets_zeros_and_no_gradient(algorithm: str):
    """Relu features of a negative query are zero: the sum of its weights is zero, though it may see every key."""
    q, k, v = (numbers(1, 1, 6, 4, seed=seed) for seed in range(3))
    q[0, 0, 2] = -1
    leaves = [x.requires_grad_() for x in (q, k.abs(), v)]
    mask: Mask | None = Causal() if algorithm == "chunked" else None
    out = attend(*leaves, Attention(mask=mask, weighting=Kernel(Relu())), algorithm=algorithm)
    grads = torch.autograd.grad(out.sum(), leaves)
    assert (out[0, 0, 2] == 0).all()
    assert (grads[0][0, 0, 2] == 0).all()
    assert all(grad.isfinite().all() for grad in grads)
    assert (out[0, 0, 3:] != 0).any(-1).all()


def test_a_signed_map_breaks():
    """Products that may be negative are no shares: denominators cross zero, and outputs leave the values' hull."""
    q, k, v = (numbers(1, 1, 200, 4, seed=seed) for seed in range(3))
    hull = v.abs().max()
    signed = attend(q, k, v, Attention(weighting=Kernel(lambda x: x)))
    shares = weights(q, k, Attention(weighting=Kernel(lambda x: x)))
    assert (shares < 0).any()
    assert signed.abs().max() > 10 * hull
    for positive in (Elu(), Relu(), Exp(), RandomFeatures.draw(16, 4, dtype=torch.float64)):
        assert attend(q, k, v, Attention(weighting=Kernel(positive))).abs().max() <= hull


def test_kernels_print_and_survive_being_taken_apart():
    printed = {
        "Kernel(Elu())": Kernel(Elu()),
        "Kernel(SquaredRelu(), normalise=False)": Kernel(SquaredRelu(), normalise=False),
        "Kernel(RandomFeatures(float32[8, 4]))": Kernel(RandomFeatures.draw(8, 4)),
    }
    for text, kernel in printed.items():
        assert repr(kernel) == text
        structure, tensors = Attention(weighting=kernel).flatten()
        again = unflatten(tensors, structure)
        assert repr(again.weighting) == text
    assert repr(Kernel(torch.exp)) == "Kernel(Own(exp))"
    assert repr(Kernel(Own(torch.exp, 4))) == "Kernel(Own(exp, 4))"
    assert Kernel(RandomFeatures.draw(8, 4)).on(torch.device("meta")).features.directions.is_meta


def test_the_width_of_a_function_is_found_or_told():
    assert Own(lambda x: torch.cat((x, x, x), -1)).width(5) == 15
    assert Own(lambda x: x[..., :2], 2).width(5) == 2


BAD = {
    "a class for a value": (lambda: Kernel(Elu), ("features must be a value", "got Elu", "()")),
    "no function": (lambda: Kernel(3), ("function of a tensor", "got 3", "Elu()")),
    "directions of one vector": (lambda: RandomFeatures(torch.zeros(4)), ("(F, D)", "(4,)", "draw")),
    "whole directions": (lambda: RandomFeatures(torch.zeros(4, 4).long()), ("floating point", "torch.int64")),
    "no features": (lambda: RandomFeatures.draw(0, 4), ("whole number from 1", "F=0")),
    "directions of another width": (
        lambda: Kernel(RandomFeatures.draw(6, 3)).check(Content(), Shape(1, 1, 1, 1, 1, 4, 4)),
        ("width 3", "D=4", "draw"),
    ),
    "features that lose a dimension": (lambda: Own(lambda x: x.sum(-1)).width(4), ("(1, F)", "(1,)", "last dimension")),
    "features of another type": (lambda: Own(lambda x: x.double()).width(4), ("torch.float32", "got torch.float64")),
    "features that are none": (lambda: Own(lambda x: 1.0).width(4), ("features (1, F)", "got float")),
    "more features than told": (
        lambda: attend(*[torch.zeros(1, 1, 2, 4)] * 3, Attention(weighting=Kernel(Own(torch.exp, 3)))),
        ("F=3", "(1, 1, 2, 4)", "say its width"),
    ),
    "more features than a class tells": (
        lambda: attend(*[torch.zeros(1, 1, 2, 4)] * 3, Attention(weighting=Kernel(Untold()))),
        ("Untold()", "F=4", "(1, 1, 2, 8)"),
    ),
    "features that take no zeros on the CPU": (
        lambda: Own(lambda x: x @ torch.zeros(3, 3)).width(4),
        ("(1, 4) on the CPU", "Own(function, num_features)"),
    ),
    "as many features as none": (
        lambda: Kernel(lambda x: x[..., :0]).check(Content(), Shape(1, 1, 1, 1, 1, 4, 4)),
        ("at least one feature", "D=4"),
    ),
}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", BAD)
def test_bad_features_say_what_is_wrong(name: str):
    make, parts = BAD[name]
    with pytest.raises(ValueError) as error:
        make()
    assert all(part in str(error.value) for part in parts), str(error.value)


def test_a_map_that_a_new_kind_forgot_is_named():
    with pytest.raises(NotImplementedError, match=r"Features must define __call__\("):
        Features()(torch.zeros(2))
