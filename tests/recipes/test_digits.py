"""The image recipes: heads and convolutions on digits that ship and on images of a folder."""

import json
import math
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from regard.claims import experiments
from regard.claims.conv.heads import distance, trainings, width
from regard.recipes import plan_run, read_run, start_run
from regard.recipes.digits import Heads, HeadsConfig, ImageTask, area, heads_of, image_sets, outward, widths
from regard.recipes.recipe import Outcome, Resources
from regard.tasks.digits import digits
from regard.training import Progress, Recording, expand, train

FILES = {
    "digits-gaussian": {"heads.svg", "course.svg", "training.svg"},
    "digits-learned": {"maps.svg", "training.svg"},
    "digits-content": {"maps.svg", "training.svg"},
    "digits-conv": {"training.svg"},
}


def trained(name: str, folder: Path, *changes: str, data: Path | None = None) -> Outcome:
    plan = start_run(name, folder, size="smoke", changes=changes, data=None if data is None else str(data))
    return replace(plan, run=replace(plan.run, smoke=False)).train()  # whose numbers claims would read


class Stopped(Exception):  # noqa: N818 - it is no error
    """As a user would stop it."""


@pytest.fixture(scope="module")
def gaussian(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A run that was stopped in its second training, and went on."""

    def stop(name: str, steps: int, progress: Progress, numbers: Mapping[str, float]) -> None:
        if (name, progress.step) == ("seed-1", 5):
            raise Stopped

    folder = tmp_path_factory.mktemp("runs") / "gaussian"
    plan = start_run("digits-gaussian", folder, size="smoke")
    with pytest.raises(Stopped):
        plan.train(stop)
    return folder, replace(plan, run=replace(plan.run, smoke=False)).train()  # whose numbers claims would read


def check(folder: Path, outcome: Outcome) -> None:
    """Numbers are numbers, and all that the report shows is there."""
    assert all(map(math.isfinite, outcome.numbers.values()))
    assert len(outcome.headline) <= 100
    figures = {path.name for path in folder.glob("*.svg")}
    assert figures == FILES[json.loads((folder / "run.json").read_text())["recipe"]]
    text = (folder / "report.md").read_text()
    assert all(f"]({name})" in text for name in figures)
    assert f"| 0 | {100 * outcome.numbers['seed-0 accuracy']:.2f} % |" in text


def test_gaussian_heads_are_recorded_as_they_are(gaussian: tuple[Path, Outcome]):
    folder, outcome = gaussian
    check(folder, outcome)
    again, made = plan_run(read_run(folder)).evaluate()
    assert again.numbers == outcome.numbers
    for name, one in made.items():
        recording = Recording(folder / name / "recording")
        assert recording.steps() == [0, 3, 6, 9]
        first, last = recording.read(0), recording.read(9)
        for layer, block in enumerate(one.model.blocks):
            position = block.attention.position
            assert torch.equal(last[f"heads.{layer}.centre"], position.centre)
            assert torch.equal(last[f"heads.{layer}.precision"], position.precision)
            assert not torch.equal(last[f"heads.{layer}.centre"], first[f"heads.{layer}.centre"]), "they moved"
            shape = last[f"maps.image-0.{layer}"].shape
            assert (shape, last[f"maps.image-0.{layer}"].dtype) == ((9, 64, 64), torch.uint8)
        assert last["inputs.image-0"].shape == (1, 8, 8)
        assert sum(kept.nbytes for kept in last.values()) < 200_000


def test_the_claim_reads_the_record(gaussian: tuple[Path, Outcome]):
    folder, outcome = gaussian
    token = experiments.runs.set((folder.parent,))
    try:
        record, found = trainings()
    finally:
        experiments.runs.reset(token)
    assert (record.source, [one.side for one in found]) == ("run gaussian", [8, 8])
    assert [one.accuracy for one in found] == [outcome.numbers[f"seed-{seed} accuracy"] for seed in (0, 1)]
    for when, at in (("before", "first"), ("after", "last")):
        for layer in (0, 1):
            own = [getattr(one, at)[layer] for one in found]
            for what, ask in (("width", width), ("distance", distance), ("area", lambda heads: area(heads, 8))):
                mean = sum(map(ask, own)) / 2
                assert outcome.numbers[f"layer {1 + layer} {what} {when}"] == pytest.approx(mean, rel=1e-6)
    assert widths(found[0].first[0]).tolist() == pytest.approx([1.0] * 9)


@pytest.mark.parametrize("name", ["digits-learned", "digits-content", "digits-conv"])
def test_smoke(name: str, tmp_path: Path):
    outcome = trained(name, tmp_path / "run", "seeds=1")
    check(tmp_path / "run", outcome)
    assert outcome.claims == {}, "only gaussian heads have a centre and a width"
    recording = Recording(tmp_path / "run" / "seed-0" / "recording")
    if name == "digits-conv":
        assert recording.steps() == []
        return
    kept = recording.read(9)
    images = 2 if name == "digits-content" else 1
    tokens = 16 if name == "digits-content" else 64
    maps = {key: expand(value) for key, value in kept.items() if key.startswith("maps.")}
    assert set(maps) == {f"maps.image-{image}.{layer}" for image in range(images) for layer in (0, 1)}
    for weights in maps.values():
        assert weights.shape == (9, tokens, tokens)
        assert weights.sum(-1).sub(1).abs().max() < 0.05, "but for the rounding"
    if images == 2:
        assert not torch.equal(maps["maps.image-0.1"], maps["maps.image-1.1"])


def test_a_stopped_training_goes_on_as_if_it_had_not(gaussian: tuple[Path, Outcome], tmp_path: Path):
    stopped, training = gaussian[0] / "seed-1", plan_run(read_run(gaussian[0])).trainings["seed-1"]
    train(training.task, training.settings, tmp_path)
    for name in ("metrics.jsonl", *(f"recording/step-{step:09d}.safetensors" for step in (0, 6, 9))):
        assert (stopped / name).read_bytes() == (tmp_path / name).read_bytes()


def pictures(folder: Path, splits: tuple[str, ...], side: int = 12, colour: bool = True) -> Path:
    """Reds are brighter above, blues below; 20 of each in each split."""
    generator = torch.Generator().manual_seed(0)
    for split in splits:
        for label, name in enumerate(("blue", "red")):
            place = folder / split / name
            place.mkdir(parents=True)
            for number in range(20):
                pixels = torch.randint(100, (side, side, 3), generator=generator)
                pixels[: side // 2] += 100 * label
                kind = pixels.to(torch.uint8).numpy()
                Image.fromarray(kind if colour else kind[..., 0]).save(place / f"{number}.png")
    return folder


def test_images_of_a_folder(tmp_path: Path):
    data = pictures(tmp_path / "data", ("train", "test"))
    told = []
    changes, tell = ["seeds=1", "side=8"], lambda *words: told.append(words)
    plan = start_run("digits-content", tmp_path / "run", size="smoke", changes=changes, data=str(data), on_data=tell)
    assert ("reading train images", 40, 40) in told
    told.clear()
    outcome = plan_run(plan.run, on_data=tell).train()
    assert not told, "they are read from the cache"
    check(tmp_path / "run", outcome)
    assert len(list((tmp_path / ".cache").glob("images-*.npy"))) == 2
    assert (
        "40 images to learn from, moved and mirrored at random, and 40 to test on, 8 × 8 pixels, 2 classes"
        in (tmp_path / "run" / "report.md").read_text()
    )
    assert Recording(tmp_path / "run" / "seed-0" / "recording").read(0)["inputs.image-1"].shape == (3, 8, 8)


@pytest.mark.parametrize(
    ("splits", "changes", "says"),
    [
        (("train",), [], r"images must have a split .* of 'test', split must be one that .* has: got split='test'"),
        (("",), [], r"images must have a split to learn from, train, .* of 'train', split must be None"),
        ((), [], r"images must have a split .* of 'train', .* must hold JPEG or PNG in a folder per class"),
        (("train", "test"), ["model.patch=5"], r"patch must divide image: got image=12, patch=5"),
        (("train", "test"), ["training.batch=64"], r"a batch of every shard must fit into the data: got 1 × 64 for 40"),
    ],
)
def test_images_that_cannot_be(splits: tuple[str, ...], changes: list[str], says: str, tmp_path: Path):
    (tmp_path / "data").mkdir()
    data = pictures(tmp_path / "data", splits)
    with pytest.raises(ValueError, match=says):
        trained("digits-gaussian", tmp_path / "run", *changes, data=data)


def test_images_that_are_not_square(tmp_path: Path):
    data = pictures(tmp_path / "data", ("train", "test"))
    for path in data.rglob("*.png"):
        Image.open(path).crop((0, 0, 8, 12)).save(path)
    with pytest.raises(ValueError, match=r"square and all of one size: got 3 × 12 × 8 in .*; use --set side=32"):
        image_sets(HeadsConfig(data=str(data)), Resources(tmp_path / "cache"))


def test_configurations_that_cannot_be(tmp_path: Path):
    with pytest.raises(ValueError, match="side scales the images of --data: got side=16 without; leave it out"):
        trained("digits-conv", tmp_path / "run", "side=16")
    with pytest.raises(ValueError, match="unknown encoding 'isotrop'"):
        Heads(encoding="isotrop")
    with pytest.raises(ValueError, match="seeds must be"):
        HeadsConfig(seeds=0)


def test_digits_are_as_they_ship_and_stay_as_they_are(tmp_path: Path):
    train, test = image_sets(HeadsConfig(), Resources(tmp_path))
    known, new = digits()
    for part, own in ((known, train), (new, test)):
        images, labels = own.batch(torch.arange(len(part)))
        wanted = (part.images - known.images.mean()) / known.images.std(correction=0)
        torch.testing.assert_close(images, wanted, rtol=1e-4, atol=1e-5)
        assert torch.equal(labels, part.labels)
    seen = []

    class Watching(torch.nn.Module):
        def forward(self, images: torch.Tensor):
            seen.append(images)
            return type("Out", (), {"logits": torch.zeros(len(images), 10, requires_grad=True)})

    batch = train.batch(torch.arange(8))
    for config in (HeadsConfig(), HeadsConfig(flip=True), HeadsConfig(crop=True)):
        ImageTask(config, train, test).loss(Watching(), batch, torch.Generator().manual_seed(0))
    plain, mirrored, moved = seen
    assert torch.equal(plain, batch[0].expand(-1, 3, -1, -1))
    for changed, original in zip(mirrored, plain, strict=True):
        assert torch.equal(changed, original) or torch.equal(changed, original.flip(-1))
    assert not torch.equal(mirrored, plain)
    assert not torch.equal(moved, plain)
    copy = pickle.loads(pickle.dumps(ImageTask(HeadsConfig(), train, test)))  # as the processes of a loader get it
    assert torch.equal(copy.batch(torch.arange(8), torch.Generator())[0], batch[0])


def test_maps_of_many_tokens_are_seen_from_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("regard.recipes.digits.MAP_BYTES", 2 * 9 * 16 * 64)
    (train, test), model = image_sets(HeadsConfig(), Resources(tmp_path)), Heads(depth=2, width=4, hidden=4)
    task = ImageTask(HeadsConfig(model=model), train, test)
    with torch.no_grad():
        kept = task.record(task.build())
    assert kept["queries"].tolist() == [9, 11, 13, 15, 25, 27, 29, 31, 41, 43, 45, 47, 57, 59, 61, 63]
    assert kept["maps.image-0.1"].shape == (9, 16, 64)


def test_heads_that_turn_have_a_width_and_an_area():
    turned = torch.tensor([[[1.0, 0.6], [0.6, 1.0]]])  # half-axes 1/√1.6 and 1/√0.4
    heads = heads_of(torch.zeros(1, 2), turned)
    assert widths(heads).item() == pytest.approx((4 * 0.64) ** -0.25)
    line = [(a, b) for a in range(-7, 8) for b in range(-7, 8)]
    assert area(heads, 8) == sum(a * a + 1.2 * a * b + b * b <= math.log(10) for a, b in line)
    lowest, above = heads_of(torch.zeros(2, 2), torch.tensor([0.5, 0.5])), torch.tensor([[3.0, 0.0], [0.0, 0.05]])
    after = heads_of(above, torch.tensor([0.6, 0.6]))
    assert outward([lowest, lowest], [lowest, after]) == 1, "the other has hardly moved"
