"""The gradients of transformers' models with the same weights, of every weight, on padded batches, in float32."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from regard import models
from tests.models.published import CASES, LENGTHS, REAL, T, V, renamed, saved, shaken


def scores(ours: Any, theirs: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """What both say of the same input."""
    words, mask, kind = torch.randint(V, (2, T)), REAL.long(), theirs.config.model_type
    if kind == "vit":
        images = torch.randn(2, 3, 12, 12)
        return [(ours(images).logits, theirs(images).logits)]
    if kind == "t5":
        target = torch.randint(V, (2, 5))
        return [(ours(words, target, LENGTHS).logits, theirs(words, mask, decoder_input_ids=target).logits)]
    out, want = ours(words, LENGTHS), theirs(words, attention_mask=mask)
    if kind == "bert":
        return [(out.logits, want.prediction_logits), (out.next_sentence, want.seq_relationship_logits)]
    return [(out.logits, want.logits)]


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5 v1.0", "t5 v1.1", "vit"])
def test_gradients(name: str, tmp_path: Path):
    torch.manual_seed(0)
    theirs = shaken(CASES[name]())
    ours = models.load(saved(theirs, tmp_path / "model"))
    for one, other in scores(ours, theirs):
        at = REAL if one.shape[:2] == REAL.shape else slice(None)
        torch.testing.assert_close(one[at], other[at], rtol=1e-5, atol=1e-5)
        seeds = torch.randn_like(other[at]) / other[at].numel() ** 0.5
        (one[at] * seeds).sum().backward(retain_graph=True)
        (other[at] * seeds).sum().backward(retain_graph=True)
    with torch.no_grad():  # their files have the names that we know
        for parameter in theirs.parameters():
            parameter.copy_(torch.zeros_like(parameter) if parameter.grad is None else parameter.grad)
    want = renamed(load_file(saved(theirs, tmp_path / "gradients") / "model.safetensors"), ours)
    assert sum(bool(gradient.any()) for gradient in want.values()) > 20
    for at, parameter in ours.named_parameters():
        got = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        scale = max(1.0, want[at].abs().max().item())
        torch.testing.assert_close(got / scale, want[at] / scale, rtol=1e-5, atol=1e-5, msg=at)
