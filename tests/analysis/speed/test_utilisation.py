"""Utilisation of running loops: by a clock of one's own, and in transformers' Trainer."""

import pytest
import torch
from torch import nn

from regard.algorithms.planning.machines import TABLES
from regard.analysis.speed.utilisation import Utilisation, trainer_callback


def test_a_loop_reads_its_utilisation():
    """8 rows through 64 × 64: 2·8·64² forward, and as much for the gradient of the weight. Two seconds for 3 steps."""
    times = iter([10.0, 12.0])
    meter = Utilisation(nn.Linear(64, 64), (torch.ones(8, 64),), device="cpu", clock=lambda: next(times))
    assert meter.flops == 4 * 8 * 64**2
    assert meter.step() is None, "the first call starts the clock"
    assert meter.step(3) == pytest.approx(3 * meter.flops / (2.0 * TABLES["cpu"].single))


def test_the_peak_is_that_of_the_type_and_of_all_devices():
    layer, x = nn.Linear(8, 8), (torch.ones(2, 8),)
    assert Utilisation(layer, x, device="a100").peak == 19.5e12
    assert Utilisation(layer, x, device="a100", dtype=torch.bfloat16, devices=4).peak == 4 * 312e12
    with pytest.raises(ValueError, match="devices must be 1 or more: got 0"):
        Utilisation(layer, x, devices=0)
    with pytest.raises(ValueError, match=r"seconds must be above 0: got 0\.0"):
        Utilisation(layer, x).of(0.0)


def test_the_trainer_logs_it(tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_layer=1, n_embd=16, n_head=2, vocab_size=32, n_positions=16)
    model = transformers.GPT2LMHeadModel(config)
    row = torch.zeros(8, dtype=torch.long)
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        max_steps=2,
        logging_steps=1,
        per_device_train_batch_size=2,
        report_to=[],
        use_cpu=True,
    )
    data = [{"input_ids": row, "labels": row}] * 4
    callback = trainer_callback()
    trainer = transformers.Trainer(model, arguments, train_dataset=data, callbacks=[callback])
    seen = []

    class Watching(transformers.TrainerCallback):
        def on_log(self, args, state, control, logs=None, **kwargs):
            seen.append(dict(logs or {}))

    trainer.add_callback(Watching())
    trainer.train()
    assert callback.meter.tokens == 2 * 8
    logged = [one for one in seen if "loss" in one]
    assert len(logged) == 2
    assert all(0 < one["mfu"] < 1 and one["tokens_per_second"] > 0 for one in logged)
