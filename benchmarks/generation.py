"""Tokens written one by one, beside transformers, gpt-fast and the memory: `python -m benchmarks.generation`.

`--only kernels` times the kernels of a token alone, `--only decode` whole models: a Llama-shaped one of 1.3B and GPT-2,
with the same random weights under every implementation. `--sweep` tries the tiles of the kernels instead, for one row.
`--rows`, which may be given several times, says for how many rows instead, and which batches of models are timed.
`--gpt-fast FOLDER` names a checkout of gpt-fast whose `Transformer.forward` takes (idx, input_pos).
"""

import argparse
import functools
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.generation_kernels import kernels, sweep
from benchmarks.kernels import BANDWIDTH
from benchmarks.peers import checked_out
from benchmarks.record import Bar, Row
from benchmarks.session import Sections, run
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing, over
from regard import models
from regard.analysis.calibration.timing import explain, take_turns, time_calls

PROMPT = 32
Writing = Callable[[int], Tensor]  # so many tokens, (B, count)


class Case(NamedTuple):
    """One model and one batch."""

    name: str
    config: Any
    batch: int
    peer: str  # the quickest that there is, beside transformers with a cache that grows
    bar: Bar | None = None  # against that peer
    share: Bar | None = None  # of the memory's bandwidth, in per cent


def cases(setting: Setting) -> list[Case]:
    llama: dict[str, int] = {"hidden_size": 2048, "num_attention_heads": 16, "intermediate_size": 5504}
    llama |= {"num_hidden_layers": setting.pick(full=24, quick=4), "vocab_size": 32000}
    gpt2: dict[str, int] = {"n_layer": setting.pick(full=12, quick=4)}
    if setting.scale == "tiny":
        llama = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 48, "num_hidden_layers": 1}
        llama |= {"vocab_size": 50}
        gpt2 = {"n_layer": 1, "n_embd": 32, "n_head": 2, "vocab_size": 50}
    ends: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": None, "pad_token_id": None}
    found = []
    for batch, names, bars in (
        (1, ("gpt-fast", "transformers, static"), (1.8, 4)),
        (setting.pick(full=32, tiny=2), ("transformers", "transformers"), (3, None)),
    ):
        judged = setting.on_cuda and setting.scale == "full"
        one, two = (None if bar is None or not judged else Bar("≥", bar) for bar in bars)
        share = Bar("≥", 60) if judged and batch == 1 else None
        found.append(Case("llama 1.3B", transformers.LlamaConfig(**llama, **ends), batch, names[0], one, share))
        found.append(Case("gpt2", transformers.GPT2Config(**gpt2, **ends), batch, names[1], two))
    return found


def both(case: Case, setting: Setting) -> tuple[Any, Any]:
    """Ours and transformers', with the same weights."""
    torch.manual_seed(0)
    with setting.device:
        theirs = transformers.AutoModelForCausalLM.from_config(case.config, dtype=setting.dtype).eval()
    return as_ours(theirs, setting.device), theirs


def as_ours(theirs: Any, device: torch.device) -> Any:
    """A model of transformers' as ours, from the folder that it is saved in."""
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder)
        return models.load(folder, device=device)


def by_regard(model: Any, tokens: Tensor) -> Writing:
    return lambda count: torch.tensor([row.tokens for row in model.generate(tokens, max_new=count, ends=())])


def by_transformers(model: Any, tokens: Tensor, static: bool) -> Writing:
    """With a cache that grows, or with one of fixed size, for which transformers compiles the step on a GPU."""
    options: dict[str, Any] = {"do_sample": False, "pad_token_id": 0, "attention_mask": torch.ones_like(tokens)}
    if static:
        options["cache_implementation"] = "static"

    def write(count: int) -> Tensor:
        with torch.inference_mode(not static):  # what is compiled under it cannot be used again
            found = model.generate(tokens, max_new_tokens=count, min_new_tokens=count, **options)
        return found[:, tokens.shape[1] :].cpu()

    return write


def by_gpt_fast(folder: Path, theirs: Any, tokens: Tensor, count: int) -> Writing:
    """Its model with the weights of transformers', its step compiled as its `generate.py` does, always the likeliest
    token.
    """
    module = checked_out(folder, "gpt_fast_model")
    config = theirs.config
    sizes = {"n_layer": config.num_hidden_layers, "n_head": config.num_attention_heads, "dim": config.hidden_size}
    sizes |= {"vocab_size": config.vocab_size, "intermediate_size": config.intermediate_size}
    with tokens.device:
        model = module.Transformer(module.ModelArgs(block_size=2048, norm_eps=config.rms_norm_eps, **sizes))
        model = model.to(theirs.dtype).eval()
        model.load_state_dict(gpt_fast_weights(theirs), strict=False)
        model.setup_caches(len(tokens), PROMPT + count)

    @torch.no_grad()
    def step(words: Tensor, at: Tensor) -> Tensor:
        return model(words, at)[:, -1].argmax(-1, keepdim=True)

    fast: Any = torch.compile(step, mode="reduce-overhead", fullgraph=True) if tokens.is_cuda else step

    def write(count: int) -> Tensor:
        written = [step(tokens, torch.arange(PROMPT, device=tokens.device))]
        at = torch.tensor([PROMPT], device=tokens.device)
        with sdpa_kernel(SDPBackend.MATH):  # as there: better for the compiler to make attention of
            for _ in range(count - 1):
                written.append(fast(written[-1], at).clone())
                at += 1
        return torch.cat(written, 1).cpu()

    return write


def gpt_fast_weights(theirs: Any) -> dict[str, Tensor]:
    """Under its names; of queries and keys the features that turn together stand side by side."""
    heads, found = theirs.config.num_attention_heads, {}

    def paired(w: Tensor) -> Tensor:
        return w.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)

    for name, w in theirs.state_dict().items():
        if name.startswith("model.layers"):
            layer = name.removeprefix("model.").rsplit(".", 3 if "norm" not in name else 2)[0]
            part = name.split(".")[-2]
            found[f"{layer}.{GPT_FAST[part]}.weight"] = paired(w) if part in ("q_proj", "k_proj") else w
    return found | {
        "tok_embeddings.weight": theirs.model.embed_tokens.weight,
        "norm.weight": theirs.model.norm.weight,
        "output.weight": theirs.lm_head.weight,
    }


GPT_FAST = {
    "q_proj": "attention.wq",
    "k_proj": "attention.wk",
    "v_proj": "attention.wv",
    "o_proj": "attention.wo",
    "gate_proj": "feed_forward.w1",
    "up_proj": "feed_forward.w3",
    "down_proj": "feed_forward.w2",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
}


@contextmanager
def the_general_way(model: Any) -> Iterator[None]:
    """Somebody listens to the blocks, so that every token goes through their modules, without a graph."""
    handle = model.stack.register_forward_pre_hook(lambda *_: None)
    try:
        yield
    finally:
        handle.remove()


def agreement(one: Tensor, other: Tensor) -> str:
    """How far two texts are the same: in half precision scores may be equal but for their rounding."""
    differs = (one != other).any(0).nonzero()
    return "all" if len(differs) == 0 else f"first {int(differs[0])} of {one.shape[1]}"


def seconds_per_token(writings: dict[str, Writing], count: int, setting: Setting) -> dict[str, Timing | str]:
    """Of each token after the first, contenders in turns."""

    def read(write: Writing) -> float:
        many, one = (time_calls(functools.partial(write, n), setting.device) for n in (count, 1))
        return (many - one) / (count - 1)

    reads = {name: functools.partial(read, write) for name, write in writings.items()}
    samples, failed = take_turns(reads, 1 + setting.pick(full=3, tiny=2))
    return {name: failed.get(name) or Timing(tuple(found[1:])) for name, found in samples.items()}  # the first warms up


def bytes_of_token(model: Any, batch: int, count: int) -> float:
    """What a token of each row reads: all weights that are multiplied, and the keys and values so far."""
    weights = sum([p.nbytes for name, p in model.named_parameters() if "positions" not in name])
    if not model.config.tied:
        weights -= model.embedding.weight.nbytes
    block = model.config.block
    kept = 2 * model.config.depth * block.groups * block.head_width * model.embedding.weight.element_size()
    return weights + batch * (PROMPT + count / 2) * kept


def decode_of(case: Case, setting: Setting, gpt_fast: Path | None) -> list[Row]:
    count, device = setting.pick(full=129, tiny=5), setting.device
    progress(case.name, case.batch)
    ours, theirs = both(case, setting)
    tokens = torch.randint(case.config.vocab_size, (case.batch, PROMPT), generator=torch.Generator().manual_seed(0))
    tokens = tokens.to(device)
    writings: dict[str, Writing] = {
        "regard": by_regard(ours, tokens),
        "transformers": by_transformers(theirs, tokens, static=False),
    }
    if case.peer == "transformers, static":
        writings[case.peer] = by_transformers(theirs, tokens, static=True)
    if case.peer == "gpt-fast" and gpt_fast is not None:
        writings[case.peer] = by_gpt_fast(gpt_fast, theirs, tokens, count)
    written = writings["regard"](count)
    with the_general_way(ours):
        general = writings["regard"](count)
    cells: dict[str, Any] = {"as the general way": agreement(written, general)}
    cells["as transformers"] = agreement(written, writings["transformers"](count))
    found = seconds_per_token(writings, count, setting)
    limit = bytes_of_token(ours, case.batch, count) / BANDWIDTH
    cells |= {**found, "limit": f"{limit * 1e3:.3f} ms"}
    cells |= {
        f"{name} tokens/s": round(case.batch / times.median, 1)
        for name, times in found.items()
        if isinstance(times, Timing)
    }
    mine = found["regard"]
    label, rows = f"{case.name} B{case.batch}", []
    if isinstance(mine, Timing):
        share = 100 * limit / mine.median if setting.on_cuda else None
        rows.append(
            Row("decode, limit", label, "seconds per token", cells, share, "the memory", case.share, None, " %")
        )
        ratio = over(found.get(case.peer), mine)
        rows.append(Row("decode", label, "seconds per token", cells, ratio, case.peer, case.bar))
    for row in rows:
        progress(label, row.ratio, row.unit, row.against, row.cells)
    return rows or [Row("decode", label, "seconds per token", cells)]


def decode(setting: Setting, gpt_fast: Path | None = None, counts: tuple[int, ...] = ()) -> list[Row]:
    rows = []
    for case in [case for case in cases(setting) if not counts or case.batch in counts]:
        try:
            rows += decode_of(case, setting, gpt_fast)
        except Exception as error:  # the other models still have something to say
            rows.append(Row("decode", f"{case.name} B{case.batch}", "", {"regard": explain(error)}, bar=case.bar))
        torch._dynamo.reset()
    return rows


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--sweep", action="store_true")
    own.add_argument("--rows", type=int, action="append")
    own.add_argument("--gpt-fast", type=Path)
    options, rest = own.parse_known_args(words)
    transformers.logging.set_verbosity_error()
    counts = tuple(options.rows or (1,))
    sections: Sections = {
        "kernels": functools.partial(sweep, counts=counts) if options.sweep else kernels,
        "decode": functools.partial(decode, gpt_fast=options.gpt_fast, counts=tuple(options.rows or ())),
    }
    run("benchmarks.generation", "Generation", __doc__, {"cpu": sections, "cuda": sections}, rest, words)


if __name__ == "__main__":
    main()
