"""Objectives on real text: pairs of lines that follow, captions that follow by rule, texts that are held out."""

import random
from pathlib import Path

import pytest
import torch

from regard.tasks.corpus import (
    ADJECTIVES,
    CONTRADICTED,
    ENTAILED,
    SPECIAL,
    SWAPS,
    Corpus,
    derive,
    droppable,
    invert,
    read_lines,
)
from regard.tasks.sentences import BEGIN, END, IGNORED, MASK, Examples
from regard.tasks.text import train_bpe
from tests.refusals import refused

pytest.importorskip("tokenizers")
CAPTIONS = tuple(f"A {colour} {animal} and two men in a {size} room {n}." for n, (colour, animal, size) in enumerate(
    [(c, a, s) for c in ("red", "blue", "white") for a in ("dog", "horse") for s in ("small", "large", "dark")] * 3
))  # fmt: skip
LINES = tuple((f"line {n} of a play", f"goes on {n} in verse") for n in range(60))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    text = "\n".join([f" {sentence}" for sentence in (*CAPTIONS, *map(" ".join, LINES))])
    return Corpus(LINES, CAPTIONS, train_bpe([text], vocabulary=400, special=SPECIAL))


def texts(corpus: Corpus, examples: Examples) -> list[tuple[str, str]]:
    """Both sentences of each text again."""
    assert examples.lengths is not None
    found = []
    for row, length in zip(examples.tokens.tolist(), examples.lengths.tolist(), strict=True):
        assert row[0] == BEGIN
        assert row[length - 1] == END
        middle = row.index(END)
        first, second = (corpus.pieces.decode(part).strip() for part in (row[1:middle], row[middle + 1 : length - 1]))
        found.append((first, second))
    return found


def test_lines_follow_each_other_in_a_speech(tmp_path: Path):
    speech = "".join([f"Speaker {n}:\nfirst {n}\nsecond {n}\nthird {n}\n\n" for n in range(20)])
    (tmp_path / "play.txt").write_text(speech)
    pairs = read_lines(tmp_path / "play.txt")
    assert pairs[:3] == (("first 0", "second 0"), ("second 0", "third 0"), ("first 1", "second 1"))
    (tmp_path / "play.txt").write_text("one\ntwo\n")
    with pytest.raises(ValueError, match="a text must have 20 lines that follow another: got 1 in"):
        read_lines(tmp_path / "play.txt")


@pytest.mark.parametrize("held_out", [False, True])
def test_the_next_line_is_the_next_and_order_is_turned(corpus: Corpus, held_out: bool):
    follows = dict(LINES[54:] if held_out else LINES[:54])
    drawn = corpus.draw("next", 100, generator(), held_out=held_out)
    for (first, second), label in zip(texts(corpus, drawn), drawn.targets.tolist(), strict=True):
        assert second in follows.values(), "the others are of texts to learn from, or held out, too"
        if label:
            assert follows[first] == second
    assert {
        follows[a] == b for (a, b), label in zip(texts(corpus, drawn), drawn.targets, strict=True) if not label
    } >= {False}
    turned = corpus.draw("order", 40, generator(), held_out=held_out)
    for (first, second), label in zip(texts(corpus, turned), turned.targets.tolist(), strict=True):
        assert second == (invert(follows[first]) if label else follows[first])
    assert 0 < turned.targets.sum() < 40


def test_masked_words_filled_in_give_sentences(corpus: Corpus):
    drawn = corpus.draw("words", 40, generator())
    hidden = drawn.targets != IGNORED
    assert hidden.any(1).all()
    assert (drawn.tokens[hidden] == MASK).all()
    whole = Examples(torch.where(hidden, drawn.targets, drawn.tokens), drawn.targets, drawn.lengths)
    known = {*CAPTIONS, *[line for pair in LINES for line in pair]}
    assert {sentence for pair in texts(corpus, whole) for sentence in pair} <= known


def test_inference_is_made_as_it_is_said(corpus: Corpus):
    drawn = corpus.draw("inference", 120, generator())
    assert set(drawn.targets.tolist()) == {0, 1, 2}
    for (premise, other), label in zip(texts(corpus, drawn), drawn.targets.tolist(), strict=True):
        said, kept = premise.split(), other.split()
        missing = [word for word in said if word not in kept]
        swapped = [word for word in kept if word not in said]
        if label == ENTAILED:
            assert missing
            assert set(missing) <= ADJECTIVES
            assert not swapped
        elif label == CONTRADICTED:
            assert [word for word in missing if word in SWAPS and SWAPS[word] in kept]
        else:
            assert premise.split()[-1] != other.split()[-1], "another caption: its number differs"


def test_only_adjectives_before_what_they_describe_are_dropped():
    cases = {
        "A black and white dog runs.": [],
        "A man in black stands outside.": [],
        "A child wearing pink stands here.": [],
        "Two young, White males are outside.": [],
        "An old man in a blue shirt.": [1, 5],
    }
    assert {text: droppable(text.split()) for text in cases} == cases
    made = {derive("An old man in a blue shirt.", random.Random(seed), swap=False) for seed in range(20)}
    assert made == {"A man in a shirt.", "A man in a blue shirt.", "An old man in a shirt."}


def test_captions_that_no_rule_fits_are_refused(corpus: Corpus):
    plain = Corpus(LINES, ("Nothing here.",) * 30, corpus.pieces)
    message = "captions must have adjectives and nouns that the rules know: got 0 such captions"
    with refused(message):
        plain.draw("inference", 2, generator())
