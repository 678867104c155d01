"""What config.json says of a Llama, and of models that are wired like it: rotary positions above all."""

from typing import Any

from regard.attention import Window
from regard.layers.positions import Llama3Scaling, RotaryScaling, YarnScaling
from regard.models.architectures.decoder import DecoderConfig
from regard.models.block import EVERYTHING
from regard.models.hugging_face.keys import Keys

# rope_type → ours, and theirs → our fields.
SCALINGS: dict[str, tuple[type[RotaryScaling] | None, dict[str, str]]] = {
    "default": (None, {}),
    "linear": (RotaryScaling, {"factor": "factor"}),
    "llama3": (
        Llama3Scaling,
        {
            "factor": "factor",
            "original_max_position_embeddings": "original",
            "low_freq_factor": "low",
            "high_freq_factor": "high",
        },
    ),
    "yarn": (
        YarnScaling,
        {
            "factor": "factor",
            "original_max_position_embeddings": "original",
            "beta_slow": "low",
            "beta_fast": "high",
            "attention_factor": "attention",
        },
    ),
}
MAY_LACK = ("beta_slow", "beta_fast", "attention_factor")


def read_llama(keys: Keys) -> dict[str, Any]:
    keys.fixed(is_encoder_decoder=False, rope_interleaved=False, partial_rotary_factor=1.0, sliding_window=None)
    bias = keys.take("attention_bias", False)
    if keys.take("mlp_bias", False) != bias:
        raise ValueError(f"mlp_bias must be as attention_bias: got {not bias} and {bias}; use another model")
    return rotary(keys) | {
        "bias": bias,
        "num_groups": keys.take("num_key_value_heads", None, int),
        "head": keys.take("head_dim", None, int),
        "dropout": keys.one_dropout(attention_dropout=0.0),
    }


def read_mistral(keys: Keys) -> dict[str, Any]:
    """Llama without biases and with a window; the defaults are not those of any model that was published."""
    keys.fixed(is_encoder_decoder=False, partial_rotary_factor=1.0)
    window = keys.unless_null("sliding_window", 4096)
    return rotary(keys) | {
        "mask": EVERYTHING if window is None else Window(before=window - 1),
        "num_groups": keys.unless_null("num_key_value_heads", 8),
        "head": keys.take("head_dim", None, int),
        "context": keys.take("max_position_embeddings", 131072),
        "eps": keys.take("rms_norm_eps", 1e-6),
        "dropout": keys.one_dropout(attention_dropout=0.0),
    }


def write_llama(config: DecoderConfig) -> dict[str, Any]:
    return rotary_in_files(config.positions.base, config.positions.scaling) | {
        "num_key_value_heads": config.block.groups,
        "head_dim": config.block.head_width,
        "attention_bias": config.block.bias,
        "mlp_bias": config.block.bias,
        "attention_dropout": config.dropout,
    }


def write_mistral(config: DecoderConfig) -> dict[str, Any]:
    written = write_llama(config)
    mask = config.block.mechanism.mask
    assert isinstance(mask, Window)
    return {key: value for key, value in written.items() if "bias" not in key} | {"sliding_window": mask.before + 1}


def rotary(keys: Keys) -> dict[str, Any]:
    """Base and scaling, from rope_theta and rope_scaling (transformers 4) or from rope_parameters (5).

    >>> rotary(Keys({"rope_theta": 500000.0, "rope_scaling": {"type": "linear", "factor": 2.0}}, {}, None))
    {'base': 500000.0, 'scaling': RotaryScaling(factor=2.0)}
    """
    beside = keys.take("rope_theta", None, float)
    given = {key: keys.take(key, {}, dict) for key in ("rope_scaling", "rope_parameters")}
    said = [_rope(key, rope, beside) for key, rope in given.items() if rope] or [(beside, None)]
    base, scaling = said[0]
    if said[-1] != said[0] or beside not in (None, base):
        got = ", ".join([f"{key}={keys.published[key]!r}" for key in ("rope_theta", *given) if key in keys.published])
        raise ValueError(f"rotary positions must be told once, or twice alike: got {got}; remove one")
    return {"base": 10000.0 if base is None else base, "scaling": scaling}


def _rope(
    key: str, rope: dict[str, Any], beside: float | int | None
) -> tuple[float | int | None, RotaryScaling | None]:
    keys = Keys(rope, {}, None)
    kind = keys.take("rope_type", keys.take("type", "default"))
    if kind not in SCALINGS:
        raise ValueError(f"{key} must be of type {', '.join(SCALINGS)}: got {kind!r}; use another model")
    ours, names = SCALINGS[kind]
    found = {name: keys.take(name, None, int if names[name] == "original" else float) for name in names}
    base = keys.take("rope_theta", beside, float)
    if unknown := sorted(rope.keys() - keys.read):
        said = ", ".join(["rope_theta", *names])
        raise ValueError(f"{key} of type {kind} says {said} and no more: got {unknown}; use another model")
    if missing := [name for name, value in found.items() if value is None and name not in MAY_LACK]:
        raise ValueError(f"{key} of type {kind} must say {', '.join(missing)}: got {rope}; correct it")
    values = {names[name]: value for name, value in found.items() if value is not None}
    return base, None if ours is None else ours(**values)


def rotary_in_files(base: float | int, scaling: RotaryScaling | None) -> dict[str, Any]:
    """What transformers 4 and 5 read; nothing of a scaling that they have not, which reading it again tells."""
    kind = next((name for name, (ours, _) in SCALINGS.items() if ours is type(scaling)), "default")
    rope: dict[str, Any] = {"rope_type": kind}
    for theirs, ours in SCALINGS[kind][1].items():
        value = getattr(scaling, ours)
        if value is not None:
            rope[theirs] = value if ours == "original" else float(value)
    return {
        "rope_theta": base,
        "rope_scaling": None if kind == "default" else rope,
        "rope_parameters": rope | {"rope_theta": float(base)},
    }
