"""How transformers names and lays out the weights of the models that we share with it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn


@dataclass(frozen=True, kw_only=True)
class Family:
    """The names of one kind of model: ours → theirs, of modules or of single weights; `#` is the number of a block.

    Ours that go to the same of theirs lie in it one after the other. Files of a model with a head have `prefix` before
    all names but the head's. `copies` are weights that a file may hold a second time, `buffers` what it may hold that
    is no weight.
    """

    names: dict[str, str]
    heads: dict[str, str]
    prefix: str = ""
    copies: dict[str, str] = field(default_factory=dict)
    buffers: tuple[str, ...] = ()  # patterns of whole names
    transposed: bool = False  # the matrices of blocks
    ones: dict[str, int] = field(default_factory=dict)  # leading axes of length 1 that theirs has and ours has not
    spellings: dict[str, str] = field(default_factory=dict)  # ends of names, in old files → today's


def _in_block(ours: str, theirs: str, parts: dict[str, str]) -> dict[str, str]:
    return {f"{ours}.#.{part}": f"{theirs}.#.{name}" for part, name in parts.items()}


PROJECTIONS = ("query", "key", "value")
# What BERT and kin call alike.
EMBEDDINGS = {
    "embedding": "embeddings.word_embeddings",
    "stack.positions": "embeddings.position_embeddings",
    "stack.entry_norm": "embeddings.LayerNorm",
}
OUTPUTS = {
    "attention.out": "attention.output.dense",
    "feed_forward.inner": "intermediate.dense",
    "feed_forward.out": "output.dense",
}
BERT = Family(
    prefix="bert.",
    names=EMBEDDINGS
    | {"types": "embeddings.token_type_embeddings", "pooler": "pooler.dense"}
    | _in_block(
        "stack.blocks",
        "encoder.layer",
        {f"attention.{part}": f"attention.self.{part}" for part in PROJECTIONS}
        | OUTPUTS
        | {"norm": "attention.output.LayerNorm", "feed_forward_norm": "output.LayerNorm"},
    ),
    heads={
        "words.transform": "cls.predictions.transform.dense",
        "words.norm": "cls.predictions.transform.LayerNorm",
        "words": "cls.predictions",
        "next_sentence": "cls.seq_relationship",
        "classifier": "classifier",
    },
    copies={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    buffers=(r"embeddings\.position_ids",),
    spellings={"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"},
)
ROBERTA = replace(
    BERT,
    prefix="roberta.",
    heads={
        "words.transform": "lm_head.dense",
        "words.norm": "lm_head.layer_norm",
        "words": "lm_head",
        "classifier": "classifier",
    },
    copies={"lm_head.decoder.weight": "embeddings.word_embeddings.weight", "lm_head.decoder.bias": "lm_head.bias"},
)
# Its classifier of sequences has a pooler of its own.
ROBERTA_OF_SEQUENCES = replace(
    ROBERTA,
    names={ours: theirs for ours, theirs in ROBERTA.names.items() if ours != "pooler"},
    heads={"pooler": "classifier.dense", "classifier": "classifier.out_proj"},
)
DISTILBERT = Family(
    prefix="distilbert.",
    names=EMBEDDINGS
    | _in_block(
        "stack.blocks",
        "transformer.layer",
        {f"attention.{part}": f"attention.{part[0]}_lin" for part in PROJECTIONS}
        | {
            "attention.out": "attention.out_lin",
            "norm": "sa_layer_norm",
            "feed_forward.inner": "ffn.lin1",
            "feed_forward.out": "ffn.lin2",
            "feed_forward_norm": "output_layer_norm",
        },
    ),
    heads={
        "words.transform": "vocab_transform",
        "words.norm": "vocab_layer_norm",
        "words": "vocab_projector",
        "pooler": "pre_classifier",
        "classifier": "classifier",
    },
    copies={"vocab_projector.weight": "embeddings.word_embeddings.weight"},
)
GPT2 = Family(
    prefix="transformer.",
    names={"embedding": "wte", "stack.positions": "wpe", "stack.norm": "ln_f"}
    | _in_block(
        "stack.blocks",
        "h",
        dict.fromkeys([f"attention.{part}" for part in PROJECTIONS], "attn.c_attn")
        | {
            "attention.out": "attn.c_proj",
            "norm": "ln_1",
            "feed_forward.inner": "mlp.c_fc",
            "feed_forward.out": "mlp.c_proj",
            "feed_forward_norm": "ln_2",
        },
    ),
    heads={"head": "lm_head"},
    copies={"lm_head.weight": "wte.weight"},
    buffers=(r"h\.\d+\.attn\.(bias|masked_bias)",),  # the causal mask, and what it puts in place of a score
    transposed=True,
)
LLAMA = Family(
    prefix="model.",
    names={"embedding": "embed_tokens", "stack.norm": "norm"}
    | _in_block(
        "stack.blocks",
        "layers",
        {
            "attention.query": "self_attn.q_proj",
            "attention.key": "self_attn.k_proj",
            "attention.value": "self_attn.v_proj",
            "attention.out": "self_attn.o_proj",
            "attention.query_norm": "self_attn.q_norm",
            "attention.key_norm": "self_attn.k_norm",
            "norm": "input_layernorm",
            "feed_forward.gate": "mlp.gate_proj",
            "feed_forward.inner": "mlp.up_proj",
            "feed_forward.out": "mlp.down_proj",
            "feed_forward_norm": "post_attention_layernorm",
        },
    ),
    heads={"head": "lm_head"},
    copies={"lm_head.weight": "embed_tokens.weight"},
    buffers=(r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq",),
)


def _t5(gated: bool) -> Family:
    """Versions 1.0 and, gated, 1.1."""
    table = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    letters = {"query": "q", "key": "k", "value": "v", "out": "o"}
    own = {f"attention.{part}": f"layer.0.SelfAttention.{letter}" for part, letter in letters.items()}
    cross = {f"cross.{part}": f"layer.1.EncDecAttention.{letter}" for part, letter in letters.items()}
    inner = {"gate": "wi_0", "inner": "wi_1", "out": "wo"} if gated else {"inner": "wi", "out": "wo"}
    names = {"embedding": "shared"}
    for stack, last in (("encoder", 1), ("decoder", 2)):
        names |= {f"{stack}.positions.table": f"{stack}.{table}", f"{stack}.norm": f"{stack}.final_layer_norm"}
        parts = own | {"norm": "layer.0.layer_norm", "feed_forward_norm": f"layer.{last}.layer_norm"}
        parts |= {f"feed_forward.{part}": f"layer.{last}.DenseReluDense.{name}" for part, name in inner.items()}
        parts |= cross | {"cross_norm": "layer.1.layer_norm"} if stack == "decoder" else {}
        names |= _in_block(f"{stack}.blocks", f"{stack}.block", parts)
    return Family(
        names=names,
        heads={"head": "lm_head"},
        copies=dict.fromkeys(
            ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"), "shared.weight"
        ),
        buffers=(r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",),  # of no use to any
    )


VIT = Family(
    prefix="vit.",
    names={
        "class_token": "embeddings.cls_token",
        "positions.weight": "embeddings.position_embeddings",
        "patches.conv": "embeddings.patch_embeddings.projection",
        "stack.norm": "layernorm",
        "pooler": "pooler.dense",
    }
    | _in_block(
        "stack.blocks",
        "encoder.layer",
        {f"attention.{part}": f"attention.attention.{part}" for part in PROJECTIONS}
        | OUTPUTS
        | {"norm": "layernorm_before", "feed_forward_norm": "layernorm_after"},
    ),
    heads={"head": "classifier"},
    ones={"class_token": 2, "positions.weight": 1},
)
FAMILIES = {
    "bert": BERT,
    "distilbert": DISTILBERT,
    "roberta": ROBERTA,
    "roberta-sequences": ROBERTA_OF_SEQUENCES,
    "xlm-roberta": ROBERTA,
    "gpt2": GPT2,
    "llama": LLAMA,
    "mistral": LLAMA,
    "qwen2": LLAMA,
    "qwen3": LLAMA,
    "mt5": _t5(gated=False),
    "t5": _t5(gated=False),
    "t5-gated": _t5(gated=True),
    "vit": VIT,
}


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A tensor of a file: our weights, one after the other, with axes of length 1 before them or transposed.

    >>> fused = Stored(name="h.0.attn.c_attn.weight", parts={"q": (4, 4), "k": (4, 4), "v": (4, 4)}, transposed=True)
    >>> fused.shape, [(name, part.shape) for name, part in fused.split(torch.empty(4, 12))][1]
    ((4, 12), ('k', torch.Size([4, 4])))
    """

    name: str  # without prefix
    parts: dict[str, tuple[int, ...]]  # our names and shapes
    head: bool = False
    ones: int = 0
    transposed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        _, *rest = next(iter(self.parts.values()))
        shape = (1,) * self.ones + (sum([rows for rows, *_ in self.parts.values()]), *rest)
        return shape[::-1] if self.transposed else shape

    def split(self, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
        """Our weights, as views of theirs."""
        tensor = tensor.T if self.transposed else tensor.reshape(tensor.shape[self.ones :])
        pieces = tensor.split([rows for rows, *_ in self.parts.values()])
        yield from zip(self.parts, pieces, strict=True)

    def join(self, weights: Sequence[Tensor]) -> Tensor:
        """Theirs from ours, in the order of `parts`, in memory of its own or in that of the only one."""
        tensor = weights[0] if len(weights) == 1 else torch.cat(list(weights))
        tensor = tensor.T if self.transposed else tensor.reshape((1,) * self.ones + tensor.shape)
        return tensor.contiguous()


def stored(model: nn.Module, family: Family) -> dict[str, Stored]:
    """The tensors that a file of this model holds, by their names without prefix."""
    found: dict[str, Stored] = {}
    for ours, weight in model.state_dict().items():
        name, head = _their_name(ours, family)
        if name in found:
            found[name].parts[ours] = tuple(weight.shape)
        else:
            found[name] = Stored(
                name=name,
                parts={ours: tuple(weight.shape)},
                head=head,
                ones=family.ones.get(ours, 0),
                transposed=family.transposed and "blocks" in ours and weight.ndim == 2,
            )
    return found


def _their_name(ours: str, family: Family) -> tuple[str, bool]:
    """Their name of a weight of ours, and whether it is a head's."""
    number = re.search(r"\.(\d+)\.", ours)
    pattern = ours if number is None else ours.replace(number[0], ".#.", 1)
    module, _, last = pattern.rpartition(".")
    for names in (family.names, family.heads):
        if pattern in names or module in names:
            theirs = names[pattern] if pattern in names else f"{names[module]}.{last}"
            return theirs if number is None else theirs.replace("#", number[1]), names is family.heads
    raise KeyError(ours)
