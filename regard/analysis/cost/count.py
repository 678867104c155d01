"""`cost`: any module, counted while it runs on tensors without contents."""

import dataclasses
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensor
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._pytree import tree_flatten

from regard.algorithms.planning.machines import table
from regard.algorithms.planning.recording import recorded
from regard.analysis.cost import ours
from regard.analysis.cost.calls import Calls
from regard.analysis.cost.fakes import CannotFake, eager_torch, fake_inputs, fake_module, new_mode
from regard.analysis.cost.memory import Allocations
from regard.analysis.cost.report import Memory, ModelCost, ModuleCost, Work
from regard.analysis.cost.tally import Trace
from regard.analysis.cost.trace import Watch

ONE_AT_A_TIME = threading.RLock()


def cost(
    module: nn.Module,
    *inputs: Any,
    backward: bool = True,
    optimizer: str | None = "adamw",
    device: str | None = None,
    real: bool = False,
    **keywords: Any,
) -> ModelCost:
    """Parameters, FLOPs forward and backward, bytes and memory of a module on these inputs, all exact.

    The module runs as it is, in training or evaluation mode, on tensors without contents: no memory, no arithmetic.
    Inputs may be real or on the meta device; contents of integers and booleans say which pairs a mask leaves. `real`
    runs it with contents. The backward pass is that of the output's `loss` where it has one, else of all its floating
    tensors; a floating input gets a gradient where it asks for one. `optimizer`, for the memory of training, is adamw,
    adam, sgd, momentum or None.

    >>> c = cost(nn.Linear(8, 4), torch.empty(2, 8))
    >>> c.parameters, c.forward.flops, c.backward.flops
    (36, 128, 128)
    >>> x = torch.empty(1, 6, 16, device="meta")
    >>> cost(nn.MultiheadAttention(16, 4, batch_first=True), x, x, x).forward.flops  # 8·6·16² + 4·6²·16
    14592
    """
    on_cuda = table(device).kind == "cuda" if device is not None else _is_on_cuda(module)
    watch, memory = Watch(), Allocations(optimizer, on_cuda)
    if real:
        with _as_it_was(module, tree_flatten((inputs, keywords))[0]):
            return _counted(watch, memory, module, inputs, keywords, backward)
    mode = new_mode()
    given, place = module, _place(on_cuda)
    module = fake_module(mode, given, place)
    inputs, keywords = fake_inputs(mode, (inputs, keywords), place)
    with mode, _without_traces(given):
        return _counted(watch, memory, module, inputs, keywords, backward)


@contextmanager
def _as_it_was(module: nn.Module, inputs: list[Any]) -> Iterator[None]:
    """A real run leaves no gradient behind, and buffers as they were."""
    leaves = [x for x in (*module.parameters(), *inputs) if isinstance(x, Tensor) and x.is_leaf]
    grads, buffers = [x.grad for x in leaves], [(x, x.clone()) for x in module.buffers()]
    for x in leaves:
        x.grad = None
    try:
        yield
    finally:
        for x, grad in zip(leaves, grads, strict=True):
            x.grad = grad
        for x, before in buffers:
            x.copy_(before)


@contextmanager
def _without_traces(module: nn.Module) -> Iterator[None]:
    """A hook or a closure may lead from the copy to the module itself: no fake gradient stays on it."""
    try:
        yield
    finally:
        for parameter in module.parameters():
            if isinstance(parameter.grad, FakeTensor):
                parameter.grad = None


def count_made(make: Callable[[], tuple[Any, ...]], optimizer: str | None, device: str, train: bool) -> ModelCost:
    """The cost of what `make` gives: a module, inputs and keywords, built without memory too."""
    watch, memory = Watch(), Allocations(optimizer, table(device).kind == "cuda")
    mode = new_mode()
    try:
        with eager_torch(), mode, watch:
            watch.phase = "building"
            module, inputs, keywords = make()
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise CannotFake(
            f"the model asks for the contents of a tensor while it is built: {error}; count a real run (--real)"
        ) from error
    place = _place(memory.on_cuda)
    module = fake_module(mode, module.train(train), place)
    inputs, keywords = fake_inputs(mode, (inputs, keywords), place)
    with mode:
        return _counted(watch, memory, module, inputs, keywords, backward=True)


def _place(on_cuda: bool) -> str:
    """Where fake tensors lie. A torch without CUDA has no fake CUDA tensors either: the CPU stands in for it."""
    return "cuda" if on_cuda and torch.backends.cuda.is_built() and torch.cuda.is_available() else "cpu"


def _counted(
    watch: Watch, memory: Allocations, module: nn.Module, inputs: Any, keywords: Any, backward: bool
) -> ModelCost:
    watch.memory = memory
    memory.begin(module, (inputs, keywords))
    stands_in = memory.on_cuda and not _is_on_cuda(module)
    if stands_in:
        watch.trace.notes["no CUDA here: the CPU's ways stand in for the GPU's, executed and in memory"] = None
    with watching(watch, module, stands_in):
        run(watch, memory, module, inputs, keywords, backward)
    return summary(module, watch.finish(), memory.report())


@contextmanager
def watching(watch: Watch, module: nn.Module, for_cuda: bool = False) -> Iterator[None]:
    """Every operation is seen, and in which module it is called; torch's hooks see all threads: one count at a time."""
    names = {id(part): _clean(name) for name, part in module.named_modules()}
    own = threading.get_ident()

    def is_foreign(part: nn.Module) -> bool:
        """Another thread's module that has nothing to do with this one; of its own some may be made on the way."""
        return threading.get_ident() != own and id(part) not in names

    def enter(part: nn.Module, _: Any) -> None:
        if not is_foreign(part):
            watch.stack.append(names.get(id(part), watch.stack[-1] if watch.stack else ""))

    def leave(part: nn.Module, *_: Any) -> None:
        if not is_foreign(part):
            watch.stack.pop()

    with ONE_AT_A_TIME:
        handles = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)]
        try:
            with eager_torch(), recorded(ours.calls(watch)) as recorder, Calls(watch, for_cuda), watch:
                watch.parts = recorder.parts
                yield
        finally:
            for handle in handles:
                handle.remove()


def run(
    watch: Watch, memory: Allocations | None, module: nn.Module, inputs: Any, keywords: Any, backward: bool
) -> None:
    """Forward, and backward from what comes out; for the memory also forward without keeping anything, and a step."""
    try:
        if memory is not None:
            watch.phase = "inference"
            try:
                with torch.no_grad():
                    module(*inputs, **keywords)
            except RuntimeError as error:
                if "does not require grad" not in str(error):
                    raise
                watch.trace.notes["it takes gradients in its forward pass: no inference without them"] = None
            memory.inference_done()
        watch.phase = "forward"
        out = module(*inputs, **keywords)
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise CannotFake(
            f"{type(module).__name__} asks for the contents of a tensor, which has none here: {error}; count a real "
            "run (real=True, --real), evaluation mode where training draws lots, or give masks with contents"
        ) from error
    if memory is not None:
        memory.forward_done()  # the peak so far, if no way back follows
    ends = [x for x in roots(out) if x.requires_grad]
    if backward and not ends and any(p.requires_grad for p in module.parameters()):
        watch.trace.notes["no tensor of the output asks for a gradient: nothing is counted on the way back"] = None
    if backward and ends:
        watch.phase = "backward"
        torch.autograd.backward(ends, [torch.ones_like(x) for x in ends])
        del out, ends
        if memory is not None:
            watch.phase = "step"
            memory.step(module)


def _is_on_cuda(module: nn.Module) -> bool:
    return any(p.is_cuda for p in module.parameters())


def roots(out: Any) -> list[Tensor]:
    """The floating tensors of an output, or its loss alone."""
    loss = out.get("loss") if isinstance(out, dict) else getattr(out, "loss", None)
    if isinstance(loss, Tensor) and loss.ndim == 0:
        return [loss]
    if isinstance(out, Tensor):
        return [out] if out.is_floating_point() or out.is_complex() else []
    if isinstance(out, dict):
        parts = list(out.values())
    elif isinstance(out, (list, tuple)):
        parts = list(out)
    elif dataclasses.is_dataclass(out):
        parts = [getattr(out, part.name) for part in dataclasses.fields(out)]
    else:
        return []
    return [x for part in parts for x in roots(part)]


def _clean(name: str) -> str:
    """Without the wrappers of torch.compile."""
    return ".".join([part for part in name.split(".") if part != "_orig_mod"])


def summary(module: nn.Module, trace: Trace, memory: Memory | None) -> ModelCost:
    """Tallies by module, each with all that is inside it."""
    own: dict[str, Own] = {}
    operations: dict[str, dict[str, Work]] = {"forward": {}, "backward": {}}
    for (phase, name, operation), tally in trace.tallies.items():
        if phase not in operations:
            continue
        work = Work(tally.needed, tally.executed, tally.elementwise, tally.bytes)
        found = own.setdefault(name, Own())
        if phase == "forward":
            found.forward = found.forward + work
            found.attention = found.attention + tally.attention
        else:
            found.backward = found.backward + work
        operations[phase][operation] = operations[phase].get(operation, Work()) + work
    parts = []
    for name, part in distinct_modules(module):
        inside = [found for other, found in own.items() if name == "" or f"{other}.".startswith(f"{name}.")]
        distinct = {id(p): p for p in part.parameters()}.values()
        parts.append(
            ModuleCost(
                name,
                type(part).__name__,
                sum(p.numel() for p in distinct),
                sum(p.numel() for p in distinct if p.requires_grad),
                sum((found.forward for found in inside), Work()),
                sum((found.backward for found in inside), Work()),
                sum(found.attention for found in inside),
            )
        )
    whole = parts[0]
    return ModelCost(
        whole.parameters,
        whole.trainable,
        whole.forward,
        whole.backward,
        tuple(parts),
        operations,
        dict(trace.unknown),
        tuple(trace.notes),
        memory,
    )


NO_WORK = Work()


@dataclasses.dataclass
class Own:
    """What was done in one module, beside its parts."""

    forward: Work = NO_WORK
    backward: Work = NO_WORK
    attention: Any = 0


def distinct_modules(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Every part once, without the wrappers of torch.compile."""
    seen = set()
    for name, part in module.named_modules():
        if (clean := _clean(name)) not in seen:
            seen.add(clean)
            yield clean, part
