"""Several processes train as one does, go on from each other's checkpoints, and tell when one of them is gone."""

import json
import os
import re
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.distributed import HashStore  # pyright: ignore[reportPrivateImportUsage]
from typer.testing import CliRunner

from regard.commands.app import app
from regard.models import load
from regard.recipes import NAMES
from regard.training import Checkpoints, Mesh, Processes, Settings, train
from regard.training.distribution import agree
from regard.training.task import Share
from regard.training.whole_batch import WholeDraws
from tests.training.learner import Digits, until
from tests.training.many import FOUND, SHORT, Weighed, apart, lines, start


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("data=2", r"mesh must be names with numbers: got 'data=2' in 'data=2'; use data:2,shard:2"),
        ("data:0", r"mesh must be names with numbers: got 'data:0'"),
        ("shards:2", r"mesh has no 'shards': did you mean shard"),
        ("data:2,data:2", r"mesh must name a dimension once: got data twice in 'data:2,data:2'"),
    ],
)
def test_meshes_that_cannot_be(text: str, says: str):
    with pytest.raises(ValueError, match=says):
        Settings(steps=1, batch=1, mesh=text)


def test_a_mesh_must_fit_the_processes_and_the_batch():
    with pytest.raises(ValueError, match=r"got mesh=data:2,shard:2 of 4 for 1; use torchrun --nproc-per-node 4"):
        Processes.of("data:2,shard:2", "cpu")
    of_four = [Processes(Mesh(data=2, shard=2), torch.device("cpu"), rank) for rank in range(4)]
    assert [one.part for one in of_four] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    with pytest.raises(ValueError, match="batch must be shared evenly by 4 processes: got batch=10; use 8 or 12"):
        Digits().check_parts(10, 4)


@pytest.mark.parametrize("transposed", [False, True])
def test_all_draw_what_one_would(transposed: bool):
    x = torch.ones(3, 8, 5).transpose(0, 1) if transposed else torch.ones(8, 3, 5)
    torch.manual_seed(0)
    whole, after = nn.functional.dropout(x, 0.4), torch.get_rng_state()
    parts = []
    for first, last in ((0, 2), (2, 5), (5, 8)):
        torch.manual_seed(0)
        with WholeDraws(Share(first, last - first, 8)):
            parts.append(nn.functional.dropout(x[first:last], 0.4))
        assert torch.get_rng_state().equal(after)
    assert torch.cat(parts).equal(whole)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which two processes have trained, and written what else they found: they take seconds to start."""
    folder = tmp_path_factory.mktemp("together")
    process = start(2, "-m", "tests.training.many", str(folder), "data:2", "shard:2", "examine")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return folder


def test_two_processes_train_as_one_and_go_on_from_each_other(together: Path, tmp_path: Path):
    """Copies, shards, and a run that shards begin, copies go on with, and one process ends."""
    one = train(Weighed(), SHORT, tmp_path / "one")
    shutil.copytree(together, tmp_path, dirs_exist_ok=True)
    for mesh in ("data:2", "shard:2"):
        ours, theirs = lines(tmp_path / mesh), lines(tmp_path / "one")
        assert apart(ours, theirs) < 1e-5
        assert (
            apart([line for line in ours if "accuracy" in line], [x for x in theirs if "accuracy" in x], "accuracy")
            < 1e-5
        )
    shards = Checkpoints(tmp_path / "shard:2" / "checkpoints").last()
    assert shards is not None
    assert sorted(shards.files) == [f"shard-0000{n}-model-00001-of-00001.safetensors" for n in (1, 2)]
    for name, tensor in one.model.state_dict().items():
        assert torch.allclose(shards.tensors["model"][name], tensor, atol=1e-4), name
    longer = replace(SHORT, steps=15)
    train(Weighed(), longer, tmp_path / "one")
    train(Weighed(), longer, tmp_path / "shard:2")
    assert apart(lines(tmp_path / "shard:2"), lines(tmp_path / "one")) < 1e-5


def test_a_batch_norm_weighs_parts_by_their_rows(together: Path):
    assert json.loads((together / FOUND).read_text())["norm"]


def test_processes_that_are_started_again_meet_each_other_and_none_from_before():
    """The store still holds all that three others had written, as that of torchrun does."""
    store = HashStore()

    def start_all() -> set[str]:
        with ThreadPoolExecutor(3) as pool:
            return set(pool.map(lambda rank: agree(store, rank, 3), range(3)))

    starts = [start_all() for _ in range(3)]
    assert [len(names) for names in starts] == [1, 1, 1]
    assert len(set.union(*starts)) == 3
    with ThreadPoolExecutor(3) as pool:
        early = pool.submit(agree, store, 0, 3)
        with pytest.raises(TimeoutError):  # it waits for the others, though names of theirs are there
            early.result(0.3)
        late = [pool.submit(agree, store, rank, 3) for rank in (1, 2)]
        assert len({early.result(10), *[one.result(10) for one in late]}) == 1


def test_gradients_are_exchanged_once_however_many_batches_are_accumulated(together: Path):
    found = json.loads((together / FOUND).read_text())["exchanges"]
    assert found["data:2 3"] == found["data:2 1"]
    scattered = "c10d::_reduce_scatter_base_"
    assert found["shard:2 3"][scattered] == found["shard:2 1"][scattered] == 2
    assert found["data:2 1"]["c10d::allreduce_"] > 2


@pytest.mark.slow
def test_what_four_saved_two_and_one_go_on_with(tmp_path: Path):
    train(Weighed(), SHORT, tmp_path / "one")
    for count, mesh in ((4, "data:2,shard:2@4"), (2, "shard:2@7"), (4, "shard:4@10")):
        process = start(count, "-m", "tests.training.many", str(tmp_path), mesh)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    train(Weighed(), SHORT, tmp_path / "run")
    assert apart(lines(tmp_path / "run"), lines(tmp_path / "one")) < 1e-5


def smoke(tmp_path: Path, name: str, *more: str) -> list[str]:
    changes = ["--set", "training.steps=40", "--set", "training.evaluate_every=2", *more]
    return ["train", "language", "--smoke", *changes, "--name", name, "--runs", str(tmp_path), "--device", "cpu"]


@pytest.mark.slow
@pytest.mark.parametrize("restarts", [0, 1])
def test_when_a_process_is_killed_the_others_name_the_last_checkpoint_or_go_on(tmp_path: Path, restarts: int):
    process = start(2, "-m", "regard", *smoke(tmp_path, "many", "--set", "training.mesh=shard:2"), restarts=restarts)
    checkpoints = Checkpoints(tmp_path / "many" / "decoder" / "checkpoints")
    assert until(lambda: len(checkpoints.steps()) > 1, 300)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(workers[-1]), signal.SIGKILL)
    out, said = process.communicate(timeout=300)
    if not restarts:
        assert process.returncode != 0
        assert re.search(r"got one that is gone .*the last checkpoint is \S*step-\d{9}; go on", said), said[-3000:]
        process = start(2, "-m", "regard", "resume", "many", "--runs", str(tmp_path), "--device", "cpu")
        out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said[-3000:]
    assert "bits per character" in out
    done = CliRunner().invoke(app, smoke(tmp_path, "one"))
    assert done.exit_code == 0, done.output
    assert apart(lines(tmp_path / "many" / "decoder"), lines(tmp_path / "one" / "decoder")) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("mesh", ["context:2", "data:2", "shard:2", "data:2,shard:2"])
@pytest.mark.parametrize("recipe", NAMES)
def test_two_and_four_processes_give_the_losses_of_one_in_every_recipe(tmp_path: Path, recipe: str, mesh: str):
    words = ["train", recipe, "--smoke", "--runs", str(tmp_path), "--device", "cpu"]
    process = start(Mesh.read(mesh).count, "-m", "regard", *words, "--name", "many", "--set", f"training.mesh={mesh}")
    _, said = process.communicate(timeout=600)
    if mesh == "context:2" and recipe != "language":
        assert process.returncode != 0
        assert f"context splits sequences: got {recipe}, which cannot; use data or shard" in said
        return
    assert process.returncode == 0, said[-3000:]
    assert CliRunner().invoke(app, [*words, "--name", "one"]).exit_code == 0
    for path in (tmp_path / "one").glob("*/metrics.jsonl"):
        assert apart(lines(tmp_path / "many" / path.parent.name), lines(path.parent)) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("mesh", ["data:4", "shard:4", "data:2,shard:2", "data:2,context:2", "shard:2,context:2"])
def test_four_processes_give_the_losses_of_one(tmp_path: Path, mesh: str):
    process = start(4, "-m", "regard", *smoke(tmp_path, "many", "--set", f"training.mesh={mesh}"))
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said[-3000:]
    assert CliRunner().invoke(app, smoke(tmp_path, "one")).exit_code == 0
    assert apart(lines(tmp_path / "many" / "decoder"), lines(tmp_path / "one" / "decoder")) < 1e-5
    ours, theirs = (load(tmp_path / name / "model").state_dict() for name in ("many", "one"))  # Hugging Face folders
    assert all(torch.allclose(ours[name], tensor, atol=1e-4) for name, tensor in theirs.items())
