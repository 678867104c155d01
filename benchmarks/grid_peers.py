"""The peers on a grid: dense maps, lines of einsum, the paper's form, FlexAttention, sdpa with and without a bias.

Each is written as a good engineer would, in plain torch; the compiled ones know their sizes.
"""

import functools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend
from torch.nn.functional import linear

from benchmarks.grid_cases import BOUND, ISOTROPIC, NONE, TABLE, Case, Inputs, position_of
from benchmarks.grid_contest import Build, Call, Contender
from benchmarks.peers import Unavailable, kernels, needs_cuda, sdpa_by

DENSE_MEMORY = {"cuda": 100e9, "cpu": 3e9}  # bytes of maps beyond which a dense contender sits out
PAPER_SIDE = 64  # the paper's form is not tried beyond
NARROWEST = 16  # FlexAttention's smallest width of queries and keys

Mix = Callable[[Tensor, Tensor, Tensor, int, int], Tensor]  # x (B, N, C), centre, log-precision, h, w → (B, N, H·C)


def axis_logits(centre: Tensor, log_precision: Tensor, axis: int, n: int) -> Tensor:
    """`−α_h (δ − Δ_h)²` along one axis, (H, n, n), in float32."""
    place = torch.arange(n, device=centre.device)
    away = place - place[:, None] - centre[:, axis, None, None]
    return -log_precision.exp()[:, None, None] * away * away


def dense_logits(centre: Tensor, log_precision: Tensor, h: int, w: int) -> Tensor:
    """The whole map of logits, (H, N, N): the two axes added, so that one pass writes it."""
    rows, columns = axis_logits(centre, log_precision, 0, h), axis_logits(centre, log_precision, 1, w)
    both = rows[:, :, None, :, None] + columns[:, None, :, None, :]
    return both.reshape(-1, h * w, h * w)


def dense_mix(x: Tensor, centre: Tensor, log_precision: Tensor, h: int, w: int) -> Tensor:
    """One map for the batch, softmax in float32, and one matrix product with all rows of the batch."""
    maps = torch.softmax(dense_logits(centre, log_precision, h, w), -1).to(x.dtype)
    return torch.einsum("hts,bsc->bthc", maps, x).flatten(2)


def separable_mix(x: Tensor, centre: Tensor, log_precision: Tensor, h: int, w: int) -> Tensor:
    """Two softmaxes, and the values mixed along columns, then along rows."""
    rows, columns = (axis_logits(centre, log_precision, a, n).softmax(-1).to(x.dtype) for a, n in ((0, h), (1, w)))
    mixed = torch.einsum("hxl,bklc->bkxhc", columns, x.unflatten(1, (h, w)))
    return torch.einsum("hyk,bkxhc->byxhc", rows, mixed).flatten(3).flatten(1, 2)


def paper_mix(x: Tensor, centre: Tensor, log_precision: Tensor, h: int, w: int) -> Tensor:
    """As Cordonnier et al. publish it: a buffer of quadratic encodings, and the map of every pixel and head."""
    heads = -log_precision.exp()[:, None] * torch.cat((torch.ones_like(centre[:, :1]), -2 * centre), 1)
    logits = torch.einsum("ijkld,hd->ijhkl", _encodings(h, w, x.device), heads)
    weights = logits.flatten(3).softmax(-1).unflatten(3, (h, w)).to(x.dtype)
    return torch.einsum("ijhkl,bkld->bijhd", weights, x.unflatten(1, (h, w))).flatten(3).flatten(1, 2)


@functools.lru_cache(maxsize=1)
def _encodings(h: int, w: int, device: torch.device) -> Tensor:
    """|δ|² and δ for all pairs of pixels, (h, w, h, w, 3)."""
    y, x = (torch.arange(n, device=device, dtype=torch.float32) for n in (h, w))
    down, right = torch.broadcast_tensors((y - y[:, None])[:, None, :, None], (x - x[:, None])[None, :, None, :])
    return torch.stack((down**2 + right**2, down, right), -1)


def layer_of(mix: Mix, compile: bool = False) -> Build:
    """The whole layer around a way to mix; its projections are those of the module."""

    def build(case: Case, x: Inputs) -> Call:
        _needs(case, ISOTROPIC)
        if mix is paper_mix and max(case.h, case.w) > PAPER_SIDE:
            raise Unavailable(f"not tried beyond {PAPER_SIDE}×{PAPER_SIDE}")
        if mix in (dense_mix, paper_mix):
            _check_maps(case, copies=4)
        whole = compiled(_layer, case, mix.__name__) if compile else _layer
        return Call(lambda: whole(x.module, mix, x.v, case.h, case.w), x.leaves(case), x.grad, case)

    return build


def _layer(module: Any, mix: Mix, x: Tensor, h: int, w: int) -> Tensor:
    position = module.position
    return module.out(
        linear(mix(x, position.centre, position.log_precision, h, w), module.value.weight, module.value.bias)
    )


def dense_table(v: Tensor, _: Tensor, table: Tensor, h: int, w: int) -> Tensor:
    """The table unrolled to a map by views, one softmax, one product."""
    entries = table.clamp(-BOUND, BOUND).unfold(1, h, 1).unfold(2, w, 1).flip(1, 2)  # (H, h, w, h, w)
    maps = torch.softmax(entries.reshape(-1, h * w, h * w), -1).to(v.dtype)
    return torch.einsum("hts,bhse->bhte", maps, v)


def flex_table(v: Tensor, nothing: Tensor, table: Tensor, h: int, w: int) -> Tensor:
    """FlexAttention that reads the table at each pair; queries and keys are as narrow as it takes, and zero."""
    from torch.nn.attention.flex_attention import flex_attention

    bounded = table.clamp(-BOUND, BOUND)

    def score(logit: Tensor, b: Tensor, head: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return logit + bounded[head, j // w - i // w + (h - 1), j % w - i % w + (w - 1)]

    out = flex_attention(nothing, nothing, v, score_mod=score)
    assert isinstance(out, Tensor)
    return out


def table_by(function: Callable[[Tensor, Tensor, Tensor, int, int], Tensor], compile: bool = False) -> Build:
    def build(case: Case, x: Inputs) -> Call:
        _needs(case, TABLE)
        if function is flex_table:
            needs_cuda(case.device)
        else:
            _check_maps(case, copies=4)
        run = compiled(function, case) if compile else function
        table, nothing = position_of(x.module).tables[0], x.v.new_zeros(*x.v.shape[:3], NARROWEST)
        return Call(lambda: run(x.v, nothing, table, case.h, case.w), x.leaves(case), x.grad, case)

    return build


def flex_gaussian(q: Tensor, k: Tensor, v: Tensor, position: Any, h: int, w: int) -> Tensor:
    from torch.nn.attention.flex_attention import flex_attention

    centre, precision = position.centre, position.log_precision.exp()

    def score(logit: Tensor, b: Tensor, head: Tensor, i: Tensor, j: Tensor) -> Tensor:
        down = (j // w - i // w) - centre[head, 0]
        right = (j % w - i % w) - centre[head, 1]
        return logit - precision[head] * (down * down + right * right)

    out = flex_attention(q, k, v, score_mod=score)
    assert isinstance(out, Tensor)
    return out


def content_by_flex(case: Case, x: Inputs) -> Call:
    _needs(case, ISOTROPIC)
    needs_cuda(case.device)
    run = compiled(flex_gaussian, case)
    position = position_of(x.module)
    return Call(lambda: run(x.q, x.k, x.v, position, case.h, case.w), x.leaves(case), x.grad, case)


def content_by_bias(backend: SDPBackend) -> Build:
    """Sdpa with the positions as a tensor (1, H, N, N), made in each call, as its parameters change."""

    def build(case: Case, x: Inputs) -> Call:
        _needs(case, ISOTROPIC)
        _check_maps(case, copies=4)
        position, (q, k) = position_of(x.module), content(x)

        def forward() -> Tensor:
            bias = dense_logits(position.centre, position.log_precision, case.h, case.w)[None].to(x.v.dtype)
            return sdpa_by(backend, q, k, x.v, attn_mask=bias)()

        return Call(forward, x.leaves(case), x.grad, case)

    return build


def plain(backend: SDPBackend) -> Build:
    """Attention that knows no positions: what they are measured against, and checked as what it is."""

    def build(case: Case, x: Inputs) -> Call:
        meant = replace(case, kind=NONE)
        return Call(sdpa_by(backend, *content(x), x.v), x.leaves(meant), x.grad, meant)

    return build


def layer_peers(device: torch.device) -> dict[str, Contender]:
    """The whole layer: dense forms first, then those without a map."""
    peers = {"dense": Contender(layer_of(dense_mix)), "paper": Contender(layer_of(paper_mix))}
    if device.type != "cuda":  # torch takes minutes to compile for a CPU
        return peers | {"separable einsum": Contender(layer_of(separable_mix))}
    return peers | {
        "dense, compiled": Contender(layer_of(dense_mix, compile=True), compiles=True),
        "separable einsum, compiled": Contender(layer_of(separable_mix, compile=True), compiles=True),
    }


def table_peers(device: torch.device) -> dict[str, Contender]:
    peers = {"flex": Contender(table_by(flex_table, compile=True)), "dense": Contender(table_by(dense_table))}
    if device.type == "cuda":
        peers["dense, compiled"] = Contender(table_by(dense_table, compile=True), compiles=True)
    return peers


def content_peers(device: torch.device) -> dict[str, Contender]:
    backends = kernels(device, cuda="flash cuDNN efficient", cpu="flash math")
    biased = kernels(device, cuda="cuDNN efficient", cpu="math")
    peers = {f"plain {name}": Contender(plain(backend)) for name, backend in backends.items()}
    peers |= {f"sdpa + bias, {name}": Contender(content_by_bias(backend)) for name, backend in biased.items()}
    return peers | {"flex": Contender(content_by_flex, compiles=True)}


def compiled(function: Callable[..., Tensor], case: Case, also: str = "") -> Callable[..., Tensor]:
    """Compiled for this case alone."""
    return _compiled(function, (case.h, case.w, case.B, also))


@functools.cache
def _compiled(function: Any, key: tuple[Any, ...]) -> Any:
    """Torch counts recompilations by code object and gives up after eight, so each case gets a code object."""
    code = function.__code__.replace(co_name=f"{function.__name__}_{_compiled.cache_info().currsize}")
    own = types.FunctionType(code, function.__globals__, code.co_name, function.__defaults__, function.__closure__)
    return torch.compile(own, fullgraph=True, dynamic=False)


def content(x: Inputs) -> tuple[Tensor, Tensor]:
    if x.q is None or x.k is None:
        raise Unavailable("needs queries and keys")
    return x.q, x.k


def _needs(case: Case, kind: str) -> None:
    if case.kind != kind:
        raise Unavailable(f"not compared for {case.kind}")


def _check_maps(case: Case, copies: int) -> None:
    """Maps in float32 that stand in memory together, on the way back."""
    size = 4.0 * copies * case.H * case.N**2
    if size > DENSE_MEMORY[case.device.type]:
        raise Unavailable(f"dense: {size / 1e9:.0f} GB of maps")
