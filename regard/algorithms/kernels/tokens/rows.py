"""A few rows times whole matrices, as in writing token by token: the matrices are read once, and nothing else counts.

    y_i = norm(x) W_iᵀ + b_i        to three matrices, as of queries, keys and values
    y = add + σ(norm(x) Wᵀ + b)        norm, σ and add each where they are wanted
    y = σ(norm(x) W₀ᵀ + b₀) ⊙ (norm(x) W₁ᵀ + b₁)        gated

Each is one launch. A program takes a few outputs, and normalises the rows on its own while its part of the matrix is on
the way. To `FEW` rows are multiplied in registers, with no tile of empty rows.

One row through a Llama-shaped model of 1.3B (width 2048, 16 heads, hidden 5504, 24 layers) in bfloat16, on an H200:
the matrices of a layer are 101 MB, 23.7 µs of memory at 4.27 TB/s (5.9 of queries, keys and values, 2.0 of the output,
10.6 of gate and inner, 5.3 of the last). All layers: 0.57 ms of memory, 0.003 ms of products at 771 TFLOP/s.
"""

# Triton states no types of launches.
# pyright: reportCallIssue=false, reportArgumentType=false, reportAssignmentType=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false, reportGeneralTypeIssues=false, reportInvalidTypeForm=false

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor, nn
from torch.nn import functional
from triton import knobs
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from regard.algorithms.kernels.launch import Launch
from regard.algorithms.planning.kept import look, recall, remember
from regard.attention.eager import is_eager
from regard.attention.torch_private import is_autocast, is_dispatched
from regard.checks import check_known

MOST_ROWS = 16
FEW = 4  # rows that are multiplied in registers; from there on by matrix units
MOST_MATRICES = 3
PROGRAMS = 264  # that fill a GPU
CAPABILITY = (8, 0)  # from which Triton has matrix units
OVERLAPPING = (9, 0)  # from which a kernel may begin before the last has ended
TYPES = (torch.float32, torch.bfloat16, torch.float16)
INTERPRETED = knobs.runtime.interpret  # on the CPU, for tests
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "relu": functional.relu,
    "silu": functional.silu,
    "gelu_approximate": partial(functional.gelu, approximate="tanh"),
}


class Norm(NamedTuple):
    """Of the rows, before the products."""

    weight: Tensor | None  # (C,)
    bias: Tensor | None  # (C,), of LayerNorm alone
    eps: float
    is_rms: bool


class Tile(NamedTuple):
    """How a kernel is cut: outputs of a program, columns that it loads at once, warps, and loads in flight.

    With `early`, from Hopper on, it loads its first weights while the kernel before it in the stream comes to its end;
    weights that this very kernel has written must not be read so.
    """

    outputs: int
    columns: int
    warps: int
    stages: int
    early: bool = False


def tile_of(rows: int, outputs: int, C: int, item: int, gated: bool = False) -> Tile:
    """The tile for so many rows times matrices of so many outputs in all, of C columns, `item` bytes to a number."""
    if rows > FEW:
        columns = max(16, min(256 if item == 2 else 64, _power_of_two(C)))
        if outputs < 16 * PROGRAMS and not gated:
            return Tile(8, columns, 4, 6)
        return Tile(16 if gated or outputs < 32 * PROGRAMS else 32, columns, 4, 4)
    columns = max(32, min(4096 // item, _power_of_two(C)))
    some = max(1, (16384 if rows == 1 else 8192) // (columns * item) // (2 if gated else 1))
    while some > 1 and (outputs // 2 if gated else outputs) < some * PROGRAMS:
        some //= 2
    return Tile(some, columns, 4, 1, early=True)


def _power_of_two(n: int) -> int:
    """The next one from n on."""
    return 1 << (n - 1).bit_length()


def _capability(device: torch.device) -> tuple[int, int]:
    if device.type != "cuda":
        return 0, 0
    return recall(("capability", device), lambda: torch.cuda.get_device_capability(device))


def refuses(
    x: Tensor, matrices: tuple[Tensor, ...], biases: tuple[Tensor | None, ...], norm: Norm | None, add: Tensor | None
) -> str | None:
    """Why these rows are not for the kernel; None where they are."""
    if torch.compiler.is_compiling():
        return "is not for compiled code, whose compiler has its own kernels"
    if not (x.is_cuda or (INTERPRETED and x.is_cpu)):
        return f"its kernel is for CUDA GPUs: got {x.device}"
    if x.is_cuda and _capability(x.device) < CAPABILITY:
        return "Triton has matrix units from compute capability 8.0 on"
    if x.dim() != 2 or not 1 <= x.shape[0] <= MOST_ROWS:
        return f"takes 1 to {MOST_ROWS} rows (B, C): got shape {tuple(x.shape)}"
    if x.dtype not in TYPES:
        return f"takes float32, bfloat16 and float16: got {x.dtype}"
    if not 1 <= len(matrices) <= MOST_MATRICES or len(biases) != len(matrices):
        return f"takes 1 to {MOST_MATRICES} matrices, a bias or None to each: got {len(matrices)} and {len(biases)}"
    if is_autocast():
        return "takes tensors as they are: got autocast"
    B, C = x.shape
    wanted = [(x, (B, C)), (add, (B, matrices[0].shape[0]))]
    for matrix, bias in zip(matrices, biases, strict=True):
        wanted += [(matrix, (matrix.shape[0], C)), (bias, (matrix.shape[0],))]
    if norm is not None:
        wanted += [(norm.weight, (C,)), (norm.bias, (C,))]
        if norm.is_rms and norm.bias is not None:
            return "an RMSNorm has no bias"
    for tensor, shape in wanted:
        reason = None if tensor is None else _refuses_one(tensor, shape, x, is_rows=tensor is x or tensor is add)
        if reason is not None:
            return reason
    return None


def _refuses_one(tensor: Tensor, shape: tuple[int, ...], x: Tensor, is_rows: bool) -> str | None:
    if type(tensor) is not Tensor and type(tensor) is not nn.Parameter:
        return f"takes plain tensors: got a {type(tensor).__name__}"
    if tensor.shape != shape or 0 in shape:
        return f"needs a tensor of shape {shape}, not empty: got {tuple(tensor.shape)}"
    if tensor.dtype != x.dtype or tensor.device != x.device:
        return f"needs one type and device: got {x.dtype} on {x.device} and {tensor.dtype} on {tensor.device}"
    if not (is_rows and tensor.stride(1) == 1) and not tensor.is_contiguous():
        return f"needs numbers side by side: got strides {tensor.stride()} of shape {tuple(tensor.shape)}"
    if tensor.requires_grad and torch.is_grad_enabled():
        return "has no gradient: it is for tokens that are being written"
    return None


def project(
    x: Tensor,
    matrices: tuple[Tensor, ...],
    biases: tuple[Tensor | None, ...],
    *,
    norm: Norm | None = None,
    activation: str | None = None,
    gated: bool = False,
    add: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Rows x (B, C) times matrices (O, C): outputs (B, O), views of one memory, or the one that the module names.

    For what `refuses` does not refuse. On a CPU, and under a compiler, a transform or a mode, it is `define`.
    """
    if activation is not None:
        check_known("activation", activation, ACTIVATIONS)
    if not _is_launched(x):
        return define(x, matrices, biases, norm=norm, activation=activation, gated=gated, add=add)
    some = (None,) * (MOST_MATRICES - len(matrices))
    gain, shift, eps, is_rms = (None, None, 0.0, None) if norm is None else norm
    given = (x, *matrices, *some, *biases, *some, gain, shift, add)
    key = ("rows", x.device, *_outlines(given), eps, is_rms, activation, gated)
    launch: Launch | None = None if torch.is_grad_enabled() or is_autocast() else look(key)
    if launch is None:
        launch = remember(key, _prepare(x, matrices, biases, norm, activation, gated, add))
    heights = [matrix.shape[0] for matrix in (matrices[:1] if gated else matrices)]
    y = x.new_empty((x.shape[0], sum(heights)))
    launch(x.device, (*given, y), are_aligned((*given, y)))
    return (y,) if len(heights) == 1 else y.split(heights, 1)


def _outlines(tensors: tuple[Tensor | None, ...]) -> list[tuple[Any, ...] | None]:
    """All that a launch depends on but the addresses."""
    return [None if x is None else (x.dtype, x.shape, x.stride()) for x in tensors]


def _is_launched(x: Tensor) -> bool:
    """Whether there is something to launch a kernel on."""
    if not is_eager(x) or is_dispatched():
        return False
    return (x.is_cuda or (INTERPRETED and x.is_cpu)) and (type(x) is Tensor or type(x) is nn.Parameter)


def are_aligned(tensors: tuple[Tensor | None, ...]) -> bool:
    """Whether the addresses of those that are there are multiples of 16."""
    bits = 0
    for tensor in tensors:
        if tensor is not None:
            bits |= tensor.data_ptr()
    return bits & 15 == 0


def define(
    x: Tensor,
    matrices: tuple[Tensor, ...],
    biases: tuple[Tensor | None, ...],
    *,
    norm: Norm | None = None,
    activation: str | None = None,
    gated: bool = False,
    add: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """What the kernel computes, by plain operations, which round after each."""
    if norm is not None and norm.is_rms:
        x = torch.rms_norm(x, x.shape[1:], norm.weight, norm.eps)
    elif norm is not None:
        x = torch.layer_norm(x, x.shape[1:], norm.weight, norm.bias, norm.eps)
    found = [functional.linear(x, matrix, bias) for matrix, bias in zip(matrices, biases, strict=True)]
    if activation is not None:
        found[0] = ACTIVATIONS[activation](found[0])
    if gated:
        found = [found[0] * found[1]]
    return tuple(found) if add is None else (add + found[0],)


def enter(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cos: Tensor | None,
    sin: Tensor | None,
    slots: Tensor,
    keys: Tensor,
    values: Tensor,
) -> Tensor:
    """The queries q (B, H, 1, D) of the next tokens, turned; turned keys k (B, G, 1, D) and values v (B, G, 1, E) are
    written to `keys` (B, G, R, D) and `values` (B, G, R, E), row b at the place `slots[b]`.

    Pairs of features, i and i + D/2, are turned by cos and sin, (B, 1, 1, D/2) or one for all rows, or not at all. Last
    strides must be 1. A slot outside of 0…R − 1 is not written; `define_enter` raises there.
    """
    learns = torch.is_grad_enabled() and any([x.requires_grad for x in (q, k, v, keys, values)])
    if learns or not _is_launched(q):
        return define_enter(q, k, v, cos, sin, slots, keys, values)
    given = (q, k, v, cos, sin, slots if slots.is_contiguous() else slots.contiguous(), keys, values)
    key = ("enter", q.device, *_outlines(given))
    launch: Launch | None = look(key)
    if launch is None:
        _check_entered(*given)
        (B, H, _, D), (_, G, R, E) = q.shape, values.shape
        waves = [0 if x is None or len(x) == 1 else x.stride(0) for x in (cos, sin)]
        strides = (*q.stride()[:2], *k.stride()[:2], *v.stride()[:2], *keys.stride()[:3], *values.stride()[:3], *waves)
        constants = (D, E, _power_of_two(-(-D // 2)), _power_of_two(E), cos is not None)
        types = (q.dtype, None if cos is None else cos.dtype)
        launch = remember(key, Launch(_enter, B * (H + G), strides, (H, G, R), constants, (1, 1), types))
    out = q.new_empty(q.shape)
    launch(q.device, (*given, out), are_aligned((*given, out)))
    return out


def _check_entered(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cos: Tensor | None,
    sin: Tensor | None,
    slots: Tensor,
    keys: Tensor,
    values: Tensor,
) -> None:
    """Raise where the kernel would read or write elsewhere."""
    (B, H, _, D), (_, G, R, E) = q.shape, values.shape
    wanted = {"q": (q, (B, H, 1, D)), "k": (k, (B, G, 1, D)), "v": (v, (B, G, 1, E)), "slots": (slots, (B,))}
    wanted |= {"keys": (keys, (B, G, R, D)), "values": (values, (B, G, R, E))}
    for name, wave in (("cos", cos), ("sin", sin)):
        if wave is not None:
            wanted[name] = wave, (B if len(wave) > 1 else 1, *[1] * (wave.dim() - 2), D // 2)
    for name, (x, shape) in wanted.items():
        if x.shape != shape or x.device != q.device:
            raise ValueError(f"{name} must be {shape} on {q.device}: got {tuple(x.shape)} on {x.device}")
        if x.stride(-1) != 1 and x.shape[-1] > 1:
            raise ValueError(f"the last stride of {name} must be 1: got {x.stride(-1)}; use contiguous()")
        if name not in ("cos", "sin", "slots") and (x.dtype != q.dtype or x.dtype not in TYPES):
            raise ValueError(f"{name} must be float32, bfloat16 or float16 as q: got {x.dtype} and {q.dtype}")
    if slots.dtype != torch.int64:
        raise ValueError(f"slots must be int64: got {slots.dtype}; use slots.long()")
    if (cos is None) != (sin is None) or (cos is not None and D % 2):
        raise ValueError(f"cos and sin turn pairs of features together: got D={D}; give both, or neither")


def define_enter(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cos: Tensor | None,
    sin: Tensor | None,
    slots: Tensor,
    keys: Tensor,
    values: Tensor,
) -> Tensor:
    """What the kernel does, by plain operations, which round after each."""
    if cos is not None and sin is not None:
        q, k = _turned(q, cos, sin), _turned(k, cos, sin)
    rows = torch.arange(len(slots), device=slots.device)
    keys[rows, :, slots], values[rows, :, slots] = k[:, :, 0], v[:, :, 0]
    return q


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1).to(x.dtype)


def _prepare(
    x: Tensor,
    matrices: tuple[Tensor, ...],
    biases: tuple[Tensor | None, ...],
    norm: Norm | None,
    activation: str | None,
    gated: bool,
    add: Tensor | None,
) -> Launch:
    """Check a kind of call, and lay out its launch."""
    count = len(matrices)
    if gated and (count != 2 or activation is None or matrices[0].shape != matrices[1].shape):
        shapes = [tuple(matrix.shape) for matrix in matrices]
        raise ValueError(f"gated needs an activation and two matrices of one shape: got {activation!r} and {shapes}")
    if count > 1 and not gated and (activation is not None or add is not None):
        raise ValueError(f"activation and add are for one matrix: got {count}; use gated, or a call for each")
    reason = refuses(x, matrices, biases, norm, add)
    if reason is not None:
        raise ValueError(f"rows.project {reason}; use rows.define")
    (B, C), heights = x.shape, [matrix.shape[0] for matrix in matrices]
    tile = tile_of(B, sum(heights), C, x.element_size(), gated)
    programs = sum([-(-height // tile.outputs) for height in (heights[:1] if gated else heights)])
    strides = (x.stride(0) if B > 1 else 0, 0 if add is None or B == 1 else add.stride(0))
    numbers = (*heights, *[0] * (MOST_MATRICES - count), 0.0 if norm is None else norm.eps)
    constants = {
        "B": B,
        "C": C,
        "BATCH": _power_of_two(B) if B <= FEW else MOST_ROWS,
        "OUTPUTS": tile.outputs,
        "COLUMNS": tile.columns,
        "MATRICES": count,
        "BIASES": sum([1 << n for n, bias in enumerate(biases) if bias is not None]),
        "NORM": "" if norm is None else "rms" if norm.is_rms else "layer",
        "GAIN": norm is not None and norm.weight is not None,
        "SHIFT": norm is not None and norm.bias is not None,
        "ACTIVATION": activation or "",
        "GATED": gated,
        "ADD": add is not None,
        "PRECISION": "tf32x3" if x.dtype == torch.float32 else "ieee",
        "EARLY": tile.early and B <= FEW and _capability(x.device) >= OVERLAPPING,
    }
    kernel: Any = _multiply if B <= FEW else _multiply_tiles
    options = (tile.warps, tile.stages, *((None, True) if constants["EARLY"] else ()))
    return Launch(kernel, programs, strides, numbers, tuple(constants.values()), options, (x.dtype,))


@triton.jit
def _choose(program, w0, w1, w2, O0, O1, O2, OUTPUTS: tl.constexpr, MATRICES: tl.constexpr):
    """The matrix of a program, its number, the first row of it that the program takes, and its height; where its
    outputs begin.
    """
    w, which, height, start = w0, 0, O0, 0
    if MATRICES > 1:
        before = tl.cdiv(O0, OUTPUTS)
        if program >= before:
            program -= before
            w, which, height, start = w1, 1, O1, O0
            if MATRICES > 2:
                before = tl.cdiv(O1, OUTPUTS)
                if program >= before:
                    program -= before
                    w, which, height, start = w2, 2, O2, O0 + O1
    return w, which, program * OUTPUTS, height, start


@triton.jit
def _squares(x, there, mean):
    apart = tl.load(x, there, 0.0).to(tl.float32) - mean
    return tl.where(there, apart * apart, 0.0)


@triton.jit
def _statistics(x, inside, k, eps, C, COLUMNS: tl.constexpr, NORM: tl.constexpr, AXIS: tl.constexpr):
    """Of each row what is subtracted, and what it is multiplied with. `x` points to its beginning, `k` are columns."""
    mean = 0.0
    if NORM == "layer":
        total = tl.load(x + k, inside & (k < C), 0.0).to(tl.float32)
        for start in range(COLUMNS, C, COLUMNS):
            total += tl.load(x + start + k, inside & (start + k < C), 0.0).to(tl.float32)
        mean = tl.sum(total, AXIS, keep_dims=True) / C
    squares = _squares(x + k, inside & (k < C), mean)
    for start in range(COLUMNS, C, COLUMNS):
        squares += _squares(x + start + k, inside & (start + k < C), mean)
    return mean, tl.rsqrt(tl.sum(squares, AXIS, keep_dims=True) / C + eps)


@triton.jit
def _rows(x, inside, k, gain, shift, mean, scale, C, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr):
    """Columns k of the rows, normalised, and rounded as they are for a product."""
    rows = tl.load(x + k, inside & (k < C), 0.0)
    if NORM != "":
        exact = (rows.to(tl.float32) - mean) * scale
        if GAIN:
            exact *= tl.load(gain + k, k < C, 0.0).to(tl.float32)
        if SHIFT:
            exact += tl.load(shift + k, k < C, 0.0).to(tl.float32)
        rows = tl.where(k < C, exact, 0.0).to(rows.dtype)
    return rows


@triton.jit
def _activate(z, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        z = tl.where(z < 0, 0.0, z)
    elif ACTIVATION == "silu":
        z = z * tl.sigmoid(z)
    elif ACTIVATION == "gelu":
        z = 0.5 * z * (1 + tl.erf(z * 0.7071067811865476))
    elif ACTIVATION == "gelu_approximate":  # ½(1 + tanh t) = sigmoid(2t)
        z = z * tl.sigmoid(1.5957691216057308 * (z + 0.044715 * z * z * z))
    return z


@triton.jit
def _write(
    y, found, other, b0, b1, b2, add, add_row, which, row, height, start, O0, O1, O2, B,
    BATCH: tl.constexpr, OUTPUTS: tl.constexpr, MATRICES: tl.constexpr, BIASES: tl.constexpr,
    ACTIVATION: tl.constexpr, GATED: tl.constexpr, ADD: tl.constexpr,
):  # fmt: skip
    """Add, activate, gate and round products (BATCH, OUTPUTS), and put them in their places."""
    b, r = tl.arange(0, BATCH)[:, None], row + tl.arange(0, OUTPUTS)[None, :]
    if BIASES & 1:
        found += tl.load(b0 + r, (r < height) & (which == 0), 0.0).to(tl.float32)
    if BIASES & 2:
        if GATED:
            other += tl.load(b1 + r, r < height, 0.0).to(tl.float32)
        else:
            found += tl.load(b1 + r, (r < height) & (which == 1), 0.0).to(tl.float32)
    if BIASES & 4:
        found += tl.load(b2 + r, (r < height) & (which == 2), 0.0).to(tl.float32)
    found = _activate(found, ACTIVATION)
    if GATED:
        found *= other
    inside = (b < B) & (r < height)
    if ADD:
        found += tl.load(add + b * add_row + r, inside, 0.0).to(tl.float32)
    width = O0
    if not GATED and MATRICES > 1:
        width += O1
    if MATRICES > 2:
        width += O2
    tl.store(y + b * width + start + r, found.to(y.dtype.element_ty), inside)


@triton.jit(do_not_specialize=["O0", "O1", "O2"])
def _multiply(
    x, w0, w1, w2, b0, b1, b2, gain, shift, add, y,
    x_row, add_row, O0: tl.int32, O1: tl.int32, O2: tl.int32, eps: tl.float32,
    B: tl.constexpr, C: tl.constexpr, BATCH: tl.constexpr, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr,
    MATRICES: tl.constexpr, BIASES: tl.constexpr, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
    ACTIVATION: tl.constexpr, GATED: tl.constexpr, ADD: tl.constexpr, PRECISION: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """A few outputs of a few rows, in registers. The next weights are on the way while the last are multiplied."""
    w, which, row, height, start = _choose(tl.program_id(0), w0, w1, w2, O0, O1, O2, OUTPUTS, 1 if GATED else MATRICES)
    b, r = tl.arange(0, BATCH)[:, None, None], row + tl.arange(0, OUTPUTS)[None, :, None]
    k = tl.arange(0, COLUMNS)[None, None, :]
    place = r.to(tl.int64) * C + k
    weights = tl.load(w + place, (r < height) & (k < C), 0.0)
    if GATED:
        others = tl.load(w1 + place, (r < height) & (k < C), 0.0)
    if EARLY:
        gdc_launch_dependents()
        gdc_wait()  # for the rows
    mean, scale = 0.0, 1.0
    if NORM != "":
        mean, scale = _statistics(x + b * x_row, b < B, k, eps, C, COLUMNS, NORM, 2)
    found, other = tl.zeros((BATCH, OUTPUTS), tl.float32), tl.zeros((BATCH, OUTPUTS), tl.float32)
    for i in range(0, C, COLUMNS):
        rows = _rows(x + b * x_row, b < B, i + k, gain, shift, mean, scale, C, NORM, GAIN, SHIFT).to(tl.float32)
        now, there = weights, (r < height) & (i + COLUMNS + k < C)
        weights = tl.load(w + place + i + COLUMNS, there, 0.0)
        if GATED:
            then = others
            others = tl.load(w1 + place + i + COLUMNS, there, 0.0)
            other += tl.sum(rows * then.to(tl.float32), 2)
        found += tl.sum(rows * now.to(tl.float32), 2)
    _write(
        y, found, other, b0, b1, b2, add, add_row, which, row, height, start, O0, O1, O2, B,
        BATCH, OUTPUTS, MATRICES, BIASES, ACTIVATION, GATED, ADD,
    )  # fmt: skip


@triton.jit(do_not_specialize=["O0", "O1", "O2"])
def _multiply_tiles(
    x, w0, w1, w2, b0, b1, b2, gain, shift, add, y,
    x_row, add_row, O0: tl.int32, O1: tl.int32, O2: tl.int32, eps: tl.float32,
    B: tl.constexpr, C: tl.constexpr, BATCH: tl.constexpr, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr,
    MATRICES: tl.constexpr, BIASES: tl.constexpr, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
    ACTIVATION: tl.constexpr, GATED: tl.constexpr, ADD: tl.constexpr, PRECISION: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """Some outputs of a tile of rows, by matrix units."""
    w, which, row, height, start = _choose(tl.program_id(0), w0, w1, w2, O0, O1, O2, OUTPUTS, 1 if GATED else MATRICES)
    b, r = tl.arange(0, BATCH)[:, None], row + tl.arange(0, OUTPUTS)[:, None]
    k = tl.arange(0, COLUMNS)[None, :]
    place = r.to(tl.int64) * C + k
    mean, scale = 0.0, 1.0
    if NORM != "":
        mean, scale = _statistics(x + b * x_row, b < B, k, eps, C, COLUMNS, NORM, 1)
    found, other = tl.zeros((BATCH, OUTPUTS), tl.float32), tl.zeros((BATCH, OUTPUTS), tl.float32)
    for i in range(0, C, COLUMNS):
        rows = _rows(x + b * x_row, b < B, i + k, gain, shift, mean, scale, C, NORM, GAIN, SHIFT)
        there = (r < height) & (i + k < C)
        weights = tl.load(w + place + i, there, 0.0)
        found = tl.dot(rows, tl.trans(weights), found, input_precision=PRECISION)
        if GATED:
            others = tl.load(w1 + place + i, there, 0.0)
            other = tl.dot(rows, tl.trans(others), other, input_precision=PRECISION)
    _write(
        y, found, other, b0, b1, b2, add, add_row, which, row, height, start, O0, O1, O2, B,
        BATCH, OUTPUTS, MATRICES, BIASES, ACTIVATION, GATED, ADD,
    )  # fmt: skip


@triton.jit(do_not_specialize=["H", "G", "R"])
def _enter(
    q, k, v, cos, sin, slots, keys, values, out,
    q_row, q_head, k_row, k_head, v_row, v_head, keys_row, keys_head, keys_token, values_row, values_head, values_token,
    cos_row, sin_row, H: tl.int32, G: tl.int32, R: tl.int32,
    D: tl.constexpr, E: tl.constexpr, HALF: tl.constexpr, WIDE: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    """One head of one row: of a query, or of a key and its value."""
    b, h = (tl.program_id(0) // (H + G)).to(tl.int64), tl.program_id(0) % (H + G)
    SPLIT: tl.constexpr = (D + 1) // 2
    i, e = tl.arange(0, HALF), tl.arange(0, WIDE)
    is_query, g = h < H, h - H
    one, two = i < SPLIT, i < D - SPLIT
    if is_query:
        first = tl.load(q + b * q_row + h * q_head + i, one, 0.0).to(tl.float32)
        second = tl.load(q + b * q_row + h * q_head + SPLIT + i, two, 0.0).to(tl.float32)
    else:
        first = tl.load(k + b * k_row + g * k_head + i, one, 0.0).to(tl.float32)
        second = tl.load(k + b * k_row + g * k_head + SPLIT + i, two, 0.0).to(tl.float32)
    if TURNED:
        c = tl.load(cos + b * cos_row + i, one, 0.0).to(tl.float32)
        s = tl.load(sin + b * sin_row + i, one, 0.0).to(tl.float32)
        first, second = first * c - second * s, second * c + first * s
    if is_query:
        target = out + (b * H + h) * D
        tl.store(target + i, first.to(out.dtype.element_ty), one)
        tl.store(target + SPLIT + i, second.to(out.dtype.element_ty), two)
    else:
        slot = tl.load(slots + b)
        fits = (slot >= 0) & (slot < R)
        target = keys + b * keys_row + g * keys_head + slot * keys_token
        tl.store(target + i, first.to(keys.dtype.element_ty), one & fits)
        tl.store(target + SPLIT + i, second.to(keys.dtype.element_ty), two & fits)
        copied = tl.load(v + b * v_row + g * v_head + e, e < E, 0.0)
        tl.store(values + b * values_row + g * values_head + slot * values_token + e, copied, (e < E) & fits)
