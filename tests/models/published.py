"""Small models of transformers, folders of them, and their weights under our names."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from torch import Tensor, nn

from regard.models.hugging_face.configurations import family_of
from regard.models.hugging_face.names import stored
from tests.tolerances import apart, assert_together

V, C, T = 50, 32, 7
LENGTHS = (7, 4)
REAL = torch.arange(T) < torch.tensor(LENGTHS)[:, None]
EAGER = {"attn_implementation": "eager"}  # the other kinds give no maps
SIZES = {"hidden_size": C, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40}
GPT2 = {
    "vocab_size": V,
    "n_embd": C,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 16,
    "bos_token_id": 3,
    "eos_token_id": 4,
}
T5 = {"vocab_size": V, "d_model": C, "d_kv": 6, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 1, "num_heads": 4}
LLAMA = {**SIZES, "vocab_size": V, "num_key_value_heads": 2, "rms_norm_eps": 1e-3}


def bert(name: str, **options: Any) -> Any:
    return getattr(transformers, name)(transformers.BertConfig(vocab_size=V, **SIZES, **options, **EAGER))


def gpt2(name: str = "GPT2LMHeadModel", **options: Any) -> Any:
    return getattr(transformers, name)(transformers.GPT2Config(**GPT2 | options, **EAGER))


def llama(**options: Any) -> Any:
    rope = {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA | rope | options, **EAGER))


def t5(name: str = "T5ForConditionalGeneration", **options: Any) -> Any:
    return getattr(transformers, name)(transformers.T5Config(**T5 | options, **EAGER))


def t5_untied() -> Any:
    """Version 1.1, as published: a head of its own, and nothing scaled."""
    theirs = t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    theirs.lm_head.weight = torch.nn.Parameter(torch.randn(V, C))
    return theirs


def vit() -> Any:
    options = {"image_size": 12, "patch_size": 4, "id2label": {0: "cat", 1: "dog", 2: "owl"}}
    return transformers.ViTForImageClassification(transformers.ViTConfig(**SIZES, **options, **EAGER))


CASES: dict[str, Callable[[], Any]] = {
    "bert": lambda: bert("BertForPreTraining", layer_norm_eps=1e-3, type_vocab_size=3),
    "bert words": lambda: bert("BertForMaskedLM", hidden_act="gelu_new"),
    "bert base": lambda: bert("BertModel", hidden_act="relu"),
    "gpt2": lambda: gpt2(n_inner=40, layer_norm_epsilon=1e-3),
    "gpt2 base": lambda: gpt2("GPT2Model", scale_attn_weights=False),
    "gpt2 untied": lambda: gpt2(tie_word_embeddings=False),
    "llama": llama,
    "llama tied with biases": lambda: llama(tie_word_embeddings=True, attention_bias=True, mlp_bias=True, head_dim=6),
    "t5 v1.0": lambda: t5(relative_attention_num_buckets=8, relative_attention_max_distance=5),
    "t5 v1.1": t5_untied,
    "t5 v1.1 tied": lambda: t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "vit": vit,
}


def saved(theirs: Any, folder: Path, **options: Any) -> Path:
    theirs.save_pretrained(folder, **options)
    return folder


def the_same(ours: Any, theirs: Any) -> None:
    """Hidden states, scores and maps at real tokens, as near as the conditioning of the model lets them be."""
    kind, dtype = theirs.config.model_type, next(theirs.parameters()).dtype
    words, mask, images = torch.randint(V, (2, T)), REAL.long(), torch.randn(2, 3, 12, 12, dtype=dtype)

    def run(model: nn.Module) -> dict[str, Tensor]:
        with torch.no_grad():
            if kind == "vit":
                out = model(images.to(next(model.parameters()).dtype), maps=True)
            else:
                out = model(words, *([words[:, :5]] if kind == "t5" else []), LENGTHS, maps=True)
        found = {name: getattr(out, name) for name in ("logits", "hidden", "memory", "pooled", "next_sentence")}
        found |= {f"map {n}": one.transpose(1, 2) for n, one in enumerate(out.maps["self"])}
        return {name: _at_real(x) for name, x in found.items() if x is not None}

    with torch.no_grad():
        if kind == "vit":
            want = theirs(images, output_attentions=True)
        elif kind == "t5":
            want = theirs(words, mask, decoder_input_ids=words[:, :5], output_attentions=True)
        else:
            want = theirs(words, attention_mask=mask, output_attentions=True)
    told = {"logits": want.get("logits", want.get("prediction_logits")), "hidden": want.get("last_hidden_state")}
    told |= {"memory": want.get("encoder_last_hidden_state"), "pooled": want.get("pooler_output")}
    told |= {"next_sentence": want.get("seq_relationship_logits")}
    told = {name: x for name, x in told.items() if x is not None}
    assert told
    attentions = want.get("attentions", want.get("decoder_attentions"))
    told |= {f"map {n}": other.transpose(1, 2) for n, other in enumerate(attentions)}
    got, limits = run(ours), apart(ours, run)
    assert_together(
        {name: got[name] for name in told},
        {name: _at_real(x) for name, x in told.items()},
        {name: limits[name] for name in told},
    )


def _at_real(x: Tensor) -> Tensor:
    return x[REAL] if x.shape[:2] == REAL.shape else x


def with_tokenizer(folder: Path) -> Path:
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "once": 1, "upon": 2}, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(folder / "tokenizer.json"))
    return folder


def copied(folder: Path, to: Path, **config: Any) -> Path:
    shutil.copytree(folder, to)
    if config:
        (to / "config.json").write_text(json.dumps(json.loads((to / "config.json").read_text()) | config))
    return to


def renamed(theirs: dict[str, Tensor], ours: nn.Module) -> dict[str, Tensor]:
    """Tensors under the names of their files, for a model of ours."""
    family = family_of(ours.config)
    pairs = [
        tensor.split(theirs[name if tensor.head else family.prefix + name])
        for name, tensor in stored(ours, family).items()
    ]
    return {name: part for parts in pairs for name, part in parts}
