"""Deliberately broken attention: the fuzz must find each of these within a few cases, or it would find nothing."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from regard import attend
from regard.attention import Attention, Content, Everything, Softmax, Window

Attend = Callable[..., Any]


def _with(value: Attention, **changes: Any) -> Attention:
    fields = {name: getattr(value, name) for name in ("scores", "mask", "weighting", "queries", "keys")}
    return Attention(**(fields | changes))


def drops_the_mask(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q, k, v, _with(value, mask=Everything()), **options)


def widens_windows(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    mask = value.mask
    return attend(q, k, v, _with(value, mask=Window(mask.before + 1, mask.after)), **options)  # type: ignore[attr-defined]


def scales_too_much(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(1.01 * q, k, v, value, **options)


def gives_zeros(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    out = attend(q, k, v, value, **options)
    return tuple(0 * x for x in out) if isinstance(out, tuple) else 0 * out


def forgets_a_gradient(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q, k.detach(), v, value, **options)


def adds_to_the_log_sum_exp(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    out = attend(q, k, v, value, **options)
    return (out[0], out[1] + 1e-3) if isinstance(out, tuple) else out


def takes_the_first_row_for_all(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q[:1].expand_as(q), k[:1].expand_as(k), v, value, **options)


def reads_hidden_values(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    out = attend(q, k, v, value, **options)
    more = 0 * v.sum()
    return (out[0] + more, out[1]) if isinstance(out, tuple) else out + more


def computes_in_half_precision(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q.to(torch.bfloat16).to(q.dtype), k, v, value, **options)


def forgets_other_terms(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q, k, v, _with(value, scores=value.content or Content()), **options)


def forgets_the_sink_on_the_way_back(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    """As by a kernel whose log-sum-exp has no gradient."""
    out, lse = attend(q, k, v, _with(value, weighting=Softmax()), return_lse=True)
    return out * (lse.detach() - value.sink[:, None]).sigmoid()[..., None]  # type: ignore[index]


def leaves_the_cap_out(q: Tensor, k: Tensor, v: Tensor, value: Attention, **options: Any) -> Any:
    return attend(q, k, v, _with(value, scores=Content()), **options)


MISTAKES: dict[str, Attend] = {
    function.__name__: function
    for function in (
        drops_the_mask,
        widens_windows,
        scales_too_much,
        gives_zeros,
        forgets_a_gradient,
        adds_to_the_log_sum_exp,
        takes_the_first_row_for_all,
        reads_hidden_values,
        computes_in_half_precision,
        forgets_other_terms,
        forgets_the_sink_on_the_way_back,
        leaves_the_cap_out,
    )
}
