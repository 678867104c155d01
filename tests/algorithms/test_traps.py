"""Ways in which a value could be computed as another one, each once found."""

import re
from dataclasses import dataclass

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from regard import Attention, attend, weights
from regard.algorithms import Refused
from regard.attention import (
    Bias,
    Causal,
    Content,
    Dense,
    Documents,
    Hard,
    KeyPadding,
    Mask,
    Padding,
    Prefix,
    Sequence,
    Softmax,
)
from regard.attention.reference import reference


def tensors(n: int = 200) -> tuple[torch.Tensor, ...]:
    return tuple(torch.randn(2, heads, n, 8, dtype=torch.float64) for heads in (4, 2, 2))


def assert_equal(attention: Attention) -> None:
    q, k, v = tensors()
    torch.testing.assert_close(attend(q, k, v, attention), reference(q, k, v, attention)[0])


@dataclass(frozen=True, eq=False)
class Band(Mask):
    """A mask of a user's own, with nothing but `allows`."""

    width: int = 3

    def allows(self, b, h, i, j, places):
        return (i - j).abs() <= self.width


class Forgetful(Mask):
    """Not a dataclass: what it knows would be lost when it is rebuilt."""

    def __init__(self, width: int = 3) -> None:
        self.width = width

    def allows(self, b, h, i, j, places):
        return (i - j).abs() <= self.width


@dataclass(frozen=True, eq=False)
class StrictlyCausal(Causal):
    def holds(self, delta):
        return delta < 0


@dataclass(frozen=True, eq=False, init=False)
class OddRows(Padding):
    """A subclass of a mask that an algorithm knows by name."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (i % 2 == 1)


@pytest.mark.parametrize("width", [3, 50])
def test_a_mask_of_ones_own(width: int):
    assert_equal(Attention(mask=Band(width)))


def test_a_value_that_would_forget_is_refused():
    q, k, v = tensors()
    with pytest.raises(ValueError, match=r"Forgetful must keep all .* positional fields: got width besides; make it"):
        attend(q, k, v, Attention(mask=Causal() & Forgetful(50)))


@pytest.mark.parametrize("mask", [StrictlyCausal(), OddRows([200, 120])], ids=["causal", "padding"])
def test_a_subclass_is_not_taken_for_its_parent(mask: Mask):
    assert_equal(Attention(mask=mask))


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("weighting", [Hard, "hard"])
def test_an_unknown_weighting_is_refused(weighting):
    with pytest.raises(ValueError, match=r"weighting must be a value such as Softmax\(\) or Hard\(\): got"):
        Attention(weighting=weighting)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    "bad", [lambda: Attention(mask=Causal), lambda: Attention(Causal()), lambda: Attention(keys=3)]
)
def test_a_part_of_another_kind_is_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        bad()


@pytest.mark.usefixtures("unhooked")
def test_operators_refuse_tensors():
    with pytest.raises(ValueError, match=r"& joins two masks: got Tensor; a boolean tensor is Dense"):
        Causal() & torch.ones(2, 2, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"\+ joins two score terms: got Causal"):
        Content() + Causal()


@pytest.mark.usefixtures("unhooked")
def test_a_beta_that_would_not_learn_is_refused():
    with pytest.raises(ValueError, match="beta must be a plain number"):
        Content(torch.tensor(0.5, requires_grad=True))


def test_a_bias_can_empty_a_row_too():
    q, k, v = tensors()
    bias = torch.randn(200, 200, dtype=torch.float64)
    bias[5] = -torch.inf
    attention = Attention(Content() + Bias(bias))
    for algorithm in ("reference", "blockwise"):
        out, lse = attend(q, k, v, attention, algorithm=algorithm, return_lse=True)
        assert (lse[:, :, 5] == -torch.inf).all()
        assert (out[:, :, 5] == 0).all()


def test_starts_of_a_small_type_do_not_wrap():
    q, k = torch.randn(2, 1, 5, 8), torch.randn(2, 1, 3, 8)
    for dtype in (torch.uint8, torch.int64):
        attention = Attention(mask=Causal(), keys=Sequence(3, start=torch.zeros(2, dtype=dtype)))
        assert (attend(q, k, k, attention)[:, :, :2] == 0).all()


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own, at the first jvp
def test_forward_mode_is_right_or_refused():
    q, k, v = tensors()
    with pytest.raises(RuntimeError, match="no forward-mode derivative"):
        torch.func.jvp(lambda x: attend(x, k, v, Attention(mask=KeyPadding([200, 3]))), (q,), (q,))


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize(
    ("name", "return_lse"),
    [("fused", False), *[(name, lse) for name in ("blockwise", "packed", "masked") for lse in (False, True)]],
)
def test_transforms_of_torch_func_are_right_or_named(name: str, return_lse: bool):
    """Of an operator of our own a derivative was an error about `setup_context`, a map one about a batching rule."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 2, 20, 8, dtype=torch.float64) for _ in range(3))
    mask = Causal() if name == "fused" else Padding([20, 3])
    weighting = Softmax(torch.randn(2, dtype=torch.float64)) if name == "fused" else None

    def by(algorithm: str):
        def function(x: torch.Tensor) -> torch.Tensor:
            value = Attention(mask=mask, weighting=weighting)
            found = attend(x, k, v, value, algorithm=algorithm, return_lse=return_lse)
            return found[0] + found[1].clamp(min=0)[..., None] if isinstance(found, tuple) else found

        return function

    transforms = (
        lambda f: torch.func.grad(lambda x: f(x).square().sum())(q),
        lambda f: torch.func.vmap(f)(torch.stack((q, 2 * q))),
        lambda f: torch.func.grad(lambda x: torch.func.vmap(f)(x[None]).square().sum())(q),
        lambda f: torch.func.grad(lambda w: (w * f(q)).sum())(torch.ones((), dtype=torch.float64)),
    )
    for transform in transforms:
        try:
            found = transform(by(name))
        except RuntimeError as error:
            if not re.search("(under|by) torch.func; use algorithm='reference'", str(error)):
                raise
        else:
            torch.testing.assert_close(found, transform(by("reference")))


MAPPED = {
    "lengths of keys": (KeyPadding, torch.tensor([[20, 3], [2, 5], [0, 20]])),
    "lengths of both": (Padding, torch.tensor([[20, 3], [2, 5], [0, 20]])),
    "real keys": (KeyPadding, torch.arange(120).view(3, 2, 20) % 7 > 2),
    "prefixes": (Prefix, torch.tensor([[20, 3], [2, 5], [0, 20]])),
    "lengths of documents": (Documents, torch.tensor([[[17, 3], [2, 5]], [[2, 3], [1, 5]]])),
    "documents": (lambda ids: Documents(ids=ids), torch.arange(120).view(3, 2, 20) // 11),
    "pairs": (Dense, torch.arange(1200).view(3, 20, 20) % 7 > 2),
}


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.filterwarnings("ignore:torch.searchsorted.*non-contiguous")
@pytest.mark.parametrize("name", ["reference", "masked", "blockwise", "packed"])
@pytest.mark.parametrize("what", MAPPED)
def test_masks_that_torch_func_maps_over_are_right_or_named(what: str, name: str):
    """Lengths were read and documents counted as if they were numbers: errors about storage, or about control flow."""
    make, tensors_of_masks = MAPPED[what]
    q, k, v = (torch.randn(2, 2, 20, 8, dtype=torch.float64) for _ in range(3))

    def call(x: torch.Tensor, algorithm: str) -> torch.Tensor:
        return attend(q, k, v, Attention(mask=make(x)), algorithm=algorithm)

    try:
        found = torch.func.vmap(lambda x: call(x, name))(tensors_of_masks)
    except RuntimeError as error:
        if "cannot be mapped by torch.func; use algorithm='reference'" not in str(error):
            raise
    except Refused:
        assert name == "packed"
    else:
        torch.testing.assert_close(found, torch.stack([call(x, "reference") for x in tensors_of_masks]))


def test_fake_lengths_are_not_read():
    with FakeTensorMode():
        q = torch.randn(2, 2, 20, 8)
        for mask in (KeyPadding, Padding):
            assert attend(q, q, q, Attention(mask=mask(torch.tensor([20, 3])))).shape == q.shape


def test_autocast_changes_neither_type_nor_precision():
    q, k, v = (x.float() for x in tensors())
    for attention in (Attention(), Attention(mask=KeyPadding([200, 100]))):
        for algorithm in (None, "reference"):
            plain = attend(q, k, v, attention, algorithm=algorithm)
            with torch.autocast("cpu", torch.bfloat16):
                cast = attend(q, k, v, attention, algorithm=algorithm)
            assert torch.equal(plain, cast)


def test_shapes_can_be_had_without_numbers():
    q, k = torch.empty(2, 4, 5, 8, device="meta"), torch.empty(2, 2, 7, 8, device="meta")
    assert weights(q, k, Attention(mask=Causal())).shape == (2, 4, 5, 7)
    assert attend(q, k, k, Attention(mask=Causal()), algorithm="reference").shape == q.shape


def test_the_map_keeps_its_precision_under_autocast():
    q, k, _ = (x.float() for x in tensors())
    plain = weights(q, k)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(weights(q, k), plain)
