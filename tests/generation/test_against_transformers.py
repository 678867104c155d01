"""The same tokens as transformers' greedy search, beam search and sampling, with the same weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from regard import models
from tests.models.published import EAGER, GPT2, LLAMA, T5, V, saved
from tests.models.shaking import shaken

PROMPTS = [[5, 6, 7, 8, 9], [11, 12], [20, 21, 22]]
END, PAD = 4, 0


def gpt2() -> Any:
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**GPT2 | {"n_positions": 40}, **EAGER))


def llama() -> Any:
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA, eos_token_id=END, **EAGER))


def t5() -> Any:
    ids = {"decoder_start_token_id": PAD, "eos_token_id": END, "pad_token_id": PAD}
    return transformers.T5ForConditionalGeneration(transformers.T5Config(**T5, **ids, **EAGER))


@pytest.fixture(scope="module", params=[gpt2, llama, t5], ids=["gpt2", "llama", "t5"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Theirs, and ours from its folder."""
    torch.manual_seed(3)
    theirs = shaken(request.param())
    folder: Path = saved(theirs, tmp_path_factory.mktemp("model"))
    return theirs, models.load(folder)


def theirs_writes(theirs: Any, prompts: list[list[int]], **options: Any) -> list[list[int]]:
    """What transformers writes, without pads: prompts padded on the left for a decoder, on the right for sources."""
    longest = max(map(len, prompts))
    source = theirs.config.is_encoder_decoder
    pads = [[PAD] * (longest - len(prompt)) for prompt in prompts]
    rows = [p + pad if source else pad + p for p, pad in zip(prompts, pads, strict=True)]
    ones = [[1] * len(prompt) for prompt in prompts]
    zeros = [[0] * len(pad) for pad in pads]
    mask = [one + zero if source else zero + one for one, zero in zip(ones, zeros, strict=True)]
    out = theirs.generate(
        torch.tensor(rows), attention_mask=torch.tensor(mask), pad_token_id=PAD, eos_token_id=END, **options
    )
    new = out[:, 1 if source else longest :].tolist()
    return [row[: row.index(END) + 1] if END in row else row for row in new]


def ours_writes(ours: Any, prompts: list[list[int]], **settings: Any) -> list[list[int]]:
    return [list(written.tokens) for written in ours.generate(prompts, ends=(END,), **settings)]


@pytest.mark.parametrize("penalty", [1.0, 1.7])
def test_greedy(pair: tuple[Any, Any], penalty: float):
    theirs, ours = pair
    for prompts in (PROMPTS, PROMPTS[:1]):
        # Theirs counts pads as words that were read; alone, a prompt has none.
        want = [
            row
            for one in ([prompts] if penalty == 1 else [[prompt] for prompt in prompts])
            for row in theirs_writes(theirs, one, max_new_tokens=20, do_sample=False, repetition_penalty=penalty)
        ]
        assert ours_writes(ours, prompts, max_new=20, repetition_penalty=penalty) == want


@pytest.mark.parametrize(("beams", "penalty"), [(2, 1.0), (5, 0.0), (4, 2.0)])
def test_beams(pair: tuple[Any, Any], beams: int, penalty: float):
    theirs, ours = pair
    options = {"num_beams": beams, "length_penalty": penalty, "do_sample": False, "max_new_tokens": 12}
    want = theirs_writes(theirs, PROMPTS, **options)
    assert ours_writes(ours, PROMPTS, max_new=12, beams=beams, length_penalty=penalty) == want


def test_beams_with_a_repetition_penalty(pair: tuple[Any, Any]):
    theirs, ours = pair
    options = {"num_beams": 3, "repetition_penalty": 1.4, "do_sample": False, "max_new_tokens": 12}
    want = [theirs_writes(theirs, [prompt], **options)[0] for prompt in PROMPTS]
    assert ours_writes(ours, PROMPTS, max_new=12, beams=3, repetition_penalty=1.4) == want


@pytest.mark.parametrize(
    "filters", [{}, {"top_k": 5}, {"top_p": 0.7}, {"min_p": 0.2}, {"top_k": 20, "top_p": 0.9, "min_p": 0.05}]
)
def test_draws(pair: tuple[Any, Any], filters: dict[str, Any]):
    """The same seed draws the same tokens, for the probabilities are the same."""
    theirs, ours = pair
    torch.manual_seed(7)
    options = {"top_k": 0} | filters | {"do_sample": True, "temperature": 0.8, "max_new_tokens": 15}
    want = theirs_writes(theirs, PROMPTS[:1], **options)
    assert ours_writes(ours, PROMPTS[:1], max_new=15, temperature=0.8, seed=7, **filters) == want


def test_another_text_is_noticed(pair: tuple[Any, Any]):
    """The control: settings that should change the text do."""
    _, ours = pair
    plain = ours_writes(ours, PROMPTS, max_new=12)
    assert ours_writes(ours, PROMPTS, max_new=12, temperature=2.0, seed=0) != plain
    assert max(max(row) for row in plain) < V
