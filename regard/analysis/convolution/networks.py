"""Whole networks: every convolution into attention and back, and for chains of known layers the error end to end."""

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis.convolution.certificate import Certificate, NetworkCertificate, Stage
from regard.analysis.convolution.conversion import Conv, attention_from_conv, check_aim, conv_from_attention, round_up
from regard.attention import Weighting
from regard.layers.convolutional import AttentionConv

Conversion = Callable[[Any], tuple[nn.Module, Certificate]]

# The largest slope; each also maps 0 to 0 with |f(x)| ≤ |x|, and is right to a few roundings.
SLOPES: dict[type[nn.Module], float] = {
    nn.ReLU: 1,
    nn.ReLU6: 1,
    nn.Identity: 1,
    nn.Tanh: 1,
    nn.GELU: 1.1291,
    nn.SiLU: 1.0999,
}
DROPOUTS = (nn.Dropout, nn.Dropout1d, nn.Dropout2d)
PADS = (nn.ZeroPad1d, nn.ZeroPad2d, nn.ReplicationPad1d, nn.ReplicationPad2d)
ADAPTIVE_MEANS = (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d)
ADAPTIVE_MAXIMA = (nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d)


def attention_from_network(
    network: nn.Module,
    *,
    sharpness: float | None = None,
    error: float | None = None,
    norm: float | None = None,
    weighting: Weighting | None = None,
    example: Tensor | None = None,
    sign: str = "key − query",
) -> tuple[nn.Module, NetworkCertificate]:
    """A copy of the network with attention in the place of every `nn.Conv1d` and `nn.Conv2d`, and its certificate.

    `error` is that of the network's output, for input pixels of at most this `norm`; it needs a chain of known layers,
    and has the same sharpness everywhere. `example` is an input, for layers whose bound depends on the image's size.

    >>> network = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 3, stride=2)).double()
    >>> converted, certificate = attention_from_network(network, error=1e-6, norm=3.0)
    >>> list(certificate), certificate.bound() <= 1e-6
    (['0', '2'], True)
    """
    options: dict[str, Any] = {"weighting": weighting, "sign": sign}
    if error is not None:
        check_aim(sharpness, error, norm)
        _, draft = _convert(network, Conv, lambda conv: attention_from_conv(conv, **options), norm, example)
        widest = max([certificate.dtype for certificate in draft.values()], key=lambda dtype: torch.finfo(dtype).eps)
        sharpness = round_up(draft.sharpness_for(error, norm), widest)
    options["sharpness"] = sharpness
    return _convert(network, Conv, lambda conv: attention_from_conv(conv, **options), norm, example)


def network_from_attention(
    network: nn.Module, *, norm: float | None = None, example: Tensor | None = None
) -> tuple[nn.Module, NetworkCertificate]:
    """A copy of the network with a convolution in the place of every `AttentionConv`, and its certificate."""
    return _convert(network, AttentionConv, conv_from_attention, norm, example)


def _convert(
    network: nn.Module, kind: Any, convert: Conversion, norm: float | None, example: Tensor | None
) -> tuple[nn.Module, NetworkCertificate]:
    copied = copy.deepcopy(network)
    found = [
        (name, module) for name, module in copied.named_modules(remove_duplicate=False) if isinstance(module, kind)
    ]
    if not found:
        raise ValueError(f"network must have a layer to convert: got {type(network).__name__} without any")
    converted: dict[nn.Module, tuple[nn.Module, Certificate]] = {}  # a module in two places stays one
    for name, module in found:
        if module not in converted:
            try:
                converted[module] = convert(module)
            except ValueError as error:
                raise ValueError(f"layer {name!r}: {error}") from error
    reason, stages = None, ()
    try:
        own = {module: certificate for module, (_, certificate) in converted.items()}
        stages = _stages(_chain(copied), own, example)
    except _UnknownError as unknown:
        reason = str(unknown)
    for name, module in found:
        parent, _, child = name.rpartition(".")
        if name:
            setattr(copied.get_submodule(parent), child, converted[module][0])
        else:
            copied = converted[module][0]
    return copied, NetworkCertificate({name: converted[module][1] for name, module in found}, stages, reason, norm)


class _UnknownError(Exception):
    """Why the error of a network cannot be bounded."""


def _chain(network: nn.Module, name: str = "") -> list[tuple[str, nn.Module]]:
    """The layers in their order, sequences inside sequences laid flat."""
    if type(network) is not nn.Sequential:
        return [(name, network)]
    parts = [_chain(child, f"{name}.{key}".lstrip(".")) for key, child in network._modules.items() if child is not None]
    return [layer for part in parts for layer in part]


def _stages(
    chain: list[tuple[str, nn.Module]], certificates: dict[nn.Module, Certificate], example: Tensor | None
) -> tuple[Stage, ...]:
    eps = max([certificate.eps for certificate in certificates.values()])
    stages, flat, x = [], False, example
    for name, module in chain:
        certificate = certificates.get(module)
        if certificate is not None:
            if certificate.scope != "everywhere":
                raise _UnknownError(f"the certificate of {name!r} holds {certificate.scope} alone")
            lipschitz = certificate.lipschitz
            stages.append(Stage(name, lipschitz, lipschitz, certificate.bias, certificate=certificate))
        else:
            stages.append(_stage(name, module, x, flat, eps))
        flat = flat or type(module) is nn.Flatten
        if x is not None:
            with torch.no_grad():
                x = module(x)
    return tuple(stages)


def _stage(name: str, module: nn.Module, x: Tensor | None, flat: bool, eps: float) -> Stage:
    """How much one layer may stretch a difference and a norm; `x` is what comes in, where it is known."""
    kind = type(module)
    if kind in SLOPES:
        exact = kind in (nn.ReLU, nn.ReLU6, nn.Identity)
        return Stage(name, SLOPES[kind], 1, rounding=0 if exact else 16 * eps)
    if isinstance(module, nn.LeakyReLU):
        steepest = max(1.0, abs(module.negative_slope))
        return Stage(name, steepest, steepest, rounding=2 * eps)
    if kind in PADS or (kind in DROPOUTS and not module.training):
        return Stage(name, 1, 1)
    if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d) and not module.training:
        return _batch_norm(name, module, eps)
    if isinstance(module, nn.Linear) and flat:
        weight = module.weight.detach().double()
        norm = float(torch.linalg.matrix_norm(weight, 2))
        bias = 0.0 if module.bias is None else float(module.bias.detach().double().norm())
        rounding = 2 * (module.in_features + 2) * eps * float(weight.norm()) / max(norm, 1e-300)
        return Stage(name, norm, norm, bias, rounding)
    if isinstance(module, nn.AvgPool1d | nn.AvgPool2d):
        window = _window(module)
        divisor = getattr(module, "divisor_override", None) or window
        return Stage(name, window / abs(divisor), window / abs(divisor), rounding=2 * (window + 2) * eps)
    if isinstance(module, nn.MaxPool1d | nn.MaxPool2d) and not module.return_indices:
        # Channels may take their maxima from different pixels.
        stretch = math.sqrt(_window(module) if x is None else min(_window(module), x.shape[1]))
        return Stage(name, stretch, stretch)
    if (
        kind in ADAPTIVE_MEANS
        or kind in ADAPTIVE_MAXIMA
        or (kind is nn.Flatten and (module.start_dim, module.end_dim) == (1, -1))
    ):
        if x is None:
            raise _UnknownError(f"{kind.__name__} {name!r} depends on the image's size: give an example")
        pixels = x[0, 0].numel() if x.ndim > 2 else 1
        if kind in ADAPTIVE_MEANS:
            return Stage(name, 1, 1, rounding=2 * (pixels + 2) * eps)
        stretch = math.sqrt(pixels if kind is nn.Flatten else min(pixels, x.shape[1]))
        return Stage(name, stretch, stretch)
    batch = isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d)
    state = " in training" if kind in DROPOUTS or batch else ""
    raise _UnknownError(f"{kind.__name__} {name!r}{state} has no bound of ours")


def _batch_norm(name: str, module: nn.BatchNorm1d | nn.BatchNorm2d, eps: float) -> Stage:
    if module.running_mean is None or module.running_var is None:
        raise _UnknownError(f"{type(module).__name__} {name!r} without running statistics depends on the batch")
    mean, variance = module.running_mean.double(), module.running_var.double()
    gain = (variance + module.eps).rsqrt()
    shift = torch.zeros_like(gain)
    if module.affine:
        gain, shift = gain * module.weight.detach().double(), module.bias.detach().double().abs()
    steepest = float(gain.abs().max())
    return Stage(name, steepest, steepest, float((shift + (mean * gain).abs()).norm()), 16 * eps)


def _window(module: Any) -> int:
    size = module.kernel_size
    if not isinstance(size, int):
        return math.prod(size)
    return size**2 if type(module).__name__.endswith("2d") else size
