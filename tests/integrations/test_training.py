"""Training with `regard` is training with `eager`: the same losses from the same steps."""

import pytest
import torch
import transformers

from tests.integrations.families import T, V, inputs, models, real_tokens


class Rows(torch.utils.data.Dataset):
    """Padded rows whose pads are no labels."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.lengths = torch.randint(2, T, (8,))
        self.ids = torch.randint(3, V, (8, T))

    def __len__(self) -> int:
        return 8

    def __getitem__(self, row: int) -> dict:
        real = torch.arange(T) < self.lengths[row]
        labels = torch.where(real, self.ids[row], -100)
        return {"input_ids": self.ids[row], "attention_mask": real.long(), "labels": labels}


@pytest.mark.parametrize("family", ["Mistral", "Bert"])
def test_trainer_takes_the_same_steps(family, tmp_path):
    losses = []
    for model in models(family):
        model.train()
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        settings = transformers.TrainingArguments(
            output_dir=str(tmp_path), max_steps=4, per_device_train_batch_size=4, learning_rate=1e-2, report_to=[],
            logging_steps=1, save_strategy="no", disable_tqdm=True, use_cpu=True, seed=1,
            gradient_accumulation_steps=2,
        )  # fmt: skip
        trainer = transformers.Trainer(model, settings, train_dataset=Rows())
        trainer.train()
        losses.append([entry["loss"] for entry in trainer.state.log_history if "loss" in entry])
    assert losses[1] == pytest.approx(losses[0], abs=1e-5)
    assert len(losses[0]) == 4
    assert losses[0][-1] != losses[0][0]


@pytest.mark.parametrize("family", ["Llama", "Qwen2"])
def test_packed_documents_do_not_see_each_other(family):
    theirs, ours = models(family)
    positions = torch.tensor([[*range(4), *range(3), *range(3)]])
    ids = inputs(family, real_tokens("right"))["input_ids"][:1]
    losses = []
    for model in (theirs, ours):
        logits = model(ids, position_ids=positions, use_cache=False).logits
        logits.square().mean().backward()
        losses.append(logits)
        alone = model(ids[:, 4:7], use_cache=False).logits
        torch.testing.assert_close(logits[:, 4:7], alone, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(*losses, rtol=1e-5, atol=1e-5)
    for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(own.grad, other.grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("family", ["Bert", "Llama", "ModernBert"])
def test_ends_of_packed_documents_keep_them_apart(family):
    """As flash attention is told, where no position starts again or, in encoders, none would say so."""
    _, model = models(family)
    lengths = [4, 3, 3]
    ids = inputs(family, real_tokens("right"))["input_ids"][:1]
    ends = torch.tensor([0, 4, 7, 10], dtype=torch.int32)
    told = {"cu_seq_lens_q": ends, "cu_seq_lens_k": ends.clone(), "max_length_q": 4, "max_length_k": 4}
    positions = torch.tensor([[*range(4), *range(3), *range(3)]])
    packed = model(ids, position_ids=positions, use_cache=False, **told).logits
    alone = [model(part, use_cache=False).logits for part in ids.split(lengths, 1)]
    torch.testing.assert_close(packed, torch.cat(alone, 1), rtol=1e-5, atol=1e-5)
    if family == "Llama":  # its positions are relative: those that go on are the same
        packed = model(ids, use_cache=False, **told).logits
        torch.testing.assert_close(packed, torch.cat(alone, 1), rtol=1e-5, atol=1e-5)
    told["cu_seq_lens_k"] = torch.tensor([0, 5, 7, 10], dtype=torch.int32)
    positions = torch.arange(10)[None]
    with pytest.raises(ValueError, match="got cu_seq_lens_k, cu_seq_lens_q, max_length_k, max_length_q from"):
        model(ids, position_ids=positions, use_cache=False, **told)


def test_gradient_checkpoints_see_the_same_mask():
    _, model = models("Mistral")
    given = inputs("Mistral", real_tokens("right"))
    gradients = []
    for checkpoints in (False, True):
        model.train()
        if checkpoints:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        model.zero_grad()
        model(**given, labels=given["input_ids"], use_cache=False).loss.backward()
        gradients.append([p.grad.clone() for p in model.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)
