"""Models that cannot be counted say why, and what to do; a module that was counted is as it was.

Other threads that run modules of their own are not counted.
"""

import copy
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor

from regard import attend
from regard.algorithms.planning import kept
from regard.analysis.cost import cost
from regard.analysis.cost.count import CannotFake
from regard.layers import MultiHead
from tests.analysis.cost.by_hand import B, C, Call, F, H, T, floats, product
from tests.holding import tensors_in


class Asks(nn.Module):
    """Takes one way or another by what is in a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(C, F)

    def forward(self, x: Tensor) -> Tensor:
        return self.up(x) if x.sum() > 0 else x


def test_a_module_that_asks_for_contents():
    with pytest.raises(CannotFake, match="Asks asks for the contents of a tensor, which has none here") as error:
        cost(Asks(), torch.ones(T, C))
    assert "count a real run (real=True)" in str(error.value)
    assert isinstance(error.value, ValueError)
    c = cost(Asks(), torch.ones(T, C), real=True)
    assert (c.forward.flops, c.backward.flops) == (product(T, C, F), product(T, C, F))
    assert cost(Asks(), -torch.ones(T, C), real=True).forward.flops == 0


def test_contents_of_integers_are_known():
    def chosen(x: Tensor, n: Tensor) -> Tensor:
        return x[: int(n)] @ x.mT if n > 2 else x

    assert cost(Call(chosen), floats(T, C), torch.tensor(3)).forward.flops == product(3, C, T)


def test_shapes_that_depend_on_contents():
    keep = lambda x: x[x > 0]  # noqa: E731
    with pytest.raises(CannotFake, match="Call asks for the contents"):
        cost(Call(keep), torch.ones(T, C))
    assert cost(Call(keep), torch.ones(T, C), real=True).forward.flops == 0


def test_a_module_that_cannot_be_copied():
    class Held(nn.Linear):
        def __deepcopy__(self, memo: object) -> nn.Module:
            raise TypeError("cannot pickle a lock")

    with pytest.raises(
        CannotFake,
        match=re.escape(
            "must be copied to be counted without memory: got TypeError: cannot pickle a lock; count a real"
        ),
    ):
        cost(Held(C, F), floats(T, C))
    assert cost(Held(C, F), torch.zeros(T, C), real=True).forward.flops == product(T, C, F)


def test_names_that_do_not_exist():
    layer, x = nn.Linear(C, F), floats(T, C)
    with pytest.raises(ValueError, match="unknown optimizer 'adamv': did you mean adam"):
        cost(layer, x, optimizer="adamv")
    with pytest.raises(ValueError, match=r"'h201'.*h200"):
        cost(layer, x, device="h201")


def test_a_shape_that_the_model_refuses_shows_the_model_s_own_error():
    with pytest.raises(RuntimeError, match=re.escape("a and b must have same reduction dim")):
        cost(nn.Linear(C, F), floats(T, C + 1))
    with pytest.raises(ValueError, match=rf"q must be .*{C}.*got"):
        cost(MultiHead(C, H), floats(B, T, C + 1))
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        cost(nn.Linear(C, F), floats(T, C), y=1)


def test_after_an_error_nothing_is_left_behind():
    before = torch.backends.mha.get_fastpath_enabled()
    with pytest.raises(RuntimeError):
        cost(nn.Linear(C, F), floats(T, C + 1))
    assert torch.backends.mha.get_fastpath_enabled() == before
    assert type(torch.zeros(1)) is Tensor
    assert cost(nn.Linear(C, F), floats(T, C)).forward.flops == product(T, C, F)
    from torch.nn.modules import module

    assert not module._global_forward_pre_hooks
    assert not module._global_forward_hooks


def tensors_of(module: nn.Module) -> list[Tensor]:
    """Everything that hangs on a module, however it is kept."""
    found = [*module.parameters(), *module.buffers()]
    for part in module.modules():
        found += [x for x in vars(part).values() if isinstance(x, Tensor)]
    return found + [p.grad for p in module.parameters() if p.grad is not None]


class Kept(nn.Module):
    """Keeps what it computed on itself, counts its calls in a buffer, and has layers of several kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.heads = nn.TransformerEncoderLayer(C, 4, F, batch_first=True), MultiHead(C, H)
        self.norm, self.memory = nn.BatchNorm1d(T), nn.LSTM(C, C)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.places = torch.arange(T)
        self.last: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        x = self.norm(self.layer(x)) + self.places[:, None]
        self.last = x.detach()
        return self.memory(self.heads(x, causal=True))[0]


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_a_module_that_was_counted_is_as_it_was(training: bool):
    module, x = Kept().train(training), torch.randn(B, T, C, requires_grad=True)
    state, modes = copy.deepcopy(module.state_dict()), [part.training for part in module.modules()]
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in module.modules()]
    identities = [id(p) for p in module.parameters()]
    torch.manual_seed(1)
    before = copy.deepcopy(module)(x)
    random = torch.get_rng_state()
    c = cost(module, x)
    assert torch.equal(torch.get_rng_state(), random)
    assert (x.grad, x.requires_grad) == (None, True)
    assert all(p.grad is None for p in module.parameters())
    assert [id(p) for p in module.parameters()] == identities
    assert [part.training for part in module.modules()] == modes
    assert [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in module.modules()] == hooks
    assert not any(isinstance(y, FakeTensor) for y in tensors_of(module))
    assert "_regard_known" not in vars(x)
    assert module.last is None
    for name, y in module.state_dict().items():
        assert torch.equal(y, state[name]), name
    torch.manual_seed(1)
    assert torch.equal(module(x), before)
    again = cost(module, x)  # and after a real run it counts the same
    assert (again.forward, again.backward, again.parameters) == (c.forward, c.backward, c.parameters)


def test_choices_of_attend_are_those_of_real_tensors():
    x = torch.randn(B, H, T, 8, requires_grad=True)
    cost(Call(attend), x, x, x)
    assert not any(isinstance(y, FakeTensor) for y in tensors_in(dict(kept._kept)))
    before = attend(x, x, x)
    cost(Call(lambda q, k, v: attend(q, k, v, algorithm="reference")), x, x, x)
    after = attend(x, x, x)
    assert torch.equal(before, after)
    assert not isinstance(after, FakeTensor)
    after.sum().backward()
    assert x.grad is not None
    assert not isinstance(x.grad, FakeTensor)


def test_another_threads_modules_are_not_counted():
    encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    inputs = torch.empty(1, 8, 32)
    alone = cost(encoder, inputs)
    over = threading.Event()

    def disturb() -> None:
        other = nn.Sequential(*[nn.Linear(4, 4) for _ in range(50)])
        with torch.no_grad():
            while not over.is_set():
                other(torch.ones(1, 4))

    with ThreadPoolExecutor(3) as pool:
        noise = pool.submit(disturb)
        found = [pool.submit(cost, encoder, inputs) for _ in range(4)]
        try:
            counts = [one.result() for one in found]
        finally:
            over.set()
        noise.result()
    for count in counts:
        assert (count.forward, count.backward, count.unknown) == (alone.forward, alone.backward, alone.unknown)
        assert [(part.name, part.forward) for part in count.modules] == [
            (part.name, part.forward) for part in alone.modules
        ]
