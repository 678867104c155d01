"""Names of torch that it does not promise to keep, written for 2.11 to 2.13; a test in its name asks each."""

from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor
from torch._compile import _disable_dynamo
from torch.autograd import forward_ad
from torch.nn.modules import module as modules
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

DispatchMode = TorchDispatchMode
BatchNorm = torch.nn.modules.batchnorm._BatchNorm  # of any number of dimensions


def is_transformed() -> bool:
    """Whether a transform of `torch.func` is at work."""
    return torch._C._are_functorch_transforms_active()


def transforms_of(x: Tensor) -> tuple[bool, bool]:
    """Whether transforms of `torch.func` differentiate by this tensor, and whether one maps over it."""
    functorch = torch._C._functorch  # pyright: ignore[reportAttributeAccessIssue] - compiled, and not in the stubs
    differentiated = mapped = False
    while functorch.is_functorch_wrapped_tensor(x):
        differentiated = differentiated or (functorch.is_gradtrackingtensor(x) and x.requires_grad)
        mapped = mapped or functorch.is_batchedtensor(x)
        x = functorch.get_unwrapped(x)
    return differentiated, mapped


def is_forward_mode() -> bool:
    """Whether a forward-mode derivative is being taken."""
    return forward_ad._current_level >= 0


def is_dispatched() -> bool:
    """Whether a dispatch mode (fake tensors, a counter) watches the arithmetic."""
    return torch._C._len_torch_dispatch_stack() > 0


def is_overridden() -> bool:
    """Whether a mode stands between calls of torch's functions."""
    return torch._C._is_torch_function_mode_enabled()


def is_fake(x: Tensor) -> bool:
    """Whether a tensor has no contents, as those that a cost is counted on."""
    from torch._subclasses.fake_tensor import FakeTensor

    return isinstance(x, FakeTensor)


def without_modes() -> AbstractContextManager[Any]:
    """Arithmetic that no mode watches."""
    return _disable_current_modes()


def has_global_hooks() -> bool:
    """Whether somebody listens to the calls of all modules, or to their way back."""
    forward = modules._global_forward_hooks or modules._global_forward_pre_hooks
    return bool(forward or modules._global_backward_hooks or modules._global_backward_pre_hooks)


def assert_soon(condition: Tensor, message: str) -> None:
    """Raise on the device, without waiting for it; as for embedding indices, the error comes later."""
    torch.ops.aten._assert_async.msg(condition, message)


def register_tree(kind: type, flatten: Any, unflatten: Any) -> None:
    """Let torch take objects of this kind apart, and put them together again."""
    _pytree._private_register_pytree_node(kind, flatten, unflatten)


def mark_constant(function: Any) -> None:
    """Let a compiler keep the result as a constant: `torch.compiler.assume_constant_result` imports all of it first."""
    setattr(function, "_dynamo_marked_constant", True)  # noqa: B010


def uncompiled(function: Any) -> Any:
    """A function that a compiler leaves alone: `torch.compiler.disable` imports all of the compiler first."""
    return _disable_dynamo(function)


def is_known_true(condition: Any) -> bool:
    """Whether a comparison of a compiler's sizes holds whatever they turn out to be; it asks without a guard."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(condition)


def has_known_value(size: Any) -> bool:
    """Whether a compiler's size is one number; it asks without a guard."""
    from torch.fx.experimental.symbolic_shapes import has_static_value

    return has_static_value(size)


def let_graphs_see(operator: Any, inside: Any) -> None:
    """Let a compiler put what an operator does into its graph, where `inside` does it: its kernels are then launched
    without a way through Python. Where that gives NotImplemented, and in exported programs, the operator stays.
    """
    from torch._subclasses.fake_tensor import FakeTensor
    from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode

    known = (Tensor, torch.nn.Parameter, FakeTensor, FunctionalTensor)

    def decompose(mode: Any, op: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from torch.export._trace import custom_triton_ops_decomposition_disabled

        found = NotImplemented
        if not custom_triton_ops_decomposition_disabled() and all([kind in known for kind in types]):
            with mode:
                found = inside(*args, **kwargs)
        return mode.__torch_dispatch__(op, types, args, kwargs) if found is NotImplemented else found

    operator.register_torch_dispatch(FunctionalTensorMode, decompose)


def is_autocast() -> bool:
    """Whether autocast is on, for any device."""
    return torch._C._is_any_autocast_enabled()


def version(x: Tensor) -> int | None:
    """How often the tensor was written to; None where torch does not count, in inference mode."""
    return None if x.is_inference() else x._version


def stream_of(device: torch.device) -> int:
    """The CUDA stream that work on the device is queued in now: `torch.cuda.current_stream` takes microseconds."""
    index = torch.cuda.current_device() if device.index is None else device.index
    return torch._C._cuda_getCurrentRawStream(index)


def _kernel(name: str) -> Any:
    """The quickest way to call an operator: torch's own function of that name, where a release has one."""
    return getattr(torch, name, None) or getattr(torch.ops.aten, name).default


def onednn_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """X Wᵀ + b on the CPU by oneDNN, where torch has it; it asks for contiguous x, and has no gradient."""
    return torch.ops.mkldnn._linear_pointwise.default(x, weight, bias, "none", [], "")


# The kernels behind `scaled_dot_product_attention`. They check nothing: `regard.algorithms.kernels.sdpa` does.
flash_cpu = _kernel("_scaled_dot_product_flash_attention_for_cpu")
flash_cpu_backward = _kernel("_scaled_dot_product_flash_attention_for_cpu_backward")
flash = _kernel("_scaled_dot_product_flash_attention")
efficient = _kernel("_scaled_dot_product_efficient_attention")
cudnn = _kernel("_scaled_dot_product_cudnn_attention")
flash_backward = _kernel("_scaled_dot_product_flash_attention_backward")
efficient_backward = _kernel("_scaled_dot_product_efficient_attention_backward")
cudnn_backward = _kernel("_scaled_dot_product_cudnn_attention_backward")
