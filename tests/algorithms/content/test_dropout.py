"""Dropout on the weights without a map: what is dropped is read off, and output and gradients follow from it.

Half of the values are one-hot, so that this half of the output shows the weights that the other half was mixed by.
"""

import math
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from regard import Attention, attend, plan
from regard.algorithms.kernels import slabs
from regard.algorithms.kernels.dropout import STEPS, Draws
from regard.attention import (
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Everything,
    KeyPadding,
    Mask,
    Padding,
    Shape,
    Slopes,
    Window,
)
from regard.attention.reference import _prepared, logits_of, logsumexp, weigh

B, H, G, N, D, E = 2, 4, 2, 70, 6, 5
LENGTHS = torch.tensor([33, 60])


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("slabs are the CPU's")


MASKS: dict[str, tuple[Mask, str]] = {
    "none": (Everything(), "blockwise"),
    "causal": (Causal(), "blockwise"),
    "window": (Window(5, 3), "blockwise"),
    "dense": (Dense(torch.rand(B, H, N, N, generator=torch.Generator().manual_seed(1)) > 0.6), "blockwise"),
    "key padding by blocks": (KeyPadding(LENGTHS), "blockwise"),
    "key padding": (KeyPadding(LENGTHS), "packed"),
    "padding": (Padding(LENGTHS), "packed"),
    "causal padding": (Causal() & Padding(LENGTHS), "packed"),
}


def drawn(dtype: torch.dtype, learns: bool = True) -> list[Tensor]:
    """q, k and v, half of whose columns are one-hot."""
    generator = torch.Generator().manual_seed(0)
    sizes = ((B, H, N, D), (B, G, N, D), (B, G, N, E))
    q, k, v = (torch.randn(size, dtype=torch.float64, generator=generator) for size in sizes)
    v = torch.cat([torch.eye(N, dtype=v.dtype).expand(B, G, N, N), v], -1)
    return [x.to(dtype).requires_grad_(learns) for x in (q, k, v)]


def exact_share(p: float) -> float:
    """The p that is drawn."""
    return round(p * STEPS) / STEPS


def explicit(tensors: list[Tensor], attention: Attention, keep: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp by the definition with these weights kept."""
    q, k, v = tensors
    q, k, v, attention, index, places, mask = _prepared(q, k, v, attention)
    logits = logits_of(q, k, attention, index, places).masked_fill(~mask, -torch.inf)
    kept = weigh(logits, attention) * keep / (1 - exact_share(p))
    return kept @ v, logsumexp(logits).expand(kept.shape[:3])


def check(
    tensors: list[Tensor],
    attention: Attention,
    p: float,
    call: Callable[..., tuple[Tensor, Tensor]],
    leaves: tuple[Tensor, ...] = (),
    tolerance: float = 1e-12,
) -> Tensor:
    """Output, log-sum-exp and gradients of a call against the definition with the weights that it kept."""
    out, lse = call(*tensors, attention)
    keep = out[..., :N].detach() != 0
    wide = [x.detach().double().requires_grad_() for x in tensors]
    expected, expected_lse = explicit(wide, attention, keep, p)
    torch.testing.assert_close(out.double(), expected, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(lse.double(), expected_lse.double(), rtol=tolerance, atol=tolerance)
    generator = torch.Generator().manual_seed(2)
    grad = torch.randn(out.shape, generator=generator).to(out.dtype)
    grad_lse = torch.randn(lse.shape, generator=generator).to(lse.dtype)
    found = torch.autograd.grad((out, lse), (*tensors, *leaves), (grad, grad_lse))
    # An empty row has no gradient, whatever comes in.
    grad_lse = grad_lse.masked_fill(expected_lse.isinf(), 0)
    seeds = grad.double(), grad_lse.to(expected_lse.dtype)
    wanted = torch.autograd.grad((expected, expected_lse), (*wide, *leaves), seeds)
    for mine, other in zip(found, wanted, strict=True):
        size = float(other.abs().max())
        torch.testing.assert_close(mine.double(), other.double(), rtol=0, atol=8 * tolerance * max(size, 1))
    return keep


def calling(p: float, name: str | None) -> Callable[..., tuple[Tensor, Tensor]]:
    def call(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[Tensor, Tensor]:
        return attend(q, k, v, attention, dropout=p, algorithm=name, return_lse=True)

    return call


@pytest.fixture(params=["whole", "in small pieces"])
def pieces(request, monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps that are made at once, and piece by piece, with a block of queries of one head in each."""
    if request.param == "in small pieces":
        monkeypatch.setattr(slabs, "PIECE", 1 << 11)
        monkeypatch.setattr(slabs, "SIZE", 16)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", MASKS)
def test_output_and_gradients_are_those_of_the_weights_kept(name: str, p: float):
    mask, algorithm = MASKS[name]
    tensors, attention = drawn(torch.float64), Attention(mask=mask)
    keep = check(tensors, attention, p, calling(p, algorithm))
    visible = explicit(tensors, attention, torch.ones(()), 0.0)[0][..., :N] > 0
    share = 1 - keep[visible].double().mean()
    # Five standard deviations of independent draws.
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / int(visible.sum()))


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 5e-6), (torch.bfloat16, 8e-3)])
@pytest.mark.parametrize("name", ["none", "window", "key padding", "causal padding"])
def test_other_types(name: str, dtype: torch.dtype, tolerance: float):
    mask, algorithm = MASKS[name]
    check(drawn(dtype), Attention(mask=mask), 0.25, calling(0.25, algorithm), tolerance=tolerance)


@pytest.mark.usefixtures("pieces")
def test_score_terms_learn():
    bias = torch.randn(H, N, N, dtype=torch.float64, requires_grad=True)
    slopes = torch.rand(H, dtype=torch.float64, requires_grad=True)
    check(drawn(torch.float64), Attention(Content() + Bias(bias)), 0.3, calling(0.3, "blockwise"), (bias,))
    value = Attention(Content() + Slopes(slopes) + Bias(bias), mask=Causal())
    check(drawn(torch.float64), value, 0.3, calling(0.3, "blockwise"), (slopes, bias))


@pytest.mark.usefixtures("pieces")
def test_no_two_maps_rows_or_calls_are_alike():
    """Two independent maps agree on a share of p² + (1 − p)² of their pairs."""
    p, size = 0.3, 128
    q = torch.zeros(3, 4, size, 2)
    v = torch.eye(size).expand(3, 4, size, size)
    calls = [attend(q, q, v, dropout=p, algorithm="blockwise") != 0 for _ in range(3)]
    maps = torch.cat([kept.flatten(0, 1) for kept in calls]).flatten(1)  # (3 · 3 · 4, size²)
    for kept in (maps, maps[0].view(size, size), maps[0].view(size, size).mT, maps.view(-1, size)[::7]):
        signs = kept.double() - (1 - p)
        agreement = signs @ signs.mT / (p * (1 - p) * math.sqrt(kept.shape[1]))  # in standard deviations
        apart = agreement[~torch.eye(len(kept), dtype=torch.bool)]
        assert apart.abs().max() < 6
        assert 0.9 < apart.std() < 1.1


def test_a_seed_repeats_a_call_and_another_does_not():
    q, k, v = drawn(torch.float32, learns=False)
    for mask, algorithm in MASKS.values():
        outs = []
        for seed in (0, 1, 0):
            torch.manual_seed(seed)
            outs.append(attend(q, k, v, Attention(mask=mask), dropout=0.5, algorithm=algorithm))
        assert torch.equal(outs[0], outs[2])
        assert not torch.equal(outs[0], outs[1])


def test_one_number_of_the_generator_is_drawn():
    q, k, v = drawn(torch.float32)
    torch.manual_seed(3)
    attend(q, k, v, dropout=0.5, algorithm="blockwise").sum().backward()
    after = torch.rand(())
    torch.manual_seed(3)
    torch.randint((1 << 63) - 1, ())
    assert torch.equal(torch.rand(()), after)


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("name", ["none", "key padding"])
def test_a_checkpoint_draws_the_same(name: str, reentrant: bool):
    mask, algorithm = MASKS[name]

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attend(q, k, v, Attention(mask=mask), dropout=0.5, algorithm=algorithm)

    found = []
    for again in (False, True):
        tensors = drawn(torch.float64)
        torch.manual_seed(4)
        out = checkpoint(run, *tensors, use_reentrant=reentrant) if again else run(*tensors)
        torch.rand(3)  # whatever else is drawn in between
        out.cos().sum().backward()
        found.append([out, *[x.grad for x in tensors]])
    for mine, other in zip(*found, strict=True):
        assert torch.equal(mine, other)


@pytest.mark.parametrize("algorithm", ["packed", "blockwise"])
def test_what_nobody_sees_reaches_nothing(algorithm: str):
    tensors = [x.detach() for x in drawn(torch.float32)]
    for row, length in enumerate(LENGTHS.tolist()):
        for x in tensors:
            x[row, :, length:] = torch.nan
    tensors = [x.requires_grad_() for x in tensors]
    out, lse = calling(0.5, algorithm)(*tensors, Attention(mask=Padding(LENGTHS)))
    grads = torch.autograd.grad((out, lse), tensors, (torch.ones_like(out), torch.ones_like(lse)))
    for row, length in enumerate(LENGTHS.tolist()):
        assert (lse[row, :, length:] == -torch.inf).all()
        for x in (out, *grads):
            assert (x[row, :, length:] == 0).all()
            assert x[row, :, :length].isfinite().all()


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:.torch.jit.script_method. is deprecated:DeprecationWarning")  # torch's own import
@pytest.mark.parametrize("name", ["none", "causal", "window", "key padding", "causal padding"])
def test_compiled_calls_draw_anew_and_go_back_by_what_they_drew(name: str):
    mask, algorithm = MASKS[name]
    torch._dynamo.reset()
    # The partitioner decides what is computed again on the way back: the seed must not be drawn again.
    compiled = torch.compile(calling(0.5, algorithm), fullgraph=True, backend="aot_eager_decomp_partition")
    first, second = (check(drawn(torch.float64), Attention(mask=mask), 0.5, compiled) for _ in range(2))
    assert not torch.equal(first, second)
    torch._dynamo.reset()


@pytest.mark.compiled
def test_compiled_score_terms_learn():
    bias = torch.randn(H, N, N, dtype=torch.float64, requires_grad=True)
    torch._dynamo.reset()
    compiled = torch.compile(calling(0.5, "blockwise"), fullgraph=True, backend="aot_eager")
    check(drawn(torch.float64), Attention(Content() + Bias(bias), mask=Causal()), 0.5, compiled, (bias,))
    torch._dynamo.reset()


def test_p_is_drawn_in_steps_and_the_mean_stays():
    for p, dropped in ((1e-9, 0), (0.1, 6554), (0.5, 1 << 15), (1 - 1e-9, STEPS - 1)):
        draws = Draws(p, torch.tensor(5))
        assert draws.dropped == dropped
        assert draws.scale * (STEPS - dropped) == STEPS
        share = 1 - draws.keep(torch.Size((1 << 20,)), torch.float64).mean()
        expected = dropped / STEPS
        assert abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / (1 << 20))


def test_draws_of_neighbouring_seeds_differ():
    size = torch.Size((1 << 16,))
    first = torch.stack([Draws(0.5, torch.tensor(seed)).keep(size, torch.float64) for seed in range(8)])
    draws = Draws(0.5, torch.tensor(0))
    later = torch.stack([draws.keep(size, torch.float64) for _ in range(8)])
    signs = 2 * torch.cat([first, later[1:]]) - 1
    agreement = signs @ signs.mT / math.sqrt(size[0])
    assert agreement.fill_diagonal_(0).abs().max() < 5


def test_the_plan_takes_slabs_where_they_are_quicker():
    def chosen(mask: Mask, rows: int, n: int) -> str:
        q, k, v = (torch.empty(rows, 12, n, 64, device="meta", requires_grad=True) for _ in range(3))
        return plan(q, k, v, Attention(mask=mask), dropout=0.1, device="cpu").chosen

    for mask in (Everything(), Causal(), Window(32), Causal() & Window(32)):
        assert chosen(mask, 16, 512) == "blockwise"
    assert chosen(Padding([200] * 16), 16, 512) == "packed"
    assert chosen(KeyPadding(torch.full((16,), 200)), 16, 512) == "packed"
    assert chosen(Blocks(64), 16, 512) == "partitioned"
    assert chosen(KeyPadding(torch.full((64,), 8)), 64, 16) == "reference"  # too many sequences for so few tokens


@pytest.mark.parametrize("mask", [Everything(), Causal(), Window(256)])
def test_planned_memory_is_linear(mask: Mask):
    peaks = []
    for n in (4096, 16384):
        shape = Shape(2, 8, 8, n, n, 64, 64)
        q = torch.empty(shape.B, shape.H, n, shape.D, device="meta", requires_grad=True)
        made = plan(q, q, q, Attention(mask=mask), dropout=0.1, device="cpu")
        costs = {candidate.name: candidate.cost for candidate in made.candidates}
        chosen = costs[made.chosen]
        assert chosen is not None
        peaks.append(chosen.memory)
    assert peaks[1] <= 4 * peaks[0]


PEAK = """
import resource, torch
from regard import Attention, attend
from regard.attention import Causal, Everything
q = torch.randn(1, 1, 6144, 16, requires_grad=True)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
attend(q[:, :, :600], q[:, :, :600], q[:, :, :600], dropout=0.1, algorithm="blockwise").sum().backward()
before = peak()
attend(q, q, q, Attention(), dropout=0.1, algorithm="blockwise").sum().backward()
print(peak() - before)
"""


@pytest.mark.slow
def test_no_map_is_held():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 6144 * 6144 * 4 / 3  # a third of one map
