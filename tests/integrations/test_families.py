"""Models of transformers with `regard` equal themselves with `eager`: logits, gradients, maps, what they write."""

import pytest
import torch
import transformers
from torch import Tensor

from regard.integrations.transformers import registration
from tests.integrations.families import IMAGE, KINDS, SIZES, TOKENS, VISION, B, T, V, inputs, models, pair, real_tokens

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
WRITES = [family for family, kind in KINDS.items() if kind != "reads"]


def ran(model, keep: Tensor, **given):
    """Logits at real tokens, the gradients of a loss on them, and the maps of those queries."""
    out = model(**given, output_attentions=True)
    model.zero_grad()
    logits = out.logits[keep]
    torch.nn.functional.cross_entropy(logits, torch.arange(len(logits)) % logits.shape[-1]).backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    maps = out.decoder_attentions + out.cross_attentions if "decoder_attentions" in out else out.attentions
    return logits, gradients, [m.transpose(1, 2)[keep] for m in maps]


def assert_equal(theirs, ours, keep: Tensor, **given) -> None:
    (logits, gradients, maps), (our_logits, our_gradients, our_maps) = (ran(m, keep, **given) for m in (theirs, ours))
    torch.testing.assert_close(our_logits, logits, **CLOSE)
    assert our_gradients.keys() == gradients.keys()
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            our_gradients[name], gradient, **CLOSE, msg=lambda text, name=name: f"{name}: {text}"
        )
    assert len(our_maps) == len(maps) > 0
    for ours_, theirs_ in zip(our_maps, maps, strict=True):
        torch.testing.assert_close(ours_, theirs_, **CLOSE)


@pytest.mark.parametrize("family", KINDS)
def test_a_family_computes_the_same(family):
    theirs, ours = models(family)
    for side in ("right", "left"):
        real = real_tokens(side)
        keep = torch.ones_like(real) if KINDS[family] == "translates" else real
        assert_equal(theirs, ours, keep, **inputs(family, real))


@pytest.mark.parametrize("family", WRITES)
def test_a_family_writes_the_same(family):
    theirs, ours = models(family)
    given = inputs(family, real_tokens("left"))
    given.pop("decoder_input_ids", None)
    for cache in ("dynamic", "static"):
        options = {"max_new_tokens": 7, "do_sample": False, "eos_token_id": None, "cache_implementation": cache}
        written = [model.generate(**given, **options) for model in (theirs, ours)]
        assert torch.equal(*written), cache
        assert written[0][:, -7:].unique().numel() > 2  # they say something


def test_vit_computes_the_same():
    config = transformers.ViTConfig(**VISION, **IMAGE, num_labels=4)
    theirs, ours = pair(config, "AutoModelForImageClassification")
    images = torch.randn(B, 3, 12, 12)
    results = []
    for model in (theirs, ours):
        out = model(pixel_values=images, output_attentions=True)
        out.logits.square().sum().backward()
        results.append([out.logits, *out.attentions, *[p.grad for p in model.parameters() if p.grad is not None]])
    for found, wanted in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(found, wanted, **CLOSE)


def test_clip_computes_the_same():
    text = transformers.CLIPTextConfig(**{**SIZES, **TOKENS}, projection_dim=16)
    vision = transformers.CLIPVisionConfig(**VISION, **IMAGE, projection_dim=16)
    config = transformers.CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=16)
    theirs, ours = pair(config, "AutoModel")
    ids = torch.randint(3, V, (B, 10))
    ids[:, -1] = 2
    given = {"input_ids": ids, "attention_mask": real_tokens("right").long(), "pixel_values": torch.randn(B, 3, 12, 12)}
    results = []
    for model in (theirs, ours):
        out = model(**given)
        out.logits_per_image.softmax(1)[0, 0].backward()
        results.append([out.logits_per_image, *[p.grad for p in model.parameters() if p.grad is not None]])
    for found, wanted in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(found, wanted, **CLOSE)


def test_models_that_choose_among_classes_of_their_own_have_one():
    """SAM's and such compute attention themselves; so does GPT-J, with a mask that must be a tensor."""
    theirs, ours = pair(transformers.Data2VecVisionConfig(**VISION, **IMAGE), "AutoModel")
    images = torch.randn(B, 3, 12, 12)
    found, wanted = (model(pixel_values=images).last_hidden_state for model in (ours, theirs))
    torch.testing.assert_close(found, wanted, **CLOSE)
    config = transformers.GPTJConfig(n_embd=32, n_layer=1, n_head=4, rotary_dim=8, n_positions=64, vocab_size=V)
    _, ours = pair(config, "AutoModelForCausalLM")
    with pytest.raises(ValueError, match='computes attention itself; use attn_implementation="eager" or "sdpa" for it'):
        ours(torch.randint(3, V, (B, T)))


def test_another_version_of_transformers_may_lack_a_model(monkeypatch):
    monkeypatch.setattr(registration, "CHOOSERS", ("gone.modeling_gone", "sam.modeling_sam"))
    table = transformers.models.sam.modeling_sam.SAM_VISION_ATTENTION_CLASSES
    monkeypatch.delitem(table, registration.NAME, raising=False)
    registration.register()
    assert table[registration.NAME] is table["sdpa"]


def test_falcon_adds_its_slopes_once():
    """As with sdpa: its eager path adds them a second time with the mask."""
    config = transformers.FalconConfig(
        vocab_size=V, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, alibi=True, multi_query=False,
        initializer_range=0.3,
    )  # fmt: skip
    theirs, ours = pair(config, "AutoModelForCausalLM", against="sdpa")
    for side in ("right", "left"):
        real = real_tokens(side)
        logits = [model(**inputs("Falcon", real)).logits[real] for model in (theirs, ours)]
        torch.testing.assert_close(*logits, **CLOSE)


def test_a_lost_mask_would_be_seen(monkeypatch):
    _, ours = models("Mistral")
    monkeypatch.delitem(transformers.AttentionMaskInterface._global_mapping, "regard")
    real = real_tokens("right")
    with pytest.raises(ValueError, match="MistralAttention is causal but came without a mask"):
        ours(**inputs("Mistral", real))
