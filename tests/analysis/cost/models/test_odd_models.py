"""Models that nobody would write, or everybody does: what they need is told apart from what they do."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from regard import Attention, attend
from regard.analysis.cost import cost, formulas
from regard.analysis.cost.symbolic import NotPolynomial
from regard.attention import Bias, Content

B, T, C = 2, 6, 16
PAIRS, SEEN = B * T * T, B * T * (T + 1) // 2
ONCE = 2 * C  # FLOPs of one pair in one product
CAUSAL = torch.ones(T, T).tril().bool()
X = torch.empty(B, T, C, device="meta", requires_grad=True)


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Tensor | tuple[Tensor, ...]]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor):
        return self.function(*inputs)


def hidden(logits: Tensor) -> Tensor:
    return logits.masked_fill(~CAUSAL, -torch.inf)


def causal(x: Tensor) -> Tensor:
    return hidden(x @ x.mT).softmax(-1) @ x


def flops(function: Callable[..., Tensor | tuple[Tensor, ...]], *inputs: Tensor) -> int:
    return cost(Call(function), *inputs).forward.flops


def test_a_product_that_all_rows_share_is_needed_whole() -> None:
    places = torch.empty(T, C, device="meta", requires_grad=True)
    found = flops(lambda x, p: hidden(x @ x.mT + p @ p.mT).softmax(-1) @ x, X, places)
    assert found == ONCE * (2 * SEEN + T * T)


def test_gathered_logits_are_needed_whole() -> None:
    """Shaw et al.: logits of 5 offsets, spread over the pairs."""
    table = torch.empty(5, C, device="meta", requires_grad=True)
    offsets = (torch.arange(T) - torch.arange(T)[:, None]).clamp(-2, 2) + 2

    def shaw(x: Tensor, table: Tensor) -> Tensor:
        by_offset = (x @ table.mT).gather(2, offsets.expand(B, T, T))
        return hidden(x @ x.mT + by_offset).softmax(-1) @ x

    assert flops(shaw, X, table) == ONCE * (2 * SEEN + B * T * 5)


@pytest.mark.parametrize("first", [True, False])
def test_logits_of_two_softmaxes_are_needed_where_either_sees_them(first: bool) -> None:
    def twice(x: Tensor) -> Tensor:
        logits = x @ x.mT
        views = (hidden, torch.clone) if first else (torch.clone, hidden)  # whichever softmax comes last
        one, other = (view(logits).softmax(-1) for view in views)
        return one @ x + other @ x

    assert flops(twice, X) == ONCE * (PAIRS + SEEN + PAIRS)


@pytest.mark.parametrize("reentrant", [True, False])
def test_masks_are_seen_through_checkpoints(reentrant: bool) -> None:
    found = cost(Call(lambda x: checkpoint(causal, x, use_reentrant=reentrant)), X)
    assert (found.forward.flops, found.backward.flops) == (ONCE * 2 * SEEN, ONCE * 4 * SEEN)
    # Four products, and the forward pass again: the last product is spared where nobody needs its result.
    assert found.backward.executed == ONCE * (6 if reentrant else 5) * PAIRS


def test_dropped_weights_are_weights() -> None:
    """As torch drops them on a GPU."""
    found = flops(lambda x: torch.native_dropout(hidden(x @ x.mT).softmax(-1), 0.1, True)[0] @ x, X)
    assert found == ONCE * 2 * SEEN


def test_calls_that_are_alike_are_counted_each() -> None:
    bias = torch.empty(1, 1, 300, 300, device="meta", requires_grad=True)
    q = torch.empty(1, 2, 300, 8, device="meta", requires_grad=True)

    def module(times: int) -> Call:
        def run(q: Tensor, bias: Tensor) -> Tensor:
            for _ in range(times):
                q = attend(q, q, q, Attention(Content() + Bias(bias)), algorithm="blockwise")
            return q

        return Call(run)

    one, three = (cost(module(times), q, bias) for times in (1, 3))
    for part in ("forward", "backward"):
        for quantity in ("flops", "executed"):
            assert getattr(getattr(three, part), quantity) == 3 * getattr(getattr(one, part), quantity)


@pytest.mark.parametrize("lowest", [-1e4, -1e5, -1e9, torch.finfo(torch.float32).min, -torch.inf])
def test_numbers_that_stand_for_nothing(lowest: float) -> None:
    assert flops(lambda x: (x @ x.mT).masked_fill(~CAUSAL, lowest).softmax(-1) @ x, X) == ONCE * 2 * SEEN
    assert flops(lambda x: (x @ x.mT).masked_fill(~CAUSAL, -9e3).softmax(-1) @ x, X) == ONCE * 2 * PAIRS


def test_a_mask_of_unknown_contents_is_noted_in_unfused_attention_too() -> None:
    mask = torch.empty(T, T, dtype=torch.bool, device="meta")
    found = cost(Call(lambda x, m: (x @ x.mT).masked_fill(m, -torch.inf).softmax(-1) @ x), X, mask)
    assert found.forward.flops == ONCE * 2 * PAIRS
    assert len(found.notes) == 1
    assert "contents are not known" in found.notes[0]


def test_the_column_of_attention_is_attention_alone() -> None:
    experts = torch.empty(B, C, C, device="meta", requires_grad=True)
    assert cost(Call(torch.bmm), X, experts)[""].attention == 0
    assert cost(Call(causal), X)[""].attention == ONCE * 2 * SEEN
    line = torch.empty(T, C, device="meta", requires_grad=True)
    assert cost(Call(lambda x: (x @ x.mT).softmax(-1) @ x), line)[""].attention == ONCE * 2 * T * T


def test_rows_that_a_known_mask_chooses() -> None:
    mask = torch.tensor([[True] * 4 + [False] * 2, [True] * 6])
    weight = torch.empty(C, C, device="meta")
    assert flops(lambda x, m, w: x[m] @ w, X, mask, weight) == 2 * 10 * C * C
    assert flops(lambda x, m, w: x.masked_select(m[..., None]).view(-1, C) @ w, X, mask, weight) == 2 * 10 * C * C


def test_a_real_run_leaves_the_model_as_it_was() -> None:
    module = nn.Sequential(nn.Linear(C, C), nn.BatchNorm1d(C))
    before = {name: x.clone() for name, x in module.state_dict().items()}
    x = torch.randn(B, C, requires_grad=True)
    found = cost(module, x, real=True, device="h200")
    assert found.backward.flops == 2 * 2 * B * C * C
    assert all(torch.equal(x, before[name]) for name, x in module.state_dict().items())
    assert [p.grad for p in (*module.parameters(), x)] == [None] * 5


def test_a_hook_that_leads_back_to_the_module_leaves_no_fake_gradient() -> None:
    module = nn.Sequential(nn.Linear(C, C), nn.Linear(C, C))
    extra = module[1]
    module[0].register_forward_hook(lambda part, inputs, out: extra(out))
    cost(module, torch.randn(B, C))
    assert all(p.grad is None for p in module.parameters())


def test_parameters_without_a_gradient_have_no_state() -> None:
    class Half(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(C, C, bias=False), nn.Linear(512, 512)

        def forward(self, x: Tensor) -> Tensor:
            return self.used(x)

    memory = cost(Half(), torch.empty(B, C)).memory
    assert memory is not None
    assert memory.optimizer == 2 * 4 * C * C + 512  # two moments, and the number of the step in its block


def test_what_does_not_go_back_is_noted() -> None:
    found = cost(Call(lambda x: x.detach()), X)
    assert found.notes == ()  # nothing to train
    module = nn.Linear(C, C)
    with torch.no_grad():
        found = cost(module, torch.empty(B, C))
    assert found.backward.flops == 0
    assert "no backward pass is counted" in found.notes[0]


def test_no_polynomial_gets_through_that_holds_at_one_size_alone() -> None:
    def strided(B: int, N: int) -> tuple[nn.Module, tuple[Tensor, ...]]:
        return nn.Conv1d(8, 8, 4, stride=4), (torch.empty(B, 8, N),)

    with pytest.raises(NotPolynomial):
        formulas(strided, B=1, N=20)

    def before_last(N: int, B: int) -> tuple[nn.Module, tuple[Tensor, ...]]:
        return Call(lambda x, w: x[:, :-1] @ w), (torch.empty(B, N, 4, requires_grad=True), torch.empty(4, 4))

    assert str(formulas(before_last, N=20, B=3).forward) == "32·B·N − 32·B"
    # Sizes that are primes of ours do not make the check empty.
    assert str(formulas(lambda N: (nn.Linear(503, 503), (torch.empty(N, 503),)), N=503).forward) == f"{2 * 503**2}·N"


def test_sizes_of_formulas_are_checked() -> None:
    with pytest.raises(ValueError, match="formulas are in 1 to 10 sizes: got 0"):
        formulas(lambda: (nn.Linear(2, 2), (torch.empty(2, 2),)))
    with pytest.raises(ValueError, match="factors are of the sizes N: got D=8"):
        formulas(lambda N: (nn.Linear(2, 2), (torch.empty(N, 2),)), factors={"D": 8}, N=4)


class Classifier(nn.Module):
    """As many layers as classes, and the likeliest class."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(C, C) for _ in range(10)])
        self.head = nn.Linear(C, 10)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x).argmax(-1)


def test_layers_as_many_as_classes_are_no_experts():
    model = Classifier()
    report = cost(model, torch.empty(B, T, C, device="meta"))
    assert report.active == report.parameters
    assert not [note for note in report.notes if "expert" in note]
