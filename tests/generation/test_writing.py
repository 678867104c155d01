"""Streams, stops, turns, batches of prompts: what is written is what the whole sequence says."""

import pickle
import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard import models
from regard.attention import Elu, GlobalTokens, Kernel, Window
from regard.generation import Settings, Text
from regard.models import PRESETS, Recurrent, RecurrentConfig, Writer, build, vary
from tests.models.shaking import shaken

SMALL = {"depth": 2, "width": 32, "num_heads": 4, "vocabulary": 60}
PROMPTS = [[5, 6, 7, 8, 9], [11, 12], [20]]


def letters() -> Any:
    """A tokenizer of bytes, so that a letter may take several tokens."""
    table = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({letter: n for n, letter in enumerate(table)}, []))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return tokenizer


def small(name: str = "gpt2", **changes: Any) -> Any:
    torch.manual_seed(1)
    return shaken(build(vary(PRESETS[name], **SMALL | changes)).double())


@pytest.fixture(scope="module")
def speaks(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A decoder that was loaded with a tokenizer."""
    folder = tmp_path_factory.mktemp("speaks")
    models.save(small(vocabulary=256, context=120).float(), folder)
    letters().save(str(folder / "tokenizer.json"))
    return models.load(folder)


def greedily(model: Any, prompt: list[int], count: int) -> list[int]:
    """By the whole sequence each time: the definition."""
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
    return tokens[len(prompt) :]


def test_prompts_of_different_lengths_are_written_as_if_alone():
    model = small()
    want = [greedily(model, prompt, 9) for prompt in PROMPTS]
    assert [list(written.tokens) for written in model.generate(PROMPTS, max_new=9)] == want
    ends = (want[1][3], want[2][5])  # rows leave at different times
    for row, written in enumerate(model.generate(PROMPTS, max_new=9, ends=ends)):
        until = next((n + 1 for n, token in enumerate(want[row]) if token in ends), 9)
        assert list(written.tokens) == want[row][:until]
        assert written.reason == ("end" if want[row][until - 1] in ends else "length")


def test_an_lstm_writes_too():
    torch.manual_seed(2)
    model = Recurrent(RecurrentConfig(vocabulary=9, width=16, hidden=32)).double().eval()
    sources = [[1, 2, 3, 4], [5, 6]]
    for row, written in enumerate(model.generate(sources, start=0, max_new=6)):
        target = [0]
        for _ in range(6):
            target.append(int(model(torch.tensor([sources[row]]), torch.tensor([target])).logits[0, -1].argmax()))
        assert list(written.tokens) == target[1:]
    wide = model.generate(sources, start=0, max_new=6, beams=9)
    assert all(found.score is not None for found in wide)


def test_beams_find_what_greed_misses():
    """All texts of three tokens are tried: with as many beams as there are beginnings none is better."""
    model = small(vocabulary=5)
    found = model.generate([1, 2], max_new=3, beams=5, length_penalty=0)
    every = torch.cartesian_prod(*[torch.arange(5)] * 3)
    rows = torch.cat((torch.tensor([[1, 2]]).expand(len(every), 2), every), 1)
    with torch.no_grad():
        logits = model(rows).logits
    chances = logits.log_softmax(-1)[:, 1:-1].gather(2, every[:, :, None]).sum((1, 2))
    narrow = model.generate([1, 2], max_new=3, beams=2, length_penalty=0)
    assert found.score == pytest.approx(float(chances[(every == torch.tensor(found.tokens)).all(1)]), abs=1e-5)
    assert found.score >= narrow.score
    assert found.score >= float(chances.topk(5).values[-1])


def test_pieces_of_a_stream_are_the_text(speaks: Any):
    written = speaks.generate("Once upon", max_new=60, temperature=1.3, seed=5)
    pieces = list(speaks.stream("Once upon", max_new=60, temperature=1.3, seed=5))
    assert "".join(pieces) == written.text == speaks.tokenizer.decode(list(written.tokens))
    assert len(pieces) > 10
    assert written.reason == "length"
    again = speaks.generate("Once upon", max_new=60, temperature=1.3, seed=6)
    assert again.tokens != written.tokens


def test_a_stream_computes_no_more_than_is_taken(speaks: Any):
    """A stream is lazy, and what asks for gradients between its pieces gets them."""
    stream = speaks.stream("Once", temperature=1, seed=0)
    assert len(list(islice(stream, 2))) == 2
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


def test_a_text_ends_before_a_stop_even_across_tokens(speaks: Any):
    free = speaks.generate("Once upon", max_new=60, temperature=1.3, seed=5).text
    stop = next(free[n : n + 3] for n in range(9, 50) if "�" not in free[n : n + 3])  # of several tokens
    for text in (
        speaks.generate("Once upon", max_new=60, temperature=1.3, seed=5, stop=stop).text,
        "".join(speaks.stream("Once upon", max_new=60, temperature=1.3, seed=5, stop=("never", stop))),
    ):
        assert text == free[: free.index(stop)]
    found = speaks.generate("Once upon", max_new=12, beams=3)
    cut = speaks.generate("Once upon", max_new=12, beams=3, stop=found.text[4:6])
    assert found.text[4:6] not in cut.text


@pytest.mark.parametrize("stop", [(), ("né",), ("xx",)])
def test_text_is_held_back_until_it_is_certain(stop: tuple[str, ...]):
    tokenizer = letters()
    whole = "année, 日本 ✓ naïve"
    text = Text(tokenizer, tokenizer.encode("Hello").ids, stop)
    pieces = []
    for token in tokenizer.encode(whole).ids:
        pieces.append(text.add(token))
        assert "�" not in pieces[-1]
        if text.stopped:
            break
    pieces.append(text.end())
    assert "".join(pieces) == (whole.split(stop[0], maxsplit=1)[0] if stop else whole)
    assert text.stopped == (stop == ("né",))


def test_turns_are_the_whole_conversation(speaks: Any):
    session = speaks.session(100)
    said: list[int] = []
    for line in ("Once upon a time", "\nthen", "\nand"):
        said += speaks.tokenizer.encode(line).ids
        assert session.tokens + speaks.tokenizer.encode(line).ids == said
        answer = list(speaks.generate(said, max_new=8).tokens)
        before = session.reader.lengths[0]
        got = session.generate(line, max_new=8)
        assert list(got.tokens) == answer
        assert session.reader.lengths[0] == len(said) + 7  # each token was read once
        assert session.reader.lengths[0] > before
        said += answer
        assert session.tokens == said


def test_a_conversation_that_was_changed_keeps_its_beginning(speaks: Any):
    session = speaks.session(100)
    session.generate("Once upon a time", max_new=8)
    reads = []
    read = session.reader.read
    session.reader.read = lambda tokens, lengths=None: reads.append(tokens.shape[1]) or read(tokens, lengths)
    got = session.generate("Once upon a day", max_new=4, whole=True)
    assert got.tokens == speaks.generate("Once upon a day", max_new=4).tokens
    assert reads == [3, 1, 1, 1]  # "day", then one by one
    assert "".join(session.stream("Once upon a day", max_new=4, whole=True)) == got.text
    assert reads[4:] == [1, 1, 1, 1]  # the last token of the prompt alone


def test_a_repetition_penalty_counts_earlier_turns(speaks: Any):
    session = speaks.session(100)
    session.generate("Once upon a time", max_new=8)
    said = session.tokens + speaks.tokenizer.encode("x").ids
    want = speaks.generate(said, max_new=8, repetition_penalty=5)
    assert session.generate("x", max_new=8, repetition_penalty=5).tokens == want.tokens


def test_a_turn_that_was_broken_off_or_refused_leaves_the_session_whole(speaks: Any):
    session = speaks.session(100)
    session.generate("Once upon", max_new=3)
    said = list(session.tokens)
    with pytest.raises(ValueError, match="tokens must be whole numbers in 0…255: got 999"):
        session.generate([999], max_new=2)
    first, *others = session.reader.caches
    first.truncate(first.lengths[0] - 2)  # as if somebody had stopped it between two blocks
    got = session.generate("!", max_new=5)
    assert got.tokens == speaks.generate([*said, *speaks.tokenizer.encode("!").ids], max_new=5).tokens
    assert len({cache.lengths for cache in (first, *others)}) == 1


def test_an_earlier_stream_of_a_session_is_over_when_the_next_begins(speaks: Any):
    session = speaks.session(100)
    early = session.stream("Once", max_new=9, temperature=1, seed=1)
    next(early)
    assert len(session.generate("upon", max_new=3).tokens) == 3
    with pytest.raises(ValueError, match="a turn ends when the next begins"):
        list(early)


def test_a_session_under_a_window_begins_anew_where_it_must():
    model = small(mask=Window(before=3), kind="rotary")
    session = model.session(200)
    session.generate([5, 6, 7] * 7, max_new=4)
    assert session.reader.caches[0].window == 4
    got = session.generate([5, 6, 9], max_new=4, whole=True)
    assert got.tokens == model.generate([5, 6, 9], max_new=4).tokens


@pytest.mark.parametrize("changes", [{"weighting": Kernel(Elu())}, {"mask": GlobalTokens(1) | Window(before=2)}])
def test_what_no_cache_keeps_is_written_all_the_same(changes: dict[str, Any]):
    model = small(**changes)
    want = [greedily(model, prompt, 5) for prompt in PROMPTS]
    assert [list(written.tokens) for written in model.generate(PROMPTS, max_new=5)] == want


def test_drawing_takes_one_random_number_of_torch():
    model = small()
    torch.manual_seed(0)
    first = model.generate([5], max_new=5, temperature=1).tokens
    after = torch.rand(())
    torch.manual_seed(0)
    assert model.generate([5], max_new=5, temperature=1).tokens == first
    torch.manual_seed(0)
    torch.randint(2**62, ())
    assert after == torch.rand(())


def bytes_and_words() -> Any:
    """A tokenizer as Llama 2 has: what is no word is spelled in bytes."""
    vocabulary = {"<unk>": 0, "▁a": 1, "▁b": 2, "a": 3}
    vocabulary |= {f"<0x{byte:02X}>": 4 + byte for byte in range(256)}
    model = tokenizers.models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.decoder = tokenizers.decoders.Sequence(
        [
            tokenizers.decoders.Replace("▁", " "),
            tokenizers.decoders.ByteFallback(),
            tokenizers.decoders.Fuse(),
            tokenizers.decoders.Strip(" ", 1, 0),
        ]
    )
    return tokenizer


@given(st.lists(st.integers(0, 259), max_size=12), st.lists(st.integers(0, 259), min_size=1, max_size=30))
def test_any_tokens_become_their_text(read: list[int], new: list[int]):
    """Broken letters too: nothing is lost, repeated or raised; behind a letter, spaces are kept."""
    tokenizer = bytes_and_words()
    read = [1, *read, 3]  # which ends with a whole letter
    text = Text(tokenizer, read)
    pieces = [text.add(token) for token in new] + [text.end()]
    assert "".join(pieces) == text.given
    whole, before = tokenizer.decode(read + new), tokenizer.decode(read)
    assert whole.startswith(before)
    broken = "�" in whole[len(before) :]  # what stands for a half of a letter depends on what stands beside it
    assert broken or text.given == whole[len(before) :]


def test_a_prompt_that_ends_in_half_a_letter_is_not_repeated():
    tokenizer = letters()
    for prompt in ("once upon �", "é"):
        ids = tokenizer.encode(prompt).ids
        text = Text(tokenizer, ids[:-1] if prompt == "é" else ids)
        new = ids[-1:] if prompt == "é" else tokenizer.encode(" world").ids
        pieces = [text.add(token) for token in new] + [text.end()]
        assert "".join(pieces) == ("é" if prompt == "é" else " world")


def test_a_model_needs_its_folder_no_more(tmp_path: Path, speaks: Any):
    models.save(speaks, tmp_path / "m")
    (tmp_path / "m" / "generation_config.json").write_text('{"eos_token_id": 7}')
    model = models.load(tmp_path / "m")
    shutil.rmtree(tmp_path / "m")
    again = pickle.loads(pickle.dumps(model))
    for each in (model, again):
        assert each.ends() == (7,)
        assert each.generate("Hello", max_new=3, ends=()).text == speaks.generate("Hello", max_new=3).text


def test_a_broken_tokenizer_is_named(tmp_path: Path, speaks: Any):
    models.save(speaks, tmp_path / "m")
    (tmp_path / "m" / "tokenizer.json").write_text("{")
    with pytest.raises(ValueError, match=r"a tokenizer is read from whole files: got .*tokenizer\.json"):
        models.load(tmp_path / "m").generate("a")


def test_the_probabilities_that_are_drawn_by():
    """Each filter by hand, on scores whose probabilities are 0.5, 0.3, 0.15, 0.05."""
    from regard.generation.sampling import Chooser, probabilities

    scores = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()
    for settings, want in (
        ({}, [0.5, 0.3, 0.15, 0.05]),
        ({"top_k": 2}, [0.625, 0.375, 0, 0]),
        ({"top_p": 0.81}, [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0]),
        ({"top_p": 0.79}, [0.625, 0.375, 0, 0]),
        ({"top_p": 0.01}, [1, 0, 0, 0]),
        ({"top_p": 1e-12}, [1, 0, 0, 0]),  # less than a sum of float32 can tell
        ({"min_p": 0.31}, [0.625, 0.375, 0, 0]),
        ({"temperature": 0.5}, [0.25 / 0.365, 0.09 / 0.365, 0.0225 / 0.365, 0.0025 / 0.365]),
    ):
        got = probabilities(scores, Settings(**{"temperature": 1.0} | settings))
        torch.testing.assert_close(got, torch.tensor([want], dtype=torch.float32))
    choose = Chooser(1, Settings(temperature=1, seed=0), None)
    drawn = [int(choose(scores)) for _ in range(2000)]
    shares = torch.bincount(torch.tensor(drawn), minlength=4) / 2000
    torch.testing.assert_close(shares, torch.tensor([0.5, 0.3, 0.15, 0.05]), atol=0.04, rtol=0)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_new": 0}, "max_new"),
        ({"temperature": "1"}, "temperature must be a number: got '1'"),
        ({"temperature": 1, "seed": 1.5}, "seed must be a whole number in 0…2⁶³ − 1: got 1.5"),
        ({"stop": 5}, "stop must be strings with a letter or more: got 5"),
        ({"temperature": -1}, "temperature must be 0 or more: got -1"),
        ({"top_p": 1.5, "temperature": 1}, "top_p must lie in 0…1, above 0: got 1.5"),
        ({"top_k": 3}, "top_k is for drawing tokens: got top_k=3 with temperature=0"),
        ({"seed": 3}, "seed is for drawing tokens: got seed=3 with temperature=0"),
        ({"repetition_penalty": 0}, "repetition_penalty must be positive: got 0"),
        ({"beams": 3, "temperature": 1}, "beams look for the likeliest text: got beams=3 with temperature=1"),
        ({"length_penalty": 2}, "length_penalty is for beams: got 2 with beams=1"),
        ({"beams": 2, "length_penalty": float("nan")}, "length_penalty must be finite: got nan"),
        ({"stop": ("a", "")}, "stop must be strings with a letter or more: got ('a', '')"),
    ],
)
def test_settings_that_cannot_be_meant(settings: dict[str, Any], message: str):
    with pytest.raises(ValueError) as error:
        Settings(**settings)
    assert message in str(error.value)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.generate(""), "a prompt must have a token or more: got ''"),
        (lambda m: m.generate([[1], []]), "of which number 1 has none"),
        (lambda m: m.generate([1, 256]), "tokens must be whole numbers in 0…255: got 256"),
        (lambda m: m.generate([1.5]), "tokens must be whole numbers in 0…255: got 1.5"),
        (lambda m: m.generate(5), "prompts are texts, or lists of tokens: got 5"),
        (lambda m: m.generate("\ud800"), "text must be Unicode"),
        (
            lambda m: m.generate([1] * 100, max_new=30),
            "a prompt of 100 tokens and max_new=30, where there is room for 21",
        ),
        (lambda m: m.generate([1] * 121), "a prompt of 121 tokens and max_new=1, where there is room for 0"),
        (lambda m: m.generate([1], beams=300), "got beams=300 for a vocabulary of 256; use 256 or fewer"),
        (lambda m: m.generate([1], beem=3), "no setting is named 'beem'"),
        (lambda m: m.generate([1], Settings(), max_new=3), "got both, max_new"),
        (lambda m: m.generate([1], start=3), "a decoder goes on from the prompt: got start=3"),
        (lambda m: m.generate(torch.rand(2, 2)), "tokens must be whole numbers in 0…255: got 0."),
        (lambda m: m.stream("a", beams=2), "beams know the text at the end alone: got beams=2"),
        (lambda m: m.stream(["a", "b"]), "a stream is of one prompt: got 2"),
        (lambda m: m.session(5).generate([1] * 4, max_new=3), "got 4 tokens and max_new=3 for a capacity of 5"),
        (lambda m: small().generate("a"), "text needs a tokenizer: got 'a'"),
        (lambda m: small().generate([1], stop="a"), "strings to stop at need a tokenizer: got stop=('a',)"),
        (lambda m: small().generate([1], stop="a", beams=2), "strings to stop at need a tokenizer: got stop=('a',)"),
        (lambda m: small().stream([1]), "a stream of text needs a tokenizer"),
        (lambda m: small("t5-small").generate([1]), "a target begins with a token: got none"),
        (lambda m: small(dropout=0.1).train().generate([1]), "a model writes without dropout"),
    ],
)
def test_what_cannot_be_written(speaks: Writer, ask: Any, message: str):
    with pytest.raises(ValueError) as error:
        ask(speaks)
    assert message in str(error.value)


def test_the_last_place_is_written(speaks: Any):
    """A prompt that leaves no place free is still followed by one token."""
    full = speaks.generate([1] * 120)
    assert (len(full.tokens), full.reason) == (1, "length")
    assert len(speaks.generate([1] * 100).tokens) == 21


def test_a_folder_says_how_texts_end(tmp_path: Path, speaks: Any):
    models.save(speaks, tmp_path / "m")
    (tmp_path / "m" / "generation_config.json").write_text('{"eos_token_id": [3, 4]}')
    assert models.load(tmp_path / "m").ends() == (3, 4)
