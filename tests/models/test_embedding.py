"""Texts as vectors: by the formula of sentence-transformers on transformers' own models, whatever the batch."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
import transformers
from torch import Tensor

from regard import models
from regard.models import PRESETS, ViT, build, vary
from regard.models.embedding import embed
from tests.models.published import SIZES, bert, gpt2, saved, with_tokenizer
from tests.models.shaking import shaken
from tests.refusals import refused

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "dog", "sleep", "bark", "##s", "a", "loud", "##ly", ".")
TEXTS = ["the cat sleeps.", "a dog", "", "the dog barks loudly, the cat sleeps.", "cat", "a a a a a a a a a a a a"]


def with_word_pieces(folder: Path) -> Path:
    """A tokenizer as many are published: it pads to 6 tokens, and cuts at 6, unless somebody knows."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    pieces = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = tokenizers.normalizers.BertNormalizer()
    pieces.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    pieces.enable_padding(length=6)
    pieces.enable_truncation(6)
    pieces.save(str(folder / "tokenizer.json"))
    return folder


def theirs_pooled(folder: Path, model: Any, texts: list[str], **options: Any) -> dict[str, Tensor]:
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]")
    given = tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False, **options)
    with torch.no_grad():
        out = model(**given)
    real = given["attention_mask"][..., None].float()
    mean = (out.last_hidden_state * real).sum(1) / real.sum(1).clamp(min=1e-9)
    return {"mean": mean, "first": out.last_hidden_state[:, 0], "pooler": out.pooler_output}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_word_pieces(
        saved(shaken(bert("BertModel", max_position_embeddings=16)), tmp_path_factory.mktemp("bert"))
    )


def test_the_vectors_of_sentence_transformers(folder: Path):
    ours = models.load(folder)
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    want = theirs_pooled(folder, theirs, TEXTS)
    ours.tokenizer.enable_padding(length=6)
    ours.tokenizer.enable_truncation(6)
    assert {len(ours.tokenizer.encode(text).ids) for text in TEXTS} == {6}  # its own settings would pad and cut
    for pool, vectors in want.items():
        torch.testing.assert_close(embed(ours, TEXTS, pool=pool, normalise=False), vectors, rtol=1e-5, atol=1e-5)
    unit = torch.nn.functional.normalize(want["mean"], dim=-1)
    torch.testing.assert_close(embed(ours, TEXTS), unit, rtol=1e-5, atol=1e-5)
    assert ours.tokenizer.padding["length"] == ours.tokenizer.truncation["max_length"] == 6  # of a copy alone


def test_neither_batch_nor_order_matters(folder: Path):
    ours, told = models.load(folder), []
    alone = torch.cat([embed(ours, [text]) for text in TEXTS])
    for batch in (1, 2, 32):
        torch.testing.assert_close(embed(ours, TEXTS, batch=batch), alone, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(embed(ours, TEXTS[::-1], batch=4).flip(0), alone, rtol=1e-5, atol=1e-6)
    embed(ours, TEXTS, batch=4, progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 6), (6, 6)]
    assert embed(ours, []).shape == (0, 32)
    half = embed(models.load(folder, dtype=torch.bfloat16), TEXTS)
    assert half.dtype == torch.float32
    assert (half * alone).sum(-1).min() > 0.99


def test_long_texts(folder: Path):
    ours, long = models.load(folder), "the cat sleeps " * 9
    with refused(
        "a text must have up to 16 tokens, the positions of the model: got 38 in "
        "texts[1]='the cat sleeps the cat sleeps the cat sl'; split it, or cut it with truncate"
    ):
        embed(ours, ["cat", long])
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    want = theirs_pooled(folder, theirs, ["cat", long], truncation=True, max_length=16)["mean"]
    got = embed(ours, ["cat", long], truncate=True, normalise=False)
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)


def test_a_decoder(tmp_path: Path):
    ours = models.load(with_tokenizer(saved(shaken(gpt2()), tmp_path)))
    texts = ["once upon a time", "once", "upon once"]
    hidden = [ours(torch.tensor([ours.tokenizer.encode(text).ids])).hidden[0].detach() for text in texts]
    torch.testing.assert_close(embed(ours, texts, pool="last", normalise=False), torch.stack([h[-1] for h in hidden]))
    torch.testing.assert_close(embed(ours, texts, normalise=False), torch.stack([h.mean(0) for h in hidden]))
    with refused("a text must have a token or more: got texts[1]=' '; leave it out"):
        embed(ours, ["once", " "])
    with refused("unknown pool 'first' of Decoder: use one of mean, last"):
        embed(ours, texts, pool="first")


def test_no_word_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Which would take most of the time and the memory."""
    config = transformers.BertConfig(vocab_size=50, **SIZES, max_position_embeddings=16)
    ours = models.load(with_word_pieces(saved(transformers.BertForPreTraining(config), tmp_path)))
    want = ours(torch.tensor([[2, 5, 3]])).hidden[0].mean(0).detach()
    monkeypatch.setattr(ours.words, "forward", None)
    torch.testing.assert_close(embed(ours, ["cat"], normalise=False)[0], want)


def test_what_is_not_embedded(folder: Path, tmp_path: Path):
    ours = models.load(folder)
    with refused("texts must be a list of str: got 'a cat'; use [text]"):
        embed(ours, "a cat")
    with refused("unknown pool 'last' of Encoder: use one of mean, first, pooler"):
        embed(ours, TEXTS, pool="last")
    with refused("batch must be a whole number from 1 to below 2^62: got batch=0"):
        embed(ours, TEXTS, batch=0)
    with refused("a model embeds without dropout: got one in training; use model.eval()"):
        embed(ours.train(), TEXTS)
    with refused("a model needs a tokenizer: got none; load it from a folder with tokenizer.json"):
        embed(build(vary(ours.config)).eval(), TEXTS)
    words = models.load(with_word_pieces(saved(bert("BertForMaskedLM"), tmp_path)))
    with refused("pool='pooler' needs a pooler: got heads=('words',); use 'mean' or 'first'"):
        embed(words, TEXTS, pool="pooler")
    with refused("texts are embedded by an Encoder or a Decoder: got ViT; use another model"):
        embed(ViT(vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2)), TEXTS)
