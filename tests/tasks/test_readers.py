"""What a recipe says that its models read is what the readers of its tasks take."""

import io
from dataclasses import asdict

import numpy as np
import pytest
import torch
from PIL import Image

from regard.claims.experiments import SHIPPED
from regard.models import load
from regard.recipes import find_recipe
from regard.recipes.recipe import NAMES, Resources
from regard.tasks.readers import Sample, StringReader, check_size, decode_picture, encode, reader_of


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_tells_what_its_tasks_read(name, tmp_path):
    recipe = find_recipe(name)
    for training, one in recipe.trainings(recipe.smoke, Resources(tmp_path)).items():
        inputs = recipe.inputs(asdict(recipe.smoke), training)
        reader = one.task.reader(one.task.build())
        assert (None if inputs is None else inputs.kind) == (None if reader is None else reader.kind), training
        if inputs is not None:
            assert reader.num_bytes > 0
            for sample in [Sample(text) for text in inputs.examples] or [Sample()]:
                assert reader.read(sample).count > 0


def test_a_long_reading_can_be_stopped(tmp_path):
    task = find_recipe("reversal").trainings(find_recipe("reversal").smoke, Resources(tmp_path))["attention"].task
    letters = []

    def check() -> None:
        letters.append(1)
        if len(letters) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        StringReader(task.build()).read(Sample("abcdabcd"), check)
    assert len(letters) == 3


def test_what_cannot_be_read_is_refused():
    assert reader_of(torch.nn.Linear(2, 2)) is None
    with pytest.raises(ValueError, match="needs a tokenizer to read a text: got none"):
        encode(None, "a text")
    with pytest.raises(ValueError, match="at most 4,096 tokens: got 4,097"):
        check_size(1, 4097, 4097)
    with pytest.raises(ValueError, match="a layer of 64 heads fits into memory up to 1,448 tokens: got 2,000"):
        check_size(64, 2000, 2000)


def test_what_a_tokenizer_or_a_picture_lacks_is_said_in_plain_words():
    model = load(SHIPPED / "language" / "model")
    with pytest.raises(
        ValueError, match=r"^the text must be of what the model's tokenizer knows: got 'é'; leave it out$"
    ):
        encode(model.tokenizer, "Romeo, café")
    with pytest.raises(
        ValueError, match=r"^a picture must be a PNG, JPEG, WebP, GIF or BMP: got another file; use one"
    ):
        decode_picture(b"nothing that is a picture", "RGB", None)


def test_an_uploaded_picture_of_16_bits_keeps_its_shades():
    values, file = np.array([[0, 255, 256, 32768, 65535]], dtype=np.uint16), io.BytesIO()
    Image.fromarray(values).save(file, "PNG")
    for mode, channels in (("L", 1), ("RGB", 3)):
        assert decode_picture(file.getvalue(), mode, None).tolist() == [[[0, 0, 1, 128, 255]]] * channels
