"""The state of linear attention: sums of what was seen, whatever the steps; saved, reordered, and refused."""

from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from regard import Attention, attend
from regard.attention import Elu, Exp, Features, Kernel, KeyPadding, LinearState, RandomFeatures, Relu

B, H, G, N, D, E = 3, 4, 2, 11, 5, 3
KERNELS = {
    "elu": Kernel(Elu()),
    "exp, not normalised": Kernel(Exp(), normalise=False),
    "random features": Kernel(RandomFeatures.draw(7, D, dtype=torch.float64)),
    "a function": Kernel(lambda x: torch.cat((x, -x), -1).sigmoid()),
}


def numbers(*sizes: int, seed: int = 0) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def tensors() -> tuple[Tensor, Tensor, Tensor]:
    return numbers(B, H, 2, D), numbers(B, G, N, D, seed=1), numbers(B, G, N, E, seed=2)


def empty(kernel: Kernel, **options) -> LinearState:
    return LinearState.empty(kernel, B, G, D, E, **{"dtype": torch.float64} | options)


def assert_same(state: LinearState, other: LinearState) -> None:
    for name, x in state.tensors().items():
        torch.testing.assert_close(x, other.tensors()[name])


@pytest.mark.parametrize("name", KERNELS)
def test_a_state_is_the_sums(name: str):
    kernel = KERNELS[name]
    _, k, v = tensors()
    state = empty(kernel).step(k, v)
    scaled = k * 5**-0.25 if name == "random features" else k
    features = kernel.features(scaled)
    torch.testing.assert_close(state.sum_kv, torch.einsum("bgnf,bgne->bgfe", features, v))
    torch.testing.assert_close(state.sum_k, features.sum(2))
    assert state.lengths.tolist() == [N] * B


@pytest.mark.parametrize("name", KERNELS)
def test_any_steps_give_the_same_state_and_reading_is_attending(name: str):
    kernel = KERNELS[name]
    q, k, v = tensors()
    whole = empty(kernel).step(k, v)
    for sizes in ([1] * N, [4, 7], [10, 1]):
        state = empty(kernel)
        for some_k, some_v in zip(k.split(sizes, 2), v.split(sizes, 2), strict=True):
            state = state.step(some_k, some_v)
        assert_same(state, whole)
    torch.testing.assert_close(whole.read(q), attend(q, k, v, Attention(weighting=kernel), algorithm="reference"))


def test_a_step_leaves_the_old_state_as_it_was():
    _, k, v = tensors()
    first = empty(KERNELS["elu"]).step(k, v)
    before = {name: x.clone() for name, x in first.tensors().items()}
    first.step(k, v)
    assert all(torch.equal(x, before[name]) for name, x in first.tensors().items())


REAL = torch.tensor([[True] * 4 + [False] * 7, [False, True] * 5 + [False], [False] * 11])


@pytest.mark.parametrize(
    "real", [REAL, torch.tensor([4, 0, 11]), [4, 0, 11], (1, 2, 3)], ids=["map", "tensor", "list", "tuple"]
)
def test_pads_are_not_taken_whatever_they_hold(real):
    q, k, v = tensors()
    present = KeyPadding(real)
    there = present.is_real(torch.arange(B)[:, None], torch.arange(N))
    k, v = (x.masked_fill(~there[:, None, :, None], torch.nan) for x in (k, v))
    state = empty(KERNELS["elu"]).step(k, v, real)
    expected = attend(q, k, v, Attention(mask=KeyPadding(there), weighting=KERNELS["elu"]), algorithm="reference")
    torch.testing.assert_close(state.read(q), expected)
    assert torch.equal(state.lengths, there.sum(1))


def test_before_the_first_token_there_are_zeros_whatever_is_asked():
    q = numbers(B, H, 2, D)
    q[0] = torch.nan
    out = empty(KERNELS["elu"]).read(q)
    assert out.shape == (B, H, 2, E)
    assert (out == 0).all()


def test_gradients_flow_through_the_steps():
    q, k, v = (x.requires_grad_() for x in tensors())
    kernel = KERNELS["elu"]
    state = empty(kernel).step(k[:, :, :4], v[:, :, :4]).step(k[:, :, 4:], v[:, :, 4:])
    expected = attend(q, k, v, Attention(weighting=kernel), algorithm="reference")
    grad = torch.randn_like(expected)
    for mine, other in zip(
        torch.autograd.grad(state.read(q), (q, k, v), grad), torch.autograd.grad(expected, (q, k, v), grad), strict=True
    ):
        torch.testing.assert_close(mine, other)


def test_half_precision_is_summed_in_float32():
    """In bfloat16 a sum of ones would stop at 256."""
    kernel = Kernel(Relu())
    ones = torch.ones(1, 1, 1000, 2, dtype=torch.bfloat16)
    state = LinearState.empty(kernel, 1, 1, 2, 2, dtype=torch.bfloat16)
    for token in ones.split(1, 2):
        state = state.step(token, token)
    assert state.sum_k.dtype == torch.float32
    assert (state.sum_k == 1000).all()
    assert state.read(ones[:, :, :1]).dtype == torch.bfloat16


def test_rows_are_chosen_and_reordered():
    q, k, v = tensors()
    state = empty(KERNELS["elu"]).step(k, v, [3, 0, 9])
    chosen = state.rows(torch.tensor([2, 2, 0, 1]))
    index = [2, 2, 0, 1]
    assert torch.equal(chosen.sum_kv, state.sum_kv[index])
    assert chosen.lengths.tolist() == [9, 9, 3, 0]
    torch.testing.assert_close(chosen.read(q[index]), state.read(q)[index])


def test_a_state_is_saved_and_read_again(tmp_path: Path):
    q, k, v = tensors()
    kernel = KERNELS["random features"]
    state = empty(kernel, beta=0.3).step(k, v)
    safetensors.torch.save_file(state.tensors(), tmp_path / "state.safetensors")
    again = LinearState.from_tensors(kernel, safetensors.torch.load_file(tmp_path / "state.safetensors"), beta=0.3)
    assert torch.equal(again.read(q), state.read(q))
    assert torch.equal(again.lengths, state.lengths)
    assert (
        repr(again)
        == repr(state)
        == "LinearState(Kernel(RandomFeatures(float64[7, 5])), float64[3, 2, 7, 3], beta=0.3)"
    )


def test_a_state_moves_between_devices():
    _, k, v = tensors()
    state = empty(KERNELS["random features"]).step(k, v).on(torch.device("meta"))
    assert state.sum_kv.is_meta
    assert state.lengths.is_meta
    assert state.kernel.features.directions.is_meta


STATE = LinearState.empty(Kernel(Elu()), B, G, D, E)
K, V = torch.zeros(B, G, N, D), torch.zeros(B, G, N, E)
BAD = {
    "keys of another batch": (lambda: STATE.step(K[:2], V[:2]), ("B=3", "(2, 2, 11, 5)", "unsqueeze")),
    "keys of other heads": (lambda: STATE.step(K[:, :1], V[:, :1]), ("G=2", "(3, 1, 11, 5)")),
    "values of another width": (lambda: STATE.step(K, K), ("E=3", "(3, 2, 11, 5)")),
    "values of another length": (lambda: STATE.step(K, V[:, :, :4]), ("(3, 2, 11, 5)", "(3, 2, 4, 3)")),
    "no token": (lambda: STATE.step(K[:, :, :0], V[:, :, :0]), ("n ≥ 1", "(3, 2, 0, 5)")),
    "one token without its dimension": (lambda: STATE.step(K[:, :, 0], V[:, :, 0]), ("(B, G, n, D)", "(3, 2, 5)")),
    "keys of another width": (lambda: STATE.step(K[..., :4], V), ("5 features", "D=4", "4", "another state")),
    "keys of another type": (lambda: STATE.step(K.double(), V.double()), ("k must", "torch.float32", "torch.float64")),
    "values of another type": (lambda: STATE.step(K, V.double()), ("v must", "torch.float64", "cast")),
    "values elsewhere": (lambda: STATE.step(K, V.to("meta")), ("v must", "cpu", "meta")),
    "too many real tokens": (lambda: STATE.step(K, V, [12, 1, 1]), ("0…S=11", "12", "row 0")),
    "lengths of other rows": (lambda: STATE.step(K, V, [1, 1]), ("(B,) = (3,)", "(2,)")),
    "queries of another batch": (lambda: STATE.read(torch.zeros(2, H, 1, D)), ("B=3", "(2, 4, 1, 5)")),
    "queries of other heads": (lambda: STATE.read(torch.zeros(B, 3, 1, D)), ("G=2", "(3, 3, 1, 5)")),
    "queries of another width": (lambda: STATE.read(torch.zeros(B, H, 1, 4)), ("5 features", "D=4")),
    "queries of another type": (lambda: STATE.read(torch.zeros(B, H, 1, D).double()), ("q must", "torch.float64")),
    "a beta that means nothing": (lambda: LinearState.empty(Kernel(Elu()), B, G, D, E, beta=0.5), ("no β", "beta=0.5")),
    "a negative beta": (
        lambda: LinearState.empty(Kernel(RandomFeatures.draw(3, D)), B, G, D, E, beta=-1.0),
        ("positive", "beta=-1.0"),
    ),
    "tensors without lengths": (
        lambda: LinearState.from_tensors(Kernel(Elu()), {"sum_kv": STATE.sum_kv}),
        ("got sum_kv", "add sum_k, lengths"),
    ),
    "sums that do not fit": (
        lambda: LinearState(Kernel(Elu()), STATE.sum_kv, STATE.sum_k[:1], STATE.lengths),
        ("(B, G, F)", "(1, 2, 5)", "empty"),
    ),
}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", BAD)
def test_what_a_state_cannot_take_is_refused(name: str):
    make, parts = BAD[name]
    with pytest.raises(ValueError) as error:
        make()
    assert all(part in str(error.value) for part in parts), str(error.value)
    assert ": got " in str(error.value)
    assert "; " in str(error.value)


def test_features_say_how_many_they_are():
    class Plain(Features):
        """Nothing but a map."""

    assert Plain().width(9) == 9
    assert Plain().products(9) == 0
    assert RandomFeatures.draw(3, 5).products(5) == 2 * 3 * 5


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: LinearState.empty(Kernel(Elu()), -2, 1, 2, 2), "B must be a whole number from 1"),
        (lambda: LinearState.empty(Kernel(Elu()), 1, 1, 2, 2, dtype=torch.int32), "must be floating point: got"),
        (lambda: LinearState.empty(Kernel(Elu()), 2, 1, 2, 2).rows(torch.tensor([-1])), "index must lie in 0…1: got"),
    ],
)
def test_a_state_cannot_be_misused_silently(misuse, message: str):
    with pytest.raises(ValueError, match=message):
        misuse()
