"""Put runs into the package, for the page to show: `python tools/ship.py RUNS [NAME]…` writes regard/recipes/shipped.

RUNS is a folder with the runs of these commands; without names, all but the last are put there. input.txt is known
as Tiny Shakespeare; captions.txt has the 29,000 English captions of photographs that Multi30k trains on.

    regard train reversal --name reversal
    regard train digits-gaussian --name digits-gaussian
    regard train language --name language --data input.txt
    regard train heads --name heads
    regard train objectives --name objectives --small
    regard train language --name captions --data captions.txt --set tokens=2500 --set model.depth=2
      --set model.context=64 --set model.dropout=0.1 --set training.batch=32 --set training.steps=1400
      --set training.evaluate_every=200 --set written=120
    regard train conv-vs-vit --name conv-vs-vit --data CIFAR10
    regard train cifar10-gaussian --fast --name cifar10-gaussian --data CIFAR10

Any other run is put there by its name. What only a training needs to go on is left out: the optimizer, the events, all
checkpoints but the last, maps of gaussian heads, which follow from their centres and precisions, and a model of more
than 5 MB.
"""

import shutil
import sys
from pathlib import Path

from results import name_data

from regard.recipes import Run, read_run
from regard.training import Checkpoints, Recording

SHIPPED = Path(__file__).parents[1] / "regard" / "recipes" / "shipped"
NAMES = ("reversal", "digits-gaussian", "language", "captions", "heads", "objectives", "conv-vs-vit")
EXAMPLES = "examples.json"  # written by hand, beside what a run holds
MOST_BYTES = 5_000_000  # of a model's weights
KEPT = {
    "reversal": ("attention", "transformer"),
    "digits-gaussian": ("seed-0",),
    "cifar10-gaussian": ("seed-0",),
    "language": ("decoder",),
}
CURVES = {"heads": [f"heads-{H}-seed-0" for H in (1, 2, 4, 8, 16, 32)]}  # trainings of which no model is kept


def ship(run: Run) -> None:
    """Copy what the page reads of a run."""
    place = SHIPPED / run.name
    examples = place / EXAMPLES
    kept = examples.read_text(encoding="utf-8") if examples.is_file() else None
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if kept is not None:
        examples.write_text(kept, encoding="utf-8")
    for path in run.folder.glob("*.svg"):
        shutil.copyfile(path, place / path.name)
    names = ("result.json", "report.md", "claims.json", "run.json")
    for name in [name for name in names if name != "claims.json" or (run.folder / name).is_file()]:
        text = (run.folder / name).read_text(encoding="utf-8")
        if data := run.config.get("data"):
            text = name_data(text.replace(data, Path(data).name), run.command)
        (place / name).write_text(text, encoding="utf-8")
    has_model = (run.folder / "model").is_dir()
    if has_model and sum(path.stat().st_size for path in (run.folder / "model").iterdir()) <= MOST_BYTES:
        shutil.copytree(run.folder / "model", place / "model")
    for name in (*KEPT.get(run.recipe, ()), *CURVES.get(run.recipe, ())):
        (place / name).mkdir()
        shutil.copyfile(run.folder / name / "metrics.jsonl", place / name / "metrics.jsonl")
    for name in KEPT.get(run.recipe, ()):
        _ship_model(run.folder / name, place / name, with_weights=not has_model)


def _ship_model(source: Path, place: Path, with_weights: bool) -> None:
    (place / "recording").mkdir()
    old, new = Recording(source / "recording"), Recording(place / "recording")
    for step in old.steps():
        new.write(step, old.read(step))
    last = Checkpoints(source / "checkpoints").last()
    assert last is not None
    weights = {"model": last.tensors["model"]}
    if with_weights and sum(tensor.nbytes for tensor in weights["model"].values()) <= MOST_BYTES:
        Checkpoints(place / "checkpoints").save(last.step, weights, {"progress": last.facts["progress"]}, best=True)


if __name__ == "__main__":
    for name in sys.argv[2:] or NAMES:
        ship(read_run(Path(sys.argv[1]) / name))
