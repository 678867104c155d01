"""Private names of torch live in one room, and each is asked whether it still means what it meant.

Written for torch 2.11, 2.12 and 2.13: a new release is met by these tests first.
"""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._functorch.aot_autograd import aot_function, make_boxed_func
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.autograd import forward_ad
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from torch.overrides import BaseTorchFunctionMode
from torch.utils import _pytree
from torch.utils.flop_counter import FlopCounterMode

from regard.attention import torch_private
from regard.attention.torch_private import (
    BatchNorm,
    DispatchMode,
    assert_soon,
    flash_cpu,
    flash_cpu_backward,
    has_global_hooks,
    has_known_value,
    is_autocast,
    is_dispatched,
    is_fake,
    is_forward_mode,
    is_known_true,
    is_overridden,
    is_transformed,
    let_graphs_see,
    mark_constant,
    onednn_linear,
    register_tree,
    stream_of,
    transforms_of,
    uncompiled,
    version,
    without_modes,
)

RELEASES = ("2.11", "2.12", "2.13")
ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "regard"
# The counter of costs hooks into torch's dispatch, modules and modes: it is the one other room. A claim counts by a
# dispatch mode of its own, not to be judged by what it judges.
ROOMS = [PACKAGE / room for room in ("attention/torch_private.py", "analysis/cost", "claims/conv/gaussian_costs.py")]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def of_torch(tree: ast.AST) -> set[str]:
    """Names that a module has from torch."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {
                (part.asname or part.name).split(".")[0] for part in node.names if part.name.split(".")[0] == "torch"
            }
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            found |= {part.asname or part.name for part in node.names}
    return found


def private_names(tree: ast.AST) -> Iterator[str]:
    """Imports of private modules or names of torch, and private attributes of anything that is torch's."""
    known = of_torch(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            for part in node.names:
                parts = [*module.split("."), *part.name.split(".")]
                parts = parts if parts[0] else parts[1:]
                if parts[0] == "torch" and any(is_private(one) for one in parts):
                    yield ".".join(parts)
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            base: ast.AST = node.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id in known:
                yield ast.unparse(node)


def test_private_names_are_in_their_room():
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if not any(room in (file, *file.parents) for room in ROOMS)]
    assert len(files) > 200
    found = {str(file.relative_to(ROOT)): list(private_names(ast.parse(file.read_text()))) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import torch\ntorch._C._are_functorch_transforms_active()",
        "import torch\ntorch.ops.aten._flash_attention_forward(q)",
        "from torch.utils._pytree import tree_map",
        "import torch._dynamo",
        "from torch.autograd import forward_ad\nforward_ad._current_level",
        "from torch import _assert",
    ],
)
def test_a_private_name_elsewhere_would_be_found(line: str):
    assert list(private_names(ast.parse(line)))


def test_every_batch_norm_is_one():
    assert all(issubclass(kind, BatchNorm) for kind in (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d))
    assert not any(issubclass(kind, BatchNorm) for kind in (nn.LayerNorm, nn.GroupNorm, nn.InstanceNorm2d))


def test_a_dispatch_mode_sees_what_is_drawn():
    class Seeing(DispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    seen = []
    with Seeing():
        nn.functional.dropout(torch.ones(3), 0.5)
    assert torch.ops.aten.bernoulli_.float in seen or torch.ops.aten.native_dropout.default in seen


def test_a_graph_sees_what_an_operator_does_but_where_it_may_not():
    @torch.library.custom_op("regard_tests::twice", mutates_args=())
    def twice(x: Tensor) -> Tensor:
        return x + x

    @twice.register_fake
    def _(x: Tensor) -> Tensor:
        return torch.empty_like(x)

    def compiled(x: Tensor) -> list[str]:
        seen: list[str] = []

        def keep(graph: Any, _: Any) -> Any:
            seen.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
            return make_boxed_func(graph.forward)

        assert torch.equal(aot_function(twice, keep)(x), 2 * x)
        return seen

    let_graphs_see(twice, lambda x: 2 * x if x.ndim == 1 else NotImplemented)
    assert compiled(torch.ones(3)) == ["aten.mul.Tensor"]
    assert compiled(torch.ones(3, 3)) == ["regard_tests.twice.default"]

    class Doubled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return twice(x)

    exported = torch.export.export(Doubled(), (torch.ones(3),))
    assert "regard_tests.twice.default" in [str(node.target) for node in exported.graph.nodes]


def test_the_release_is_one_that_it_was_written_for():
    release = ".".join(torch.__version__.split(".")[:2])
    assert release in RELEASES, f"read regard/attention/torch_private.py against torch {release}, and add it here"


def test_every_name_of_the_room_is_asked():
    public = {
        name
        for name, thing in vars(torch_private).items()
        if not name.startswith("_") and getattr(thing, "__module__", torch_private.__name__) == torch_private.__name__
        if not inspect.ismodule(thing)
    }
    things = {name: thing for name, thing in vars(torch_private).items() if not name.startswith("_")}
    kernels = {name for name, thing in things.items() if isinstance(thing, torch._ops.OpOverload | BuiltinFunctionType)}
    assert kernels == set(SCHEMAS)
    asked = {name for name in globals() if name in public}
    assert public - kernels == asked


def test_is_transformed():
    x, seen = torch.ones(3), []

    def look(x: Tensor) -> Tensor:
        seen.append(is_transformed())
        return x.sum()

    look(x)
    torch.func.grad(look)(x)
    torch.func.vmap(look)(x[None])
    look(x)
    assert seen == [False, True, True, False]


def test_transforms_of():
    x, seen = torch.ones(3), []

    def look(x: Tensor) -> Tensor:
        seen.append(transforms_of(x))
        return x.sum()

    look(x)
    torch.func.grad(look)(x)
    torch.func.vmap(look)(x[None])
    torch.func.grad(lambda x: torch.func.vmap(look)(x[None]).sum())(x)
    torch.func.grad(lambda other: other * look(x + 0))(torch.ones(()))  # wrapped too, and not asked for
    assert seen == [(False, False), (True, False), (False, True), (True, True), (False, False)]


def test_is_forward_mode():
    assert not is_forward_mode()
    with forward_ad.dual_level():
        assert is_forward_mode()
    assert not is_forward_mode()


def test_is_fake():
    with FakeTensorMode():
        assert is_fake(torch.zeros(2))
    assert not is_fake(torch.zeros(2, device="meta"))


def test_is_dispatched():
    assert not is_dispatched()
    for mode in (FakeTensorMode(), FlopCounterMode(display=False)):
        with mode:
            assert is_dispatched()
    assert not is_dispatched()


def test_is_overridden():
    assert not is_overridden()
    with BaseTorchFunctionMode():
        assert is_overridden()
        with torch._C.DisableTorchFunction():
            assert not is_overridden()
    assert not is_overridden()


def test_without_modes():
    with FakeTensorMode():
        assert isinstance(torch.ones(3), FakeTensor)
        with without_modes():
            assert type(torch.ones(3)) is Tensor
            assert not is_dispatched()
        assert isinstance(torch.ones(3), FakeTensor)


def test_has_global_hooks():
    assert not has_global_hooks()
    forward = (register_module_forward_hook, register_module_forward_pre_hook)
    for register in (*forward, register_module_full_backward_hook, register_module_full_backward_pre_hook):
        handle = register(lambda *_: None)
        assert has_global_hooks()
        handle.remove()
    assert not has_global_hooks()


def test_assert_soon():
    assert_soon(torch.tensor(True), "never")
    with pytest.raises(RuntimeError, match="lengths must lie in 0…S"):
        assert_soon(torch.tensor(False), "lengths must lie in 0…S")


def test_register_tree():
    @dataclass
    class Pair:
        one: Any
        other: Any

    register_tree(Pair, lambda pair: ([pair.one, pair.other], None), lambda parts, _: Pair(*parts))
    leaves, structure = _pytree.tree_flatten([Pair(1, 2), 3])
    assert leaves == [1, 2, 3]
    assert _pytree.tree_unflatten([4, 5, 6], structure) == [Pair(4, 5), 6]


@pytest.mark.compiled
def test_mark_constant():
    """The compiler runs the function once, and keeps what it gave: it could not follow it."""

    def found(n: int) -> int:
        return id(object()) * 0 + n + 1  # an address is nothing that a compiler follows

    mark_constant(found)
    compiled = torch.compile(lambda x: x * found(2), fullgraph=True, backend="eager")
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 3.0))


@pytest.mark.compiled
def test_uncompiled():
    """The compiler's graph ends before the function, which sees that nobody compiles it."""
    compiled = torch.compile(lambda x: look(x + 1) + 1, backend="eager")
    seen = []

    @uncompiled
    def look(x: Tensor) -> Tensor:
        seen.append(torch.compiler.is_compiling())
        return 2 * x

    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 5.0))
    assert seen == [False]


@pytest.mark.compiled
def test_is_known_true_and_has_known_value():
    """Asked of a size that a compiler keeps open they answer, and its graph is still one for all."""

    def ask(x: Tensor) -> tuple[Tensor, list[bool]]:
        n = x.shape[0]
        answers = [is_known_true(n >= 2), is_known_true(n > 5), is_known_true(n <= 5), is_known_true(n == n)]
        return x + 1, [*answers, has_known_value(n), has_known_value(x.shape[1])]

    compiled = torch.compile(ask, fullgraph=True, backend="eager")
    for n in (4, 9):
        x = torch.ones(n, 3)
        torch._dynamo.mark_dynamic(x, 0)
        with torch._dynamo.config.patch(error_on_recompile=n > 4):
            assert compiled(x)[1] == [True, False, False, True, False, True]
    assert is_known_true(3 < 4)
    assert not is_known_true(4 < 3)
    assert has_known_value(3)


SCHEMAS = {
    "flash_cpu": "query, key, value, dropout_p, is_causal, attn_mask, scale -> output, logsumexp",
    "flash_cpu_backward": (
        "grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale "
        "-> grad_query, grad_key, grad_value"
    ),
    "flash": (
        "query, key, value, dropout_p, is_causal, return_debug_mask, scale -> output, logsumexp, cum_seq_q, cum_seq_k, "
        "max_q, max_k, rng_state, unused, debug_attn_mask"
    ),
    "efficient": (
        "query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale "
        "-> output, log_sumexp, philox_seed, philox_offset"
    ),
    "cudnn": (
        "query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, return_debug_mask, scale -> output, "
        "logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, philox_seed, philox_offset, debug_attn_mask"
    ),
    "flash_backward": (
        "grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, "
        "philox_seed, philox_offset, scale -> grad_query, grad_key, grad_value"
    ),
    "efficient_backward": (
        "grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, "
        "grad_input_mask, is_causal, scale -> , , , "
    ),
    "cudnn_backward": (
        "grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, "
        "max_q, max_k, dropout_p, is_causal, scale -> , , "
    ),
}


def test_autocast_of_any_device_is_seen():
    assert not is_autocast()
    with torch.autocast("cpu"):
        assert is_autocast()
        with torch.autocast("cpu", enabled=False):
            assert not is_autocast()
    with torch.autocast("cuda" if torch.cuda.is_available() else "cpu", dtype=torch.bfloat16):
        assert is_autocast()


def test_a_version_counts_what_is_written():
    x = torch.zeros(3)
    first = version(x)
    x[1:].add_(1)
    assert version(x) != first
    with torch.inference_mode():
        assert version(torch.zeros(1)) is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="streams are CUDA's")
def test_stream_of_is_the_current_one():
    device = torch.device("cuda", torch.cuda.current_device())
    assert stream_of(device) == torch.cuda.current_stream(device).cuda_stream
    with torch.cuda.stream(torch.cuda.Stream()):
        assert stream_of(device) == torch.cuda.current_stream(device).cuda_stream != 0


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_kernels_take_what_they_took(name: str):
    kernel = getattr(torch_private, name)
    if isinstance(kernel, BuiltinFunctionType):  # the quicker way to call the operator of its name
        kernel = getattr(torch.ops.aten, kernel.__name__).default
    schema = kernel._schema
    arguments, returns = (", ".join(part.name for part in side) for side in (schema.arguments, schema.returns))
    wanted, given = SCHEMAS[name].split(" -> ")
    assert arguments.startswith(wanted)  # a release may add to the end
    assert returns == given


def test_flash_cpu_and_its_way_back():
    q, k, v, grad = (torch.randn(1, 2, 5, 4, dtype=torch.float64, requires_grad=True) for _ in range(4))
    bias = torch.randn(1, 2, 5, 5, dtype=torch.float64)
    logits = 0.5 * q @ k.mT + bias
    expected, lse = torch.softmax(logits, -1) @ v, logits.logsumexp(-1)
    out, found = flash_cpu(q, k, v, 0.0, False, attn_mask=bias, scale=0.5)
    torch.testing.assert_close(out, expected)
    torch.testing.assert_close(found, lse)
    plain = [x.detach() for x in (grad, q, k, v, out, found)]
    ours = flash_cpu_backward(*plain, 0.0, False, attn_mask=bias, scale=0.5)
    for one, other in zip(ours, torch.autograd.grad(expected, (q, k, v), grad.detach()), strict=True):
        torch.testing.assert_close(one, other)


def test_onednn_linear():
    x, weight, bias = torch.randn(2, 3, 8), torch.randn(5, 8), torch.randn(5)
    for own, given in ((weight, bias), (weight, None), (weight.T.contiguous().T, bias)):
        torch.testing.assert_close(onednn_linear(x, own, given), nn.functional.linear(x, own, given))
