"""A module and its inputs without contents: same sizes, types and ties, no memory."""

import copy
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_flatten, tree_map_only

from regard.analysis.cost.known import known, remember
from regard.analysis.cost.masks import Role, give, lowest

MOST_KNOWN = 1 << 28  # elements of an integer or boolean tensor whose contents are kept


class CannotFake(ValueError):  # noqa: N818 - named by what is the matter
    """A model that cannot run without contents."""


def new_mode() -> FakeTensorMode:
    """Tensors without contents; real ones that a module keeps beside its parameters are let in."""
    return FakeTensorMode(allow_non_fake_inputs=True)


def fake(mode: FakeTensorMode, x: Tensor, on: str | None = None, is_kept: bool = False) -> Tensor:
    """The same tensor without contents, perhaps `on` another device.

    The contents of integers, booleans and masks are remembered; `is_kept`: it is a part of a module.
    """
    if _is_ready(mode, x) and on in (None, x.device.type):
        return x
    device = on or ("cpu" if x.device.type == "meta" else x.device)
    with mode:
        result = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=device)
    value = known(x)
    if value is not None and x.numel() <= MOST_KNOWN and _tells(value, is_kept):
        remember(result, value.detach().clone().cpu())
    elif value is not None and x.is_floating_point() and not isinstance(x, nn.Parameter):
        give(result, Role("bias"))  # finite numbers: added to logits they hide nothing
    if isinstance(x, nn.Parameter):
        with mode:
            return nn.Parameter(result, x.requires_grad)
    return result.requires_grad_(x.requires_grad) if x.is_floating_point() or x.is_complex() else result


def _tells(value: Tensor, is_kept: bool) -> bool:
    """Whether contents may decide what attention needs: masks, also such that are added, or kept as zeros and ones."""
    if isinstance(value, nn.Parameter) or value.is_complex():
        return False
    if not value.is_floating_point():
        return True
    values = value.detach()
    return bool((values <= lowest(value.dtype)).any()) or (is_kept and bool(((values == 0) | (values == 1)).all()))


def _is_ready(mode: FakeTensorMode, x: Tensor) -> bool:
    return isinstance(x, FakeTensor) and x.fake_mode is mode and x.device.type != "meta"


def fake_module(mode: FakeTensorMode, module: nn.Module, on: str | None = None) -> nn.Module:
    """A copy on fake tensors, perhaps `on` another device: what was tied stays tied, the module itself is not touched.

    >>> layer = nn.Linear(1 << 10, 1 << 10)
    >>> type(fake_module(new_mode(), layer).weight.data).__name__
    'FakeTensor'
    """
    beside = tree_flatten([list(vars(part).values()) for part in module.modules()])[0]
    tensors = {id(x): x for x in (*module.parameters(), *module.buffers(), *beside) if isinstance(x, Tensor)}
    if tensors and all(_is_ready(mode, x) and on in (None, x.device.type) for x in tensors.values()):
        return module
    memo: dict[int, Any] = {key: fake(mode, x, on, is_kept=True) for key, x in tensors.items()}
    try:
        return copy.deepcopy(module, memo)
    except (TypeError, RuntimeError, NotImplementedError) as error:
        raise CannotFake(
            f"{type(module).__name__} must be copied to be counted without memory: got {type(error).__name__}: "
            f"{error}; count a real run (real=True, --real), or hold what cannot be copied outside of the module"
        ) from error


def fake_inputs(mode: FakeTensorMode, inputs: Any, on: str | None = None) -> Any:
    """Inputs, however nested, without contents."""
    return tree_map_only(Tensor, lambda x: fake(mode, x, on), inputs)


@contextmanager
def eager_torch() -> Iterator[None]:
    """What is compiled runs as it is written, and torch's encoder layers too take the steps that they are made of."""
    from torch.nn.attention import flex_attention

    enabled = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    logger = logging.getLogger("torch._subclasses.fake_tensor")  # prints an error that it raises, too
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        # FlexAttention refuses gradients on the CPU before it computes anything; here nothing is computed.
        no_device = patch.object(flex_attention, "_validate_device")
        with torch.compiler.set_stance("force_eager"), no_device, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
            warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor")
            warnings.filterwarnings("ignore", "Using .torch.compile.module.. when there are global hooks")
            warnings.filterwarnings("ignore", "None of the inputs have requires_grad=True")  # a pass that keeps nothing
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(enabled)
        logger.setLevel(level)
