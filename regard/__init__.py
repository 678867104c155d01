"""Say what attention you mean. Get the fastest exact way to compute it, what it costs, and a proof that it is right."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.algorithms import Plan, Prepared, attend, plan, weights
    from regard.attention import Attention

__all__ = ["Attention", "Plan", "Prepared", "attend", "plan", "show", "weights"]

# Imported when they are first asked for: the command line answers --help without waiting for torch.
_HOMES = {
    "Attention": "regard.attention",
    "Plan": "regard.algorithms",
    "Prepared": "regard.algorithms",
    "attend": "regard.algorithms",
    "plan": "regard.algorithms",
    "weights": "regard.algorithms",
}
_ROOMS = {
    "algorithms",
    "analysis",
    "attention",
    "claims",
    "generation",
    "layers",
    "models",
    "recipes",
    "tasks",
    "training",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(f"regard.{name}")
    raise AttributeError(f"module 'regard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})


def show(thing: Any = None, *inputs: Any, **state: Any) -> Any:
    """Show a view as a widget in a notebook: the playground, a mechanism, a layer's heads, maps or a run.

        show()                                 the playground; or another view by name: show("claims", search="mask")
        show(Attention(mask=Causal()))         its pattern and cost; a mask alone will do
        show(model, "a text")                  the maps of a model for a text or for tensors
        show(weights, tokens)                  maps that exist already: (T, S), (H, T, S) or (L, H, T, S)
        show(GaussianHeads(64, 9))             heads on the grid
        show("runs/reversal-1")                the maps of a run or of a model's folder

    `state` is the view's initial state, and `.state` its current one; `.save("view.html")` writes a file that opens
    without a server. Needs anywidget, which `regard[explore]` brings.
    """
    from regard.explore.notebook import show as show_view

    return show_view(thing, *inputs, **state)
