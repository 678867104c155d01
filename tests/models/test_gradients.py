"""The gradients of transformers' models with the same weights, of every weight, on padded batches, in float32."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from regard import models
from tests.models.published import CASES, LENGTHS, REAL, T, V, renamed, saved
from tests.models.shaking import shaken
from tests.tolerances import apart, assert_together


def ours_and_theirs(theirs: Any) -> tuple[Callable[[nn.Module], list[Tensor]], Callable[[], list[Tensor]]]:
    """What a model of ours and theirs say of the same input."""
    words, mask, kind = torch.randint(V, (2, T)), REAL.long(), theirs.config.model_type
    images, target = torch.randn(2, 3, 12, 12), torch.randint(V, (2, 5))

    def ours(model: nn.Module) -> list[Tensor]:
        if kind == "vit":
            return [model(images.to(next(model.parameters()).dtype)).logits]
        out = model(words, *([target] if kind == "t5" else []), LENGTHS)
        return [out.logits, out.next_sentence] if kind == "bert" else [out.logits]

    def their() -> list[Tensor]:
        if kind == "vit":
            return [theirs(images).logits]
        if kind == "t5":
            return [theirs(words, mask, decoder_input_ids=target).logits]
        out = theirs(words, attention_mask=mask)
        return [out.prediction_logits, out.seq_relationship_logits] if kind == "bert" else [out.logits]

    return ours, their


def at_real(x: Tensor) -> Tensor:
    return x[REAL] if x.shape[:2] == REAL.shape else x


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5 v1.0", "t5 v1.1", "vit"])
def test_gradients(name: str, tmp_path: Path):
    torch.manual_seed(0)
    theirs = shaken(CASES[name]())
    ours = models.load(saved(theirs, tmp_path / "model"))
    of_ours, of_theirs = ours_and_theirs(theirs)
    want = [at_real(x) for x in of_theirs()]
    seeds = [torch.randn_like(x) / x.numel() ** 0.5 for x in want]

    def run(model: nn.Module) -> dict[str, Tensor]:
        found = [at_real(x) for x in of_ours(model)]
        total = sum((x * seed.to(x.dtype)).sum() for x, seed in zip(found, seeds, strict=True))
        names, weights = zip(*model.named_parameters(), strict=True)
        grads = torch.autograd.grad(total, weights, allow_unused=True, materialize_grads=True)
        gradients = {f"gradient of {name}": grad for name, grad in zip(names, grads, strict=True)}
        return {f"score {n}": x.detach() for n, x in enumerate(found)} | gradients

    sum((x * seed).sum() for x, seed in zip(want, seeds, strict=True)).backward()
    with torch.no_grad():  # their files have the names that we know
        for parameter in theirs.parameters():
            parameter.copy_(torch.zeros_like(parameter) if parameter.grad is None else parameter.grad)
    theirs_by_name = renamed(load_file(saved(theirs, tmp_path / "gradients") / "model.safetensors"), ours)
    assert sum(bool(gradient.any()) for gradient in theirs_by_name.values()) > 20
    told = {f"score {n}": x.detach() for n, x in enumerate(want)}
    told |= {f"gradient of {name}": theirs_by_name[name] for name, _ in ours.named_parameters()}
    assert_together(run(ours), told, apart(ours, run))
