"""Models of transformers with `regard` beside themselves with `sdpa`: `python -m benchmarks.transformers --device cpu`.

Random weights of the published sizes, the same under every implementation; a pass is forward, a loss on the real
tokens, and backward. Hidden states at real tokens and the gradient of one embedding are compared before the clock runs.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import Tensor

from benchmarks.record import Bar, Row, race
from benchmarks.session import Sections, run
from benchmarks.setting import Setting, progress
from benchmarks.timing import Effort, Result, explain
from benchmarks.wall import Contender, Times, take_turns
from regard.integrations.transformers import leave_out_pads, register

LIKE_SDPA = Bar("≥", 0.97)
PADS = "regard, pads left out"
WRITERS = ("Llama", "Mistral", "Qwen2", "Qwen3", "Gemma3Text", "Phi3", "Olmo2", "GPTNeoX", "Falcon", "GPT2", "OPT")
GROUPED = ("Llama", "Mistral", "Qwen2", "Qwen3", "Gemma3Text", "Phi3")  # whose heads share keys
READERS = ("Bert", "Roberta", "ModernBert", "DistilBert", "Electra")
FAMILIES = (*WRITERS, *READERS, "T5")
WITHOUT_SDPA = ("Gemma2", "GptOss")  # caps and sinks: transformers computes them by `eager`


@dataclass(frozen=True)
class Case:
    """One model on one batch."""

    label: str
    config: Any
    batch: int
    tokens: int
    padded: bool

    def lengths(self) -> Tensor:
        """All tokens, or lengths spread evenly about a half of them."""
        if not self.padded:
            return torch.full((self.batch,), self.tokens)
        return torch.linspace(self.tokens / 8, self.tokens * 7 / 8, self.batch).long()


def models_of(case: Case, setting: Setting, names: tuple[str, ...]) -> dict[str, Any]:
    """The same weights under each implementation."""
    made: dict[str, Any] = {}
    for name in names:
        torch.manual_seed(0)
        implementation = name.split(",")[0]
        options = {"attn_implementation": implementation, "dtype": setting.dtype}
        with setting.device:
            model = transformers.AutoModel.from_config(copy.deepcopy(case.config), **options)
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        if name == PADS:
            leave_out_pads(model)
        made[name] = model.eval()
    first = made[names[0]].state_dict()
    for model in made.values():
        model.load_state_dict(first)
    return made


def pass_of(model: Any, case: Case, device: torch.device, backward: bool) -> Callable[[], tuple[Tensor, Tensor | None]]:
    """A pass: hidden states at real tokens, and what reaches the model's first parameter."""
    real = (torch.arange(case.tokens) < case.lengths()[:, None]).to(device)
    ids = torch.randint(3, 1000, (case.batch, case.tokens), generator=torch.Generator().manual_seed(0)).to(device)
    given: dict[str, Any] = {"input_ids": ids, "attention_mask": real.long()}
    if case.config.is_encoder_decoder:
        given["decoder_input_ids"] = ids
    elif case.label.split()[0] not in READERS:
        given |= {"use_cache": False}
    first = next(model.parameters())
    width = case.config.hidden_size
    towards = torch.randn(width, generator=torch.Generator().manual_seed(1)).to(device)

    def once() -> tuple[Tensor, Tensor | None]:
        with torch.set_grad_enabled(backward):
            hidden = model(**given).last_hidden_state
            hidden = hidden if case.config.is_encoder_decoder else hidden * real[..., None]
            if not backward:
                return hidden, None
            (hidden.float() * towards).mean().backward()
        found = first.grad
        model.zero_grad(set_to_none=True)
        return hidden.detach(), found

    return once


def differ(found: tuple[Tensor, Tensor | None], wanted: tuple[Tensor, Tensor | None]) -> str | None:
    """Why a contender may not run: it computes something else."""
    for own, other in zip(found, wanted, strict=True):
        if own is None or other is None:
            continue
        apart = ((own - other).float().norm() / other.float().norm()).item()
        allowed = 0.05 if own.dtype == torch.bfloat16 else 1e-4
        if not apart <= allowed:
            return f"wrong: differs by {apart:.1e}"
    return None


def compare(
    section: str,
    case: Case,
    setting: Setting,
    bars: dict[str, Bar | None],
    passes: tuple[str, ...],
    seconds: float,
    peer: str = "sdpa",
) -> list[Row]:
    """A row per pass and contender: the peer's time over its own, in about so many seconds."""
    progress(section, case.label)
    rows = []
    models = models_of(case, setting, (peer, *bars))
    for measure in passes:
        runs = {name: pass_of(model, case, setting.device, measure == "both") for name, model in models.items()}
        wanted = runs[peer]()
        results: dict[str, Result] = {}
        for name, once in runs.items():
            wrong = differ(once(), wanted)
            if wrong is not None:
                results[name] = wrong
        timed = {name: Contender(once) for name, once in runs.items() if name not in results}
        effort = setting.pick(
            full=Effort(seconds=seconds, rounds=(5, 25), slice=seconds / 100),
            tiny=Effort(seconds=0.0, rounds=(2, 2), slice=0.0),
        )
        for name, times in take_turns(timed, setting.device, effort).items():
            results[name] = times.queued if isinstance(times, Times) else times
        for number, (name, bar) in enumerate(bars.items()):
            row = race(section, case.label, measure, {**results, "regard": results[name]}, [peer], bar)
            row.cells = dict(results) if number == 0 else {}
            row.case = case.label if name == "regard" else f"{case.label}, pads left out"
            rows.append(row)
    return rows


def padded(setting: Setting) -> list[Row]:
    """Half-padded batches: a Llama-shaped 1.3B on the GPU, BERT-base on the CPU."""
    if setting.on_cuda:
        sizes: dict[str, Any] = {
            "num_hidden_layers": setting.pick(full=24, tiny=2),
            "num_attention_heads": 16,
            "hidden_size": 2048,
        }
        config = transformers.LlamaConfig(**sizes, intermediate_size=5504)
        bar, lengths, passes = Bar("≥", 1.5), setting.pick(full=(2048, 4096), tiny=(128,)), ("both",)
    else:
        config = transformers.BertConfig(
            num_hidden_layers=setting.pick(full=12, quick=4, tiny=1), hidden_size=setting.pick(full=768, tiny=48)
        )
        bar, lengths, passes = Bar("≥", 1.6), setting.pick(full=(512,), tiny=(32,)), ("forward", "both")
    bar = setting.pick(full=bar, tiny=None)
    name = type(config).__name__.removesuffix("Config")
    cases = [Case(f"{name} 8 × {n}, half pads", config, 8, n, padded=True) for n in lengths]
    bars = {"regard": None, PADS: bar}
    return [row for case in cases for row in compare("padded", case, setting, bars, passes, seconds=20.0)]


def sizes_of(family: str, setting: Setting) -> Any:
    """The configuration of a family at BERT's width, of a few layers."""
    layers, tokens = setting.pick(full=4 if setting.on_cuda else 2, tiny=1), setting.pick(full=512, tiny=32)
    width, heads, words = setting.pick(full=(768, 12, 32_000), tiny=(48, 6, 1000))
    sizes: dict[str, Any] = {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 4 * width,
        "vocab_size": words,
        "pad_token_id": 0,
    }
    shared = {"num_key_value_heads": heads // 3}
    head = {**shared, "head_dim": width // heads}
    own: dict[str, dict[str, Any]] = {
        "T5": {"d_model": width, "num_layers": layers, "num_heads": heads, "d_ff": 4 * width},
        "Roberta": {"max_position_embeddings": tokens + 2},  # two rows are of pads
        "OPT": {"ffn_dim": 4 * width, "word_embed_proj_dim": width},
        **dict.fromkeys(GROUPED, shared),
        "Gemma2": {**head, "query_pre_attn_scalar": width // heads},
        "GptOss": {**head, "num_local_experts": 2, "num_experts_per_tok": 2},
    }
    return getattr(transformers, f"{family}Config")(**{**sizes, **own.get(family, {})})


def families(setting: Setting) -> list[Row]:
    """Full batches of 8 × 512, forward and backward."""
    return on_full_batches("families", FAMILIES, "sdpa", LIKE_SDPA, setting)


def eager(setting: Setting) -> list[Row]:
    """The same for families that transformers has no sdpa for."""
    return on_full_batches("eager", WITHOUT_SDPA, "eager", LIKE_SDPA, setting)


def on_full_batches(section: str, names: tuple[str, ...], peer: str, bar: Bar, setting: Setting) -> list[Row]:
    rows, tokens = [], setting.pick(full=512, tiny=32)
    bars: dict[str, Bar | None] = {"regard": setting.pick(full=bar, tiny=None)}
    for family in names:
        label = f"{family} 8 × {tokens}"
        try:
            case = Case(label, sizes_of(family, setting), 8, tokens, padded=False)
            rows += compare(
                section, case, setting, bars, ("both",), seconds=3.0 if setting.on_cuda else 20.0, peer=peer
            )
        except Exception as error:  # the other families still have something to say
            rows.append(Row(section, label, "both", {"regard": explain(error)}, bar=bar))
    return rows


SECTIONS: Sections = {"padded": padded, "families": families, "eager": eager}


def main(words: list[str] | None = None) -> None:
    register()
    run("benchmarks.transformers", "Models of transformers", __doc__, {"cpu": SECTIONS, "cuda": SECTIONS}, words)


if __name__ == "__main__":
    main()
