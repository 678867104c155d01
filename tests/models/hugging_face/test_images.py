"""Pictures: the numbers of transformers' own image processor bit for bit, and one clear error for each that is none."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from transformers.image_utils import load_image
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

from regard import models
from regard.models import PRESETS, ViT, vary
from regard.models.hugging_face.images import Preprocessing, labels, preprocess, preprocessing, read_preprocessing
from tests.models.published import copied, saved, vit
from tests.refusals import refused

RANDOM = np.random.default_rng(0)
COLOURS = RANDOM.integers(0, 256, (37, 53, 3), dtype=np.uint8)
SMALL = {"size": {"height": 12, "width": 12}}


STEPS = {
    "smaller": SMALL,
    "larger, not square": {"size": {"height": 90, "width": 71}, "resample": 3},
    "shorter side, cut": {"size": {"shortest_edge": 25}, "do_center_crop": True, "crop_size": 20, "resample": 1},
    "cut beyond the edge": {"do_resize": False, "do_center_crop": True, "crop_size": {"height": 60, "width": 30}},
    "odd": {
        "do_resize": False,
        "do_center_crop": True,
        "crop_size": {"height": 40, "width": 20},
        "rescale_factor": 0.1,
    },
    "neither scaled": SMALL | {"do_rescale": False, "image_mean": [3.0, 4.0, 5.0], "image_std": [0.1, 0.2, 0.3]},
    "nor normalised": SMALL | {"do_normalize": False, "resample": 0},
}


@pytest.mark.parametrize("case", STEPS)
@pytest.mark.parametrize("upright", [False, True])
def test_the_numbers_of_transformers(case: str, upright: bool, tmp_path: Path):
    processor = ViTImageProcessorPil(**STEPS[case])
    processor.save_pretrained(tmp_path)
    how = read_preprocessing(json.loads((tmp_path / "preprocessor_config.json").read_text()))
    picture = Image.fromarray(COLOURS.transpose(1, 0, 2).copy() if upright else COLOURS)
    want = processor([picture], return_tensors="pt").pixel_values
    assert torch.equal(preprocess(picture, how), want)


def pictures(folder: Path) -> dict[str, Path]:
    """A file of each kind."""
    colours = Image.fromarray(COLOURS)
    clear = Image.fromarray(RANDOM.integers(0, 256, (37, 53, 4), dtype=np.uint8))
    turned = Image.Exif()
    turned[0x112] = 6  # the camera lay on its side
    see_through = colours.quantize(16)
    made: dict[str, tuple[Image.Image, dict[str, Any]]] = {
        "grey.png": (colours.convert("L"), {}),
        "grey and clear.png": (clear.convert("LA"), {}),
        "black and white.png": (colours.convert("1"), {}),
        "clear.png": (clear, {}),
        "clear.webp": (clear, {"lossless": True}),
        "palette.png": (colours.quantize(16), {}),
        "clear palette.gif": (see_through, {"transparency": 3}),
        "ink.jpg": (colours.convert("CMYK"), {}),
        "turned.jpg": (colours, {"exif": turned}),
    }
    for name, (image, options) in made.items():
        image.save(folder / name, **options)
    return {name: folder / name for name in made}


def test_every_kind_of_picture(tmp_path: Path):
    processor = ViTImageProcessorPil(**SMALL)
    small = Preprocessing(size=(12, 12))
    for name, path in pictures(tmp_path).items():
        with Image.open(path) as image:
            want = processor([load_image(image)], return_tensors="pt").pixel_values
            on_white = processor([image], do_convert_rgb=True, return_tensors="pt").pixel_values
            assert torch.equal(preprocess([path], small), want), name
            if "turned" not in name:  # a processor by itself does not turn
                assert torch.equal(preprocess([image], replace(small, white=True)), on_white), name
        assert torch.equal(want, on_white) == ("clear" not in name and "turned" not in name), name


def test_sixteen_bits(tmp_path: Path):
    values = np.array([[0, 255, 256, 32768, 65535]], dtype=np.uint16)
    whole = Preprocessing(size=None, scale=None, mean=None, std=None)
    for name in ("deep.png", "deep.tif", "deep.pgm"):
        Image.fromarray(values).save(tmp_path / name)
        got = preprocess(tmp_path / name, whole)
        assert got.tolist() == [[[[0.0, 0.0, 1.0, 128.0, 255.0]]] * 3], name
    with refused("it has values from 0 to 65536, beyond 16 bits"):
        preprocess(Image.fromarray(np.array([[0, 65536]], dtype=np.int32)))


def test_paths_images_and_arrays_are_the_same(tmp_path: Path):
    Image.fromarray(COLOURS).save(path := tmp_path / "a.png")
    how = Preprocessing(size=(8, 9))
    batch = preprocess([path, str(path), Image.open(path), COLOURS], how)
    assert batch.shape == (4, 3, 8, 9)
    assert all(torch.equal(one, batch[0]) for one in batch)
    assert torch.equal(preprocess(COLOURS[..., :1], how), preprocess(COLOURS[..., 0], how))


def test_what_is_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    Image.fromarray(COLOURS).save(path := tmp_path / "a.png")
    (cut := tmp_path / "cut.png").write_bytes(path.read_bytes()[:1000])
    with refused(f"a picture must be whole and readable: got {str(cut)!r}, "):
        preprocess(cut)
    with refused(f"a picture must be whole and readable: got {str(tmp_path / 'no.png')!r}, [Errno 2] No such file"):
        preprocess([path, tmp_path / "no.png"])
    (text := tmp_path / "text.png").write_text("no picture")
    with refused(
        f"a picture must be one of PNG, JPEG, MPO, WEBP, GIF, BMP, TIFF, PPM, AVIF, JPEG2000: got {str(text)!r}"
    ):
        preprocess(text)
    Image.fromarray(COLOURS).save(program := tmp_path / "a.eps")  # Pillow would have Ghostscript run it
    with refused(f"got {str(program)!r}; convert it"):
        preprocess(program)
    with refused("got picture 1, it has fractions, whose range nobody says"):
        preprocess([path, Image.fromarray(np.zeros((3, 3), dtype=np.float32))])
    with refused("got picture 0, it is float64 of shape (3, 3), not uint8 (h, w), (h, w, 3) or (h, w, 4)"):
        preprocess(np.zeros((3, 3)))
    with refused("it is uint8 of shape (3, 9, 9), not uint8 (h, w), (h, w, 3) or (h, w, 4)"):
        preprocess(np.zeros((3, 9, 9), dtype=np.uint8))
    with refused("got picture 0, it is a int, no path, image of Pillow's or array"):
        preprocess(3)
    with refused("pictures must be one or more: got none"):
        preprocess([])
    with refused("pictures of a batch must have one size: got [(4, 5), (5, 4)]; give one at a time, or a crop"):
        preprocess([COLOURS, COLOURS.transpose(1, 0, 2)], Preprocessing(size=4))
    with refused("a resized picture must have up to 268435456 pixels: got picture 0 of 9000 × 1; cut it first"):
        preprocess(np.zeros((1, 9000), dtype=np.uint8), Preprocessing(size=224))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 37 * 53 - 1)
    assert preprocess(path).shape == (1, 3, 224, 224)  # Pillow only warns
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 500)
    with refused(f"a picture must be of an honest size: got {str(path)!r}, Image size (1961 pixels) exceeds limit"):
        preprocess(path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"must have Pillow: got none; use pip install 'regard\[models\]'"):
        preprocess(path)


def test_old_and_full_files():
    assert read_preprocessing({}) == Preprocessing()
    old = {"feature_extractor_type": "ViTFeatureExtractor", "size": 384, "image_mean": [0.1, 0.2, 0.3], "resample": 3}
    assert read_preprocessing(old) == Preprocessing(size=(384, 384), mean=(0.1, 0.2, 0.3), resample="bicubic")
    unsaid = ("crop_size", "device", "do_center_crop", "do_convert_rgb", "input_data_format", "return_tensors")
    fast = {"image_processor_type": "ViTImageProcessorFast", "default_to_square": True, "data_format": "channels_first"}
    assert read_preprocessing(fast | dict.fromkeys(unsaid)) == Preprocessing()
    assert read_preprocessing({"size": [7, 9], "do_convert_rgb": True}) == Preprocessing(size=(7, 9), white=True)


@pytest.mark.parametrize(
    ("published", "says"),
    [
        (
            {"image_processor_type": "CLIPImageProcessor"},
            "image_processor_type must be one of ViTImageProcessor, ViTImageProcessorFast, ViTImageProcessorPil, "
            "ViTFeatureExtractor: got 'CLIPImageProcessor'; use another folder",
        ),
        ({"do_pad": True}, "do_pad must be False, the only one that is implemented: got True"),
        ({"do_resize": "no"}, "steps of preprocessor_config.json must be true or false: got do_resize='no'"),
        (
            {"do_flip": True},
            "keys of preprocessor_config.json must be known, they could change numbers: got do_flip=True",
        ),
        ({"resample": 9}, "resample must be a number of Pillow's, 0…5: got 9; use 2"),
        (
            {"size": {"shortest_edge": 3, "longest_edge": 5}},
            "size must be a number, height and width, or shortest_edge",
        ),
        ({"size": [3, 4, 5]}, "size must be height and width: got [3, 4, 5]; use two numbers"),
        ({"size": 0}, "size must be a whole number from 1 to below 2^62: got size=0"),
        ({"size": "big"}, "size must be whole numbers: got 'big'; correct it"),
        ({"do_center_crop": True}, "crop_size must be a number, or height and width: got None; use another folder"),
        ({"image_mean": [0.5, "x", 0]}, "image_mean must be numbers: got 'x'; correct it"),
        ({"image_mean": [0.5]}, "mean must have a number for red, green and blue: got (0.5,); use three"),
        ({"image_std": [0.5, 0, 1]}, "std must be above 0: got (0.5, 0, 1)"),
    ],
)
def test_files_that_say_something_else(published: dict[str, Any], says: str):
    with refused(says):
        read_preprocessing(published)


def test_wrong_steps():
    with refused("unknown resample 'bilinar': did you mean bilinear?"):
        Preprocessing(resample="bilinar")
    with refused("mean and std go together: got mean=None, std=(0.5, 0.5, 0.5); give both or neither"):
        Preprocessing(mean=None)


def test_what_a_folder_says(tmp_path: Path):
    folder = saved(vit(), tmp_path / "vit")
    ours = models.load(folder)
    assert preprocessing(ours) == Preprocessing(size=(12, 12))
    assert labels(ours) == ("cat", "dog", "owl")
    ViTImageProcessorPil(**SMALL, image_mean=[0.1, 0.2, 0.3]).save_pretrained(folder)
    assert preprocessing(models.load(folder)) == Preprocessing(size=(12, 12), mean=(0.1, 0.2, 0.3))
    models.save(models.load(folder), tmp_path / "again")  # it goes along
    assert preprocessing(models.load(tmp_path / "again")).mean == (0.1, 0.2, 0.3)
    odd = models.load(copied(folder, tmp_path / "odd", id2label={"1": "a", "2": "b", "3": "c"}))
    with refused("id2label must name the classes 0…2: got 1, 2, 3, …"):
        labels(odd)
    config = vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2, image=8, patch=4)
    with refused("a model without a head has no classes: got classes=None"):
        labels(ViT(vary(config, classes=None)))
    with refused("pictures have 3 channels: got a model of 1; make its inputs by hand"):
        preprocessing(ViT(vary(config, channels=1)))
    assert isinstance(transformers.AutoImageProcessor.from_pretrained(folder), ViTImageProcessorPil)  # what we equal
