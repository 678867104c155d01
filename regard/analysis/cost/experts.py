"""Mixtures of experts: which choice routes tokens, to which parameters, and what is assumed of it.

A router takes the k largest of E scores; which they are depends on data that a count has not. The products do not:
every token meets k experts, whichever they are. Where the code asks which, tokens are dealt out one after the other.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor

TOP, FIRST, BEST = torch.ops.aten.topk.default, torch.ops.aten.argmax.default, torch.ops.aten.max.dim


@dataclass(frozen=True)
class Routing:
    """So many of the experts are chosen for each of these tokens."""

    chosen: int
    experts: int
    tokens: int

    def share(self, tokens: int = 1) -> tuple[int, int]:
        """The share of the experts that so many tokens meet, if they are dealt out evenly: a fraction's two numbers.

        >>> Routing(2, 8, 100).share(), Routing(2, 8, 100).share(5)
        ((2, 8), (8, 8))
        """
        return min(self.chosen * tokens, self.experts), self.experts


class Experts:
    """The experts of a model, found when a router chooses among them."""

    def __init__(self) -> None:
        self.modules: dict[str, nn.Module] = {}
        self.routings: dict[int, Routing] = {}  # by the identity of an expert's parameter
        self.groups: dict[int, tuple[int, list[nn.Parameter]]] = {}  # so too: tokens, and all parameters of the experts
        self.found: dict[tuple[str, int], list[nn.Parameter]] = {}
        self.is_assumed = False

    def route(self, func: Any, args: tuple[Any, ...], name: str) -> Routing | None:
        """The routing that this operation of that module is, if it is one: a choice among as many as there are experts.

        The largest score alone tells how many tokens there are, and not how often one is chosen for each of them.
        """
        if func not in (TOP, FIRST, BEST) or not args[0].is_floating_point() or args[0].ndim == 0:
            return None
        x, k = args[0], args[1] if func is TOP else 1
        dim = args[2] if func is TOP and len(args) > 2 else args[1] if func is not TOP and len(args) > 1 else -1
        if dim is None or dim % x.ndim != x.ndim - 1 or k > x.shape[-1]:
            return None
        parameters = self._look_around(name, x.shape[-1])
        routing = Routing(k, x.shape[-1], math.prod(x.shape[:-1]))
        self.groups |= dict.fromkeys(map(id, parameters), (routing.tokens, parameters))
        self.is_assumed = self.is_assumed or (bool(parameters) and isinstance(x, FakeTensor))
        if not parameters or func is BEST:
            return None
        self.routings |= dict.fromkeys(map(id, parameters), routing)
        return routing

    def observe(self, rows: int, weight: nn.Parameter | None) -> None:
        """So many rows meet the experts, one each: that says how many are chosen for a token."""
        tokens, parameters = self.groups.get(id(weight), (0, []))
        if weight is not None and tokens and rows % tokens == 0:
            self.routings |= dict.fromkeys(map(id, parameters), Routing(rows // tokens, weight.shape[0], tokens))

    def notes(self) -> list[str]:
        """How many experts are chosen, and what was assumed where tensors had no contents."""
        assumed = ": assumed to be chosen evenly" if self.is_assumed else ""
        routings = self.routings.values()
        return sorted({f"{one.chosen} of {one.experts} experts for each token{assumed}" for one in routings})

    def _look_around(self, name: str, count: int) -> list[nn.Parameter]:
        """The parameters of so many experts inside of a module, or else beside it."""
        key = (name, count)
        if key not in self.found:
            places = [place for place in (name, name.rpartition(".")[0]) if place in self.modules]
            inside = (list(expert_parameters(self.modules[place], count, place)) for place in places)
            self.found[key] = next(filter(None, inside), [])
        return self.found[key]

    def met_by_all(self, x: Any, weight: Any) -> Routing | None:
        """The routing of a product (E, tokens, …) by (E, …) that computes all tokens by all experts."""
        routing = self.routings.get(id(weight))
        if routing is None or x.ndim != 3 or tuple(x.shape[:2]) != (routing.experts, routing.tokens):
            return None
        return routing

    def count_active(self, module: nn.Module, tokens: int = 1, in_bytes: bool = False) -> int:
        """Parameters, or their bytes, that so many tokens meet."""
        total = 0
        for parameter in module.parameters():
            size = parameter.numel() * (parameter.element_size() if in_bytes else 1)
            routing = self.routings.get(id(parameter))
            met, all_of_them = (1, 1) if routing is None else routing.share(tokens)
            total += size * met // all_of_them
        return total


def expert_parameters(module: nn.Module, count: int, name: str = "") -> Iterator[nn.Parameter]:
    """What belongs to one of so many experts: matrices in a stack with their biases, rows of one tall matrix, modules.

    A list of modules is one of experts if it is called so: as many layers as there are classes are none.

    >>> layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    >>> [sum(p.numel() for p in expert_parameters(layers, 2, name)) for name in ("mlp.experts", "layers")]
    [12, 0]
    """
    for inner, part in module.named_modules(prefix=name):
        if isinstance(part, (nn.ModuleList, nn.ModuleDict)) and len(part) == count > 1 and "expert" in inner.lower():
            yield from part.parameters()
            continue
        own = [p for p in part.parameters(recurse=False) if p.ndim > 1]
        if any(p.ndim == 3 and p.shape[0] == count for p in own):
            yield from (p for p in own if p.shape[0] == count)
        elif any("experts" in name and size == count for name, size in vars(part).items()):
            yield from (p for p in own if p.shape[0] > count and p.shape[0] % count == 0)


def deal_out(routing: Routing, shape: torch.Size) -> Tensor:
    """Experts of tokens, one after the other: every one is chosen as often as any other, or once more.

    >>> deal_out(Routing(2, 3, 3), torch.Size((3, 2))).tolist()
    [[0, 1], [2, 0], [1, 2]]
    """
    return (torch.arange(routing.tokens * routing.chosen) % routing.experts).view(shape)
