"""Small attention models, each of which takes tensors and returns one: no counter fails for the way one is called."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import elu, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

# Sizes such that no two of the products below agree by chance, which would hide errors that cancel.
B, T, S = 2, 100, 72  # rows, queries, keys of another sequence
C, H, G, D = 256, 4, 2, 64  # widths: model, heads, key-value heads, one head (C = H·D)
F, L, V, P = 1024, 2, 1000, 256  # feed-forward, layers, vocabulary, positions
BUCKETS = 32  # of relative positions in T5
IMAGE, PATCH = 32, 4
N = (IMAGE // PATCH) ** 2 + 1  # patches and the class token

Mix = Callable[[Tensor, Tensor, Tensor], Tensor]
Built = tuple[nn.Module, tuple[Tensor, ...]]


class SelfAttention(nn.Module):
    """torch's multi-head attention of a sequence with itself."""

    def __init__(self, need_weights: bool) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(C, H, batch_first=True)
        self.need_weights = need_weights

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x, need_weights=self.need_weights)[0]


class CrossAttention(nn.Module):
    """torch's multi-head attention of one sequence with another."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(C, H, batch_first=True)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        return self.attention(x, memory, memory, need_weights=False)[0]


class Projected(nn.Module):
    """Projections without biases around any attention of (B, heads, T, D) tensors."""

    def __init__(self, mix: Mix, num_groups: int = H) -> None:
        super().__init__()
        self.query, self.out = nn.Linear(C, C, bias=False), nn.Linear(C, C, bias=False)
        self.key, self.value = (nn.Linear(C, num_groups * D, bias=False) for _ in range(2))
        self.mix = mix

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (project(x).unflatten(-1, (-1, D)).transpose(1, 2) for project in (self.query, self.key, self.value))
        return self.out(self.mix(q, k, v).transpose(1, 2).flatten(2))


class BareEinsum(nn.Module):
    """Attention written in einsum alone, on parameters that belong to no Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Parameter(0.05 * torch.randn(C, H, D)) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (torch.einsum("btc,chd->bhtd", x, weight) for weight in (self.query, self.key, self.value))
        return torch.einsum("bhtd,chd->btc", by_einsum(q, k, v), self.out)


class First(nn.Module):
    """A module of which only the first output is used, such as transformers' models and recurrent layers."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)[0]


class EncoderDecoder(nn.Module):
    """transformers' T5 on a source and a target."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.model(input_ids=source, decoder_input_ids=target)[0]


class Checkpointed(nn.Module):
    """Encoder layers whose activations are computed again in the backward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(encoder_layer() for _ in range(L))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)  # pyright: ignore[reportAssignmentType]
        return x


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.einsum("bhtd,bhsd->bhts", q, k).mul(D**-0.5).softmax(-1)
    return torch.einsum("bhts,bhsd->bhtd", weights, v)


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v, enable_gqa=True)


def linear(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention with the kernel (elu(q) + 1)·(elu(k) + 1), summed over the keys first."""
    q, k = elu(q) + 1, elu(k) + 1
    normaliser = torch.einsum("bhtd,bhd->bht", q, k.sum(2))
    return torch.einsum("bhtd,bhde->bhte", q, torch.einsum("bhsd,bhse->bhde", k, v)) / normaliser.unsqueeze(-1)


def flex() -> Mix:
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, T, T, device="cpu")

    def mix(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return flex_attention(q, k, v, block_mask=mask)  # pyright: ignore[reportReturnType]

    return mix


def encoder_layer() -> nn.Module:
    return nn.TransformerEncoderLayer(C, H, F, dropout=0.0, batch_first=True)


def on_numbers(module: Callable[[], nn.Module], *lengths: int) -> Callable[[], Built]:
    """On (B, length, C) numbers, which need no gradient."""
    return lambda: (module(), tuple(torch.randn(B, length, C) for length in lengths or (T,)))


def tokens(length: int) -> Tensor:
    return torch.randint(V, (B, length))


def image() -> Tensor:
    return torch.randn(B, 3, IMAGE, IMAGE)


def compiled() -> Built:
    """Compiled and run once: what compiling itself computes is not the model's."""
    module, x = Projected(scaled_dot_product_attention), torch.randn(B, T, C)
    faster: nn.Module = torch.compile(module)  # pyright: ignore[reportAssignmentType]
    faster(x)
    return faster, (x,)


def convolutions() -> Built:
    return nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2, groups=4)), (image(),)


Settings = dict[str, Any]
SIZES: Settings = {"hidden_size": C, "num_hidden_layers": L, "num_attention_heads": H, "intermediate_size": F}
NO_DROPOUT: Settings = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
WORDS: Settings = {"vocab_size": V, "max_position_embeddings": P}


def bert(implementation: str) -> Callable[[], Built]:
    def build() -> Built:
        from transformers import BertConfig, BertModel

        kernel: Settings = {"attn_implementation": implementation}
        config = BertConfig(**SIZES, **NO_DROPOUT, **WORDS, **kernel)
        return First(BertModel(config, add_pooling_layer=False)), (tokens(T),)

    return build


def gpt2() -> Built:
    from transformers import GPT2Config, GPT2LMHeadModel

    off: Settings = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "use_cache": False}
    ends: Settings = {"bos_token_id": None, "eos_token_id": None}  # the default ones lie outside this vocabulary
    config = GPT2Config(vocab_size=V, n_positions=P, n_embd=C, n_layer=L, n_head=H, **off, **ends)
    return First(GPT2LMHeadModel(config)), (tokens(T),)


def llama() -> Built:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(**SIZES, **WORDS, num_key_value_heads=G, use_cache=False)
    return First(LlamaForCausalLM(config)), (tokens(T),)


def t5() -> Built:
    from transformers import T5Config, T5ForConditionalGeneration

    sizes: Settings = {"d_model": C, "d_kv": D, "d_ff": F, "num_layers": L, "num_heads": H, "vocab_size": V}
    config = T5Config(**sizes, relative_attention_num_buckets=BUCKETS, dropout_rate=0.0, use_cache=False)
    return EncoderDecoder(T5ForConditionalGeneration(config)), (tokens(S), tokens(T))


def vit() -> Built:
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(**SIZES, **NO_DROPOUT, image_size=IMAGE, patch_size=PATCH)
    return First(ViTModel(config, add_pooling_layer=False)), (image(),)
