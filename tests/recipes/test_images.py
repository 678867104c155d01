"""The image recipes: heads and convolutions on digits that ship and on images of a folder."""

import copy
import json
import math
import pickle
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image

from regard.claims import select
from regard.claims.conv.heads import distance, trainings, width
from regard.explore.views.heads import HeadsRequest, read_heads
from regard.explore.workspace import Workspace
from regard.models import build
from regard.recipes import find_recipe, override, plan_run, read_run, start_run
from regard.recipes.images.classification import HeadsConfig
from regard.recipes.images.conv_vs_vit import conclude
from regard.recipes.images.heads import area, heads_of, outward, widths, without_heads
from regard.recipes.images.task import CIFAR10, Heads, ImageTask, image_sets
from regard.recipes.recipe import Outcome, Resources
from regard.tasks.digits import digits
from regard.training import Recording, expand, train
from tests.recipes.running import read_by_claims, stop_at
from tests.refusals import refused

FILES = {
    "cifar10-gaussian": {"heads.svg", "course.svg", "training.svg"},
    "digits-gaussian": {"heads.svg", "course.svg", "training.svg"},
    "digits-learned": {"maps.svg", "training.svg"},
    "digits-content": {"maps.svg", "training.svg"},
    "digits-conv": {"training.svg"},
}


def trained(name: str, folder: Path, *changes: str, data: Path | None = None) -> Outcome:
    plan = start_run(name, folder, size="smoke", changes=changes, data=None if data is None else str(data))
    return replace(plan, run=replace(plan.run, smoke=False)).train()  # whose numbers claims would read


@pytest.fixture(scope="module")
def gaussian(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A run that was stopped in its second training, and went on."""
    folder = tmp_path_factory.mktemp("runs") / "gaussian"
    plan = start_run("digits-gaussian", folder, size="smoke")
    stop_at(plan, 5, "seed-1")
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
        assert last["inputs.image-0"].shape == (1, 8, 8)
        assert not any(name.startswith("maps.") for name in last), "they follow from the heads"


def test_the_claim_reads_the_record(gaussian: tuple[Path, Outcome]):
    folder, outcome = gaussian
    with read_by_claims(folder.parent):
        record, found = trainings()
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


def pictures(folder: Path, splits: tuple[str, ...], side: int = 12, names: Sequence[str] = ("blue", "red")) -> Path:
    """Noise that is brighter above from class to class; 40 images in each split."""
    generator = torch.Generator().manual_seed(0)
    for split in splits:
        for label, name in enumerate(names):
            place = folder / split / name
            place.mkdir(parents=True)
            for number in range(40 // len(names)):
                pixels = torch.randint(100, (side, side, 3), generator=generator)
                pixels[: side // 2] += 100 * label // (len(names) - 1)
                Image.fromarray(pixels.to(torch.uint8).numpy()).save(place / f"{number}.png")
    return folder


def test_cifar10_stands_beside_what_was_published(tmp_path: Path):
    data = pictures(tmp_path / "data", ("train", "test"), 32, CIFAR10)
    changes = ["seeds=1", "training.steps=2", "training.evaluate_every=1", "training.execution.precision=bfloat16"]
    outcome = trained("cifar10-gaussian", tmp_path / "run", *changes, data=data)
    check(tmp_path / "run", outcome)
    text = (tmp_path / "run" / "report.md").read_text()
    assert outcome.numbers["published accuracy"] == 0.938
    assert "| published | 93.8 % | | |" in text
    mirrored = f"{100 * outcome.numbers['seed-0 accuracy mirrored']:.2f} % |"
    assert next(line for line in text.splitlines() if line.startswith("| 0 |")).endswith(mirrored)
    assert outcome.claims["cifar10-gaussian"]["side"] == 16
    header: Any = read_heads(Workspace((tmp_path,)), HeadsRequest(run="run", training="seed-0")).header
    assert (header.side, header.layers, header.heads, header.steps) == (16, 2, 9, [0, 1, 2]), "the page plays it"


def test_cifar10_is_trained_as_it_was_published():
    config = find_recipe("cifar10-gaussian").config
    model: Any = build(config.model.on(32, 10))
    assert sum(parameter.numel() for parameter in model.parameters()) == 12_086_844
    training = config.training
    assert (training.steps, training.batch, training.schedule.warmup) == (150_000, 100, 7_500)
    optimizer = training.descent.optimizer(model)
    assert isinstance(optimizer, torch.optim.SGD)
    held = {id(one) for block in model.blocks for one in block.attention.position.parameters()}
    for group in optimizer.param_groups:
        own = {id(parameter) for parameter in group["params"]}
        assert (group["lr"], group["momentum"]) == (0.1, 0.9)
        assert group["weight_decay"] == (0.0 if own == held else 1e-4)
    assert {name: find_recipe(f"cifar10-{name}").config.model.encoding for name in ("learned", "content")} == {
        "learned": "learned",
        "content": "learned + content",
    }
    resnet = build(find_recipe("cifar10-resnet18").config.model.on(32, 10))
    assert sum(parameter.numel() for parameter in resnet.parameters()) == 11_173_962
    fast = find_recipe("cifar10-gaussian").at("fast")
    assert (fast.model, fast.training.steps * fast.training.batch) == (config.model, 7_000_000)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cifar10-gaussian", "cifar10-learned", "cifar10-content", "cifar10-resnet18"])
def test_on_a_gpu_it_is_compiled_and_goes_on_where_it_stopped(name: str, tmp_path: Path):
    changes = ["seeds=1", "crop=true", "training.execution.precision=bfloat16", "training.execution.compiled=true"]
    plan = start_run(name, tmp_path / "run", size="smoke", changes=changes, device="cuda")
    stop_at(plan, 5)
    outcome = plan_run(plan.run).train()
    assert all(map(math.isfinite, outcome.numbers.values()))


def test_a_square_of_every_image_is_blanked():
    recipe = find_recipe("digits-gaussian")
    config = replace(recipe.smoke, erase=16)  # of images of 8 pixels: from any pixel it covers them
    task = ImageTask(config, config.model, *image_sets(config, Resources(Path())))
    seen: list[torch.Tensor] = []

    def model(images: torch.Tensor) -> Any:
        seen.append(images)
        return SimpleNamespace(logits=images.mean((2, 3)).repeat(1, 4))

    for one in (task, replace(task, config=recipe.smoke)):
        one.loss(model, one.batch(torch.arange(4), torch.Generator().manual_seed(0)), torch.Generator())
    assert not seen[0].any()
    assert seen[1].any()


def test_cifar10_says_where_its_images_come_from(tmp_path: Path):
    with pytest.raises(
        ValueError, match=r"images to learn from must be there: got .*cifar10, which is not; use --data"
    ):
        start_run("cifar10-gaussian", tmp_path / "run")
    with pytest.raises(ValueError, match="digits-conv has no fast version; leave out --fast"):
        find_recipe("digits-conv").at("fast")


def test_a_model_without_its_degenerate_heads():
    torch.manual_seed(0)
    model: Any = build(Heads(depth=2, width=8, hidden=8).on(8, 10)).eval()
    first, second = [block.attention for block in model.blocks]
    precision = torch.full((9,), 0.5)
    first.position.set(torch.zeros(9, 2), precision.index_fill(0, torch.tensor([3]), 1e-6))
    second.position.set(torch.zeros(9, 2).index_fill(0, torch.tensor([5]), 20.0), precision)
    images = torch.randn(4, 3, 8, 8)
    for kind, count, layers in (("uniform", 1, {0: 3}), ("border", 1, {1: 5}), ("degenerate", 2, {0: 3, 1: 5})):
        pruned: Any
        pruned, found = without_heads(model, 8, kind)
        silent = copy.deepcopy(model)
        with torch.no_grad():
            for layer, head in layers.items():
                silent.blocks[layer].attention.value.weight.unflatten(1, (9, 8))[:, head] = 0
            torch.testing.assert_close(pruned(images).logits, silent(images).logits, rtol=1e-4, atol=1e-5)
        assert found == count
        assert [block.attention.num_heads for block in pruned.blocks] == [9 - (n in layers) for n in (0, 1)]
    assert without_heads(model, 8, "singular")[1] == 0
    assert [block.attention.num_heads for block in model.blocks] == [9, 9], "it is as it was"
    first.position.set(torch.zeros(9, 2), torch.full((9,), 1e-6))
    assert without_heads(model, 8, "uniform")[1] == 8, "a layer keeps a head"


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A race that was stopped in its third training, and went on."""
    folder = tmp_path_factory.mktemp("races") / "race"
    plan = start_run("conv-vs-vit", folder, size="smoke")
    stop_at(plan, 4, "144-ConvNet-seed-1")
    plan = plan_run(replace(plan.run, smoke=False))
    return folder, plan.train()


def test_a_race_has_errors_and_a_conclusion(race: tuple[Path, Outcome]):
    folder, outcome = race
    text, numbers = (folder / "report.md").read_text(), outcome.numbers
    assert {path.name for path in folder.glob("*.svg")} == {"accuracy.svg", "training.svg"}
    found = {path.parent.name: json.loads(path.read_text().splitlines()[-1]) for path in folder.glob("*/metrics.jsonl")}
    assert len(found) == 8
    for count in (144, 1437):
        for kind in ("ConvNet", "ViT"):
            right = [found[f"{count}-{kind}-seed-{seed}"]["accuracy"] for seed in (0, 1)]
            assert numbers[f"{kind} on {count}"] == pytest.approx(statistics.fmean(right))
            assert numbers[f"deviation of {kind} on {count}"] == pytest.approx(statistics.stdev(right))
        row = f"| {count:,} | {100 * numbers[f'ConvNet on {count}']:.1f} % ± "
        assert row in text
    assert outcome.headline.capitalize()[:20] in text
    tasks: list[Any] = [training.task for training in plan_run(read_run(folder)).trainings.values()]
    assert all(torch.equal(a.train.images, b.train.images) for a, b in zip(tasks[::2], tasks[1::2], strict=True)), (
        "both see the same"
    )
    assert not torch.equal(tasks[0].train.images, tasks[2].train.images), "another seed has other images"


def test_the_race_is_what_the_claim_reads(race: tuple[Path, Outcome]):
    folder, outcome = race
    with read_by_claims(folder.parent):
        findings = {finding.name: finding for finding in select(["nyu.5c"])[0].check()}
    assert list(findings) == ["ahead on 144", "ahead on 1437", "learnt"]
    assert f"ConvNet {100 * outcome.numbers['ConvNet on 144']:.1f} ± " in findings["ahead on 144"].shown
    assert not findings["learnt"].holds, "after six steps"


def test_who_is_ahead():
    gaps = {"gap on 5": 0.1, "gap on 50": -0.1, "gap on 500": 0.2}
    cases = {
        ("ConvNet", "ConvNet", "ConvNet"): "the ConvNet is ahead throughout, 5 to 500 images",
        ("ConvNet", None, "ConvNet"): "the ConvNet is ahead where the errors tell, 5 to 500 images",
        ("ConvNet", None, "ViT"): "the ViT overtakes between 5 and 500 images",
        ("ConvNet", "ViT", "ConvNet"): "the lead changes 2 times between 5 and 500 images",
        (None, None, None): "neither is ahead beyond errors, on 5 to 500 images",
    }
    for ahead, says in cases.items():
        assert (
            conclude(dict(zip((5, 50, 500), ahead, strict=True)), gaps) == f"{says}: ConvNet − ViT +10.0 → +20.0 points"
        )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("shares=0.5,0.1", "shares must be one or more rising numbers: got shares=(0.5, 0.1)"),
        ("shares=0,1", "shares must be a share above 0, up to 1: got shares=0.0"),
        ("share=0.5", "shares says how many images are learnt: got share=0.5 too"),
        ("tested=2", "tested must be a share above 0, up to 1: got tested=2.0"),
        ("smoothing=1", "smoothing is a probability below 1: got smoothing=1.0"),
        ("transformer.num_heads=5", "num_heads must divide width: got width=192, num_heads=5"),
    ],
)
def test_races_that_cannot_be(change: str, says: str):
    with refused(says):
        override(find_recipe("conv-vs-vit").config, [change])


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
        (("train", "test"), ["training.batch=64"], "a batch must fit into the data: got 64 for 40"),
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

    for config in (HeadsConfig(), HeadsConfig(flip=True), HeadsConfig(crop=True)):
        task = ImageTask(config, config.model, train, test)
        task.loss(Watching(), task.batch(torch.arange(8), torch.Generator()), torch.Generator().manual_seed(0))
    plain, mirrored, moved = seen
    assert torch.equal(plain, train.batch(torch.arange(8))[0].expand(-1, 3, -1, -1))
    for changed, original in zip(mirrored, plain, strict=True):
        assert torch.equal(changed, original) or torch.equal(changed, original.flip(-1))
    assert not torch.equal(mirrored, plain)
    assert not torch.equal(moved, plain)
    again = pickle.loads(pickle.dumps(ImageTask(HeadsConfig(), Heads(), train, test)))  # as a loader's processes get it
    assert torch.equal(again.batch(torch.arange(8), torch.Generator())[0], torch.arange(8))


def test_maps_of_many_tokens_are_seen_from_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("regard.recipes.images.task.MAP_BYTES", 2 * 9 * 16 * 64)
    train, test = image_sets(HeadsConfig(), Resources(tmp_path))
    task = ImageTask(HeadsConfig(), Heads(depth=2, width=4, hidden=4, encoding="learned"), train, test)
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
