"""The same numbers as transformers' models with the same weights, on padded batches, maps and gradients included."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor

from regard.attention import Window
from regard.models import (
    BlockConfig,
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    Mechanism,
    NormConfig,
    PositionConfig,
    ViT,
    ViTConfig,
    vary,
)
from tests.models.published import renamed
from tests.models.shaking import shaken

B, T, V, C = 3, 7, 50, 32
LENGTHS = (7, 4, 1)
REAL = torch.arange(T) < torch.tensor(LENGTHS)[:, None]
EAGER = {"attn_implementation": "eager"}  # the other kinds give no maps


def the_same(ours: Tensor | None, theirs: Tensor, tolerance: float = 1e-10) -> None:
    """At real tokens; what stands at pads is nobody's concern."""
    assert ours is not None
    real = REAL if ours.shape[:2] == REAL.shape else slice(None)
    torch.testing.assert_close(ours[real], theirs[real], rtol=tolerance, atol=tolerance)


def the_same_maps(ours: tuple[Tensor, ...], theirs: tuple[Tensor, ...], tolerance: float = 1e-10) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        the_same(one.transpose(1, 2), other.transpose(1, 2), tolerance)  # (B, T, H, S): queries after the batch


def tokens(vocabulary: int = V) -> Tensor:
    return torch.randint(vocabulary, (B, T))


def test_bert():
    sizes = {"hidden_size": C, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40}
    their_config = transformers.BertConfig(vocab_size=V, **sizes, **EAGER)
    theirs = shaken(transformers.BertForPreTraining(their_config)).double()
    block = BlockConfig(width=C, num_heads=4, hidden=40, norm=NormConfig(eps=1e-12, first=False))
    ours = Encoder(EncoderConfig(vocabulary=V, depth=2, block=block)).double()
    ours.load_state_dict(renamed(theirs.state_dict(), ours))
    words, types = tokens(), tokens(2)
    out = ours(words, LENGTHS, maps=True, types=types)
    want = theirs(words, REAL.long(), types, output_hidden_states=True, output_attentions=True)
    the_same(out.hidden, want.hidden_states[-1])
    the_same(out.logits, want.prediction_logits)
    the_same(out.next_sentence, want.seq_relationship_logits)
    the_same_maps(out.maps["self"], want.attentions)
    the_same(ours(words, LENGTHS).hidden, theirs(words, REAL.long(), output_hidden_states=True).hidden_states[-1])


def gpt2() -> tuple[Decoder, Any]:
    their_config = transformers.GPT2Config(vocab_size=V, n_embd=C, n_layer=2, n_head=4, n_positions=16, **EAGER)
    theirs = shaken(transformers.GPT2LMHeadModel(their_config)).double()
    block = BlockConfig(width=C, num_heads=4, activation="gelu_approximate")
    config = DecoderConfig(vocabulary=V, depth=2, block=block, positions=PositionConfig(context=16))
    ours = Decoder(config).double()
    ours.load_state_dict(renamed(theirs.state_dict(), ours))
    return ours, theirs


def test_gpt2_and_its_gradients():
    ours, theirs = gpt2()
    words = tokens()
    out = ours(words, LENGTHS, maps=True)
    want = theirs(words, attention_mask=REAL.long(), output_attentions=True)
    the_same(out.logits, want.logits)
    the_same_maps(out.maps["self"], want.attentions)
    seeds = torch.randn_like(want.logits) * REAL[..., None]
    (out.logits * seeds).sum().backward()
    (want.logits * seeds).sum().backward()
    gradients = renamed({name: p.grad for name, p in theirs.named_parameters()}, ours)
    assert gradients.keys() == {name for name, _ in ours.named_parameters()}
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, gradients[name], rtol=1e-9, atol=1e-9, msg=name)


def test_a_model_with_another_mechanism_is_another_model():
    """The control of all tests here: what a configuration says is seen in the logits."""
    ours, theirs = gpt2()
    words = tokens()
    want = theirs(words).logits
    for change in (
        {"activation": "gelu"},
        {"eps": 1e-2},
        {"mask": Window(before=3)},
        {"beta": 0.3},
        {"rms": True},
    ):
        other = Decoder(vary(ours.config, **change)).double()
        other.load_state_dict(ours.state_dict(), strict="rms" not in change)  # which has no biases
        assert (other(words).logits - want).abs().max() > 1e-5, change


@pytest.mark.parametrize("tied", [False, True])
def test_llama_with_grouped_heads(tied: bool):
    sizes = {"hidden_size": C, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    rope = {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}
    options = {"vocab_size": V, "intermediate_size": 40, "rms_norm_eps": 1e-3, "tie_word_embeddings": tied}
    theirs = shaken(
        transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **options, **rope, **EAGER))
    ).double()
    block = BlockConfig(
        width=C,
        num_heads=4,
        num_groups=2,
        hidden=40,
        activation="silu",
        gated=True,
        bias=False,
        norm=NormConfig(rms=True, eps=1e-3),
    )
    positions = PositionConfig(kind="rotary", base=500)
    ours = Decoder(DecoderConfig(vocabulary=V, depth=2, block=block, positions=positions, tied=tied)).double()
    ours.load_state_dict(renamed(theirs.state_dict(), ours))
    words = tokens()
    out = ours(words, LENGTHS, maps=True)
    want = theirs(words, attention_mask=REAL.long(), output_attentions=True)
    the_same(out.logits, want.logits, 1e-5)  # theirs turns in float32 whatever the type of the weights
    the_same_maps(out.maps["self"], want.attentions, 1e-5)


@pytest.mark.parametrize("version", ["v1.0", "v1.1"])
def test_t5(version: str):
    first = version == "v1.0"
    sizes = {"d_model": C, "d_kv": 6, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4}
    kind = {"feed_forward_proj": "relu" if first else "gated-gelu", "tie_word_embeddings": first}
    buckets = {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 5}
    theirs = shaken(
        transformers.T5ForConditionalGeneration(
            transformers.T5Config(vocab_size=V, **sizes, **kind, **buckets, **EAGER)
        )
    ).double()
    block = BlockConfig(
        width=C,
        num_heads=4,
        head=6,
        hidden=40,
        activation="relu" if first else "gelu_approximate",
        gated=not first,
        bias=False,
        norm=NormConfig(rms=True, eps=1e-6),
        mechanism=Mechanism(beta=1.0),
    )
    config = EncoderDecoderConfig(
        vocabulary=V,
        depth=2,
        decoder_depth=3,
        block=block,
        positions=PositionConfig(kind="buckets", num_buckets=8, most=5),
        tied=first,
        scaled="head" if first else "none",
    )
    ours = EncoderDecoder(config).double()
    ours.load_state_dict(renamed(theirs.state_dict(), ours))
    source, target = tokens(), torch.randint(V, (B, 9))
    out = ours(source, target, LENGTHS, maps=True)
    want = theirs(source, REAL.long(), decoder_input_ids=target, output_attentions=True)
    # Theirs takes the mean square of float64 in float32.
    the_same(out.memory, want.encoder_last_hidden_state, 1e-5)
    the_same(out.logits, want.logits, 1e-5)
    the_same_maps(out.maps["encoder"], want.encoder_attentions, 1e-5)
    the_same_maps(out.maps["self"], want.decoder_attentions, 1e-5)
    the_same_maps(out.maps["cross"], want.cross_attentions, 1e-5)


def test_vit(tmp_path: Path):
    sizes = {"hidden_size": C, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40}
    options = {"image_size": 12, "patch_size": 4, "num_labels": 5}
    theirs = shaken(
        transformers.ViTForImageClassification(transformers.ViTConfig(**sizes, **options, **EAGER))
    ).double()
    block = BlockConfig(width=C, num_heads=4, hidden=40, norm=NormConfig(eps=1e-12))
    ours = ViT(ViTConfig(depth=2, block=block, image=12, patch=4, classes=5)).double()
    theirs.save_pretrained(tmp_path)  # which has other names than it has in memory
    ours.load_state_dict(renamed(load_file(tmp_path / "model.safetensors"), ours))
    (images,) = ours.config.inputs(B)
    out = ours(images.double(), maps=True)
    want = theirs(images.double(), output_attentions=True)
    the_same(out.logits, want.logits, 1e-5)  # theirs takes the softmax of float64 in float32
    the_same_maps(out.maps["self"], want.attentions, 1e-5)


def test_the_order_of_weights_matters():
    """Another control: two matrices of one shape that change places are noticed."""
    ours, theirs = gpt2()
    block = ours.stack.blocks[0].attention
    block.query.weight.data, block.key.weight.data = block.key.weight.data, block.query.weight.data.clone()
    words = tokens()
    assert (ours(words).logits - theirs(words).logits).abs().max() > 1e-3
