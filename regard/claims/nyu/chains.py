"""What waits for what in a layer that was built: steps in turn, and the layers or cells between two tokens."""

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.claims.small_runs import seeded
from regard.layers import MultiHead

PRODUCTS = ("mm", "convolution", "attention")  # what names of nodes of a graph have, where something is multiplied


def made(way: str, D: int, K: int, device: str) -> nn.Module:
    if way == "attention":
        return MultiHead(D, 1, device=device)
    if way == "convolution":
        return nn.Conv1d(D, D, K, device=device)
    return nn.RNN(D, D, batch_first=True, device=device)


def build(way: str, D: int, K: int) -> Callable[[Tensor], Tensor]:
    """A layer on (1, N, D) that looks back, or everywhere."""
    module = made(way, D, K, "cpu")
    if way == "convolution":
        return lambda x: module(nn.functional.pad(x.mT, (K - 1, 0))).mT
    return module if way == "attention" else lambda x: module(x)[0]


def chain(output: Tensor) -> int:
    """The most matrix products of which each waits for the one before, in the graph that made an output.

    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> chain(x @ x + x @ x), chain(x @ x @ x)
    (1, 2)
    """
    longest, ready, stack = {}, set(), [output.grad_fn]
    while stack:
        node = stack[-1]
        before = [each for each, _ in node.next_functions if each is not None] if node is not None else []
        if node is None or node in longest:
            stack.pop()
        elif node in ready:
            own = any(product in node.name().lower() for product in PRODUCTS)
            longest[node] = own + max([longest[each] for each in before], default=0)
        else:
            ready.add(node)
            stack += before
    return longest[output.grad_fn]


@functools.cache
def steps(way: str, N: int, D: int, K: int) -> int:
    """Steps in turn: one, and as many more as the products in turn that N tokens have beyond those of one."""
    with seeded(34):
        layer, x = build(way, D, K), torch.randn(1, N, D, requires_grad=True)
    return 1 + chain(layer(x)) - chain(layer(x[:, :1]))


@functools.cache
def longest_path(way: str, N: int, D: int, K: int) -> int:
    """Layers, of a recurrence cells, through which the first token reaches the last output, by its gradient."""
    with seeded(35):
        x = torch.randn(1, N, D, requires_grad=True)
        if way == "recurrence":
            return cells(x)
        y = x
        for layer in range(1, N + 1):
            y = build(way, D, K)(y)
            if reaches(y, x):
                return layer
    raise ValueError(f"{way} must join {N} tokens in {N} layers: got no gradient at the first token")


def cells(x: Tensor) -> int:
    """One, and one for each state between tokens without which nothing of the first token arrives."""
    layer = nn.RNN(x.shape[2], x.shape[2], batch_first=True)
    needed = 0
    for cut in range(1, x.shape[1]):
        _, state = layer(x[:, :cut])
        kept, _ = layer(x[:, cut:], state)
        lost, _ = layer(x[:, cut:], state.detach())
        needed += reaches(kept, x) and not reaches(lost, x)
    return 1 + needed


def reaches(y: Tensor, x: Tensor) -> bool:
    """Whether the last output depends on the first token."""
    (gradient,) = torch.autograd.grad(y[0, -1].square().sum(), x, retain_graph=True)
    return bool(gradient[0, 0].any())
