"""Few queries against many keys: the kernel against the definition in float64, and what the planner makes of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from regard import attend
from regard.algorithms import Refused
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.content.decode import Decode
from regard.algorithms.content.decode import _band as band_of
from regard.algorithms.planning.problem import Problem, pose
from regard.attention import Attention, Bias, Cache, Causal, Content, Hard, KeyPadding, Mask, Padding, Sequence, Window
from regard.attention.reference import reference
from tests.tolerances import ROUNDINGS

decode = pytest.importorskip("regard.algorithms.kernels.decode", reason="needs Triton")

# Outputs are means of numbers of size 1, rounded once to the type, after weights that were too: three roundings.
ROUNDED = {torch.float32: ROUNDINGS * 2**-23, torch.float16: 3 * 2**-10, torch.bfloat16: 3 * 2**-7}


def starts(*numbers: int) -> Callable[[int, torch.device], Sequence]:
    return lambda n, device: Sequence(n, start=torch.tensor(numbers, device=device))


@dataclass(frozen=True)
class Case:
    """A call at odd sizes."""

    mask: Callable[[torch.device], Mask] = lambda device: KeyPadding(torch.tensor([50, 0, 1], device=device))
    queries: Callable[[int, torch.device], Sequence] | None = None
    keys: Callable[[int, torch.device], Sequence] | None = None
    B: int = 3
    H: int = 4
    G: int = 2
    T: int = 1
    S: int = 50
    D: int = 16
    E: int = 16
    dtype: torch.dtype = torch.float32
    layout: str = "cache"
    cap: float | None = None

    def tensor(self, heads: int, tokens: int, width: int, device: torch.device) -> Tensor:
        sizes = {
            "cache": (self.B, heads, tokens + 3, width),
            "transposed": (self.B, tokens, heads, width),
            "every other column": (self.B, heads, tokens, 2 * width),
        }[self.layout]
        x = torch.randn(sizes).to(device, self.dtype)
        if self.layout == "cache":
            return x[:, :, :tokens]
        return x.transpose(1, 2) if self.layout == "transposed" else x[..., ::2]

    def build(self, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Attention]:
        q = self.tensor(self.H, self.T, self.D, device)
        k, v = self.tensor(self.G, self.S, self.D, device), self.tensor(self.G, self.S, self.E, device)
        queries = None if self.queries is None else self.queries(self.T, device)
        keys = None if self.keys is None else self.keys(self.S, device)
        return q, k, v, Attention(Content(0.4, self.cap), self.mask(device), None, queries, keys)


CAUSAL = Case(lambda device: Causal(), T=3)
RAGGED = Case(
    lambda device: Causal() & KeyPadding(torch.tensor([50, 4, 23], device=device)), starts(46, 0, 19), T=4, H=6, G=2
)
CASES = {
    "lengths": Case(),
    "nothing hidden": Case(lambda device: Window(99, 99)),
    "causal": CAUSAL,
    "more queries than keys": replace(CAUSAL, T=9, S=5),
    "ragged piece": RAGGED,
    "window": Case(lambda device: Window(20), T=5, S=70),
    "window of ragged rows": Case(lambda device: Window(20, 1), starts(46, 3, 60), T=5, S=70),
    "keys that begin elsewhere": Case(lambda device: Causal(), starts(46, 3, -9), starts(0, 5, 9), T=2),
    "queries from 30": Case(lambda device: Causal(), lambda n, device: Sequence(n, 30), starts(0, 5, 40), T=2),
    "odd widths": replace(RAGGED, D=20, E=33),
    "cap": replace(RAGGED, cap=1.5),
    "narrow": replace(RAGGED, D=3, E=1),
    "several tiles": replace(RAGGED, H=12, G=1, T=3),
    "heads of their own": replace(RAGGED, H=3, G=3),
    "transposed": replace(RAGGED, layout="transposed"),
    "every other column": replace(RAGGED, layout="every other column"),
    "float16": replace(RAGGED, dtype=torch.float16),
    "bfloat16": replace(RAGGED, dtype=torch.bfloat16),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks and several tiles in few tokens, and more shares than rows."""
    monkeypatch.setattr(decode, "tile_of", lambda *_: decode.Tiles(16, 16, 4, 2))
    monkeypatch.setattr(decode, "num_shares", lambda device: 5)
    monkeypatch.setattr(decode, "LEAST", 1)
    monkeypatch.setattr(decode, "JOINED", 512)


def compute(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[Tensor, Tensor]:
    """By the algorithm, whatever it refuses: without a GPU by Triton's interpreter."""
    with torch.no_grad():
        out, lse = Decode().run(pose(q, k, v, attention, return_lse=True), q, k, v)
    assert lse is not None
    return out, lse


def hide(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> None:
    """Put NaN where nobody looks."""
    places = attention.places(q.shape[2], k.shape[2])
    index = [torch.arange(n, device=q.device) for n in (q.shape[0], 1, q.shape[2], k.shape[2])]
    allowed = attention.mask.slab(index[0], index[1], index[2], index[3], places)
    unseen = ~allowed.any(2).expand(q.shape[0], k.shape[1], -1)
    k[unseen], v[unseen] = torch.nan, torch.nan
    q[~allowed.any(3).expand(q.shape[0], q.shape[1], -1)] = torch.nan


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_equals_the_definition(name: str, device, small):
    case = CASES[name]
    if case.dtype == torch.bfloat16 and device.type == "cpu":
        pytest.skip("Triton's interpreter multiplies no bfloat16")
    q, k, v, attention = case.build(device)
    wanted, lse = reference(q.double(), k.double(), v.double(), attention)
    hide(q, k, v, attention)
    got = compute(q, k, v, attention)
    torch.testing.assert_close(got[0].double(), wanted, rtol=0, atol=ROUNDED[case.dtype])
    torch.testing.assert_close(got[1].double(), lse, rtol=0, atol=2**-13 if case.dtype.itemsize == 2 else 2**-18)
    assert got[0].dtype == case.dtype


@pytest.mark.parametrize("shares", [1, 2, 7, 100])
def test_any_number_of_shares_gives_the_same(shares: int, device, small, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(decode, "num_shares", lambda device: shares)
    q, k, v, attention = RAGGED.build(device)
    wanted = reference(q.double(), k.double(), v.double(), attention)[0]
    torch.testing.assert_close(compute(q, k, v, attention)[0].double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


def test_lengths_and_starts_may_lie_in_memory_as_they_like(device, small):
    many = torch.tensor([[50, 9], [0, 9], [23, 9]], device=device)
    q, k, v, _ = CASES["lengths"].build(device)
    work = decode.Work(0.4, high=0)
    lengths, starts = many[:, 0], torch.tensor(20, device=device).expand(3)
    got = decode.attend_few(q, k, v, work, lengths, starts)[0]
    assert torch.equal(got, decode.attend_few(q, k, v, work, lengths.contiguous(), starts.contiguous())[0])


def test_a_call_leaves_its_counters_as_it_found_them(device, small):
    """A second one that counted on would join what the first has left."""
    for _ in range(2):
        q, k, v, attention = RAGGED.build(device)
        wanted = reference(q.double(), k.double(), v.double(), attention)[0]
        torch.testing.assert_close(compute(q, k, v, attention)[0].double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


def test_a_large_batch_is_cut(device, small, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(decode, "MOST_ROWS", 2)
    q, k, v, attention = RAGGED.build(device)
    wanted = reference(q.double(), k.double(), v.double(), attention)[0]
    torch.testing.assert_close(compute(q, k, v, attention)[0].double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


def test_the_plain_definition_is_the_reference(device):
    """What runs under a transform or a mode, of which the counter counts the products."""
    for case in (RAGGED, CASES["window of ragged rows"], CASES["lengths"]):
        q, k, v, attention = case.build(device)
        wanted = reference(q.double(), k.double(), v.double(), attention)
        hide(q, k, v, attention)
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            got = Decode().run(pose(q, k, v, attention, return_lse=True), q, k, v)
        for one, other in zip(got, wanted, strict=True):
            assert one is not None
            assert other is not None
            torch.testing.assert_close(one.double(), other, rtol=0, atol=ROUNDED[torch.float32])
        assert counter.get_total_flops() == 2 * case.B * case.H * case.T * case.S * (case.D + case.E)


def test_the_operator_says_what_it_gives(device, small):
    q, k, v, attention = RAGGED.build(device)
    lengths, first = attention.mask.conjuncts[1].num_real(q.device), attention.places(4, 50).queries.start
    arguments = (q, k, v, lengths, first, 0.4, 0, None, 0, 1.5)
    torch.library.opcheck(decode._operator, arguments, test_utils=("test_schema", "test_faketensor"))


@pytest.mark.compiled
def test_a_compiled_call_is_one_graph(device, small, monkeypatch: pytest.MonkeyPatch):
    """Of any number of keys; whatever the algorithm refuses, as without a GPU."""
    monkeypatch.setattr(Decode, "refuses", lambda self, problem: None)

    def call(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor) -> Tensor:
        return attend(q, k, v, Attention(Content(0.4), KeyPadding(lengths)), algorithm="decode")

    compiled = torch.compile(call, fullgraph=True, backend="aot_eager", dynamic=True)
    q, k, v, attention = Case().build(device)
    wanted = reference(q.double(), k.double(), v.double(), attention)[0]
    lengths = attention.mask.num_real(device)
    assert lengths is not None
    with torch.no_grad():
        torch.testing.assert_close(compiled(q, k, v, lengths).double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


def posed(attention: Attention, T: int = 1, dtype: torch.dtype = torch.bfloat16, D: int = 128) -> Problem:
    q, k = (torch.empty(4, heads, n, D, dtype=dtype, device="meta") for heads, n in ((32, T), (8, 8192)))
    with torch.no_grad():
        return pose(q, k, k, attention, device="h200")


LENGTHS = KeyPadding(torch.tensor([3, 4, 5, 6]))
REFUSALS = {
    "computes a softmax, not Hard()": posed(Attention(weighting=Hard())),
    "needs Content() with a positive beta as the only score term": posed(
        Attention(Content() + Bias(torch.zeros(1, 8192)))
    ),
    "takes no more than 16 queries": posed(Attention(), T=17),
    "takes head widths to 256": posed(Attention(), D=257),
    "its kernel takes no float64": posed(Attention(), dtype=torch.float64),
    "takes of paddings one KeyPadding(lengths)": posed(Attention(mask=LENGTHS & LENGTHS)),
    "takes beside KeyPadding(lengths) only Causal() and Window()": posed(Attention(mask=~Causal())),
    "needs neighbouring tokens one position apart": posed(Attention(mask=Window(5), keys=Sequence(8192, step=2))),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_it_refuses_the_rest(reason: str):
    assert Decode().refuses(REFUSALS[reason]) == reason


def test_it_refuses_pads_among_queries_and_maps():
    q = torch.empty(4, 8, 16, 64, dtype=torch.bfloat16, device="meta")
    for mask in (Padding(torch.tensor([3, 4, 5, 6])), KeyPadding(torch.ones(4, 16, dtype=torch.bool))):
        reason = Decode().refuses(pose(q, q, q, Attention(mask=mask), device="h200"))
        assert reason == "takes of paddings one KeyPadding(lengths)"


def test_it_refuses_gradients_and_the_cpu():
    x = torch.zeros(1, 1, 1, 16, requires_grad=True)
    assert Decode().refuses(pose(x, x, x, Attention(), device="h200")) is not None
    with pytest.raises(Refused, match="its kernel is for CUDA GPUs"):
        attend(x.detach(), x.detach(), x.detach(), algorithm="decode")


def test_the_planner_chooses_it_for_long_caches():
    """Of a window a query reads little, and what is cheaper for the host is quicker."""
    for mask in (LENGTHS, KeyPadding((1, 8192, 77, 4000))):
        assert PLANNER.choose(posed(Attention(mask=mask))).name == "decode"
    assert PLANNER.choose(posed(Attention(mask=Causal() & Window(100)))).name == "tiled"


@pytest.mark.gpu
@pytest.mark.parametrize(("D", "E"), [(64, 32), (60, 20), (128, 128)])
def test_many_rows_and_several_tiles(D: int, E: int, device):
    """Sixteen queries of twelve heads, which are tiles of other products, and a program of each tile or of all."""
    case = Case(lambda device: Window(33), T=16, H=12, G=1, S=500, D=D, E=E, dtype=torch.bfloat16)
    q, k, v, attention = case.build(device)
    wanted = reference(q.double(), k.double(), v.double(), attention)[0]
    torch.testing.assert_close(compute(q, k, v, attention)[0].double(), wanted, rtol=0, atol=ROUNDED[torch.bfloat16])


@pytest.mark.gpu
def test_a_captured_graph_reads_new_lengths(device):
    q, k, v = (torch.randn(2, heads, n, 64, device=device) for heads, n in ((8, 1), (2, 700), (2, 700)))
    lengths = torch.tensor([700, 3], device=device)
    with torch.no_grad():
        attend(q, k, v, Attention(mask=KeyPadding(lengths)), algorithm="decode")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = attend(q, k, v, Attention(mask=KeyPadding(lengths)), algorithm="decode")
        lengths.copy_(torch.tensor([40, 650]))
        graph.replay()
    wanted = reference(q.double(), k.double(), v.double(), Attention(mask=KeyPadding(lengths)))[0]
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


@pytest.mark.gpu
@pytest.mark.parametrize("window", [None, 6])
@pytest.mark.parametrize("lengths", [(7, 5, 9), (9, 9, 9)], ids=str)
def test_pieces_of_a_cache(lengths: tuple[int, ...], window: int | None, device):
    cache = Cache(3, 2, 16, capacity=40, device=device)
    attention = Attention(mask=Causal() if window is None else Window(window))
    x, y, q = (torch.randn(3, heads, n, 16, device=device) for heads, n in ((2, 9), (2, 3), (4, 3)))
    cache.append(x, x, attention, lengths=list(lengths))
    keys, values, placed = cache.append(y, y, attention)
    with torch.no_grad():
        got = attend(q, keys, values, placed, algorithm="decode")
    wanted = reference(q.double(), keys.double(), values.double(), placed.on(device))[0]
    torch.testing.assert_close(got.double(), wanted, rtol=0, atol=ROUNDED[torch.float32])


def test_a_far_window_is_no_wider_than_the_kernel_counts():
    for mask in (Window(2**40, 2), Window(3, 2**31 - 1), Causal() & Window(2**33)):
        problem = pose(*(torch.zeros(1, 1, n, 16) for n in (2, 30, 30)), Attention(mask=mask), device="h200")
        assert all(end is None or abs(end) < 2**31 for end in band_of(problem.facts))
