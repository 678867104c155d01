"""`regard classify` and `regard embed`: what transformers says of the same; errors in one line."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

from tests.commands.running import check_refused
from tests.commands.running import run as regard
from tests.models.published import SIZES, bert, copied, saved, vit
from tests.models.shaking import shaken
from tests.models.test_embedding import theirs_pooled, with_word_pieces

LABELS = ("cat", "dog", "owl")


def lines(*arguments: str | Path, stdin: str | None = None) -> list[dict]:
    result = regard(*arguments, "--json", stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ViT, one without a head, a BERT, and two pictures."""
    place = tmp_path_factory.mktemp("models")
    saved(shaken(vit()), place / "vit")
    ViTImageProcessorPil(size={"height": 12, "width": 12}).save_pretrained(place / "vit")
    config = transformers.ViTConfig(**SIZES, image_size=12, patch_size=4)
    saved(transformers.ViTModel(config), place / "headless")
    with_word_pieces(saved(shaken(bert("BertModel", max_position_embeddings=16)), place / "bert"))
    pixels = np.random.default_rng(0).integers(0, 256, (30, 47, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(place / "wide.png")
    Image.fromarray(pixels[..., 0].T.copy()).save(place / "tall [b].png")
    return place


def theirs(place: Path, size: dict[str, int], name: str, **options: bool) -> list[float]:
    model = transformers.ViTForImageClassification.from_pretrained(place / "vit").eval()
    with Image.open(place / name) as image:
        pixels = ViTImageProcessorPil(size=size)([image.convert("RGB")], return_tensors="pt").pixel_values
    with torch.no_grad():
        return model(pixels[..., 1:17] if options else pixels, **options).logits[0].softmax(0).tolist()


def test_pictures_are_classified(place: Path):
    made = lines("classify", place / "vit", place / "wide.png", place / "tall [b].png", "--top", "9")
    for line, name in zip(made, ("wide.png", "tall [b].png"), strict=True):
        want = theirs(place, {"height": 12, "width": 12}, name)
        assert line["image"] == str(place / name)
        assert [each["label"] for each in line["labels"]] == [LABELS[n] for n in np.argsort(want)[::-1]]
        assert [each["probability"] for each in line["labels"]] == pytest.approx(sorted(want)[::-1], abs=1e-5)
    (best,) = lines(
        "classify", place / "vit", place / "wide.png", "--top", "1", "--dtype", "float64", "--device", "cpu"
    )
    assert best["labels"] == [pytest.approx(made[0]["labels"][0], abs=1e-5)]
    shown = regard("classify", place / "vit", place / "tall [b].png").stdout
    first = made[1]["labels"][0]
    assert "[b].png" in shown  # no markup
    assert f"{100 * first['probability']:.1f} %  {first['label']}" in shown


def test_proportions_are_kept(place: Path):
    (made,) = lines("classify", place / "vit", place / "wide.png", "--interpolate")
    want = theirs(place, {"shortest_edge": 12}, "wide.png", interpolate_pos_encoding=True)  # 12 × 18, of which 16
    got = {each["label"]: each["probability"] for each in made["labels"]}
    assert [got[label] for label in LABELS] == pytest.approx(want, abs=1e-5)
    assert max(np.abs(np.subtract(want, theirs(place, {"height": 12, "width": 12}, "wide.png")))) > 1e-3


def test_a_map(place: Path, tmp_path: Path):
    pair = (place / "wide.png", place / "tall [b].png")
    assert regard("classify", place / "vit", *pair, "--map", tmp_path / "map.svg", "--interpolate").exit_code == 0
    drawn = ElementTree.parse(tmp_path / "map.svg").getroot()
    assert "wide.png" in " ".join(drawn.itertext())
    assert len(drawn.findall(".//{*}image")) == 2
    assert regard("classify", place / "vit", pair[0], "--map", tmp_path / "map.png").exit_code == 0
    with Image.open(tmp_path / "map.png") as image:
        assert image.format == "PNG"


def test_texts_are_embedded(place: Path, tmp_path: Path):
    texts = ["the cat sleeps", "", "a dog barks loudly"]
    model = transformers.BertModel.from_pretrained(place / "bert").eval()
    want = theirs_pooled(place / "bert", model, texts)
    for pool, vectors in want.items():
        made = lines("embed", place / "bert", "--pool", pool, "--raw", stdin="\n".join(texts) + "\n")
        assert [line["text"] for line in made] == texts
        torch.testing.assert_close(torch.tensor([line["vector"] for line in made]), vectors, rtol=1e-5, atol=1e-5)
    unit = torch.nn.functional.normalize(want["mean"], dim=-1)
    for name in ("v.npy", "v.safetensors"):
        result = regard("embed", place / "bert", *texts, "--out", tmp_path / name, "--batch", "2")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == f"wrote 3 vectors of width 32 to {tmp_path / name}\n"
    torch.testing.assert_close(torch.from_numpy(np.load(tmp_path / "v.npy")), unit, rtol=1e-5, atol=1e-5)
    assert torch.equal(
        load_file(tmp_path / "v.safetensors")["embeddings"], torch.from_numpy(np.load(tmp_path / "v.npy"))
    )
    shown = regard("embed", place / "bert", *texts).stdout.splitlines()
    assert shown[0].split() == ["cosine", "1", "2", "3"]
    assert shown[1].split() == [
        "1",
        "the",
        "cat",
        "sleeps",
        "1.00",
        *[f"{value:.2f}" for value in (unit @ unit[0])[1:]],
    ]
    alone = regard("embed", place / "bert", texts[0])
    torch.testing.assert_close(torch.tensor(json.loads(alone.stdout)["vector"]), unit[0], rtol=1e-5, atol=1e-5)
    wide = regard("embed", place / "bert", *["the cat sleeps . " * 2] * 12)
    assert max(map(len, wide.stdout.splitlines())) <= 80
    assert len(wide.stdout.splitlines()) == 13


LONG = "cat " * 20
BAD = [
    ("classify bert wide.png", "pictures are classified by a ViT with a classifier: got an Encoder in "),
    ("classify headless wide.png", "pictures are classified by a ViT with a classifier: got a ViT without one in "),
    ("classify nowhere wide.png", "a model is loaded from a folder with config.json: got "),
    ("classify vit no.png", "a picture must be whole and readable: got "),
    ("classify vit wide.png --device gpu9", "--device must name a device of this machine: got 'gpu9'; use cpu"),
    ("classify vit wide.png --device meta", "--device must name a device of this machine: got 'meta'; use cpu"),
    ("classify vit wide.png --map a.pdf", "--map must name a file that ends in .png or .svg: got 'a.pdf'; use a.png"),
    ("classify vit wide.png --map no/a.png", "--map must name a file in a folder that exists: got 'no/a.png'"),
    ("classify vit" + " wide.png" * 17 + " --map a.png", "--map draws up to 16 pictures: got 17; give fewer"),
    ("classify vit", "Missing argument"),
    ("embed vit hello", "texts are embedded by an Encoder or a Decoder: got ViT; use another model"),
    ("embed bert", "texts are arguments or lines of stdin: got neither; use regard embed FOLDER 'a text'"),
    ("embed bert" + " cat" * 13, "a table has up to 12 texts: got 13; use --json or --out vectors.npy"),
    ("embed bert LONG", "a text must have up to 16 tokens, the positions of the model: got 22 in texts[0]='cat cat"),
    ("embed bert cat --pool last", "unknown pool 'last' of Encoder: use one of mean, first, pooler"),
    ("embed bert cat --out v.txt", "--out must name a file that ends in .npy or .safetensors: got 'v.txt'; use v.npy"),
]


@pytest.mark.parametrize(("words", "says"), BAD)
def test_bad_input_is_one_line(place: Path, words: str, says: str):
    names = ("vit", "headless", "bert", "nowhere", "wide.png", "no.png")
    command, *rest = words.split()
    given = [place / word if word in names else LONG if word == "LONG" else word for word in rest]
    check_refused(regard(command, *given, stdin=""), says)


def test_a_folder_that_makes_other_sizes(place: Path, tmp_path: Path):
    folder = copied(place / "vit", tmp_path / "vit")
    ViTImageProcessorPil(size={"height": 16, "width": 20}).save_pretrained(folder)
    result = regard("classify", folder, place / "wide.png")
    assert result.exit_code == 2
    assert "the folder makes 20 × 16 pixels of a picture, its model takes 12: got" in result.stderr
    assert "use --interpolate" in result.stderr
    assert regard("classify", folder, place / "wide.png", "--interpolate").exit_code == 0


@pytest.mark.parametrize(("package", "command"), [("PIL", "classify"), ("tokenizers", "embed")])
def test_what_is_not_installed(place: Path, monkeypatch: pytest.MonkeyPatch, package: str, command: str):
    monkeypatch.setitem(sys.modules, package, None)
    given = (place / "vit", place / "wide.png") if package == "PIL" else (place / "bert", "cat")
    result = regard(command, *given)
    assert result.exit_code == 2
    assert result.stderr.endswith("got none; use pip install 'regard[models]'\n")


def test_help_has_examples():
    assert "regard classify vit-base-patch16-224 cat.jpg" in regard("classify", "--help").stdout
    assert "--out vectors.npy < sentences.txt" in regard("embed", "--help").stdout
    assert "--truncate" in regard("embed", "--help").stdout


@pytest.mark.parametrize("stdin", [None, b"a cat\nnot \xff UTF-8\n"])
def test_texts_that_are_not_utf_8(place: Path, stdin: bytes | None):
    texts = ["a cat", "not \udcff UTF-8"] if stdin is None else []
    result = regard("embed", place / "bert", *texts, stdin=stdin)
    assert result.exit_code == 2
    assert "texts must be UTF-8: got" in result.stderr
    assert result.stderr.count("\n") == 1
