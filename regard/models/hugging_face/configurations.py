"""config.json ⇄ our configurations: every key that changes a number is used, or checked to say what we mean."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from regard.attention import Window
from regard.models.architectures.decoder import DecoderConfig
from regard.models.architectures.encoder import HEADS, EncoderConfig
from regard.models.architectures.encoder_decoder import EncoderDecoderConfig
from regard.models.architectures.vision import ViTConfig
from regard.models.block import BlockConfig
from regard.models.configuration import vary
from regard.models.hugging_face.keys import FIXED, Keys, activation_in_files
from regard.models.hugging_face.llama import read_llama, read_mistral, write_llama, write_mistral
from regard.models.hugging_face.names import FAMILIES, Family
from regard.models.presets import PRESETS
from regard.models.stack import PositionConfig

Published = EncoderConfig | DecoderConfig | EncoderDecoderConfig | ViTConfig

BERT_HEADS = {
    "BertForPreTraining": HEADS,
    "BertForMaskedLM": ("words",),
    "BertForNextSentencePrediction": ("pooler", "next_sentence"),
    "BertModel": (),  # with a pooler where the files have one
}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One model_type: the preset that has transformers' defaults, keys that are fields of ours, and all other keys."""

    preset: str
    architectures: tuple[str, ...]  # the first is written; the last is without a head
    fields: dict[str, str]
    others: Callable[[Keys], dict[str, Any]]
    write: Callable[[Any], dict[str, Any]]
    harmless: tuple[str, ...] = ()


BLOCK = {
    "hidden_size": "width",
    "num_hidden_layers": "depth",
    "num_attention_heads": "num_heads",
    "intermediate_size": "hidden",
    "hidden_act": "activation",
}
LLAMA = BLOCK | {
    "vocab_size": "vocabulary",
    "rms_norm_eps": "eps",
    "max_position_embeddings": "context",
    "tie_word_embeddings": "tied",
}
BERT_DROPOUT = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
GPT2_DROPOUT = {"resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1}
VIT_DROPOUT = dict.fromkeys(BERT_DROPOUT, 0.0)


def _bert(keys: Keys) -> dict[str, Any]:
    keys.fixed(is_encoder_decoder=False, tie_word_embeddings=True, position_embedding_type="absolute")
    return {"dropout": keys.one_dropout(**BERT_DROPOUT)}


def _gpt2(keys: Keys) -> dict[str, Any]:
    keys.fixed(is_encoder_decoder=False, scale_attn_by_inverse_layer_idx=False, reorder_and_upcast_attn=False)
    keys.fixed(n_special=0)
    return {
        "hidden": keys.take("n_inner", None, int),
        "beta": None if keys.take("scale_attn_weights", True) else 1.0,
        "dropout": keys.one_dropout(**GPT2_DROPOUT),
    }


def _t5_activation(feed_forward: str) -> str:
    """Of version 1.1, whose gated-gelu means the approximation."""
    return "gelu_new" if feed_forward == "gated-gelu" else feed_forward.removeprefix("gated-")


def _t5(keys: Keys) -> dict[str, Any]:
    feed_forward = keys.take("feed_forward_proj", "relu")
    gated, activation = feed_forward.startswith("gated-"), _t5_activation(feed_forward)
    keys.fixed(is_encoder_decoder=True, is_gated_act=gated, dense_act_fn=activation)
    tied = keys.take("tie_word_embeddings", True)
    return {
        "gated": gated,
        "activation": keys.activation("feed_forward_proj", activation),
        "decoder_depth": keys.take("num_decoder_layers", None, int),
        "tied": tied,
        "scaled": "head" if keys.take("scale_decoder_outputs", tied) else "none",
        "dropout": keys.one_dropout(dropout_rate=0.1),
    }


def _vit(keys: Keys) -> dict[str, Any]:
    keys.fixed(is_encoder_decoder=False, qkv_bias=True)
    labels = keys.take("id2label", None, dict)
    classes = keys.take("num_labels", 2) if labels is None else len(labels)
    sizes = {}
    for theirs, ours in (("image_size", "image"), ("patch_size", "patch")):
        size = keys.published.get(theirs)
        if isinstance(size, list) and len(set(size)) == 1:
            keys.published = keys.published | {theirs: size[0]}
        sizes[ours] = keys.take(theirs, keys.defaults[ours])
    return sizes | {"classes": classes, "dropout": keys.one_dropout(**VIT_DROPOUT)}


def _write_t5(config: EncoderDecoderConfig) -> dict[str, Any]:
    activation = activation_in_files(config.block.activation)
    gated = {"gelu_new": "gated-gelu", "gelu": "gated-gelu_python"}.get(activation, f"gated-{activation}")
    feed_forward = gated if config.block.gated else activation
    return {
        "feed_forward_proj": feed_forward,
        "dense_act_fn": _t5_activation(feed_forward),
        "is_gated_act": config.block.gated,
        "num_decoder_layers": config.decoder_depth or config.depth,
        "tie_word_embeddings": config.tied,
        "scale_decoder_outputs": config.scaled == "head",
        "dropout_rate": config.dropout,
        "is_encoder_decoder": True,
    }


KINDS = {
    "bert": Kind(
        preset="bert-base",
        architectures=tuple(BERT_HEADS),
        fields=BLOCK
        | {
            "vocab_size": "vocabulary",
            "layer_norm_eps": "eps",
            "max_position_embeddings": "context",
            "type_vocab_size": "num_types",
        },
        others=_bert,
        write=lambda config: dict.fromkeys(BERT_DROPOUT, config.dropout),
        harmless=(
            "directionality",
            "pooler_fc_size",
            "pooler_num_attention_heads",
            "pooler_num_fc_layers",
            "pooler_size_per_head",
            "pooler_type",
        ),
    ),
    "gpt2": Kind(
        preset="gpt2",
        architectures=("GPT2LMHeadModel", "GPT2Model"),
        fields={
            "vocab_size": "vocabulary",
            "n_embd": "width",
            "n_layer": "depth",
            "n_head": "num_heads",
            "n_positions": "context",
            "activation_function": "activation",
            "layer_norm_epsilon": "eps",
            "tie_word_embeddings": "tied",
        },
        others=_gpt2,
        write=lambda config: (
            {"scale_attn_weights": config.block.mechanism.beta is None, "n_inner": config.block.hidden}
            | dict.fromkeys(GPT2_DROPOUT, config.dropout)
        ),
        harmless=(
            "n_ctx",
            "predict_special_tokens",
            "summary_activation",
            "summary_first_dropout",
            "summary_proj_to_labels",
            "summary_type",
            "summary_use_proj",
        ),
    ),
    "llama": Kind(
        preset="llama-7b",
        architectures=("LlamaForCausalLM", "LlamaModel"),
        fields=LLAMA,
        others=read_llama,
        write=write_llama,
        harmless=("max_sequence_length", "pretraining_tp"),
    ),
    "mistral": Kind(
        preset="mistral-7b",
        architectures=("MistralForCausalLM", "MistralModel"),
        fields=LLAMA,
        others=read_mistral,
        write=write_mistral,
    ),
    "t5": Kind(
        preset="t5-small",
        architectures=("T5ForConditionalGeneration", "T5WithLMHeadModel", "T5Model"),
        fields={
            "vocab_size": "vocabulary",
            "d_model": "width",
            "d_kv": "head",
            "d_ff": "hidden",
            "num_layers": "depth",
            "num_heads": "num_heads",
            "relative_attention_num_buckets": "num_buckets",
            "relative_attention_max_distance": "most",
            "layer_norm_epsilon": "eps",
        },
        others=_t5,
        write=_write_t5,
        harmless=("n_positions",),
    ),
    "vit": Kind(
        preset="vit-base",
        architectures=("ViTForImageClassification", "ViTModel"),
        fields=BLOCK | {"layer_norm_eps": "eps", "num_channels": "channels"},
        others=_vit,
        write=lambda config: (
            {"image_size": config.image, "patch_size": config.patch}
            | ({"id2label": {str(n): f"LABEL_{n}" for n in range(config.classes)}} if config.classes else {})
            | {"architectures": ["ViTForImageClassification" if config.classes else "ViTModel"]}
            | dict.fromkeys(VIT_DROPOUT, config.dropout)
        ),
        harmless=("encoder_stride", "pooler_act", "pooler_output_size", "tie_word_embeddings"),
    ),
}


def kind_of(config: object) -> str:
    """The model_type of a configuration of ours."""
    if isinstance(config, DecoderConfig):
        if config.positions.kind != "rotary":
            return "gpt2"
        mask = config.block.mechanism.mask
        return "mistral" if isinstance(mask, Window) and mask.after == 0 else "llama"
    types = {EncoderConfig: "bert", EncoderDecoderConfig: "t5", ViTConfig: "vit"}
    if type(config) not in types:
        raise ValueError(
            "a folder holds an Encoder, Decoder, EncoderDecoder or ViT: "
            f"got a model of {type(config).__name__}; use safetensors.torch.save_model"
        )
    return types[type(config)]


def family_of(config: Published) -> Family:
    gated = isinstance(config, EncoderDecoderConfig) and config.block.gated
    return FAMILIES[kind_of(config) + ("-gated" if gated else "")]


def check_kind(published: dict[str, Any]) -> Kind:
    """The kind of a config.json, or an error that names what is not implemented."""
    name = published.get("model_type")
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"model_type must be one of {', '.join(KINDS)}: got {name!r}; use another model")
    kind = KINDS[name]
    named = published.get("architectures") or []
    for architecture in named if isinstance(named, list) else [named]:
        if architecture not in kind.architectures:
            raise ValueError(
                f"architectures of {name} must be among {', '.join(kind.architectures)}: got {architecture!r}; "
                "use another model"
            )
    return kind


def read(
    published: dict[str, Any],
    names: Collection[str] = (),
    *,
    dropout: float | None = None,
    ignore: Collection[str] = (),
) -> Published:
    """Our configuration of a config.json. BERT and ViT have heads of their architecture and by `names` of tensors.

    >>> read({"model_type": "gpt2", "n_layer": 6}).depth
    6
    """
    kind = check_kind(published)
    base = PRESETS[kind.preset]
    assert isinstance(base, Published)
    keys = Keys(published, describe(base), dropout)
    keys.fixed(**FIXED)
    keys.fixed(is_decoder=isinstance(base, DecoderConfig) and published.get("is_decoder", False))  # which they ignore
    values = keys.fields(kind.fields) | kind.others(keys)
    if isinstance(base, EncoderConfig):
        values["heads"] = _bert_heads(published, names)
    if isinstance(base, DecoderConfig):
        without = published.get("architectures") == [kind.architectures[-1]] and "lm_head.weight" not in names
        values["headless"] = without and not values["tied"]
    if isinstance(base, ViTConfig):
        values |= _vit_heads(keys, names, values["width"])
    keys.check_all_read({*kind.harmless, *ignore})
    return vary(base, **values)


def _bert_heads(published: dict[str, Any], names: Collection[str]) -> tuple[str, ...]:
    heads = {head for architecture in published.get("architectures") or () for head in BERT_HEADS[architecture]}
    for head, start in (
        ("pooler", "pooler."),
        ("words", "cls.predictions."),
        ("next_sentence", "cls.seq_relationship."),
    ):
        if any(name.startswith(start) for name in names):
            heads.add(head)
    if "next_sentence" in heads:
        heads.add("pooler")
    return tuple([head for head in HEADS if head in heads])


def _vit_heads(keys: Keys, names: Collection[str], width: int) -> dict[str, Any]:
    """A pooler where the files have one; a classifier too, or where the architecture has one."""
    pooler = any(name.startswith("pooler.") for name in names)
    if pooler:
        size = {} if keys.published.get("pooler_output_size") is None else {"pooler_output_size": width}
        keys.fixed(pooler_act="tanh", **size)
    architectures = keys.published.get("architectures") or ([] if names else ["ViTForImageClassification"])
    head = "ViTForImageClassification" in architectures or any(name.startswith("classifier.") for name in names)
    return {"pooler": pooler} | ({} if head else {"classes": None})


def write(config: object) -> dict[str, Any]:
    """The config.json of a configuration of ours, or an error that says what transformers has no model for.

    >>> from regard.models import PRESETS
    >>> write(PRESETS["gpt2"])["n_embd"]
    768
    """
    name = kind_of(config)
    kind, facts = KINDS[name], describe(config)
    architecture = kind.architectures[-1 if facts.get("headless") else 0]
    published = {"model_type": name, "architectures": [architecture]} | kind.write(config)
    for theirs, ours in kind.fields.items():
        if ours not in facts:  # of other positions; reading it again tells
            continue
        published[theirs] = activation_in_files(facts[ours]) if ours == "activation" else facts[ours]
    if isinstance(config, EncoderConfig):
        # The first that finds all its heads; what is beyond them is stored, and it does not read it.
        fitting = [name for name, heads in BERT_HEADS.items() if set(heads) <= set(config.heads)]
        published |= {"architectures": fitting[:1], "tie_word_embeddings": True}
    by_names = {fact: facts[fact] for fact in ("heads", "pooler") if fact in facts}  # which tensors say
    again = describe(read(published)) | by_names
    different = [f"{name}={value!r}" for name, value in facts.items() if not _same(value, again.get(name))]
    if different:
        raise ValueError(
            f"a folder of {name} must say all of a configuration: got {', '.join(different)}, which it cannot say; "
            "use safetensors.torch.save_model"
        )
    return published


def _same(one: Any, other: Any) -> bool:
    """Numbers by their size; masks and weightings, which have no equality, by what they print."""
    return one == other or repr(one) == repr(other)


def describe(config: object) -> dict[str, Any]:
    """All fields, of the parts too, with what None stands for, and without positions' that their kind does not have.

    >>> describe(PRESETS["gpt2"])["hidden"]
    3072
    """
    facts = {}
    for field in fields(config):  # pyright: ignore[reportArgumentType] - a dataclass
        value = getattr(config, field.name)
        facts |= describe(value) if is_dataclass(value) and field.name in PARTS else {field.name: value}
    if isinstance(config, BlockConfig):
        facts |= {"num_groups": config.groups, "head": config.head_width, "hidden": config.hidden_width}
    if isinstance(config, EncoderDecoderConfig):
        facts |= {"decoder_depth": config.decoder_depth or config.depth}
    if isinstance(config, PositionConfig):
        return {name: facts[name] for name in ("kind", *POSITIONS[config.kind])}
    return facts


PARTS = ("block", "norm", "mechanism", "positions")
POSITIONS = {
    "learned": ("context",),
    "sinusoidal": ("context", "base"),
    "rotary": ("context", "base", "scaling"),
    "buckets": ("num_buckets", "most"),
    "none": ("context",),
}
