"""Questions 1 and 2: the two functions that the review prints, as the library has them."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as of_torch

from regard.claims.claim import BUILT, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, scaled_dot_product_attention
from regard.layers.multihead import split_heads

PARAMETERS = {"q": inspect.Parameter.empty, "k": inspect.Parameter.empty, "v": inspect.Parameter.empty}
PARAMETERS |= {"key_padding_mask": None, "causal": False}
EXACT = 1e-12


def printed(q: Tensor, k: Tensor, v: Tensor, key_padding_mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """The review's function: mask, divide, softmax in float32, cast back."""
    logits = q @ k.mT
    if key_padding_mask is not None:
        logits = logits.masked_fill(key_padding_mask[:, None], -math.inf)
    if causal:
        logits = logits.masked_fill(torch.ones_like(logits[0], dtype=torch.bool).triu(1), -math.inf)
    a = torch.softmax(logits / math.sqrt(q.shape[-1]), -1, dtype=torch.float32)
    return a.to(q.dtype) @ v


def mistaken(q: Tensor, k: Tensor, v: Tensor, key_padding_mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """The pads read the other way round."""
    return scaled_dot_product_attention(q, k, v, None if key_padding_mask is None else ~key_padding_mask, causal)


def cases(T: int, S: int, dtype: torch.dtype) -> Iterator[tuple[Sequence[Tensor], Tensor | None, bool]]:
    """Operands and masks, of two rows whose second ends with two pads."""
    source = torch.Generator().manual_seed(0)
    operands = [torch.randn(2, n, width, generator=source).to(dtype) for n, width in ((T, 8), (S, 8), (S, 5))]
    pads = torch.arange(S) >= torch.tensor([[S], [S - 2]])
    for causal in (False, True) if T == S else (False,):
        yield operands, None, causal
        yield operands, pads, causal


def truth(operands: Sequence[Tensor], pads: Tensor | None, causal: bool) -> Tensor:
    """What torch's own function gives in float64, True = may attend, for as many queries as keys where causal."""
    q, k, v = (x.double() for x in operands)
    allowed = torch.ones(len(q), q.shape[1], k.shape[1], dtype=torch.bool)
    allowed = allowed if pads is None else allowed & ~pads[:, None]
    return of_torch(q, k, v, attn_mask=allowed.tril() if causal else allowed)


@claim(
    "eecs.1",
    BUILT,
    document={"function": printed},
    twin={"function": mistaken},
    view=View("playground", "See every number of the function"),
)
def as_function(function: Callable[..., Tensor] = scaled_dot_product_attention) -> Findings:
    """The same where the printed function is right, and right where it is not."""
    has = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    yield Finding("signature", has == PARAMETERS, f"the arguments are {', '.join(has)}")
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float16, 2e-3), (torch.float64, EXACT)):
        worst, same, kind = 0.0, True, str(dtype).removeprefix("torch.")
        for operands, pads, causal in [*cases(6, 6, dtype), *cases(3, 6, dtype)]:
            out = function(*operands, key_padding_mask=pads, causal=causal)
            same = same and out.dtype == dtype
            worst = max(worst, (out.double() - truth(operands, pads, causal)).abs().max().item())
        shown = f"{kind}: within {worst:.0e} of torch in float64 by all masks, {'' if same else 'not '}cast back"
        yield Finding(kind, worst <= tolerance and same, shown, detail=dtype == torch.float64)
    (q, k, v), _, _ = next(cases(6, 6, torch.float32))
    row = function(q, k, v, key_padding_mask=torch.tensor([[False], [True]]).expand(2, 6))[1]
    shown = f"a row of pads alone gives {row[0, 0].item() if row.any() else 'zeros'}"
    yield Finding("empty row", not row.any(), shown, detail=True)
    whole, alone = function(q, k, v, causal=True)[:, -1:], function(q[:, -1:], k, v, causal=True)
    gap, first = ((alone - other).abs().max().item() for other in (whole, v[:, :1]))
    what = "v₀, the first value alone" if first < 1e-6 else f"what all six queries give, to {gap:.0e}"
    yield Finding("one query", gap < 1e-6, f"causal, one query against six cached keys gives {what}", detail=True)
    q = torch.full((1, 1, 64), 40.0, dtype=torch.float16)
    k = torch.cat((q, q), 1)  # 102,400 before the division, beyond the largest half of 65,504; 12,800 after
    k[0, 1, 0] -= 0.2
    v = torch.tensor([[[1.0], [2.0]]], dtype=torch.float16)
    out, right = function(q, k, v).item(), truth((q, k, v), None, False).item()
    shown = f"float16 with products of 102,400 gives {out:.4g}, right is {right:.4g}"
    yield Finding("half precision", abs(out - right) < 1e-3, shown, detail=True)


Fold = Callable[[Tensor, int], Tensor]  # of (B, S), True = a pad, and the number of heads


@claim("eecs.2", BUILT, twin={"fold": lambda pads, H: pads.repeat(H, 1)})
def as_layer(fold: Fold = lambda pads, H: pads.repeat_interleave(H, 0)) -> Findings:
    """The layer against its folded form over masks and numbers of heads, and against torch's module."""
    parameters = list(inspect.signature(MultiHead.forward).parameters)[1:6]
    shown = f"the layer takes {', '.join(parameters)} in this order"
    yield Finding("signature", parameters == list(PARAMETERS), shown)
    source = torch.Generator().manual_seed(0)
    pads = torch.arange(6) >= torch.tensor([[6], [4], [5]])
    for H in (1, 2, 4):
        with seeded(H):
            layer = MultiHead(8, H, dtype=torch.float64)
        worst = 0.0
        for T, causal in ((6, True), (3, False), (1, True)):
            q, k = (torch.randn(3, n, 8, generator=source, dtype=torch.float64) for n in (T, 6))
            for mask in (None, pads):
                gap = layer(q, k, k, mask, causal) - fold_heads(layer, q, k, mask, causal, fold)
                worst = max(worst, gap.abs().max().item())
        shown = f"{H} head{'s' * (H > 1)}: the layer and its folded form differ by {worst:.0e} over six masks"
        yield Finding(f"{H} heads", worst < EXACT, shown)
    x = torch.arange(24).view(1, 2, 12)
    heads = split_heads(x, 3)
    apart = heads.shape == (1, 3, 2, 4) and bool((heads[0, 2, 1] == x[0, 1, 8:]).all())
    yield Finding(
        "heads", apart, f"head 3 of 3 takes {'' if apart else 'not '}the last third of each token's 12 entries"
    )
    with seeded(1):
        theirs = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    x = torch.randn(3, 6, 8, generator=source, dtype=torch.float64)
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    ours = MultiHead.from_torch(theirs)(x, x, x, pads, causal=True)
    yield equals("torch's MultiheadAttention", ours, theirs(x, x, x, pads, attn_mask=future)[0], EXACT)


def fold_heads(layer: MultiHead, q: Tensor, k: Tensor, pads: Tensor | None, causal: bool, fold: Fold) -> Tensor:
    """The review's multi-head: heads folded into the batch, one call of the function, and back."""
    H = layer.num_heads

    def heads(x: Tensor) -> Tensor:
        return x.unflatten(2, (H, -1)).transpose(1, 2).flatten(0, 1)  # (B, T, H·D) → (B·H, T, D)

    mask = None if pads is None else fold(pads, H)
    out = scaled_dot_product_attention(heads(layer.query(q)), heads(layer.key(k)), heads(layer.value(k)), mask, causal)
    return layer.out(out.unflatten(0, (-1, H)).transpose(1, 2).flatten(2))
