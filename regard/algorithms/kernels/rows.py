"""A few rows times whole matrices, as in writing token by token: the matrices are read once, and nothing else counts.

    y_i = norm(x) W_iᵀ + b_i        to three matrices, as of queries, keys and values
    y = add + σ(norm(x) Wᵀ + b)        norm, σ and add each where they are wanted
    y = σ(norm(x) W₀ᵀ + b₀) ⊙ (norm(x) W₁ᵀ + b₁)        gated

Each is one launch. A program takes a few outputs, and normalises the rows on its own while its part of the matrix is on
the way. To `FEW` rows are multiplied in registers, with no tile of empty rows.

One row through a Llama-shaped model of 1.3B (width 2048, 16 heads, hidden 5504, 24 layers) in bfloat16, on an H200:
the matrices of a layer are 101 MB, which are 23.7 µs of memory at 4.27 TB/s (5.9 of queries, keys and values, 2.0 of the
output, 10.6 of gate and inner, 5.3 of the last); all layers 0.57 ms, and 0.003 ms of products at 771 TFLOP/s.
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
TYPES = (torch.float32, torch.bfloat16, torch.float16)
INTERPRETED = triton.knobs.runtime.interpret  # on the CPU, for tests
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
    """How a kernel is cut: outputs of a program, columns that it loads at once, warps, and loads in flight."""

    outputs: int
    columns: int
    warps: int
    stages: int


def tile_of(rows: int, outputs: int, C: int, item: int, gated: bool = False) -> Tile:
    """The tile for so many rows times matrices of so many outputs in all, of C columns, `item` bytes to a number."""
    if rows > FEW:
        return Tile(16 if gated or outputs < 32 * PROGRAMS else 32, max(16, min(512 // item, _power_of_two(C))), 4, 4)
    columns = max(32, min(4096 // item, _power_of_two(C)))
    some = max(1, (16384 if rows == 1 else 8192) // (columns * item) // (2 if gated else 1))
    while some > 1 and (outputs // 2 if gated else outputs) < some * PROGRAMS:
        some //= 2
    return Tile(some, columns, 4, 1)


def _power_of_two(n: int) -> int:
    """The next one from n on."""
    return 1 << (n - 1).bit_length()


def refuses(
    x: Tensor, matrices: tuple[Tensor, ...], biases: tuple[Tensor | None, ...], norm: Norm | None, add: Tensor | None
) -> str | None:
    """Why these rows are not for the kernel; None where they are."""
    if not (x.is_cuda or (INTERPRETED and x.is_cpu)):
        return f"its kernel is for CUDA GPUs: got {x.device}"
    if x.is_cuda and recall(("capability", x.device), lambda: torch.cuda.get_device_capability(x.device)) < CAPABILITY:
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
    if not (tensor.stride(1) == 1 if is_rows else tensor.is_contiguous()):
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

    For what `refuses` does not refuse; under a compiler, a transform or a mode it is `define`.
    """
    if not _is_launched(x):
        return define(x, matrices, biases, norm=norm, activation=activation, gated=gated, add=add)
    heights = tuple([matrix.shape[0] for matrix in matrices])
    gain, shift, eps, kind = (None, None, 0.0, None) if norm is None else norm
    flags = (kind, gain is None, shift is None, activation, gated, eps, add is None or add.stride(0))
    B, C = x.shape
    key = ("rows", x.dtype, x.device, B, C, x.stride(0), heights, tuple([bias is None for bias in biases]), flags)
    launch: Launch | None = None if torch.is_grad_enabled() else look(key)
    if launch is None:
        launch = remember(key, _prepare(x, matrices, biases, norm, activation, gated, add))
    columns = heights[0] if gated else sum(heights)
    y = x.new_empty((B, columns))
    some = (None,) * (MOST_MATRICES - len(matrices))
    tensors = (x, *matrices, *some, *biases, *some, gain, shift, add, y)
    launch(x.device, tensors, are_aligned(tensors))
    return (y,) if gated or len(matrices) == 1 else y.split(heights, 1)


def _is_launched(x: Tensor) -> bool:
    """Whether there is something to launch a kernel on."""
    plain = type(x) is Tensor or type(x) is nn.Parameter
    return plain and not x.is_meta and not is_dispatched() and is_eager(x)


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
    if norm is not None:
        shape = x.shape[1:]
        rms = norm.is_rms
        x = (torch.rms_norm if rms else torch.layer_norm)(x, shape, norm.weight, *(() if rms else (norm.bias,)), norm.eps)
    found = [functional.linear(x, matrix, bias) for matrix, bias in zip(matrices, biases, strict=True)]
    if activation is not None:
        found[0] = ACTIVATIONS[activation](found[0])
    if gated:
        found = [found[0] * found[1]]
    return tuple(found) if add is None else (add + found[0],)


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
    if activation is not None:
        check_known("activation", activation, ACTIVATIONS)
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
        "VECTOR": 16 // x.element_size(),
        "PRECISION": "tf32x3" if x.dtype == torch.float32 else "ieee",
    }
    kernel: Any = _multiply if B <= FEW else _multiply_tiles
    return Launch(kernel, programs, strides, numbers, tuple(constants.values()), (tile.warps, tile.stages), (x.dtype,))


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
def _statistics(x, x_row, eps, B, C, BATCH: tl.constexpr, COLUMNS: tl.constexpr, NORM: tl.constexpr):
    """Of each row what is subtracted, and what it is multiplied with: (BATCH, 1)."""
    b, k = tl.arange(0, BATCH)[:, None], tl.arange(0, COLUMNS)[None, :]
    mean = tl.zeros((BATCH, 1), tl.float32)
    if NORM == "layer":
        total = tl.zeros((BATCH, COLUMNS), tl.float32)
        for start in range(0, C, COLUMNS):
            total += tl.load(x + b * x_row + start + k, (b < B) & (start + k < C), 0.0).to(tl.float32)
        mean = tl.sum(total, 1, keep_dims=True) / C
    squares = tl.zeros((BATCH, COLUMNS), tl.float32)
    for start in range(0, C, COLUMNS):
        inside = (b < B) & (start + k < C)
        apart = tl.load(x + b * x_row + start + k, inside, 0.0).to(tl.float32) - mean
        squares += tl.where(inside, apart * apart, 0.0)
    return mean, tl.rsqrt(tl.sum(squares, 1, keep_dims=True) / C + eps)


@triton.jit
def _rows(
    x, x_row, gain, shift, start, mean, scale, B, C,
    BATCH: tl.constexpr, COLUMNS: tl.constexpr, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
):  # fmt: skip
    """Columns of the rows from `start` on, normalised, rounded as they are for a product: (BATCH, COLUMNS)."""
    b, k = tl.arange(0, BATCH)[:, None], start + tl.arange(0, COLUMNS)[None, :]
    loaded = tl.load(x + b * x_row + k, (b < B) & (k < C), 0.0)
    if NORM == "":
        return loaded
    rows = (loaded.to(tl.float32) - mean) * scale
    if GAIN:
        rows *= tl.load(gain + k, k < C, 0.0).to(tl.float32)
    if SHIFT:
        rows += tl.load(shift + k, k < C, 0.0).to(tl.float32)
    return tl.where(k < C, rows, 0.0).to(loaded.dtype)


@triton.jit
def _activate(z, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        return tl.where(z < 0, 0.0, z)
    elif ACTIVATION == "silu":
        return z * tl.sigmoid(z)
    elif ACTIVATION == "gelu":
        return 0.5 * z * (1 + tl.erf(z * 0.7071067811865476))
    elif ACTIVATION == "gelu_approximate":  # ½(1 + tanh t) = sigmoid(2t)
        return z * tl.sigmoid(1.5957691216057308 * (z + 0.044715 * z * z * z))
    else:
        return z


@triton.jit
def _write(
    y, found, other, b0, b1, b2, add, add_row, which, row, height, start, width, B,
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
    tl.store(y + b * width + start + r, found.to(y.dtype.element_ty), inside)


@triton.jit
def _weights(w, row, height, start, C, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr):
    """A tile of a matrix, (OUTPUTS, COLUMNS)."""
    r, k = row + tl.arange(0, OUTPUTS)[:, None], start + tl.arange(0, COLUMNS)[None, :]
    return tl.load(w + r.to(tl.int64) * C + k, (r < height) & (k < C), 0.0)


@triton.jit
def _inner(rows, weights, BATCH: tl.constexpr, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr, VECTOR: tl.constexpr):
    """Inner products of rows and weights, but for the sum over what each thread has: (BATCH, OUTPUTS, …)."""
    products = rows.to(tl.float32)[:, None, :] * weights.to(tl.float32)[None, :, :]
    return tl.sum(tl.reshape(products, (BATCH, OUTPUTS, COLUMNS // VECTOR, VECTOR)), 3)


@triton.jit(do_not_specialize=["O0", "O1", "O2"])
def _multiply(
    x, w0, w1, w2, b0, b1, b2, gain, shift, add, y,
    x_row, add_row, O0: tl.int32, O1: tl.int32, O2: tl.int32, eps: tl.float32,
    B: tl.constexpr, C: tl.constexpr, BATCH: tl.constexpr, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr,
    MATRICES: tl.constexpr, BIASES: tl.constexpr, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
    ACTIVATION: tl.constexpr, GATED: tl.constexpr, ADD: tl.constexpr, VECTOR: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """A few outputs of a few rows, in registers. The next weights are on the way while the last are multiplied."""
    SHOWN: tl.constexpr = 1 if GATED else MATRICES
    w, which, row, height, start = _choose(tl.program_id(0), w0, w1, w2, O0, O1, O2, OUTPUTS, SHOWN)
    weights = _weights(w, row, height, 0, C, OUTPUTS, COLUMNS)
    found = tl.zeros((BATCH, OUTPUTS, COLUMNS // VECTOR), tl.float32)
    mean, scale = 0.0, 1.0
    if GATED:
        others = _weights(w1, row, height, 0, C, OUTPUTS, COLUMNS)
        more = tl.zeros((BATCH, OUTPUTS, COLUMNS // VECTOR), tl.float32)
    if NORM != "":
        mean, scale = _statistics(x, x_row, eps, B, C, BATCH, COLUMNS, NORM)
    for k in range(0, C, COLUMNS):
        rows = _rows(x, x_row, gain, shift, k, mean, scale, B, C, BATCH, COLUMNS, NORM, GAIN, SHIFT)
        now = weights
        weights = _weights(w, row, height, k + COLUMNS, C, OUTPUTS, COLUMNS)
        if GATED:
            other = others
            others = _weights(w1, row, height, k + COLUMNS, C, OUTPUTS, COLUMNS)
            more += _inner(rows, other, BATCH, OUTPUTS, COLUMNS, VECTOR)
        found += _inner(rows, now, BATCH, OUTPUTS, COLUMNS, VECTOR)
    found = tl.sum(found, 2)
    other = tl.sum(more, 2) if GATED else found
    width = O0 if SHOWN == 1 else O0 + O1 if SHOWN == 2 else O0 + O1 + O2
    _write(
        y, found, other, b0, b1, b2, add, add_row, which, row, height, start, width, B,
        BATCH, OUTPUTS, MATRICES, BIASES, ACTIVATION, GATED, ADD,
    )  # fmt: skip


@triton.jit(do_not_specialize=["O0", "O1", "O2"])
def _multiply_tiles(
    x, w0, w1, w2, b0, b1, b2, gain, shift, add, y,
    x_row, add_row, O0: tl.int32, O1: tl.int32, O2: tl.int32, eps: tl.float32,
    B: tl.constexpr, C: tl.constexpr, BATCH: tl.constexpr, OUTPUTS: tl.constexpr, COLUMNS: tl.constexpr,
    MATRICES: tl.constexpr, BIASES: tl.constexpr, NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
    ACTIVATION: tl.constexpr, GATED: tl.constexpr, ADD: tl.constexpr, VECTOR: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Some outputs of a tile of rows, by matrix units."""
    SHOWN: tl.constexpr = 1 if GATED else MATRICES
    w, which, row, height, start = _choose(tl.program_id(0), w0, w1, w2, O0, O1, O2, OUTPUTS, SHOWN)
    found, other = tl.zeros((BATCH, OUTPUTS), tl.float32), tl.zeros((BATCH, OUTPUTS), tl.float32)
    mean, scale = 0.0, 1.0
    if NORM != "":
        mean, scale = _statistics(x, x_row, eps, B, C, BATCH, COLUMNS, NORM)
    for k in range(0, C, COLUMNS):
        rows = _rows(x, x_row, gain, shift, k, mean, scale, B, C, BATCH, COLUMNS, NORM, GAIN, SHIFT)
        weights = _weights(w, row, height, k, C, OUTPUTS, COLUMNS)
        found = tl.dot(rows, tl.trans(weights), found, input_precision=PRECISION)
        if GATED:
            others = _weights(w1, row, height, k, C, OUTPUTS, COLUMNS)
            other = tl.dot(rows, tl.trans(others), other, input_precision=PRECISION)
    width = O0 if SHOWN == 1 else O0 + O1 if SHOWN == 2 else O0 + O1 + O2
    _write(
        y, found, other, b0, b1, b2, add, add_row, which, row, height, start, width, B,
        BATCH, OUTPUTS, MATRICES, BIASES, ACTIVATION, GATED, ADD,
    )  # fmt: skip
