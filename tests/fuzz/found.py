"""What was once found wrong, each as one small call: the table of the issue "Nothing hidden, nothing lost".

A function raises where the library breaks its promise. What it must give is said by `defined`, the definition over all
pairs in float64, and never by the library.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from regard import Attention, attend, plan, weights
from regard.attention import (
    Axial,
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Documents,
    GlobalTokens,
    Grid,
    Kernel,
    KeyPadding,
    Mask,
    OffsetMask,
    Padding,
    Quadratic,
    RandomFeatures,
    RelativeTable,
    SameColumn,
    SameRow,
    Sequence,
    Slopes,
    Term,
    Tiles,
    Window,
)
from regard.layers import GaussianHeads, MultiHead


@dataclass(frozen=True)
class Found:
    """One entry: what it is about, the check, and what it needs."""

    name: str
    check: Callable[[], None]
    needs: str = ""  # "", "compiled" or "cuda"


FOUND: list[Found] = []


def found(needs: str = "") -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Enter a check into the list, by its name."""

    def enter(check: Callable[[], None]) -> Callable[[], None]:
        FOUND.append(Found(check.__name__, check, needs))
        return check

    return enter


def defined(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor, bias: Any = 0.0, content: bool = True) -> Tensor:
    """`softmax(q kᵀ/√D + bias where allowed) v` over all pairs in float64, zeros where nothing is allowed."""
    q, k, v = q.double(), k.double(), v.double()
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    allowed = allowed.expand(*q.shape[:3], k.shape[2])
    unseen = ~allowed.any(2)[..., None]
    k, v = k.masked_fill(unseen, 0), v.masked_fill(unseen, 0)
    logits = (q @ k.mT / q.shape[3] ** 0.5 if content else torch.zeros_like(q @ k.mT)) + bias
    powers = logits.masked_fill(~allowed, -inf).exp()
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-300) @ v


def tensors(B: int, H: int, T: int, S: int, D: int = 8, **options: Any) -> tuple[Tensor, Tensor, Tensor]:
    options = {"dtype": torch.float64} | options
    return (
        torch.randn(B, H, T, D, **options),
        torch.randn(B, H, S, D, **options),
        torch.randn(B, H, S, D, **options),
    )


def check_equal(got: Tensor, exact: Tensor, tolerance: float = 1e-4) -> None:
    torch.testing.assert_close(got.detach().double().cpu(), exact.detach().double().cpu(), rtol=0, atol=tolerance)


def every_algorithm(q: Any, k: Any, v: Tensor, attention: Attention, exact: Tensor) -> None:
    """The planner's choice and every algorithm that its plan accepts give the same, `exact`."""
    check_equal(attend(q, k, v, attention), exact)
    for candidate in plan(q, k, v, attention).candidates:
        if candidate.refusal is None:
            check_equal(attend(q, k, v, attention, algorithm=candidate.name), exact)


def indices(B: int, H: int, T: int, S: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    sizes = ((B, (1, 1, 1)), (H, (1, 1)), (T, (1,)), (S, ()))
    b, h, i, j = (torch.arange(n).view(n, *ones) for n, ones in sizes)
    return b, h, i, j


@found()
def heads_innermost_under_key_padding() -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 300, d, 4).permute(0, 3, 1, 2) for d in (5, 5, 8))
    real = torch.arange(300) < torch.tensor([200, 300])[:, None, None, None]
    every_algorithm(q, k, v, Attention(mask=KeyPadding([200, 300])), defined(q, k, v, real))


@dataclass(frozen=True, eq=False)
class RowsApart(Mask):
    def allows(self, b, h, i, j, places):
        return (b + i + j) % 2 == 0


@found()
def a_mask_with_rows_of_its_own_under_positions_alone() -> None:
    q, k, v = tensors(2, 2, 6, 6)
    b, _, i, j = indices(2, 2, 6, 6)
    slopes = torch.tensor([0.5, 0.25], dtype=torch.float64)
    bias = -slopes[:, None, None] * (j - i).abs()
    attention = Attention(Slopes(slopes), RowsApart())
    every_algorithm(q, k, v, attention, defined(q, k, v, (b + i + j) % 2 == 0, bias, content=False))


@dataclass(frozen=True, eq=False)
class ByIndex(Term):
    def at(self, b, h, i, j, places):
        return (i + 2 * j) % 7 / 4


@dataclass(frozen=True, eq=False)
class ByRow(Term):
    def at(self, b, h, i, j, places):
        return (b % 2) * (j % 3) / 2


@found()
def a_term_that_reads_indices_under_blocks() -> None:
    q, k, v = tensors(2, 2, 12, 12)
    _, _, i, j = indices(2, 2, 12, 12)
    exact = defined(q, k, v, i // 4 == j // 4, (i + 2 * j) % 7 / 4)
    every_algorithm(q, k, v, Attention(Content() + ByIndex(), Blocks(4)), exact)


@found()
def a_term_that_reads_rows_alone() -> None:
    q, k, v = tensors(2, 2, 6, 6)
    b, _, i, j = indices(2, 2, 6, 6)
    bias = torch.randn(2, 6, 6, dtype=torch.float64)
    exact = defined(q, k, v, i == i, bias + (b % 2) * (j % 3) / 2, content=False)
    every_algorithm(q, k, v, Attention(Bias(bias) + ByRow()), exact)


class BackwardsCausal(Causal):
    def allows(self, b, h, i, j, places):
        return j >= i


class OthersInWindow(Window):
    def holds(self, delta):
        return super().holds(delta) & (delta != 0)


class PadsAlone(KeyPadding):
    def allows(self, b, h, i, j, places):
        return ~super().allows(b, h, i, j, places)


@found()
def a_subclass_of_causal() -> None:
    q, k, v = tensors(2, 2, 300, 300)
    _, _, i, j = indices(2, 2, 300, 300)
    every_algorithm(q, k, v, Attention(mask=BackwardsCausal()), defined(q, k, v, j >= i))


@found()
def a_subclass_of_window() -> None:
    q, k, v = tensors(2, 2, 8, 8)
    _, _, i, j = indices(2, 2, 8, 8)
    every_algorithm(q, k, v, Attention(mask=OthersInWindow(10, 10)), defined(q, k, v, i != j))


@found()
def a_subclass_of_key_padding() -> None:
    q, k, v = tensors(2, 2, 300, 300)
    real = torch.arange(300) < torch.tensor([200, 100])[:, None, None, None]
    every_algorithm(q, k, v, Attention(mask=PadsAlone([200, 100])), defined(q, k, v, ~real))


@found()
def nan_in_keys_that_no_query_sees() -> None:
    q, k, v = tensors(1, 1, 2, 6)
    k[:, :, 2:], v[:, :, 2:] = nan, nan
    _, _, i, j = indices(1, 1, 2, 6)
    every_algorithm(q, k, v, Attention(mask=Causal(), queries=Sequence(2)), defined(q, k, v, j <= i))


def _twice(attention: Callable[[Tensor], Attention], algorithm: str, keys: int, theta: Tensor, term: Callable) -> None:
    """The second derivative by `autograd.grad`, right or an error."""
    v = torch.randn(2, 1, keys, 3, dtype=torch.float64, requires_grad=True)
    theta.requires_grad_()
    try:
        out = attend(None, None, v, attention(theta), algorithm=algorithm)
        came = torch.linspace(-1, 1, out.numel(), dtype=torch.float64).view(out.shape)
        first = torch.autograd.grad(out, [v, theta], came, create_graph=True)
        (second,) = torch.autograd.grad(sum(x.square().sum() for x in first), theta)
    except (RuntimeError, NotImplementedError):
        return
    out = torch.softmax(term(theta), -1) @ v
    first = torch.autograd.grad(out, [v, theta], came, create_graph=True)
    (exact,) = torch.autograd.grad(sum(x.square().sum() for x in first), theta)
    check_equal(second / exact.abs().max(), exact / exact.abs().max())


@found()
def second_derivatives_of_shared_maps() -> None:
    places = torch.cartesian_prod(torch.arange(3), torch.arange(3)).double()
    precision = torch.eye(2, dtype=torch.float64)[None] / 4

    def term(centre: Tensor) -> Tensor:
        away = places[None, :] - places[:, None] - centre
        return -(away.square().sum(-1) / 4)[None]

    centre = torch.tensor([[0.5, -0.5]], dtype=torch.float64)
    _twice(lambda x: Attention(Quadratic(x, precision), keys=Grid(3, 3)), "shared", 9, centre, term)


@found()
def second_derivatives_of_toeplitz_maps() -> None:
    row, column = torch.arange(9) // 3, torch.arange(9) % 3

    def term(table: Tensor) -> Tensor:
        return table[:, row[None, :] - row[:, None] + 2, column[None, :] - column[:, None] + 2]

    table = torch.randn(1, 5, 5, dtype=torch.float64) / 4
    _twice(lambda x: Attention(RelativeTable(x, bound=4.0), keys=Grid(3, 3)), "toeplitz", 9, table, term)


@found()
def the_log_sum_exp_of_an_empty_row_sends_no_gradient() -> None:
    # Queries in rows 0 and 5, keys in row 0: who stands in row 5 sees nobody.
    centre = torch.tensor([[0.5, 0.75]], dtype=torch.float64, requires_grad=True)
    term = Quadratic(centre, torch.ones(1, dtype=torch.float64))
    attention = Attention(term, SameRow(), queries=Grid(2, 3, step=(5, 1)), keys=Grid(1, 3))
    v = torch.randn(1, 1, 3, 2, dtype=torch.float64)
    for candidate in plan(None, None, v, attention, return_lse=True).candidates:
        if candidate.refusal is None:
            _, lse = attend(None, None, v, attention, algorithm=candidate.name, return_lse=True)
            assert (lse[:, :, 3:] == -inf).all(), candidate.name
            (gradient,) = torch.autograd.grad(lse[:, :, 3:], centre, torch.ones_like(lse[:, :, 3:]))
            assert (gradient == 0).all(), (candidate.name, gradient)


def _window(n: int, warm: bool) -> None:
    q, k, v = (x.float() for x in tensors(1, 1, n, n))
    _, _, i, j = indices(1, 1, n, n)
    exact = defined(q, k, v, (i - j >= 0) & (i - j <= 3))
    with torch.device("meta"):
        for candidate in plan(q, k, v, Attention(mask=Window(3))).candidates:
            if candidate.refusal is None:
                out = attend(q, k, v, Attention(mask=Window(3)), algorithm=candidate.name)
                if not warm:
                    check_equal(out, exact)
    if warm:
        every_algorithm(q, k, v, Attention(mask=Window(3)), exact)


@found()
def a_window_while_the_default_device_is_meta() -> None:
    _window(257, warm=False)


@found()
def a_window_after_the_default_device_was_meta() -> None:
    _window(261, warm=True)


def _inference_then_training(mask: Mask, n: int) -> None:
    q, k, v = (x.requires_grad_() for x in tensors(1, 1, n, n, dtype=torch.float32))
    with torch.inference_mode():
        names = [one.name for one in plan(q, k, v, Attention(mask=mask)).candidates if one.refusal is None]
    for name in names:
        with torch.inference_mode():
            attend(q, k, v, Attention(mask=mask), algorithm=name)
        attend(q, k, v, Attention(mask=mask), algorithm=name).sum().backward()


@found()
def inference_then_training_under_a_window() -> None:
    _inference_then_training(Window(5), 263)


@found()
def inference_then_training_under_blocks() -> None:
    _inference_then_training(Blocks(5), 269)


@found()
def activation_checkpointing_of_padding() -> None:
    q, k, v = (x.requires_grad_() for x in tensors(2, 2, 20, 20, dtype=torch.float32))
    attention = Attention(mask=Padding([20, 7]))
    plain = torch.autograd.grad(attend(q, k, v, attention, algorithm="reference").square().sum(), [q, k, v])
    for name in [one.name for one in plan(q, k, v, attention).candidates if one.refusal is None]:
        call = lambda q, k, v: attend(q, k, v, attention, algorithm=name)  # noqa: B023, E731
        out = checkpoint(call, q, k, v, use_reentrant=False)
        for got, exact in zip(torch.autograd.grad(out.square().sum(), [q, k, v]), plain, strict=True):
            check_equal(got, exact)


def _gaussian_heads(mask: Mask) -> None:
    layer = GaussianHeads(8, 4)
    y = layer(torch.randn(2, 64, 8), Grid(8, 8), mask=mask)
    assert y.shape == (2, 64, 8)
    assert y.isfinite().all()


@found()
def gaussian_heads_in_rows() -> None:
    _gaussian_heads(SameRow())


@found()
def gaussian_heads_in_tiles() -> None:
    _gaussian_heads(Tiles(2, 2))


@found()
def gaussian_heads_under_a_union_with_a_full_part() -> None:
    _gaussian_heads(Tiles(64, 64) | Axial())


@dataclass(frozen=True, eq=False)
class EveryThird(Mask):
    def allows(self, b, h, i, j, places):
        return j % 3 == 0


@found()
def a_mask_of_the_key_alone() -> None:
    q, k, v = tensors(2, 2, 7, 7)
    _, _, _, j = indices(2, 2, 7, 7)
    every_algorithm(q, k, v, Attention(mask=EveryThird()), defined(q, k, v, j % 3 == 0))


@dataclass(frozen=True, eq=False)
class Always(Mask):
    def allows(self, b, h, i, j, places):
        return True


@found()
def a_mask_that_returns_true() -> None:
    q, k, v = tensors(2, 2, 7, 7)
    every_algorithm(q, k, v, Attention(mask=Always()), defined(q, k, v, torch.ones(7, 7, dtype=torch.bool)))


@dataclass(frozen=True, eq=False)
class OddOffsets(OffsetMask):
    def holds(self, delta):
        return delta % 2 == 1


@found()
def a_mask_of_offsets_with_holds_alone() -> None:
    q, k, v = tensors(2, 2, 7, 7)
    _, _, i, j = indices(2, 2, 7, 7)
    every_algorithm(q, k, v, Attention(mask=OddOffsets()), defined(q, k, v, (j - i) % 2 == 1))


def _one_graph(function: Callable[..., Tensor], *inputs: Tensor) -> None:
    torch.compiler.reset()
    check_equal(torch.compile(function, fullgraph=True, backend="eager")(*inputs), function(*inputs))


@found("compiled")
def blocks_and_global_tokens_are_one_graph() -> None:
    q, k, v = tensors(1, 2, 16, 16, dtype=torch.float32)
    _one_graph(lambda q, k, v: attend(q, k, v, Attention(mask=Blocks(4) & GlobalTokens(2))), q, k, v)


@found("compiled")
def gaussian_heads_on_axes_are_one_graph() -> None:
    layer = GaussianHeads(4, 2).eval()
    _one_graph(lambda x: layer(x, Grid(4, 4), mask=Axial()), torch.randn(1, 16, 4))


@found("compiled")
def a_table_with_a_start_per_row_is_one_graph() -> None:
    q, k, v = tensors(2, 2, 5, 5, dtype=torch.float32)
    table = torch.randn(2, 41)

    def call(q: Tensor, k: Tensor, v: Tensor, start: Tensor) -> Tensor:
        return attend(q, k, v, Attention(Content() + RelativeTable(table), Causal(), queries=Sequence(5, start)))

    _one_graph(call, q, k, v, torch.tensor([0, 3]))


@found()
def plain_sdpa_in_another_thread() -> None:
    q, v = torch.ones(1, 1, 4, 8), torch.ones(1, 1, 4, 6)
    failures, done = [], threading.Event()

    def keep_calling() -> None:
        while not done.is_set():
            try:
                scaled_dot_product_attention(q, q, v)
            except RuntimeError as error:
                failures.append(error)
                return

    thread = threading.Thread(target=keep_calling)
    thread.start()
    try:
        for _ in range(300):
            attend(*tensors(1, 2, 33, 33, dtype=torch.float32))
    finally:
        done.set()
        thread.join()
    assert not failures, failures[0]


@found()
def random_features_of_a_layer_are_in_its_state() -> None:
    layer = MultiHead(8, 2, weighting=Kernel(RandomFeatures.draw(6, 4)))
    assert any(tuple(x.shape) == (6, 4) for x in layer.state_dict().values()), list(layer.state_dict())


@found()
def generation_with_a_tokenizer_of_ones_own() -> None:
    import tokenizers

    from regard.models import BlockConfig, Decoder, DecoderConfig

    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model = Decoder(DecoderConfig(vocabulary=3, depth=1, block=BlockConfig(width=8, num_heads=2)))
    model.tokenizer = tokenizer
    written = model.generate("a b", max_new=2)
    assert set(written.text.split()) <= {"a", "b", "[UNK]"}, written


@dataclass(frozen=True, eq=False)
class Within(Mask):
    far: float

    def allows(self, b, h, i, j, places):
        return j - i < self.far


@found()
def infinity_in_a_users_mask() -> None:
    q, k, v = tensors(2, 2, 7, 7)
    every_algorithm(q, k, v, Attention(mask=Within(inf)), defined(q, k, v, torch.ones(7, 7, dtype=torch.bool)))


@found()
def a_numpy_integer_in_a_users_mask() -> None:
    q, k, v = tensors(2, 2, 7, 7)
    _, _, i, j = indices(2, 2, 7, 7)
    every_algorithm(q, k, v, Attention(mask=Within(numpy.int64(2))), defined(q, k, v, j - i < 2))  # pyright: ignore[reportArgumentType]


def _refused(make: Callable[[], Any]) -> None:
    """Bad input is a ValueError when the value is made, and says what came."""
    with pytest.raises(ValueError, match="got"):
        make()


@found()
def a_step_that_is_no_whole_number() -> None:
    _refused(lambda: Sequence(5, step=1.5))  # pyright: ignore[reportArgumentType]


@found()
def slopes_that_are_no_tensor() -> None:
    for slopes in ([0.5, 0.25], numpy.array([0.5, 0.25], dtype=numpy.float32)):
        _refused(lambda slopes=slopes: Slopes(slopes))  # pyright: ignore[reportArgumentType]


@found()
def a_bias_that_is_no_tensor() -> None:
    for bias in ([[0.5, 0.25]], numpy.zeros((2, 2), dtype=numpy.float32)):
        _refused(lambda bias=bias: Bias(bias))  # pyright: ignore[reportArgumentType]


@found()
def a_dense_mask_that_is_no_tensor() -> None:
    for allowed in ([[True, False]], numpy.ones((2, 2), dtype=bool)):
        _refused(lambda allowed=allowed: Dense(allowed))  # pyright: ignore[reportArgumentType]


@found()
def one_length_for_all_rows() -> None:
    _refused(lambda: KeyPadding(3))  # pyright: ignore[reportArgumentType]


@found()
def documents_whose_lengths_are_the_count_and_the_size_of_others() -> None:
    """Choices for lengths as many and about as long were kept where those for the lengths (2, 4) themselves are."""
    q, k, v = tensors(1, 1, 17, 17)
    token = torch.arange(17)
    for first, last in ((2, 4), (7, 8), (5, 6), (2, 3), (1, 3)):
        number = (token >= first).long()
        allowed = (number[:, None] == number) & (token < first + last)
        attention = Attention(mask=Documents((first, last)))
        every_algorithm(q, k, v, attention, defined(q, k, v, allowed & (token[:, None] < first + last)))
        real = token < torch.tensor([first, last])[:, None, None, None]
        both = [torch.cat((x, -x)) for x in (q, k, v)]
        check_equal(attend(*both, Attention(mask=KeyPadding((first, last)))), defined(*both, real))


@found()
def infinite_centres() -> None:
    """Refused, when made or when used, by every algorithm alike; or the same in all of them."""
    outs, errors = {}, {}
    v = torch.randn(1, 1, 9, 2, dtype=torch.float64)
    try:
        term = Quadratic(torch.tensor([[inf, 0.0]], dtype=torch.float64), torch.ones(1, dtype=torch.float64))
        attention = Attention(term, keys=Grid(3, 3))
        candidates = plan(None, None, v, attention).candidates
    except ValueError:
        return
    for candidate in candidates:
        if candidate.refusal is None:
            try:
                outs[candidate.name] = attend(None, None, v, attention, algorithm=candidate.name)
            except ValueError as error:
                errors[candidate.name] = error
    assert not (outs and errors), (list(outs), errors)
    first = next(iter(outs.values()))
    for name, out in outs.items():
        assert torch.allclose(out, first, equal_nan=True), name


@found()
def a_map_of_a_mask_with_rows_without_q_and_k() -> None:
    """The map of every row, or an error that says that q and k are missing."""
    slopes = torch.tensor([0.5, 0.25])
    attention = Attention(Slopes(slopes), KeyPadding([2, 3]), keys=Sequence(3))
    try:
        found = weights(None, None, attention)
    except ValueError as error:
        if "q and k" in str(error) or "None" in str(error):
            return
        raise
    assert found.shape == (2, 2, 3, 3)
    assert (found[0, ..., 2] == 0).all()


@dataclass(frozen=True, eq=False)
class LogAge(Term):
    """No number at a key that is yet to come, and −∞ at the query's own."""

    def at(self, b, h, i, j, places):
        return (i - j).log()


@found()
def a_term_that_is_no_number_at_hidden_pairs() -> None:
    for n in (6, 300):
        q, k, v = (x.requires_grad_() for x in tensors(1, 2, n, n))
        _, _, i, j = indices(1, 2, n, n)
        age = (i - j).clamp(min=0).log().double()
        every_algorithm(q, k, v, Attention(Content() + LogAge(), Causal()), defined(q, k, v, j <= i, age))


@found()
def a_bias_that_is_no_number_at_hidden_pairs() -> None:
    q, k, v = (x.requires_grad_() for x in tensors(2, 2, 9, 9))
    _, _, i, j = indices(2, 2, 9, 9)
    lengths = torch.tensor([9, 0])
    seen = (j <= i) & (j < lengths[:, None, None, None])
    numbers = torch.randn(2, 1, 9, 9, dtype=torch.float64)
    clean, exact = numbers.clone().requires_grad_(), [q, k, v]
    exact = torch.autograd.grad(defined(q, k, v, seen, clean).square().sum(), [*exact, clean])
    for bad in (nan, inf):
        bias = numbers.masked_fill(~seen, bad).requires_grad_()
        for leaves in ([q, k, v], [q, k, v, bias]):
            used = bias if len(leaves) == 4 else bias.detach()
            attention = Attention(Content() + Bias(used), Causal() & KeyPadding(lengths))
            for name in [one.name for one in plan(q, k, v, attention).candidates if one.refusal is None]:
                out = attend(q, k, v, attention, algorithm=name)
                for got, wanted in zip(torch.autograd.grad(out.square().sum(), leaves), exact, strict=False):
                    check_equal(got, wanted)


@found("cuda")
def rows_that_are_not_aligned() -> None:
    big = torch.randn(1, 2, 36, 19, device="cuda", dtype=torch.float16)
    q = big[..., 1:9]
    k, v = (torch.randn(1, 2, 36, 8, device="cuda", dtype=torch.float16) for _ in range(2))
    column = torch.arange(36) % 6
    exact = defined(q.cpu(), k.cpu(), v.cpu(), column[:, None] == column)
    check_equal(attend(q, k, v, Attention(mask=SameColumn(), keys=Grid(6, 6))), exact, 1e-2)


@found("cuda")
def one_column_of_an_expanded_value() -> None:
    q = torch.randn(2, 9, 17, 1, device="cuda")
    k, v = torch.randn(2, 3, 17, 1, device="cuda"), torch.randn(2, 1, 17, 1, device="cuda").expand(-1, 3, -1, -1)
    exact = defined(q.cpu(), k.cpu(), v.cpu(), torch.ones(17, 17, dtype=torch.bool))
    check_equal(attend(q, k, v), exact, 1e-3)


@found("cuda")
def cells_while_the_default_device_is_cuda() -> None:
    q, k, v = (x.to("cuda", torch.float32) for x in tensors(1, 2, 12, 12))
    _, _, i, j = indices(1, 2, 12, 12)
    exact = defined(q.cpu(), k.cpu(), v.cpu(), i // 4 == j // 4)
    torch.set_default_device("cuda")
    try:
        out = attend(q, k, v, Attention(mask=Blocks(4)), algorithm="partitioned")
    finally:
        torch.set_default_device(None)
    check_equal(out, exact, 1e-3)


@found("cuda")
def a_table_too_small_for_starts_on_the_gpu() -> None:
    q, k, v = (x.to("cuda", torch.float32) for x in tensors(2, 2, 5, 5))
    start = torch.tensor([0, 30], device="cuda")
    attention = Attention(Content() + RelativeTable(torch.randn(2, 9, device="cuda")), queries=Sequence(5, start))
    try:
        attend(q, k, v, attention)
        torch.cuda.synchronize()
    except (ValueError, RuntimeError):
        return
    raise AssertionError("offsets outside a table were read as its edge")


@found("cuda")
def causal_attention_of_more_queries_than_keys() -> None:
    q, k, v = (torch.randn(1, 8, n, 64, device="cuda", dtype=torch.bfloat16) for n in (200, 100, 100))
    _, _, i, j = indices(1, 8, 200, 100)
    attention = Attention(mask=Causal(), queries=Sequence(200), keys=Sequence(100))
    check_equal(attend(q, k, v, attention), defined(q.cpu(), k.cpu(), v.cpu(), j <= i), 2e-2)


@found("cuda")
def the_gradient_of_a_query_that_sees_nothing() -> None:
    q, k, v = (torch.randn(2, 2, 4, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    attention = Attention(mask=Causal() & KeyPadding(torch.tensor([0, 4], device="cuda")))
    for _ in range(3):
        full = torch.full((1 << 20,), nan, device="cuda")  # what uninitialised memory may hold
        del full
        grad = torch.autograd.grad(attend(q, k, v, attention, algorithm="packed").sum(), q)[0]
        check_equal(grad[0], torch.zeros_like(grad[0]), 0.0)
