"""Layers that leave out pads give the same logits and gradients, and compute real tokens alone."""

import pytest
import torch
from torch import nn

from regard.integrations.transformers import leave_out_pads
from regard.integrations.transformers.packing import FAMILIES
from tests.integrations.families import KINDS, B, T, configuration, inputs, models, pair, real_tokens
from tests.integrations.test_families import CLOSE

PACKED = [family for family in KINDS if configuration(family).model_type in FAMILIES]


def rows_computed(model, **given) -> set[tuple[int, ...]]:
    """The batch sizes and lengths that the layers' products see."""
    seen: set[tuple[int, ...]] = set()
    stack = next(part for part in model.modules() if isinstance(part, nn.ModuleList))
    handles = [layer.register_forward_hook(lambda _, __, out: seen.add(_first(out).shape[:2])) for layer in stack[:-1]]
    model(**given)
    for handle in handles:
        handle.remove()
    return {tuple(sizes) for sizes in seen}


def _first(output):
    return output[0] if isinstance(output, tuple) else output


@pytest.mark.parametrize("family", PACKED)
def test_a_family_computes_the_same_without_its_pads(family):
    theirs, ours = models(family)
    leave_out_pads(ours)
    leave_out_pads(ours)
    for side in ("right", "left"):
        real = real_tokens(side)
        given = inputs(family, real) | ({"use_cache": False} if KINDS[family] == "writes" else {})
        results = []
        for model in (theirs, ours):
            model.zero_grad()
            logits = model(**given).logits[real]
            nn.functional.cross_entropy(logits, torch.arange(len(logits)) % logits.shape[-1]).backward()
            results.append((logits, {name: p.grad for name, p in model.named_parameters()}))
        torch.testing.assert_close(results[1][0], results[0][0], **CLOSE)
        for name, gradient in results[0][1].items():
            torch.testing.assert_close(results[1][1][name], gradient, **CLOSE)
        assert rows_computed(ours, **given) == {(1, int(real.sum()))}


def test_what_needs_the_batch_gets_the_batch():
    theirs, ours = models("Mistral")
    leave_out_pads(ours)
    given = inputs("Mistral", real_tokens("left"))
    assert rows_computed(ours, **given) == {(B, T)}  # a cache is written
    assert rows_computed(ours, **given, use_cache=False, output_attentions=True) == {(B, T)}
    assert rows_computed(ours, **inputs("Mistral", torch.ones(B, T)), use_cache=False) == {(B, T)}
    holes = real_tokens("right").clone()
    holes[0, 3] = False
    assert rows_computed(ours, **inputs("Mistral", holes), use_cache=False) == {(B, T)}
    options = {"max_new_tokens": 5, "do_sample": False, "eos_token_id": None}
    assert torch.equal(theirs.generate(**given, **options), ours.generate(**given, **options))
    ours.train()
    assert rows_computed(ours, **given) == {(1, 18)}
    ours.gradient_checkpointing_enable({"use_reentrant": False})
    ours(**given, use_cache=False).logits.sum().backward()


def test_families_that_change_hidden_states_between_layers_are_refused():
    with pytest.raises(ValueError, match="unknown family whose pads can be left out 't5'"):
        leave_out_pads(models("T5")[1])
    with pytest.raises(ValueError, match="got attn_implementation='eager'; use \"regard\""):
        leave_out_pads(pair(configuration("Bert"), "AutoModel")[0])


def test_a_model_in_training_writes_the_same_tokens():
    """`generate` fills its cache in whatever mode a model is; without gradients nothing may be left out of it."""
    theirs, ours = models("Llama")
    leave_out_pads(ours)
    given = inputs("Llama", real_tokens("left"))
    options = {"max_new_tokens": 4, "do_sample": False, "pad_token_id": 0}
    written = [model.train().generate(**given, **options) for model in (theirs, ours)]
    assert torch.equal(written[0], written[1])


def test_layers_that_are_taken_away_are_left_out_by_a_second_call():
    _, ours = models("Llama")
    leave_out_pads(ours)
    ours.model.layers = ours.model.layers[:1]
    leave_out_pads(ours)
    assert ours(**inputs("Llama", real_tokens("right")), use_cache=False).logits.shape[:2] == (B, T)


def test_a_last_layer_that_may_be_skipped_is_refused():
    _, ours = models("OPT")
    ours.config.layerdrop = 0.5
    with pytest.raises(ValueError, match=r"must run: got layerdrop=0\.5; use layerdrop=0"):
        leave_out_pads(ours)
