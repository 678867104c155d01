"""A config.json of Hugging Face, read key by key: what nobody has asked for is refused, or known to change nothing."""

from collections.abc import Collection
from typing import Any

from regard.checks import check_known, check_probability

ACTIVATIONS = {  # theirs → ours; the first of each of ours is the one that is written
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_approximate",
    "gelu_pytorch_tanh": "gelu_approximate",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
# What says nothing about the numbers of a forward pass: bookkeeping, generation, heads that we have not.
HARMLESS = frozenset(
    [
        "_attn_implementation_autoset",
        "_commit_hash",
        "_name_or_path",
        "_num_labels",
        "architectures",
        "attn_implementation",
        "auto_map",
        "bad_words_ids",
        "begin_suppress_tokens",
        "bos_token_id",
        "chunk_size_feed_forward",
        "classifier_dropout",
        "decoder_start_token_id",
        "diversity_penalty",
        "do_sample",
        "dtype",
        "early_stopping",
        "encoder_no_repeat_ngram_size",
        "eos_token_id",
        "exponential_decay_length_penalty",
        "finetuning_task",
        "forced_bos_token_id",
        "forced_eos_token_id",
        "gradient_checkpointing",
        "id2label",
        "initializer_factor",
        "initializer_range",
        "label2id",
        "length_penalty",
        "max_length",
        "max_new_tokens",
        "min_length",
        "model_type",
        "name_or_path",
        "no_repeat_ngram_size",
        "num_beam_groups",
        "num_beams",
        "num_labels",
        "num_return_sequences",
        "output_attentions",
        "output_hidden_states",
        "output_past",
        "output_scores",
        "pad_token_id",
        "prefix",
        "problem_type",
        "remove_invalid_values",
        "repetition_penalty",
        "return_dict",
        "return_dict_in_generate",
        "sep_token_id",
        "suppress_tokens",
        "task_specific_params",
        "temperature",
        "tf_legacy_loss",
        "tokenizer_class",
        "top_k",
        "top_p",
        "torch_dtype",
        "torchscript",
        "transformers_version",
        "typical_p",
        "use_bfloat16",
        "use_cache",
    ]
)
# The door for all other models of transformers.
ELSEWHERE = (
    'load it by transformers, with attn_implementation="regard" after regard.integrations.transformers.register()'
)
FIXED = {  # what every model may say, and we mean
    "add_cross_attention": False,
    "cross_attention_hidden_size": None,
    "pruned_heads": {},
    "quantization_config": None,
    "tie_encoder_decoder": False,
}


class Keys:
    """A config.json that is read key by key; `check_all_read` refuses what nobody has asked for."""

    def __init__(self, published: dict[str, Any], defaults: dict[str, Any], dropout: float | None) -> None:
        self.published, self.defaults, self.dropout = published, defaults, dropout
        self.read: set[str] = set()

    def take(self, key: str, default: Any, kind: type | None = None) -> Any:
        """The value of a key, or the default where it is absent or null."""
        self.read.add(key)
        value = self.published.get(key)
        if value is None:
            return default
        kind = kind or type(default)
        wanted = (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{key} in config.json must be of type {kind.__name__}: got {value!r}; correct it")
        return value

    def fixed(self, **values: Any) -> None:
        for key, value in values.items():
            self.read.add(key)
            got = self.published.get(key, value)
            if got != value and not (got is None and not value):
                raise ValueError(f"{key} must be {value!r}, the only one that is implemented: got {got!r}; {ELSEWHERE}")

    def fields(self, names: dict[str, str]) -> dict[str, Any]:
        """The values of keys that are fields of ours."""
        facts, values = self.defaults, {}
        for theirs, ours in names.items():
            if ours == "activation":
                values[ours] = self.activation(theirs, self.take(theirs, activation_in_files(facts[ours])))
            else:
                values[ours] = self.take(theirs, facts[ours])
        return values

    def unless_null(self, key: str, default: int) -> int | None:
        """The value of a key, the default where it is absent, None where it is null."""
        return self.take(key, None if key in self.published else default, int)

    def activation(self, key: str, value: str) -> str:
        check_known(key, value, ACTIVATIONS)
        return ACTIVATIONS[value]

    def one_dropout(self, **defaults: float) -> float:
        """The probability of all dropouts, which in our models is one; it acts in training only."""
        given = {key: self.take(key, default) for key, default in defaults.items()}
        if self.dropout is not None:
            check_probability("dropout", self.dropout)
            return self.dropout
        if len(set(given.values())) > 1:
            said = ", ".join(f"{key}={value}" for key, value in given.items())
            raise ValueError(f"a model has one dropout: got {said}; use load(…, dropout=0.0), or what to train with")
        return next(iter(given.values()))

    def check_all_read(self, harmless: Collection[str]) -> None:
        unknown = sorted(self.published.keys() - self.read - HARMLESS - set(harmless))
        if unknown:
            said = ", ".join(f"{key}={self.published[key]!r:.50}" for key in unknown[:5])
            raise ValueError(
                f"keys of config.json must be known, they could change numbers: got {len(unknown)} unknown ({said}); "
                f"use load(…, ignore={tuple(unknown)!r}) for what changes none"
            )


def activation_in_files(activation: str) -> str:
    """Their name of an activation of ours."""
    return next(theirs for theirs, ours in ACTIVATIONS.items() if ours == activation)
