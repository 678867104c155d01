"""What each of torch's operations costs: its kind, its matrix products, and the pairs of fused attention.

Products are formulas of the operands' sizes, two FLOPs per multiply-add. A formula gives what is *needed* (the pairs of
attention that a mask leaves; no product twice) and what is *executed* (whole blocks of a kernel, logits that a backward
pass computes again). Sizes are numbers or polynomials.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily

from regard.algorithms.planning.cost import Count
from regard.analysis.cost import masks
from regard.analysis.cost.masks import known

Sizes = Callable[[Tensor], tuple[Count, ...]]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FREE = _words(
    """
    empty empty_like empty_strided new_empty new_empty_strided _unsafe_view lift lift_fresh_copy sym_size sym_numel
    sym_stride sym_storage_offset _local_scalar_dense is_same_size _has_same_storage_numel unsafe_split
    unsafe_split_with_sizes unsafe_chunk _nested_tensor_size _assert_async _assert_scalar _assert_tensor_metadata
    is_nonzero is_pinned _pin_memory squeeze_ unsqueeze_ t_ transpose_ resize resize_as dense_dim is_set_to
    sym_constrain_range sym_constrain_range_for_size _functional_assert_async _functional_assert_scalar
    _functional_sym_constrain_range _functional_sym_constrain_range_for_size _print set zero _lazy_clone
    is_coalesced detach_ as_strided_ _use_cudnn_ctc_loss record_stream _fused_sdp_choice
    """
)

# What writes numbers without computing them, beside the copies of views, which torch itself tags.
COPIES = _words(
    """
    zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full fill zero_ eye arange linspace
    scalar_tensor clone copy _to_copy cat stack repeat repeat_interleave roll flip index index_put _unsafe_index
    _unsafe_index_put index_select index_fill index_copy gather scatter select_scatter diagonal_scatter
    as_strided_scatter embedding constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d
    replication_pad1d replication_pad2d replication_pad3d masked_select masked_scatter nonzero nonzero_static tril
    triu tril_indices triu_indices diag_embed one_hot im2col pixel_shuffle pixel_unshuffle channel_shuffle
    upsample_nearest1d upsample_nearest2d upsample_nearest3d _pack_padded_sequence _pad_packed_sequence
    select_backward slice_backward diagonal_backward unfold_backward masked_fill where trace_backward _foreach_copy_
    _foreach_zero_ block_diag complex _conj_physical _efficientzerotensor take put rot90 _chunk_cat _stack logspace
    range hann_window hamming_window blackman_window bartlett_window kaiser_window polar empty_permuted set_data
    to_padded_tensor _padded_dense_to_jagged_forward _jagged_to_padded_dense_forward _unsafe_masked_index
    _unsafe_masked_index_put_accumulate _reshape_copy max_unpool2d max_unpool3d
    """
)

# What goes over elements, beside what torch itself tags so.
GOES_OVER = {torch.Tag.pointwise, torch.Tag.reduction}
ARITHMETIC = _words(
    """
    cumsum cumprod cummax cummin logcumsumexp _softmax _log_softmax _safe_softmax _softmax_backward_data
    _log_softmax_backward_data _masked_softmax native_layer_norm native_group_norm native_batch_norm
    _native_batch_norm_legit _native_batch_norm_legit_no_training _native_batch_norm_legit_functional
    _batch_norm_with_update _batch_norm_no_update batch_norm_backward cudnn_batch_norm _fused_rms_norm rms_norm
    native_dropout bernoulli rand rand_like randn randn_like randint randint_like randperm uniform normal
    normal_functional exponential multinomial nll_loss_forward nll_loss_backward nll_loss2d_forward
    nll_loss2d_backward mse_loss smooth_l1_loss binary_cross_entropy embedding_dense_backward embedding_backward
    _embedding_bag _embedding_bag_dense_backward _embedding_bag_forward_only scatter_add scatter_reduce index_add
    index_reduce _index_put_impl_ sort topk kthvalue median mode _unique2 unique_dim unique_consecutive searchsorted
    bucketize bincount histc isin max_pool2d_with_indices max_pool3d_with_indices avg_pool2d avg_pool3d
    _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d upsample_bilinear2d upsample_bicubic2d
    upsample_nearest2d_backward grid_sampler_2d col2im renorm dist _thnn_fused_lstm_cell
    _thnn_fused_lstm_cell_backward_impl _thnn_fused_gru_cell _fft_c2c _fft_r2c _fft_c2r
    _amp_foreach_non_finite_check_and_unscale_ glu trace cross linalg_cross log_sigmoid_forward log_sigmoid_backward
    nanmedian native_norm random poisson geometric_ log_normal_ cauchy_ binomial multi_margin_loss
    multilabel_margin_loss_forward soft_margin_loss huber_loss binary_cross_entropy_with_logits grid_sampler_3d
    upsample_linear1d upsample_trilinear3d _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa _upsample_lanczos2d_aa
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool3d avg_pool1d max_pool2d
    fractional_max_pool2d fractional_max_pool3d batch_norm_elemt batch_norm_stats batch_norm_backward_elemt
    batch_norm_backward_reduce batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_update_stats
    embedding_renorm_ segment_reduce _masked_scale _cummax_helper _cummin_helper _logcumsumexp histogram _ctc_loss
    masked_scatter_backward softmax log_softmax _is_all_true _is_any_true affine_grid_generator rrelu_with_noise
    prelu _prelu_kernel _fused_dropout _weight_norm_interface floor_divide elu_backward allclose diff
    """
)


@functools.cache
def kind(func: torch._ops.OpOverload) -> str:
    """free, copy, arithmetic or unknown.

    >>> [kind(torch.ops.aten.view.default), kind(torch.ops.aten.gelu.default), kind(torch.ops.aten.inverse.default)]
    ['free', 'arithmetic', 'unknown']
    """
    name = func._schema.name.split("::")[1]
    if func.is_view or func.namespace in ("prim", "profiler"):
        return "free"
    if func.namespace != "aten":
        return "unknown"
    # An operation in place, or the backward pass of one, is of the kind of the operation itself.
    for alike in (name, name.removesuffix("_"), name.removesuffix("_backward")):
        if alike in FREE:
            return "free"
        packet = getattr(torch.ops.aten, alike, None)
        overloads = [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]
        tags = {tag for overload in overloads for tag in overload.tags}
        if alike in COPIES or torch.Tag.view_copy in tags:
            return "copy"
        if alike in ARITHMETIC or alike.startswith(("_foreach_", "_fused_adam", "_fused_sgd")) or tags & GOES_OVER:
            return "arithmetic"
    return "unknown"


class Products(NamedTuple):
    """FLOPs of matrix products."""

    needed: Count
    executed: Count

    @classmethod
    def all_needed(cls, flops: Count) -> "Products":
        """Products of which every one that is executed is needed."""
        return cls(flops, flops)


class Call(NamedTuple):
    """One operation: its arguments, its results and a way to read sizes."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any
    sizes: Sizes

    def shape(self, index: int) -> tuple[Count, ...]:
        """Sizes of an argument."""
        return self.sizes(self.args[index])


def _matmul(call: Call, first: int) -> Count:
    """(…, m, k) by (…, k, n), from that argument on."""
    return 2 * math.prod(call.shape(first)) * call.shape(first + 1)[-1]


def _matvec(call: Call, first: int) -> Count:
    return 2 * math.prod(call.shape(first))


def _convolution(call: Call) -> Count:
    """Each output sees kernel × input channels of its group; transposed, each input writes as many."""
    transposed = call.args[6] if len(call.args) > 6 else call.kwargs.get("transposed", False)
    ends = call.shape(0) if transposed else call.sizes(call.out)
    # weight is (out, in / groups, …), or transposed (in, out / groups, …)
    return 2 * math.prod(ends) * math.prod(call.shape(1)[1:])


def _convolution_backward(call: Call) -> Count:
    """(gradient, input, weight, …, transposed, …, output_mask): as many products as forward for either."""
    gradient, x, weight = call.shape(0), call.shape(1), call.shape(2)
    transposed, wanted = call.args[7], call.args[10]
    once = 2 * math.prod(x if transposed else gradient) * math.prod(weight[1:])
    return once * (bool(wanted[0]) + bool(wanted[1]))


def _recurrent_layer(call: Call) -> Count:
    """(T, B, in) through one layer whose two weights are (gates·h, in) and (gates·h, h)."""
    rows = math.prod(call.shape(0)[:-1])
    return 2 * rows * (math.prod(call.shape(1)) + math.prod(call.shape(2)))


def _grouped(call: Call) -> Count:
    """Rows sorted by group (M, K) by one matrix for each (G, K, N), or the like: every row, or column, meets one."""
    left, right = call.shape(0), call.shape(1)
    groups = left[0] if len(left) == len(right) == 3 else 1
    return 2 * groups * left[-2] * left[-1] * right[-1]


def make_grouped(
    left: Tensor, right: Tensor, offs: Any = None, bias: Any = None, out_dtype: torch.dtype | None = None
) -> Tensor:
    """The result of a grouped product without contents, of any type: torch's own asks for bfloat16."""
    del bias
    rows, columns = left.shape[-2], right.shape[-1]
    groups = (offs.shape[0],) if left.ndim == right.ndim == 2 else left.shape[:1] if left.ndim == right.ndim else ()
    return left.new_empty(*groups, rows, columns, dtype=out_dtype or left.dtype)


_FORMULAS: dict[str, Callable[[Call], Count]] = {
    "mm bmm _int_mm _scaled_mm": functools.partial(_matmul, first=0),
    "addmm addmm_ _addmm_activation baddbmm baddbmm_ addbmm addbmm_": functools.partial(_matmul, first=1),
    "_grouped_mm": _grouped,
    "mv dot vdot": functools.partial(_matvec, first=0),
    "addmv addmv_": functools.partial(_matvec, first=1),
    "addr": lambda call: 2 * call.shape(1)[0] * call.shape(2)[0],
    "linear": lambda call: 2 * math.prod(call.shape(0)) * call.shape(1)[0],
    "mkldnn_rnn_layer": _recurrent_layer,
    "convolution _convolution convolution_overrideable": _convolution,
    "cudnn_convolution": lambda call: 2 * math.prod(call.sizes(call.out)) * math.prod(call.shape(1)[1:]),
    "convolution_backward": _convolution_backward,
}
PRODUCTS = {f"aten.{name}": formula for names, formula in _FORMULAS.items() for name in names.split()}
MATRICES = frozenset({"aten.mm", "aten.bmm", "aten.baddbmm", "aten.addmm"})  # that may make logits, or mix by weights


class Pairs(NamedTuple):
    """(query, key) pairs of all rows and heads: that may attend, and that a kernel goes over."""

    visible: Count
    visited: Count


def forward_products(pairs: Pairs, D: Count, E: Count) -> Products:
    """`q kᵀ` and `P v`."""
    return Products(2 * pairs.visible * (D + E), 2 * pairs.visited * (D + E))


class Wanted(NamedTuple):
    """Which gradients are asked for; those of the logits where q, k or a bias has one."""

    q: bool = True
    k: bool = True
    v: bool = True
    logits: bool = True

    @classmethod
    def by(cls, q: Tensor, k: Tensor, v: Tensor, *biases: Tensor) -> "Wanted":
        return cls(q.requires_grad, k.requires_grad, v.requires_grad, any(x.requires_grad for x in (q, k, *biases)))


def backward_products(pairs: Pairs, D: Count, E: Count, wanted: Wanted) -> Products:
    """`dP = dO vᵀ`, `dQ`, `dK` and `dV`, those that are wanted; executed are all, and the logits once more."""
    each = (wanted.logits + wanted.v) * E + (wanted.q + wanted.k) * D
    return Products(2 * pairs.visible * each, 2 * pairs.visited * (2 * E + 3 * D))


def triangle(T: Count, S: Count, is_wide: bool) -> Count:
    """Pairs with j ≤ i of T queries and S keys: query i sees min(i + 1, S). `is_wide`: T ≤ S.

    >>> triangle(3, 3, True), triangle(2, 5, True), triangle(4, 2, False)
    (6, 3, 7)
    """
    short, others = (T, 0) if is_wide else (S, (T - S) * S)
    twice = short * (short + 1)
    return (twice // 2 if isinstance(twice, int) else twice / 2) + others  # polynomials have fractions


FORWARD = _words(
    """
    aten._scaled_dot_product_flash_attention_for_cpu aten._scaled_dot_product_flash_attention
    aten._scaled_dot_product_efficient_attention aten._scaled_dot_product_cudnn_attention
    aten._scaled_dot_product_fused_attention_overrideable aten._scaled_dot_product_attention_math_for_mps
    """
)
BACKWARD = _words(
    """
    aten._scaled_dot_product_flash_attention_for_cpu_backward aten._scaled_dot_product_flash_attention_backward
    aten._scaled_dot_product_efficient_attention_backward aten._scaled_dot_product_cudnn_attention_backward
    aten._scaled_dot_product_fused_attention_overrideable_backward
    """
)
RAGGED = frozenset({"aten._flash_attention_forward", "aten._efficient_attention_forward", "torch_attn._varlen_attn"})
RAGGED_BACKWARD = frozenset(
    {"aten._flash_attention_backward", "aten._efficient_attention_backward", "torch_attn._varlen_attn_backward"}
)
FUSED = FORWARD | BACKWARD | RAGGED | RAGGED_BACKWARD
TILE = 128  # queries and keys that GPU kernels take at once


def count_numbers(args: tuple[Any, ...]) -> int:
    """How many tensors of one number the first list among the arguments has."""
    first = args[0] if args else None
    return sum(x.numel() == 1 for x in first if isinstance(x, Tensor)) if isinstance(first, (list, tuple)) else 0


class Widths(NamedTuple):
    """D and E."""

    D: Count
    E: Count


def bind_arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the names of the operation's schema."""
    given = {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)}
    return {argument.name: argument.default_value for argument in func._schema.arguments} | given | kwargs


def pick(named: dict[str, Any], *names: str) -> Any:
    """The first of these arguments that is given."""
    return next((named[name] for name in names if named.get(name) is not None), None)


def dense_pairs(
    named: dict[str, Any], mask: Tensor | None, sizes: Sizes, name: str, read: Callable[[int], Count]
) -> tuple[Pairs, Widths]:
    """Pairs of (B,H,T,D) queries and (B,G,S,D) keys under a causal flag or a mask.

    `read` turns a count of pairs into a number or a polynomial.
    """
    q, k, v = (pick(named, name, name[0]) for name in ("query", "key", "value"))
    rows = sizes(q)[0] * sizes(q)[1] if q.ndim == 4 else sizes(q)[0]
    T, S = sizes(q)[-2], sizes(k)[-2]
    visible = visited = rows * T * S
    if named.get("is_causal"):
        visible = rows * triangle(T, S, q.shape[-2] <= k.shape[-2])
        if isinstance(T, int) and isinstance(S, int):
            visited = rows * (cpu_blocks(T, S) if "cpu" in name else tiles(T, S))
        else:
            visited = visible
    elif mask is not None:
        seen = masks.read_mask(mask)
        if seen is not None:
            visible = read(masks.count_visible(seen, (*q.shape[:-1], k.shape[-2])))
    return Pairs(visible, visited), Widths(sizes(q)[-1], sizes(v)[-1])


def cpu_blocks(T: int, S: int) -> int:
    """Pairs that torch's CPU kernel computes of a causal map: each block of queries takes the keys up to its last one.

    >>> cpu_blocks(64, 64), cpu_blocks(1024, 1024)
    (3072, 655360)
    """
    size = 256 if T >= 768 else 64 if T >= 192 else 32
    return sum(min(size, T - start) * min(start + min(size, T - start), S) for start in range(0, T, size))


def tiles(T: int, S: int) -> int:
    """Pairs of a causal map in tiles of 128 × 128, as GPU kernels compute them.

    >>> tiles(256, 256), tiles(100, 100)
    (49152, 10000)
    """
    return sum(min(TILE, T - start) * min(start + TILE, S) for start in range(0, T, TILE))


def ragged_pairs(named: dict[str, Any], sizes: Sizes) -> tuple[Pairs, Widths, bool]:
    """Pairs of sequences laid end to end, (total, H, D); whether the sequences' ends are known."""
    q, k, v = (pick(named, name, name[0]) for name in ("query", "key", "value"))
    heads, D, E = sizes(q)[-2], sizes(q)[-1], sizes(v)[-1]
    ends_q = pick(named, "cum_seq_q", "cu_seqlens_q", "cu_seq_q")
    ends_k = pick(named, "cum_seq_k", "cu_seqlens_k", "cu_seq_k")
    causal = bool(pick(named, "is_causal", "custom_mask_type"))
    if ends_q is None:  # (B, T, H, D)
        T, S = sizes(q)[1], sizes(k)[1]
        rows = sizes(q)[0] * heads
        once = triangle(T, S, q.shape[1] <= k.shape[1]) if causal else T * S
        return Pairs(rows * once, rows * once), Widths(D, E), True
    lengths_q, lengths_k = _lengths(ends_q), _lengths(ends_k)
    if lengths_q is None or lengths_k is None:
        most = heads * sizes(q)[0] * pick(named, "max_k", "max_seqlen_k", "max_seqlen_batch_k")
        return Pairs(most, most), Widths(D, E), False
    pairs = zip(lengths_q, lengths_k, strict=True)
    count = heads * sum(triangle(T, S, T <= S) if causal else T * S for T, S in pairs)
    return Pairs(count, count), Widths(D, E), True


def _lengths(ends: Tensor) -> list[int] | None:
    value = known(ends)
    return None if value is None else value.diff().tolist()


def flex_pairs(
    operands: tuple[Tensor, ...], block_mask: tuple[Any, ...], sizes: Sizes, read: Callable[[int], Count]
) -> tuple[Pairs, Widths, bool]:
    """FlexAttention's operands and the parts of its block mask: its lists of blocks say what is visited.

    The predicate says what is visible; whether that could be asked comes third.
    """
    q, k, v = operands
    B, H, T, D = sizes(q)
    lengths = (q.shape[2], k.shape[2])
    widths = Widths(D, sizes(v)[-1])
    everything = B * H * T * sizes(k)[2]
    partial = known(block_mask[2])
    full = None if block_mask[4] is None else known(block_mask[4])
    if partial is None or (full is None and block_mask[4] is not None):
        return Pairs(everything, everything), widths, False
    mask_mod, size = block_mask[-1], (block_mask[-3], block_mask[-2])
    blocks = int(partial.sum()) + (0 if full is None else int(full.sum()))
    every = q.shape[0] * q.shape[1] // (partial.shape[0] * partial.shape[1])
    whole = min(blocks * size[0] * size[1] * every, q.shape[0] * q.shape[1] * lengths[0] * lengths[1])
    visited = whole if isinstance(everything, int) else everything
    count = _count_allowed(mask_mod, (partial.shape[0], partial.shape[1], *lengths))
    if count is None:
        return Pairs(visited, visited), widths, False
    return Pairs(read(count * every), visited), widths, True


def _count_allowed(mask_mod: Callable[..., Any], shape: tuple[int, int, int, int]) -> int | None:
    """Pairs that the predicate allows, asked one by one; None for more than 2^26 of them."""
    B, H, T, S = shape
    if B * H * T * S > 1 << 26:
        return None
    with unset_fake_temporarily():
        b, h, i, j = (torch.arange(n) for n in shape)
        allowed = mask_mod(b[:, None, None, None], h[:, None, None], i[:, None], j)
        return int(torch.as_tensor(allowed).expand(shape).sum())
