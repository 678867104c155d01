"""What the claims on ViT hold of the reference implementation is what transformers' ViT has and computes."""

from pathlib import Path

import pytest
import torch

from regard.claims.nyu.vision import LOGITS, REFERENCE, tiny
from regard.models import save

transformers = pytest.importorskip("transformers")


def test_names_and_shapes_are_those_of_transformers():
    with torch.device("meta"):
        theirs = transformers.ViTForImageClassification(transformers.ViTConfig(num_labels=1000))
    assert {name: tuple(weight.shape) for name, weight in theirs.state_dict().items()} == REFERENCE


def test_logits_are_those_of_transformers(tmp_path: Path):
    model, images = tiny()
    save(model, tmp_path)
    theirs = transformers.ViTForImageClassification.from_pretrained(tmp_path, dtype=torch.float64).eval()
    with torch.no_grad():
        assert theirs(images).logits[0].tolist() == pytest.approx(LOGITS, abs=1e-10)
