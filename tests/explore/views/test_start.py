"""Start: the numbers behind the sentence are those of the model that ships."""

import numpy as np
import pytest
import torch

from regard.explore.api import find_endpoint
from regard.explore.views.start import FOLDER
from regard.explore.workspace import Workspace
from regard.models import load

SENTENCE = "A little girl in a pink dress is"


def read(text: str):
    endpoint = find_endpoint("start")
    found = endpoint.answer(Workspace(), endpoint.parse({"text": text}))
    header = found.header
    count = len(header.pieces)
    return header, np.frombuffer(found.data, "<f4").reshape(header.layers, header.heads, count, count)


def test_the_weights_and_the_next_tokens_are_the_models_own():
    model = load(FOLDER).eval()
    header, weights = read(SENTENCE)
    ids = model.tokenizer.encode("\n" + SENTENCE).ids
    with torch.inference_mode():
        out = model(torch.tensor([ids]), maps=True)
    np.testing.assert_allclose(weights, torch.stack(out.maps["self"])[:, 0].numpy(), atol=1e-6)
    probabilities = out.logits[0, -1].softmax(0)
    assert [one.probability for one in header.next] == pytest.approx(probabilities.topk(6).values.tolist(), abs=1e-6)
    assert "".join(header.pieces) == SENTENCE
    assert header.pieces[0] == ""
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert np.triu(weights, 1).max() == 0


def test_the_most_telling_head_looks_past_the_previous_token():
    header, weights = read(SENTENCE)
    layer, head = header.telling
    count = len(header.pieces)
    far = np.tril(np.ones((count, count)), -2) * (np.arange(count) > 0)
    best = (weights * far).max(-1).mean(-1)
    assert best[layer, head] == best.max()


def test_the_model_writes_sense():
    """A verb that fits, and a place where dogs run: what a reader would say of the first screen."""
    assert {one.piece.strip() for one in read(SENTENCE)[0].next} >= {"standing", "sitting", "playing"}
    assert {one.piece.strip() for one in read("Two dogs are running through the")[0].next} >= {"grass", "snow", "water"}
    assert read("Two dogs are running through the grass.")[0].next[0].piece == ""  # the end


def test_white_space_at_the_end_changes_nothing_and_a_long_text_is_refused():
    assert read(SENTENCE + "  ")[0].pieces == read(SENTENCE)[0].pieces
    assert read("")[0].pieces == [""]
    with pytest.raises(ValueError, match="at most 63 tokens: got 80; remove some words"):
        read("a " * 80)


def test_characters_that_the_model_has_not_learnt_are_named():
    assert read("A dog 🎉 and 猫 and 猫")[0].unknown == "🎉猫"
    assert read(SENTENCE)[0].unknown == ""
