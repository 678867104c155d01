"""What is saved is whole, goes over the same model alone, and is what transformers has a model for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from regard import models
from regard.attention import Window
from regard.models import PRESETS, GridConfig, build, vary
from regard.models.hugging_face.configurations import describe
from tests.models.published import EAGER, C, V, copied, gpt2, saved, the_same
from tests.models.shaking import shaken
from tests.refusals import refused

BUILT = {
    "bert-base": "BertForPreTraining",
    "gpt2": "GPT2LMHeadModel",
    "llama3-8b": "LlamaForCausalLM",
    "t5-small": "T5ForConditionalGeneration",
    "vit-base": "ViTForImageClassification",
}


@pytest.mark.parametrize("name", BUILT)
def test_models_that_were_never_loaded(name: str, tmp_path: Path):
    """Built by transformers from the config.json that we write."""
    sizes = {"depth": 2, "width": C, "num_heads": 4, "hidden": 40, "vocabulary": V, "context": 16, "eps": 0.1}
    sizes |= {"num_groups": 2, "head": 6} if "llama" in name else {"head": 6} if "t5" in name else {}
    sizes |= {"image": 12, "patch": 4, "classes": 3} if "vit" in name else {}
    ours = build(vary(PRESETS[name], **{key: n for key, n in sizes.items() if key in describe(PRESETS[name])}))
    models.save(shaken(ours), tmp_path / "new" / "folder")
    theirs, info = getattr(transformers, BUILT[name]).from_pretrained(
        tmp_path / "new" / "folder", output_loading_info=True, **EAGER
    )
    assert not any(info.values()), info
    assert theirs.config.architectures == [BUILT[name]]
    the_same(ours, theirs)
    assert models.load(tmp_path / "new" / "folder").tokenizer is None


@pytest.mark.parametrize("before", [10**9, 200])
@pytest.mark.parametrize("after", [10**9, 200])
def test_a_kill_leaves_the_old_or_the_new(before: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From one file or several to one file or several, stopped at each change of the folder."""
    config = vary(PRESETS["gpt2"], depth=1, width=4, num_heads=2, hidden=4, vocabulary=5, context=3)
    old, new = shaken(build(config)), shaken(build(config))
    found = set()
    for stop in range(100):
        folder = tmp_path / str(stop)
        models.save(old, folder, max_shard=before)
        steps = iter(range(stop))

        def counted(change: Callable[..., Any], steps: Any = steps) -> Callable[..., Any]:
            def step(*arguments: Any, **options: Any) -> Any:
                if next(steps, None) is None:
                    raise KeyboardInterrupt
                return change(*arguments, **options)

            return step

        with monkeypatch.context() as patch:
            for name in ("replace", "rename", "unlink"):
                patch.setattr(Path, name, counted(getattr(Path, name)))
            try:
                models.save(new, folder, max_shard=after)
                done = True
            except KeyboardInterrupt:
                done = False
        held = models.load(folder).state_dict()
        which = [all(torch.equal(held[n], w) for n, w in m.state_dict().items()) for m in (old, new)]
        assert sum(which) == 1, stop
        found.add(which[1])
        if done:
            break
    assert which[1]
    assert found == {False, True}
    assert len(list(folder.glob("model*"))) == (1 if after > 10**6 else len(list(folder.glob("model-*"))) + 1)


def test_what_is_not_saved(tmp_path: Path):
    folder = saved(shaken(gpt2()), tmp_path / "theirs")
    ours = models.load(folder)
    path = copied(folder, tmp_path / "gpt2")
    models.save(ours, path)  # the same model goes over it
    with refused(
        f"a folder must be new, or hold a model with the same configuration: got {path} with dtype='float32'; us"
    ):
        models.save(models.load(folder, dtype=torch.float64), path)
    with refused(f"got {path} with model_type='gpt2'; use another folder"):
        models.save(build(vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2)), path)
    with refused(f"got {path} with depth=2; use another folder"):
        models.save(build(vary(ours.config, depth=1)), path)
    with refused("a model is saved to a folder: got the file"):
        models.save(ours, path / "config.json")
    with refused(
        "a folder of gpt2 must say all of a configuration: got mask=Window(before=3, after=0), beta=0.3, which"
    ):
        models.save(build(vary(ours.config, mask=Window(before=3), beta=0.3)), tmp_path / "new")
    with refused(
        "a folder holds an Encoder, Decoder, EncoderDecoder or ViT: got a model of GridConfig; use safetensors"
    ):
        models.save(build(vary(GridConfig(), depth=1, width=8)), tmp_path / "new")
    with refused("max_shard must be a whole number from 1 to below 2^62: got max_shard=0"):
        models.save(ours, tmp_path / "new", max_shard=0)
    with refused("weights must be there to be saved: got some on the device 'meta'; use model.to_empty"):
        models.save(models.load(folder, device="meta"), tmp_path / "new")
    ours.stack.norm.double()
    with refused("weights must be of one floating type: got torch.float32, torch.float64; use model.to"):
        models.save(ours, tmp_path / "new")
    ours.embedding = torch.nn.Embedding(V + 1, C)
    with refused("weights must be those of model.config: got 1 (embedding.weight) others; build a model that has them"):
        models.save(ours, tmp_path / "new")
    assert not (tmp_path / "new").exists()
