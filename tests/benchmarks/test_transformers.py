"""The benchmark of transformers' models runs at tiny sizes, and does not time what is wrong."""

import json

import torch

from benchmarks import transformers
from benchmarks.setting import Setting

CPU = torch.device("cpu")


def test_a_run_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(transformers, "FAMILIES", ("Qwen3", "T5"))
    transformers.main(
        ["--device", "cpu", "--tiny", "--threads", "1", "--commit", "abc", "--out", str(tmp_path / "r.json")]
    )
    rows = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert [row["case"] for row in rows if row["section"] == "families"] == ["Qwen3 8 × 32", "T5 8 × 32"]
    assert [row["measure"] for row in rows if row["section"] == "padded"] == ["forward"] * 2 + ["both"] * 2
    assert all(row["ratio"] is not None for row in rows), capsys.readouterr().out


def test_a_wrong_contender_is_not_timed(monkeypatch):
    from regard.integrations.transformers import calls

    transformers.register()
    monkeypatch.setattr(calls, "attend", lambda q, k, v, *_, **__: torch.zeros_like(q))
    rows = transformers.padded(Setting(CPU, "tiny"))
    assert "wrong: differs by" in str(rows[0].cells["regard"])
    assert rows[0].ratio is None
