"""One layer's attention of transformers, computed by `attend`."""

import functools
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers.utils.output_capturing import _active_collector

from regard.algorithms import Prepared, attend, weights
from regard.algorithms.planning.kept import recall_from
from regard.attention import Attention, Bias, Causal, Content, Dense, Documents, Everything, Mask, Softmax, Term
from regard.attention.masks.mask import leaves
from regard.integrations.transformers.masks import ModelMask

# What models pass along that says nothing of this layer's arithmetic, or says again what its mask holds.
SILENT = frozenset(
    [
        "cache_position",
        "deterministic",
        "kernel_options",
        "logits_to_keep",
        "num_items_in_batch",
        "output_hidden_states",
        "output_router_logits",
        "past_key_values",
        "position_embeddings",
        "position_ids",
        "return_dict",
        "seq_idx",
        "sliding_window",
        "use_cache",
    ]
)
# What whole models are given, and some hand down to their layers: it was read before.
GIVEN = frozenset([
    "input_ids", "inputs_embeds", "token_type_ids", "mm_token_type_ids", "labels", "start_positions", "end_positions",
    "decoder_input_ids", "decoder_inputs_embeds", "decoder_attention_mask", "encoder_outputs", "encoder_hidden_states",
    "encoder_attention_mask", "input_features", "input_values", "pixel_values", "pixel_mask", "pixel_values_videos",
    "image_sizes", "image_grid_thw", "image_position_ids", "video_grid_thw", "interpolate_pos_encoding",
    "generation_mode", "vision_feature_layer", "vision_feature_select_strategy",
])  # fmt: skip
PACKED = frozenset(["cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k"])


class Call(NamedTuple):
    """What one layer asks for: `attend(q, k, v, attention, prepared=prepared)`."""

    q: Tensor
    k: Tensor
    v: Tensor
    attention: Attention
    prepared: Prepared | None


def read_call(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: ModelMask | Tensor | None,
    scaling: float | Tensor | None = None,
    *,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    s_aux: Tensor | None = None,
    softcap: float | None = None,
    **keywords: Any,
) -> Call:
    """What a layer's arguments mean. A keyword that would change the result and is not known is refused by its name."""
    if keywords:
        attention_mask = _kept_apart(attention_mask, keywords.get("cu_seq_lens_q"), keywords.get("cu_seq_lens_k"))
        _check_keywords(module, keywords, attention_mask)
    q, k, v = (query, key, value) if query.dtype == key.dtype == value.dtype else _of_one_type(query, key, value)
    if q.shape[0] == 1 < k.shape[0]:  # queries that are learnt, the same for all rows
        q = q.expand(k.shape[0], -1, -1, -1)
    if isinstance(scaling, Tensor):  # one that is learnt scales the queries
        q, scaling = q * scaling, 1.0
    if isinstance(attention_mask, ModelMask):
        n, prepared = attention_mask.keys.n, attention_mask.prepared
        if n < k.shape[2] == attention_mask.shape[3]:
            k, v = k[:, :, :n], v[:, :, :n]
        _check_sizes(module, attention_mask, q.shape[2], k.shape[2])
        if position_bias is not None:
            position_bias = None if _is_zero(position_bias, prepared) else position_bias[..., :n]

        def make() -> Attention:
            return attention_mask.attention(*_parts(scaling, softcap, s_aux, position_bias))

        if s_aux is not None or position_bias is not None or torch.compiler.is_compiling():
            return Call(q, k, v, make(), prepared)
        return Call(q, k, v, prepared.recall_from((), ("value", scaling, softcap), make), prepared)  # of numbers alone
    mask, added = None, None
    if attention_mask is not None:  # layers that are handed one tensor share what it says
        sizes = (q.shape[0], q.shape[2], k.shape[2])
        make_both = functools.partial(_read_tensor, attention_mask, *sizes)
        mask, added = recall_from((attention_mask,), ("mask of a model", sizes), make_both)
    elif _is_causal(module, is_causal, q.shape[2]):
        mask = Causal()
    window = keywords.get("sliding_window")
    if attention_mask is None and window is not None and window < k.shape[2]:
        name = type(module).__name__
        raise ValueError(f"a window comes with a mask: got sliding_window={window} and no mask from {name}; pass one")
    scores, weighting = _parts(scaling, softcap, s_aux, position_bias, added)
    return Call(q, k, v, Attention(scores, mask, weighting), None)


def _parts(scaling: float | None, softcap: float | None, sink: Tensor | None, *biases: Tensor | None) -> Any:
    """Scores and weighting."""
    scores: Term = Content(None if scaling is None else float(scaling), softcap)
    for bias in biases:
        scores = scores if bias is None else scores + Bias(bias)
    return scores, Softmax(None if sink is None else sink.flatten())


def attend_for_module(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: ModelMask | Tensor | None,
    dropout: float = 0.0,
    output_attentions: bool | None = False,
    **others: Any,
) -> tuple[Tensor, Tensor | None]:
    """`attend` under the signature that models of transformers call: q (B,H,T,D) in, (B,T,H,E) and perhaps maps out."""
    call = read_call(module, query, key, value, attention_mask, **others)
    out = attend(call.q, call.k, call.v, call.attention, dropout=dropout, prepared=call.prepared)
    out = out.transpose(1, 2).contiguous()
    if not (output_attentions or _collects_maps()):
        return out, None
    maps = weights(call.q, call.k, call.attention)
    return out, nn.functional.pad(maps, (0, key.shape[2] - maps.shape[3]))


def _kept_apart(
    mask: ModelMask | Tensor | None, queries: Tensor | None, keys: Tensor | None
) -> ModelMask | Tensor | None:
    """A mask with the packed documents whose ends are told beside it, (n + 1,) from 0 on, if it tells none itself."""
    if queries is None or keys is None or not isinstance(mask, ModelMask) or _tells_documents(mask):
        return mask

    def make() -> ModelMask | None:
        B, _, T, S = mask.shape
        if B > 1 or not T == S == mask.keys.n or not (queries is keys or torch.equal(queries, keys)):
            return None
        documents = Documents(queries.to(mask.device).diff())
        return ModelMask(mask.mask & documents, mask.queries, mask.keys, mask.shape, mask.device)

    apart = mask.prepared.recall_from((queries, keys), "kept apart", make)
    return mask if apart is None else apart


def _tells_documents(mask: object) -> bool:
    return isinstance(mask, ModelMask) and any([isinstance(part, Documents) for part in leaves(mask.mask)])


def _check_keywords(module: nn.Module, keywords: dict[str, Any], mask: object) -> None:
    given = {name for name, value in keywords.items() if value is not None} - SILENT - GIVEN
    if given & PACKED and _tells_documents(mask):
        given -= PACKED  # the mask tells the same documents
    if not given:
        return
    names = ", ".join(sorted(given))
    use = "pass position_ids that start again in each document" if given & PACKED else 'use attn_implementation="eager"'
    raise ValueError(f"regard takes no keyword that it does not know: got {names} from {type(module).__name__}; {use}")


def _check_sizes(module: nn.Module, mask: ModelMask, T: int, S: int) -> None:
    """A model may append keys that its mask knows nothing of, and tell about them by a tensor alone."""
    made = mask.queries.n, mask.keys.n
    if made != (T, S) and not isinstance(mask.mask, Everything):
        raise ValueError(
            f"a mask must be one of the queries and keys that it comes with: got T={T}, S={S} from "
            f'{type(module).__name__}, and a mask made for T={made[0]}, S={made[1]}; use attn_implementation="eager"'
        )


def _collects_maps() -> bool:
    """Whether the model is collecting maps: some take `output_attentions` and tell their layers nothing."""
    if torch.compiler.is_compiling():
        return False
    return any(["attentions" in name for name in _active_collector.get() or ()])


def _of_one_type(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Under autocast models mix types, as they may where matrix products cast: q, k and v of its type."""
    device = tensors[0].device.type
    if torch.is_autocast_enabled(device):
        return tuple([x.to(torch.get_autocast_dtype(device)) for x in tensors])
    return tensors


def _is_causal(module: nn.Module, told: bool | None, T: int) -> bool:
    """Whether no mask means a causal one: as the caller says; a module that only hints at it is refused."""
    if T == 1:
        return False
    if told is not None:
        return told
    if getattr(module, "is_causal", False):
        raise ValueError(
            f"{type(module).__name__} is causal but came without a mask, which sdpa takes for a causal one and eager "
            "for none: got attention_mask=None; pass is_causal=True or False, or a mask, or "
            'use attn_implementation="eager" or "sdpa"'
        )
    return False


def _is_zero(bias: Tensor, prepared: Prepared) -> bool:
    """Whether a bias that does not learn adds nothing, as T5's in cross-attention: looked at once in a pass.

    One that is the same for all queries is Falcon's, made anew in each layer and never zero.
    """
    if bias.requires_grad or bias.is_meta or torch.compiler.is_compiling() or bias.stride(-2) == 0:
        return False
    return prepared.recall_from((bias,), "is zero", lambda: not bool(bias.any()))


def _read_tensor(tensor: Tensor, B: int, T: int, S: int) -> tuple[Mask, Tensor | None]:
    """A model's own mask (B, 1|H, 1|T, S): True where a query may attend, or numbers that are added to the logits.

    The least number of its type hides a pair. What is neither that nor zero is returned as an addition.
    """
    if not isinstance(tensor, Tensor) or tensor.ndim != 4:
        got = tuple(tensor.shape) if isinstance(tensor, Tensor) else type(tensor).__name__
        raise ValueError(
            f"a mask that a model makes must be a tensor (B, 1 or H, 1 or T, S): got {got}; pass such a one"
        )
    tensor = tensor[..., :S].expand(B, -1, T, -1)
    if tensor.dtype == torch.bool:
        return Dense(tensor), None
    if not tensor.is_floating_point():
        raise ValueError(f"a mask must hold booleans or numbers to add to the logits: got {tensor.dtype}; use .bool()")
    hidden = tensor <= torch.finfo(tensor.dtype).min
    added = tensor.masked_fill(hidden, 0)
    looks = not (torch.compiler.is_compiling() or tensor.requires_grad or tensor.is_meta)
    return Dense(~hidden), None if looks and not added.any() else added
