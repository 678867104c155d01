"""Say what attention you mean. Get the fastest exact way to compute it, what it costs, and a proof that it is right."""

from typing import Any

from regard.algorithms import Plan, Prepared, attend, plan, weights
from regard.attention import Attention

__all__ = ["Attention", "Plan", "Prepared", "attend", "plan", "show", "weights"]


def show(thing: Any = None, *inputs: Any, **state: Any) -> Any:
    """A view in a notebook, as a widget: the playground, a mechanism, a layer's heads, maps, a run.

        show()                                 the playground; or the name of a view: show("claims", search="mask")
        show(Attention(mask=Causal()))         its pattern and cost; a mask alone will do
        show(model, "a text")                  the maps of a model, of a text or of tensors
        show(weights, tokens)                  maps that are there already: (T, S), (H, T, S) or (L, H, T, S)
        show(GaussianHeads(64, 9))             heads on the grid
        show("runs/reversal-1")                maps of a run, or of a model's folder

    `state` is what the view begins with, and `.state` what it has come to; `.save("view.html")` writes a file that
    opens without a server. Needs anywidget, of `regard[explore]`.
    """
    from regard.explore.notebook import show as shown

    return shown(thing, *inputs, **state)
