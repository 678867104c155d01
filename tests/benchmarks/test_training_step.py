"""The benchmark of a training step runs at tiny sizes."""

import json

from benchmarks import training_step


def test_a_step_is_timed(tmp_path):
    files = [str(tmp_path / name) for name in ("r.json", "r.md")]
    training_step.main(["--device", "cpu", "--tiny", "--threads", "1", "--out", files[0], "--markdown", files[1]])
    (row,) = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert isinstance(row["cells"]["regard"], dict), row["cells"]
    assert row["cells"]["regard tokens/s"] > 0
    losses = row["details"]["losses"]["regard"]
    assert losses[0] > losses[-1], "it learns"
