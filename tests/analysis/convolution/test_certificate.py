"""The certificate against brute force: what heads put beside their pixel, borders, rounding, and the way back."""

import json
import math

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor, nn

from regard import weights
from regard.analysis import Certificate, NetworkCertificate, attention_from_conv
from regard.analysis.convolution.certificate import Head, Stage, excess, theta
from regard.attention import Attention, Grid, Hard, Quadratic, Sequence
from tests.refusals import refused

EPS = torch.finfo(torch.float64).eps
ALPHAS = st.floats(0.02, 60)
FRACTIONS = st.floats(-0.5, 0.5)


def double(*numbers: object) -> Tensor:
    return torch.tensor(*numbers, dtype=torch.float64)


@given(alpha=ALPHAS, fraction=FRACTIONS)
def test_the_sum_over_the_line_is_that_of_brute_force(alpha: float, fraction: float):
    terms = [math.exp(-alpha * n * (n - 2 * fraction)) for n in range(-400, 401) if n]
    assert excess(alpha, fraction) == pytest.approx(math.fsum(terms), rel=1e-12)


def test_theta_is_jacobis():
    for alpha in (1e-8, 1e-3, 0.5, 0.999999, 1.0, 1.000001, 3.0):
        assert theta(alpha) == pytest.approx(math.sqrt(math.pi / alpha) * theta(math.pi**2 / alpha), rel=1e-12)
    assert excess(20.0) == pytest.approx(2 * math.exp(-20), rel=1e-12)  # far below a rounding of θ, and still right
    assert theta(1e4) == 1.0
    assert excess(800.0) == 0.0


def share(centre: Tensor, precision: Tensor, target: tuple[int, ...], size: int) -> float:
    """What a head really puts beside the pixel `target`, seen from the middle of a large image."""
    axes = centre.shape[1]
    middle = [size // 2] * axes
    queries = Sequence(1, middle[0]) if axes == 1 else Grid(1, 1, (middle[0], middle[1]))
    keys = Sequence(size) if axes == 1 else Grid(size, size)
    row = weights(None, None, Attention(Quadratic(centre, precision), queries=queries, keys=keys))[0, 0, 0]
    index = middle[0] + target[0] if axes == 1 else (middle[0] + target[0]) * size + middle[1] + target[1]
    row[index] = 0
    return float(row.sum())  # 1 − a without cancellation


@pytest.mark.parametrize("alpha", [0.1, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("fraction", [0.0, 0.3, -0.5, 0.49])
def test_the_gap_is_attained_on_the_infinite_line_and_grid_as_conv_d1(alpha: float, fraction: float):
    line = Head(1.0, (fraction,), (alpha,))
    real = share(double([[2 + fraction]]), double([alpha]), (2,), 101)
    assert line.gap(EPS) == pytest.approx(real, rel=1e-9)
    grid = Head(1.0, (fraction, -fraction / 2), (alpha, 2 * alpha))
    real = share(double([[fraction, 1 - fraction / 2]]), double([[alpha, 2 * alpha]]), (0, 1), 61)
    assert grid.gap(EPS) == pytest.approx(real, rel=1e-9)


@pytest.mark.parametrize("fraction", [(0.0, 0.0), (0.2, -0.4)])
def test_the_gap_of_a_full_covariance_is_attained(fraction: tuple[float, float]):
    matrix = [[1.5, 0.9], [0.9, 1.0]]
    head = Head(1.0, fraction, ((1.5, 0.9), (0.9, 1.0)))
    real = share(double([[fraction[0] - 1, fraction[1]]]), double([matrix]), (-1, 0), 41)
    assert head.gap(EPS) == pytest.approx(real, rel=1e-9)
    assert Head(1.0, fraction, ((1e-9, 0.0), (0.0, 1.0))).gap(EPS) == 1.0  # too wide to sum: nothing is promised


def test_two_heads_of_one_precision_leak_about_four_times_its_exponential():
    gap = Head(1.0, (0.0, 0.0), (12.0, 12.0)).gap(EPS)
    assert gap == pytest.approx(1 - theta(12.0) ** -2, rel=1e-9)
    assert gap == pytest.approx(4 * math.exp(-12), rel=1e-4)


@given(alpha=st.floats(0.05, 20), centre=st.floats(-9, 9))
def test_the_gap_holds_at_every_border_for_the_nearest_pixel(alpha: float, centre: float):
    """All queries of a short line, targets inside and outside: the share of the clamped target."""
    target = math.ceil(centre - 0.5)
    n = 5
    attention = Attention(Quadratic(double([[centre]]), double([alpha])), queries=Sequence(n), keys=Sequence(n))
    maps = weights(None, None, attention)[0, 0]
    gap = Head(1.0, (centre - target,), (alpha,)).gap(EPS)
    for query in range(n):
        nearest = min(max(query + target, 0), n - 1)
        beside = float(maps[query].sum() - maps[query, nearest])
        assert beside <= gap + 1e-15


def test_the_gap_would_not_hold_for_the_clamped_target_of_a_full_covariance():
    """Why such a certificate says inside: a skewed gaussian outside prefers another pixel than the nearest."""
    matrix = [[4.0, 3.8], [3.8, 4.0]]
    term = Quadratic(double([[-2.0, 0.0]]), double([matrix]))
    maps = weights(None, None, Attention(term, queries=Grid(5, 5), keys=Grid(5, 5)))[0, 0]
    query = 2  # row 0, column 2: the target is two rows above the image, its nearest pixel is itself
    beside = 1 - float(maps[query, 2])
    assert beside > Head(1.0, (0.0, 0.0), ((4.0, 3.8), (3.8, 4.0))).gap(EPS) * 1.5


def worst_input(n: int, target: int) -> Tensor:
    x = torch.ones(1, 1, n, dtype=torch.float64)
    x[..., target] = -1
    return x


@pytest.mark.parametrize("sharpness", [0.5, 3.0, 12.0])
def test_the_bound_is_attained_and_nothing_smaller_holds(sharpness: float):
    conv = nn.Conv1d(1, 1, 3, padding=1, bias=False).double()
    nn.init.zeros_(conv.weight)
    conv.weight.data[0, 0, 2] = 1.7
    layer, certificate = attention_from_conv(conv, sharpness=sharpness)
    x = worst_input(61, 31)
    error = float((layer(x) - conv(x)).detach().abs().max())
    assert error <= certificate.bound(1.0)
    assert error > 0.999 * certificate.bound(1.0)  # a constant smaller by a thousandth is refuted


def test_hard_is_exact_but_between_two_pixels():
    assert Head(1.0, (0.0, 0.49), (1.0, 1.0)).gap(EPS, hard=True) == 0.0
    assert Head(1.0, (0.5,), (1.0,)).gap(EPS, hard=True) == 0.0  # the first of the two, as the tap is rounded
    assert Head(1.0, (0.5 - 1e-16, 0.0), (1.0, 1.0)).gap(EPS, hard=True) == 1.0  # rounding may decide
    assert Head(1.0, (0.0, 0.0), ((2.0, 0.5), (0.5, 2.0))).gap(EPS, hard=True) == 0.0
    skewed = Head(1.0, (0.45, 0.45), ((2.0, -1.9), (-1.9, 2.0)))
    assert skewed.gap(EPS, hard=True) == 0.0
    assert Head(1.0, (0.45, 0.45), ((2.0, 1.9), (1.9, 2.0))).gap(EPS, hard=True) == 1.0  # (1, 0) is as near as (0, 0)


def test_logits_that_overflow_promise_nothing():
    assert Head(1.0, (0.0,), (1e36,), outside=100.0).gap(EPS) == 1.0
    assert Head(1.0, (0.0,), (1e30,), outside=100.0).gap(EPS) == 0.0


def test_rounding_is_part_of_the_bound_and_needed():
    """Hard heads in float32: exact but for roundings, which the bound without them would forbid."""
    conv = nn.Conv2d(64, 32, 3, padding=1)
    layer, certificate = attention_from_conv(conv, weighting=Hard())
    x = 100 * torch.randn(1, 64, 12, 12)
    error = float((layer(x).double() - copy_of(conv)(x.double())).detach().norm(dim=1).max())
    norm = float(x.norm(dim=1).max())
    assert certificate.truncation(norm) == 0 < error <= certificate.rounding(norm) == certificate.bound(norm)


def copy_of(conv: nn.Conv2d) -> nn.Conv2d:
    twin = nn.Conv2d(64, 32, 3, padding=1, dtype=torch.float64)
    twin.load_state_dict(conv.state_dict())
    return twin


HEADS = (Head(2.0, (0.0, 0.0), (5.0, 5.0)), Head(0.5, (0.25, 0.0), (5.0, 8.0)))
CERTIFICATE = Certificate(HEADS, size=3.0, bias=1.0, terms=19)


@given(error=st.floats(1e-10, 1.0), norm=st.floats(0.01, 1e3))
def test_the_sharpness_for_an_error_is_the_smallest(error: float, norm: float):
    assume(CERTIFICATE.bound(norm, 1e-6) > error)
    sharpness = CERTIFICATE.sharpness_for(error, norm)
    assert CERTIFICATE.bound(norm, sharpness) <= error
    assert CERTIFICATE.bound(norm, sharpness * (1 - 1e-9)) > error


def test_errors_that_every_sharpness_gives():
    assert CERTIFICATE.sharpness_for(100.0, 1.0) == 1e-6


def test_errors_that_no_sharpness_gives():
    with refused("error must be above what infinite sharpness leaves"):
        CERTIFICATE.sharpness_for(1e-15, 1.0)
    half_way = Certificate((Head(1.0, (0.5,), (1.0,)),), size=1.0, bias=0.0, terms=1)
    with refused("leaves, 1: got error=0.5; use float64, centres on whole pixels and a head for every tap"):
        half_way.sharpness_for(0.5, 1.0)
    with refused("error must be positive and finite: got error=0; for none at all use weighting=Hard()"):
        CERTIFICATE.sharpness_for(0, 1.0)
    with refused("norm must be the largest norm of a pixel's channels: got norm=None; use x.norm(dim=1).max()"):
        CERTIFICATE.bound()
    with refused("norm must be the largest norm of a pixel's channels: got norm=nan"):
        CERTIFICATE.bound(math.nan)


def test_a_tap_without_a_head_counts_whole():
    with_all, without = CERTIFICATE, Certificate(HEADS, size=3.0, bias=1.0, terms=19, missing=4.0)
    assert without.bound(2.0) == pytest.approx(with_all.bound(2.0) + 8.0)
    assert without.lipschitz == 6.5


def test_it_prints_and_is_json():
    text = str(Certificate(HEADS, size=3.0, bias=1.0, terms=19, norm=2.0, dtype=torch.float32))
    assert text.splitlines()[0] == "2 heads, Softmax, precision 5 … 8, float32, everywhere"
    assert "for ‖x‖ ≤ 2" in text
    data = json.loads(Certificate(HEADS, size=3.0, bias=1.0, terms=19, norm=2.0).json())
    assert data["bound"] == pytest.approx(2 * data["error_per_norm"] + data["error_at_zero"])
    assert data["heads"][1]["fraction"] == [0.25, 0.0]
    assert json.loads(Certificate(HEADS, size=3.0, bias=1.0, terms=19, hard=True).json())["weighting"] == "Hard"


def test_errors_of_a_chain_add_up_and_are_stretched():
    own = Certificate((Head(3.0, (0.0,), (2.0,)),), size=3.0, bias=0.5, terms=2)
    stages = (
        Stage("first", own.lipschitz, own.lipschitz, own.bias, certificate=own),
        Stage("between", 2.0, 1.0, 0.25),
        Stage("last", own.lipschitz, own.lipschitz, own.bias, certificate=own),
    )
    network = NetworkCertificate({"first": own, "last": own}, stages, norm=1.0)
    first = own.bound(1.0)
    entering = 3.0 * 1.0 + 0.5 + 0.25
    assert network.bound() == pytest.approx(3 * 2 * first + own.bound(entering + 2 * first), rel=1e-9)
    assert network.bound(2.0) > 1.9 * network.bound(1.0)
    sharpness = network.sharpness_for(1e-4)
    assert network.bound(1.0, sharpness) <= 1e-4 < network.bound(1.0, sharpness * (1 - 1e-9))
    assert list(network) == ["first", "last"]
    assert "end to end: ‖Δy‖ ≤" in str(network)
    assert json.loads(network.json())["bound"] == network.bound()


def test_a_network_that_is_no_chain_says_why():
    network = NetworkCertificate({"a": CERTIFICATE}, reason="Softmax 'b' has no bound of ours", norm=1.0)
    assert network.bound() is None
    assert "no bound end to end: Softmax 'b' has no bound of ours" in str(network)
    with refused("an error end to end needs a chain of known layers: Softmax 'b' has no bound of ours"):
        network.sharpness_for(1e-3)
