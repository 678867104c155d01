"""Configurations as words and as JSON."""

import json
from dataclasses import asdict

import pytest

from regard.recipes import from_json, override
from regard.recipes.reversal import ReversalConfig
from regard.recipes.text.language import LanguageConfig


def test_changes_reach_their_field_in_its_type():
    made = override(
        ReversalConfig(),
        ["hidden=32", "lengths=3, 5,7", "training.descent.clip=none", "training.schedule.kind=constant",
         "training.execution.compiled=true", "dropout=0.1"],
    )  # fmt: skip
    assert (made.hidden, made.lengths, made.dropout) == (32, (3, 5, 7), 0.1)
    training = made.training
    assert (training.descent.clip, training.schedule.kind, training.execution.compiled) == (None, "constant", True)
    assert training.descent.rate == ReversalConfig().training.descent.rate


def test_json_and_back():
    made = override(ReversalConfig(), ["lengths=3,5", "training.patience=4"])
    assert from_json(ReversalConfig, json.loads(json.dumps(asdict(made)))) == made


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("hiden=3", "the recipe has no setting 'hiden': did you mean hidden?"),
        ("training.step=3", "training has no setting 'step': did you mean steps"),
        ("hidden", "a change must be name=value: got 'hidden'"),
        ("hidden.size=3", "'hidden' has no parts: got 'hidden.size=3'; write hidden=3"),
        ("training=3", "'training' has the parts steps, batch"),
        ("hidden=many", "hidden must be a whole number: got 'many'"),
        ("training.descent.rate=x", "training.descent.rate must be a number: got 'x'"),
        ("training.execution.compiled=perhaps", "training.execution.compiled must be true or false: got 'perhaps'"),
        ("training.schedule.kind=linear", "training.schedule.kind must be constant or cosine or step: got 'linear'"),
        ("training.steps=0", "steps must be"),
        ("training.descent.betas=0.9", "training.descent.betas must be 2 values with commas between: got '0.9'"),
        ("lengths=", "lengths must be one or more"),
    ],
)
def test_changes_that_cannot_be(change: str, says: str):
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        override(ReversalConfig(), [change])


def test_a_configuration_of_an_earlier_version_is_read():
    written = asdict(ReversalConfig())
    for part, name in ((written["training"], "save_every"), (written["training"]["descent"], "momentum")):
        del part[name]
    assert from_json(ReversalConfig, written) == ReversalConfig()
    del written["training"]["seed"]
    with pytest.raises(ValueError, match="Settings must have all of its settings: got no 'seed'"):
        from_json(ReversalConfig, written)


def test_a_configuration_of_another_version_is_told():
    with pytest.raises(ValueError, match="ReversalConfig has no 'hid': did you mean hidden"):
        from_json(ReversalConfig, {"hid": 3})


def test_two_changes_may_need_each_other():
    made = override(LanguageConfig(), ["model.num_heads=3", "model.width=96", "training.steps=5", "training.batch=2"])
    assert (made.model.num_heads, made.model.width, made.training.steps, made.training.batch) == (3, 96, 5, 2)
    with pytest.raises(ValueError, match="num_heads"):
        override(LanguageConfig(), ["model.num_heads=3"])
