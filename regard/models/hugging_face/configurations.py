"""config.json ⇄ our configurations: every key that changes a number is used, or checked to say what we mean."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from regard.attention import Window
from regard.layers import DynamicScaling, Llama3Scaling, LongScaling, RotaryScaling, YarnScaling
from regard.models.architectures.decoder import DecoderConfig
from regard.models.architectures.encoder import HEADS, PRETRAINING, EncoderConfig
from regard.models.architectures.encoder_decoder import EncoderDecoderConfig
from regard.models.architectures.vision import ViTConfig
from regard.models.block import EVERYTHING, BlockConfig
from regard.models.hugging_face.keys import ELSEWHERE, FIXED, Keys, activation_in_files
from regard.models.hugging_face.names import FAMILIES, Family
from regard.models.presets import PRESETS, vary
from regard.models.stack import PositionConfig

Published = EncoderConfig | DecoderConfig | EncoderDecoderConfig | ViTConfig


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One model_type: the preset that has transformers' defaults, keys that are fields of ours, and all other keys."""

    preset: str
    architectures: tuple[str, ...]  # the first is written; the last is without a head
    fields: dict[str, str]
    dropouts: dict[str, float]  # which are one in our models, and their defaults
    defaults: dict[str, Any] = field(default_factory=dict)  # of fields, where the preset has others
    fixed: dict[str, Any] = field(default_factory=dict)  # what a file may say, and we mean
    others: Callable[[Keys], dict[str, Any]] = lambda keys: {}
    write: Callable[[Any], dict[str, Any]] = lambda config: {}
    harmless: tuple[str, ...] = ()


# Heads of each architecture of encoders; the last is without one, but for a pooler where the files have it.
ENCODER_HEADS = {
    "ForPreTraining": PRETRAINING,
    "ForMaskedLM": ("words",),
    "ForNextSentencePrediction": ("pooler", "next_sentence"),
    "ForSequenceClassification": ("pooler", "sequence_labels"),
    "ForTokenClassification": ("token_labels",),
    "Model": (),
}
MARKS = {  # the beginnings of names of tensors that tell of a head
    "pooler.": "pooler",
    "cls.predictions.": "words",
    "cls.seq_relationship.": "next_sentence",
    "lm_head.": "words",
    "vocab_": "words",
}


def _encoders(start: str, *without: str) -> tuple[str, ...]:
    return tuple([start + end for end in ENCODER_HEADS if end not in without])


def _heads_of(architecture: str) -> tuple[str, ...]:
    return next(heads for end, heads in ENCODER_HEADS.items() if architecture.endswith(end))


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
BERT = BLOCK | {"vocab_size": "vocabulary", "layer_norm_eps": "eps", "type_vocab_size": "num_types"}
T5 = {
    "vocab_size": "vocabulary",
    "d_model": "width",
    "d_kv": "head",
    "d_ff": "hidden",
    "num_layers": "depth",
    "num_heads": "num_heads",
    "relative_attention_num_buckets": "num_buckets",
    "relative_attention_max_distance": "most",
    "layer_norm_epsilon": "eps",
}
BERT_DROPOUT = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
BERT_FIXED = {"tie_word_embeddings": True, "position_embedding_type": "absolute"}


def _roberta(keys: Keys) -> dict[str, Any]:
    """The table of positions of BERT, which begins with rows for pads."""
    offset = keys.take("pad_token_id", 1) + 1
    return {"offset": offset, "context": keys.take("max_position_embeddings", 512) - offset}


def _write_roberta(config: EncoderConfig) -> dict[str, Any]:
    positions = config.positions
    return {
        "max_position_embeddings": positions.context + positions.offset,
        "pad_token_id": positions.offset - 1,
    }


def _gpt2(keys: Keys) -> dict[str, Any]:
    return {
        "hidden": keys.take("n_inner", None, int),
        "beta": None if keys.take("scale_attn_weights", True) else 1.0,
    }


def _t5_activation(feed_forward: str) -> str:
    """Of version 1.1, whose gated-gelu means the approximation."""
    return "gelu_new" if feed_forward == "gated-gelu" else feed_forward.removeprefix("gated-")


def _t5(keys: Keys, feed_forward: str = "relu") -> dict[str, Any]:
    feed_forward = keys.take("feed_forward_proj", feed_forward)
    gated, activation = feed_forward.startswith("gated-"), _t5_activation(feed_forward)
    keys.fixed(is_gated_act=gated, dense_act_fn=activation)
    tied = keys.take("tie_word_embeddings", True)
    return {
        "gated": gated,
        "activation": keys.activation("feed_forward_proj", activation),
        "decoder_depth": keys.take("num_decoder_layers", None, int),
        "tied": tied,
        "scaled": "head" if keys.take("scale_decoder_outputs", tied) else "none",
    }


def _count_labels(keys: Keys) -> int:
    labels = keys.take("id2label", None, dict)
    return keys.take("num_labels", 2) if labels is None else len(labels)


def _write_labels(count: int) -> dict[str, Any]:
    return {"id2label": {str(n): f"LABEL_{n}" for n in range(count)}}


def _vit(keys: Keys) -> dict[str, Any]:
    classes = _count_labels(keys)
    sizes = {}
    for theirs, ours in (("image_size", "image"), ("patch_size", "patch")):
        size = keys.published.get(theirs)
        if isinstance(size, list) and len(set(size)) == 1:
            keys.published = keys.published | {theirs: size[0]}
        sizes[ours] = keys.take(theirs, keys.defaults[ours])
    return sizes | {"classes": classes}


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
        "is_encoder_decoder": True,
    }


# rope_type → ours, and theirs → our fields.
FACTOR = {"factor": "factor"}
ORIGINAL = FACTOR | {"original_max_position_embeddings": "original"}
BOTH_LISTS = {"short_factor": "short", "long_factor": "long", "attention_factor": "attention"}
SCALINGS: dict[str, tuple[type[RotaryScaling] | None, dict[str, str]]] = {
    "default": (None, {}),
    "linear": (RotaryScaling, FACTOR),
    "llama3": (Llama3Scaling, ORIGINAL | {"low_freq_factor": "low", "high_freq_factor": "high"}),
    "yarn": (YarnScaling, ORIGINAL | {"beta_slow": "low", "beta_fast": "high", "attention_factor": "attention"}),
    "dynamic": (DynamicScaling, FACTOR),
    "longrope": (LongScaling, ORIGINAL | BOTH_LISTS),
}
MAY_LACK = ("beta_slow", "beta_fast", "attention_factor")
KINDS_OF_VALUES = {"original": int, "short": list, "long": list}


def read_llama(keys: Keys) -> dict[str, Any]:
    bias = keys.take("attention_bias", False)
    if keys.take("mlp_bias", False) != bias:
        raise ValueError(f"mlp_bias must be as attention_bias: got {not bias} and {bias}; {ELSEWHERE}")
    groups = keys.take("num_key_value_heads", None, int)
    return rotary(keys) | {"bias": bias, "num_groups": groups, "head": keys.take("head_dim", None, int)}


def read_mistral(keys: Keys) -> dict[str, Any]:
    """Llama without biases and with a window; the defaults are not those of any model that was published."""
    window = keys.unless_null("sliding_window", 4096)
    return rotary(keys) | {
        "mask": EVERYTHING if window is None else Window(before=window - 1),
        "num_groups": keys.unless_null("num_key_value_heads", 8),
        "head": keys.take("head_dim", None, int),
    }


def read_qwen(keys: Keys, head: int | None = None) -> dict[str, Any]:
    """Llama with biases of queries, keys and values; a window that some layers have is not used in published ones.

    Qwen3 has no biases, and norms of queries and keys.
    """
    keys.read |= {"sliding_window", "max_window_layers"}  # of no use without use_sliding_window
    layers = keys.take("layer_types", [])
    if set(layers) - {"full_attention"}:
        raise ValueError(f"layer_types must all be 'full_attention': got {sorted(set(layers))}; {ELSEWHERE}")
    groups = keys.unless_null("num_key_value_heads", 32)
    return rotary(keys) | {"num_groups": groups, "head": keys.take("head_dim", head, int)}


def write_llama(config: DecoderConfig) -> dict[str, Any]:
    biases = {"attention_bias": config.block.bias, "mlp_bias": config.block.bias}
    return write_unbiased(config) | biases


def write_unbiased(config: DecoderConfig) -> dict[str, Any]:
    """What Llama, Mistral and Qwen say alike."""
    heads = {"num_key_value_heads": config.block.groups, "head_dim": config.block.head_width}
    return rotary_in_files(config.positions.base, config.positions.scaling) | heads


def write_mistral(config: DecoderConfig) -> dict[str, Any]:
    mask = config.block.mechanism.mask
    assert isinstance(mask, Window)
    return write_unbiased(config) | {"sliding_window": mask.before + 1}


def rotary(keys: Keys) -> dict[str, Any]:
    """Base and scaling, from rope_theta and rope_scaling (transformers 4) or from rope_parameters (5).

    >>> rotary(Keys({"rope_theta": 500000.0, "rope_scaling": {"type": "linear", "factor": 2.0}}, {}, None))
    {'base': 500000.0, 'scaling': RotaryScaling(factor=2.0)}
    """
    beside = keys.take("rope_theta", None, float)
    given = {key: keys.take(key, {}, dict) for key in ("rope_scaling", "rope_parameters")}
    context = keys.published.get("max_position_embeddings") or keys.defaults.get("context", 2048)
    original = keys.take("original_max_position_embeddings", None, int)  # where Phi-3 has it
    said = [_rope(key, rope, beside, context, original) for key, rope in given.items() if rope] or [(beside, None)]
    base, scaling = said[0]
    if said[-1] != said[0] or beside not in (None, base):
        got = ", ".join([f"{key}={keys.published[key]!r}" for key in ("rope_theta", *given) if key in keys.published])
        raise ValueError(f"rotary positions must be told once, or twice alike: got {got}; remove one")
    return {"base": 10000.0 if base is None else base, "scaling": scaling}


def _rope(
    key: str, rope: dict[str, Any], beside: float | int | None, context: int, original: int | None
) -> tuple[float | int | None, RotaryScaling | None]:
    keys = Keys(rope, {}, None)
    kind = keys.take("rope_type", keys.take("type", "default"))
    if kind not in SCALINGS:
        raise ValueError(f"{key} must be of type {', '.join(SCALINGS)}: got {kind!r}; {ELSEWHERE}")
    ours, names = SCALINGS[kind]
    found = {name: keys.take(name, None, KINDS_OF_VALUES.get(names[name], float)) for name in names}
    if kind == "longrope":
        known = "original_max_position_embeddings"
        found[known] = found[known] or original or context
        found["factor"] = found["factor"] or context / found[known]
    base = keys.take("rope_theta", beside, float)
    if unknown := sorted(rope.keys() - keys.read):
        said = ", ".join(["rope_theta", *names])
        raise ValueError(f"{key} of type {kind} says {said} and no more: got {unknown}; {ELSEWHERE}")
    if missing := [name for name, value in found.items() if value is None and name not in MAY_LACK]:
        raise ValueError(f"{key} of type {kind} must say {', '.join(missing)}: got {rope}; correct it")
    values = {names[name]: value for name, value in found.items() if value is not None}
    values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    values |= {"original": context} if kind == "dynamic" else {}
    return base, None if ours is None else ours(**values)


def rotary_in_files(base: float | int, scaling: RotaryScaling | None) -> dict[str, Any]:
    """What transformers 4 and 5 read; nothing of a scaling that they have not, which reading it again tells."""
    kind = next((name for name, (ours, _) in SCALINGS.items() if ours is type(scaling)), "default")
    rope: dict[str, Any] = {"rope_type": kind}
    for theirs, ours in SCALINGS[kind][1].items():
        value = getattr(scaling, ours)
        if value is not None:
            rope[theirs] = list(value) if isinstance(value, tuple) else value if ours == "original" else float(value)
    return {
        "rope_theta": base,
        "rope_scaling": None if kind == "default" else rope,
        "rope_parameters": rope | {"rope_theta": float(base)},
    }


ROBERTA = {
    "preset": "roberta-base",
    "fields": BERT,
    "dropouts": BERT_DROPOUT,
    "fixed": BERT_FIXED | {"hidden_act": "gelu"},  # the head for words has it, whatever the file says
    "others": _roberta,
    "write": _write_roberta,
}
QWEN = {
    "fields": LLAMA,
    "dropouts": {"attention_dropout": 0.0},
    "defaults": {
        "vocab_size": 151936,
        "hidden_size": 4096,
        "intermediate_size": 22016,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
    },
    "write": lambda config: write_unbiased(config) | {"use_sliding_window": False},
}
QWEN_FIXED = {"partial_rotary_factor": 1.0, "use_sliding_window": False, "use_mrope": False}
KINDS = {
    "bert": Kind(
        preset="bert-base",
        architectures=_encoders("Bert"),
        fields=BERT | {"max_position_embeddings": "context"},
        dropouts=BERT_DROPOUT,
        fixed=BERT_FIXED,
        harmless=(
            "directionality",
            "pooler_fc_size",
            "pooler_num_attention_heads",
            "pooler_num_fc_layers",
            "pooler_size_per_head",
            "pooler_type",
        ),
    ),
    "distilbert": Kind(
        preset="distilbert-base",
        architectures=_encoders("DistilBert", "ForPreTraining", "ForNextSentencePrediction"),
        fields={
            "vocab_size": "vocabulary",
            "dim": "width",
            "n_layers": "depth",
            "n_heads": "num_heads",
            "hidden_dim": "hidden",
            "activation": "activation",
            "max_position_embeddings": "context",
        },
        dropouts={"dropout": 0.1, "attention_dropout": 0.1},
        fixed={"tie_word_embeddings": True, "sinusoidal_pos_embds": False},
        harmless=("qa_dropout", "seq_classif_dropout", "tie_weights_"),
    ),
    "roberta": Kind(
        architectures=_encoders("Roberta", "ForPreTraining", "ForNextSentencePrediction"),
        defaults={"type_vocab_size": 2, "layer_norm_eps": 1e-12},
        **ROBERTA,
    ),
    "xlm-roberta": Kind(
        architectures=_encoders("XLMRoberta", "ForPreTraining", "ForNextSentencePrediction"),
        defaults={"vocab_size": 30522, "type_vocab_size": 2, "layer_norm_eps": 1e-12},
        **ROBERTA,
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
        dropouts={"resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1},
        fixed={"scale_attn_by_inverse_layer_idx": False, "reorder_and_upcast_attn": False, "n_special": 0},
        others=_gpt2,
        write=lambda config: {
            "scale_attn_weights": config.block.mechanism.beta is None,
            "n_inner": config.block.hidden,
        },
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
        dropouts={"attention_dropout": 0.0},
        fixed={"rope_interleaved": False, "partial_rotary_factor": 1.0, "sliding_window": None},
        others=read_llama,
        write=write_llama,
        harmless=("max_sequence_length", "pretraining_tp"),
    ),
    "mistral": Kind(
        preset="mistral-7b",
        architectures=("MistralForCausalLM", "MistralModel"),
        fields=LLAMA,
        dropouts={"attention_dropout": 0.0},
        defaults={"max_position_embeddings": 131072, "rms_norm_eps": 1e-6},
        fixed={"partial_rotary_factor": 1.0},
        others=read_mistral,
        write=write_mistral,
    ),
    "mt5": Kind(  # T5 with other defaults, never scaled, and tied whatever the file says; it is saved as the T5 it is
        preset="t5-small",
        architectures=("MT5ForConditionalGeneration", "MT5Model"),
        fields=T5,
        dropouts={"dropout_rate": 0.1},
        defaults={"vocab_size": 250112, "d_ff": 1024, "num_layers": 8, "num_heads": 6},
        others=lambda keys: _t5(keys, "gated-gelu") | {"tied": True, "scaled": "none"},
        write=_write_t5,
        harmless=("n_positions",),
    ),
    "qwen2": Kind(
        preset="qwen2-7b",
        architectures=("Qwen2ForCausalLM", "Qwen2Model"),
        fixed=QWEN_FIXED,
        others=read_qwen,
        **QWEN,
    ),
    "qwen3": Kind(
        preset="qwen3-8b",
        architectures=("Qwen3ForCausalLM", "Qwen3Model"),
        fixed=QWEN_FIXED | {"attention_bias": False},
        others=lambda keys: read_qwen(keys, head=128),
        **QWEN,
    ),
    "t5": Kind(
        preset="t5-small",
        architectures=("T5ForConditionalGeneration", "T5WithLMHeadModel", "T5Model"),
        fields=T5,
        dropouts={"dropout_rate": 0.1},
        others=_t5,
        write=_write_t5,
        harmless=("n_positions",),
    ),
    "vit": Kind(
        preset="vit-base",
        architectures=("ViTForImageClassification", "ViTModel"),
        fields=BLOCK | {"layer_norm_eps": "eps", "num_channels": "channels"},
        dropouts=dict.fromkeys(BERT_DROPOUT, 0.0),
        fixed={"qkv_bias": True},
        others=_vit,
        write=lambda config: (
            {"image_size": config.image, "patch_size": config.patch}
            | (_write_labels(config.classes) if config.classes else {})
            | {"architectures": ["ViTForImageClassification" if config.classes else "ViTModel"]}
        ),
        harmless=("encoder_stride", "pooler_act", "pooler_output_size", "tie_word_embeddings"),
    ),
}


def kind_of(config: object) -> str:
    """The model_type of a configuration of ours."""
    if isinstance(config, DecoderConfig):
        if config.positions.kind != "rotary":
            return "gpt2"
        if config.block.head_norm:
            return "qwen3"
        if config.block.projection_bias not in (None, config.block.bias):
            return "qwen2"
        mask = config.block.mechanism.mask
        return "mistral" if isinstance(mask, Window) and mask.after == 0 else "llama"
    if isinstance(config, EncoderConfig) and config.positions.offset:
        return "roberta"
    if isinstance(config, EncoderConfig) and not config.num_types:
        return "distilbert"
    types = {EncoderConfig: "bert", EncoderDecoderConfig: "t5", ViTConfig: "vit"}
    if type(config) not in types:
        raise ValueError(
            "a folder holds an Encoder, Decoder, EncoderDecoder or ViT: "
            f"got a model of {type(config).__name__}; use safetensors.torch.save_model"
        )
    return types[type(config)]


def family_of(config: Published) -> Family:
    kind = kind_of(config)
    gated = isinstance(config, EncoderDecoderConfig) and config.block.gated
    of_sequences = kind == "roberta" and isinstance(config, EncoderConfig) and "sequence_labels" in config.heads
    return FAMILIES[kind + ("-gated" if gated else "-sequences" if of_sequences else "")]


def check_kind(published: dict[str, Any]) -> Kind:
    """The kind of a config.json, or an error that names what is not implemented."""
    name = published.get("model_type")
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"model_type must be one of {', '.join(KINDS)}: got {name!r}; {ELSEWHERE}")
    kind = KINDS[name]
    named = published.get("architectures") or []
    for architecture in named if isinstance(named, list) else [named]:
        if architecture not in kind.architectures:
            raise ValueError(
                f"architectures of {name} must be among {', '.join(kind.architectures)}: got {architecture!r}; "
                f"{ELSEWHERE}"
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
    defaults = {kind.fields[theirs]: default for theirs, default in kind.defaults.items()}
    keys = Keys(published, describe(base) | defaults, dropout)
    keys.fixed(**FIXED, **kind.fixed, is_encoder_decoder=isinstance(base, EncoderDecoderConfig))
    keys.fixed(is_decoder=isinstance(base, DecoderConfig) and published.get("is_decoder", False))  # which they ignore
    values: dict[str, Any] = (
        keys.fields(kind.fields) | kind.others(keys) | {"dropout": keys.one_dropout(**kind.dropouts)}
    )
    if isinstance(base, EncoderConfig):
        values |= {"heads": _encoder_heads(published, names), "labels": _count_labels(keys)}
    if isinstance(base, DecoderConfig):
        without = published.get("architectures") == [kind.architectures[-1]] and "lm_head.weight" not in names
        values["headless"] = without and not values["tied"]
    if isinstance(base, ViTConfig):
        values |= _vit_heads(keys, names, values["width"])
    keys.check_all_read({*kind.harmless, *ignore})
    return vary(base, **values)


def _encoder_heads(published: dict[str, Any], names: Collection[str]) -> tuple[str, ...]:
    heads = {head for architecture in published.get("architectures") or () for head in _heads_of(architecture)}
    heads |= {head for start, head in MARKS.items() if any(name.startswith(start) for name in names)}
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
    published |= dict.fromkeys(kind.dropouts, facts["dropout"])
    for theirs, ours in kind.fields.items():
        if ours not in facts:  # of other positions; reading it again tells
            continue
        published[theirs] = activation_in_files(facts[ours]) if ours == "activation" else facts[ours]
    if isinstance(config, EncoderConfig):
        # The first that finds all its heads; what is beyond them is stored, and it does not read it.
        fitting = [name for name in kind.architectures if set(_heads_of(name)) <= set(config.heads)]
        published |= {"architectures": fitting[:1], "tie_word_embeddings": True}
        published |= {} if config.labels == 2 else _write_labels(config.labels)  # as many as there are by default
    by_names = {fact: facts[fact] for fact in ("heads", "pooler") if fact in facts}  # which tensors say
    again = describe(read(published)) | by_names
    different = [f"{name}={value!r}" for name, value in facts.items() if not same(value, again.get(name))]
    if different:
        raise ValueError(
            f"a folder of {name} must say all of a configuration: got {', '.join(different)}, which it cannot say; "
            "use safetensors.torch.save_model"
        )
    return published


def same(one: Any, other: Any) -> bool:
    """Numbers by their size; masks and weightings, which have no equality, by what they print."""
    return one == other or repr(one) == repr(other)


def describe(config: object) -> dict[str, Any]:
    """All fields, of the parts too, with what None stands for, and without positions' that their kind does not have.

    >>> describe(PRESETS["gpt2"])["hidden"]
    3072
    """
    facts = {}
    for one in fields(config):  # pyright: ignore[reportArgumentType] - a dataclass
        value = getattr(config, one.name)
        facts |= describe(value) if is_dataclass(value) and one.name in PARTS else {one.name: value}
    if isinstance(config, BlockConfig):
        facts |= {"num_groups": config.groups, "head": config.head_width, "hidden": config.hidden_width}
        facts |= {"projection_bias": config.bias if config.projection_bias is None else config.projection_bias}
    if isinstance(config, EncoderDecoderConfig):
        facts |= {"decoder_depth": config.decoder_depth or config.depth}
    if isinstance(config, PositionConfig):
        return {name: facts[name] for name in ("kind", *POSITIONS[config.kind])}
    return facts


PARTS = ("block", "norm", "mechanism", "positions")
POSITIONS = {
    "learned": ("context", "offset"),
    "sinusoidal": ("context", "base"),
    "rotary": ("context", "base", "scaling"),
    "buckets": ("num_buckets", "most"),
    "none": ("context",),
}
