"""Questions 1 and 2: the two functions that the review prints, as the library has them."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as of_torch

from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, scaled_dot_product_attention

Function = Callable[..., Tensor]  # of q, k, v, key_padding_mask=None, causal=False
PARAMETERS = {"q": None, "k": None, "v": None, "key_padding_mask": None, "causal": False}
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


def cases(T: int, S: int, dtype: torch.dtype) -> Iterator[tuple[str, Sequence[Tensor], Tensor | None, bool]]:
    """Operands and masks, of two rows whose second ends with two pads."""
    source = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, n, width, generator=source).to(dtype) for n, width in ((T, 8), (S, 8), (S, 5)))
    pads = torch.zeros(2, S, dtype=torch.bool)
    pads[1, -2:] = True
    yield "no mask", (q, k, v), None, False
    yield "pads", (q, k, v), pads, False
    if T == S:
        yield "causal", (q, k, v), None, True
        yield "pads and causal", (q, k, v), pads, True


def truth(operands: Sequence[Tensor], pads: Tensor | None, causal: bool) -> Tensor:
    """What torch's own function gives in float64, True = may attend, for as many queries as keys where causal."""
    q, k, v = (x.double() for x in operands)
    allowed = torch.ones(len(q), q.shape[1], k.shape[1], dtype=torch.bool)
    allowed = allowed if pads is None else allowed & ~pads[:, None]
    return of_torch(q, k, v, attn_mask=allowed.tril() if causal else allowed)


def as_function(function: Function) -> Sequence[Finding]:
    """The same where the printed function is right, and right where it is not."""
    found = [signature(function)]
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float16, 2e-3)):
        worst, same = 0.0, True
        for _, operands, pads, causal in [*cases(6, 6, dtype), *cases(3, 6, dtype)]:
            out = function(*operands, key_padding_mask=pads, causal=causal)
            same = same and out.dtype == dtype
            worst = max(worst, (out.double() - truth(operands, pads, causal)).abs().max().item())
        kind = str(dtype).removeprefix("torch.")
        shown = f"{kind}: within {worst:.0e} of torch in float64 by all masks, {'' if same else 'not '}cast back"
        found.append(Finding(kind, worst <= tolerance and same, shown))
    return [*found, empty_row(function), one_query(function), large_halves(function), doubles(function)]


def signature(function: Function) -> Finding:
    has = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    stated = {name: inspect.Parameter.empty if name in ("q", "k", "v") else PARAMETERS[name] for name in PARAMETERS}
    return Finding("signature", has == stated, f"the arguments are {', '.join(has)}")


def empty_row(function: Function) -> Finding:
    """A sequence of pads alone."""
    _, (q, k, v), pads, _ = list(cases(6, 6, torch.float32))[1]
    assert pads is not None
    out = function(q, k, v, key_padding_mask=pads | torch.tensor([[False], [True]]))[1]
    zeros = not out.any()
    shown = f"a row of pads alone gives {'zeros' if zeros else out[0, 0].item()}"
    return Finding("empty row", zeros, shown, detail=True)


def one_query(function: Function) -> Finding:
    """The last query alone against all keys, as a cache asks, is the last row of all queries at once."""
    _, (q, k, v), _, _ = next(cases(6, 6, torch.float32))
    whole, alone = function(q, k, v, causal=True)[:, -1:], function(q[:, -1:], k, v, causal=True)
    gap = (whole - alone).abs().max().item()
    first = (alone - v[:, :1]).abs().max().item()
    what = "v₀, the first value alone" if first < 1e-6 else f"what all six queries give, to {gap:.0e}"
    return Finding("one query", gap < 1e-6, f"causal, one query against six cached keys gives {what}", detail=True)


def large_halves(function: Function) -> Finding:
    """Products beyond 65,504, the largest half, that the division brings back below it."""
    q = torch.full((1, 1, 64), 40.0, dtype=torch.float16)
    k = torch.cat((q, q), 1)  # 102,400 before the division, 12,800 after
    k[0, 1, 0] -= 0.2
    v = torch.tensor([[[1.0], [2.0]]], dtype=torch.float16)
    out, right = function(q, k, v), truth((q, k, v), None, False)
    gap = (out.double() - right).abs().max().item()
    shown = f"float16 with products of 102,400 gives {out.item():.4g}, right is {right.item():.4g}"
    return Finding("half precision", gap < 1e-3, shown, detail=True)


def doubles(function: Function) -> Finding:
    worst = max(
        (function(*operands, key_padding_mask=pads, causal=causal) - truth(operands, pads, causal)).abs().max().item()
        for _, operands, pads, causal in cases(6, 6, torch.float64)
    )
    return Finding("float64", worst < EXACT, f"float64 is {worst:.0e} off torch in float64", detail=True)


Fold = Callable[[Tensor, int], Tensor]  # of (B, S), True = a pad, and the number of heads


def folded(layer: MultiHead, q: Tensor, k: Tensor, pads: Tensor | None, causal: bool, fold: Fold) -> Tensor:
    """The review's multi-head: heads folded into the batch, one call of the function, and back."""
    H = layer.num_heads

    def heads(x: Tensor) -> Tensor:
        return x.unflatten(2, (H, -1)).transpose(1, 2).flatten(0, 1)  # (B, T, H·D) → (B·H, T, D)

    mask = None if pads is None else fold(pads, H)
    out = scaled_dot_product_attention(heads(layer.query(q)), heads(layer.key(k)), heads(layer.value(k)), mask, causal)
    return layer.out(out.unflatten(0, (-1, H)).transpose(1, 2).flatten(2))


def as_layer(fold: Fold) -> Sequence[Finding]:
    """The layer against its folded form over masks and numbers of heads, and against torch's module."""
    parameters = list(inspect.signature(MultiHead.forward).parameters)[1:6]
    same = parameters == list(PARAMETERS)
    found = [Finding("signature", same, f"the layer takes {', '.join(parameters)} in this order")]
    source = torch.Generator().manual_seed(0)
    for H in (1, 2, 4):
        with seeded(H):
            layer = MultiHead(8, H, dtype=torch.float64)
        worst = 0.0
        for T, S, causal in ((6, 6, True), (3, 6, False), (1, 6, True)):
            q, k = (torch.randn(3, n, 8, generator=source, dtype=torch.float64) for n in (T, S))
            pads = torch.arange(S) >= torch.tensor([[6], [4], [5]])
            for mask in (None, pads):
                gap = layer(q, k, k, mask, causal) - folded(layer, q, k, mask, causal, fold)
                worst = max(worst, gap.abs().max().item())
        shown = f"{H} head{'s' * (H > 1)}: the layer and its folded form differ by {worst:.0e} over six masks"
        found.append(Finding(f"{H} heads", worst < EXACT, shown))
    return [*found, against_torch()]


def against_torch() -> Finding:
    """The module of torch with the same weights, where both define the result: no empty row, T = S."""
    source = torch.Generator().manual_seed(1)
    with seeded(1):
        theirs = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
        layer = MultiHead.from_torch(theirs)
    x = torch.randn(3, 6, 8, generator=source, dtype=torch.float64)
    pads = torch.arange(6) >= torch.tensor([[6], [4], [5]])
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    ours = layer(x, x, x, pads, causal=True)
    return equals("torch's MultiheadAttention", ours, theirs(x, x, x, pads, attn_mask=future)[0], EXACT)


CLAIMS = {
    "1": Claim(
        id="eecs.1",
        title="Scaled dot-product attention as a function",
        texts=Texts(
            asks="Write scaled_dot_product_attention(q, k, v, key_padding_mask=None, causal=False) for tensors "
            "(n, t, d), with the softmax in float32 and the result in the type of the input.",
            derivation="$\\operatorname{softmax}(QK^\\top/\\sqrt{d})\\,V$, where a logit is $-\\infty$ at keys that "
            "are pads (`True` marks a pad) and, if causal, at keys after the query.\n\n"
            "The printed function does that and has four edges. A row without any key is $0/0$, NaN; we define it as "
            "zeros. Causal is aligned at the first key, so that one query against a cache of keys sees only the first; "
            "we align the last query with the last key, which is the same for as many queries as keys. In half "
            "precision $q^\\top k$ can exceed 65,504 before it is divided; and float64 is rounded to float32.",
            quantities={"n, t, d": "batch, tokens, width", "V": "values, one row for each key"},
            method="against torch's own function in float64: to 1e-6 in float32, 2e-3 in float16, 1e-12 in float64",
            code=("regard.layers.scaled_dot_product:scaled_dot_product_attention",),
        ),
        document=Version("as printed", r"\operatorname{softmax}_{32}(QK^\top/\sqrt{d})\,V", printed),
        ours=Version(
            "the same, right at the edges too",
            r"\operatorname{softmax}(QK^\top/\sqrt{d})\,V",
            scaled_dot_product_attention,
        ),
        twin=Version("with True in key_padding_mask for a real token", r"m \mapsto \lnot m", mistaken),
        check=as_function,
        expected=Verdict.BUILT,
    ),
    "2": Claim(
        id="eecs.2",
        title="Multi-head attention with heads folded into the batch",
        texts=Texts(
            asks="Write multi-head attention, forward(q, k, v, key_padding_mask=None, causal=False), by folding the "
            "heads into the batch and calling the function of question 1 once.",
            derivation="$(n, t, h d) \\to (n h, t, d)$: heads do not talk to each other, so they may as well be more "
            "sequences of the batch. Sequence $b$ becomes rows $bh, \\dots, bh + h - 1$, so the padding mask must be "
            "repeated *in place* (each row $h$ times in a row), not tiled: tiled, head $j$ of a sequence gets the pads "
            "of another one.\n\n"
            "The library keeps the heads as a dimension of their own, $(n, h, t, d)$, which is the same numbers "
            "without a copy of the mask.",
            quantities={"n, t": "batch, tokens", "h, d": "heads, width of a head"},
            method="float64, equal to 1e-12; one, two and four heads, three sequences with pads, causal or not",
            code=("regard.layers.multihead:MultiHead", "regard.layers.multihead:split_heads"),
        ),
        ours=Version(
            "each row of the mask h times in a row",
            r"m_{bh + j} = m_b",
            lambda pads, H: pads.repeat_interleave(H, 0),
        ),
        twin=Version("the mask tiled h times", r"m_{bh + j} = m_{(bh + j) \bmod n}", lambda pads, H: pads.repeat(H, 1)),
        check=as_layer,
        expected=Verdict.BUILT,
    ),
}
