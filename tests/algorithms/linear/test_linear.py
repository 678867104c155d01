"""Linear attention: what it counts, what it refuses, pads and transforms, and pieces that equal the whole."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import sympy
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, baddbmm_flop

from regard import Attention, attend, plan
from regard.algorithms import Refused
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.linear import unordered as linear
from regard.algorithms.planning import kept, machines
from regard.algorithms.planning.problem import Flags, bind, outlined, pose
from regard.attention import (
    Causal,
    Dense,
    Elu,
    Exp,
    Grid,
    Kernel,
    KeyPadding,
    Mask,
    Padding,
    RandomFeatures,
    Relu,
    Sequence,
    Shape,
    Strided,
    Window,
)

CAUSAL = Attention(mask=Causal(), weighting=Kernel(Elu()))


def tensors(T: int, S: int, grad: bool = False, dtype: torch.dtype = torch.float64) -> tuple[Tensor, ...]:
    sizes = ((2, 4, T, 6), (2, 2, S, 6), (2, 2, S, 5))
    return tuple(torch.randn(*size, dtype=dtype, requires_grad=grad) for size in sizes)


def sizes_of(shape: Shape) -> tuple[Tensor, ...]:
    B, H, G, T, S, D, E = (getattr(shape, name) for name in "BHGTSDE")
    return tuple(torch.empty(*size, device="meta") for size in ((B, H, T, D), (B, G, S, D), (B, G, S, E)))


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks, and pieces, in few tokens."""
    monkeypatch.setattr(causal_sums, "CHUNK", 4)
    monkeypatch.setattr(causal_sums, "PIECE", 64)


# What the algorithms refuse, and a word of the reason.
REFUSED: dict[str, tuple[Attention, dict[str, Any], str, str]] = {
    "a window": (Attention(mask=Window(3), weighting=Kernel(Elu())), {}, "Window", "Window"),
    "a causal window": (Attention(mask=Causal() & Window(3), weighting=Kernel(Elu())), {}, "Causal", "Window"),
    "a stride": (Attention(mask=Strided(2), weighting=Kernel(Elu())), {}, "Strided", "Strided"),
    "a map": (Attention(mask=Dense(torch.eye(9) > 0), weighting=Kernel(Elu())), {}, "Dense", "Dense"),
    "a union": (Attention(mask=Causal() | Window(3, 3), weighting=Kernel(Elu())), {}, "Or", "Or"),
    "dropout": (CAUSAL, {"dropout": 0.5}, "no weights to drop", "no weights to drop"),
    "a softmax": (Attention(mask=Causal()), {}, "Kernel, not Softmax", "Kernel, not Softmax"),
    "starts per row": (
        Attention(mask=Causal(), weighting=Kernel(Elu()), queries=Sequence(9, start=torch.tensor([1, 2]))),
        {},
        "Causal",
        "the same in every row",
    ),
    "two steps": (
        Attention(mask=Causal(), weighting=Kernel(Elu()), keys=Sequence(9, step=2), queries=Sequence(9)),
        {},
        "Causal",
        "one step",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sum_of_features_is_refused(name: str):
    value, options, *reasons = REFUSED[name]
    q, k, v = tensors(9, 9)
    for algorithm, reason in zip(("linear", "chunked"), reasons, strict=True):
        with pytest.raises(Refused, match=reason):
            attend(q, k, v, value, algorithm=algorithm, **options)
    attend(q, k, v, value, **options)  # somebody else computes it


def test_only_chunks_are_for_causal_masks_and_only_for_those():
    q, k, v = tensors(9, 9)
    with pytest.raises(Refused, match="Causal"):
        attend(q, k, v, CAUSAL, algorithm="linear")
    with pytest.raises(Refused, match="`linear` is cheaper"):
        attend(q, k, v, Attention(weighting=Kernel(Elu())), algorithm="chunked")


def test_long_sequences_are_not_computed_by_pairs():
    """The plan is linear where the sequence is long, whatever the machine, and its memory grows as its length does."""
    for machine, (mask, name) in itertools.product(machines.TABLES, ((None, "linear"), (Causal(), "chunked"))):
        value = Attention(mask=mask, weighting=Kernel(Elu()))
        short, long = (plan(*sizes_of(Shape(2, 8, 8, N, N, 64, 64)), value, device=machine) for N in (8192, 32768))
        assert long.chosen == name
        costs = [next(c.cost for c in p.candidates if c.name == name) for p in (short, long)]
        assert costs[1].flops == 4 * costs[0].flops
        assert costs[1].memory <= 4.01 * costs[0].memory


def test_features_pay_when_they_are_fewer_than_the_tokens():
    """N·F·E against N²·(F + E), which is udl.10: counted, not timed."""
    E = 64
    for N, F in itertools.product((64, 512, 4096), (16, 64, 256, 1024)):
        value = Attention(weighting=Kernel(RandomFeatures(torch.empty(F, 32, device="meta"))))
        problem = pose(*sizes_of(Shape(1, 1, 1, N, N, 32, E)), value)
        vectors = linear.mapping(problem, 2 * N)
        by_sums, by_pairs = (PLANNER.named(name).cost(problem).flops - vectors for name in ("linear", "reference"))
        assert by_sums == 2 * N * F * E + 2 * N * F * (E + 1)  # the states, and their use; one column more divides
        assert by_pairs == 2 * N**2 * (F + E)
        assert (by_sums < by_pairs) == (F * (2 * E + 1) < N * (F + E))


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(
    ("name", "mask", "T", "S"),
    [
        ("linear", None, 300, 200),
        ("linear", KeyPadding([200, 3]), 300, 200),
        ("chunked", Causal(), 300, 300),
        ("chunked", Causal(), 128, 128),
        ("chunked", Causal(), 130, 290),
        ("chunked", Causal(), 290, 130),
        ("chunked", Causal() & Padding([300, 3]), 300, 300),
        ("reference", Causal(), 30, 20),
    ],
    ids=str,
)
@pytest.mark.parametrize("features", [Elu(), RandomFeatures.draw(20, 6)], ids=repr)
def test_flops_are_those_that_torch_counts(name: str, mask: Mask, T: int, S: int, backward: bool, features):
    q, k, v = tensors(T, S, backward, torch.float32)
    value = Attention(mask=mask, weighting=Kernel(features))

    def in_place(total, a, b, *_, out_shape, **options):  # torch's counter knows all products but this
        return baddbmm_flop(total, a, b)

    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.baddbmm_: in_place}) as counter:
        out = attend(q, k, v, value, algorithm=name)
        if backward:
            out.sum().backward()
    assert counter.get_total_flops() == PLANNER.named(name).cost(pose(q, k, v, value)).flops


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_costs_are_formulas_that_give_the_numbers(backward: bool):
    B, H, N, D = (sympy.Symbol(name, positive=True, integer=True) for name in "BHND")
    flags = Flags(dropout=False, return_lse=False, backward=backward, bias_backward=False)
    for name, mask in (("linear", None), ("chunked", Causal())):
        value = Attention(mask=mask, weighting=Kernel(Elu()))
        formula, number = (
            PLANNER.named(name).cost(
                bind(outlined(shape, value, torch.bfloat16, machines.TABLES["h200"], flags, False), value, 0.0)
            )
            for shape in (Shape(B, H, H, N, N, D, D), Shape(2, 4, 4, 1000, 1000, 32, 32))
        )
        sizes = {"B": 2, "H": 4, "N": 1000, "D": 32}
        for field in ("flops", "bytes", "memory"):
            expression = sympy.sympify(getattr(formula, field))
            values = {symbol: sizes[symbol.name] for symbol in expression.free_symbols}
            assert expression.subs(values) == getattr(number, field), field


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("kernel", [Kernel(Elu()), Kernel(Exp(), normalise=False)], ids=repr)
@pytest.mark.parametrize("mask", [None, Causal(), Causal() & Padding([10, 3])], ids=repr)
def test_gradients_and_their_gradients_are_the_slopes(kernel: Kernel, mask: Mask):
    """Finite differences, through several chunks and pieces."""
    inputs = [torch.randn(2, heads, 10, 2, dtype=torch.float64, requires_grad=True) for heads in (2, 1, 1)]
    name = "linear" if mask is None else "chunked"

    def function(*inputs: Tensor) -> Tensor:
        return attend(*inputs, Attention(mask=mask, weighting=kernel), algorithm=name)

    assert torch.autograd.gradcheck(function, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, inputs, fast_mode=True)


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("name", ["linear", "chunked"])
@pytest.mark.parametrize("learnt", ["q", "k", "v"])
def test_a_gradient_alone_is_the_one_among_all(name: str, learnt: str):
    inputs = tensors(10, 10, grad=True)
    value = CAUSAL if name == "chunked" else Attention(weighting=Kernel(Elu()))
    number = "qkv".index(learnt)
    grads = torch.autograd.grad(attend(*inputs, value, algorithm=name).sum(), inputs)
    alone = [x.detach().requires_grad_(n == number) for n, x in enumerate(inputs)]
    (grad,) = torch.autograd.grad(attend(*alone, value, algorithm=name).sum(), alone[number])
    torch.testing.assert_close(grad, grads[number])


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own, at the first jvp
@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("name", ["linear", "chunked"])
def test_transforms_find_the_same(name: str):
    q, k, v = tensors(10, 10)
    value = CAUSAL if name == "chunked" else Attention(weighting=Kernel(Elu()))

    def function(q: Tensor) -> Tensor:
        return attend(q, k, v, value, algorithm=name)

    tangent = torch.randn_like(q)
    out, moved = torch.func.jvp(function, (q,), (tangent,))
    torch.testing.assert_close(out, function(q))
    ahead, behind = (function(q + step * 1e-6 * tangent) for step in (1, -1))
    torch.testing.assert_close(moved, (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-8)
    batched = torch.func.vmap(function)(torch.stack((q, 2 * q)))
    torch.testing.assert_close(batched, torch.stack((function(q), function(2 * q))))


PADDED: dict[str, Callable[[Tensor], Mask]] = {
    "keys": lambda lengths: KeyPadding(lengths),
    "both": lambda lengths: Padding(lengths),
    "causal": lambda lengths: Causal() & Padding(lengths),
    "causal keys": lambda lengths: KeyPadding(lengths) & Causal(),
}


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("mask", PADDED)
@pytest.mark.parametrize("filling", [torch.nan, torch.inf, 1e4], ids=str)
@pytest.mark.parametrize("kernel", [Kernel(Elu()), Kernel(Exp(), normalise=False)], ids=repr)
def test_pads_change_nothing(mask: str, filling: float, kernel: Kernel):
    lengths = torch.tensor([7, 0])
    pads = (torch.arange(10) >= lengths[:, None])[:, None, :, None]
    q, k, v = tensors(10, 10)
    pads_ask = "keys" in mask
    dirty = [q if pads_ask else q.masked_fill(pads, filling), *(x.masked_fill(pads, filling) for x in (k, v))]
    value = Attention(mask=PADDED[mask](lengths), weighting=kernel)
    name = "chunked" if "causal" in mask else "linear"

    def results(*inputs: Tensor) -> list[Tensor]:
        leaves = [x.detach().requires_grad_() for x in inputs]
        out = attend(*leaves, value, algorithm=name)
        return [out, *torch.autograd.grad(out.square().sum(), leaves)]

    for clean, spoilt in zip(results(q, k, v), results(*dirty), strict=True):
        assert clean.isfinite().all()
        assert torch.equal(clean, spoilt)


def test_where_no_query_sees_a_key_there_are_zeros():
    q, k, v = tensors(3, 5, grad=True)
    value = Attention(mask=Causal(), weighting=Kernel(Elu()), queries=Sequence(3, start=-9), keys=Sequence(5))
    out = attend(q, k, v, value, algorithm="chunked")
    assert (out == 0).all()
    grads = torch.autograd.grad(out.sum(), (q, k, v), materialize_grads=True)
    assert all((grad == 0).all() for grad in grads)


def test_tokens_on_a_grid_need_no_order():
    q, k, v = tensors(12, 12)
    value = Attention(mask=KeyPadding([12, 5]), weighting=Kernel(Relu()), queries=Grid(3, 4))
    out = attend(q, k, v, value, algorithm="linear")
    torch.testing.assert_close(out, attend(q, k, v, value, algorithm="reference"))


def test_autocast_changes_neither_type_nor_precision():
    q, k, v = (x.float() for x in tensors(10, 10))
    for name, value in (("linear", Attention(weighting=Kernel(Elu()))), ("chunked", CAUSAL)):
        plain = attend(q, k, v, value, algorithm=name)
        with torch.autocast("cpu", torch.bfloat16):
            assert torch.equal(attend(q, k, v, value, algorithm=name), plain)


def test_sums_of_many_half_precision_tokens_do_not_stop():
    """Every key counts: in bfloat16 a sum of ones would stop at 256."""
    q = k = torch.ones(1, 1, 3000, 8, dtype=torch.bfloat16)
    v = torch.linspace(0, 1, 3000).to(torch.bfloat16)[None, None, :, None].expand(1, 1, 3000, 8)
    for mask, name in ((None, "linear"), (Causal(), "chunked")):
        out = attend(q, k, v, Attention(mask=mask, weighting=Kernel(Elu())), algorithm=name)
        torch.testing.assert_close(out[0, 0, -1].float(), v.float().mean((0, 1, 2)), rtol=2**-8, atol=0)


class Largest(TorchDispatchMode):
    """The size of the largest tensor that any operator makes."""

    numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for x in out if isinstance(out, tuple | list) else (out,):
            if isinstance(x, Tensor):
                self.numbers = max(self.numbers, x.untyped_storage().nbytes() // x.element_size())
        return out


def test_nothing_is_as_large_as_a_map():
    """Forward and backward, by what is made and not by what is said."""
    D = E = 8
    for N in (1024, 4096):
        inputs = [torch.randn(1, 1, N, D, requires_grad=True) for _ in range(3)]
        for mask, name in ((None, "linear"), (Causal(), "chunked")):
            with Largest() as largest:
                attend(*inputs, Attention(mask=mask, weighting=Kernel(Elu())), algorithm=name).sum().backward()
            assert largest.numbers <= N * max(D, E + 1, causal_sums.CHUNK)
    with Largest() as largest:
        attend(*inputs, CAUSAL, algorithm="reference")
    assert largest.numbers >= N**2


def test_dropout_acts_on_the_weights():
    """Values that show the weights: dropped ones are zero, and the others grow."""
    q, k = torch.randn(2, 1, 1, 64, 8).unbind(0)
    v = torch.eye(64)[None, None]
    value = Attention(weighting=Kernel(Elu()))
    plain, dropped = attend(q, k, v, value), attend(q, k, v, value, dropout=0.25)
    kept = dropped != 0
    assert abs(kept.double().mean() - 0.75) < 5 * (0.25 * 0.75 / 64**2) ** 0.5
    torch.testing.assert_close(dropped[kept], plain[kept] / 0.75)


def test_one_function_for_many_calls_is_planned_once():
    kernel = Kernel(lambda x: x.square())
    q, k, v = tensors(9, 9)
    attend(q, k, v, Attention(weighting=kernel))
    before = len(kept._kept)
    attend(q, k, v, Attention(weighting=kernel))
    assert len(kept._kept) == before
