"""What one more token costs when the keys and values of those before it are kept."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn

from regard.algorithms.planning.machines import table
from regard.algorithms.planning.report import plain, si
from regard.analysis.cost.count import summary, watching
from regard.analysis.cost.fakes import fake_module, new_mode
from regard.analysis.cost.report import ModelCost
from regard.analysis.cost.trace import Watch

Step = Callable[[nn.Module], tuple[Callable[[], Any], int]]


@dataclass(frozen=True)
class NextToken:
    """One step of decoding behind `cached` tokens: its cost, the bytes of the cache, and the least time it can take."""

    cached: int
    batch: int
    cost: ModelCost
    cache: int
    parameters: int
    device: str
    seconds: float

    def json(self) -> str:
        return json.dumps(asdict(self), indent=1, default=str)

    def csv(self) -> str:
        return self.cost.csv()

    def rich(self, depth: int = 3) -> Any:
        """The table for Rich, with modules down to a depth."""
        from rich.console import Group
        from rich.text import Text

        rows = f"{self.batch} row" + ("s" if self.batch > 1 else "")
        lines = [
            f"one more token behind {self.cached:,}, {rows}: cache {si(self.cache, 'B')}, parameters "
            f"{si(self.parameters, 'B')}",
            f"at least {si(self.seconds, 's')} on {self.device}: parameters and cache once through its memory",
        ]
        return Group(*[Text(line, style="bold") for line in lines], "", self.cost.rich(depth))

    def __str__(self) -> str:
        return plain(self.rich(), width=110)


def next_token_cost(module: nn.Module, cached: int, batch: int, step: Step, device: str) -> NextToken:
    """The cost of the step that `step` prepares: it fills the module's caches and gives
    the call and the bytes that are kept.
    """
    watch = Watch()
    mode = new_mode()
    module = fake_module(mode, module)
    with mode, torch.no_grad(), watching(watch, module):
        watch.phase = "building"
        call, cache = step(module)
        watch.phase = "forward"
        call()
    cost = summary(module, watch.finish(), None)
    parameters = sum(p.numel() * p.element_size() for p in {id(p): p for p in module.parameters()}.values())
    ceilings = table(device)
    dtype = next((p.dtype for p in module.parameters()), torch.float32)
    seconds = max(cost.forward.flops / ceilings.rate(dtype), (cache + parameters) / ceilings.bandwidth)
    return NextToken(cached, batch, cost, cache, parameters, ceilings.name, seconds)


def by_our_caches(cached: int, batch: int) -> Step:
    """For `regard.models.Decoder`."""

    def step(module: Any) -> tuple[Callable[[], Any], int]:
        caches = module.caches(batch, cached + 1)
        module(torch.zeros(batch, cached, dtype=torch.long), caches=caches)
        token = torch.zeros(batch, 1, dtype=torch.long)
        return lambda: module(token, caches=caches), sum(cache.bytes for cache in caches)

    return step


def by_their_caches(cached: int, batch: int) -> Step:
    """For models of transformers that give `past_key_values`."""

    def step(module: Any) -> tuple[Callable[[], Any], int]:
        kept = module(torch.zeros(batch, cached, dtype=torch.long), use_cache=True).past_key_values
        if kept is None:
            raise ValueError(
                f"{type(module).__name__} keeps no keys and values: it decodes nothing; leave --decode out"
            )
        token = torch.zeros(batch, 1, dtype=torch.long)
        size = sum(x.numel() * x.element_size() for layer in kept.layers for x in (layer.keys, layer.values))
        return lambda: module(token, past_key_values=kept, use_cache=True), size

    return step
