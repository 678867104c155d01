"""What each layer of a model would use, why, and what that costs beside sdpa, found on tensors without contents."""

import contextlib
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.models.falcon import modeling_falcon

from regard.algorithms import Plan, plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.report import si
from regard.attention import Softmax
from regard.integrations.transformers.calls import read_call
from regard.integrations.transformers.masks import ModelMask, make_mask
from regard.integrations.transformers.registration import NAME as REGARD
from regard.integrations.transformers.registration import register

if TYPE_CHECKING:
    from rich.console import Group

NAME = "regard_doctor"
META = torch.device("meta")


@dataclass(frozen=True, kw_only=True)
class Examination:
    """On what a model is examined: rows of `tokens` behind `cached` others; `real` says how many are no pads."""

    batch: int
    tokens: int | None  # by default 512, where a model takes as many; behind a cache 1
    real: tuple[int, ...] | None
    cached: int
    dtype: torch.dtype
    device: str
    training: bool


@dataclass(frozen=True, eq=False)
class Layer:
    """One kind of layer: the modules that ask for the same, the plan for them, and what sdpa would do."""

    modules: tuple[str, ...]
    plan: Plan
    instead: str  # the kernel of transformers' sdpa, or why it is eager
    instead_seconds: float

    @property
    def seconds(self) -> float:
        return next(one.seconds for one in self.plan.candidates if one.name == self.plan.chosen)  # pyright: ignore[reportReturnType]

    @property
    def why(self) -> str:
        """The next best, or what kept the usual kernel from being exact."""
        exact = sorted([one for one in self.plan.candidates if one.seconds is not None], key=lambda one: one.seconds)  # pyright: ignore[reportArgumentType, reportCallIssue]
        others = [one for one in exact if one.name != self.plan.chosen]
        reasons = [f"cheapest of {len(exact)} that are exact"]
        if others:
            reasons.append(f"next {others[0].name}, {si(others[0].seconds or 0.0, 's')}")
        fused = next(one for one in self.plan.candidates if one.name == "fused")
        if fused.refusal is not None:
            reasons.append(f"fused {fused.refusal}")
        return "; ".join(reasons)

    def facts(self) -> dict[str, Any]:
        problem = json.loads(self.plan.json())
        candidates = [one for one in problem.pop("candidates") if one["refusal"] is None]
        return {
            "modules": list(self.modules),
            "algorithm": self.plan.chosen,
            "seconds": self.seconds,
            "why": self.why,
            "sdpa": {"runs": self.instead, "seconds": self.instead_seconds},
            **{name: problem[name] for name in ("shape", "attention", "dtype", "backward", "device", "table")},
            "exact": {one["name"]: one["seconds"] for one in candidates},
        }


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """All kinds of layers of a model, in the order in which they run. Prints as a table."""

    family: str
    layers: tuple[Layer, ...]

    @property
    def seconds(self) -> tuple[float, float]:
        """Predicted seconds of all attention in one pass: by regard, and by transformers' sdpa."""
        ours = sum([len(layer.modules) * layer.seconds for layer in self.layers])
        return ours, sum([len(layer.modules) * layer.instead_seconds for layer in self.layers])

    def json(self) -> str:
        ours, theirs = self.seconds
        layers = [layer.facts() for layer in self.layers]
        return json.dumps({"family": self.family, "seconds": ours, "sdpa_seconds": theirs, "layers": layers})

    def rich(self) -> "Group":
        """The table for Rich: a line of numbers per kind of layer, and its reasons below."""
        from rich.console import Group
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        table.add_column("layers", no_wrap=True)
        table.add_column("algorithm", no_wrap=True, style="bold green")
        for title in ("time", "sdpa", "ratio"):
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("sdpa runs", no_wrap=True)
        reasons: list[Any] = []
        for number, layer in enumerate(self.layers, 1):
            times = (
                si(layer.seconds, "s"),
                si(layer.instead_seconds, "s"),
                f"{layer.instead_seconds / layer.seconds:.2f}",
            )
            table.add_row(f"[{number}] {len(layer.modules)} ×", layer.plan.chosen, *times, layer.instead)
            name = Text(f"[{number}] {' … '.join(dict.fromkeys((layer.modules[0], layer.modules[-1])))}", style="cyan")
            reasons.append(
                Padding(Group(name, Text(repr(layer.plan.problem.stated)), Text(layer.why, style="dim")), (1, 0, 0, 0))
            )
        ours, theirs = self.seconds
        total = f"All attention of a pass: {si(ours, 's')}, by sdpa {si(theirs, 's')}, {theirs / ours:.2f} × as long."
        problem = self.layers[0].plan.problem
        passes = "forward and backward" if problem.backward else "forward only"
        kind, machine = str(problem.dtype).removeprefix("torch."), problem.machine
        sizes = f"B={problem.shape.B} T={problem.shape.T} · {kind} · {machine.name} · {passes} · predicted"
        basis = Text(f"table {machine.name}: {machine.basis}", style="cyan")
        return Group(
            Text(f"{self.family} · {sizes}", style="bold"), basis, Text(), table, *reasons, Text(), Text(total)
        )


def examine(path: Path, examination: Examination) -> Diagnosis:
    """Run the model of a folder, or of a config.json, without contents, and plan every attention that it asks for."""
    register()
    calls: list[tuple[nn.Module, Plan]] = []

    def record(
        module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Any, dropout: float = 0.0, **others: Any
    ) -> tuple[Tensor, None]:
        others.pop("output_attentions", None)
        call = read_call(module, query, key, value, mask, **others)
        found = plan(call.q, call.k, call.v, call.attention, dropout=dropout, device=examination.device)
        calls.append((module, found))
        B, H, T, _ = query.shape
        return query.new_empty(B, T, H, value.shape[3]), None

    with _registered(record, examination), torch.set_grad_enabled(examination.training):
        model = _build(path, examination)
        try:
            _run(model, examination, calls)
        except (AttributeError, IndexError, KeyError, NotImplementedError, RuntimeError, TypeError) as error:
            raise ValueError(f"{type(model).__name__} does not run on tensors without contents: {error}") from error
    if not calls:
        raise ValueError(
            f"{type(model).__name__} asks for no attention function, it computes attention itself: got no call; "
            'with attn_implementation="regard" it runs as with "eager"'
        )
    names = {module: name for name, module in model.named_modules()}
    return Diagnosis(type(model).__name__, _grouped([(names[module], found) for module, found in calls]))


def _run(model: Any, examination: Examination, calls: list[Any]) -> None:
    """One pass, or one step behind the tokens in a cache."""
    batch, tokens, cached = examination.batch, examination.tokens, examination.cached
    if not cached:
        longest = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        model(**_inputs(model, batch, tokens or min(512, longest or 512)))
        return
    past = model(**_inputs(model, batch, cached), use_cache=True).past_key_values
    calls.clear()
    given = _inputs(model, batch, tokens or 1)
    real = torch.ones(batch, cached + (tokens or 1), dtype=torch.long, device=META)
    model(**{**given, "attention_mask": real, "past_key_values": past})


@contextlib.contextmanager
def _registered(record: Any, examination: Examination) -> Iterator[None]:
    """Known to transformers for the time of the examination: the recorder, and masks of the real lengths."""

    def mask(*, attention_mask: Any = None, device: Any = None, **told: Any) -> ModelMask:
        if isinstance(attention_mask, Tensor):  # without contents; the examination says which tokens are real
            lengths = torch.tensor(examination.real or (attention_mask.shape[1],) * len(attention_mask))
            attention_mask = torch.arange(attention_mask.shape[1]) < lengths[:, None]
        return make_mask(**told, attention_mask=attention_mask, device="cpu")

    tables = (
        (AttentionInterface._global_mapping, record),
        (AttentionMaskInterface._global_mapping, mask),
        (modeling_falcon.FALCON_ATTENTION_CLASSES, modeling_falcon.FALCON_ATTENTION_CLASSES[REGARD]),
    )
    for table, entry in tables:
        table[NAME] = entry
    try:
        yield
    finally:
        for table, _ in tables:
            del table[NAME]


def _build(path: Path, examination: Examination) -> Any:
    """The model without weights."""
    folder = path.parent if path.is_file() else path
    if not (folder / "config.json").is_file():
        raise ValueError(f"a model's folder must hold a config.json: got {str(path)!r}; name such a folder")
    try:
        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    except (KeyError, OSError, ValueError) as error:
        raise ValueError(f"{folder / 'config.json'} is no configuration that transformers knows: {error}") from error
    names = [name for name in config.architectures or () if hasattr(transformers, name)]
    make = getattr(transformers, names[0])._from_config if names else transformers.AutoModel.from_config
    with META:
        model = make(config, attn_implementation=NAME, dtype=examination.dtype)
    for module in model.modules():
        if type(module).__name__.endswith("Experts"):  # which tokens go where is a matter of contents
            module.forward = lambda hidden, *_, **__: hidden
    return model.train(examination.training)


def _inputs(model: Any, batch: int, tokens: int) -> dict[str, Tensor]:
    """What the model's forward takes: token ids, an image, or both; spectra and the like are refused."""
    takes = set(inspect.signature(model.forward).parameters)
    config = model.config
    given = {}
    ids = torch.zeros(batch, tokens, dtype=torch.long, device=META)
    if "input_ids" in takes:
        given = {"input_ids": ids, "attention_mask": ids}
    if "decoder_input_ids" in takes:
        given["decoder_input_ids"] = ids
    sees = getattr(config, "vision_config", config)
    if "pixel_values" in takes and hasattr(sees, "image_size"):
        sides = sees.image_size if isinstance(sees.image_size, list | tuple) else [sees.image_size] * 2
        given["pixel_values"] = torch.zeros(batch, sees.num_channels, *sides, dtype=model.dtype, device=META)
    if not given:
        raise ValueError(
            f"{type(model).__name__} takes neither tokens nor images: got {', '.join(sorted(takes)[:4])} …"
        )
    return given


def _grouped(calls: list[tuple[str, Plan]]) -> tuple[Layer, ...]:
    """Layers that ask for the same, together; of a value, its tensors' shapes count and not who holds them."""
    kinds: dict[tuple[Any, ...], list[tuple[str, Plan]]] = {}
    for name, found in calls:
        problem = found.problem
        kinds.setdefault((problem.shape, repr(problem.stated), problem.dropout > 0), []).append((name, found))
    layers = []
    for members in kinds.values():
        found = members[0][1]
        instead, seconds = _by_sdpa(found)
        layers.append(Layer(tuple([name for name, _ in members]), found, instead, seconds))
    return tuple(layers)


def _by_sdpa(found: Plan) -> tuple[str, float]:
    """What transformers' sdpa would run: torch's kernel, which is given a causal flag or a mask of all pairs."""
    problem = found.problem
    stated = problem.stated
    if isinstance(stated.weighting, Softmax) and stated.weighting.sink is not None:
        return "eager: no sinks", PLANNER.named("reference").seconds(problem)
    if stated.content is not None and stated.content.cap is not None:
        return "eager: no caps", PLANNER.named("reference").seconds(problem)
    if problem.bias_backward and not problem.on_cuda:  # a GPU's kernel differentiates what is added
        return "math, all pairs", PLANNER.named("reference").seconds(problem)
    fused = next(one for one in found.candidates if one.name == "fused")
    if fused.seconds is not None:
        return "kernel", fused.seconds
    return "kernel, all pairs", PLANNER.named("masked").seconds(problem)
