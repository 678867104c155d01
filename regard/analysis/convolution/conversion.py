"""Convolutions into attention and back: layers and whole networks, each with a certificate of the error.

Both sign conventions are offered. Ours is δ = key − query: head h attends to q + f(h), and W^h = W_{f(h)}, the kernel's
entry there. The document's is q − f(h), where W^h = W_{−f(h)}; it prints W_{f(h)}, which is the flipped kernel.
"""

import copy
import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.analysis.convolution.certificate import Certificate, Head, check_norm
from regard.attention import Hard, Weighting
from regard.checks import check_whole
from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from regard.layers.position_heads import PositionHeads
from regard.layers.relative_positions import Gaussian

Conv = nn.Conv1d | nn.Conv2d
SIGNS = ("key − query", "query − key")
MOST_TAPS = 1 << 16


def attention_from_conv(
    conv: Conv,
    *,
    sharpness: float | None = None,
    error: float | None = None,
    norm: float | None = None,
    num_heads: int | None = None,
    weighting: Weighting | None = None,
    sign: str = "key − query",
) -> tuple[AttentionConv, Certificate]:
    """Attention in the place of a convolution, and the bound on what it changes.

    Give the `sharpness`, or the `error` that may be made at inputs whose pixels have at most this `norm`; without
    either, heads are so sharp that they err less than rounding does. `num_heads` keeps the taps of largest norm alone.
    `sign` orders the heads by ours or by the document's convention, which changes no output.

    >>> conv = nn.Conv2d(3, 8, 3, stride=2, padding=1, padding_mode="replicate")
    >>> layer, certificate = attention_from_conv(conv, error=1e-3, norm=5.0)
    >>> x = torch.nn.functional.normalize(torch.randn(1, 3, 9, 9), dim=1) * 5
    >>> bool((layer(x) - conv(x)).norm(dim=1).max() <= 1e-3)
    True
    """
    stencil, taps = _read(conv)
    centre, taps = _order(stencil, taps, sign)
    kept, missing = _strongest(taps, num_heads)
    layer = _build(conv, stencil, centre[kept], taps[kept], weighting)
    options: dict[str, Any] = {"terms": stencil.num_taps * conv.in_channels + 1, "missing": missing, "norm": norm}
    if error is not None:
        check_aim(sharpness, error, norm)
        sharpness = round_up(certify(layer, **options).sharpness_for(error, norm), conv.weight.dtype)
    if sharpness is None:
        sharpness = math.log(8 * stencil.axes / torch.finfo(conv.weight.dtype).eps)
    layer.place_heads(centre[kept], sharpness)
    return layer, certify(layer, **options)


def attention_as_printed(
    conv: Conv, *, sharpness: float | None = None, weighting: Weighting | None = None
) -> AttentionConv:
    """The document's layer as it is printed: heads attend to q − f(h) with W^h = W_{f(h)}, the entry for q + f(h).

    It is the convolution with the flipped kernel, right for symmetric ones alone.
    """
    stencil, taps = _read(conv)
    centre, _ = _order(stencil, taps, SIGNS[1])
    layer = _build(conv, stencil, centre, taps, weighting)
    layer.place_heads(centre, math.log(8 / torch.finfo(conv.weight.dtype).eps) if sharpness is None else sharpness)
    return layer


def check_conv(conv: nn.Module) -> None:
    """Raise unless this computes what a convolution in a line or on a grid computes."""
    name = type(conv).__name__
    if not isinstance(conv, Conv):
        hint = "; a transposed one is a convolution of the image with zeros put in" if "Transpose" in name else ""
        raise ValueError(f"conv must be an nn.Conv1d or nn.Conv2d: got {name}{hint}")
    if isinstance(conv.weight, nn.UninitializedParameter) or not conv.weight.is_floating_point():
        raise ValueError(f"weights must be real numbers: got {name} with none yet, or complex; run a lazy one first")
    base = nn.Conv1d if isinstance(conv, nn.Conv1d) else nn.Conv2d
    own = type(conv).forward is base.forward and type(conv)._conv_forward is base._conv_forward
    if not own or conv._forward_hooks or conv._forward_pre_hooks or conv._backward_hooks:
        raise ValueError(f"conv must compute what {base.__name__} does: got {name} with a forward or hooks of its own")
    if not conv.weight.isfinite().all():
        raise ValueError(f"weights must be finite: got {name} with NaN or infinity; convert a layer that learned")


def _read(conv: Conv) -> tuple[Stencil, Float[Tensor, "taps Ci Co"]]:
    """Where a convolution looks, and its kernel's entries in raster order, groups as blocks of a full matrix."""
    check_conv(conv)
    stencil = Stencil(
        size=tuple(conv.kernel_size),
        stride=tuple(conv.stride),
        padding=conv.padding if isinstance(conv.padding, str) else tuple(conv.padding),
        dilation=tuple(conv.dilation),
        padding_mode=conv.padding_mode,
    )
    weight = conv.weight.detach()
    (out, inside), groups = weight.shape[:2], conv.groups
    full = weight.new_zeros(groups, out // groups, groups, inside, *weight.shape[2:])
    for group, block in enumerate(weight.unflatten(0, (groups, -1))):
        full[group, :, group] = block
    return stencil, full.flatten(2, 3).flatten(0, 1).flatten(2).permute(2, 1, 0)


def _order(stencil: Stencil, taps: Tensor, sign: str) -> tuple[Int[Tensor, "taps P"], Tensor]:
    """Where each head looks, and its weights, heads numbered by the shifts f(h) of the convention."""
    sign = sign.replace("-", "−")
    if sign not in SIGNS:
        raise ValueError(f"sign must be {SIGNS[0]!r} (ours) or {SIGNS[1]!r} (the document's): got {sign!r}")
    offsets = stencil.offsets()
    if sign == SIGNS[0]:
        return offsets, taps
    if not all([size % 2 for size in stencil.size]):
        raise ValueError(
            f"{sign!r} needs a kernel with a centre, odd along each axis: got size={stencil.size}; use {SIGNS[0]!r}"
        )
    return -offsets, taps.flip(0)  # −f(h) is tap −1−h of the raster


def _strongest(taps: Tensor, num_heads: int | None) -> tuple[Tensor, float]:
    """The taps of largest norm, in order, and the sum of the others' norms."""
    if num_heads is None:
        return torch.arange(len(taps), device="cpu"), 0.0
    if not 1 <= num_heads <= len(taps):
        raise ValueError(
            f"num_heads must be from 1 to the kernel's {len(taps)} taps: got num_heads={num_heads}; leave it out"
        )
    norms = torch.linalg.matrix_norm(taps.double(), 2).cpu()
    best = norms.argsort(descending=True, stable=True)
    return best[:num_heads].sort().values, float(norms[best[num_heads:]].sum())


def _build(conv: Conv, stencil: Stencil, centre: Tensor, taps: Tensor, weighting: Weighting | None) -> AttentionConv:
    bias, weight = conv.bias, conv.weight
    options: dict[str, Any] = {"num_heads": len(centre), "bias": bias is not None, "weighting": weighting}
    layer = AttentionConv(
        conv.in_channels, conv.out_channels, stencil, **options, device=weight.device, dtype=weight.dtype
    )
    layer.place_heads(centre, layer.sharpness)
    with torch.no_grad():
        layer.heads.value.weight.copy_(taps.flatten(0, 1).T)
        if bias is not None:
            assert layer.heads.value.bias is not None
            layer.heads.value.bias.copy_(bias)
            layer.heads.value.bias.requires_grad_(bias.requires_grad)
    layer.heads.value.weight.requires_grad_(weight.requires_grad)
    return layer.train(conv.training)


def check_aim(sharpness: float | None, error: float, norm: float | None) -> None:
    """Raise unless an error is asked for at a norm, and no sharpness beside it."""
    if sharpness is not None or norm is None:
        raise ValueError(
            f"give a sharpness, or an error with its norm: got sharpness={sharpness}, error={error}, norm={norm}"
        )


def round_up(sharpness: float, dtype: torch.dtype) -> float:
    """So much more that the logarithm, stored in the type, gives no less."""
    return sharpness * (1 + 8 * torch.finfo(dtype).eps * (1 + abs(math.log(sharpness))))


def conv_from_attention(layer: AttentionConv | PositionHeads, *, norm: float | None = None) -> tuple[Conv, Certificate]:
    """The convolution that a layer of gaussian heads is nearest to, and the bound on what it changes.

    Each head becomes a tap at the whole offset nearest to its centre; heads of one tap add up. The kernel is the
    layer's own where that holds all taps, else the smallest odd one of a common dilation. `PositionHeads` see no pads,
    so theirs is a convolution with replicate padding, of the same tokens as an image.

    >>> layer = AttentionConv(3, 8, Stencil(size=(3, 3), padding="same"))
    >>> conv, certificate = conv_from_attention(layer)
    >>> conv
    Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=same)
    """
    targets = _targets(_gaussian_of(layer))
    stencil = _covering(_own_stencil(layer), targets)
    heads = _heads_of(layer)
    taps, bias, _ = _merged(heads)
    H, C, out = taps.shape
    kind: Any = nn.Conv1d if stencil.axes == 1 else nn.Conv2d
    options = {"padding_mode": stencil.padding_mode, "bias": bias is not None}
    options |= {"device": heads.value.weight.device, "dtype": heads.value.weight.dtype}
    conv: Conv = kind(C, out, stencil.size, stencil.stride, stencil.padding, stencil.dilation, **options)
    first = torch.tensor([before for before, _ in stencil.reach], device="cpu")
    entry = (targets + first) // torch.tensor(stencil.dilations, device="cpu")
    raster = entry[:, 0] if stencil.axes == 1 else entry[:, 0] * stencil.size[1] + entry[:, 1]
    kernel = taps.new_zeros(stencil.num_taps, C, out).index_add(0, raster.to(taps.device), taps)
    with torch.no_grad():
        conv.weight.copy_(kernel.permute(2, 1, 0).unflatten(2, stencil.size))
        if conv.bias is not None and bias is not None:
            conv.bias.copy_(bias)
    conv.train(layer.training).requires_grad_(heads.value.weight.requires_grad)
    return conv, certify(layer, terms=max(stencil.num_taps, H) * C + 1, norm=norm)


def certify(
    layer: AttentionConv | PositionHeads, *, terms: int, missing: float = 0.0, norm: float | None = None
) -> Certificate:
    """The bound between a layer of gaussian heads and the convolution with its heads as taps."""
    position, own = _gaussian_of(layer), _own_stencil(layer)
    targets = _targets(position)
    fractions = (position.centre.detach().double().cpu() - targets).tolist()
    precision = position.precision.detach().double().cpu()
    if precision.ndim == 1:
        precision = precision[:, None].expand(-1, position.axes)
    if position.axes == 1:
        precision = precision.flatten(1)  # a matrix of one entry couples nothing
    outside = 0.0  # the squared distance by which a target may leave the keys
    for axis, ((before, after), pads) in enumerate(zip(own.reach, own.pads, strict=True)):
        first, last = pads if own.padding_mode == "replicate" else (0, 0)  # visible pads are keys
        line = targets[:, axis]
        outside += max(0, first - before - int(line.min()), last - after + int(line.max())) ** 2
    taps, _, (size, bias) = _merged(_heads_of(layer))
    norms = torch.linalg.matrix_norm(taps, 2).tolist()
    rows = [tuple([tuple(row) if isinstance(row, list) else row for row in each]) for each in precision.tolist()]
    heads = [
        Head(norm=n, fraction=tuple(f), precision=m, outside=outside)
        for n, f, m in zip(norms, fractions, rows, strict=True)
    ]
    return Certificate(
        tuple(heads),
        size=size + missing * math.sqrt(min(taps.shape[1:])),
        bias=bias,
        terms=terms + taps.shape[2],
        hard=isinstance(_heads_of(layer).weighting, Hard),
        missing=missing,
        dtype=_heads_of(layer).value.weight.dtype,
        scope="inside" if precision.ndim == 3 and outside else "everywhere",
        norm=None if norm is None else check_norm(norm),
    )


def _gaussian_of(layer: nn.Module) -> Gaussian:
    if not isinstance(layer, AttentionConv | PositionHeads) or not isinstance(layer.position, Gaussian):
        raise ValueError(
            "layer must be an AttentionConv, or PositionHeads with Gaussian positions: "
            f"got {type(layer).__name__}; content and tables make no convolution of one pixel per head"
        )
    if not layer.position.centre.isfinite().all():
        raise ValueError("centres must be finite: got NaN or infinity; train with a smaller step")
    return layer.position


def _targets(position: Gaussian) -> Int[Tensor, "H P"]:
    """The whole offsets nearest to the centres, the first of two as `Hard` has it."""
    return (position.centre.detach().double().cpu() - 0.5).ceil().long()


def _own_stencil(layer: AttentionConv | PositionHeads) -> Stencil:
    if isinstance(layer, AttentionConv):
        return layer.stencil
    return Stencil(size=(1,) * _gaussian_of(layer).axes, padding_mode="replicate")


def _heads_of(layer: AttentionConv | PositionHeads) -> PositionHeads:
    return layer.heads if isinstance(layer, AttentionConv) else layer


def _merged(heads: PositionHeads) -> tuple[Tensor, Tensor | None, tuple[float, float]]:
    """W^h (H, Ci, Co) and the bias, both projections in one, in float64; and the sizes that rounding is relative to."""
    weight = heads.value.weight.detach().double()
    bias = None if heads.value.bias is None else heads.value.bias.detach().double()
    sizes = [float(block.norm()) for block in weight.chunk(heads.num_heads, 1)]
    size, shift = sum(sizes), 0.0 if bias is None else float(bias.norm())
    if isinstance(heads.out, nn.Linear):
        out = heads.out.weight.detach().double()
        weight, size, shift = out @ weight, size * float(out.norm()), shift * float(out.norm())
        if bias is not None:
            bias = out @ bias + heads.out.bias.detach().double()
            shift += float(heads.out.bias.detach().double().norm())
    return weight.T.unflatten(0, (heads.num_heads, -1)), bias, (size, shift)


def _covering(own: Stencil, targets: Tensor) -> Stencil:
    """The layer's stencil if its taps hold the targets, else the smallest odd one that does, from the same pixels."""
    reach = torch.tensor(own.reach, device="cpu")
    inside = (targets >= -reach[:, 0]) & (targets <= reach[:, 1])
    if (inside & ((targets + reach[:, 0]) % torch.tensor(own.dilations, device="cpu") == 0)).all():
        return own
    sizes, dilations, paddings, modes = [], [], [], set()
    for axis, ((before, after), (pad, pad_after)) in enumerate(zip(own.reach, own.pads, strict=True)):
        visible = own.padding_mode == "zeros" and bool(pad) != bool(pad_after)
        if pad - before != pad_after - after or visible:
            raise ValueError(
                f"a convolution pads both ends alike: got {own}, whose kernel has no centre, and heads off its taps; "
                "start from an odd kernel"
            )
        line = targets[:, axis].abs()
        dilation = math.gcd(*line.tolist()) or 1
        half = -(-max(int(line.max()), before - pad) // dilation)  # so far that no negative padding is needed
        sizes.append(2 * half + 1)
        dilations.append(dilation)
        paddings.append(dilation * half + pad - before)
        if int(line.max()) > before - pad:  # a target leaves the image
            modes.add("zeros" if pad and own.padding_mode == "zeros" else "replicate")
    if math.prod(sizes) > MOST_TAPS:
        raise ValueError(f"centres must fit a kernel of {MOST_TAPS} taps: got {tuple(sizes)}; prune far heads first")
    if len(modes) > 1:
        raise ValueError(
            f"heads that leave the image must meet pads on both axes or on none: got {own}; pad both, or neither"
        )
    mode = modes.pop() if modes else own.padding_mode
    size, padding = tuple(sizes), tuple(paddings)
    return Stencil(size=size, stride=own.stride, padding=padding, dilation=tuple(dilations), padding_mode=mode)


def thin_attention_from_conv(conv: Conv) -> ThinHeads:
    """The convolution by 2·C_in·C_out soft heads of value width one, exactly.

    The positive entries of one channel pair's kernel, divided by their sum, are a softmax over the taps with logits
    log w; so are the negative ones. A head mixes its input channel by them, the output multiplies by the sum.

    >>> conv = nn.Conv1d(2, 3, 5, padding=2).double()
    >>> layer, x = thin_attention_from_conv(conv), torch.randn(1, 2, 7).double()
    >>> len(layer.logits), torch.allclose(layer(x), conv(x))
    (12, True)
    """
    stencil, taps = _read(conv)
    taps = taps.permute(1, 2, 0)  # (C_in, C_out, taps)
    parts = torch.stack((taps, -taps), 2).clamp(min=0).flatten(0, 2)
    totals = parts.sum(1)
    into = torch.arange(conv.in_channels, device="cpu").repeat_interleave(2 * conv.out_channels)
    out = torch.arange(conv.out_channels, device="cpu").repeat_interleave(2).repeat(conv.in_channels)
    options: dict[str, Any] = {"device": conv.weight.device, "dtype": conv.weight.dtype}
    layer = ThinHeads(into, conv.out_channels, stencil, bias=conv.bias is not None, **options)
    with torch.no_grad():
        logits = parts.log().masked_fill(totals[:, None] == 0, 0)  # a head without entries has weight zero
        layer.logits.copy_(logits.unflatten(1, tuple(conv.kernel_size)))
        layer.mix.weight.zero_()
        layer.mix.weight[out, torch.arange(len(out))] = totals * torch.tensor([1, -1]).to(totals).repeat(len(out) // 2)
        if conv.bias is not None:
            layer.mix.bias.copy_(conv.bias)
    return layer.train(conv.training)


def thin_conv(conv: Conv, head_width: int) -> tuple[Conv, float]:
    """The nearest convolution that one-hot heads of this value width can be, one per tap, and what they must miss.

    W^h = W_v W_o has rank at most the head's width. A kernel entry of higher rank is missed by its next singular value
    at least, for some input of norm 1, whatever the heads learn; cutting the singular values off attains it.
    """
    _, taps = _read(conv)
    check_whole("head_width", head_width, 1)
    left, values, right = torch.linalg.svd(taps.double(), full_matrices=False)
    kept = (left[..., :head_width] * values[:, None, :head_width]) @ right[:, :head_width]
    rest = values[:, head_width:]
    thin = copy.deepcopy(conv)
    thin.groups = 1
    thin.weight = nn.Parameter(kept.permute(2, 1, 0).unflatten(2, tuple(conv.kernel_size)).to(conv.weight.dtype))
    return thin, float(rest.max()) if rest.numel() else 0.0
