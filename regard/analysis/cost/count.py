"""`cost`: any module, counted while it runs on tensors without contents."""

import copy
import dataclasses
import logging
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.nn.attention import flex_attention
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._pytree import tree_flatten, tree_map_only

from regard.algorithms.planning.machines import Machine, table, table_of
from regard.algorithms.planning.recording import recorded
from regard.analysis.cost.functions import WholeFunctions
from regard.analysis.cost.ledger import Entered, Ledger
from regard.analysis.cost.masks import HIDES, Role, known, remember, set_role
from regard.analysis.cost.memory import Allocations
from regard.analysis.cost.report import Memory, ModelCost, ModuleCost, NextToken, Work
from regard.analysis.cost.watch import Watch, attend_recorder
from regard.analysis.prediction.prediction import Spent, predict

ONE_AT_A_TIME = threading.RLock()
MAX_KNOWN = 1 << 28  # elements of an integer or boolean tensor whose contents are kept


class CannotFake(ValueError):  # noqa: N818 - named by what is the matter
    """A model that cannot run without contents."""


def cost(
    module: nn.Module,
    *inputs: Any,
    backward: bool = True,
    optimizer: str | None = "adamw",
    device: str | Machine | None = None,
    compiled: bool = False,
    real: bool = False,
    **keywords: Any,
) -> ModelCost:
    """Parameters, FLOPs forward and backward, bytes and memory of a module on these inputs, all exact, and the time.

    The module runs as it is, in training or evaluation mode, on tensors without contents: no memory, no arithmetic.
    Inputs may be real or on the meta device; contents of integers and booleans say which pairs a mask leaves. `real`
    runs it with contents. The backward pass is that of the output's `loss` where it has one, else of all its floating
    tensors; a floating input gets a gradient where it asks for one. `optimizer`, for the step and its memory, is adamw,
    adam, sgd, momentum or None. The time is predicted for `device`, a machine's table, its name or its file, by default
    where the module is, run eagerly or `compiled`.

    >>> c = cost(nn.Linear(8, 4), torch.empty(2, 8))
    >>> c.parameters, c.forward.flops, c.backward.flops
    (36, 128, 128)
    >>> x = torch.empty(1, 6, 16, device="meta")
    >>> cost(nn.MultiheadAttention(16, 4, batch_first=True), x, x, x).forward.flops  # 8·6·16² + 4·6²·16
    14592
    """
    machine = table_of(_device_of(module)) if device is None else table(device) if isinstance(device, str) else device
    given = (module, inputs, keywords)
    if real:
        with _restoring(module, tree_flatten((inputs, keywords))[0]):
            return _count(Watch(), None, given, machine, optimizer, backward, compiled)
    try:
        return _count(Watch(), new_mode(), given, machine, optimizer, backward, compiled)
    finally:  # a hook or a closure may lead from the copy to the module itself: no fake gradient stays on it
        for parameter in module.parameters():
            if isinstance(parameter.grad, FakeTensor):
                parameter.grad = None


def count_made(
    make: Callable[[], tuple[Any, ...]], optimizer: str | None, device: str, train: bool, compiled: bool = False
) -> ModelCost:
    """The cost of what `make` gives: a module, inputs and keywords, built without memory too."""
    watch, mode = Watch(), new_mode()
    made = build(watch, mode, make)
    made[0].train(train)
    return _count(watch, mode, made, table(device), optimizer, True, compiled)


def count_next_token(
    module: nn.Module, cached: int, batch: int, step: Callable[[nn.Module], tuple[Callable[[], Any], int]], device: str
) -> NextToken:
    """The cost of one more token behind `cached` ones.

    `step` fills the module's caches and gives the call that reads one token, and the bytes that the caches hold.
    """
    watch, mode = Watch(), new_mode()
    module = fake_module(mode, module)
    with mode, torch.no_grad(), watching(watch, module):
        watch.phase = "filling"
        call, cache = step(module)
        watch.phase, watch.ledger = "forward", Ledger(table(device))
        call()
    cost = _predict(summarise(module, watch, None), watch.ledger, (batch, "tokens"))
    parameters = sum(p.numel() * p.element_size() for p in module.parameters())
    met = watch.experts.count_active(module, batch, in_bytes=True)
    ceilings = table(device)
    dtype = next((p.dtype for p in module.parameters()), torch.float32)
    seconds = max(cost.forward.flops / ceilings.rate(dtype), (cache + met) / ceilings.bandwidth)
    return NextToken(cached, batch, cost, cache, parameters, met, ceilings.name, ceilings.basis, seconds)


def _device_of(module: nn.Module) -> torch.device:
    found = [p.device for p in module.parameters()]
    return next((device for device in found if device.type == "cuda"), found[0] if found else torch.device("cpu"))


def _fake_device(on_cuda: bool) -> str:
    """Where fake tensors lie. A torch without CUDA has no fake CUDA tensors either: the CPU stands in for it."""
    return "cuda" if on_cuda and torch.backends.cuda.is_built() and torch.cuda.is_available() else "cpu"


@contextmanager
def _restoring(module: nn.Module, inputs: list[Any]) -> Iterator[None]:
    """Leave no gradient behind after a real run, and buffers as they were."""
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


def new_mode() -> FakeTensorMode:
    """The mode of fake tensors; it admits real ones that a module keeps beside its parameters."""
    return FakeTensorMode(allow_non_fake_inputs=True)


def fake_module(mode: FakeTensorMode, module: nn.Module, device: str | None = None) -> nn.Module:
    """Copy a module onto fake tensors: what was tied stays tied, and the module itself is not touched.

    >>> layer = nn.Linear(1 << 10, 1 << 10)
    >>> type(fake_module(new_mode(), layer).weight.data).__name__
    'FakeTensor'
    """
    attributes = tree_flatten([list(vars(part).values()) for part in module.modules()])[0]
    tensors = {id(x): x for x in (*module.parameters(), *module.buffers(), *attributes) if isinstance(x, Tensor)}
    if tensors and all(_is_ready(mode, x, device) for x in tensors.values()):
        return module
    memo: dict[int, Any] = {key: _fake(mode, x, device, is_kept=True) for key, x in tensors.items()}
    try:
        return copy.deepcopy(module, memo)
    except (TypeError, RuntimeError, NotImplementedError) as error:
        raise CannotFake(
            f"{type(module).__name__} must be copied to be counted without memory: got {type(error).__name__}: "
            f"{error}; count a real run (real=True), or hold what cannot be copied outside of the module"
        ) from error


def fake_inputs(mode: FakeTensorMode, inputs: Any, device: str | None = None) -> Any:
    """Inputs, however nested, without contents."""
    return tree_map_only(Tensor, lambda x: _fake(mode, x, device), inputs)


def _fake(mode: FakeTensorMode, x: Tensor, device: str | None, is_kept: bool = False) -> Tensor:
    """The same tensor without contents; those of integers, booleans and masks are remembered.

    `is_kept` says that a module holds it.
    """
    if _is_ready(mode, x, device):
        return x
    with mode:
        own = "cpu" if x.device.type == "meta" else x.device
        result = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=device or own)
    value = known(x)
    if value is not None and x.numel() <= MAX_KNOWN and _may_mask(value, is_kept):
        remember(result, value.detach().clone().cpu())
    elif value is not None and x.is_floating_point() and not isinstance(x, nn.Parameter):
        set_role(result, Role("bias"))  # finite numbers: added to logits they hide nothing
    if isinstance(x, nn.Parameter):
        with mode:
            return nn.Parameter(result, x.requires_grad)
    return result.requires_grad_(x.requires_grad) if x.is_floating_point() or x.is_complex() else result


def _is_ready(mode: FakeTensorMode, x: Tensor, device: str | None) -> bool:
    is_fake = isinstance(x, FakeTensor) and x.fake_mode is mode and x.device.type != "meta"
    return is_fake and device in (None, x.device.type)


def _may_mask(value: Tensor, is_kept: bool) -> bool:
    """Whether contents may decide what attention needs: masks, also those that are added, or kept as zeros and ones."""
    if isinstance(value, nn.Parameter) or value.is_complex():
        return False
    if not value.is_floating_point():
        return True
    values = value.detach()
    return bool((values <= HIDES).any()) or (is_kept and bool(((values == 0) | (values == 1)).all()))


@contextmanager
def eager_torch() -> Iterator[None]:
    """Run what is compiled as it is written, and torch's encoder layers step by step."""
    fast_path, validate = torch.backends.mha.get_fastpath_enabled(), flex_attention._validate_device
    logger = logging.getLogger("torch._subclasses.fake_tensor")  # prints errors that it raises, too
    level = logger.level
    torch.backends.mha.set_fastpath_enabled(False)
    logger.setLevel(logging.CRITICAL)
    # FlexAttention refuses gradients on the CPU before it computes anything; here nothing is computed.
    flex_attention._validate_device = lambda *tensors: None
    try:
        with torch.compiler.set_stance("force_eager"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
            warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor")
            warnings.filterwarnings("ignore", "Using .torch.compile.module.. when there are global hooks")
            warnings.filterwarnings("ignore", "None of the inputs have requires_grad=True")  # a pass that keeps nothing
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast_path)
        logger.setLevel(level)
        flex_attention._validate_device = validate


def build(watch: Watch, mode: FakeTensorMode, make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """What `make` gives, without memory; masks that a model prepares are known."""
    watch.phase = "building"
    try:
        with eager_torch(), mode, watch:
            return make()
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise CannotFake(
            f"the model asks for the contents of a tensor while it is built: {error}; count a real run (real=True)"
        ) from error


def _count(
    watch: Watch,
    mode: FakeTensorMode | None,
    given: tuple[Any, ...],
    machine: Machine,
    optimizer: str | None,
    backward: bool,
    compiled: bool,
) -> ModelCost:
    """Run a module on its inputs and keywords, where there is a mode without contents."""
    module, inputs, keywords = given
    memory, watch.ledger = Allocations(optimizer, machine.kind == "cuda"), Ledger(machine)
    if mode is not None:
        device = _fake_device(memory.on_cuda)
        module = fake_module(mode, module, device)
        inputs, keywords = fake_inputs(mode, (inputs, keywords), device)
    with mode or nullcontext():
        watch.memory = memory
        memory.begin(module, (inputs, keywords))
        stands_in = memory.on_cuda and _device_of(module).type != "cuda"
        if stands_in:
            watch.trace.notes["no CUDA here: the CPU's kernels stand in for the GPU's, executed and in memory"] = None
        with watching(watch, module, machine if stands_in else None):
            run(watch, module, inputs, keywords, backward)
        counted = summarise(module, watch, Memory(**memory.bytes))
        return _predict(counted, watch.ledger, count_inputs((inputs, keywords)), compiled)


def _predict(found: ModelCost, ledger: Ledger, inputs: tuple[int, str], compiled: bool = False) -> ModelCost:
    """What was counted, with the time of all and of every module."""
    flops = float(found.forward.flops) + float(found.backward.flops)
    time = predict(ledger.operations, ledger.machine, flops=flops, inputs=inputs, compiled=compiled)
    modules = []
    for module in found.modules:
        inside = [spent for name, spent in time.modules.items() if _holds(module.name, name)]
        modules.append(dataclasses.replace(module, time=sum(inside, Spent())))
    return dataclasses.replace(found, time=time, modules=tuple(modules))


def _holds(outer: str, inner: str) -> bool:
    """Whether the module of one name is, or has inside it, that of the other."""
    return outer == "" or f"{inner}.".startswith(f"{outer}.")


def count_inputs(inputs: Any) -> tuple[int, str]:
    """How many tokens, images or rows a call takes, by its first tensor.

    >>> count_inputs(torch.zeros(2, 128, dtype=torch.long)), count_inputs(torch.zeros(2, 128, 8))
    ((256, 'tokens'), (256, 'tokens'))
    >>> count_inputs(torch.zeros(2, 3, 32, 32)), count_inputs(torch.zeros(2, 8))
    ((2, 'images'), (2, 'rows'))
    """
    first = next((x for x in tree_flatten(inputs)[0] if isinstance(x, Tensor)), None)
    if first is None or not first.ndim:
        return 1, "rows"
    if not first.is_floating_point():
        return first.numel(), "tokens"
    if first.ndim == 3:
        return first.shape[0] * first.shape[1], "tokens"
    return first.shape[0], "images" if first.ndim > 3 else "rows"


@contextmanager
def watching(watch: Watch, module: nn.Module, machine: Machine | None = None) -> Iterator[None]:
    """See every operation, and in which module it is called; torch's hooks see all threads: one count at a time.

    The CPU may stand in for a GPU, the `machine`.
    """
    names = {id(part): _clean(name) for name, part in module.named_modules()}
    watch.experts.modules = dict(distinct_modules(module))
    own = threading.get_ident()

    def is_foreign(part: nn.Module) -> bool:
        """Whether another thread calls a module that has nothing to do with this one."""
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
            recording, whole = recorded(attend_recorder(watch), machine), WholeFunctions(watch, machine is not None)
            with eager_torch(), recording as recorder, whole, watch:
                watch.parts = recorder.parts
                yield
        finally:
            for handle in handles:
                handle.remove()


def run(watch: Watch, module: nn.Module, inputs: Any, keywords: Any, backward: bool) -> None:
    """Run forward, and backward from what comes out; for the memory also forward without gradients, and a step."""
    memory = watch.memory
    try:
        if memory is not None:
            watch.phase = "inference"
            try:
                with torch.no_grad():
                    module(*inputs, **keywords)
            except RuntimeError as error:
                if "does not require grad" not in str(error):
                    raise
                watch.trace.notes["the forward pass takes gradients: inference without them cannot be measured"] = None
            memory.end_inference()
        watch.phase = "forward"
        out = module(*inputs, **keywords)
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise CannotFake(
            f"{type(module).__name__} asks for the contents of a tensor, which has none here: {error}; count a real "
            "run (real=True), evaluation mode if training draws random numbers, or give masks with contents"
        ) from error
    if memory is not None:
        memory.end_forward()  # the peak so far, if no backward pass follows
    ends = [x for x in float_outputs(out) if x.requires_grad]
    if backward and not ends and any(p.requires_grad for p in module.parameters()):
        watch.trace.notes["no tensor of the output asks for a gradient: no backward pass is counted"] = None
    if backward and ends:
        watch.phase = "backward"
        torch.autograd.backward(ends, [torch.ones_like(x) for x in ends])
        del out, ends
        if memory is not None:
            watch.phase = "first step"
            optimizer = memory.run_step(module)
            if watch.ledger is not None:
                watch.memory = None  # it is known by now
                if optimizer is not None:
                    watch.phase = "step"
                    optimizer.step()
                elif memory.optimizer is not None:
                    step_one_by_one(watch, watch.ledger, memory, module)


def step_one_by_one(watch: Watch, ledger: Ledger, memory: Allocations, module: nn.Module) -> None:
    """A later step of an optimizer that goes from parameter to parameter, run once for those of one shape."""
    ran: dict[Any, tuple[list[int], Entered]] = {}
    for parameter in module.parameters():
        given = [x for x in (parameter, parameter.grad) if isinstance(x, FakeTensor)]
        if len(given) < 2:
            continue
        kind, numbers = tuple([(x.shape, x.stride(), x.dtype) for x in given]), [ledger.number(x) for x in given]
        if kind in ran:
            known, entered = ran[kind]
            ledger.repeat(entered, dict(zip(known, numbers, strict=True)))
            continue
        optimizer = memory.make_optimizer([parameter])
        watch.phase = "first step"
        optimizer.step()
        watch.phase = "step"
        start, waited = len(ledger.operations), ledger.waiting
        optimizer.step()
        ran[kind] = numbers, Entered(ledger.operations[start:], waited, ledger.waiting)


def float_outputs(out: Any) -> list[Tensor]:
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
    return [x for part in parts for x in float_outputs(part)]


def summarise(module: nn.Module, watch: Watch, memory: Memory | None) -> ModelCost:
    """The work of every module, with all that is inside it."""
    trace = watch.finish()
    own: dict[str, dict[str, Work]] = {"forward": {}, "backward": {}}  # by module
    operations: dict[str, dict[str, Work]] = {"forward": {}, "backward": {}}
    for (phase, name, operation), work in trace.works.items():
        for sums, key in ((own[phase], name), (operations[phase], operation)) if phase in own else ():
            sums[key] = sums.get(key, Work()) + work
    parts = []
    for name, part in distinct_modules(module):
        forward, backward = (
            sum([work for other, work in own[phase].items() if _holds(name, other)], Work()) for phase in own
        )
        parts.append(
            ModuleCost(
                name,
                type(part).__name__,
                sum(p.numel() for p in part.parameters()),
                sum(p.numel() for p in part.parameters() if p.requires_grad),
                watch.experts.count_active(part),
                forward,
                backward,
                sum([flops for other, flops in trace.attention.items() if _holds(name, other)]),
            )
        )
    whole = parts[0]
    return ModelCost(
        parameters=whole.parameters,
        trainable=whole.trainable,
        active=whole.active,
        forward=whole.forward,
        backward=whole.backward,
        modules=tuple(parts),
        operations=operations,
        unknown=dict(trace.unknown),
        notes=tuple(trace.notes),
        memory=memory,
    )


def distinct_modules(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Every part once, without the wrappers of torch.compile."""
    seen = set()
    for name, part in module.named_modules():
        if (clean := _clean(name)) not in seen:
            seen.add(clean)
            yield clean, part


def _clean(name: str) -> str:
    """The name without the wrappers of torch.compile."""
    return ".".join([part for part in name.split(".") if part != "_orig_mod"])
