"""The weights of transformers' models under our names: each of theirs goes to one of ours."""

import re

from torch import Tensor

BERT = {
    r"^bert\.": "",
    r"^embeddings\.word_embeddings": "embedding",
    r"^embeddings\.position_embeddings": "stack.positions",
    r"^embeddings\.token_type_embeddings": "types",
    r"^embeddings\.LayerNorm": "stack.entry_norm",
    r"^encoder\.layer\.": "stack.blocks.",
    r"attention\.self\.": "attention.",
    r"attention\.output\.dense": "attention.out",
    r"attention\.output\.LayerNorm": "norm",
    r"intermediate\.dense": "feed_forward.inner",
    r"(\d+)\.output\.dense": r"\1.feed_forward.out",
    r"(\d+)\.output\.LayerNorm": r"\1.feed_forward_norm",
    r"^pooler\.dense": "pooler",
    r"^cls\.predictions\.transform\.dense": "words.transform",
    r"^cls\.predictions\.transform\.LayerNorm": "words.norm",
    r"^cls\.predictions\.bias": "words.bias",
    r"^cls\.predictions\.decoder\..*": "",  # the embedding, and the same bias again
    r"^cls\.seq_relationship": "next_sentence",
}
GPT2 = {
    r"^transformer\.": "",
    r"^wte": "embedding",
    r"^wpe": "stack.positions",
    r"^h\.": "stack.blocks.",
    r"^ln_f": "stack.norm",
    r"ln_1": "norm",
    r"ln_2": "feed_forward_norm",
    r"attn\.c_proj": "attention.out",
    r"attn\.c_attn": "attention.all",
    r"mlp\.c_fc": "feed_forward.inner",
    r"mlp\.c_proj": "feed_forward.out",
    r"^lm_head\..*": "",
}
LLAMA = {
    r"^model\.embed_tokens": "embedding",
    r"^model\.layers\.": "stack.blocks.",
    r"^model\.norm": "stack.norm",
    r"self_attn\.": "attention.",
    r"q_proj": "query",
    r"k_proj": "key",
    r"v_proj": "value",
    r"o_proj": "out",
    r"mlp\.gate_proj": "feed_forward.gate",
    r"mlp\.up_proj": "feed_forward.inner",
    r"mlp\.down_proj": "feed_forward.out",
    r"input_layernorm": "norm",
    r"post_attention_layernorm": "feed_forward_norm",
    r"^lm_head": "head",
}
T5 = {
    r"^shared": "embedding",
    r"^(en|de)coder\.embed_tokens\..*": "",
    r"\.block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.weight": ".positions.table",
    r"\.block\.": ".blocks.",
    r"\.final_layer_norm": ".norm",
    r"layer\.0\.SelfAttention": "attention",
    r"layer\.0\.layer_norm": "norm",
    r"layer\.1\.EncDecAttention": "cross",
    r"(decoder.*)layer\.1\.layer_norm": r"\1cross_norm",
    r"layer\.[12]\.layer_norm": "feed_forward_norm",
    r"layer\.[12]\.DenseReluDense\.": "feed_forward.",
    r"\.q\.": ".query.",
    r"\.k\.": ".key.",
    r"\.v\.": ".value.",
    r"\.o\.": ".out.",
    r"wi_0": "gate",
    r"wi(_1)?\.": "inner.",
    r"wo": "out",
    r"^lm_head": "head",
}
VIT = {
    r"^vit\.": "",
    r"^embeddings\.cls_token": "class_token",
    r"^embeddings\.position_embeddings": "stack.positions.weight",
    r"^embeddings\.patch_embeddings\.projection": "patches.conv",
    r"^layers\.": "stack.blocks.",
    r"^layernorm": "stack.norm",
    r"layernorm_before": "norm",
    r"layernorm_after": "feed_forward_norm",
    r"q_proj": "query",
    r"k_proj": "key",
    r"v_proj": "value",
    r"o_proj": "out",
    r"mlp\.fc1": "feed_forward.inner",
    r"mlp\.fc2": "feed_forward.out",
    r"^classifier": "head",
}


def renamed(theirs: dict[str, Tensor], names: dict[str, str]) -> dict[str, Tensor]:
    """Their weights by our names; those that are others again are left out."""
    ours = {}
    for name, weight in theirs.items():
        for pattern, new in names.items():
            name = re.sub(pattern, new, name)
        if name:
            assert name not in ours
            ours[name] = weight
    return ours


def from_gpt2(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """GPT-2 has queries, keys and values in one matrix, and its matrices lie the other way round."""
    ours = {}
    for name, weight in renamed(theirs, GPT2).items():
        weight = weight.T if weight.ndim == 2 and "blocks" in name else weight
        if ".all." in name:
            for part, third in zip(("query", "key", "value"), weight.chunk(3), strict=True):
                ours[name.replace("all", part)] = third
        else:
            ours[name] = weight
    return ours


def from_vit(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The class token and the places have a batch of one there."""
    ours = renamed(theirs, VIT)
    ours["class_token"] = ours["class_token"].flatten()
    ours["stack.positions.weight"] = ours["stack.positions.weight"][0]
    return ours
