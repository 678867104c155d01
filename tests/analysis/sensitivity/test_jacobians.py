"""Derivatives of the softmax and of the map: against autograd, 60 digits, their bounds, and where they must be zero."""

import mpmath
import pytest
import torch
from torch import Tensor

from regard import Attention, weights
from regard.analysis import (
    jacobian_norm,
    precise_softmax_jacobian,
    saturation,
    softmax_jacobian,
    weights_jacobian,
)
from regard.attention import Causal, Content, Hard, Padding
from tests.refusals import refused

SATURATED = [-3.0, 1.0, 100.0, 5.0, -1.0]


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("beta", [1.0, 0.3, -2.0])
def test_the_formula_is_the_derivative(beta: float):
    z = drawn(3, 7)
    found = softmax_jacobian(z, beta=beta)
    for row in range(3):
        true = torch.autograd.functional.jacobian(lambda x: torch.softmax(beta * x, -1), z[row])
        torch.testing.assert_close(found[row], true, atol=1e-15, rtol=1e-12)
    torch.testing.assert_close(found, softmax_jacobian(weights=torch.softmax(beta * z, -1), beta=beta))
    torch.testing.assert_close(jacobian_norm(z, beta=beta), found.flatten(1).norm(dim=1))


def test_saturated_derivatives_keep_their_digits():
    z = torch.tensor(SATURATED, dtype=torch.float64)
    with mpmath.workdps(150):  # by the definition: 1 − a₃ loses 42 digits
        powers = [mpmath.exp(x) for x in SATURATED]
        a = [power / sum(powers) for power in powers]
        true = [[x * ((i == j) - y) for j, y in enumerate(a)] for i, x in enumerate(a)]
    precise = precise_softmax_jacobian(SATURATED)
    found = softmax_jacobian(z)
    for i in range(5):
        for j in range(5):
            assert abs(precise[i][j] / true[i][j] - 1) < 1e-50
            assert abs(found[i, j].item() / true[i][j] - 1) < 1e-14
    assert f"{found.max().item():.3e}" == "5.638e-42"
    y = torch.softmax(z, -1)
    assert (y * (1 - y))[2] == 0  # what the sum of the others avoids
    assert abs(float(saturation(z).jacobian / found.norm()) - 1) < 1e-14


def test_norms_are_below_their_bounds_whatever_the_number_of_keys():
    for keys in (2, 10, 1000):
        found = saturation(drawn(200, keys), beta=8.0)
        assert (found.jacobian <= found.trace * (1 + 1e-12)).all()
        assert (found.trace <= found.bound * (1 + 1e-12)).all()
        torch.testing.assert_close(found.largest + found.rest, torch.ones(200, dtype=torch.float64))
    uniform = saturation(torch.zeros(4))
    assert uniform.entropy.exp().item() == pytest.approx(4)
    assert uniform.jacobian.item() == pytest.approx(3**0.5 / 4)


def test_hidden_logits_and_empty_rows_have_no_derivative():
    hidden = softmax_jacobian(torch.tensor([[0.0, 1.0, -torch.inf], [-torch.inf] * 3]), beta=0.0)
    assert not hidden.any()
    hidden = softmax_jacobian(torch.tensor([[0.0, 1.0, -torch.inf], [-torch.inf] * 3]), beta=-2.0)
    assert hidden[0, :2, :2].all()
    assert not hidden[0, 2].any()
    assert not hidden[0, :, 2].any()
    assert not hidden[1].any()
    assert not softmax_jacobian(weights=torch.zeros(3)).any()
    assert softmax_jacobian(torch.zeros(3, dtype=torch.bfloat16)).dtype == torch.float32


def test_the_derivative_of_the_map():
    q, k = drawn(1, 2, 4, 3), drawn(1, 1, 5, 3, seed=1)
    J = softmax_jacobian(weights=weights(q, k, Attention(Content(0.7))), beta=0.7)  # (1, 2, 4, 5, 5)
    by_query = weights_jacobian(q, k, Attention(Content(0.7)))[0, :, :, :, 0]
    by_key = weights_jacobian(q, k, Attention(Content(0.7)), by="k")[0, :, :, :, 0, 0]
    for head in range(2):
        for query in range(4):
            own = by_query[head, query, :, head, query]
            torch.testing.assert_close(own, J[0, head, query] @ k[0, 0])
            torch.testing.assert_close(
                by_key[head, query], J[0, head, query][:, :, None] * q[0, head, query][None, None]
            )
            rest = by_query[head, query].clone()
            rest[:, head, query] = 0
            assert not rest.any()
    later = weights_jacobian(k, k, Attention(mask=Causal()), by="k")[0, 0, :, :, 0, 0]
    assert not later[1, :, 2:].any()
    assert later[1, :, :2].any()
    empty = weights_jacobian(k, k, Attention(mask=Padding((3,))))
    assert not empty[0, 0, 3:].any()
    assert not weights_jacobian(q, k, Attention(weighting=Hard())).any()


def test_refusals():
    with refused("one of them: got neither"):
        softmax_jacobian()
    with refused("one of them: got both"):
        softmax_jacobian(torch.zeros(2), weights=torch.ones(2) / 2)
    with refused("beta must be finite: got beta=inf"):
        softmax_jacobian(torch.zeros(2), beta=float("inf"))
    with refused("got a row from -1 to 2 with sum 1; give logits"):
        jacobian_norm(weights=torch.tensor([[0.5, 0.5], [-1.0, 2.0]]))
    with refused("at least one key: got shape (2, 0)"):
        saturation(torch.zeros(2, 0))
    with refused("got 2 logits, digits=0"):
        precise_softmax_jacobian([1, 2], digits=0)
    with refused("got by='v'"):
        weights_jacobian(torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 2, 2), by="v")  # pyright: ignore[reportArgumentType]
    with refused("at most 67,108,864 numbers: got 268,435,456"):
        weights_jacobian(torch.zeros(1, 1, 128, 128), torch.zeros(1, 1, 128, 128))
