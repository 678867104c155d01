"""The small language and its four objectives: what texts say, what they cannot, and that each is learnt."""

import pytest
import torch

from regard.models import Encoder, PositionConfig, vary
from regard.tasks.sentences import (
    ADVERBS,
    FIRST,
    IGNORED,
    MASK,
    SECOND,
    TOPICS,
    WORDS,
    Examples,
    Inference,
    Language,
    MadeUp,
    MaskedWords,
    NextSentence,
    Reader,
    objectives,
    probe,
    text,
    to_words,
    types,
)
from tests.refusals import refused

LANGUAGE = Language()
SOURCE = MadeUp(LANGUAGE)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_sentences_follow_the_grammar():
    noun_of = {noun: topic for topic, words in TOPICS.items() for noun in words["nouns"]}
    taken: dict[str, set[str]] = {}
    for first, second in LANGUAGE.pairs(400, generator()):
        parts = []
        for sentence in (first, second):
            words = [word for word in to_words(sentence).split() if word not in ADVERBS]
            assert len(words) == 4
            adjective, subject, verb, thing = words
            topic = TOPICS[noun_of[subject]]
            assert adjective in topic["adjectives"]
            assert verb in topic["verbs"]
            assert thing in topic["nouns"]
            taken.setdefault(verb, set()).add(thing)
            parts.append((subject, thing))
        assert parts[0][1] == parts[1][0], "the object of a sentence is the subject of the next"
    assert len(taken) == 12
    assert {len(things) for things in taken.values()} == {2}


def test_masked_words_filled_in_give_the_text():
    pairs = LANGUAGE.pairs(50, generator())
    examples = MaskedWords().examples(pairs, generator())
    hidden = examples.targets != IGNORED
    assert torch.equal(torch.where(hidden, examples.targets, examples.tokens), text(pairs[:, 0], pairs[:, 1]))
    assert (examples.tokens[hidden] == MASK).all()
    assert hidden[:, FIRST].sum(1).eq(1).all()
    assert hidden[:, SECOND].sum(1).eq(1).all()


def test_a_second_sentence_that_does_not_follow_comes_from_another_text():
    pairs = LANGUAGE.pairs(50, generator())
    examples = NextSentence().examples(pairs, generator())
    for row, label in enumerate(examples.targets.tolist()):
        source = pairs[row if label else row - 1, 1]
        assert torch.equal(examples.tokens[row, SECOND], source)
    assert 0 < examples.targets.sum() < 50


@pytest.mark.parametrize("name", ["words", "next", "order"])
def test_targets_of_the_text_do_not_know_the_facts(name: str):
    one, other = (examples_of(name, Language(contrary=turned)) for turned in (False, True))
    assert torch.equal(one.tokens, other.tokens)
    assert torch.equal(one.targets, other.targets)


def test_no_text_tells_what_follows():
    one, other = (examples_of("inference", Language(contrary=turned)) for turned in (False, True))
    assert torch.equal(one.tokens, other.tokens)
    assert torch.equal(one.targets, 1 - other.targets)
    assert (one.tokens[:, FIRST] != one.tokens[:, SECOND]).sum(1).eq(1).all()


def examples_of(name: str, language: Language):
    return objectives(language)[name].examples(language.pairs(200, generator()), generator(1))


def test_what_is_implied_is_an_order_of_each_topic():
    implies = LANGUAGE.implies
    assert implies.sum() == 3 * len(TOPICS)
    assert not (implies & implies.T).any()
    assert not (implies.float() @ implies.float() > 0)[~implies].any(), "it is transitive"
    assert not torch.equal(implies, Language(facts=1).implies)


@pytest.mark.parametrize(("name", "steps"), [("words", 110), ("inference", 40)])
def test_a_few_steps_teach_what_an_untrained_reader_does_not_know(name: str, steps: int):
    objective, drawn = SOURCE.objectives[name], generator(1)
    test = SOURCE.draw(name, 300, generator(9))
    torch.manual_seed(0)
    reader = Reader(SOURCE, [name])
    before = objective.right(reader, test).float().mean().item()
    optimizer = torch.optim.Adam(reader.parameters(), 3e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        objective.loss(reader, SOURCE.draw(name, 32, drawn)).backward()
        optimizer.step()
    after = objective.right(reader, test).float().mean().item()
    assert before < objective.chance(test) + 0.1 < objective.chance(test) + 0.15 < after


def test_a_reader_without_positions_cannot_see_order():
    reader = Reader(SOURCE, ["order"])
    blind = Encoder(vary(reader.encoder.config, positions=PositionConfig(kind="none")))
    pairs = LANGUAGE.pairs(20, generator())
    straight, inverted = text(pairs[:, 0], pairs[:, 1]), text(pairs[:, 0], pairs[:, 1].flip(1))
    for encoder, sees in ((reader.encoder, True), (blind, False)):
        same = torch.allclose(encoder(straight).pooled, encoder(inverted).pooled, atol=1e-5)
        assert same is not sees


def test_pads_change_nothing():
    torch.manual_seed(0)
    reader, objective = Reader(SOURCE, ["next"]).eval(), NextSentence()
    examples = SOURCE.draw("next", 8, generator())
    lengths = torch.full((8,), 13)
    for name, asked in (("next", objective), ("words", MaskedWords())):
        plain = SOURCE.draw(name, 8, generator(3))
        shorter = Examples(plain.tokens[:, :12], plain.targets[..., :12] if name == "words" else plain.targets)
        noisy = Examples(plain.tokens, plain.targets.clone(), lengths - 1)
        if name == "words":
            shorter.targets[:, -1] = noisy.targets[:, -2:] = IGNORED
        assert asked.loss(reader, noisy).item() == pytest.approx(asked.loss(reader, shorter).item(), rel=1e-5)
        assert torch.allclose(reader.features(noisy), reader.features(shorter), atol=1e-5)
    assert types(examples.tokens)[:, SECOND].eq(1).all()
    assert types(examples.tokens)[:, FIRST].eq(0).all()


def test_a_probe_finds_what_is_there_and_nothing_else():
    reader, objective = Reader(SOURCE, []), Inference(LANGUAGE)
    train_set, test_set = (objective.examples(LANGUAGE.pairs(600, generator(n)), generator(n)) for n in (1, 2))
    shuffled = type(test_set)(train_set.tokens, train_set.targets.roll(1))
    assert probe(reader, objective, train_set, test_set).float().mean() > 0.8
    assert abs(probe(reader, objective, shuffled, test_set).float().mean() - 0.5) < 0.1


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"another text is needed .* got 1 pair"):
        NextSentence().examples(LANGUAGE.pairs(1, generator()), generator())
    with pytest.raises(ValueError, match=r"count must be a whole number from 1 .* got count=0"):
        LANGUAGE.pairs(0, generator())
    with refused("grammar must be a whole number from 0"):
        Language(grammar=-1)
    with pytest.raises(ValueError, match=r"no objective 'nxt' here: did you mean next"):
        Reader(SOURCE, ["next"]).score("nxt", SOURCE.draw("next", 2, generator()))
    assert len(set(WORDS)) == len(WORDS)
