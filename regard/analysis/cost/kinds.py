"""What torch's other operations are: free, copies, arithmetic, or not known, which is said."""

import functools

import torch


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FREE = words(
    """
    empty empty_like empty_strided new_empty new_empty_strided detach detach_ alias view _unsafe_view _reshape_alias
    as_strided lift lift_fresh lift_fresh_copy set_ resize_ sym_size sym_numel sym_stride sym_storage_offset
    _local_scalar_dense is_same_size _has_same_storage_numel unsafe_split unsafe_split_with_sizes unsafe_chunk
    _nested_tensor_size _assert_async _assert_scalar _assert_tensor_metadata is_nonzero is_pinned _pin_memory
    squeeze_ unsqueeze_ t_ transpose_ as_strided_ resize resize_as resize_as_ dense_dim is_set_to
    sym_constrain_range sym_constrain_range_for_size _functional_assert_async _functional_assert_scalar
    _functional_sym_constrain_range _functional_sym_constrain_range_for_size _print set zero _lazy_clone
    is_coalesced resolve_conj resolve_neg device _use_cudnn_ctc_loss record_stream _fused_sdp_choice
    """
)

# What writes numbers without computing them.
COPIES = words(
    """
    zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full fill fill_ zero_ eye arange linspace
    scalar_tensor clone copy_ copy _to_copy cat stack repeat repeat_interleave roll flip index index_put index_put_
    _unsafe_index _unsafe_index_put index_select index_fill index_fill_ index_copy index_copy_ gather scatter
    scatter_ select_scatter slice_scatter diagonal_scatter as_strided_scatter embedding constant_pad_nd
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    masked_select masked_scatter masked_scatter_ nonzero nonzero_static tril triu tril_ triu_ tril_indices
    triu_indices diag_embed diagonal_copy one_hot unfold_copy im2col pixel_shuffle pixel_unshuffle channel_shuffle
    upsample_nearest1d upsample_nearest2d upsample_nearest3d _pack_padded_sequence _pad_packed_sequence expand_copy
    view_copy transpose_copy permute_copy slice_copy select_copy unsqueeze_copy squeeze_copy t_copy split_copy
    split_with_sizes_copy unbind_copy select_backward slice_backward diagonal_backward unfold_backward masked_fill
    masked_fill_ where trace_backward _foreach_copy_ _foreach_zero_ block_diag complex view_as_complex
    _conj_physical tensor _efficientzerotensor detach_copy alias_copy as_strided_copy narrow_copy view_as_real_copy
    view_as_complex_copy take put put_ rot90 _chunk_cat _stack logspace range hann_window hamming_window
    blackman_window bartlett_window kaiser_window polar empty_permuted set_data to_padded_tensor
    _padded_dense_to_jagged_forward _jagged_to_padded_dense_forward _unsafe_masked_index
    _unsafe_masked_index_put_accumulate _reshape_copy _reshape_alias_copy max_unpool2d max_unpool3d
    """
)

# Reductions and what else goes over elements, beside what torch itself tags as pointwise.
ARITHMETIC = words(
    """
    sum mean prod var std var_mean std_mean amax amin aminmax max min argmax argmin any all norm linalg_vector_norm
    logsumexp cumsum cumprod cummax cummin logcumsumexp _softmax _log_softmax _safe_softmax _softmax_backward_data
    _log_softmax_backward_data _masked_softmax _masked_softmax_backward native_layer_norm native_layer_norm_backward
    native_group_norm native_group_norm_backward native_batch_norm native_batch_norm_backward
    _native_batch_norm_legit _native_batch_norm_legit_no_training _native_batch_norm_legit_functional
    _batch_norm_with_update _batch_norm_no_update batch_norm_backward cudnn_batch_norm cudnn_batch_norm_backward
    _fused_rms_norm _fused_rms_norm_backward rms_norm native_dropout native_dropout_backward bernoulli bernoulli_
    rand rand_like randn randn_like randint randint_like randperm uniform uniform_ normal normal_ normal_functional
    exponential exponential_ multinomial nll_loss_forward nll_loss_backward nll_loss2d_forward nll_loss2d_backward
    mse_loss mse_loss_backward smooth_l1_loss smooth_l1_loss_backward binary_cross_entropy
    binary_cross_entropy_backward embedding_dense_backward embedding_backward _embedding_bag
    _embedding_bag_dense_backward _embedding_bag_forward_only scatter_add scatter_add_ scatter_reduce
    scatter_reduce_ index_add index_add_ index_reduce _index_put_impl_ sort topk kthvalue median mode unique
    _unique2 unique_dim unique_consecutive searchsorted bucketize bincount histc isin equal max_pool2d_with_indices
    max_pool2d_with_indices_backward max_pool3d_with_indices max_pool3d_with_indices_backward avg_pool2d
    avg_pool2d_backward avg_pool3d avg_pool3d_backward _adaptive_avg_pool2d _adaptive_avg_pool2d_backward
    _adaptive_avg_pool3d _adaptive_avg_pool3d_backward adaptive_max_pool2d adaptive_max_pool2d_backward
    upsample_bilinear2d upsample_bilinear2d_backward upsample_bicubic2d upsample_bicubic2d_backward
    upsample_nearest2d_backward grid_sampler_2d grid_sampler_2d_backward col2im pow_ renorm renorm_ dist
    _thnn_fused_lstm_cell _thnn_fused_lstm_cell_backward_impl _thnn_fused_gru_cell _thnn_fused_gru_cell_backward
    _fft_c2c _fft_r2c _fft_c2r _amp_foreach_non_finite_check_and_unscale_ _cumulative_trapezoid count_nonzero
    constant_pad_nd_backward glu glu_backward trace cross linalg_cross log_sigmoid_forward log_sigmoid_backward
    nansum nanmedian native_norm random random_ poisson geometric_ log_normal_ cauchy_ binomial multi_margin_loss
    multilabel_margin_loss_forward soft_margin_loss huber_loss binary_cross_entropy_with_logits grid_sampler_3d
    upsample_linear1d upsample_trilinear3d _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d _upsample_bilinear2d_aa _upsample_bicubic2d_aa _upsample_lanczos2d_aa
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool3d avg_pool1d max_pool2d
    fractional_max_pool2d fractional_max_pool3d batch_norm_elemt batch_norm_stats batch_norm_backward_elemt
    batch_norm_backward_reduce batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_update_stats
    embedding_renorm_ segment_reduce _masked_scale _cummax_helper _cummin_helper _logcumsumexp histogram _ctc_loss
    masked_scatter_backward softmax log_softmax _is_all_true _is_any_true affine_grid_generator rrelu_with_noise
    prelu _prelu_kernel _prelu_kernel_backward _fused_dropout _weight_norm_interface _weight_norm_interface_backward
    floor_divide floor_divide_ elu_backward addcmul_ addcdiv_ lerp_ hardtanh_ allclose diff
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
    # An operation in place, and the way back of one, is of the kind of the operation itself.
    for alike in (name, name.removesuffix("_"), name.removesuffix("_backward")):
        if alike in FREE:
            return "free"
        if alike in COPIES:
            return "copy"
        if alike in ARITHMETIC or alike.startswith(("_foreach_", "_fused_adam", "_fused_sgd")) or _is_pointwise(alike):
            return "arithmetic"
    return "unknown"


def _is_pointwise(name: str) -> bool:
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:
        return False
    return any(torch.Tag.pointwise in getattr(packet, overload).tags for overload in packet.overloads())
