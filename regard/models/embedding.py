"""Vectors of whole texts, from an encoder or a decoder and its tokenizer."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.checks import check_whole, nearest
from regard.generation.sampling import pad_rows
from regard.models.architectures.decoder import Decoder
from regard.models.architectures.encoder import Encoder
from regard.models.tokens import last_real, real_tokens

POOLS = {Encoder: ("mean", "first", "pooler"), Decoder: ("mean", "last")}


def embed(
    model: nn.Module,
    texts: Sequence[str],
    *,
    pool: str = "mean",
    normalise: bool = True,
    batch: int = 32,
    truncate: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Float[Tensor, "n C"]:
    """A vector for each text from an Encoder or a Decoder, by its tokenizer and the special tokens that this adds.

        mean: y = Σ_t h_t / T over the real tokens, special ones too        then y / ‖y‖ unless normalise=False

    "first" is the first token, "pooler" what the encoder's pooler makes of it, "last" the last token of a decoder.
    Texts of like lengths go through the model together, and a text gives what it gives alone. One of more tokens than
    the model has positions is an error, or is cut at its end with `truncate`; what the tokenizer itself says of padding
    and cutting is not followed. `progress` is told how many texts are done, and of how many. Half types are summed in
    float32.

    Reimers and Gurevych, *Sentence-BERT*, EMNLP 2019.
    """
    model = _checked(model, texts, pool)
    check_whole("batch", batch, 1)
    ids = _tokens(model, texts, truncate)
    order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
    weight = model.embedding.weight
    vectors = torch.empty(
        len(ids), model.config.block.width, dtype=torch.promote_types(weight.dtype, torch.float32), device=weight.device
    )
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        lengths = [len(ids[row]) for row in rows]
        tokens, _ = pad_rows([ids[row] for row in rows], weight.device)
        tokens = real_tokens(tokens, model.config.vocabulary, lengths)
        # As the model's own forward, without the scores of all words, which would take most of the memory.
        with torch.no_grad():
            x = model.embed_tokens(tokens) if isinstance(model, Encoder) else model.embedding(tokens)
            hidden, _ = model.stack(x, lengths=lengths)
            vectors[rows] = _pooled(model, hidden, lengths, pool).to(vectors.dtype)
        if progress is not None:
            progress(start + len(rows), len(order))
    return functional.normalize(vectors, dim=-1) if normalise else vectors


def _checked(model: nn.Module, texts: Any, pool: str) -> Encoder | Decoder:
    if not isinstance(model, Encoder | Decoder):
        raise ValueError(
            f"texts are embedded by an Encoder or a Decoder: got {type(model).__name__}; use another model"
        )
    pools = POOLS[Encoder if isinstance(model, Encoder) else Decoder]
    if pool not in pools:
        raise ValueError(f"unknown pool {pool!r} of {type(model).__name__}: {nearest(pool, pools)}")
    if pool == "pooler" and isinstance(model, Encoder) and model.pooler is None:
        raise ValueError(f"pool='pooler' needs a pooler: got heads={model.config.heads}; use 'mean' or 'first'")
    if model.training:
        raise ValueError("a model embeds without dropout: got one in training; use model.eval()")
    if getattr(model, "tokenizer", None) is None:
        raise ValueError("a model needs a tokenizer: got none; load it from a folder with tokenizer.json")
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"texts must be a list of str: got {texts!r:.40}; use [text]")
    return model


def _tokens(model: Encoder | Decoder, texts: Sequence[str], truncate: bool) -> list[list[int]]:
    """The tokens of each text, by a copy of the tokenizer that neither pads nor cuts of its own accord."""
    given: Any = model.tokenizer
    written = given.to_str()  # which tells who has no tokenizers
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(written)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    most = model.config.positions.context
    if truncate:
        tokenizer.enable_truncation(most)
    ids = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
    for number, found in enumerate(ids):
        if not found:
            raise ValueError(
                f"a text must have a token or more: got texts[{number}]={texts[number][:40]!r}; leave it out"
            )
        if len(found) > most:
            raise ValueError(
                f"a text must have up to {most} tokens, the positions of the model: got {len(found)} in "
                f"texts[{number}]={texts[number][:40]!r}; split it, or cut it with truncate"
            )
    return ids


def _pooled(
    model: Encoder | Decoder, hidden: Float[Tensor, "B T C"], lengths: list[int], pool: str
) -> Float[Tensor, "B C"]:
    if pool == "first":
        return hidden[:, 0]
    if pool == "pooler":
        assert isinstance(model, Encoder)
        return model.pool(hidden)
    if pool == "last":
        return last_real(hidden, tuple(lengths))
    exact = hidden.to(torch.promote_types(hidden.dtype, torch.float32))
    count = torch.tensor(lengths, device=hidden.device)[:, None]
    real = torch.arange(hidden.shape[1], device=hidden.device) < count
    return torch.where(real[..., None], exact, 0).sum(1) / count
