"""A decoder by its sizes alone: parameters, FLOPs and bytes of a layer, without building anything."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.checks import check_sizes
from regard.models.architectures.decoder import DecoderConfig

# Names in a config.json of Hugging Face, with what stands for them in older ones.
NAMES = {
    "depth": ("num_hidden_layers", "n_layer"),
    "width": ("hidden_size", "n_embd"),
    "heads": ("num_attention_heads", "n_head"),
    "groups": ("num_key_value_heads",),
    "head": ("head_dim",),
    "hidden": ("intermediate_size", "n_inner"),
    "vocabulary": ("vocab_size",),
    "context": ("max_position_embeddings", "n_positions"),
}


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Layers of attention and a feed-forward, an embedding and a head.

    >>> Architecture(name="GPT-3", depth=96, width=12288, heads=96, hidden=49152, vocabulary=50257).parameters
    174563733504
    """

    name: str
    depth: int
    width: int
    heads: int
    groups: int | None = None  # heads of keys and values; None: as many as heads
    head: int | None = None  # width of a head; None: width / heads
    hidden: int
    vocabulary: int
    gated: bool = False
    tied: bool = True
    context: int = 2048

    def __post_init__(self) -> None:
        check_sizes(self, "depth", "width", "heads", "hidden", "vocabulary", "context")
        check_sizes(self, "groups", "head", optional=True)

    @property
    def inner(self) -> int:
        """Width of all queries."""
        return self.heads * self.head_width

    @property
    def head_width(self) -> int:
        return self.head or self.width // self.heads

    @property
    def of_keys(self) -> int:
        """Width of all keys."""
        return (self.groups or self.heads) * self.head_width

    @property
    def layer(self) -> int:
        """Parameters of the matrices of one layer; norms and biases are not worth counting here."""
        attention = self.width * (2 * self.inner + 2 * self.of_keys)
        return attention + (3 if self.gated else 2) * self.width * self.hidden

    @property
    def table(self) -> int:
        """Parameters of the embedding, or of the head."""
        return self.vocabulary * self.width

    @property
    def parameters(self) -> int:
        return self.depth * self.layer + self.table * (1 if self.tied else 2)

    def flops(self, length: int) -> float:
        """FLOPs of a token in training, forward and backward: 6 for each parameter but the embedding's, and causal
        attention over half of the length, 12 · inner · length / 2 for each layer.
        """
        return 6.0 * (self.depth * self.layer + self.table) + 6.0 * self.depth * self.inner * length

    @classmethod
    def of(cls, name: str, config: Any) -> "Architecture":
        """The sizes of a preset's configuration."""
        if not isinstance(config, DecoderConfig):
            raise ValueError(f"clusters are for decoders: got {name}, a {type(config).__name__}; use llama3-70b")
        block = config.block
        return cls(
            name=name,
            depth=config.depth,
            width=block.width,
            heads=block.num_heads,
            groups=block.groups,
            head=block.head_width,
            hidden=block.hidden_width,
            vocabulary=config.vocabulary,
            gated=block.gated,
            tied=config.tied,
            context=config.positions.context,
        )

    @classmethod
    def read(cls, path: Path) -> "Architecture":
        """The sizes in a config.json of Hugging Face; experts are refused."""
        file = path / "config.json" if path.is_dir() else path
        found = json.loads(file.read_text())
        experts = [key for key in found if "expert" in key and found[key]]
        if experts:
            raise ValueError(f"clusters are for dense decoders: got {file}, with {experts[0]}; use a dense one")
        sizes: dict[str, Any] = {}
        for name, words in NAMES.items():
            value = next((found[word] for word in words if found.get(word) is not None), None)
            if value is not None:
                sizes[name] = value
        sizes.setdefault("hidden", 4 * sizes.get("width", 0))
        if missing := [name for name in ("depth", "width", "heads", "vocabulary") if name not in sizes]:
            words = " or ".join(NAMES[missing[0]])
            raise ValueError(f"a config.json of a decoder must have {words}: got {file}, which has not; add it")
        gated = found.get("hidden_act", "gelu") in ("silu", "swish", "gelu_pytorch_tanh_gated")
        tied = bool(found.get("tie_word_embeddings", not gated))
        return cls(name=str(found.get("model_type", file.parent.name)), gated=gated, tied=tied, **sizes)
